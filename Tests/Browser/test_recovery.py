"""The page that a recovery link opens."""

import pytest
from playwright.sync_api import Browser, Request, expect
from secondstep import recovery_link
from visitor import Device, Visitor
from wardserver import Server


@pytest.fixture
def ada(browser: Browser, server: Server):
    """Somebody who has an account, and will lose the device."""
    visitor = Visitor(browser, server)
    yield visitor
    visitor.close()


@pytest.fixture
def newcomer(browser: Browser, server: Server):
    """The same person in another browser, with another device."""
    visitor = Visitor(browser, server)
    yield visitor
    visitor.close()


def test_a_recovery_link_adds_a_passkey_and_goes_only_to_the_service(server, ada, newcomer):
    ada.create_account("lost.ada")
    path = recovery_link(server, "lost.ada")
    token = path.partition("=")[2]
    seen: list[Request] = []
    newcomer.page.on("request", lambda request: seen.append(request))
    newcomer.open(path)
    assert token not in newcomer.page.url
    # Another language keeps the link.
    newcomer.page.locator('a[hreflang="ja"]').click()
    newcomer.page.locator('html[lang="ja"][data-ready]').wait_for(state="attached")
    with newcomer.touching():
        newcomer.at("recover").click()
        newcomer.arrives("/account")
    newcomer.says("recovered")
    expect(newcomer.at("passkey-row")).to_have_count(2)
    expect(newcomer.at("session-row")).to_have_count(1)
    assert not any(token in request.url or token in request.headers.get("referer", "") for request in seen)
    ada.page.reload()
    ada.arrives("/")

    newcomer.open(path)
    newcomer.complains("recovery_link_not_valid")
    expect(newcomer.at("recover")).to_be_hidden()
    assert not newcomer.complaints


def test_somebody_who_is_signed_in_as_another_can_open_a_recovery_link(server, ada, newcomer):
    ada.create_account("lost.grace")
    newcomer.create_account("someone.else")
    newcomer.open(recovery_link(server, "lost.grace"))
    with newcomer.touching(Device(newcomer, transport="usb")):
        newcomer.at("recover").click()
        newcomer.arrives("/account")
    expect(newcomer.at("account-username")).to_have_text("lost.grace")


def test_a_link_that_was_cut_off_says_so(newcomer):
    newcomer.open("/recover#recovery=")
    newcomer.complains("recovery_link_incomplete")
    expect(newcomer.at("recover")).to_be_hidden()
