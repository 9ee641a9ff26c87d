"""Passwords that a person types, and that Ward makes: when the popup offers to save them, and what pages cannot do about it."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from extension import ExtensionBrowser, wait_until
from fakeagent import FakeAgent
from playwright.sync_api import Page, expect
from test_extension_menu import click_first_row, options, wait_for_options

SECRET = "typed-7-Secret"


def badge(extension: ExtensionBrowser, page: Page) -> str:
    """What the button of the extension shows beside this page."""
    return extension.own_page.evaluate(
        """(url) => chrome.tabs.query({}).then((tabs) => {
            const tab = tabs.find((each) => each.url === url);
            return tab ? chrome.action.getBadgeText({ tabId: tab.id }) : 'no tab';
        })""",
        page.url,
    )


def sign_in(page: Page, user: str = "ada", password: str = SECRET) -> None:
    page.locator("#user").press_sequentially(user)
    page.locator("#password").press_sequentially(password)
    page.locator("#password").press("Enter")


def offered(extension: ExtensionBrowser, page: Page) -> None:
    wait_until(lambda: badge(extension, page) == "1", "nothing was offered")


def refused(extension: ExtensionBrowser, agent: FakeAgent) -> None:
    """The worker has seen the page that came after, and forgot the password."""
    wait_until(lambda: agent.calls("browser.capture") and not agent.captures, "the password is still kept")
    assert agent.passwords == [] and not agent.calls("browser.save")


def test_a_password_is_offered_after_the_sign_in_and_saved(extension: ExtensionBrowser, agent: FakeAgent):
    page = extension.open(path="/login")
    sign_in(page)
    offered(extension, page)
    (capture,) = agent.calls("browser.capture")
    assert (capture["user"], capture["password"], capture["current"]) == ("ada", SECRET, "")
    assert not agent.calls("browser.save"), "only the person decides"
    with extension.popup(page) as popup:
        expect(popup.get_by_test_id("offer-title")).to_have_text("Save the password for localhost?")
        expect(popup.get_by_test_id("offer-user")).to_have_value("ada")
        assert SECRET not in popup.content()
        popup.get_by_test_id("offer-save").click()
        expect(popup.get_by_test_id("note")).to_have_text("Saved")
        expect(popup.get_by_test_id("offer")).to_be_hidden()
    assert agent.passwords == [{"host": "localhost", "user": "ada", "password": SECRET}]
    wait_until(lambda: badge(extension, page) == "")
    # It is there now, so nothing is asked again.
    page.goto(extension.sites.origin() + "/login")
    sign_in(page)
    wait_until(lambda: len(agent.calls("browser.capture")) == 2)
    page.wait_for_url("**/home*")
    assert badge(extension, page) == "" and agent.captures == {}


def test_the_next_page_may_come_before_the_agents_answer(extension: ExtensionBrowser, agent: FakeAgent):
    agent.delays["browser.capture"] = threading.Event()
    page = extension.open(path="/login")
    sign_in(page)
    page.wait_for_url("**/home*")
    wait_until(lambda: agent.calls("browser.capture"))
    agent.delays["browser.capture"].set()
    offered(extension, page)


def test_a_refused_sign_in_is_not_offered(extension: ExtensionBrowser, agent: FakeAgent):
    page = extension.open(path="/login?to=/login")
    sign_in(page)
    refused(extension, agent)
    assert badge(extension, page) == ""


def test_an_update_names_the_entry_and_the_name_can_be_changed(extension: ExtensionBrowser, agent: FakeAgent):
    agent.passwords = [{"host": "localhost", "user": "ada", "password": "old"}]
    page = extension.open(path="/bare")
    sign_in(page)
    offered(extension, page)
    with extension.popup(page) as popup:
        expect(popup.get_by_test_id("offer-title")).to_have_text("Update the password for localhost?")
        expect(popup.get_by_test_id("offer-text")).to_contain_text("“Login”")
        popup.get_by_test_id("offer-user").fill("ada lovelace")
        popup.get_by_test_id("offer-user").press("Enter")
        expect(popup.get_by_test_id("note")).to_have_text("Saved")
    assert agent.passwords[-1] == {"host": "localhost", "user": "ada lovelace", "password": SECRET}


def test_a_name_and_a_password_on_two_pages(extension: ExtensionBrowser, agent: FakeAgent):
    page = extension.open(path="/name")
    page.locator("#user").press_sequentially("ada@example.com")
    page.locator("#go").click()
    page.locator("#password").press_sequentially(SECRET)
    page.locator("#password").press("Enter")
    offered(extension, page)
    (capture,) = agent.calls("browser.capture")
    assert (capture["user"], capture["password"]) == ("ada@example.com", SECRET)


def test_a_form_that_changes_the_password(extension: ExtensionBrowser, agent: FakeAgent):
    page = extension.open(path="/change")
    for field, value in {"#current": "old", "#password": SECRET, "#confirm": SECRET}.items():
        page.locator(field).press_sequentially(value)
    page.locator("#go").click()
    offered(extension, page)
    (capture,) = agent.calls("browser.capture")
    assert (capture["password"], capture["current"]) == (SECRET, "old")


def test_a_page_of_one_document(extension: ExtensionBrowser, agent: FakeAgent):
    page = extension.open(path="/script")
    page.evaluate("document.querySelector('#go').onclick = () => { document.querySelector('#password').disabled = false; }")
    sign_in(page)
    wait_until(lambda: agent.captures)
    # The form is still there: the sign-in did not go through, or not yet.
    assert badge(extension, page) == ""
    page.evaluate("window.form = document.querySelector('#app'); form.remove()")
    offered(extension, page)
    # It was only a moment without the form.
    page.evaluate("document.body.append(form)")
    wait_until(lambda: badge(extension, page) == "")
    assert agent.captures == {} and not agent.calls("browser.save")


@pytest.mark.parametrize("choice", ["offer-later", "offer-never"])
def test_the_person_declines(extension: ExtensionBrowser, agent: FakeAgent, choice: str):
    page = extension.open(path="/login")
    sign_in(page)
    offered(extension, page)
    with extension.popup(page) as popup:
        popup.get_by_test_id(choice).click()
        expect(popup.get_by_test_id("offer")).to_be_hidden()
        if choice == "offer-never":
            popup.get_by_test_id("settings").locator("summary").click()
            expect(popup.get_by_test_id("saves")).not_to_be_checked()
    wait_until(lambda: not agent.captures)
    assert agent.passwords == [] and badge(extension, page) == ""
    page.goto(extension.sites.origin() + "/login")
    sign_in(page)
    if choice == "offer-later":
        offered(extension, page)
    else:
        page.wait_for_url("**/home*")
        wait_until(lambda: len(agent.calls("browser.capture")) == 2)
        assert agent.captures == {}
        # The person changes their mind in the settings.
        with extension.popup(page) as popup:
            popup.get_by_test_id("settings").locator("summary").click()
            popup.get_by_test_id("saves").click()
            wait_until(lambda: agent.sites["localhost"]["saves"])


def test_another_site_after_the_form_shows_no_offer(extension: ExtensionBrowser, agent: FakeAgent):
    page = extension.open(path=f"/login?to={extension.sites.origin('other.localhost')}/home")
    sign_in(page)
    page.wait_for_url("**/home*")
    wait_until(lambda: agent.calls("browser.captured"))
    assert badge(extension, page) == ""
    page.goto(extension.sites.origin() + "/home")
    offered(extension, page)


def test_a_strong_password_is_suggested_by_the_fields_rules(extension: ExtensionBrowser, agent: FakeAgent):
    page = extension.open(path="/register")
    page.locator("#user").press_sequentially("ada@example.com")
    page.locator("#password").click()
    wait_for_options(extension, page, "Suggest a strong password")
    assert not agent.calls("browser.suggest"), "nothing is made before the person asks"
    click_first_row(extension, page)
    page.wait_for_function("document.querySelector('#confirm').value")
    assert page.input_value("#password") == page.input_value("#confirm") == "generated-7-Password"
    (asked,) = agent.calls("browser.suggest")
    assert asked["rules"] == "minlength: 12; allowed: lower" and asked["user"] == "ada@example.com"
    assert (asked["minimumLength"], asked["maximumLength"]) == (10, 30)
    page.locator("#go").click()
    offered(extension, page)
    (capture,) = agent.calls("browser.capture")
    assert (capture["user"], capture["password"]) == ("ada@example.com", "generated-7-Password")


def test_a_new_account_may_lead_to_the_form_for_signing_in(extension: ExtensionBrowser, agent: FakeAgent):
    page = extension.open(path="/register?to=/login")
    page.locator("#confirm").press_sequentially(SECRET)
    sign_in(page, "ada@example.com")
    offered(extension, page)


# What pages try


def test_a_page_that_sends_forms_by_itself_is_not_heard(extension: ExtensionBrowser, agent: FakeAgent):
    page = extension.open(path="/login")
    flood = """(count) => {
        const form = document.querySelector('form');
        form.addEventListener('submit', (event) => event.preventDefault());
        for (let number = 0; number < count; number += 1) {
            document.querySelector('#user').value = 'victim';
            document.querySelector('#password').value = `planted ${number}`;
            document.querySelector('#password').dispatchEvent(new InputEvent('input', { bubbles: true }));
            form.requestSubmit();
            document.querySelector('#go').click();
        }
    }"""
    page.evaluate(flood, 1000)
    page.evaluate("document.querySelector('#password').value = ''")
    # What a person types counts, and not what the page puts in its place; one time, however often it is sent.
    page.locator("#password").press_sequentially(SECRET)
    page.evaluate(flood, 1000)
    wait_until(lambda: agent.calls("browser.capture"))
    page.evaluate("document.querySelector('form').remove()")
    offered(extension, page)
    (capture,) = agent.calls("browser.capture")
    assert capture["password"] == SECRET


def test_the_page_sees_nothing_of_an_offer(extension: ExtensionBrowser, agent: FakeAgent):
    page = extension.open(path="/login")
    sign_in(page)
    offered(extension, page)
    before = page.evaluate("[document.documentElement.outerHTML, document.hasFocus(), Object.keys(window).length]")
    assert SECRET not in before[0] and "Ward" not in before[0] and before[1]
    extension.no_chooser()
    found: Any = page.evaluate(
        "(url) => fetch(url).then(() => true, () => false)", "chrome-extension://einjclakeijnedfmbahodbjcjdiomohj/popup/popup.html"
    )
    assert found is False


def test_another_sites_frame_saves_nothing(extension: ExtensionBrowser, agent: FakeAgent):
    page = extension.open("outer.localhost", f"/?frame={extension.sites.origin('inner.localhost')}/login")
    frame = page.frame_locator("iframe")
    frame.locator("#password").press_sequentially(SECRET)
    frame.locator("#go").click()
    # A page of the site itself shows that the extension has done its work by now.
    other = extension.open("inner.localhost", "/login")
    sign_in(other)
    offered(extension, other)
    assert [capture["sender"]["topURL"] for capture in agent.calls("browser.capture")] == [
        extension.sites.origin("inner.localhost") + "/login"
    ]


def test_no_password_is_suggested_for_the_current_one(extension: ExtensionBrowser, agent: FakeAgent):
    page = extension.open(path="/change")
    page.locator("#current").click()
    page.locator("#password").click()
    wait_for_options(extension, page, "Suggest a strong password")
    page.keyboard.press("Escape")
    page.locator("#current").click()
    agent.passwords = [{"host": "localhost", "user": "ada", "password": "old"}]
    page.locator("h1").click()
    page.locator("#current").click()
    wait_until(lambda: extension.menu(page))
    assert "Suggest a strong password" not in options(extension, page)
