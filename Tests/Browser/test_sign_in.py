"""Making an account and coming back to it: three ways in, and everything that may stand in the way."""

import json
import re
import sqlite3

import pytest
from passwords import PASSWORD, create_with_password
from playwright.sync_api import expect
from visitor import CHROMIUM, Visitor, refuse_prompts


def test_an_account_is_made_and_seen(visitor: Visitor, name: str):
    visitor.create_account(name, "Ada Lovelace")
    expect(visitor.at("account-username")).to_have_text(name)
    expect(visitor.page.get_by_role("heading", level=1)).to_have_text("Ada Lovelace")
    assert len(visitor.passkeys()) == 1
    assert len(visitor.device.credentials()) == 1
    expect(visitor.at("session-row")).to_have_count(1)
    expect(visitor.at("session-agent")).to_contain_text(re.compile("Chrom", re.IGNORECASE))


def test_signing_in_by_autofill(member: Visitor, name: str):
    member.sign_out()
    member.says("signed_out")
    expect(member.page.locator("html")).to_have_attribute("data-conditional", "pending")
    assert "webauthn" in (member.at("username").get_attribute("autocomplete") or "")
    # Somebody picks the passkey in the field's menu: this browser takes the first one as soon as someone is there.
    with member.touching():
        member.page.reload()
        member.arrives("/account")
    expect(member.at("account-username")).to_have_text(name)


def test_signing_in_by_the_button_without_a_name(member: Visitor, name: str):
    member.sign_out()
    with member.touching():
        member.at("sign-in").click()
        member.arrives("/account")
    expect(member.at("account-username")).to_have_text(name)


def test_signing_in_with_a_typed_name(member: Visitor, name: str):
    member.sign_out()
    member.at("username").fill(name.upper())
    with member.touching():
        member.at("username").press("Enter")
        member.arrives("/account")
    expect(member.at("account-username")).to_have_text(name)


def test_the_pages_send_people_where_they_belong(member: Visitor):
    member.page.goto(member.server.origin + "/")
    member.arrives("/account")
    member.sign_out()
    member.page.goto(member.server.origin + "/account")
    member.arrives("/")


def test_after_signing_out_the_back_button_shows_nothing(member: Visitor, name: str):
    member.sign_out()
    member.page.go_back()
    member.arrives("/")
    expect(member.at("account-username")).to_have_count(0)


def test_a_cancelled_prompt_is_no_error(visitor: Visitor, name: str):
    visitor.open("/")
    refuse_prompts(visitor)
    visitor.at("sign-in").click()
    visitor.says("cancelled")
    visitor.at("create-account").click()
    visitor.at("username").fill(name)
    visitor.at("create-submit").click()
    visitor.says("cancelled")
    expect(visitor.at("create-submit")).to_be_enabled()
    assert visitor.device.credentials() == []


def test_after_a_cancelled_prompt_it_works(member: Visitor, name: str):
    member.sign_out()
    refuse_prompts(member)
    member.at("sign-in").click()
    member.says("cancelled")
    member.page.reload()
    member.ready()
    with member.touching():
        member.at("sign-in").click()
        member.arrives("/account")


def test_refused_user_verification_lets_nobody_in(member: Visitor, name: str):
    member.sign_out()
    member.device.verified(False)
    with member.touching():
        member.at("sign-in").click()
        expect(member.at("status")).to_have_attribute("data-code", "cancelled")
    assert member.page.url.split("#")[0].rstrip("/") == member.server.origin
    member.device.verified(True)
    # Autofill begins again by itself, and would be quicker than the click.
    member.page.reload()
    member.ready()
    with member.touching():
        member.at("sign-in").click()
        member.arrives("/account")


def test_refused_user_verification_makes_no_account(visitor: Visitor, name: str):
    visitor.device.verified(False)
    visitor.open("/")
    visitor.at("create-account").click()
    visitor.at("username").fill(name)
    with visitor.touching():
        visitor.at("create-submit").click()
        visitor.says("cancelled")
    assert visitor.device.credentials() == []


def test_a_taken_name_is_explained_and_leaves_no_orphan(visit, member: Visitor, name: str):
    other = visit()
    other.open("/")
    other.at("create-account").click()
    other.at("username").fill(name)
    with other.touching():
        other.at("create-submit").click()
        other.complains("username_taken")
    expect(other.at("username")).to_be_focused()
    assert other.device.credentials() == [], "the passkey of the refused name was taken away again"

    other.at("username").fill(name + "2")
    with other.touching():
        other.at("create-submit").click()
        other.arrives("/account")


def test_names_that_cannot_be_are_explained(visitor: Visitor):
    visitor.open("/")
    visitor.at("create-account").click()
    visitor.at("create-submit").click()
    visitor.complains("name_missing")
    expect(visitor.at("username")).to_be_focused()
    visitor.at("username").fill("two words")
    visitor.at("create-submit").click()
    visitor.complains("username_not_allowed")
    expect(visitor.at("username")).to_be_focused()
    expect(visitor.at("username")).to_have_value("two words")


def test_the_name_stays_when_the_view_changes(visitor: Visitor, name: str):
    visitor.open("/")
    visitor.at("username").fill(name)
    visitor.at("create-account").click()
    expect(visitor.at("username")).to_have_value(name)
    visitor.at("back-to-sign-in").click()
    expect(visitor.at("username")).to_have_value(name)
    expect(visitor.at("sign-in")).to_be_visible()


def test_a_server_that_is_away_is_explained(visitor: Visitor, name: str):
    visitor.open("/")
    visitor.context.set_offline(True)
    visitor.at("sign-in").click()
    visitor.complains("network")
    visitor.context.set_offline(False)
    visitor.complaints.clear()


def test_an_unsafe_address_is_explained(visit, server):
    """By its number the service is not a domain, and browsers make no passkeys for it."""
    visitor = visit()
    visitor.page.goto(f"http://127.0.0.1:{server.port}/")
    visitor.page.locator("html[data-ready]").wait_for(state="attached")
    if visitor.at("error").is_hidden():
        visitor.at("sign-in").click()
    expect(visitor.at("error")).to_be_visible()
    visitor.complaints.clear()


def test_without_scripts_the_page_says_what_it_needs(browser, server):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(server.origin)
    assert len(page.locator("noscript").inner_text().strip()) > 20
    context.close()


def test_blocked_cookies_are_said_before_anything_is_made(playwright, server, tmp_path):
    """The browser's own setting: no site may keep anything."""
    (tmp_path / "Default").mkdir()
    (tmp_path / "Default" / "Preferences").write_text(
        json.dumps({"profile": {"default_content_setting_values": {"cookies": 2}}})
    )
    context = playwright.chromium.launch_persistent_context(
        tmp_path, executable_path=CHROMIUM, args=["--no-sandbox"], timeout=120_000
    )
    try:
        for page in ("/", "/#create", "/#create-password", "/recover#recovery=abc"):
            tab = context.new_page()
            tab.goto(server.origin + page)
            tab.locator("html[data-ready]").wait_for(state="attached")
            error = tab.get_by_test_id("error")
            expect(error).to_have_attribute("data-code", "cookies_blocked")
            expect(error).to_be_visible()
            buttons = [one for one in tab.locator("form > button, form .first-way > button").all() if one.is_visible()]
            # Without cookies the page of a link shows no button at all.
            assert buttons or page.startswith("/recover")
            for button in buttons:
                expect(button).to_be_disabled()
    finally:
        context.close()


# Immediate sign-in: what Chromium has of it, without a stand-in.

ASKED = """() => {
    const get = navigator.credentials.get.bind(navigator.credentials);
    window.asked = [];
    navigator.credentials.get = (options) => {
        window.asked.push([options.mediation ?? null, options.uiMode ?? null, options.publicKey.allowCredentials.length]);
        return get(options);
    };
}"""


def asks(visitor: Visitor, *requests: list) -> None:
    """The requests of the buttons, in this order; nobody is at the device, so none of them ends by itself."""
    own = "window.asked.filter(([mediation]) => mediation !== 'conditional')"
    visitor.page.wait_for_function(f"(count) => {own}.length >= count", arg=len(requests))
    assert visitor.page.evaluate(own) == list(requests)


def test_the_passkey_button_asks_for_a_passkey_of_this_device(member: Visitor, name: str):
    member.sign_out()
    member.page.evaluate(ASKED)
    member.at("sign-in").click()
    asks(member, [None, "immediate", 0])
    member.page.reload()
    member.ready()
    with member.touching():
        member.at("sign-in").click()
        member.arrives("/account")
    expect(member.at("account-username")).to_have_text(name)


def test_without_a_passkey_on_this_device_the_form_comes_and_the_next_press_asks_every_device(visitor: Visitor):
    visitor.open("/")
    visitor.page.evaluate(ASKED)
    expect(visitor.at("password")).to_be_hidden()
    visitor.at("sign-in").click()
    visitor.says("cancelled")  # the browser said so by itself: nobody was there to close anything
    asks(visitor, [None, "immediate", 0])
    expect(visitor.at("password")).to_be_visible()
    expect(visitor.at("username")).to_be_focused()
    visitor.at("sign-in").click()
    asks(visitor, [None, "immediate", 0], [None, None, 0])


def test_a_browser_that_cannot_ask_immediately_is_asked_as_ever(visitor: Visitor):
    visitor.page.add_init_script(
        "PublicKeyCredential.getClientCapabilities = async () => ({ conditionalGet: true, immediateGet: false })"
    )
    visitor.open("/")
    visitor.page.evaluate(ASKED)
    visitor.at("sign-in").click()
    asks(visitor, [None, None, 0])


def test_a_typed_name_asks_for_the_passkeys_of_that_account(member: Visitor, name: str):
    member.sign_out()
    member.page.evaluate(ASKED)
    member.at("username").fill(name)
    member.at("sign-in-name").click()
    asks(member, [None, None, 1])


def test_an_ended_request_offers_the_password_beside_the_passkey(visitor: Visitor, name: str):
    """Whether or not the account has a password, so that the page tells nobody which accounts have one."""
    create_with_password(visitor, name)
    visitor.sign_out()
    refuse_prompts(visitor)
    visitor.at("username").fill(name)
    visitor.at("sign-in-name").click()
    visitor.says("cancelled")
    expect(visitor.at("username")).to_have_value(name)
    expect(visitor.at("sign-in")).to_be_visible()
    visitor.at("password").fill(PASSWORD)
    visitor.at("password").press("Enter")
    visitor.arrives("/account")


def test_a_name_is_asked_for_at_its_field(visitor: Visitor):
    visitor.open("/")
    visitor.at("sign-in-name").click()
    visitor.complains("name_missing")
    field = visitor.at("username")
    expect(field).to_be_focused()
    expect(field).to_have_attribute("aria-invalid", "true")
    expect(field).to_have_attribute("aria-describedby", "error username-hint")
    assert visitor.page.locator(".field:has(#username) [data-testid=error]").count() == 1
    visitor.at("error-close").click()
    expect(field).to_be_focused()
    expect(field).not_to_have_attribute("aria-invalid", "true")
    expect(field).to_have_attribute("aria-describedby", "username-hint")
    expect(visitor.at("error")).to_be_hidden()


@pytest.mark.parametrize("pointer, is_focused", [({}, True), ({"has_touch": True, "is_mobile": True}, False)])
def test_the_name_has_the_focus_where_there_is_a_keyboard(visit, pointer: dict, is_focused: bool):
    visitor = visit(**pointer)
    visitor.open("/")
    if is_focused:
        expect(visitor.at("username")).to_be_focused()
    else:
        expect(visitor.at("username")).not_to_be_focused()
    passkey, username = visitor.at("sign-in").bounding_box(), visitor.at("username").bounding_box()
    assert passkey["y"] < username["y"], "the passkey comes first"


def test_a_session_that_has_ended_is_said_when_the_account_page_is_opened_again(visit, member: Visitor, name: str):
    with sqlite3.connect(member.server.database, timeout=10) as database:
        database.execute("DELETE FROM session WHERE account_id = (SELECT id FROM account WHERE username = ?)", (name,))
    member.page.reload()
    member.arrives("/")
    member.says("session_ended")
    assert member.page.url == member.server.origin + "/", "the address says nothing of it"
    stranger = visit()
    stranger.page.goto(stranger.server.origin + "/account")
    stranger.arrives("/")
    expect(stranger.at("status")).to_be_hidden()
