"""What other managers do beside a password and a signature: prf, large blobs, texts, and keeping passwords; Ward has no vault."""

import base64
import hashlib
import hmac
import json

import pytest
import webauthn
from agentwire import App, build_app
from apps import add
from fido2.server import Fido2Server
from fido2.webauthn import PublicKeyCredentialRpEntity, PublicKeyCredentialUserEntity
from providers import CAPABILITIES, IDENTIFIER, ORIGIN, RP_ID, Snake, app, authorize, b64, declare, registration, unb64
from wardserver import find_binary

EVERYTHING = {**CAPABILITIES, "ProvidesTextToInsert": True, "SupportsSavePasswordCredentials": True}
MANAGERS = ["Snake", "SmallManager", "ExtensionManager"]


class Other:
    """A manager that verifies its person itself, and what it keeps."""

    def __init__(self, name, manager, folder):
        self.name, self.manager, self.file, self.snake = name, manager, folder / "kept.json", None
        more = {"verifiesUser": True, "extensions": ["prf", "largeBlob"]}
        if name == "Snake":
            manager.runtime.joinpath("ward").mkdir(mode=0o700, exist_ok=True)
            self.snake = Snake(manager.runtime / "snake.sock", manager.home / "state/ward/provider-proofs" / IDENTIFIER)
            identifier, more["socket"] = IDENTIFIER, "snake.sock"
        else:
            self.file.write_text(json.dumps({"passwords": [], "passkeys": []}))
            identifier, more["program"] = f"org.example.{name}", [str(find_binary().with_name(name)), str(self.file)]
        declare(manager, identifier, name, EVERYTHING, **more)
        manager.ok("providers", "enable", identifier)

    @property
    def kept(self):
        return json.loads(self.file.read_text())

    def change(self, **more):
        """Changes the file; the manager has to be started after that."""
        self.file.write_text(json.dumps({**self.kept, **more}))

    def has_text(self, text):
        if self.snake:
            self.snake.text = text
        else:
            self.change(text=text)

    @property
    def passwords(self):
        if self.snake:
            return self.snake.passwords
        return {(one["domain"], one["user"]): one["password"] for one in self.kept["passwords"]}

    def prf_key(self, credential_id):
        """The secret of a passkey."""
        if self.snake:
            return hashlib.sha256(b64(credential_id).encode()).digest()
        return base64.b64decode(self.kept["passkeys"][0]["prfKey"])


@pytest.fixture(params=MANAGERS)
def other(request, manager, tmp_path):
    one = Other(request.param, manager, tmp_path)
    yield one
    if one.snake:
        one.snake.listener.close()


class Site:
    """A service of python-fido2 that demands verification."""

    def __init__(self, manager):
        self.manager = manager
        entity = PublicKeyCredentialRpEntity(id=RP_ID, name="Draft")
        self.server = Fido2Server(entity, verify_origin=lambda origin: origin == ORIGIN)

    def _ask(self, kind, options, extensions):
        text = json.dumps({**dict(options.public_key), "extensions": extensions})
        self.manager.answers("ok")
        answer = authorize(self.manager, {"kind": kind, "domain": RP_ID, "options": text, "origin": ORIGIN})
        assert "result" in answer, answer
        response = json.loads(answer["result"]["response"])
        return response, response["clientExtensionResults"]

    def sign_up(self, extensions):
        user = PublicKeyCredentialUserEntity(id=b"ada", name="ada", display_name="Ada")
        options, state = self.server.register_begin(user, user_verification="required", resident_key_requirement="required")
        response, results = self._ask("passkeyRegistration", options, extensions)
        return self.server.register_complete(state, response).credential_data, results

    def sign_in(self, credential, extensions):
        options, state = self.server.authenticate_begin([credential], user_verification="required")
        response, results = self._ask("passkeyAssertion", options, extensions)
        self.server.authenticate_complete(state, [credential], response)
        return results


def test_a_large_blob_is_written_and_read_again(other):
    site = Site(other.manager)
    credential, results = site.sign_up({"largeBlob": {"support": "required"}})
    assert results["largeBlob"] == {"supported": True}
    assert "blob" not in site.sign_in(credential, {"largeBlob": {"read": True}})["largeBlob"]
    blob = bytes(range(256)) * 4
    assert site.sign_in(credential, {"largeBlob": {"write": b64(blob)}})["largeBlob"] == {"written": True}
    assert unb64(site.sign_in(credential, {"largeBlob": {"read": True}})["largeBlob"]["blob"]) == blob
    assert not other.manager.vault.exists()


@pytest.mark.parametrize("other", ["Snake", "ExtensionManager"], indirect=True)
def test_the_function_of_a_passkey_gives_what_its_secret_makes_of_the_salts(other):
    site = Site(other.manager)
    credential, results = site.sign_up({"prf": {}})
    assert results["prf"] == {"enabled": True}
    # WebAuthn Level 3, section 10.1.4: the salt is the hash of a text, a zero byte and the input.
    inputs = {"first": b"what the page says", "second": b"and more"}
    key = other.prf_key(credential.credential_id)
    expected = {
        name: b64(hmac.digest(key, hashlib.sha256(b"WebAuthn PRF\0" + text).digest(), "sha256")) for name, text in inputs.items()
    }
    wanted = {name: b64(text) for name, text in inputs.items()}
    assert site.sign_in(credential, {"prf": {"eval": wanted}})["prf"]["results"] == expected
    first = {"first": wanted["first"]}
    assert site.sign_in(credential, {"prf": {"eval": first}})["prf"]["results"] == {"first": expected["first"]}


@pytest.mark.parametrize("other", ["ExtensionManager"], indirect=True)
def test_an_extension_gives_results_to_a_new_passkey_too(other):
    site = Site(other.manager)
    credential, made = site.sign_up({"prf": {"eval": {"first": b64(b"x"), "second": b64(b"y")}}, "largeBlob": {"support": "preferred"}})
    assert made["prf"]["enabled"] is True and made["largeBlob"] == {"supported": True}
    used = site.sign_in(credential, {"prf": {"eval": {"first": b64(b"x"), "second": b64(b"y")}}})
    assert made["prf"]["results"] == used["prf"]["results"] and len(set(used["prf"]["results"].values())) == 2


def test_a_text_is_chosen_in_the_manager_for_an_app_that_is_known(other, tmp_path):
    manager = other.manager
    other.has_text("Kind regards, Ada")
    wanted = {"kind": "textToInsert"}
    assert authorize(manager, wanted)["error"]["data"]["code"] == "app_unknown"
    program = build_app(tmp_path / "bin", "shiny")
    add(manager, program)
    shiny = App(manager, program).hello()
    try:
        manager.answers("ok")
        asked = {"authorization": {"mayPrompt": True}, "prefersImmediatelyAvailable": False, "requests": [wanted]}
        assert shiny.call("app.authorize", **asked)["text"] == "Kind regards, Ada"
        assert f"Choose a text in {other.name}" in manager.asked[-1]["SETDESC"]
    finally:
        shiny.close()


@pytest.mark.parametrize("is_locked", [False, True])
def test_what_is_typed_and_what_is_made_is_kept_there(other, is_locked):
    manager = other.manager
    if not other.snake:
        other.change(isLocked=is_locked)
    elif is_locked:
        pytest.skip("the one of this test opens itself before it is asked for anything")
    manager.answers("ok")
    typed = {"authorization": {"mayPrompt": True}, "domain": RP_ID, "user": "ada", "password": "typed"}
    assert "result" in app(manager).call("app.save", **typed)
    assert other.passwords == {(RP_ID, "ada"): "typed"}
    manager.answers("ok")
    made = authorize(manager, {"kind": "newPassword", "domain": RP_ID, "user": "bob"})
    assert other.passwords[RP_ID, "bob"] == made["result"]["password"] != ""
    # It replaces the account's own, and is offered.
    manager.answers("ok")
    assert "result" in app(manager).call("app.save", **{**typed, "password": "another"})
    assert other.passwords[RP_ID, "ada"] == "another" and len(other.passwords) == 2
    # The account of the new password gets a passkey without a prompt: the manager said where it keeps the password.
    options, upgrade = registration("bob", mediation="conditional")
    wishes = json.loads(upgrade["options"])
    wishes["authenticatorSelection"]["userVerification"] = "preferred"
    upgraded = authorize(manager, {**upgrade, "options": json.dumps(wishes)})
    webauthn.verify_registration_response(
        credential=upgraded["result"]["response"],
        expected_challenge=options.challenge,
        expected_rp_id=RP_ID,
        expected_origin=ORIGIN,
        require_user_presence=False,
        require_user_verification=False,
    )
    assert len(manager.asked) == 3


@pytest.mark.parametrize("other", ["ExtensionManager"], indirect=True)
def test_a_manager_that_cannot_write_keeps_nothing_and_the_app_hears_it(other):
    manager = other.manager
    manager.answers("ok")
    authorize(manager, {"kind": "newPassword", "domain": RP_ID, "user": "bob"})
    other.file.unlink()
    other.file.mkdir()
    manager.answers("ok")
    refused = authorize(manager, {"kind": "newPassword", "domain": RP_ID, "user": "ada"})["error"]
    assert refused["data"]["code"] == "provider_failed" and "ExtensionManager" in refused["message"]
