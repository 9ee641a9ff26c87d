"""The extension with the real program at the other end: `ward-browser`, the agent, and a vault."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from extension import ExtensionBrowser, running_extension, wait_until
from manager import PASSPHRASE, Manager
from passkeysite import RelyingParty, Sites
from playwright.sync_api import Page, Playwright, expect
from webauthn.helpers import base64url_to_bytes, parse_cbor


@pytest.fixture(scope="module")
def manager(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Manager]:
    made = Manager(tmp_path_factory.mktemp("agent"))
    yield made
    made.stop()


@pytest.fixture(scope="module")
def extension(playwright: Playwright, sites: Sites, manager: Manager) -> Iterator[ExtensionBrowser]:
    """Chromium before there is a vault."""
    program = manager.binary.with_name("ward-browser")
    folder = manager.folder / "profile"
    with running_extension(playwright, folder, None, program, sites, env=manager.environment) as running:
        yield running


def paired(extension: ExtensionBrowser, manager: Manager) -> None:
    if not manager.vault.exists():
        manager.init()
    if not extension.is_hooked():
        manager.answers("ok")
        extension.own_page.evaluate("chrome.runtime.sendMessage({ type: 'pair' })")
        assert extension.is_hooked(), manager.asked


def test_without_a_vault_nothing_happens_and_pairing_begins_it(extension: ExtensionBrowser, manager: Manager):
    assert not extension.is_hooked()
    with extension.popup() as popup:
        expect(popup.get_by_test_id("status")).to_have_text("No vault")
    manager.init()
    with extension.popup() as popup:
        expect(popup.get_by_test_id("status")).to_have_text("Not connected")
        assert not extension.is_hooked()
        manager.answers("ok")
        popup.get_by_test_id("main").click()
        expect(popup.get_by_test_id("status")).to_have_text("Unlocked")
    assert extension.is_hooked()
    assert "Chromium" in str(manager.asked[-1]) or "chromium" in str(manager.asked[-1])


def test_a_passkey_is_made_and_used_in_the_window_and_at_the_field(extension: ExtensionBrowser, manager: Manager, rp: RelyingParty):
    paired(extension, manager)
    page = extension.open()
    made = rp.registered(extension.create(page, rp.creation())["value"])
    assert extension.create(page, rp.creation(exclude=True))["name"] == "InvalidStateError"
    extension.begin(page, "get", rp.request())
    extension.choose("account")
    assert rp.signed_in(extension.outcome(page)["value"]) == made
    extension.begin(page, "(options) => get(options, { mediation: 'conditional' })", rp.request())
    page.locator("#user").click()
    extension.pick(page, lambda: page.evaluate("window.done"))
    assert rp.signed_in(extension.outcome(page)["value"]) == made


def test_a_locked_vault_is_unlocked_from_the_window(extension: ExtensionBrowser, manager: Manager, rp: RelyingParty):
    paired(extension, manager)
    page = extension.open()
    made = rp.registered(extension.create(page, rp.creation("locked"))["value"])
    manager.ok("lock")
    extension.begin(page, "get", rp.request([made]))
    chooser = extension.chooser()
    manager.answers(PASSPHRASE)
    extension.choose("main", chooser)
    extension.choose("account", chooser)
    assert rp.signed_in(extension.outcome(page)["value"]) == made


def test_a_suggested_password_is_a_draft_and_becomes_an_entry(extension: ExtensionBrowser, manager: Manager):
    paired(extension, manager)
    manager.answers(PASSPHRASE)
    manager.ok("unlock")
    page = extension.open("register.localhost", "/register")
    page.locator("#user").press_sequentially("ada@example.com")
    page.locator("#password").click()
    made = extension.pick(page, lambda: page.input_value("#confirm"))
    # The rules of the field.
    assert 12 <= len(made) <= 30 and made.isalpha() and made == made.lower() and page.input_value("#password") == made
    (draft,) = manager.json("list", "register")
    assert draft["tags"] == ["draft"]
    page.locator("#go").click()
    page.wait_for_url("**/home*")
    with extension.popup(page) as popup:

        def offered() -> bool:
            popup.reload()
            popup.locator("body[data-ready]").wait_for(state="attached")
            return popup.get_by_test_id("offer").is_visible()

        wait_until(offered)
        popup.get_by_test_id("offer-save").click()
        expect(popup.get_by_test_id("note")).to_have_text("Saved")
    shown = manager.json("show", "register.localhost", "--reveal")
    assert (shown["username"], shown["password"]["value"], shown["tags"]) == ("ada@example.com", made, [])


def chosen(extension: ExtensionBrowser, page: Page, kind: str, options: dict[str, Any]) -> dict[str, Any]:
    """What a page gets for a call that the person agrees to in the window."""
    extension.begin(page, kind, options)
    extension.choose("main" if kind == "create" else "account")
    outcome = extension.outcome(page)
    extension.no_chooser()
    assert "value" in outcome, outcome
    return outcome["value"]


def test_secrets_and_blobs_of_a_passkey_are_those_of_the_agent(extension: ExtensionBrowser, manager: Manager, sites: Sites):
    paired(extension, manager)
    rp = RelyingParty(sites.origin("more.localhost"))
    page = extension.open("more.localhost")
    wanted = {"prf": {}, "largeBlob": {"support": "required"}, "credProps": True}
    made = chosen(extension, page, "create", rp.creation(extensions=wanted))
    results = made["clientExtensionResults"]
    assert (results["prf"]["enabled"], results["largeBlob"]["supported"], results["credProps"]["rk"]) == (True, True, True)
    id = rp.registered(made)

    def used(**extensions: Any) -> dict[str, Any]:
        # The secret of a passkey needs a verified person.
        manager.answers(PASSPHRASE)
        answer = chosen(extension, page, "get", rp.request([id], extensions=extensions))
        assert rp.signed_in(answer) == id
        return answer["clientExtensionResults"]

    first, second = (used(prf={"eval": {"first": salt}})["prf"]["results"]["first"] for salt in ("c2FsdA", "c2FsdA"))
    assert first == second and len(base64url_to_bytes(first)) == 32
    assert used(prf={"evalByCredential": {made["id"]: {"first": "b3RoZXI"}}})["prf"]["results"]["first"] != first
    assert used(largeBlob={"write": "YSBibG9i"})["largeBlob"]["written"]
    assert base64url_to_bytes(used(largeBlob={"read": True})["largeBlob"]["blob"]) == b"a blob"


def test_a_site_that_asks_for_a_post_quantum_key_gets_one(extension: ExtensionBrowser, manager: Manager, sites: Sites):
    paired(extension, manager)
    rp = RelyingParty(sites.origin("quantum.localhost"))
    page = extension.open("quantum.localhost")
    kinds = [{"type": "public-key", "alg": alg} for alg in (-49, -48, -7)]
    made = chosen(extension, page, "create", rp.creation(pubKeyCredParams=kinds))
    id = rp.registered(made)
    key = parse_cbor(rp.keys[id])
    assert key[1] == 7 and key[3] in (-48, -49)
    assert rp.signed_in(chosen(extension, page, "get", rp.request([id]))) == id
