"""Passkeys of `ward` at servers that others wrote, and at ours: made and used from end to end."""

import base64
import hashlib
import hmac
import json
import os

import pytest
import webauthn
from cryptography.hazmat.primitives.asymmetric import mldsa
from cryptography.hazmat.primitives.serialization import load_der_private_key
from fido2.server import Fido2Server
from fido2.webauthn import (
    AttestationConveyancePreference,
    PublicKeyCredentialRpEntity,
    PublicKeyCredentialUserEntity,
    ResidentKeyRequirement,
    UserVerificationRequirement,
)
from manager import PASSPHRASE
from test_vault_format import read_vault
from webauthn.helpers import structs
from webauthn.helpers.cose import COSEAlgorithmIdentifier

RP_ID, ORIGIN = "example.org", "https://login.example.org"


def b64(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def unb64(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def create(vault, options, origin=ORIGIN, **more):
    more.setdefault("passphrase", PASSPHRASE)
    return vault.run("passkey", "create", "--origin", origin, text=options if isinstance(options, str) else json.dumps(options), **more)


def get(vault, options, origin=ORIGIN, **more):
    more.setdefault("passphrase", PASSPHRASE)
    return vault.run("passkey", "get", "--origin", origin, text=options if isinstance(options, str) else json.dumps(options), **more)


def answer(done):
    assert done.returncode == 0, (done.stdout, done.stderr)
    return json.loads(done.stdout)


def creation(user=b"user-1", name="ada", **more):
    return {
        "rp": {"id": RP_ID, "name": "Example"},
        "user": {"id": b64(user), "name": name, "displayName": name.title()},
        "challenge": b64(os.urandom(32)),
        "pubKeyCredParams": [{"type": "public-key", "alg": -7}],
        **more,
    }


def request(**more):
    return {"rpId": RP_ID, "challenge": b64(os.urandom(32)), **more}


@pytest.mark.parametrize("attestation", ["none", "direct"])
@pytest.mark.parametrize(
    "algorithm", [COSEAlgorithmIdentifier.ECDSA_SHA_256, COSEAlgorithmIdentifier.EDDSA, COSEAlgorithmIdentifier.ML_DSA_65]
)
def test_py_webauthn_takes_them(vault, attestation, algorithm):
    options = webauthn.generate_registration_options(
        rp_id=RP_ID,
        rp_name="Example",
        user_name="ada",
        user_id=b"user-1",
        attestation=structs.AttestationConveyancePreference(attestation),
        supported_pub_key_algs=[algorithm],
        authenticator_selection=structs.AuthenticatorSelectionCriteria(
            resident_key=structs.ResidentKeyRequirement.REQUIRED,
            user_verification=structs.UserVerificationRequirement.REQUIRED,
        ),
    )
    asked = json.loads(webauthn.options_to_json(options))
    if attestation == "direct":
        # Without a wish for it a passkey says nothing about what made it.
        asked["attestationFormats"] = ["packed"]
    made = answer(create(vault, asked))
    registration = webauthn.verify_registration_response(
        credential=made,
        expected_challenge=options.challenge,
        expected_rp_id=RP_ID,
        expected_origin=ORIGIN,
        require_user_verification=True,
        supported_pub_key_algs=[algorithm],
    )
    assert registration.fmt == ("none" if attestation == "none" else "packed")
    assert registration.sign_count == 0
    assert registration.credential_device_type == structs.CredentialDeviceType.MULTI_DEVICE
    assert not registration.credential_backed_up, "there is no copy yet"

    for allowed in ([], [structs.PublicKeyCredentialDescriptor(id=registration.credential_id)]):
        wanted = webauthn.generate_authentication_options(
            rp_id=RP_ID, allow_credentials=allowed, user_verification=structs.UserVerificationRequirement.REQUIRED
        )
        used = answer(get(vault, webauthn.options_to_json(wanted)))
        verified = webauthn.verify_authentication_response(
            credential=used,
            expected_challenge=wanted.challenge,
            expected_rp_id=RP_ID,
            expected_origin=ORIGIN,
            credential_public_key=registration.credential_public_key,
            credential_current_sign_count=0,
            require_user_verification=True,
        )
        assert verified.new_sign_count == 0
        assert unb64(used["response"]["userHandle"]) == b"user-1"


def test_a_passkey_of_each_algorithm_is_kept_and_another_program_reads_the_key(manager):
    key = manager.init()["recoveryKey"]
    for first in ([-7, -49], [-49, -7], [-49, -7], [-48, -49]):
        asked = creation(pubKeyCredParams=[{"type": "public-key", "alg": algorithm} for algorithm in first])
        asked["authenticatorSelection"] = {"residentKey": "required"}
        answer(create(manager, asked))
    listed = manager.json("passkey", "list")
    assert sorted(it["algorithm"] for it in listed) == ["ES256", "ML-DSA-65"]
    used = answer(get(manager, request(allowCredentials=[{"type": "public-key", "id": it["credentialID"]} for it in listed if it["algorithm"] == "ML-DSA-65"])))
    manager.stop()

    # The file's other reader, and OpenSSL's ML-DSA.
    vault = read_vault.Vault(manager.vault.parent)
    vault.recover(key)
    (item,) = [it["value"] for it in read_vault.read(vault)["items"]]
    kept = {it["algorithm"]: it for it in item["passkeys"]}
    assert set(kept) == {-7, -49}
    private = load_der_private_key(bytes.fromhex(kept[-49]["privateKey"]), None)
    assert isinstance(private, mldsa.MLDSA65PrivateKey)
    response = used["response"]
    signed = unb64(response["authenticatorData"]) + hashlib.sha256(unb64(response["clientDataJSON"])).digest()
    private.public_key().verify(unb64(response["signature"]), signed)


@pytest.mark.parametrize("attestation", [None, AttestationConveyancePreference.DIRECT])
def test_python_fido2s_server_takes_them(vault, attestation):
    server = Fido2Server(PublicKeyCredentialRpEntity(id=RP_ID, name="Example"), attestation=attestation)
    user = PublicKeyCredentialUserEntity(id=b"user-2", name="bob", display_name="Bob")
    options, state = server.register_begin(
        user,
        resident_key_requirement=ResidentKeyRequirement.REQUIRED,
        user_verification=UserVerificationRequirement.REQUIRED,
    )
    asked = json.loads(json.dumps(dict(options)))
    if attestation is not None:
        asked["publicKey"]["attestationFormats"] = ["packed"]
    data = server.register_complete(state, answer(create(vault, asked)))
    assert data.is_user_verified() and data.is_user_present()
    assert data.credential_data is not None
    options, state = server.authenticate_begin(user_verification=UserVerificationRequirement.REQUIRED)
    used = answer(get(vault, json.dumps(dict(options))))
    assert server.authenticate_complete(state, [data.credential_data], used)


def test_our_own_service_takes_them_from_end_to_end(vault, server, name):
    web = server.client()
    options = web.post("registration/options", {"username": name}).json()
    made = answer(create(vault, {"publicKey": options["publicKey"]}, origin=server.origin))
    done = web.post("registration/verify", {"ceremony": options["ceremony"], "credential": made})
    assert done.status_code == 201, done.text
    for body in ({}, {"username": name}):
        web = server.client()
        options = web.post("sign-in/options", body).json()
        used = answer(get(vault, {"publicKey": options["publicKey"]}, origin=server.origin))
        done = web.post("sign-in/verify", {"ceremony": options["ceremony"], "credential": used})
        assert done.status_code == 200, done.text
        assert web.get("account").json()["account"]["username"] == name
    # It is in the vault like everything else, and survives the agent's death.
    vault.kill()
    (passkey,) = vault.json("passkey", "list", passphrase=PASSPHRASE)
    assert (passkey["rpID"], passkey["userName"]) == ("localhost", name)


def test_prf_gives_the_same_secret_each_time_and_another_for_each_salt(vault):
    salts = {"first": b64(b"first salt"), "second": b64(b"second salt")}
    made = answer(create(vault, creation(extensions={"prf": {"eval": salts}})))
    results = made["clientExtensionResults"]["prf"]
    assert results["enabled"] is True
    used = answer(get(vault, request(extensions={"prf": {"eval": salts}})))["clientExtensionResults"]["prf"]["results"]
    assert used == results["results"] and used["first"] != used["second"]
    assert all(len(unb64(value)) == 32 for value in used.values())
    other = answer(get(vault, request(extensions={"prf": {"evalByCredential": {made["id"]: {"first": salts["second"]}}}},
                                      allowCredentials=[{"type": "public-key", "id": made["id"]}])))  # fmt: skip
    assert other["clientExtensionResults"]["prf"]["results"] == {"first": used["second"]}


def test_prf_is_what_the_standard_says_of_the_secret_behind_it(vault):
    """An item shows no private parts; the independent reader of the file does, and computes the same."""
    salt = b"the salt of a page"
    made = answer(create(vault, creation(extensions={"prf": {"eval": {"first": b64(salt)}}})))
    hashed = hashlib.sha256(b"WebAuthn PRF\x00" + salt).digest()
    value = unb64(made["clientExtensionResults"]["prf"]["results"]["first"])
    # Neither the salt nor its hash may be told from the value.
    assert value not in (hashed, hmac.digest(hashed, salt, "sha256")) and len(value) == 32


def test_a_site_that_may_not_ask_is_refused(vault):
    for origin in ("https://evil-example.org", "https://example.org.evil.com", "http://login.example.org", "https://org"):
        done = create(vault, creation(), origin=origin)
        assert done.returncode == 1 and "SecurityError" in done.stderr, (origin, done.stderr)
    assert vault.json("passkey", "list") == []


def test_the_person_is_asked_with_site_account_and_caller(vault):
    vault.answers("ok")
    answer(create(vault, creation(authenticatorSelection={"userVerification": "discouraged"}), passphrase=None))
    (asked,) = vault.asked
    assert asked["kind"] == "CONFIRM"
    assert "example.org" in asked["SETDESC"] and "ada" in asked["SETDESC"]
    assert str(vault.binary) in asked["SETDESC"]

    vault.answers(PASSPHRASE)
    used = answer(get(vault, request(userVerification="required"), passphrase=None))
    assert vault.asked[-1]["kind"] == "GETPIN"
    flags = unb64(used["response"]["authenticatorData"])[32]
    assert flags & 0x1D == 0x0D, "present, verified, backup eligible; backed up only once there is a copy"


def test_the_page_is_named_where_it_is_not_the_rp_id_and_so_is_the_page_around_it(vault):
    def shown(origin, *more):
        vault.answers("ok")
        options = creation(user=os.urandom(8), authenticatorSelection={"userVerification": "discouraged"})
        answer(vault.run("passkey", "create", "--origin", origin, *more, text=json.dumps(options)))
        return vault.asked[-1]["SETDESC"]

    own = shown("https://example.org")
    assert "The page that asks" not in own and "inside a page" not in own
    below = shown("https://login.example.org")
    assert "The page that asks is login.example.org." in below and "inside a page" not in below
    framed = shown("https://example.org", "--top-origin", "https://evil.example.com")
    assert "Warning: this page is shown inside a page of evil.example.com." in framed


def test_verification_is_only_claimed_when_it_happened(vault):
    vault.answers("ok", "ok")
    made = answer(create(vault, creation(authenticatorSelection={"userVerification": "discouraged"}), passphrase=None))
    used = answer(get(vault, request(userVerification="discouraged"), passphrase=None))
    assert unb64(used["response"]["authenticatorData"])[32] & 0x05 == 0x01
    assert made["id"] == used["id"]


@pytest.mark.parametrize("said", ["cancel", "no", "timeout", "die", "nonsense"])
def test_whatever_goes_wrong_with_the_prompt_the_page_hears_the_same(vault, said):
    vault.answers("ok")
    answer(create(vault, creation(authenticatorSelection={"userVerification": "discouraged"}), passphrase=None))
    heard = set()
    for options in (request(userVerification="discouraged"), request(rpId="example.org", allowCredentials=[{"type": "public-key", "id": b64(b"x" * 32)}], userVerification="discouraged")):
        vault.answers(said)
        done = get(vault, options, passphrase=None)
        assert done.returncode == 1
        heard.add(done.stderr)
    assert len(heard) == 1 and "NotAllowedError" in heard.pop()
    vault.answers("ok")
    answer(get(vault, request(userVerification="discouraged"), passphrase=None))


def test_somebody_is_asked_also_when_nothing_is_found(vault):
    vault.answers("ok")
    done = get(vault, request(userVerification="discouraged"), passphrase=None)
    assert done.returncode == 1 and "NotAllowedError" in done.stderr
    assert len(vault.asked) == 1


def test_an_excluded_passkey_is_told_only_after_consent(vault):
    made = answer(create(vault, creation()))
    again = creation(excludeCredentials=[{"type": "public-key", "id": made["id"]}], authenticatorSelection={"userVerification": "discouraged"})
    vault.answers("no")
    assert "NotAllowedError" in create(vault, again, passphrase=None).stderr
    vault.answers("ok")
    assert "InvalidStateError" in create(vault, again, passphrase=None).stderr
    assert len(vault.json("passkey", "list")) == 1


def test_with_several_accounts_the_person_chooses(vault):
    for number, name in enumerate(("ada", "bob", "cyd")):
        answer(create(vault, creation(user=f"user-{number}".encode(), name=name)))
    vault.answers("no", "ok")
    used = answer(get(vault, request(userVerification="discouraged"), passphrase=None))
    first, second = (asked["SETDESC"] for asked in vault.asked)
    assert "account 1 of 3" in first and "account 2 of 3" in second
    chosen = unb64(used["response"]["userHandle"]).decode()
    assert {"user-0": "ada", "user-1": "bob", "user-2": "cyd"}[chosen] in second


def test_a_passkey_joins_the_login_it_belongs_to(vault):
    vault.ok("add", "My Example", "--site", "https://www.example.org", "--username", "ADA", "--generate")
    answer(create(vault, creation()))
    answer(create(vault, creation(user=b"user-9", name="zoe")))
    items = {item["title"]: item for item in vault.json("list")}
    assert set(items) == {"My Example", "Example"}
    assert items["My Example"]["passkeys"] == 1 and items["Example"]["username"] == "zoe"
    passkey = next(p for p in vault.json("passkey", "list") if p["userName"] == "zoe")
    vault.ok("passkey", "remove", "--", passkey["credentialID"][:12])
    assert len(vault.json("passkey", "list")) == 1


def test_a_password_that_the_person_was_shown_upgrades_no_page(vault):
    vault.ok("add", "Example", "--site", "https://example.org", "--username", "ada", "--generate")
    vault.ok("edit", "Example", "--generate")
    vault.ok("show", "Example", "--field", "password")
    silent = ("passkey", "create", "--origin", ORIGIN, "--mediation", "conditional", "--no-prompt")
    refused = vault.run(*silent, text=json.dumps(creation()))
    assert refused.returncode == 1 and "NotAllowedError" in refused.stderr
    assert vault.json("passkey", "list") == [] and vault.asked == []


def test_passkeys_can_be_switched_off_on_this_device(vault):
    answer(create(vault, creation()))
    assert "switched off" in vault.ok("passkeys", "off")
    vault.stop()
    vault.ok("unlock", passphrase=PASSPHRASE)
    assert vault.status()["passkeysAreOff"] is True
    assert "Passkeys  off. Switch them on: ward passkeys on" in vault.ok("status")
    for refused in (create(vault, creation(user=b"user-2", name="bob")), get(vault, request())):
        assert refused.returncode == 1 and "ward passkeys on" in refused.stderr
    assert len(vault.json("passkey", "list")) == 1, "nothing is lost"
    assert vault.json("passkeys", "on") == {"passkeys": "on"}
    assert "passkeysAreOff" not in vault.status()
    answer(get(vault, request()))


def test_options_as_real_sites_write_them(vault):
    odd = creation()
    odd["timeout"] = "60000"
    odd["pubKeyCredParams"] = [{"type": "public-key", "alg": "-7"}, {"type": "public-key", "alg": -1}]
    odd["user"]["displayName"] = None
    odd["challenge"] += "="
    done = create(vault, odd)
    answer(done)
    assert "Repaired: " in done.stderr
