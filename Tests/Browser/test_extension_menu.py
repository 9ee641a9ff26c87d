"""The extension's menu at fields: passkeys that a page waits for, and passwords."""

from __future__ import annotations

from typing import Any

import pytest
from extension import ExtensionBrowser, wait_until
from fakeagent import FakeAgent
from passkeysite import RelyingParty
from playwright.sync_api import Frame, Page

CONDITIONAL = "(options) => get(options, { mediation: 'conditional' })"
# A menu counts only after a person could see it for a moment. Until then a click does nothing, so it is tried again.
ROW = {"x": 80, "y": 28}


def options(extension: ExtensionBrowser, page: Page) -> list[str]:
    """What a screen reader finds in the menu; it sees more than scripts."""
    cdp = extension.context.new_cdp_session(page)
    nodes = cdp.send("Accessibility.getFullAXTree")["nodes"]
    cdp.detach()
    return [node["name"]["value"] for node in nodes if node.get("role", {}).get("value") == "option"]


def wait_for_options(extension: ExtensionBrowser, page: Page, *expected: str) -> None:
    wait_until(lambda: options(extension, page) == list(expected), f"{expected} never came")


def click_first_row(extension: ExtensionBrowser, page: Page, frame: Frame | None = None) -> None:
    """Clicks as a person does, until the menu is gone."""
    corner = page.locator("iframe").bounding_box() if frame else None
    left, top = (corner["x"], corner["y"]) if corner else (0, 0)

    def click() -> bool:
        place = extension.menu(frame or page)
        if place is None:
            return True
        page.mouse.click(left + place["x"] + ROW["x"], top + place["y"] + ROW["y"])
        return extension.menu(frame or page) is None

    wait_until(click)


@pytest.fixture
def waiting(extension: ExtensionBrowser, rp: RelyingParty) -> tuple[Page, bytes]:
    """A page that waits for a choice, and the passkey that is there."""
    page = extension.open()
    made = rp.registered(extension.create(page, rp.creation())["value"])
    extension.begin(page, CONDITIONAL, rp.request())
    return page, made


def test_a_person_signs_in_at_the_field(extension: ExtensionBrowser, agent: FakeAgent, rp: RelyingParty, waiting: Any):
    page, made = waiting
    assert not agent.calls("browser.passkeys.list")
    page.locator("#user").click()
    wait_for_options(extension, page, "alice, Passkey · Ward", "Use another device or security key")
    click_first_row(extension, page)
    assert rp.signed_in(extension.outcome(page)["value"]) == made
    assert extension.choosers() == []
    (used,) = agent.calls("browser.passkeys.get")
    assert used["mediation"] == "conditional" and used["picked"] == made.hex()


def test_the_keyboard_is_enough(extension: ExtensionBrowser, rp: RelyingParty, waiting: Any):
    page, made = waiting
    page.locator("#user").focus()
    wait_for_options(extension, page, "alice, Passkey · Ward", "Use another device or security key")

    def press() -> bool:
        page.keyboard.press("ArrowDown")
        page.keyboard.press("Home")
        page.keyboard.press("Enter")
        return extension.menu(page) is None

    wait_until(press)
    assert rp.signed_in(extension.outcome(page)["value"]) == made


def test_escape_closes_the_menu_and_the_page_waits_on(extension: ExtensionBrowser, agent: FakeAgent, rp: RelyingParty, waiting: Any):
    page, made = waiting
    page.locator("#user").click()
    wait_until(lambda: extension.menu(page))
    page.keyboard.press("Escape")
    wait_until(lambda: extension.menu(page) is None)
    assert page.evaluate("window.done") is None
    page.locator("h1").click()
    page.locator("#user").click()
    wait_until(lambda: extension.menu(page))
    click_first_row(extension, page)
    assert rp.signed_in(extension.outcome(page)["value"]) == made


def test_the_page_ends_its_waiting_request(extension: ExtensionBrowser, rp: RelyingParty):
    page = extension.open()
    rp.registered(extension.create(page, rp.creation())["value"])
    extension.begin(
        page,
        "(options) => { window.ending = new AbortController();"
        " return get(options, { mediation: 'conditional', signal: ending.signal }); }",
        rp.request(),
    )
    page.locator("#user").click()
    wait_until(lambda: extension.menu(page))
    page.evaluate("ending.abort()")
    assert extension.outcome(page)["name"] == "AbortError"
    wait_until(lambda: extension.menu(page) is None)


def test_a_window_opens_while_a_request_waits_at_the_field(extension: ExtensionBrowser, rp: RelyingParty, waiting: Any):
    page, made = waiting
    second = RelyingParty(rp.origin)
    second.keys = rp.keys
    page.evaluate("(options) => { window.modal = get(options).then((made) => made.toJSON()); }", second.request())
    extension.choose("account")
    assert second.signed_in(page.evaluate("window.modal")) == made
    assert page.evaluate("window.done") is None


def test_a_locked_vault_is_unlocked_from_the_menu(extension: ExtensionBrowser, agent: FakeAgent, rp: RelyingParty, waiting: Any):
    page, made = waiting
    agent.state["isLocked"] = True
    page.locator("#user").click()
    wait_for_options(extension, page, "Unlock Ward", "Use another device or security key")

    def unlock() -> bool:
        place = extension.menu(page)
        if place and agent.state["isLocked"]:
            page.mouse.click(place["x"] + ROW["x"], place["y"] + ROW["y"])
        return not agent.state["isLocked"]

    wait_until(unlock)
    wait_for_options(extension, page, "alice, Passkey · Ward", "Use another device or security key")
    click_first_row(extension, page)
    assert rp.signed_in(extension.outcome(page)["value"]) == made


def test_a_password_is_filled_in_and_the_account_gets_a_passkey(extension: ExtensionBrowser, agent: FakeAgent, rp: RelyingParty):
    agent.passwords = [
        {"host": "localhost", "user": "alice", "password": "a secret"},
        {"host": "example.com", "user": "bob", "password": "another"},
    ]
    page = extension.open()
    page.locator("#password").click()
    wait_for_options(extension, page, "alice, Password · Ward")
    click_first_row(extension, page)
    page.wait_for_function("document.querySelector('#password').value")
    assert (page.input_value("#user"), page.input_value("#password")) == ("alice", "a secret")
    upgrade = "(options) => create(options, { mediation: 'conditional' })"
    extension.begin(page, upgrade, rp.creation("somebody else"))
    assert extension.outcome(page)["name"] == "NotAllowedError"
    extension.begin(page, upgrade, rp.creation("alice"))
    assert rp.registered(extension.outcome(page)["value"], present=False)


def test_passkeys_come_before_passwords(extension: ExtensionBrowser, agent: FakeAgent, waiting: Any):
    page, _ = waiting
    agent.passwords = [{"host": "localhost", "user": "alice", "password": "a secret"}]
    page.locator("#user").click()
    wait_for_options(extension, page, "alice, Passkey · Ward", "alice, Password · Ward", "Use another device or security key")


def test_a_frame_of_the_same_site_is_filled_in(extension: ExtensionBrowser, agent: FakeAgent, sites):
    agent.passwords = [{"host": "login.shop.localhost", "user": "alice", "password": "a secret"}]
    inner, outer, evil = (sites.origin(host) for host in ("login.shop.localhost", "www.shop.localhost", "evil.localhost"))

    def field(around: str) -> Frame:
        page = extension.open("www.shop.localhost", f"/?frame={around}")
        frame = wait_until(lambda: next((frame for frame in page.frames if frame.url == inner + "/"), None))
        frame.locator("#password").click()
        return frame

    # A page of another site in between could lay something over the frame.
    field(f"{evil}/?frame={inner}/")
    frame = field(f"{inner}/")
    wait_until(lambda: extension.menu(frame))
    click_first_row(extension, frame.page, frame)
    frame.wait_for_function("document.querySelector('#password').value === 'a secret'")
    (asked,) = [call["sender"] for call in agent.calls("browser.entries")]
    assert asked["origin"] == inner and asked["ancestors"] == [outer] and asked["frame"] > 0


def test_another_sites_frame_gets_no_passwords(extension: ExtensionBrowser, agent: FakeAgent, sites):
    agent.passwords = [{"host": "inner.localhost", "user": "alice", "password": "a secret"}]
    page = extension.open("outer.localhost", f"/?frame={sites.origin('inner.localhost')}/")
    frame = page.frame_locator("iframe")
    frame.locator("#password").click()
    frame.locator("#user").click()
    # A menu in a page of the site itself shows that the extension has done its work by now.
    page = extension.open("inner.localhost")
    page.locator("#password").click()
    wait_until(lambda: extension.menu(page))
    assert all(params["sender"]["frame"] == 0 for params in agent.calls("browser.entries"))
