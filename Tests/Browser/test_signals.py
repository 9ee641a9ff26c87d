"""What pages tell credential managers: the truth about an account's passkeys, and of no passkey that it is unknown by a guess."""

from __future__ import annotations

import sqlite3
from typing import Any

import pytest
from passwords import PASSWORD, create_with_password, sign_in_with_password
from playwright.sync_api import Browser, Route, expect
from visitor import Device, Visitor
from wardserver import Server, run_command

UNKNOWN, ACCEPTED, NAMES = "signalUnknownCredential", "signalAllAcceptedCredentials", "signalCurrentUserDetails"

LISTENING = """() => {
    for (const method of ['signalUnknownCredential', 'signalAllAcceptedCredentials', 'signalCurrentUserDetails']) {
        const signal = PublicKeyCredential[method].bind(PublicKeyCredential);
        PublicKeyCredential[method] = async (details) => {
            await window.hear({ method, ...details });
            return signal(details);
        };
    }
}"""


class Heard:
    """The signals of all pages in a tab from now on."""

    def __init__(self, visitor: Visitor) -> None:
        self.all: list[dict[str, Any]] = []
        visitor.page.expose_function("hear", lambda signal: self.all.append(signal))
        visitor.page.add_init_script(f"({LISTENING})()")
        visitor.page.evaluate(LISTENING)

    def take(self, *methods: str) -> list[dict[str, Any]]:
        """Those of these kinds, and forgets all."""
        taken = [signal for signal in self.all if signal["method"] in methods]
        self.all.clear()
        return taken


def credential_of(visitor: Visitor) -> str:
    (passkey,) = visitor.passkeys()
    return passkey


def test_managers_hear_of_passkeys_and_names_after_a_sign_in_and_not_with_each_page(member: Visitor, name: str):
    passkey = credential_of(member)
    heard = Heard(member)
    member.sign_out()
    assert heard.take(UNKNOWN, ACCEPTED, NAMES) == []
    with member.touching():
        member.at("sign-in").click()
        member.arrives("/account")
    accepted, names = heard.take(UNKNOWN, ACCEPTED, NAMES)
    assert accepted["method"] == ACCEPTED and accepted["allAcceptedCredentialIds"] == [passkey]
    assert names["method"] == NAMES and names["name"] == name and names["userId"] == accepted["userId"]
    member.page.reload()
    member.ready()
    assert heard.take(UNKNOWN, ACCEPTED, NAMES) == [], "a session is older than what it says"


def test_managers_hear_of_them_after_a_sign_in_with_a_password_too(visitor: Visitor, name: str):
    create_with_password(visitor, name)
    with visitor.touching():
        visitor.at("passkey-add").click()
        visitor.says("passkey_added")
    passkey = credential_of(visitor)
    visitor.sign_out()
    heard = Heard(visitor)
    sign_in_with_password(visitor, name)
    visitor.arrives("/account")
    (accepted,) = heard.take(ACCEPTED, UNKNOWN)
    assert accepted["allAcceptedCredentialIds"] == [passkey]


def test_a_manager_that_never_answers_holds_nobody_up(member: Visitor):
    member.page.add_init_script(
        "for (const method of ['signalAllAcceptedCredentials', 'signalCurrentUserDetails']) {"
        " PublicKeyCredential[method] = () => new Promise(() => {}); }"
    )
    member.sign_out()
    member.sign_in_by_touch()


def test_a_deleted_passkey_is_explained_and_forgotten(visit, member: Visitor, server: Server):
    """It was deleted in another browser, and this device still has it."""
    own = credential_of(member)
    key = Device(member, transport="usb")
    with member.touching(key):
        member.at("passkey-add").click()
        member.says("passkey_added")
    # Both may have been made in one second, so their order says nothing.
    (second,) = set(member.passkeys()) - {own}
    lost = visit()
    (credential,) = key.credentials()
    lost.device.put(credential)
    member.page.locator(f'[data-passkey-id="{second}"]').get_by_test_id("passkey-delete").click()
    member.at("dialog-confirm").click()
    member.says("passkey_deleted")

    # Without what waits behind the field: it may answer before the button does, and the button then finds no passkey.
    lost.page.add_init_script(
        "delete PublicKeyCredential.getClientCapabilities;"
        " PublicKeyCredential.isConditionalMediationAvailable = async () => false"
    )
    lost.page.goto(server.origin)
    lost.page.locator("html[data-ready]").wait_for(state="attached")
    with lost.touching():
        lost.at("sign-in").click()
        lost.complains("passkey_deleted")
    assert lost.device.credentials() == [], "the browser was told that it opens nothing"


def test_a_passkey_that_is_not_found_is_explained_and_stays(visit, member: Visitor, name: str):
    """A wrong user handle, or an ID that the service does not know: neither proves that the passkey is good for nothing."""
    (credential,) = member.device.credentials()
    for spoiled in (
        {"credentialId": "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="},
        {"userHandle": "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="},
    ):
        stranger = visit()
        stranger.device.put({**credential, **spoiled})
        stranger.open("/")
        heard = Heard(stranger)
        with stranger.touching():
            stranger.at("sign-in").click()
            stranger.complains("sign_in_failed")
        assert heard.take(UNKNOWN, ACCEPTED) == []
        assert len(stranger.device.credentials()) == 1


def test_a_restored_backup_costs_nobody_a_passkey(browser: Browser, start):
    """The backup is from before the account; then the copy of today turns up after all."""
    server: Server = start()
    backup = server.folder / "backup.sqlite"
    run_command(server, "backup", str(backup))
    ada = Visitor(browser, server)
    try:
        ada.create_account("ada")
        server.stop()
        today = server.database.rename(server.folder / "today.sqlite")
        run_command(server, "restore", str(backup))
        server.start()
        ada.open("/")
        with ada.touching():
            ada.at("sign-in").click()
            ada.complains("sign_in_failed")
        assert len(ada.device.credentials()) == 1
        server.stop()
        for file in server.folder.glob("ward.sqlite*"):
            file.unlink()
        today.rename(server.database)
        server.start()
        ada.open("/")
        ada.sign_in_by_touch()
    finally:
        ada.close()


def test_a_deletion_hides_no_passkey_that_was_added_elsewhere_in_the_meantime(visit, member: Visitor, name: str):
    own = credential_of(member)
    first = Device(member, transport="usb")
    with member.touching(first):
        member.at("passkey-add").click()
        member.says("passkey_added")
    (second,) = set(member.passkeys()) - {own}
    # The other browser adds one; this page does not know it.
    other = visit()
    other.device.put(first.credentials()[0])
    other.open("/")
    other.sign_in_by_touch()
    third = Device(other, transport="usb")
    with other.touching(third):
        other.at("passkey-add").click()
        other.says("passkey_added")
    (added,) = set(other.passkeys()) - set(member.passkeys())

    heard = Heard(member)
    member.page.locator(f'[data-passkey-id="{second}"]').get_by_test_id("passkey-delete").click()
    member.at("dialog-confirm").click()
    member.says("passkey_deleted")
    told = heard.take(ACCEPTED)
    assert told and all(added in signal["allAcceptedCredentialIds"] for signal in told)
    assert all(second not in signal["allAcceptedCredentialIds"] for signal in told)


def answered_twice(route: Route) -> None:
    """A browser or proxy that sends the request again, because the first answer did not arrive."""
    route.fetch()
    route.fulfill(response=route.fetch())


def refused_by_a_proxy(route: Route) -> None:
    route.fetch()
    route.fulfill(status=403, body="<html>Forbidden</html>", content_type="text/html")


@pytest.mark.parametrize("deliver", [answered_twice, refused_by_a_proxy])
def test_a_passkey_that_may_have_been_stored_is_not_forgotten(visitor: Visitor, name: str, deliver):
    visitor.open("/")
    visitor.at("create-account").click()
    visitor.at("username").fill(name)
    visitor.page.route("**/registration/verify", deliver)
    with visitor.touching():
        visitor.at("create-submit").click()
        expect(visitor.at("error")).to_be_visible()
    assert len(visitor.device.credentials()) == 1
    visitor.page.unroute("**/registration/verify")
    visitor.context.clear_cookies()
    visitor.open("/")
    visitor.sign_in_by_touch()
    expect(visitor.at("account-username")).to_have_text(name)


def test_a_passkey_that_was_refused_for_good_is_forgotten(member: Visitor, name: str):
    """The session ends while the passkey is made."""

    def end_sessions(route: Route) -> None:
        with sqlite3.connect(member.server.database, timeout=10) as database:
            database.execute(
                "DELETE FROM session WHERE account_id = (SELECT id FROM account WHERE username = ?)", (name,)
            )
        route.continue_()

    key = Device(member, transport="usb")
    member.page.route("**/registration/verify", end_sessions)
    with member.touching(key), member.page.expect_response("**/registration/verify"):
        member.at("passkey-add").click()
    member.arrives("/")
    assert key.credentials() == []


def test_the_dialog_is_a_form_that_managers_know(member: Visitor, name: str):
    """A manager that fills in a password finds whose it is."""
    member.at("password-edit").click()
    member.at("new-password").fill(PASSWORD)
    member.at("password-save").click()
    member.says("password_saved")
    names = member.page.eval_on_selector_all(
        "form:has(input[type=password]) input[autocomplete=username]", "fields => fields.map((field) => field.value)"
    )
    assert names == [name, name]
    member.at("names-edit").click()
    member.at("new-username").fill(f"{name}.new")
    member.at("names-save").click()
    member.says("names_saved")
    assert member.page.eval_on_selector_all(
        "form:has(input[type=password]) input[autocomplete=username]", "fields => fields.map((field) => field.value)"
    ) == [f"{name}.new", f"{name}.new"]
