"""Frames in Firefox, which tells extensions of no permission policy: the extension has Firefox itself judge."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import quote

import pytest
from extension import wait_until
from fakeagent import FakeAgent
from passkeysite import RelyingParty, Sites
from test_extension_firefox import FirefoxWithExtension, agent, browser, running  # noqa: F401
from webauthn.helpers import base64url_to_bytes

GET, CREATE = "publickey-credentials-get", "publickey-credentials-create"
OUTER, INNER, MIDDLE = "outer.localhost", "inner.localhost", "middle.localhost"


class Frame:
    """The innermost frame of a page."""

    def __init__(self, browser: FirefoxWithExtension, path: str, depth: int = 1) -> None:  # noqa: F811
        self.browser, self.depth = browser, depth
        browser.open(OUTER, path)
        self.enter()

    def enter(self) -> None:
        for _ in range(self.depth):
            self.browser.firefox.call("WebDriver:SwitchToFrame", id=0)
        self.browser.firefox.until("return typeof window.begin === 'function'")

    def begin(self, script: str, argument: Any) -> None:
        self.browser.begin(script, argument)

    def outcome(self) -> dict[str, Any]:
        return self.browser.outcome()

    def click(self, hook: str) -> dict[str, Any]:
        self.browser.choose(hook)
        self.enter()
        return self.outcome()


@pytest.fixture
def rp(sites: Sites, browser: FirefoxWithExtension, agent: FakeAgent) -> RelyingParty:  # noqa: F811
    """The site of the frame, which has a passkey."""
    made = RelyingParty(sites.origin(INNER))
    browser.open(INNER)
    made.registered(browser.create(made.creation())["value"])
    agent.asked.clear()
    return made


def framed(sites: Sites, allow: str, host: str = INNER, inside: str = "/") -> str:
    return f"/?frame={quote(sites.origin(host) + inside)}&allow={quote(allow)}"


def test_a_frame_that_the_page_permits_uses_passkeys(
    browser: FirefoxWithExtension, agent: FakeAgent, rp: RelyingParty, sites: Sites  # noqa: F811
):
    frame = Frame(browser, framed(sites, GET))
    frame.begin("get", rp.request())

    def window() -> str | None:
        return next((each for each in browser.firefox.call("WebDriver:GetWindowHandles") if each != browser.tab), None)

    browser.firefox.call("WebDriver:SwitchToWindow", handle=wait_until(window))
    shown = browser.firefox.until("const top = document.querySelector('#top'); return top?.textContent")
    assert shown == f"Shown in a page of {OUTER}"
    done = frame.click("account")["value"]
    rp.signed_in(done)
    said = json.loads(base64url_to_bytes(done["response"]["clientDataJSON"]))
    assert said["crossOrigin"] is True and said["topOrigin"] == sites.origin(OUTER)
    (used,) = agent.calls("browser.passkeys.get")
    assert used["sender"]["origin"] == rp.origin and used["sender"]["topURL"].startswith(sites.origin(OUTER))
    assert used["sender"]["ancestors"] == [sites.origin(OUTER)]


@pytest.mark.parametrize(
    ("allow", "kind"),
    [("", "get"), (CREATE, "get"), (GET + " 'none'", "get"), (f"{GET} https://example.com", "get"), (GET, "create"), (CREATE, "create")],
)
def test_a_frame_without_permission_is_refused_by_firefox(
    browser: FirefoxWithExtension, agent: FakeAgent, rp: RelyingParty, sites: Sites, allow: str, kind: str  # noqa: F811
):
    frame = Frame(browser, framed(sites, allow))
    # A new passkey needs a person who has just done something in the frame, too.
    frame.begin(kind, rp.request() if kind == "get" else rp.creation())
    assert frame.outcome() == {
        "name": "NotAllowedError", "message": "CredentialsContainer request is not allowed.", "kind": "DOMException",
    }  # fmt: skip
    assert {method for method, _ in agent.asked} <= {"browser.state"}


def test_a_frame_makes_a_passkey_after_a_click_in_it(
    browser: FirefoxWithExtension, agent: FakeAgent, rp: RelyingParty, sites: Sites  # noqa: F811
):
    frame = Frame(browser, framed(sites, CREATE))
    firefox = browser.firefox
    heading = next(iter(firefox.call("WebDriver:FindElement", using="css selector", value="h1").values()))
    firefox.call("WebDriver:ElementClick", id=heading)
    frame.begin("create", rp.creation("bob"))
    rp.registered(frame.click("main")["value"])


def test_a_page_between_decides_too(
    browser: FirefoxWithExtension, agent: FakeAgent, rp: RelyingParty, sites: Sites  # noqa: F811
):
    for outer, middle, is_permitted in ((GET, "", False), ("", GET, False), (GET + " *", GET, True)):
        agent.asked.clear()
        frame = Frame(browser, framed(sites, outer, MIDDLE, framed(sites, middle)), depth=2)
        frame.begin("get", rp.request())
        if is_permitted:
            rp.signed_in(frame.click("account")["value"])
        else:
            assert frame.outcome()["name"] == "NotAllowedError" and not agent.calls("browser.passkeys.list")
    (used,) = agent.calls("browser.passkeys.get")
    assert used["sender"]["ancestors"] == [sites.origin(MIDDLE), sites.origin(OUTER)]


def test_a_frame_of_the_pages_own_site_inside_another_one_has_no_more_rights(
    browser: FirefoxWithExtension, agent: FakeAgent, sites: Sites  # noqa: F811
):
    own = RelyingParty(sites.origin(OUTER))
    frame = Frame(browser, framed(sites, "", MIDDLE, f"/?frame={quote(own.origin)}"), depth=2)
    frame.begin("get", own.request())
    assert frame.outcome()["name"] == "NotAllowedError" and not agent.calls("browser.passkeys.list")


def test_a_page_cannot_forge_the_permission(
    browser: FirefoxWithExtension, agent: FakeAgent, rp: RelyingParty, sites: Sites  # noqa: F811
):
    frame = Frame(browser, framed(sites, ""))
    browser.firefox.run(
        """
        window.kept = CredentialsContainer.prototype.get;
        const forged = () => Promise.reject(new DOMException('', 'SecurityError'));
        for (const target of [CredentialsContainer.prototype, navigator.credentials]) {
            Object.defineProperty(target, 'get', { value: forged });
        }
        Object.defineProperty(navigator, 'credentials', { value: { get: forged } });
        document.featurePolicy = document.permissionsPolicy = { allowsFeature: () => true };
        window.top = window.parent = window;
        """
    )
    text = "(publicKey) => kept.call(Object.create(CredentialsContainer.prototype), { publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(publicKey) })"
    frame.begin(text, rp.request())
    assert frame.outcome()["name"] in ("NotAllowedError", "TypeError") and not agent.calls("browser.passkeys.list")


def test_a_frame_of_the_same_site_is_filled_in(
    browser: FirefoxWithExtension, agent: FakeAgent, sites: Sites  # noqa: F811
):
    agent.passwords = [{"host": "login.shop.localhost", "user": "alice", "password": "a secret"}]
    login, shop, evil = (sites.origin(host) for host in ("login.shop.localhost", "www.shop.localhost", "evil.localhost"))
    firefox = browser.firefox

    def visit(path: str, depth: int) -> None:
        browser.open("www.shop.localhost", path)
        for _ in range(depth):
            firefox.call("WebDriver:SwitchToFrame", id=0)
        field = next(iter(firefox.call("WebDriver:FindElement", using="css selector", value="#password").values()))
        firefox.call("WebDriver:ElementClick", id=field)

    visit(f"/?frame={quote(f'{evil}/?frame={login}/')}", 2)
    visit(f"/?frame={login}/", 1)
    (asked,) = wait_until(lambda: agent.calls("browser.entries"))
    assert asked["sender"]["origin"] == login and asked["sender"]["ancestors"] == [shop]

    # The person clicks the row in the frame, which takes clicks half a second after it appeared.
    def filled() -> bool:
        place = firefox.run(
            "const menu = document.querySelector(':popover-open'); if (!menu) return null;"
            "const { x, y } = menu.getBoundingClientRect(); return { x: Math.round(x) + 80, y: Math.round(y) + 28 };"
        )
        if place:
            moves = [{"type": "pointerMove", **place}, {"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0}]
            firefox.call("WebDriver:PerformActions", actions=[{"type": "pointer", "id": "mouse", "actions": moves}])
        return firefox.run("return document.querySelector('#password').value") == "a secret"

    wait_until(filled)
    assert firefox.run("return document.querySelector('#user').value") == "alice"
    filling, *_ = agent.calls("browser.fill")
    assert filling["sender"]["origin"] == login
