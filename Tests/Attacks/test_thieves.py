"""Thieves of a password, a screen or an authenticator try each call of the service: what the owner would miss stays as it was."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from authenticator import unb64
from passwordaccounts import PASSWORD, create, sign_in, upgrade
from wardserver import Person, Server, error_code, free_port
from webhookreceiver import secrets

ELSEWHERE = "thief@example.com"

#: What only the owner may do with the account: the call and its body. The test replaces {id}.
OWNERS = {
    "PATCH account": {"username": "taken.over"},
    "DELETE account": None,
    "PUT account/password": {"password": "seventeen quiet volcanoes"},
    "DELETE account/password": None,
    "PUT account/email": {"address": ELSEWHERE},
    "DELETE account/email": None,
    "POST account/authenticator-app": {},
    "PUT account/authenticator-app": {"code": "287082"},
    "DELETE account/authenticator-app": None,
    "PUT account/mail-codes": {},
    "DELETE account/mail-codes": None,
    "PUT account/text-codes": {"number": "+49 30 1234567"},
    "POST account/text-codes/confirm": {"code": "123456"},
    "DELETE account/text-codes": None,
    "POST account/recovery-codes": {},
    "DELETE account/recovery-codes": None,
    "POST account/helpers": {"username": "the.thief"},
    "DELETE account/helpers/{id}": None,
    "PUT account/helping/{id}": {},
    "DELETE account/helping/{id}": None,
    "POST account/helping/{id}/approval": {"code": "287082"},
    "POST account/federated": {"provider": "google"},
    "DELETE account/federated/{id}": None,
    "DELETE account/passkeys/{id}": None,
    "DELETE account/sessions": None,
    "DELETE account/sessions/{id}": None,
    "DELETE account/vaults/{id}": None,
    "POST registration/options": {},
}

#: Calls that change nothing of the account behind a session, or only what its holder may change: names that are shown, the
#: thief's own session, other accounts; any session may stop a recovery. And calls that need an answer or a token which the thief does not have.
OTHERS = {
    "PATCH account/passkeys/{id}", "POST account", "POST authorization", "POST account/offer", "POST device", "POST email/alarm",
    "POST email/confirmation", "POST account/recovery", "DELETE account/recovery", "POST recovery", "POST recovery/proof",
    "POST recovery/helpers", "POST recovery/state", "POST recovery/wait", "POST registration/verify", "POST sign-in/code", "POST sign-in/federated",
    "POST sign-in/federated/account", "POST sign-in/federated/answer", "POST sign-in/options",
    "POST sign-in/password", "POST sign-in/send-code", "POST sign-in/verify", "POST sign-out",
}  # fmt: skip


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("service")
    folder.chmod(0o700)
    mail = ("--mail", f"folder:{folder / 'mail'}", "--mail-from", "no-reply@login.example")
    texts = ("--text-webhook", f"http://localhost:{free_port()}", "--text-webhook-secrets", str(secrets(folder)))
    # The owner's passkey has a worse algorithm, so a sign-in of the owner could replace it.
    sync = ("--sync", "--sync-listen", f"127.0.0.1:{free_port()}")
    with Server(folder, arguments=(*mail, *texts, *sync, "--recovery-helpers", "--algorithms", "ML-DSA-65,ES256,RS256")) as server:
        yield server


def owner_of(service: Server, name: str) -> Person:
    """Somebody with a password, a passkey that has opened the account, and the session it opened."""
    owner = service.person(name, backup_eligible=True, backed_up=True)
    assert create(owner, name).status_code == 201
    assert upgrade(owner, flags=0x1D).status_code == 201
    assert owner.sign_in().status_code == 200
    assert owner.call("PUT", "account/email", {"address": "owner@example.com"}).status_code == 204
    return owner


def age(service: Server, session: str) -> None:
    """As if this session had begun an hour earlier."""
    with sqlite3.connect(service.database, timeout=30) as database:
        changed = database.execute(
            "UPDATE session SET authenticated_at = authenticated_at - 3600, passkey_proven_at = passkey_proven_at - 3600"
            " WHERE id = ?",
            (unb64(session),),
        )
        assert changed.rowcount == 1


def with_the_password(service: Server, owner: Person) -> Person:
    thief = service.person(owner.name)
    assert sign_in(thief, owner.name).status_code == 200
    return thief


def at_the_screen(service: Server, owner: Person) -> Person:
    thief = service.person(owner.name)
    thief.browser = owner.browser
    assert thief.sign_in().status_code == 200
    [mine] = [session for session in thief.get("account/sessions").json()["sessions"] if session["current"]]
    age(service, mine["id"])
    return thief


def with_the_authenticator(service: Server, owner: Person) -> Person:
    """Who holds it, and cannot verify as its owner."""
    thief = service.person(owner.name)
    thief.browser = owner.browser
    assert thief.sign_in(flags=0x19).status_code == 200
    return thief


@dataclass
class Belongings:
    """What the owner would miss."""

    account: dict[str, Any]
    sessions: set[str]

    @classmethod
    def of(cls, owner: Person) -> Belongings:
        account = owner.account()
        for passkey in account["passkeys"]:
            passkey.pop("lastUsedAt")
        sessions = owner.get("account/sessions").json()["sessions"]
        return cls(account, {session["id"] for session in sessions})


def test_each_call_that_changes_something_is_tried_or_named(service: Server):
    described = {
        f"{method.upper()} {path.removeprefix('/api/v1/')}"
        for path, methods in service.client().get("openapi.json").json()["paths"].items()
        for method in methods
        if method in ("post", "put", "patch", "delete")
    }
    assert described == set(OWNERS) | OTHERS


@pytest.mark.parametrize("enter", [with_the_password, at_the_screen, with_the_authenticator])
def test_a_thief_takes_nothing_that_the_owner_would_miss(
    service: Server, name: str, enter: Callable[[Server, Person], Person]
):
    owner = owner_of(service, name)
    thief = enter(service, owner)
    before = Belongings.of(owner)
    [passkey] = before.account["passkeys"]
    [session] = [it["id"] for it in owner.get("account/sessions").json()["sessions"] if it["current"]]
    for call, body in OWNERS.items():
        method, path = call.split()
        for kind, identifier in (("passkeys", passkey["id"]), ("sessions", session)):
            path = path.replace(f"{kind}/{{id}}", f"{kind}/{identifier}")
        bodies = [body] if call != "POST registration/options" else [body, {"mediation": "conditional"}]
        for body in bodies:
            answer = thief.call(method, path, body)
            assert answer.status_code == 403, (call, body, answer.text)
            assert error_code(answer) == "passkey_sign_in_required", (call, body)
        assert Belongings.of(owner) == before, call
    assert owner.call("PUT", "account/password", {"password": PASSWORD + " 2"}).status_code == 204, "the owner changes it"
    assert sign_in(service.client(), owner.name).status_code == 401


def test_a_registration_that_the_thief_began_before_the_owners_passkey_worked_is_refused(service: Server, name: str):
    """Nothing is proven yet: the thief begins, the owner's passkey opens the account, and the thief wants to end it."""
    owner = service.person(name, backup_eligible=True, backed_up=True)
    assert create(owner, name).status_code == 201
    assert upgrade(owner, flags=0x18).status_code == 201
    thief = with_the_password(service, owner)
    begun = thief.options("registration", {})
    assert owner.sign_in().status_code == 200
    credential = thief.browser.create(begun["publicKey"])
    answer = thief.post("registration/verify", {"ceremony": begun["ceremony"], "credential": credential})
    assert answer.status_code == 403 and error_code(answer) == "passkey_sign_in_required"
    assert len(owner.account()["passkeys"]) == 1


def test_a_deleted_passkey_ends_what_it_opened_and_only_that(service: Server, name: str):
    """A stolen phone: its sessions end with its passkey, in one step, and add no new one."""
    owner = owner_of(service, name)
    phone = service.person(name)
    stolen = owner.add_passkey(phone.browser).json()["passkey"]["id"]
    assert phone.sign_in().status_code == 200
    begun = phone.options("registration", {})
    listed = owner.get("account/sessions").json()["sessions"]
    assert [session["passkey"] for session in listed].count(stolen) == 1
    assert owner.delete(f"account/passkeys/{stolen}").status_code == 204
    assert phone.get("account").status_code == 401
    credential = service.person().browser.create(begun["publicKey"])
    answer = phone.post("registration/verify", {"ceremony": begun["ceremony"], "credential": credential})
    assert answer.status_code == 401, answer.text
    assert owner.get("account").status_code == 200 and phone.sign_in().status_code in (400, 401)


def test_a_passkey_that_could_never_sign_in_is_refused_when_it_is_made(person: Person):
    """Kept on one device and made without verification."""
    assert create(person, person.name).status_code == 201
    refused = upgrade(person, flags=0)
    assert (refused.status_code, error_code(refused)) == (400, "user_not_verified")
    assert person.account()["passkeys"] == []
    assert sign_in(person, person.name).json()["hasPasskey"] is False
    assert error_code(person.delete("account/password")) == "password_needed"


def test_an_upgrade_needs_a_session_of_the_password(member: Person):
    answer = member.post("registration/options", {"mediation": "conditional"})
    assert (answer.status_code, error_code(answer)) == (403, "password_sign_in_required")
