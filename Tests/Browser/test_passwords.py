"""Passwords at the pages: the other way in, and the way on to a passkey."""

import sqlite3

import pytest
from passwords import PASSWORD, Manager, create_with_password, sign_in_with_password
from playwright.sync_api import expect
from visitor import Device, Visitor, refuse_prompts
from wardserver import Server

DAY = 24 * 60 * 60


def follows_up(visitor: Visitor, outcome: str) -> None:
    """Waits until it is settled what follows the password."""
    expect(visitor.page.locator("html")).to_have_attribute("data-upgrade", outcome)


def test_from_a_password_to_a_passkey_and_without_the_password(visitor: Visitor, name: str):
    manager = Manager(visitor, willing=False)
    create_with_password(visitor, name)
    expect(visitor.at("account-username")).to_have_text(name)
    expect(visitor.at("passkey-none")).to_be_visible()
    expect(visitor.at("password-remove")).to_be_disabled()
    follows_up(visitor, "none")
    expect(visitor.at("offer")).to_be_hidden()  # who has just chosen a password is left in peace
    visitor.sign_out()

    manager.willing = True
    sign_in_with_password(visitor, name)
    visitor.arrives("/account")
    visitor.says("upgraded")
    follows_up(visitor, "made")
    expect(visitor.at("passkey-row")).to_have_count(1)
    expect(visitor.at("offer")).to_be_hidden()
    assert manager.asked[-1]["userVerification"] != "required"
    visitor.sign_out()

    manager.hand_over()
    visitor.sign_in_by_touch()
    expect(visitor.at("account-username")).to_have_text(name)
    expect(visitor.page.locator("html")).not_to_have_attribute("data-upgrade", "asking")

    visitor.at("password-remove").click()
    visitor.at("dialog-confirm").click()
    visitor.says("password_removed")
    expect(visitor.at("password-remove")).to_be_hidden()
    expect(visitor.page.locator("#password-state")).to_have_text(
        "Your account has no password, and it does not need one."
    )
    visitor.sign_out()
    sign_in_with_password(visitor, name)
    visitor.complains("wrong_password")
    visitor.at("use-passkey").click()
    visitor.ready()
    visitor.sign_in_by_touch()


def test_a_passkey_is_offered_as_often_as_the_service_lets_it(visitor: Visitor, name: str, server: Server):
    Manager(visitor, willing=False)
    create_with_password(visitor, name)

    def come_back() -> None:
        visitor.sign_out()
        sign_in_with_password(visitor, name)
        visitor.arrives("/account")
        follows_up(visitor, "none")

    come_back()
    expect(visitor.at("offer")).to_be_visible()
    visitor.at("offer-later").click()
    expect(visitor.at("offer")).to_be_hidden()
    come_back()
    expect(visitor.at("offer")).to_be_hidden()
    visitor.page.reload()
    visitor.ready()
    expect(visitor.at("offer")).to_be_hidden()

    def as_if_offered(ago: int) -> None:
        """As if the last offer to all accounts had come so many seconds ago."""
        with sqlite3.connect(server.database, timeout=30) as database:
            database.execute("UPDATE passkey_offer SET shown_at = unixepoch() - ?", (ago,))

    def counts() -> dict[str, int]:
        with sqlite3.connect(server.database, timeout=30) as database:
            return dict(database.execute("SELECT kind, sum(count) FROM upgrade_count GROUP BY kind"))

    before = counts()
    as_if_offered(7 * DAY - 60)
    come_back()
    expect(visitor.at("offer")).to_be_hidden()
    as_if_offered(7 * DAY)
    come_back()
    expect(visitor.at("offer")).to_be_visible()
    after = counts()
    assert after["upsold"] == before["upsold"] + 1 and after["dismissed"] == before["dismissed"]
    assert after["asked"] == before["asked"] + 2

    with visitor.touching():
        visitor.at("offer-accept").click()
        visitor.says("passkey_added")
    expect(visitor.at("offer")).to_be_hidden()
    expect(visitor.at("passkey-row")).to_have_count(1)
    as_if_offered(8 * DAY)
    come_back()
    expect(visitor.at("offer")).to_be_hidden()  # somebody with a passkey needs no offer


def test_a_browser_that_cannot_upgrade_is_not_asked(visitor: Visitor, name: str):
    manager = Manager(visitor)
    visitor.page.add_init_script(
        "PublicKeyCredential.getClientCapabilities = async () => ({ conditionalGet: true, conditionalCreate: false })"
    )
    create_with_password(visitor, name)
    visitor.sign_out()
    sign_in_with_password(visitor, name)
    visitor.arrives("/account")
    follows_up(visitor, "none")
    expect(visitor.at("offer")).to_be_visible()
    assert manager.asked == []


def test_a_person_who_does_something_ends_the_silent_request(visitor: Visitor, name: str):
    """The browser's own request never ends by itself here; adding a passkey has to take its place."""
    create_with_password(visitor, name)
    expect(visitor.page.locator("html")).to_have_attribute("data-upgrade", "asking")
    with visitor.touching():
        visitor.at("passkey-add").click()
        visitor.says("passkey_added")
    expect(visitor.at("passkey-row")).to_have_count(1)
    assert len(visitor.device.credentials()) == 1


@pytest.mark.parametrize(
    "password, code",
    [
        ("", "password_missing"),
        ("short 1", "password_too_short"),
        ("x" * 1025, "password_too_long"),
        ("zero\u200bwidth words", "password_not_allowed"),
        ("passwordpassword", "password_too_common"),
    ],
)
def test_passwords_that_will_not_do_are_explained(visitor: Visitor, name: str, password: str, code: str):
    visitor.open("/#create-password")
    visitor.at("username").fill(name)
    visitor.at("password").fill(password)
    visitor.at("password-create").click()
    visitor.complains(code)
    expect(visitor.at("password")).to_be_focused()
    expect(visitor.at("username")).to_have_value(name)


def test_a_wrong_password_and_a_name_that_nobody_has_are_one_sentence(visitor: Visitor, name: str):
    create_with_password(visitor, name)
    visitor.sign_out()
    said = set()
    for who in (name, "nobody." + name):
        visitor.open("/")
        sign_in_with_password(visitor, who, "a wrong one")
        visitor.complains("wrong_password")
        expect(visitor.at("password")).to_be_focused()
        said.add(visitor.at("error").inner_text())
    assert len(said) == 1
    visitor.at("password").fill("a wrong one")
    for _ in range(9):
        with visitor.page.expect_response("**/sign-in/password"):
            visitor.at("password-sign-in").click()
        expect(visitor.page.locator("#form")).not_to_have_attribute("aria-busy", "true")
    visitor.at("password-sign-in").click()
    visitor.complains("too_many_attempts")


def test_a_password_can_be_looked_at(visitor: Visitor):
    visitor.open("/#password")
    visitor.at("password").fill("seen by me")
    expect(visitor.at("password")).to_have_attribute("type", "password")
    visitor.at("password-show").click()
    expect(visitor.at("password")).to_have_attribute("type", "text")
    expect(visitor.at("password-show")).to_have_attribute("aria-pressed", "true")
    visitor.at("password-show").click()
    expect(visitor.at("password")).to_have_attribute("type", "password")


def test_password_managers_recognise_the_fields(visitor: Visitor):
    visitor.open("/#password")
    expect(visitor.at("username")).to_have_attribute("autocomplete", "username webauthn")
    expect(visitor.at("password")).to_have_attribute("autocomplete", "current-password webauthn")
    expect(visitor.page.locator("html")).to_have_attribute("data-conditional", "pending")
    visitor.open("/#create-password")
    visitor.page.reload()
    visitor.ready()
    expect(visitor.at("username")).to_have_attribute("autocomplete", "username")
    expect(visitor.at("password")).to_have_attribute("autocomplete", "new-password")


def test_a_password_is_set_and_changed(visit, member: Visitor, name: str):
    member.at("password-edit").click()
    expect(member.at("new-password")).to_be_focused()
    member.at("new-password").fill("passwordpassword")
    member.at("password-save").click()
    member.complains("password_too_common")
    expect(member.at("new-password")).to_be_focused()
    member.at("new-password").fill(PASSWORD)
    member.at("new-password").press("Enter")
    member.says("password_saved")
    expect(member.at("new-password")).to_be_hidden()
    expect(member.at("password-remove")).to_be_enabled()

    other = visit()
    Manager(other, willing=False)
    other.open("/")
    sign_in_with_password(other, name)
    other.arrives("/account")
    member.at("password-edit").click()
    member.at("new-password").fill("seventeen quiet volcanoes")
    member.at("password-save").click()
    member.says("password_saved")
    other.page.reload()
    other.arrives("/")


def test_without_a_passkey_the_password_confirms_who_it_is(visitor: Visitor, name: str):
    Manager(visitor, willing=False)
    create_with_password(visitor, name)
    visitor.age_sessions(600)
    visitor.at("password-edit").click()
    visitor.at("new-password").fill("seventeen quiet volcanoes")
    visitor.at("password-save").click()
    expect(visitor.at("dialog-password")).to_be_focused()
    visitor.at("dialog-confirm").click()
    expect(visitor.at("dialog-error")).to_have_attribute("data-code", "password_missing")
    expect(visitor.at("dialog-password")).to_be_focused()
    expect(visitor.at("dialog-password")).to_have_attribute("aria-invalid", "true")
    expect(visitor.at("dialog-password")).to_have_attribute("aria-describedby", "dialog-error")
    visitor.at("dialog-password").fill("a wrong one")
    visitor.at("dialog-password").press("Enter")
    expect(visitor.at("dialog-error")).to_have_attribute("data-code", "wrong_password")
    expect(visitor.at("dialog-error")).to_have_text("The password is wrong. Try again.")
    visitor.at("dialog-password").fill(PASSWORD)
    visitor.at("dialog-password").press("Enter")
    visitor.says("password_saved")


def test_with_a_passkey_that_works_the_password_is_not_enough(visit, member: Visitor, name: str):
    """A person who signed in with the password: one button confirms, and the change goes on after it."""
    member.at("password-edit").click()
    member.at("new-password").fill(PASSWORD)
    member.at("password-save").click()
    member.says("password_saved")
    member.sign_out()
    sign_in_with_password(member, name)
    member.arrives("/account")
    expect(member.at("session-opened")).not_to_be_empty()

    member.at("password-edit").click()
    member.at("new-password").fill("seventeen quiet volcanoes")
    member.at("password-save").click()
    expect(member.at("dialog")).to_have_attribute("data-kind", "passkey")
    expect(member.at("dialog-password")).to_be_hidden()
    expect(member.at("dialog-hint")).to_be_visible()  # what to do without the passkey
    expect(member.at("dialog-confirm")).to_be_focused()
    with member.touching():
        member.at("dialog-confirm").click()
        member.says("password_saved")


def test_with_both_the_passkey_confirms_who_it_is(member: Visitor):
    member.at("password-edit").click()
    member.at("new-password").fill(PASSWORD)
    member.at("password-save").click()
    member.says("password_saved")
    expect(member.at("passkey-delete")).to_be_enabled()  # the password is another way in
    # A way back in, without which the password stays.
    member.at("codes-make").click()
    expect(member.at("recovery-code")).to_have_count(10)
    member.age_sessions(600)
    member.at("password-remove").click()
    member.at("dialog-confirm").click()
    expect(member.at("dialog")).to_have_attribute("data-kind", "passkey")
    expect(member.at("dialog-password")).to_be_hidden()
    with member.touching():
        member.at("dialog-confirm").click()
        member.says("password_removed")
    expect(member.at("passkey-delete")).to_be_disabled()


def test_a_browser_without_passkeys_does_with_a_password(visit, name: str):
    visitor = visit(device=False)
    visitor.page.add_init_script("delete window.PublicKeyCredential")
    visitor.page.goto(visitor.server.origin + "/")
    visitor.page.locator("html[data-ready]").wait_for(state="attached")
    visitor.complains("not_supported")
    visitor.at("create-account").click()
    visitor.at("create-with-password").click()
    expect(visitor.at("error")).to_be_hidden()
    visitor.at("username").fill(name)
    visitor.at("password").fill(PASSWORD)
    visitor.at("password-create").click()
    visitor.arrives("/account")


def test_a_cancelled_passkey_leaves_the_way_with_the_password(visitor: Visitor, name: str):
    visitor.open("/")
    refuse_prompts(visitor)
    visitor.at("create-account").click()
    visitor.at("username").fill(name)
    visitor.at("create-submit").click()
    visitor.says("cancelled")
    visitor.at("create-with-password").click()
    expect(visitor.at("username")).to_have_value(name)
    visitor.at("password").fill(PASSWORD)
    visitor.at("password-create").click()
    visitor.arrives("/account")


def test_passkeys_that_verify_nobody_need_the_password_as_well(visitor: Visitor, name: str):
    create_with_password(visitor, name)
    with visitor.touching():
        visitor.at("passkey-add").click()
        visitor.says("passkey_added")
    # As if it had been made by a device without biometrics, which is also the only one left.
    [credential] = visitor.device.credentials()
    visitor.cdp.send("WebAuthn.clearCredentials", {"authenticatorId": visitor.device.id})
    key = Device(visitor, verified=False, transport="usb", hasUserVerification=False)
    key.put(credential)
    with sqlite3.connect(visitor.server.database, timeout=10) as database:
        database.execute("UPDATE passkey SET uv_initialized = 0, backup_eligible = 0, backed_up = 0, transports = 'usb,'")
    visitor.sign_out()
    visitor.at("username").fill(name)
    visitor.sign_in_by_touch(key)

    visitor.at("names-edit").click()
    visitor.at("new-username").fill(f"{name}.new")
    visitor.at("names-save").click()
    expect(visitor.at("dialog")).to_have_attribute("data-kind", "passkey-and-password")
    visitor.at("dialog-confirm").click()
    expect(visitor.at("dialog-error")).to_be_visible()
    with visitor.touching(key):
        visitor.at("dialog-password").fill("wrong, but long enough")
        visitor.at("dialog-confirm").click()
        expect(visitor.at("dialog-error")).to_contain_text("password")
        visitor.at("dialog-password").fill(PASSWORD)
        visitor.at("dialog-confirm").click()
        visitor.says("names_saved")
    expect(visitor.at("account-username")).to_have_text(f"{name}.new")


def rows(visitor: Visitor) -> list[dict]:
    """Where everything stands on the page."""
    return visitor.page.evaluate(
        "[...document.querySelectorAll('main > section, main > .person')].map((part) => part.getBoundingClientRect().toJSON())"
    )


def test_the_offer_waits_two_seconds_at_most_and_moves_nothing(visitor: Visitor, name: str):
    """The browser's own request never ends by itself here."""
    create_with_password(visitor, name)
    visitor.sign_out()
    visitor.page.clock.install()
    visitor.page.clock.pause_at(visitor.page.evaluate("Date.now()") + 1_000)
    with visitor.page.expect_response("**/api/v1/registration/options"):  # the time has begun by then
        sign_in_with_password(visitor, name)
    visitor.arrives("/account")
    expect(visitor.page.locator("html")).to_have_attribute("data-upgrade", "asking")
    expect(visitor.at("offer")).to_be_hidden()
    before = rows(visitor)
    visitor.page.clock.fast_forward(2_000)
    follows_up(visitor, "none")
    expect(visitor.at("offer")).to_be_visible()
    assert rows(visitor) == before


def test_after_the_upgrade_one_button_leads_to_removing_the_password(visitor: Visitor, name: str):
    manager = Manager(visitor, willing=False)
    create_with_password(visitor, name)
    expect(visitor.at("passkeys-lead")).to_contain_text("fingerprint")
    expect(visitor.page.locator("#password-state")).to_have_text("It is the only way to sign in to your account.")
    visitor.sign_out()
    manager.willing = True
    sign_in_with_password(visitor, name)
    visitor.arrives("/account")
    visitor.says("upgraded")
    expect(visitor.at("without-password")).to_be_visible()
    expect(visitor.at("passkeys-lead")).to_have_text("This passkey signs you in.")
    expect(visitor.page.locator("#password-state")).to_contain_text("You can sign in with it, too.")

    manager.hand_over()
    with visitor.touching():
        visitor.at("without-password-accept").click()
        expect(visitor.at("dialog")).to_have_attribute("data-kind", "remove-password")
        visitor.at("dialog-confirm").click()
        visitor.says("password_removed")
    expect(visitor.at("without-password")).to_be_hidden()


def test_the_password_may_stay_after_the_upgrade(visitor: Visitor, name: str):
    Manager(visitor, willing=False)
    create_with_password(visitor, name)
    visitor.sign_out()
    sign_in_with_password(visitor, name)
    visitor.arrives("/account")
    follows_up(visitor, "none")
    with visitor.touching():
        visitor.at("offer-accept").click()
        visitor.says("passkey_added")
    expect(visitor.at("offer")).to_be_hidden()
    visitor.at("without-password-later").click()
    expect(visitor.at("without-password")).to_be_hidden()
    expect(visitor.page.locator("#passkeys-heading")).to_be_focused()
    expect(visitor.at("password-remove")).to_be_enabled()


def test_a_fault_stands_at_its_field_on_the_account_page(member: Visitor):
    def stands_at(field: str, code: str) -> None:
        member.complains(code)
        expect(member.at(field)).to_be_focused()
        expect(member.at(field)).to_have_attribute("aria-invalid", "true")
        assert "error" in (member.at(field).get_attribute("aria-describedby") or "").split()
        assert member.page.locator(f":is(.field, .rename):has([data-testid={field}]) [data-testid=error]").count() == 1

    member.at("names-edit").click()
    member.at("new-username").fill("two words")
    member.at("names-save").click()
    stands_at("new-username", "username_not_allowed")
    member.at("names-cancel").click()
    expect(member.at("error")).to_be_hidden()

    member.at("password-edit").click()
    member.at("password-save").click()
    stands_at("new-password", "password_missing")
    member.at("new-password").fill("passwordpassword")
    member.at("password-save").click()
    stands_at("new-password", "password_too_common")
    member.at("new-password").press("Escape")
    expect(member.at("error")).to_be_hidden()

    member.at("passkey-rename").click()
    member.at("passkey-rename-input").fill("x" * 500)
    member.at("passkey-rename-save").click()
    stands_at("passkey-rename-input", "passkey_name_not_allowed")
    member.at("passkey-rename-cancel").click()
    # What is not about a field is said where it was said before.
    refuse_prompts(member)
    member.at("passkey-add").click()
    member.says("cancelled")
    assert member.page.locator(".above [data-testid=error]").count() == 1
