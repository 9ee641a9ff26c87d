"""`ward inspect`: what it shows a person, what it tells a machine, and its exit status."""

import base64
import json
import os
import subprocess

import pytest
from authenticator import Authenticator, Browser, b64, unb64
from wardserver import find_binary

RP_ID, ORIGIN = "example.org", "https://example.org"


def ward(*words, text=""):
    environment = {**os.environ, "NO_COLOR": "1"}
    return subprocess.run(
        [find_binary().with_name("ward"), "inspect", *words], input=text, capture_output=True, text=True, timeout=60, env=environment
    )


@pytest.fixture(scope="module")
def made():
    browser = Browser(ORIGIN, Authenticator(attestation="packed", backup_eligible=True))
    # Begins with a hyphen, as every 64th challenge does.
    challenge = b64(b"\xfb" + os.urandom(31))
    registration = browser.create(
        {
            "rp": {"id": RP_ID, "name": "Example"},
            "user": {"id": b64(os.urandom(32)), "name": "ada", "displayName": "Ada"},
            "challenge": challenge,
            "pubKeyCredParams": [{"type": "public-key", "alg": -7}],
        }
    )
    assertion = browser.get({"rpId": RP_ID, "challenge": challenge})
    key = next(iter(browser.authenticator.credentials.values())).public_key
    return {"challenge": challenge, "registration": registration, "assertion": assertion, "key": b64(key)}


def test_a_registration_is_accepted_with_every_step(made):
    done = ward(
        "registration", "--rp-id", RP_ID, "--origin", ORIGIN, "--challenge", made["challenge"],
        text=json.dumps(made["registration"]),
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "accepted, attestation packed, trust self" in done.stdout
    assert "✓ 7.1.8" in done.stdout and "✗" not in done.stdout


def test_a_refusal_names_its_step_and_exits_with_1(made):
    done = ward("registration", "--rp-id", RP_ID, "--origin", "https://example.com", text=json.dumps(made["registration"]))
    assert done.returncode == 1
    assert "✗ 7.1.9" in done.stdout and "refused at step 7.1.9: origin_not_allowed" in done.stdout
    assert "· 7.1.14" in done.stdout


def test_what_is_not_known_is_said_not_to_be_checked(made):
    done = ward("registration", "--rp-id", RP_ID, text=json.dumps(made["registration"]))
    assert done.returncode == 0
    assert "? 7.1.8" in done.stdout and "? 7.1.9" in done.stdout and "? 7.1.26" in done.stdout


def test_the_verdict_for_machines_has_its_members(made):
    done = ward("registration", "--rp-id", RP_ID, "--origin", ORIGIN, "--json", text=json.dumps(made["registration"]))
    answer = json.loads(done.stdout)
    assert {"verdict", "code", "step", "format", "trust", "credential"} <= answer.keys()
    assert (answer["verdict"], answer["code"], answer["step"]) == ("accepted", None, None)
    assert (answer["format"], answer["trust"]) == ("packed", "self")
    credential = answer["credential"]
    assert credential["id"] == made["registration"]["id"]
    assert credential["publicKey"] == made["key"]
    assert credential["algorithm"] == -7 and credential["signCount"] == 0
    assert credential["backupEligible"] is True and credential["backedUp"] is False and credential["userVerified"] is True
    assert credential["aaguid"] == "00000000-0000-0000-0000-000000000000"


def test_an_assertion_is_verified_with_its_public_key(made):
    known = ["assertion", "--rp-id", RP_ID, "--origin", ORIGIN, "--challenge", made["challenge"], "--public-key", made["key"]]
    assert ward(*known, text=json.dumps(made["assertion"])).returncode == 0
    broken = json.loads(json.dumps(made["assertion"]))
    signature = bytearray(unb64(broken["response"]["signature"]))
    signature[-1] ^= 1
    broken["response"]["signature"] = b64(bytes(signature))
    done = ward(*known, "--json", text=json.dumps(broken))
    assert done.returncode == 1
    assert json.loads(done.stdout)["step"] == "7.2.21"


def test_a_record_that_may_not_be_backed_up_is_a_signal(made):
    done = ward(
        "assertion", "--rp-id", RP_ID, "--origin", ORIGIN, "--public-key", made["key"], "--backup-eligible", "false",
        "--json", text=json.dumps(made["assertion"]),
    )  # fmt: skip
    assert json.loads(done.stdout)["signals"] == ["backup_eligibility_changed"]


def test_lines_answer_one_for_one(made):
    requests = [
        {"id": "a", "rp-id": RP_ID, "origin": ORIGIN, "response": made["registration"]},
        {"id": "b", "rpId": RP_ID, "origin": ["https://example.com"], "response": made["registration"]},
        {"id": "c", "rp-id": RP_ID, "unheard-of": 1, "response": made["registration"]},
        {"id": "d", "rp-id": RP_ID},
    ]
    text = "\n".join([json.dumps(request) for request in requests] + ["nonsense", ""])
    done = ward("registration", "--lines", text=text)
    assert done.returncode == 0
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert [answer.get("id") for answer in answers] == ["a", "b", "c", "d", None]
    assert [answer["code"] for answer in answers] == [None, "origin_not_allowed"] + ["invalid_request"] * 3


@pytest.mark.parametrize("form", ["base64url", "base64", "hexadecimal", "hexadecimal with colons", "file"])
def test_bytes_are_read_in_the_forms_people_have(made, form, tmp_path):
    data = unb64(made["registration"]["response"]["attestationObject"])
    text = {
        "base64url": b64(data),
        "base64": base64.b64encode(data).decode(),
        "hexadecimal": data.hex(),
        "hexadecimal with colons": data.hex(":"),
        "file": "",
    }[form]
    if form == "file":
        (tmp_path / "object.bin").write_bytes(data)
        done = ward("registration", str(tmp_path / "object.bin"))
    else:
        done = ward("registration", text=text)
    assert done.returncode == 0, done.stderr
    assert "fmt: packed" in done.stdout and "credentialPublicKey: ES256 (-7)" in done.stdout


def test_a_qr_code_shows_its_cbor():
    done = ward("cbor", "FIDO:/0254318383957")
    assert done.returncode in (0, 2)
    secret = bytes.fromhex("a2005821" + "02" * 33 + "0150" + "03" * 16)
    digits = ""
    for index in range(0, len(secret), 7):
        chunk = secret[index : index + 7]
        width = {7: 17, 6: 15, 5: 13, 4: 10, 3: 8, 2: 5, 1: 3}[len(chunk)]
        digits += str(int.from_bytes(chunk, "little")).zfill(width)
    done = ward("cbor", "FIDO:/" + digits)
    assert done.returncode == 0, done.stderr
    assert "map of 2" in done.stdout and "33 bytes" in done.stdout


def test_a_short_challenge_is_called_short(made):
    response = json.loads(json.dumps(made["registration"]))
    data = json.loads(unb64(response["response"]["clientDataJSON"]))
    data["challenge"] = b64(bytes(8))
    response["response"]["clientDataJSON"] = b64(json.dumps(data).encode())
    text = json.dumps(response)
    done = ward("registration", "--rp-id", RP_ID, text=text)
    assert "too short: 8 bytes, and at least 16 are needed" in done.stdout, done.stdout + done.stderr
    done = ward("registration", "--rp-id", RP_ID, "--challenge", b64(bytes(8)), text=text)
    assert done.returncode == 2 and "the challenge is too short: 8 bytes" in done.stderr, done.stderr


def test_options_are_shown_with_what_is_unusual_about_them():
    options = {"challenge": b64(bytes(16)), "rpId": RP_ID, "allowCredentials": []}
    done = ward("options", json.dumps(options))
    assert done.returncode == 0, done.stderr
    assert "PublicKeyCredentialRequestOptions" in done.stdout and "any discoverable credential may answer" in done.stdout


@pytest.mark.parametrize(
    "words",
    [
        ("registration", "--rp-id"),
        ("registration", "--rp-id", "com", "{}"),
        ("registration", "--at", "yesterday", "{}"),
        ("registration", "--trust-anchor", "/nonexistent", "{}"),
        ("options", "deadbeef"),
        ("cbor", "~~~"),
        ("nothing",),
    ],
)
def test_wrong_words_exit_with_2_and_one_sentence(words, made):
    text = json.dumps(made["registration"])
    words = [text if word == "{}" else word for word in words]
    done = ward(*words)
    assert done.returncode == 2, (done.stdout, done.stderr)
    assert done.stderr.startswith("Error:") and "Fatal" not in done.stderr and not done.stdout


@pytest.mark.parametrize("kind", ["registration", "assertion"])
def test_a_folder_as_standard_input_is_an_error(kind, tmp_path):
    folder = os.open(tmp_path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        done = subprocess.run(
            [find_binary().with_name("ward"), "inspect", kind, "-"], stdin=folder, capture_output=True, text=True, timeout=60
        )
    finally:
        os.close(folder)
    assert done.returncode == 2 and "Error: Standard input cannot be read." in done.stderr
