"""Private windows of a real Chromium and a real Firefox: passkeys work there, and nothing is made or saved without a word."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from extension import EXTENSION, ExtensionBrowser, running_extension, wait_until
from fakeagent import CHROMIUM_ID, FIREFOX_ID, HOST_NAME, FakeAgent, host_manifest
from firefox import running_firefox
from manager import PASSPHRASE, Manager
from passkeysite import RelyingParty, Sites
from playwright.sync_api import Error as PlaywrightError
from playwright.sync_api import Playwright
from test_extension_firefox import FirefoxWithExtension

OPEN = """({ url, incognito }) => chrome.windows.create({ url, incognito }).then(({ tabs }) => tabs[0].id)"""
# The extension may run scripts in pages of private windows, which Playwright does not see.
RUN = """([tab, code, words]) => chrome.scripting.executeScript({
    target: { tabId: tab }, world: 'MAIN', args: [code, words], func: (code, words) => (0, eval)(code)(...words),
}).then(([{ result }]) => result)"""


class Tab:
    """A tab that only the extension reaches."""

    def __init__(self, extension: ExtensionBrowser, url: str, *, is_private: bool) -> None:
        self.page = extension.own_page
        self.number = self.page.evaluate(OPEN, {"url": url, "incognito": is_private})
        self.until("() => document.readyState === 'complete' && typeof window.begin === 'function'")

    def run(self, code: str, *words: Any) -> Any:
        return self.page.evaluate(RUN, [self.number, code, list(words)])

    def until(self, code: str) -> Any:
        def found() -> Any:
            try:
                return self.run(code)
            except PlaywrightError:  # the tab has no page yet
                return None

        return wait_until(found, code)

    def ask(self, message: dict[str, Any]) -> dict[str, Any]:
        """What the popup asks for this tab."""
        return self.page.evaluate("(message) => chrome.runtime.sendMessage(message)", {**message, "tab": self.number})

    def fill(self) -> None:
        """Fills in the first password, once the page has heard of its field."""

        def filled() -> bool:
            self.run("() => document.getElementById('password').focus()")
            entries = self.ask({"type": "entries"}).get("entries", [])
            found = [one["id"] for one in entries if one["kind"] == "password"]
            return bool(found and self.ask({"type": "put", "entry": found[0], "kind": "password"}).get("isDone"))

        wait_until(filled, "nothing was filled in")

    def outcome(self, script: str, *words: Any) -> dict[str, Any]:
        self.run("(...words) => { window.begin(...words); }", script, *words)
        return self.until("() => window.done")


@pytest.fixture
def manager(tmp_path: Path) -> Iterator[Manager]:
    made = Manager(tmp_path)
    made.init()
    yield made
    made.stop()


@pytest.fixture
def extension(playwright: Playwright, sites: Sites, manager: Manager) -> Iterator[ExtensionBrowser]:
    """Chromium with the extension, connected and allowed in private windows."""
    program = manager.binary.with_name("ward-browser")
    # What the switch "Allow in Incognito" writes.
    preferences = manager.folder / "profile/Default/Preferences"
    preferences.parent.mkdir(parents=True)
    preferences.write_text(json.dumps({"extensions": {"settings": {CHROMIUM_ID: {"incognito": True}}}}))
    with running_extension(playwright, manager.folder / "profile", None, program, sites, env=manager.environment) as running:
        manager.answers("ok")
        running.own_page.evaluate("chrome.runtime.sendMessage({ type: 'pair' })")
        assert running.is_hooked(), manager.asked
        assert running.own_page.evaluate("chrome.extension.isAllowedIncognitoAccess()")
        yield running


def test_a_private_window_gets_no_passkey_without_a_question(extension: ExtensionBrowser, manager: Manager, sites: Sites):
    rp = RelyingParty(sites.origin("private.localhost"))
    manager.answers(PASSPHRASE)
    manager.ok("add", "Private", "--site", rp.origin, "--username", "anna", secrets={"--password-fd": "a secret"})
    upgrade = "(options) => create(options, { mediation: 'conditional' })"
    private = Tab(extension, rp.origin + "/", is_private=True)
    assert private.page.evaluate("(tab) => chrome.tabs.get(tab).then(({ incognito }) => incognito)", private.number)
    private.fill()
    assert private.run("() => document.getElementById('password').value") == "a secret"
    asked = len(manager.asked)
    refused = private.outcome(upgrade, rp.creation("anna"))
    assert refused["name"] == "NotAllowedError", refused
    assert manager.json("show", "Private")["passkeys"] == [] and len(manager.asked) == asked
    # A passkey that the person asks for is made there too.
    private.run("(...words) => { window.begin(...words); }", "create", rp.creation("anna"))
    extension.choose("main")
    assert rp.registered(private.until("() => window.done")["value"])
    extension.no_chooser()
    manager.ok("passkey", "remove", "--", manager.json("passkey", "list")[0]["credentialID"])
    # The same in a usual window makes one.
    usual = Tab(extension, rp.origin + "/", is_private=False)
    usual.fill()
    made = usual.outcome(upgrade, rp.creation("anna"))
    assert rp.registered(made["value"], present=False), made
    assert len(manager.json("show", "Private")["passkeys"]) == 1


def test_a_private_window_of_firefox_says_that_it_is_private(tmp_path: Path, sites: Sites):
    agent = FakeAgent(tmp_path)
    profile = tmp_path / "profile"
    hosts = profile / ".mozilla/native-messaging-hosts"
    hosts.mkdir(parents=True)
    (hosts / f"{HOST_NAME}.json").write_text(json.dumps({**host_manifest(agent.program), "allowed_extensions": [FIREFOX_ID]}))
    rp = RelyingParty(sites.origin())
    with running_firefox(profile) as firefox:
        installed = firefox.call("Addon:Install", path=str(EXTENSION), temporary=True, allowPrivateBrowsing=True)
        assert installed == FIREFOX_ID
        wait_until(lambda: agent.calls("browser.state"))
        window = firefox.call("WebDriver:NewWindow", type="window", private=True, focus=True)
        firefox.call("WebDriver:SwitchToWindow", handle=window["handle"])
        browser = FirefoxWithExtension(firefox, sites)

        def is_hooked() -> bool:
            firefox.call("WebDriver:Navigate", url=sites.origin() + "/")
            return firefox.run("return !String(CredentialsContainer.prototype.get).includes('get()')")

        wait_until(is_hooked)
        browser.begin("(options) => create(options, { mediation: 'conditional' })", rp.creation())
        assert browser.outcome()["name"] == "NotAllowedError"
        (call,) = agent.calls("browser.passkeys.create")
        # The real agent refuses for this: see the window of Chromium.
        assert call["sender"]["isPrivate"] is True and call["mediation"] == "conditional"
        # What is typed is not offered to be saved.
        firefox.call("WebDriver:Navigate", url=sites.origin() + "/login")
        for field, text in (("user", "ada"), ("password", "a new secret")):
            element = firefox.call("WebDriver:FindElement", using="css selector", value=f"#{field}")
            firefox.call("WebDriver:ElementSendKeys", id=next(iter(element.values())), text=text)
        element = firefox.call("WebDriver:FindElement", using="css selector", value="#go")
        firefox.call("WebDriver:ElementClick", id=next(iter(element.values())))
        firefox.until("return !document.querySelector('#password')")
        assert not agent.calls("browser.capture") and not agent.calls("browser.save")
    agent.close()
