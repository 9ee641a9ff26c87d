"""Signals of services in Firefox, which has none of its own: each fault gets the error that Chromium gives for it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from fakeagent import FakeAgent
from passkeysite import Sites
from playwright.sync_api import Playwright
from test_extension_firefox import FirefoxWithExtension, agent, browser, running  # noqa: F401
from visitor import CHROMIUM

NAMES = ("signalUnknownCredential", "signalAllAcceptedCredentials", "signalCurrentUserDetails")
GOOD = {
    "signalUnknownCredential": {"rpId": "localhost", "credentialId": "AQID"},
    "signalAllAcceptedCredentials": {"rpId": "localhost", "userId": "BAUG", "allAcceptedCredentialIds": ["AQID", "BwgJ"]},
    "signalCurrentUserDetails": {"rpId": "localhost", "userId": "BAUG", "name": "ada", "displayName": "Ada"},
}
# What a page may give for `good`, its options; the outcome is Chromium's.
ARGUMENTS = [
    "", "undefined", "null", "5", "'text'", "Symbol()", "[]", "{}", "good, 5", "() => {}", "Object.assign(() => {}, good)",
    "{ ...good, rpId: undefined }", "{ ...good, rpId: null }", "{ ...good, rpId: '' }", "{ ...good, rpId: 'example.com' }",
    "{ ...good, rpId: 'com' }", "{ ...good, rpId: 'a.localhost' }", "{ ...good, rpId: Symbol() }", "{ ...good, rpId: ['localhost'] }",
    "{ ...good, rpId: { toString() { throw new RangeError('own') } } }", "{ ...good, get rpId() { throw new RangeError('own') } }",
    "{ ...good, credentialId: undefined, userId: undefined }", "{ ...good, credentialId: 'A', userId: 'A' }",
    "{ ...good, credentialId: 'AQ==', userId: 'AQ==' }", "{ ...good, credentialId: 'A+/A', userId: 'A+/A' }",
    "{ ...good, credentialId: 'A Q', userId: 'A Q' }", "{ ...good, credentialId: 'AR', userId: 'AR' }",
    "{ ...good, credentialId: '', userId: '' }", "{ ...good, credentialId: 5555, userId: 5555 }",
    "{ ...good, credentialId: '!', userId: '!', rpId: 'example.com' }", "{ ...good, credentialId: 'äöü', userId: 'äöü' }",
    "{ ...good, allAcceptedCredentialIds: 'AQID' }", "{ ...good, allAcceptedCredentialIds: null }",
    "{ ...good, allAcceptedCredentialIds: {} }", "{ ...good, allAcceptedCredentialIds: [] }",
    "{ ...good, allAcceptedCredentialIds: new Set(['AQID']) }", "{ ...good, allAcceptedCredentialIds: ['AQID', '='] }",
    "{ ...good, allAcceptedCredentialIds: [Symbol()] }", "{ ...good, name: undefined }", "{ ...good, name: null, displayName: 5 }",
    "{ ...good, displayName: Symbol() }", "Object.create(good)", "new Proxy(good, {})",
]  # fmt: skip
# One after the other: Chromium takes one signal at a time.
ALL = """async ([names, goods, texts]) => {
    const found = [];
    for (const name of names) {
        for (const text of texts) {
            const call = eval(`(good) => PublicKeyCredential.${name}(${text.startsWith('{') ? `(${text})` : text})`);
            let made;
            try {
                made = call(goods[name]);
            } catch (error) {
                found.push([name, text, 'at once', error.name]);
                continue;
            }
            found.push(await made.then((value) => [name, text, 'done', String(value)], (error) => [name, text, 'refused', error.name]));
        }
    }
    return found;
}"""
SHAPE = """(names) => names.map((name) => {
    const { value, ...flags } = Object.getOwnPropertyDescriptor(PublicKeyCredential, name);
    let isConstructor = true;
    try { new value({}) } catch { isConstructor = false; }
    return { ...flags, name: value.name, length: value.length, text: String(value).includes('native code'), isConstructor };
})"""


@pytest.fixture(scope="module")
def theirs(playwright: Playwright, sites: Sites) -> dict[str, Any]:
    """What Chromium itself does."""
    chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
    page = chromium.new_page()
    page.goto(sites.origin())
    found = {"all": page.evaluate(ALL, [NAMES, GOOD, ARGUMENTS]), "shape": page.evaluate(SHAPE, NAMES)}
    chromium.close()
    return found


def test_arguments_have_the_outcome_that_they_have_in_chromium(
    browser: FirefoxWithExtension, agent: FakeAgent, theirs: dict[str, Any]  # noqa: F811
):
    browser.begin(ALL, [NAMES, GOOD, ARGUMENTS])
    found = browser.outcome()["value"]
    assert [(ours, other) for ours, other in zip(found, theirs["all"], strict=True) if ours != other] == []
    assert {name for _, _, _, name in found} >= {"undefined", "TypeError", "SecurityError", "RangeError"}
    # Nothing that a page may not say was heard.
    for call in agent.calls("browser.passkeys.signal"):
        assert call["sender"]["origin"] == browser.sites.origin()


def test_they_look_like_functions_of_the_browser(browser: FirefoxWithExtension, theirs: dict[str, Any]):  # noqa: F811
    assert browser.firefox.run(f"return ({SHAPE})(...arguments)", NAMES) == theirs["shape"]


def test_signals_reach_the_agent_as_the_page_sent_them(browser: FirefoxWithExtension, agent: FakeAgent):  # noqa: F811
    for name in NAMES:
        browser.begin(f"(options) => PublicKeyCredential.{name}({{ ...options, other: 'left out' }})", GOOD[name])
        assert browser.outcome() == {"value": None}
    calls = agent.calls("browser.passkeys.signal")
    assert [(call["kind"], json.loads(call["options"])) for call in calls] == list(GOOD.items())
    assert all(call["sender"]["origin"] == browser.sites.origin() and call["sender"]["frame"] == 0 for call in calls)


def test_only_the_agent_says_which_rp_id_is_the_pages_own(browser: FirefoxWithExtension, agent: FakeAgent):  # noqa: F811
    browser.open("login.shop.localhost")
    for rp_id, name in (("shop.localhost", None), ("login.shop.localhost", None), ("other.localhost", "SecurityError")):
        browser.begin("(options) => PublicKeyCredential.signalUnknownCredential(options)", {"rpId": rp_id, "credentialId": "AQID"})
        assert browser.outcome().get("name") == name, rp_id
    assert len(agent.calls("browser.passkeys.signal")) == 3


def test_what_it_says_it_can(browser: FirefoxWithExtension):  # noqa: F811
    browser.begin("() => PublicKeyCredential.getClientCapabilities()")
    capabilities = browser.outcome()["value"]
    assert all(capabilities[name] is True for name in NAMES)
