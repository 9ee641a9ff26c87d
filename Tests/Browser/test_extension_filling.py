"""Filling from the browser's own menu and from the popup, and fields that nobody sees; the popup's settings and its undo."""

from __future__ import annotations

import pytest
from extension import ExtensionBrowser, wait_until
from fakeagent import FakeAgent, Refused
from playwright.sync_api import Page, expect
from test_extension_menu import click_first_row, wait_for_options

ADA = {"host": "localhost", "user": "ada", "password": "a secret", "code": "123456"}
BOB = {"host": "localhost", "user": "bob", "password": "another"}


def choose(extension: ExtensionBrowser, page: Page, kind: str) -> None:
    """Chooses in the browser's own menu, which no test can open: the worker hears what the browser tells it then."""
    worker = next(each for each in extension.context.service_workers if "worker/main.js" in each.url)
    worker.evaluate(
        """([url, kind]) => chrome.tabs.query({}).then((tabs) => {
            chrome.contextMenus.onClicked.dispatch({ menuItemId: kind, frameId: 0 }, tabs.find((tab) => tab.url === url));
        })""",
        [page.url, kind],
    )


def test_any_field_takes_what_the_person_chooses(extension: ExtensionBrowser, agent: FakeAgent):
    agent.passwords = [ADA]
    page = extension.open(path="/code")
    for kind, value, target in (("user", "ada", "#other"), ("password", "a secret", "#other"), ("code", "123456", "#area")):
        page.locator(target).click(button="right")
        choose(extension, page, kind)
        page.wait_for_function("([target, value]) => document.querySelector(target).value === value", arg=[target, value])
    assert page.input_value("#code") == "" and len(agent.calls("browser.fill")) == 3


def test_of_several_entries_the_person_picks_one(extension: ExtensionBrowser, agent: FakeAgent):
    agent.passwords = [BOB, ADA]
    page = extension.open(path="/code")
    page.locator("#other").focus()
    choose(extension, page, "password")
    wait_for_options(extension, page, "bob, Password · Ward", "ada, Password · Ward")
    click_first_row(extension, page)
    page.wait_for_function("document.querySelector('#other').value")
    assert page.input_value("#other") == "another"


def test_a_strong_password_for_a_field_that_says_nothing(extension: ExtensionBrowser, agent: FakeAgent):
    page = extension.open(path="/login")
    page.locator("#password").focus()
    choose(extension, page, "suggest")
    page.wait_for_function("document.querySelector('#password').value")
    assert page.input_value("#password") == "generated-7-Password" and page.input_value("#user") == ""


HIDING = {
    "see-through": "field.style.opacity = 0.01",
    "see-through around it": "field.parentElement.style.opacity = 0",
    "not painted": "field.style.visibility = 'hidden'",
    "moved away": "field.style.cssText = 'position: absolute; left: -5000px'",
    "tiny": "field.style.cssText = 'width: 1px; height: 1px; padding: 0; border: 0'",
    "cut": "field.style.clipPath = 'circle(0)'",
    "under something": "over.style.cssText = 'position: fixed; inset: 0; background: white'; document.body.append(over)",
    "under a popover": "over.popover = 'manual'; over.style.cssText = 'position: fixed; inset: 0; width: 100vw; height: 100vh';"
    " document.body.append(over); over.showPopover()",
    "under a dialog": "window.box = document.createElement('dialog'); document.body.append(box); box.showModal()",
}


@pytest.mark.parametrize("hiding", HIDING.values(), ids=HIDING.keys())
def test_a_field_that_nobody_sees_gets_nothing(extension: ExtensionBrowser, agent: FakeAgent, hiding: str):
    agent.passwords = [ADA]
    page = extension.open(path="/code")
    page.locator("#other").click(button="right")
    page.evaluate(f"() => {{ const field = document.querySelector('#other'); const over = document.createElement('div'); {hiding} }}")
    choose(extension, page, "password")
    choose(extension, page, "suggest")
    with extension.popup(page) as popup:
        # The other field is still there in some of the pages.
        popup.get_by_test_id("entries").locator("li").first.wait_for()
    assert page.input_value("#other") == ""
    assert not agent.calls("browser.fill") and not agent.calls("browser.suggest")


def test_a_hidden_password_field_beside_the_name_gets_nothing(extension: ExtensionBrowser, agent: FakeAgent):
    agent.passwords = [ADA]
    page = extension.open(path="/login")
    page.evaluate("document.querySelector('#password').style.cssText = 'position: absolute; left: -5000px'")
    page.locator("#user").click()
    wait_for_options(extension, page, "ada, Password · Ward")
    click_first_row(extension, page)
    page.wait_for_function("document.querySelector('#user').value")
    assert (page.input_value("#user"), page.input_value("#password")) == ("ada", "")


def test_the_popup_fills_in_and_copies(extension: ExtensionBrowser, agent: FakeAgent):
    agent.passwords = [ADA]
    page = extension.open(path="/login")
    extension.context.grant_permissions(["clipboard-read", "clipboard-write"])
    with extension.popup(page) as popup:
        popup.get_by_test_id("copy").first.click()
        # ward holds what was copied, and clears it.
        expect(popup.get_by_test_id("note")).to_have_text("Copied. Ward clears the clipboard after 45 seconds.")
        assert agent.calls("browser.hold") == [{"text": "a secret"}]
        assert "a secret" not in popup.evaluate("navigator.clipboard.readText()")
        # Where ward reaches no clipboard, the popup writes it, and says that others can read it.
        agent.refusals["browser.hold"] = Refused("unavailable")
        popup.get_by_test_id("copy").first.click()
        expect(popup.get_by_test_id("note")).to_have_text("Copied. Other programs can read the clipboard.")
        assert popup.evaluate("navigator.clipboard.readText()") == "a secret"
        assert "a secret" not in popup.content()
    with extension.popup(page) as popup:
        popup.get_by_test_id("fill").first.click()
        page.wait_for_function("document.querySelector('#password').value")
    assert (page.input_value("#user"), page.input_value("#password")) == ("ada", "a secret")
    extension.context.clear_permissions()


def test_the_popup_gives_nothing_to_a_page_without_a_field(extension: ExtensionBrowser, agent: FakeAgent):
    agent.passwords = [ADA]
    page = extension.open(path="/home")
    with extension.popup(page) as popup:
        popup.get_by_test_id("fill").first.click()
        expect(popup.get_by_test_id("note")).to_have_text("The page shows no field for it.")
    assert not agent.calls("browser.fill")


def test_a_site_without_a_menu(extension: ExtensionBrowser, agent: FakeAgent):
    agent.passwords = [ADA]
    page = extension.open(path="/login")
    with extension.popup(page) as popup:
        popup.get_by_test_id("settings").locator("summary").click()
        popup.get_by_test_id("menu").click()
        wait_until(lambda: agent.sites.get("localhost") == {"menu": False})
    page.locator("#password").click()
    wait_until(lambda: len(agent.calls("browser.entries")) >= 2)
    # The browser's own menu still works, and shows that the extension has done its work by now.
    choose(extension, page, "password")
    page.wait_for_function("document.querySelector('#password').value")
    assert extension.menu(page) is None


def test_settings_of_the_popup_stay_as_they_are_if_the_agent_refuses(extension: ExtensionBrowser, agent: FakeAgent):
    page = extension.open(path="/login")
    with extension.popup(page) as popup:
        popup.get_by_test_id("settings").locator("summary").click()
        agent.refusals["browser.settings.change"] = Refused("failed")
        popup.get_by_test_id("upgrade").click()
        expect(popup.get_by_test_id("problem")).to_be_visible()
        expect(popup.get_by_test_id("upgrade")).to_be_checked()
        agent.refusals.clear()
        popup.get_by_test_id("all").click()
        wait_until(lambda: agent.settings["upgrades"] is False)


def test_an_automatic_passkey_is_undone_in_the_popup(extension: ExtensionBrowser, agent: FakeAgent):
    agent.upgrades = [{"id": "1", "site": "example.org", "user": "ada"}]
    with extension.popup() as popup:
        expect(popup.get_by_test_id("upgrades")).to_contain_text("Ward made a passkey for ada at example.org.")
        popup.get_by_test_id("undo").click()
        expect(popup.get_by_test_id("note")).to_have_text("The passkey was removed.")
        expect(popup.get_by_test_id("upgrades")).to_be_hidden()
    assert agent.upgrades == []


def test_the_popup_shows_a_code_until_its_time_is_over(extension: ExtensionBrowser, agent: FakeAgent):
    agent.passwords = [{**ADA, "left": 20}]
    page = extension.open(path="/code")
    with extension.popup(page) as popup:
        assert not agent.calls("browser.fill"), "a code is made only when the person asks"
        popup.get_by_test_id("showCode").click()
        code = popup.get_by_test_id("code")
        expect(code).to_contain_text("123 456")
        expect(code.locator("progress")).to_have_attribute("max", "30")
        agent.passwords[0]["left"] = 1
        popup.get_by_test_id("showCode").click()
        expect(code).to_have_count(0)


def test_the_search_of_the_popup(extension: ExtensionBrowser, agent: FakeAgent):
    agent.passwords = [{**BOB, "host": "shop.example"}, ADA]
    extension.context.grant_permissions(["clipboard-read", "clipboard-write"])
    with extension.popup() as popup:
        popup.get_by_test_id("search").press_sequentially("shop")
        found = popup.get_by_test_id("found")
        expect(found).to_contain_text("shop.example")
        expect(found).not_to_contain_text("ada")
        assert not agent.calls("browser.reveal")
        agent.refusals["browser.reveal"] = Refused("denied")
        found.get_by_test_id("copy").click()
        expect(popup.get_by_test_id("problem")).to_have_text("Ward did not allow it.")
        agent.refusals.clear()
        agent.refusals["browser.hold"] = Refused("unavailable")
        found.get_by_test_id("copy").click()
        expect(popup.get_by_test_id("note")).to_contain_text("Copied")
        assert popup.evaluate("navigator.clipboard.readText()") == "another"
        popup.get_by_test_id("search").fill("nobody")
        expect(found).to_have_text("Nothing found")
    extension.context.clear_permissions()


# A red pixel.
PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGP4z8DwHwAFAAH/iZk9HQAAAABJRU5ErkJggg=="


def test_the_search_shows_the_names_and_icons_of_sites(extension: ExtensionBrowser, agent: FakeAgent):
    agent.passwords = [
        {**BOB, "host": "shop.example", "siteName": "<b>The Shop", "icon": PNG}, {**ADA, "host": "www.shop.test"},
        {**BOB, "host": "evil.shop", "icon": 'x" onerror="alert(1)'}, {**BOB, "host": "xn--shop.example"},
    ]
    with extension.popup() as popup:
        popup.get_by_test_id("search").fill("shop")
        rows = popup.get_by_test_id("found").locator("li")
        expect(rows).to_have_count(4)
        # The domain stands beside a name, because the name is the site's own.
        expect(rows.nth(0)).to_contain_text("<b>The Shop")
        expect(rows.nth(0)).to_contain_text("shop.example")
        image = rows.nth(0).locator("img")
        expect(image).to_have_js_property("naturalWidth", 1)
        assert image.get_attribute("alt") == ""
        # Without an icon there is a letter, in a colour that belongs to the domain; other text is not shown as an icon.
        letters = [rows.nth(number).locator(".letter") for number in (1, 2, 3)]
        assert [letter.text_content() for letter in letters] == ["W", "E", "X"]
        assert len({letter.evaluate("element => getComputedStyle(element).backgroundColor") for letter in letters}) == 3
        expect(rows.locator("img")).to_have_count(1)
