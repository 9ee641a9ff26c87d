"""The change-over to a post-quantum passkey, between `ward-server` and Ward's own credential manager: the test plays the pages."""

from __future__ import annotations

import json

import pytest
from browserhost import browser, host, start  # noqa: F401
from browserhost import sender
from manager import PASSPHRASE
from wardserver import Server, error_code


@pytest.fixture
def service(tmp_path):
    folder = tmp_path / "service"
    folder.mkdir(mode=0o700)
    running = Server(folder, arguments=("--user-verification", "required"))
    yield running.start()
    running.stop()


def sign_in(person, vault, host, page, passkey):
    """Signs in with a passkey that the person picks in the extension's menu; the answer of the service."""
    begun = person.options("sign-in", {})
    options = json.dumps({**begun["publicKey"], "allowCredentials": [{"type": "public-key", "id": passkey}]})
    (account,) = host.call("browser.passkeys.list", sender=page, options=options)["accounts"]
    vault.answers(PASSPHRASE)
    answer = host.call("browser.passkeys.get", sender=page, options=options, picked=account["id"])
    return person.post("sign-in/verify", {"ceremony": begun["ceremony"], "credential": json.loads(answer["response"])})


def algorithms(vault):
    (item,) = vault.json("list")
    return sorted(passkey["algorithm"] for passkey in vault.json("show", item["id"])["passkeys"])


def test_an_account_moves_from_es256_to_ml_dsa_without_a_prompt(vault, host, service):
    person = service.person("ada")
    page = sender(service.origin)
    begun = person.options("registration", {"username": "ada"})
    vault.answers(PASSPHRASE)
    made = host.call("browser.passkeys.create", sender=page, options=json.dumps(begun["publicKey"]), agreed=True)
    body = {"ceremony": begun["ceremony"], "credential": json.loads(made["response"])}
    added = person.post("registration/verify", body)
    assert added.status_code == 201, added.text
    old = added.json()["passkey"]["id"]
    assert algorithms(vault) == ["ES256"]
    assert sign_in(person, vault, host, page, old).json()["canUpgrade"] is False

    # The operator changes the list.
    service.stop()
    service.arguments += ("--algorithms", "ML-DSA-65,ES256,RS256")
    service.start()
    assert sign_in(person, vault, host, page, old).json()["canUpgrade"] is True
    asked = len(vault.asked)
    begun = person.options("registration", {"mediation": "conditional"})
    made = host.call(
        "browser.passkeys.create", sender=page, options=json.dumps(begun["publicKey"]), mediation="conditional", agreed=True
    )
    assert len(vault.asked) == asked, "nobody was asked"
    body = {"ceremony": begun["ceremony"], "credential": json.loads(made["response"])}
    added = person.post("registration/verify", body)
    assert added.status_code == 201, added.text
    assert algorithms(vault) == ["ES256", "ML-DSA-65"]
    new = added.json()["passkey"]["id"]
    assert {passkey["id"] for passkey in person.account()["passkeys"]} == {old, new}

    # Both sign in, until the new one did.
    assert sign_in(person, vault, host, page, old).status_code == 200
    after = sign_in(person, vault, host, page, new).json()
    assert after["passkey"]["id"] == new and after["canUpgrade"] is False
    assert after["allAcceptedCredentialIds"] == [new]
    assert [passkey["id"] for passkey in person.account()["passkeys"]] == [new]
    again = person.post("registration/options", {"mediation": "conditional"})
    assert (again.status_code, error_code(again)) == (403, "password_sign_in_required")
    events = [event["event"] for event in person.get("account/activity").json()["activity"]]
    assert events.count("passkey_replaced") == 1
    refused = sign_in(person, vault, host, page, old)
    assert (refused.status_code, error_code(refused)) == (401, "passkey_deleted")
