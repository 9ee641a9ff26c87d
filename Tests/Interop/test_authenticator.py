"""Our own authenticator before two judges that others wrote: what they refuse would prove nothing against the service."""

import json
import os

import pytest
from authenticator import ALGORITHMS, ES256, ES512, Authenticator, Browser, NotAllowed, b64, unb64
from fido2.server import Fido2Server
from fido2.webauthn import PublicKeyCredentialRpEntity, PublicKeyCredentialUserEntity
from webauthn import verify_authentication_response, verify_registration_response
from webauthn.helpers.cose import COSEAlgorithmIdentifier
from webauthn.helpers.exceptions import InvalidAuthenticationResponse, InvalidRegistrationResponse

RP_ID, ORIGIN = "localhost", "http://localhost:8080"


def creation(algorithms=(ES256,), **more):
    return {
        "rp": {"id": RP_ID, "name": "Ward"},
        "user": {"id": b64(os.urandom(64)), "name": "ada", "displayName": "Ada"},
        "challenge": b64(os.urandom(32)),
        "pubKeyCredParams": [{"type": "public-key", "alg": algorithm} for algorithm in algorithms],
        **more,
    }


def request(**more):
    return {"rpId": RP_ID, "challenge": b64(os.urandom(32)), **more}


def judge_registration(options, credential, **more):
    return verify_registration_response(
        credential=json.dumps(credential),
        expected_challenge=unb64(options["challenge"]),
        expected_rp_id=RP_ID,
        expected_origin=ORIGIN,
        require_user_verification=True,
        supported_pub_key_algs=[COSEAlgorithmIdentifier(item["alg"]) for item in options["pubKeyCredParams"]],
        **more,
    )


def judge_sign_in(options, credential, registration, sign_count=0):
    return verify_authentication_response(
        credential=json.dumps(credential),
        expected_challenge=unb64(options["challenge"]),
        expected_rp_id=RP_ID,
        expected_origin=ORIGIN,
        credential_public_key=registration.credential_public_key,
        credential_current_sign_count=sign_count,
        require_user_verification=True,
    )


# py_webauthn does not know ES384.
JUDGED = [algorithm for algorithm in ALGORITHMS if algorithm in iter(COSEAlgorithmIdentifier)]


@pytest.mark.parametrize("attestation", ["none", "packed"])
@pytest.mark.parametrize("algorithm", JUDGED)
def test_py_webauthn_accepts_registration_and_sign_in(algorithm, attestation):
    browser = Browser(ORIGIN, Authenticator(algorithms=(algorithm,), attestation=attestation, counts=True))
    options = creation([algorithm])
    registration = judge_registration(options, browser.create(options))
    assert registration.fmt == attestation
    assert registration.user_verified

    options = request()
    answer = judge_sign_in(options, browser.get(options), registration)
    assert answer.new_sign_count == 1


def test_every_expected_algorithm_was_judged():
    assert ES256 in JUDGED and ES512 in JUDGED and len(JUDGED) >= 5


def test_python_fido2_accepts_registration_and_sign_in():
    server = Fido2Server(PublicKeyCredentialRpEntity(id=RP_ID, name="Ward"), verify_origin=lambda origin: origin == ORIGIN)
    browser = Browser(ORIGIN, Authenticator(attestation="packed"))
    user = PublicKeyCredentialUserEntity(id=os.urandom(64), name="ada", display_name="Ada")

    options, state = server.register_begin(user, user_verification="required")
    registered = server.register_complete(state, browser.create(dict(options.public_key)))

    options, state = server.authenticate_begin([registered.credential_data], user_verification="required")
    accepted = server.authenticate_complete(state, [registered.credential_data], browser.get(dict(options.public_key)))
    assert accepted.credential_id == registered.credential_data.credential_id


def test_backup_flags_are_reported():
    browser = Browser(ORIGIN, Authenticator(backup_eligible=True, backed_up=True))
    options = creation()
    registration = judge_registration(options, browser.create(options))
    assert registration.credential_device_type.value == "multi_device"
    assert registration.credential_backed_up


@pytest.mark.parametrize(
    "spoiled",
    [
        {"client_data": {"challenge": b64(bytes(32))}},
        {"client_data": {"origin": "https://evil.example"}},
        {"client_data": {"type": "webauthn.get"}},
        {"flags": 0x01},
        {"flags": 0x04},
    ],
    ids=["challenge", "origin", "type", "no user verification", "no user presence"],
)
def test_what_is_spoiled_on_purpose_is_refused_by_the_judge(spoiled):
    browser = Browser(ORIGIN)
    options = creation()
    with pytest.raises(InvalidRegistrationResponse):
        judge_registration(options, browser.create(options, **spoiled))

    options = creation()
    registration = judge_registration(options, browser.create(options))
    options = request()
    if spoiled.get("client_data", {}).get("type"):
        spoiled = {"client_data": {"type": "webauthn.create"}}
    with pytest.raises(InvalidAuthenticationResponse):
        judge_sign_in(options, browser.get(options, **spoiled), registration)


def test_a_device_refuses_what_it_holds_already_and_what_it_lacks():
    browser = Browser(ORIGIN)
    options = creation()
    created = browser.create(options)
    with pytest.raises(NotAllowed):
        browser.create(creation(excludeCredentials=[{"type": "public-key", "id": created["id"]}]))
    with pytest.raises(NotAllowed):
        browser.get(request(allowCredentials=[{"type": "public-key", "id": b64(bytes(32))}]))
    with pytest.raises(NotAllowed):
        Browser(ORIGIN).get(request())
