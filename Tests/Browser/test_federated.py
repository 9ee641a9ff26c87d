"""Signing in at another provider, in Chromium: the provider is a `ward-server` of its own, at another site."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pytest
from identityprovider import CALLBACK, settings_file
from measures import JOURNEYS
from openidconnect import add_client
from passwords import PASSWORD, create_with_password
from playwright.sync_api import Browser, expect
from test_accessibility import check
from test_second_step import add_app, code
from visitor import ServicePage, Visitor
from wardserver import Server, free_port


@dataclass
class World:
    """A service, and the provider where its people may sign in."""

    service: Server
    provider: Server
    visit: Callable[..., Visitor]

    def at_provider(self, visitor: Visitor) -> ServicePage:
        """The same tab, at the provider's pages."""
        return ServicePage(visitor.page, self.provider)


@pytest.fixture(scope="module")
def servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Server, Server]]:
    folder = tmp_path_factory.mktemp("federated")
    (folder / "provider").mkdir(mode=0o700)
    (folder / "service").mkdir(mode=0o700)
    port = free_port()
    origin = f"http://app.localhost:{port}"
    with Server(folder / "provider") as provider:
        client = add_client(provider, "The service", "--redirect-uri", origin + CALLBACK, "--first-party")
        assert client.client_secret
        settings = {
            "id": "ward", "name": "Ward test", "issuer": provider.origin, "clientID": client.client_id,
            "clientSecretFile": "client-secret",
        }  # fmt: skip
        file = settings_file(folder / "service", settings, secret=client.client_secret)
        with Server(
            folder / "service", host="app.localhost", port=port, arguments=("--identity-providers", str(file))
        ) as service:
            yield service, provider


@pytest.fixture
def world(browser: Browser, servers: tuple[Server, Server]) -> Iterator[World]:
    service, provider = servers
    visitors: list[Visitor] = []

    def visit(**context) -> Visitor:
        visitors.append(Visitor(browser, service, **context))
        return visitors[-1]

    yield World(service, provider, visit)
    for visitor in visitors:
        visitor.close()
    complaints = [complaint for visitor in visitors for complaint in visitor.complaints]
    assert not complaints, complaints


def sign_in_at_provider(world: World, visitor: Visitor, name: str) -> None:
    """The provider's own sign-in page, behind a password."""
    there = world.at_provider(visitor)
    visitor.page.wait_for_url(f"{world.provider.origin}/oidc/authorize?*")
    there.ready()
    there.at("use-password").click()
    there.at("username").fill(name)
    there.at("password").fill(PASSWORD)
    there.at("password").press("Enter")


def create_at_provider(world: World, browser: Browser, name: str) -> None:
    """Somebody makes an account with a password at the provider, elsewhere."""
    visitor = Visitor(browser, world.provider)
    create_with_password(visitor, name)
    visitor.close()


@pytest.mark.parametrize("locale", [locale for locale, _ in JOURNEYS])
def test_a_person_makes_an_account_with_the_provider_and_comes_back(
    world: World, browser: Browser, name: str, locale: str
):
    create_at_provider(world, browser, name)
    ada = world.visit(locale=locale, viewport={"width": 320, "height": 640})
    ada.open("/")
    expect(ada.at("provider-ward")).to_contain_text("Ward test")
    check(ada, f"the sign-in page offers a provider, {locale}")
    ada.at("provider-ward").click()
    sign_in_at_provider(world, ada, name)
    expect(ada.at("federated-create")).to_be_visible()
    expect(ada.at("federated-lead")).to_contain_text("Ward test")
    # The code is in no address any more.
    assert "code=" not in ada.page.url and "state=" not in ada.page.url
    check(ada, f"an account is made with a provider, {locale}")
    ada.at("username").fill(name)
    ada.at("username").press("Enter")
    ada.arrives("/account")
    expect(ada.at("federated-row")).to_have_count(1)
    expect(ada.at("federated-name")).to_have_text("Ward test")
    check(ada, f"the account page shows a linked account, {locale}")

    ada.sign_out()
    ada.at("provider-ward").click()
    # The person is still signed in at the provider, which sends the browser back at once.
    ada.arrives("/account")
    expect(ada.at("account-username")).to_have_text(name)
    expect(ada.at("offer")).to_be_visible()
    with ada.touching():
        ada.at("offer-accept").click()
        ada.says("passkey_added")
    assert len(ada.passkeys()) == 1


def test_an_account_is_linked_and_unlinked(world: World, browser: Browser, name: str):
    create_at_provider(world, browser, name)
    ada = world.visit()
    ada.create_account(name)
    expect(ada.at("federated-none")).to_be_visible()
    ada.at("link-ward").click()
    sign_in_at_provider(world, ada, name)
    ada.arrives("/account")
    ada.says("identity_linked")
    expect(ada.at("federated-row")).to_have_count(1)
    expect(ada.at("activity-row").first).to_have_attribute("data-event", "identity_linked")

    # The same account at the provider is nobody else's.
    other = world.visit()
    other.create_account(f"{name}.eve")
    other.at("link-ward").click()
    sign_in_at_provider(world, other, name)
    other.arrives("/account")
    other.complains("identity_taken")
    expect(other.at("federated-none")).to_be_visible()

    # A change needs the passkey again: the provider alone is not enough for an account that has one.
    ada.age_sessions(600)
    ada.at("federated-remove").click()
    ada.at("dialog-confirm").click()
    expect(ada.at("dialog")).to_have_attribute("data-kind", "passkey")
    with ada.touching():
        ada.at("dialog-confirm").click()
        ada.says("identity_unlinked")
    expect(ada.at("federated-none")).to_be_visible()


def test_a_second_step_follows_the_provider(world: World, browser: Browser, name: str):
    create_at_provider(world, browser, name)
    ada = world.visit()
    ada.open("/")
    ada.at("provider-ward").click()
    sign_in_at_provider(world, ada, name)
    # The provider's page has a field for a name too.
    expect(ada.at("federated-create")).to_be_visible()
    ada.at("username").fill(name)
    ada.at("federated-create").click()
    ada.arrives("/account")
    secret = add_app(ada)
    ada.sign_out()
    ada.at("provider-ward").click()
    expect(ada.at("step-code")).to_be_visible()
    ada.at("step-code").fill(code(secret, steps=1))
    ada.at("step-code").press("Enter")
    ada.arrives("/account")


def test_a_person_with_nothing_else_confirms_a_change_at_the_provider(world: World, browser: Browser, name: str):
    create_at_provider(world, browser, name)
    ada = world.visit()
    ada.open("/")
    ada.at("provider-ward").click()
    sign_in_at_provider(world, ada, name)
    # The provider's page has a field for a name too.
    expect(ada.at("federated-create")).to_be_visible()
    ada.at("username").fill(name)
    ada.at("federated-create").click()
    ada.arrives("/account")
    ada.age_sessions(600)
    ada.page.reload()
    ada.ready()
    ada.at("codes-make").click()
    expect(ada.at("dialog")).to_have_attribute("data-kind", "provider")
    ada.at("dialog-confirm").click()
    # The dialog stays until the page is left; the address of the return is replaced before that page has loaded.
    expect(ada.at("dialog")).to_be_hidden()
    ada.arrives("/account")
    ada.at("codes-make").click()
    ada.says("codes_made")


def test_a_person_goes_on_where_the_sign_in_began(world: World, browser: Browser, name: str):
    create_at_provider(world, browser, name)
    ada = world.visit()
    ada.open("/")
    ada.at("provider-ward").click()
    sign_in_at_provider(world, ada, name)
    # The provider's page has a field for a name too.
    expect(ada.at("federated-create")).to_be_visible()
    ada.at("username").fill(name)
    ada.at("federated-create").click()
    ada.arrives("/account")
    ada.sign_out()
    ada.page.goto(f"{world.service.origin}/device")
    ada.ready()
    ada.at("provider-ward").click()
    ada.page.wait_for_url(f"{world.service.origin}/device")


def test_an_answer_that_nobody_asked_for_signs_nobody_in(world: World):
    ada = world.visit()
    ada.page.goto(f"{world.service.origin}{CALLBACK}?state={'A' * 43}&code=stolen")
    ada.complains("flow_not_valid")
    assert "stolen" not in ada.page.url
    ada.page.goto(world.service.origin + CALLBACK)
    ada.ready()
    expect(ada.at("sign-in")).to_be_visible()
    expect(ada.at("error")).to_be_hidden()
