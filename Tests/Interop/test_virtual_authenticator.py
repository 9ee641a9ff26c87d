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
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, mldsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat, load_der_public_key
from wardserver import find_binary
from webauthn import verify_authentication_response, verify_registration_response
from webauthn.helpers.cose import COSEAlgorithmIdentifier


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
        return verify_registration_response(**common, supported_pub_key_algs=list(COSEAlgorithmIdentifier))
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


def test_the_public_key_in_a_registration_is_the_one_that_signs(ceremonies):
    """`publicKey` is what `getPublicKey()` returns: another library reads it, and it verifies the sign-in after it."""
    keys = {}
    for ceremony in ceremonies:
        response = ceremony["credential"]["response"]
        if ceremony["type"] == "registration":
            der = unb64(response["publicKey"])
            key = load_der_public_key(der)
            assert key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo) == der
            keys[ceremony["name"]] = (response["publicKeyAlgorithm"], key)
            continue
        algorithm, key = keys.pop(ceremony["name"])
        client_data = hashes.Hash(hashes.SHA256())
        client_data.update(unb64(response["clientDataJSON"]))
        signed = unb64(response["authenticatorData"]) + client_data.finalize()
        signature = unb64(response["signature"])
        if algorithm in (-8, -49):
            assert isinstance(key, {-8: ed25519.Ed25519PublicKey, -49: mldsa.MLDSA65PublicKey}[algorithm])
            key.verify(signature, signed)
        else:
            curve, digest = {-7: ("secp256r1", hashes.SHA256()), -36: ("secp521r1", hashes.SHA512())}[algorithm]
            assert key.curve.name == curve
            key.verify(signature, signed, ec.ECDSA(digest))
    assert not keys
