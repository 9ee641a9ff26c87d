"""Passkeys of the extension in Chromium: pages call the browser, and the extension answers."""

from __future__ import annotations

import threading
from hashlib import sha256

import pytest
from authenticator import b64
from extension import ExtensionBrowser, wait_until
from fakeagent import FakeAgent, Refused
from passkeysite import RelyingParty
from playwright.sync_api import expect

NATIVE_ONCE_MORE = """
(() => {
  const native = CredentialsContainer.prototype.create;
  let calls = 0;
  CredentialsContainer.prototype.create = async function create(options) {
    if (!options?.signal?.aborted && ++calls === 2) {
      await window.beforeSecondCall();
    }
    return native.call(this, options);
  };
})()
"""


def test_a_person_makes_a_passkey_and_signs_in_with_it(extension: ExtensionBrowser, agent: FakeAgent, rp: RelyingParty):
    page = extension.open()
    made = rp.registered(extension.create(page, rp.creation())["value"])
    extension.begin(page, "get", rp.request())
    chooser = extension.chooser()
    expect(chooser.get_by_test_id("title")).to_have_text("Sign in to localhost")
    extension.choose("account", chooser)
    assert rp.signed_in(extension.outcome(page)["value"]) == made
    extension.no_chooser()
    for method in ("browser.passkeys.create", "browser.passkeys.get"):
        (params,) = agent.calls(method)
        sender = params["sender"]
        assert (sender["origin"], sender["url"], sender["topURL"]) == (rp.origin, page.url, page.url)
        assert sender["frame"] == 0 and sender["tab"] > 0 and sender["document"] and not sender["isPrivate"]
        assert "remoteDesktopClientOverride" not in params["options"]
    assert agent.calls("browser.passkeys.create")[0]["agreed"] is True


def test_what_the_page_gets_is_an_object_of_the_platform(extension: ExtensionBrowser, rp: RelyingParty):
    page = extension.open()
    extension.begin(page, "(options) => create(options).then((made) => { window.made = made; })", rp.creation())
    extension.choose("main")
    extension.outcome(page)
    found = page.evaluate(
        """() => ({
            json: PublicKeyCredential.prototype.toJSON.call(made),
            isCredential: made instanceof PublicKeyCredential,
            isResponse: made.response instanceof AuthenticatorAttestationResponse,
            rawId: Object.getOwnPropertyDescriptor(PublicKeyCredential.prototype, 'rawId').get.call(made).byteLength,
            transports: made.response.getTransports(),
            own: Reflect.ownKeys(made),
        })"""
    )
    assert rp.registered(found["json"])
    assert found["isCredential"] and found["isResponse"] and found["rawId"] == 32
    assert found["transports"] == ["hybrid", "internal"] and found["own"] == []


def test_an_excluded_passkey_is_reported_after_the_person_agreed(extension: ExtensionBrowser, rp: RelyingParty):
    page = extension.open()
    rp.registered(extension.create(page, rp.creation())["value"])
    assert extension.create(page, rp.creation(exclude=True))["name"] == "InvalidStateError"


def test_only_allowed_passkeys_are_offered(extension: ExtensionBrowser, rp: RelyingParty):
    page = extension.open()
    first = rp.registered(extension.create(page, rp.creation("alice"))["value"])
    rp.registered(extension.create(page, rp.creation("bob"))["value"])
    extension.begin(page, "get", rp.request([first]))
    accounts = extension.chooser().get_by_test_id("account")
    expect(accounts).to_have_count(1)
    expect(accounts).to_contain_text("alice")
    extension.choose("account")
    assert rp.signed_in(extension.outcome(page)["value"]) == first


def test_another_rp_id_is_refused_by_the_browser(extension: ExtensionBrowser, agent: FakeAgent, sites):
    page = extension.open()
    other = RelyingParty(sites.origin(), "example.com")
    for script, options in (("create", other.creation()), ("get", other.request())):
        extension.begin(page, script, options)
        assert extension.outcome(page)["name"] == "SecurityError"
    assert extension.choosers() == [] and not agent.calls("browser.passkeys.create")


def test_closing_the_window_refuses_the_page(extension: ExtensionBrowser, rp: RelyingParty):
    page = extension.open()
    extension.begin(page, "create", rp.creation())
    extension.choose("cancel")
    assert extension.outcome(page)["name"] == "NotAllowedError"
    extension.begin(page, "get", rp.request())
    extension.chooser().close()
    assert extension.outcome(page)["name"] == "NotAllowedError"


@pytest.mark.parametrize("script", ["create", "get"])
def test_the_page_ends_its_request(extension: ExtensionBrowser, rp: RelyingParty, script: str):
    page = extension.open()
    options = rp.creation() if script == "create" else rp.request()
    extension.begin(
        page,
        f"(options) => {{ window.ending = new AbortController(); return {script}(options, {{ signal: ending.signal }}); }}",
        options,
    )
    extension.chooser()
    page.evaluate("ending.abort()")
    assert extension.outcome(page)["name"] == "AbortError"
    extension.no_chooser()
    # The next request is not hindered.
    assert "value" in extension.create(page, rp.creation())


def test_the_agents_prompt_is_withdrawn_with_the_request(extension: ExtensionBrowser, agent: FakeAgent, rp: RelyingParty):
    page = extension.open()
    agent.delays["browser.passkeys.create"] = threading.Event()
    extension.begin(page, "create", rp.creation())
    extension.choose("main")
    wait_until(lambda: agent.calls("browser.passkeys.create"))
    page.close()
    wait_until(lambda: agent.calls("browser.cancel"))


def test_two_tabs_ask_at_the_same_time(extension: ExtensionBrowser, sites):
    parties = [RelyingParty(sites.origin(host)) for host in ("one.localhost", "two.localhost")]
    pages = [extension.open(host) for host in ("one.localhost", "two.localhost")]
    for page, party in zip(pages, parties, strict=True):
        extension.begin(page, "create", party.creation())
    wait_until(lambda: len(extension.choosers()) == 2)
    # The second is answered first.
    for host, page, party in reversed(list(zip(("one", "two"), pages, parties, strict=True))):
        titles = {window: window.get_by_test_id("title") for window in extension.choosers()}
        for title in titles.values():
            expect(title).to_contain_text("localhost")
        window = next(window for window, title in titles.items() if f"{host}.localhost" in title.inner_text())
        extension.choose("main", window)
        assert party.registered(extension.outcome(page)["value"])


def test_a_locked_vault_is_unlocked_from_the_window(extension: ExtensionBrowser, agent: FakeAgent, rp: RelyingParty):
    page = extension.open()
    made = rp.registered(extension.create(page, rp.creation())["value"])
    agent.state["isLocked"] = True
    extension.begin(page, "get", rp.request())
    chooser = extension.chooser()
    expect(chooser.get_by_test_id("account")).to_have_count(0)
    expect(chooser.get_by_test_id("text")).to_contain_text("Ward is locked.")
    chooser.get_by_test_id("main").click()
    extension.choose("account", chooser)
    assert rp.signed_in(extension.outcome(page)["value"]) == made
    assert len(agent.calls("browser.unlock")) == 1


def test_another_device_is_one_click_away(extension: ExtensionBrowser, agent: FakeAgent, rp: RelyingParty):
    """The second call of the page's script reaches the browser's own authenticators."""
    page = extension.context.new_page()
    cdp = extension.context.new_cdp_session(page)
    devices = []

    def plug_in():
        cdp.send("WebAuthn.enable", {"enableUI": False})
        options = {
            "protocol": "ctap2", "transport": "usb", "hasResidentKey": True, "hasUserVerification": True, "isUserVerified": True,
            "automaticPresenceSimulation": True,
        }  # fmt: skip
        devices.append(cdp.send("WebAuthn.addVirtualAuthenticator", {"options": options})["authenticatorId"])

    page.expose_function("beforeSecondCall", plug_in)
    page.add_init_script(NATIVE_ONCE_MORE)
    page.goto(extension.sites.origin())
    extension.begin(page, "create", rp.creation())
    extension.choose("other")
    made = rp.registered(extension.outcome(page)["value"])
    assert len(cdp.send("WebAuthn.getCredentials", {"authenticatorId": devices[0]})["credentials"]) == 1
    assert made and not agent.calls("browser.passkeys.create")
    # Then requests come to the extension again.
    page.close()
    assert "value" in extension.create(extension.open(), RelyingParty(rp.origin).creation())


def test_a_request_waits_while_another_one_is_at_the_browsers_dialog(extension: ExtensionBrowser, sites):
    """Giving one request to the browser ends all that Chromium has given to the extension; the others are made again."""
    first, second = RelyingParty(sites.origin("one.localhost")), RelyingParty(sites.origin("two.localhost"))
    waiting = extension.open("one.localhost")
    extension.begin(waiting, "create", first.creation())
    chooser = extension.chooser()
    page = extension.open("two.localhost")
    extension.begin(
        page, "(options) => { window.ending = new AbortController(); return create(options, { signal: ending.signal }); }",
        second.creation(),
    )  # fmt: skip
    wait_until(lambda: len(extension.choosers()) == 2)
    other = next(window for window in extension.choosers() if window != chooser)
    extension.choose("other", other)
    wait_until(lambda: len(extension.choosers()) == 1)
    page.evaluate("ending.abort()")
    assert extension.outcome(page)["name"] == "AbortError"
    extension.choose("main", chooser)
    assert first.registered(extension.outcome(waiting)["value"])


def test_without_an_agent_the_request_is_the_browsers(extension: ExtensionBrowser, agent: FakeAgent, rp: RelyingParty):
    for number, code in enumerate(("unavailable", "not_paired", "passkeys_off"), 1):
        page = extension.open()
        agent.refusals["browser.passkeys.list"] = Refused(code)
        extension.begin(
            page, "(options) => { window.ending = new AbortController(); return get(options, { signal: ending.signal }); }",
            rp.request(),
        )  # fmt: skip
        wait_until(lambda: len(agent.calls("browser.passkeys.list")) == number)
        assert extension.choosers() == []
        page.evaluate("ending.abort()")
        assert extension.outcome(page)["name"] in ("AbortError", "NotAllowedError")


def test_errors_of_the_agent_reach_the_page(extension: ExtensionBrowser, agent: FakeAgent, rp: RelyingParty):
    page = extension.open()
    for name in ("NotAllowedError", "InvalidStateError", "ConstraintError", "NotSupportedError", "SecurityError"):
        agent.refusals["browser.passkeys.create"] = Refused("ceremony_failed", name)
        assert extension.create(page, rp.creation())["name"] == name


def test_every_kind_of_mediation_with_a_window(extension: ExtensionBrowser, rp: RelyingParty):
    page = extension.open()
    rp.registered(extension.create(page, rp.creation())["value"])
    for mediation in ("optional", "required"):
        extension.begin(page, f"(options) => get(options, {{ mediation: '{mediation}' }})", rp.request())
        extension.choose("account")
        assert rp.signed_in(extension.outcome(page)["value"])
        extension.no_chooser()


def test_silent_mediation_gives_nothing_and_shows_nothing(extension: ExtensionBrowser, agent: FakeAgent, rp: RelyingParty):
    page = extension.open()
    extension.begin(page, "(options) => get(options, { mediation: 'silent' })", rp.request())
    assert extension.outcome(page) == {"value": None}
    assert not agent.asked and extension.choosers() == []


def test_a_page_that_wants_a_passkey_at_once(extension: ExtensionBrowser, agent: FakeAgent, rp: RelyingParty):
    page = extension.open()
    immediate = "(options) => get(options, { uiMode: 'immediate' })"
    page.locator("h1").click()
    extension.begin(page, immediate, rp.request())
    assert extension.outcome(page)["name"] == "NotAllowedError"
    made = rp.registered(extension.create(page, rp.creation())["value"])
    page.locator("h1").click()
    extension.begin(page, immediate, rp.request())
    extension.choose("account")
    assert rp.signed_in(extension.outcome(page)["value"]) == made
    extension.no_chooser()
    agent.state["isLocked"] = True
    page.locator("h1").click()
    extension.begin(page, immediate, rp.request())
    assert extension.outcome(page)["name"] == "NotAllowedError"
    assert extension.choosers() == []


def test_extensions_of_a_request_go_to_the_agent_and_back(extension: ExtensionBrowser, agent: FakeAgent, rp: RelyingParty):
    page = extension.open()
    options = rp.creation(extensions={"credProps": True, "prf": {"eval": {"first": "AQIDBA"}}})
    made = extension.create(page, options)["value"]
    assert '"prf":{"eval":{"first":"AQIDBA"}}' in agent.calls("browser.passkeys.create")[0]["options"]
    first = b64(sha256(bytes([1, 2, 3, 4])).digest())
    assert made["clientExtensionResults"] == {"credProps": {"rk": True}, "prf": {"enabled": True, "results": {"first": first}}}


def test_options_of_a_wrong_type_get_the_browsers_own_errors(extension: ExtensionBrowser, agent: FakeAgent):
    page = extension.open()
    for options in (
        "{ publicKey: {} }", "{ publicKey: 5 }", "{ publicKey: { challenge: 'text' } }",
        "{ publicKey: { challenge: new Uint8Array(16), rp: 1, user: 2, pubKeyCredParams: 3, allowCredentials: 4 } }",
        "{ publicKey: { challenge: new Uint8Array(16), allowCredentials: [{}], rp: {}, user: {}, pubKeyCredParams: [] } }",
        "{ publicKey: { challenge: new Uint8Array(16) }, mediation: 'never', signal: {} }", "5",
    ):  # fmt: skip
        for name in ("create", "get"):
            extension.begin(page, f"() => navigator.credentials.{name}({options})")
            outcome = extension.outcome(page)
            assert (outcome.get("name"), outcome.get("kind")) == ("TypeError", "TypeError"), (name, options, outcome)
    extension.begin(page, "() => CredentialsContainer.prototype.get.call({}, { publicKey: { challenge: new Uint8Array(16) } })")
    assert extension.outcome(page)["name"] == "TypeError"
    assert not agent.asked and extension.choosers() == []


def test_an_upgrade_needs_a_password_that_was_filled_in(extension: ExtensionBrowser, agent: FakeAgent, rp: RelyingParty):
    page = extension.open()
    upgrade = "(options) => create(options, { mediation: 'conditional' })"
    extension.begin(page, upgrade, rp.creation())
    assert extension.outcome(page)["name"] == "NotAllowedError"
    (refused,) = agent.calls("browser.passkeys.create")
    assert refused["mediation"] == "conditional" and "agreed" not in refused
    agent.filled.add((refused["sender"]["tab"], 0, "alice"))
    extension.begin(page, upgrade, rp.creation())
    assert rp.registered(extension.outcome(page)["value"], present=False)
    assert extension.choosers() == []


def test_a_refused_upgrade_shows_nothing(extension: ExtensionBrowser, agent: FakeAgent, rp: RelyingParty):
    page = extension.open()
    for code in ("locked", "unavailable", "denied", "not_paired"):
        agent.refusals["browser.passkeys.create"] = Refused(code)
        extension.begin(page, "(options) => create(options, { mediation: 'conditional' })", rp.creation())
        assert extension.outcome(page)["name"] == "NotAllowedError"
        assert extension.choosers() == []


def test_what_the_browser_says_it_can(extension: ExtensionBrowser):
    page = extension.open()
    found = page.evaluate(
        """async () => [
            await PublicKeyCredential.isUserVerifyingPlatformAuthenticatorAvailable(),
            await PublicKeyCredential.isConditionalMediationAvailable(),
            await PublicKeyCredential.getClientCapabilities(),
        ]"""
    )
    assert found[:2] == [True, True]
    for name in ("conditionalCreate", "conditionalGet", "passkeyPlatformAuthenticator", "signalUnknownCredential"):
        assert found[2][name] is True, name


def test_signals_reach_the_agent(extension: ExtensionBrowser, agent: FakeAgent, rp: RelyingParty):
    page = extension.open()
    extension.begin(page, "(options) => PublicKeyCredential.signalUnknownCredential(options)", {"rpId": "localhost", "credentialId": "AQID"})
    assert extension.outcome(page) == {"value": None}
    (signal,) = agent.calls("browser.passkeys.signal")
    assert signal["kind"] == "signalUnknownCredential" and "AQID" in signal["options"]
    extension.begin(page, "(options) => PublicKeyCredential.signalUnknownCredential(options)", {"rpId": "example.com", "credentialId": "AQID"})
    assert extension.outcome(page)["name"] == "SecurityError"
    assert len(agent.calls("browser.passkeys.signal")) == 1


def test_frames_of_other_sites_need_permission_of_the_page(extension: ExtensionBrowser, agent: FakeAgent, sites):
    inner = sites.origin("inner.localhost")
    rp = RelyingParty(inner, "inner.localhost")
    page = extension.open("outer.localhost", f"/?frame={inner}/")
    frame = wait_until(lambda: next((frame for frame in page.frames if frame.url.startswith(inner)), None))
    extension.begin(frame, "get", rp.request())
    assert extension.outcome(frame)["name"] == "NotAllowedError"
    assert not agent.calls("browser.passkeys.list")
    page = extension.open("outer.localhost", f"/?frame={inner}/&allow=publickey-credentials-get")
    frame = wait_until(lambda: next((frame for frame in page.frames if frame.url.startswith(inner)), None))
    top = extension.open("inner.localhost")
    rp.registered(extension.create(top, rp.creation())["value"])
    extension.begin(frame, "get", rp.request())
    extension.choose("account")
    assert "value" in extension.outcome(frame)
    (used,) = agent.calls("browser.passkeys.get")
    assert used["sender"]["topURL"].startswith(sites.origin("outer.localhost")) and used["sender"]["origin"] == inner
