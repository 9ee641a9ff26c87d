"""Making an account and coming back to it: three ways in, and everything that may stand in the way."""

import re

from playwright.sync_api import expect
from visitor import Visitor, refuse_prompts


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
    assert member.page.url.rstrip("/") == member.server.origin
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


def test_a_passkey_the_service_does_not_know_is_explained_and_forgotten(visit, member: Visitor, name: str):
    """The passkey was deleted here but the device still has it."""
    foreign = visit()
    foreign.create_account("foreign." + name)
    credential = foreign.device.credentials()[0]
    stranger = visit()
    stranger.device.put({**credential, "credentialId": "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="})
    stranger.open("/")
    with stranger.touching():
        stranger.at("sign-in").click()
        stranger.complains("sign_in_failed")
    assert stranger.device.credentials() == [], "the browser was told that it is good for nothing"


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
