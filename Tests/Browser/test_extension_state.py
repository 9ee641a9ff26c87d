"""When the extension acts at all, and what its popup shows."""

from __future__ import annotations

import pytest
from extension import ExtensionBrowser, wait_until
from fakeagent import FakeAgent, Refused
from passkeysite import RelyingParty
from playwright.sync_api import expect

# What a page can look at: every member that the extension stands before in other pages.
LOOK = """async () => {
    const seen = {};
    for (const [place, object] of Object.entries({ container: CredentialsContainer.prototype, credential: PublicKeyCredential,
        prototype: PublicKeyCredential.prototype, attestation: AuthenticatorAttestationResponse.prototype })) {
        for (const [name, { value, get }] of Object.entries(Object.getOwnPropertyDescriptors(object))) {
            seen[`${place}.${name}`] = String(value ?? get);
        }
    }
    seen.own = Reflect.ownKeys(navigator.credentials).length;
    // The test's own tool leaves something of its own.
    seen.globals = Object.keys(window).filter((name) => !name.startsWith('__playwright')).sort().join();
    seen.capabilities = JSON.stringify(await PublicKeyCredential.getClientCapabilities());
    seen.platform = await PublicKeyCredential.isUserVerifyingPlatformAuthenticatorAvailable();
    return seen;
}"""


@pytest.fixture(scope="module")
def untouched(playwright, browser, sites) -> dict:
    """The same in a browser without the extension."""
    page = browser.new_page()
    page.goto(sites.origin())
    seen = page.evaluate(LOOK)
    page.close()
    return seen


@pytest.mark.parametrize(
    "change", [{"hasVault": False}, {"isPaired": False}, {"passkeysAreOn": False}, "unavailable", "switch"],
    ids=["no vault", "not paired", "switched off in Ward", "no agent", "switched off in the popup"],
)  # fmt: skip
def test_the_page_sees_an_untouched_browser(extension: ExtensionBrowser, agent: FakeAgent, rp: RelyingParty, untouched: dict, change):
    if change == "switch":
        extension.set_storage({"isSwitchedOn": False})
    else:
        if change == "unavailable":
            agent.refusals["browser.state"] = Refused("unavailable")
        else:
            agent.state |= change
        extension.set_storage({})
    assert extension.own_page.evaluate("chrome.scripting.getRegisteredContentScripts().then((scripts) => scripts.length)") == 0
    page = extension.open()
    assert page.evaluate(LOOK) == untouched
    # Requests go to the browser's own authenticators.
    cdp = extension.context.new_cdp_session(page)
    cdp.send("WebAuthn.enable", {"enableUI": False})
    options = {"protocol": "ctap2", "transport": "internal", "hasResidentKey": True, "hasUserVerification": True, "isUserVerified": True}
    cdp.send("WebAuthn.addVirtualAuthenticator", {"options": options})
    extension.begin(page, "create", rp.creation())
    assert rp.registered(extension.outcome(page)["value"])
    assert not [method for method, _ in agent.asked if method != "browser.state"] and extension.choosers() == []


def test_the_scripts_are_seen_where_the_extension_acts(extension: ExtensionBrowser, untouched: dict):
    """The look above would notice them."""
    assert extension.open().evaluate(LOOK) != untouched


def test_a_page_that_was_open_before_the_switch_is_the_browsers_again(extension: ExtensionBrowser, agent: FakeAgent, rp: RelyingParty):
    page = extension.open()
    extension.set_storage({"isSwitchedOn": False})
    extension.begin(
        page, "(options) => { window.ending = new AbortController(); return get(options, { signal: ending.signal }); }", rp.request()
    )
    page.evaluate("PublicKeyCredential.isConditionalMediationAvailable()")
    page.evaluate("ending.abort()")
    assert extension.outcome(page)["name"] == "AbortError"
    assert not agent.calls("browser.passkeys.list") and extension.choosers() == []


def test_the_popup_pairs_unlocks_and_locks(extension: ExtensionBrowser, agent: FakeAgent, rp: RelyingParty):
    agent.state |= {"isPaired": False, "isLocked": True}
    extension.set_storage({})
    agent.passwords = [{"host": "localhost", "user": "bob", "password": "a secret"}]
    page = extension.open()
    with extension.popup(page) as popup:
        status, main = popup.get_by_test_id("status"), popup.get_by_test_id("main")
        expect(status).to_have_text("Not connected")
        expect(main).to_have_text("Connect")
        main.click()
        expect(status).to_have_text("Locked")
        main.click()
        expect(status).to_have_text("Unlocked")
        expect(popup.get_by_test_id("entries")).to_contain_text("bob")
        assert "a secret" not in popup.content()
        popup.get_by_test_id("lock").click()
        expect(status).to_have_text("Locked")
        expect(popup.get_by_test_id("entries")).to_be_hidden()
    assert extension.is_hooked()
    assert [agent.state[name] for name in ("isPaired", "isLocked")] == [True, True]


def test_the_popup_says_what_is_missing(extension: ExtensionBrowser, agent: FakeAgent):
    agent.state["hasVault"] = False
    with extension.popup() as popup:
        expect(popup.get_by_test_id("status")).to_have_text("No vault")
        expect(popup.get_by_test_id("text")).to_contain_text("ward init")
    agent.refusals["browser.state"] = Refused("unavailable")
    with extension.popup() as popup:
        expect(popup.get_by_test_id("status")).to_have_text("Ward does not answer")
    agent.refusals.clear()
    agent.state |= {"hasVault": True, "isPaired": False}
    agent.refusals["browser.pair"] = Refused("denied")
    with extension.popup() as popup:
        popup.get_by_test_id("main").click()
        expect(popup.get_by_test_id("problem")).to_have_text("Ward did not allow it.")
        expect(popup.get_by_test_id("status")).to_have_text("Not connected")


def test_the_switch_of_the_popup(extension: ExtensionBrowser, rp: RelyingParty):
    with extension.popup() as popup:
        popup.get_by_test_id("switch").click()
        wait_until(lambda: not extension.is_hooked())
        popup.get_by_test_id("switch").click()
        wait_until(extension.is_hooked)
    assert "value" in extension.create(extension.open(), rp.creation())


def test_the_worker_may_end_at_any_time(extension: ExtensionBrowser, rp: RelyingParty):
    page = extension.open()
    made = rp.registered(extension.create(page, rp.creation())["value"])
    for _ in range(2):
        extension.end_worker()
        extension.begin(page, "get", rp.request())
        extension.choose("account")
        assert rp.signed_in(extension.outcome(page)["value"]) == made
        extension.no_chooser()
