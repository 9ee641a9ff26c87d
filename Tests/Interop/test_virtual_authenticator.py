"""py_webauthn judges what WardTesting's virtual authenticator makes.

The snippet VirtualCeremonies prints one ceremony per line as JSON:

    {"type": "registration" | "authentication", "name": "...", "rpId": "...", "origin": "...", "challenge": base64url,
     "userVerification": bool, "credential": RegistrationResponseJSON | AuthenticationResponseJSON,
     "publicKey": base64url of the COSE key and "signCount": the counter before (both with authentication only)}
"""

import json
import subprocess

import pytest
from authenticator import unb64
from wardserver import find_binary
from webauthn import verify_authentication_response, verify_registration_response


@pytest.fixture(scope="module")
def ceremonies() -> list[dict]:
    command = find_binary().with_name("VirtualCeremonies")
    printed = subprocess.run([command], capture_output=True, text=True, timeout=120, check=True)
    return [json.loads(line) for line in printed.stdout.splitlines() if line.startswith("{")]


def judge(ceremony: dict):
    common = {
        "credential": json.dumps(ceremony["credential"]),
        "expected_challenge": unb64(ceremony["challenge"]),
        "expected_rp_id": ceremony["rpId"],
        "expected_origin": ceremony["origin"],
        "require_user_verification": ceremony["userVerification"],
    }
    if ceremony["type"] == "registration":
        return verify_registration_response(**common)
    return verify_authentication_response(
        **common,
        credential_public_key=unb64(ceremony["publicKey"]),
        credential_current_sign_count=ceremony["signCount"],
    )


def test_every_ceremony_is_accepted(ceremonies):
    for ceremony in ceremonies:
        verified = judge(ceremony)
        assert verified.user_verified or not ceremony["userVerification"], ceremony["name"]


def test_both_kinds_and_more_than_one_way_are_there(ceremonies):
    kinds = {ceremony["type"] for ceremony in ceremonies}
    assert kinds == {"registration", "authentication"}
    assert len({ceremony["name"] for ceremony in ceremonies}) >= 4
