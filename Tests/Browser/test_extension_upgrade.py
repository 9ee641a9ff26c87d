"""From a password to a passkey with no question asked: the extension, the agent and the service, all real."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from extension import ExtensionBrowser, running_extension
from manager import PASSPHRASE, Manager
from passkeysite import RelyingParty, Sites
from passwords import PASSWORD, create_with_password
from playwright.sync_api import Page, Playwright, expect
from visitor import ServicePage
from wardserver import Server

UPGRADE = """async (options) => {
    const begun = performance.now();
    try {
        return await create(options, { mediation: 'conditional' });
    } catch (error) {
        window.took = performance.now() - begun;
        throw error;
    }
}"""


@pytest.fixture(scope="module")
def manager(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Manager]:
    made = Manager(tmp_path_factory.mktemp("agent"))
    made.init()
    yield made
    made.stop()


@pytest.fixture(scope="module")
def extension(playwright: Playwright, sites: Sites, manager: Manager) -> Iterator[ExtensionBrowser]:
    """Chromium with the extension, connected."""
    program = manager.binary.with_name("ward-browser")
    with running_extension(playwright, manager.folder / "profile", None, program, sites, env=manager.environment) as running:
        manager.answers("ok")
        running.own_page.evaluate("chrome.runtime.sendMessage({ type: 'pair' })")
        assert running.is_hooked(), manager.asked
        yield running


@pytest.fixture(autouse=True)
def no_tabs_stay(extension: ExtensionBrowser) -> Iterator[None]:
    yield
    extension.end_test()


def add(manager: Manager, title: str, site: str, user: str, password: str = "a secret") -> None:
    """A password for a site; unlocks the vault before."""
    manager.answers(PASSPHRASE)
    manager.ok("add", title, "--site", site, "--username", user, secrets={"--password-fd": password})


def fill(extension: ExtensionBrowser, page: Page, password: str = "a secret") -> None:
    """Picks the first row of the menu at the password field."""
    page.locator("#password").click()
    extension.pick(page, lambda: page.input_value("#password") == password)


def test_an_account_with_a_password_gets_a_passkey_and_is_opened_with_it(
    extension: ExtensionBrowser, manager: Manager, server: Server, name: str
):
    person = ServicePage(extension.context.new_page(), server)
    create_with_password(person, name)
    expect(person.at("passkey-none")).to_be_visible()
    add(manager, "At the service", server.origin, name, PASSWORD)
    person.sign_out()

    asked = len(manager.asked)
    person.at("use-password").click()
    fill(extension, person.page, PASSWORD)
    expect(person.at("username")).to_have_value(name)
    person.at("password").press("Enter")
    person.arrives("/account")
    person.says("upgraded")
    expect(person.at("passkey-row")).to_have_count(1)
    expect(person.at("offer")).to_be_hidden()
    assert len(manager.asked) == asked and extension.choosers() == []
    (passkey,) = manager.json("show", "At the service")["passkeys"]
    assert passkey["userName"] == name
    person.sign_out()

    person.at("username").click()
    extension.pick(person.page, lambda: person.page.url == f"{server.origin}/account")
    person.ready()
    expect(person.at("account-username")).to_have_text(name)
    # The service would ask again after a sign-in with a password alone.
    expect(person.page.locator("html")).not_to_have_attribute("data-upgrade", "asking")


def test_every_unmet_condition_is_one_refusal(extension: ExtensionBrowser, manager: Manager, sites: Sites):
    rp = RelyingParty(sites.origin("conditions.localhost"))
    add(manager, "Conditions", rp.origin, "anna")
    seen: dict[str, Any] = {}

    def asks(page: Page, user: str = "anna", party: RelyingParty = rp) -> dict[str, Any]:
        page.bring_to_front()
        extension.begin(page, UPGRADE, party.creation(user))
        return extension.outcome(page)

    def is_refused(what: str, page: Page, user: str = "anna", party: RelyingParty = rp) -> None:
        seen[what] = asks(page, user, party)
        assert page.evaluate("took") >= 250, what

    def opened(host: str = "conditions.localhost", *, filling: bool = True) -> Page:
        page = extension.open(host)
        if filling:
            fill(extension, page)
        return page

    asked = len(manager.asked)
    is_refused("nothing was filled", opened(filling=False))
    page = opened(filling=False)
    page.evaluate("""() => {
        for (const [id, text] of [['user', 'anna'], ['password', 'a secret']]) {
            const field = document.getElementById(id);
            field.focus();
            field.value = text;
            field.dispatchEvent(new InputEvent('input', { bubbles: true }));
            field.dispatchEvent(new Event('change', { bubbles: true }));
        }
    }""")
    is_refused("the page filled the fields itself", page)
    page = opened()
    is_refused("another account", page, "eve")
    is_refused("another tab", opened(filling=False))
    page.goto(sites.origin("other.localhost"))
    is_refused("another site in the same tab", page, party=RelyingParty(sites.origin("other.localhost")))
    page = opened()
    page.locator("#user").press("End")
    page.keyboard.type("x")
    is_refused("a field that was changed by hand", page)
    page = opened()
    manager.ok("lock")
    is_refused("a locked vault", page)
    manager.ok("unlock", passphrase=PASSPHRASE)
    assert len(manager.asked) == asked, "no prompt for any of them"

    # The worker may end in between: the agent remembers.
    page = opened()
    extension.end_worker()
    outcome = asks(page)
    assert rp.registered(outcome["value"], present=False)
    is_refused("there is a passkey", page)

    assert len(seen) == 8
    assert {(error["name"], error["message"], error["kind"]) for error in seen.values()} == {
        ("NotAllowedError", seen["nothing was filled"]["message"], "DOMException")
    }, seen
    assert extension.choosers() == []
