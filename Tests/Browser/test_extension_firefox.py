"""The extension in Firefox, which has no proxy for passkeys: the page's script answers by itself."""

from __future__ import annotations

import json
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from extension import EXTENSION, wait_until
from fakeagent import FIREFOX_ID, HOST_NAME, FakeAgent, host_manifest
from firefox import Firefox, running_firefox
from passkeysite import RelyingParty, Sites


class FirefoxWithExtension:
    """One Firefox; its first tab shows a site."""

    def __init__(self, firefox: Firefox, sites: Sites) -> None:
        self.firefox = firefox
        self.sites = sites
        self.tab = firefox.call("WebDriver:GetWindowHandle")

    def open(self, host: str = "localhost", path: str = "/") -> None:
        for handle in self.firefox.call("WebDriver:GetWindowHandles"):
            if handle != self.tab:
                self.firefox.call("WebDriver:SwitchToWindow", handle=handle)
                self.firefox.call("WebDriver:CloseWindow")
        self.firefox.call("WebDriver:SwitchToWindow", handle=self.tab)
        self.firefox.call("WebDriver:Navigate", url=self.sites.origin(host) + path)

    def begin(self, script: str, argument: Any = None) -> None:
        self.firefox.run("begin(...arguments)", script, argument)

    def outcome(self) -> dict[str, Any]:
        return self.firefox.until("return window.done")

    def choose(self, hook: str) -> None:
        """Clicks in the extension's window, and comes back to the tab."""

        def window() -> str | None:
            others = [each for each in self.firefox.call("WebDriver:GetWindowHandles") if each != self.tab]
            return others[0] if others else None

        self.firefox.call("WebDriver:SwitchToWindow", handle=wait_until(window, "no window opened"))
        self.firefox.press(hook)
        self.firefox.call("WebDriver:SwitchToWindow", handle=self.tab)

    def create(self, options: dict[str, Any]) -> dict[str, Any]:
        self.begin("create", options)
        self.choose("main")
        return self.outcome()


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory, sites: Sites) -> Iterator[tuple[FirefoxWithExtension, FakeAgent]]:
    folder = tmp_path_factory.mktemp("firefox")
    agent = FakeAgent(folder)
    profile = folder / "profile"
    hosts = profile / ".mozilla/native-messaging-hosts"
    hosts.mkdir(parents=True)
    (hosts / f"{HOST_NAME}.json").write_text(json.dumps({**host_manifest(agent.program), "allowed_extensions": [FIREFOX_ID]}))
    with running_firefox(profile) as firefox:
        assert firefox.call("Addon:Install", path=str(EXTENSION), temporary=True) == FIREFOX_ID
        wait_until(lambda: agent.calls("browser.state"))
        opened = FirefoxWithExtension(firefox, sites)

        def is_hooked() -> bool:
            opened.open()
            return firefox.run("return !String(CredentialsContainer.prototype.get).includes('get()')")

        wait_until(is_hooked)
        yield opened, agent
    agent.close()


@pytest.fixture
def agent(running: tuple[FirefoxWithExtension, FakeAgent]) -> FakeAgent:
    running[1].reset()
    return running[1]


@pytest.fixture
def browser(running: tuple[FirefoxWithExtension, FakeAgent], agent: FakeAgent) -> FirefoxWithExtension:
    running[0].open()
    return running[0]


def test_a_person_makes_a_passkey_and_signs_in_with_it(browser: FirefoxWithExtension, agent: FakeAgent, rp: RelyingParty):
    made = rp.registered(browser.create(rp.creation())["value"])
    browser.begin("get", rp.request([made]))
    browser.choose("account")
    assert rp.signed_in(browser.outcome()["value"]) == made
    (used,) = agent.calls("browser.passkeys.get")
    assert used["sender"]["origin"] == rp.origin and used["sender"]["topURL"].startswith(rp.origin)


def test_what_the_page_gets_works_with_the_platforms_getters(browser: FirefoxWithExtension, rp: RelyingParty):
    browser.begin("(options) => create(options).then((made) => { window.made = made; })", rp.creation())
    browser.choose("main")
    browser.outcome()
    browser.begin(
        """() => ({
            json: PublicKeyCredential.prototype.toJSON.call(made),
            isCredential: made instanceof PublicKeyCredential,
            isResponse: made.response instanceof AuthenticatorAttestationResponse,
            rawId: Object.getOwnPropertyDescriptor(PublicKeyCredential.prototype, 'rawId').get.call(made).byteLength,
            key: made.response.getPublicKey().byteLength,
            transports: made.response.getTransports(),
            results: made.getClientExtensionResults(),
            own: Reflect.ownKeys(made).length,
            text: String(made),
        })"""
    )
    found = browser.outcome()["value"]
    assert rp.registered(found["json"])
    assert found["isCredential"] and found["isResponse"] and found["rawId"] == 32 and found["key"] == 91
    assert found["own"] == 0 and found["text"] == "[object PublicKeyCredential]" and found["results"] == {}


def test_an_excluded_passkey_is_reported_after_the_person_agreed(browser: FirefoxWithExtension, rp: RelyingParty):
    rp.registered(browser.create(rp.creation())["value"])
    assert browser.create(rp.creation(exclude=True))["name"] == "InvalidStateError"


def test_another_rp_id_is_refused_by_the_browser(browser: FirefoxWithExtension, agent: FakeAgent, sites: Sites):
    other = RelyingParty(sites.origin(), "example.com")
    for script, options in (("create", other.creation()), ("get", other.request())):
        browser.begin(script, options)
        assert browser.outcome()["name"] == "SecurityError"
    assert {method for method, _ in agent.asked} <= {"browser.state"}


def test_options_of_a_wrong_type_get_the_browsers_own_errors(browser: FirefoxWithExtension, agent: FakeAgent):
    for options in ("{ publicKey: {} }", "{ publicKey: 5 }", "{ publicKey: { challenge: 'text' } }", "5"):
        for name in ("create", "get"):
            browser.begin(f"() => navigator.credentials.{name}({options})")
            assert browser.outcome()["name"] == "TypeError", (name, options)
    assert {method for method, _ in agent.asked} <= {"browser.state"}


def test_the_page_ends_its_request(browser: FirefoxWithExtension, rp: RelyingParty):
    browser.begin(
        "(options) => { window.ending = new AbortController(); return create(options, { signal: ending.signal }); }", rp.creation()
    )
    wait_until(lambda: len(browser.firefox.call("WebDriver:GetWindowHandles")) == 2)
    browser.firefox.run("ending.abort()")
    assert browser.outcome()["name"] == "AbortError"
    wait_until(lambda: len(browser.firefox.call("WebDriver:GetWindowHandles")) == 1)


def test_closing_the_window_refuses_the_page(browser: FirefoxWithExtension, rp: RelyingParty):
    browser.begin("create", rp.creation())
    browser.choose("cancel")
    assert browser.outcome()["name"] == "NotAllowedError"


def test_a_person_signs_in_at_the_field(browser: FirefoxWithExtension, rp: RelyingParty):
    made = rp.registered(browser.create(rp.creation())["value"])
    browser.begin("(options) => get(options, { mediation: 'conditional' })", rp.request())
    firefox = browser.firefox
    field = next(iter(firefox.call("WebDriver:FindElement", using="css selector", value="#user").values()))
    firefox.call("WebDriver:ElementClick", id=field)
    place = "const menu = document.querySelector(':popover-open'); const box = menu?.getBoundingClientRect();"

    def click() -> Any:
        box = firefox.run(place + "return box ? { x: Math.round(box.x), y: Math.round(box.y) } : null")
        if box:
            move = {"type": "pointerMove", "x": box["x"] + 80, "y": box["y"] + 28, "duration": 0, "origin": "viewport"}
            press, release = ({"type": kind, "button": 0} for kind in ("pointerDown", "pointerUp"))
            actions = [{"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"}, "actions": [move, press, release]}]
            firefox.call("WebDriver:PerformActions", actions=actions)
        return firefox.run("return window.done")

    assert rp.signed_in(wait_until(click)["value"]) == made


def test_extensions_of_a_request_go_to_the_agent_and_back(browser: FirefoxWithExtension, agent: FakeAgent, rp: RelyingParty):
    options = rp.creation(extensions={"credProps": True, "prf": {"eval": {"first": "AQIDBA"}}})
    browser.begin(
        "(options) => create(options).then((made) => [...new Uint8Array(made.getClientExtensionResults().prf.results.first)])", options
    )
    browser.choose("main")
    assert browser.outcome()["value"] == list(sha256(bytes([1, 2, 3, 4])).digest())


def test_a_request_ends_with_its_time(browser: FirefoxWithExtension, rp: RelyingParty):
    browser.begin("get", rp.request(timeout=1))
    assert browser.outcome()["name"] == "NotAllowedError"
    wait_until(lambda: len(browser.firefox.call("WebDriver:GetWindowHandles")) == 1)


def test_an_upgrade_needs_a_password_that_was_filled_in(browser: FirefoxWithExtension, agent: FakeAgent, rp: RelyingParty):
    upgrade = "(options) => create(options, { mediation: 'conditional' })"
    browser.begin(upgrade, rp.creation())
    assert browser.outcome()["name"] == "NotAllowedError"
    (refused,) = agent.calls("browser.passkeys.create")
    agent.filled.add((refused["sender"]["tab"], 0, "alice"))
    browser.begin(upgrade, rp.creation())
    assert rp.registered(browser.outcome()["value"], present=False)


def test_what_the_browser_says_it_can(browser: FirefoxWithExtension):
    browser.begin("() => PublicKeyCredential.getClientCapabilities()")
    capabilities = browser.outcome()["value"]
    assert capabilities["conditionalGet"] and capabilities["conditionalCreate"]
    browser.begin("() => PublicKeyCredential.isUserVerifyingPlatformAuthenticatorAvailable()")
    assert browser.outcome()["value"] is True


def test_a_typed_password_is_kept_until_the_next_page_shows_how_it_went(browser: FirefoxWithExtension, agent: FakeAgent):
    firefox = browser.firefox
    for target, goes_on in (("/login", False), ("/home", True)):
        agent.asked.clear()
        browser.open(path=f"/login?to={target}")
        for selector, text in (("#user", "ada"), ("#password", "typed-7-Secret")):
            element = firefox.call("WebDriver:FindElement", using="css selector", value=selector)
            firefox.call("WebDriver:ElementSendKeys", id=next(iter(element.values())), text=text)
        firefox.run("document.querySelector('#go').click()")
        wait_until(lambda: agent.calls("browser.capture"))
        wait_until(lambda goes_on=goes_on: agent.calls("browser.captured" if goes_on else "browser.discard"))
        (capture,) = agent.calls("browser.capture")
        assert (capture["user"], capture["password"]) == ("ada", "typed-7-Secret")
        assert bool(agent.captures) is goes_on
