"""The extension's own windows in every state: axe-core finds nothing, nothing is cut off, and the keyboard reaches everything."""

from __future__ import annotations

import pytest
from extension import ExtensionBrowser, wait_until
from fakeagent import FakeAgent, Refused
from measures import shape, violations
from passkeysite import RelyingParty
from playwright.sync_api import Page, expect

LONG = "somebody.with.a.very.long.name.that.does.not.fit@a-very-long-organisation.example.com"


def checked(page: Page) -> None:
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        assert violations(page) + shape(page) == [], scheme


def known(agent: FakeAgent) -> None:
    agent.passwords = [
        {"user": "ada", "password": "a secret", "code": "123456", "host": "localhost"},
        {"user": LONG, "password": "another", "host": "localhost"},
    ]
    agent.upgrades = [{"id": "1", "site": "example.org", "user": "ada"}, {"id": "2", "site": "example.com", "user": LONG}]


def test_the_popup_with_all_its_parts(extension: ExtensionBrowser, agent: FakeAgent):
    known(agent)
    page = extension.open(path="/login")
    with extension.popup(page) as popup:
        popup.set_viewport_size({"width": 360, "height": 600})
        popup.get_by_test_id("entries").locator("li").first.wait_for()
        checked(popup)
        popup.get_by_test_id("settings").locator("summary").click()
        expect(popup.get_by_test_id("saves")).to_be_visible()
        checked(popup)
        popup.get_by_test_id("search").fill("o")
        popup.get_by_test_id("found").locator("li").first.wait_for()
        checked(popup)
        agent.refusals["browser.settings.change"] = Refused("failed")
        popup.get_by_test_id("menu").click()
        expect(popup.get_by_test_id("problem")).to_be_visible()
        checked(popup)


@pytest.mark.parametrize("state", [{"isLocked": True}, {"isPaired": False}, {"hasVault": False}], ids=["locked", "not paired", "no vault"])
def test_the_popup_before_it_can_do_anything(extension: ExtensionBrowser, agent: FakeAgent, state: dict):
    agent.state |= state
    with extension.popup() as popup:
        popup.set_viewport_size({"width": 360, "height": 600})
        checked(popup)


def test_every_part_of_the_popup_is_reached_by_keyboard(extension: ExtensionBrowser, agent: FakeAgent):
    known(agent)
    page = extension.open(path="/login")
    with extension.popup(page) as popup:
        popup.get_by_test_id("entries").locator("li").first.wait_for()
        popup.get_by_test_id("settings").locator("summary").press("Enter")
        expect(popup.get_by_test_id("saves")).to_be_visible()
        wanted = popup.evaluate(
            "[...document.querySelectorAll('button, input, summary')].filter((each) => each.checkVisibility() && !each.disabled).length"
        )
        popup.evaluate("document.activeElement.blur()")
        reached = set()
        for _ in range(wanted + 2):
            popup.keyboard.press("Tab")
            reached.add(
                popup.evaluate(
                    "[...document.querySelectorAll('button, input, summary')].indexOf(document.activeElement)"
                )
            )
        assert len(reached - {-1}) == wanted


def test_the_windows_for_passkeys(extension: ExtensionBrowser, agent: FakeAgent, rp: RelyingParty):
    page = extension.open()
    extension.begin(page, "create", rp.creation())
    window = extension.chooser()
    checked(window)
    extension.choose("main", window)
    assert "error" not in extension.outcome(page)
    extension.no_chooser()
    extension.begin(page, "get", rp.request())
    window = extension.chooser()
    checked(window)
    extension.choose("cancel", window)
    extension.outcome(page)
    wait_until(lambda: not extension.choosers())
