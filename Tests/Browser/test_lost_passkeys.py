"""A person who lost every passkey: out of a session with a recovery code, and with a mailed link and a proof."""

from __future__ import annotations

from pathlib import Path

import pytest
from measures import JOURNEYS
from passwords import PASSWORD, create_with_password, sign_in_with_password
from playwright.sync_api import Browser, Request, expect
from secondstep import add_address, add_app, code, link, make_codes, recovery_link
from test_accessibility import check
from visitor import Visitor
from wardserver import Server

NARROW = {"width": 320, "height": 640}


def password_and_passkey(ada: Visitor, name: str, *, codes: bool = True) -> list[str]:
    """An account with both, at its page; its recovery codes."""
    create_with_password(ada, name)
    made = make_codes(ada) if codes else []
    with ada.touching():
        ada.at("passkey-add").click()
        ada.says("passkey_added")
    ada.at("without-password-later").click()
    return made


def lose(ada: Visitor) -> None:
    """Every passkey is gone."""
    ada.cdp.send("WebAuthn.clearCredentials", {"authenticatorId": ada.device.id})


def ask_for_a_passkey(ada: Visitor) -> None:
    ada.at("passkey-add").click()
    expect(ada.at("dialog")).to_have_attribute("data-kind", "passkey")


@pytest.mark.parametrize("locale, scheme", JOURNEYS)
def test_a_signed_in_person_gets_back_in_with_password_and_recovery_code(visit, name: str, locale: str, scheme: str):
    ada = visit(locale=locale, color_scheme=scheme, viewport=NARROW)
    codes = password_and_passkey(ada, name)
    ada.sign_out()
    lose(ada)
    sign_in_with_password(ada, name)
    ada.arrives("/account")
    seen: list[Request] = []
    ada.page.on("request", lambda request: seen.append(request))
    ask_for_a_passkey(ada)
    check(ada, "a passkey is asked for")
    ada.at("dialog-way-lost").click()
    ada.arrives("/recover")
    token = ada.page.evaluate("sessionStorage.getItem('ward.recovery')")
    assert len(token) == 43
    expect(ada.at("proof-code")).to_be_visible()
    # Only the recovery code counts, so there is nothing to choose and nothing to wait for.
    expect(ada.at("proof-method")).to_be_hidden()
    expect(ada.at("recover-wait")).to_be_hidden()
    check(ada, "a recovery code is asked for")
    ada.at("proof-submit").click()
    ada.complains("code_missing")
    ada.at("proof-code").fill("aaaa-aaaa-aaaa-aaaa")
    ada.at("proof-submit").click()
    ada.complains("code_wrong")
    if locale == "en-US":
        expect(ada.at("error")).to_have_text("That recovery code is wrong or was used already. Compare it with your list.")
    expect(ada.at("proof-code")).to_be_focused()
    check(ada, "a wrong recovery code")
    ada.at("proof-code").fill(codes[0])
    ada.page.keyboard.press("Enter")
    expect(ada.at("recover")).to_be_visible()
    check(ada, "a passkey can be added")
    with ada.touching():
        ada.at("recover").click()
        ada.arrives("/account")
    ada.says("recovered")
    expect(ada.at("passkey-row")).to_have_count(2)
    for secret in (token, codes[0]):
        assert not any(secret in request.url or secret in request.headers.get("referer", "") for request in seen)
        assert secret not in ada.server.log_text()


def test_an_older_session_and_a_second_step_are_asked_for_first(visit, name: str):
    ada = visit()
    create_with_password(ada, name)
    secret = add_app(ada)
    codes = make_codes(ada)
    with ada.touching():
        ada.at("passkey-add").click()
        ada.says("passkey_added")
    ada.at("without-password-later").click()
    lose(ada)
    ada.age_sessions(600)
    ask_for_a_passkey(ada)
    ada.at("dialog-way-lost").click()
    expect(ada.at("dialog")).to_have_attribute("data-kind", "lost-passkeys")
    check(ada, "the password comes first")
    ada.at("dialog-confirm").click()
    expect(ada.at("dialog-error")).to_have_attribute("data-code", "password_missing")
    ada.at("dialog-password").fill(PASSWORD)
    ada.page.keyboard.press("Enter")
    expect(ada.at("dialog")).to_have_attribute("data-kind", "second-step")
    ada.at("dialog-typed").fill(code(secret, steps=1))
    ada.page.keyboard.press("Enter")
    ada.arrives("/recover")
    ada.at("proof-code").fill(codes[1])
    ada.page.keyboard.press("Enter")
    with ada.touching():
        ada.at("recover").click()
        ada.arrives("/account")
    ada.says("recovered")


def test_a_person_who_stops_has_changed_nothing(visit, name: str):
    ada = visit()
    password_and_passkey(ada, name)
    ada.age_sessions(600)
    ask_for_a_passkey(ada)
    ada.at("dialog-way-lost").click()
    ada.at("dialog-cancel").click()
    ada.says("cancelled")
    assert ada.page.url == ada.server.origin + "/account"
    ask_for_a_passkey(ada)
    with ada.touching():
        ada.at("dialog-confirm").click()
        ada.complains("already_on_this_device")


def test_without_codes_the_page_says_who_can_help(visit, name: str):
    ada = visit()
    password_and_passkey(ada, name, codes=False)
    ada.age_sessions(600)
    ask_for_a_passkey(ada)
    ada.at("dialog-way-lost").click()
    ada.complains("no_way_back")
    check(ada, "no way back")


def test_without_codes_a_link_can_be_mailed(browser: Browser, mailing: Server):
    ada = Visitor(browser, mailing)
    try:
        ada.create_account("ada")
        add_address(mailing.database, "ada", "ada@mx1.example")
        ada.page.reload()
        ada.ready()
        ada.age_sessions(600)
        ask_for_a_passkey(ada)
        ada.at("dialog-way-lost").click()
        ada.arrives("/recover")
        expect(ada.at("recover-username")).to_be_visible()
        assert ada.complaints == []
    finally:
        ada.close()


@pytest.mark.parametrize("locale, scheme", [("en-US", "light"), ("ko-KR", "dark")])
def test_a_mailed_link_and_a_recovery_code_open_the_account_at_once(
    browser: Browser, mailing: Server, box: Path, locale: str, scheme: str
):
    ada = Visitor(browser, mailing)
    lost = Visitor(browser, mailing, locale=locale, color_scheme=scheme, viewport=NARROW)
    try:
        codes = password_and_passkey(ada, "ada")
        add_address(mailing.database, "ada", "ada@mx1.example")
        lost.open("/recover")
        lost.at("recover-username").fill("ada")
        lost.page.keyboard.press("Enter")
        expect(lost.at("recover-sent")).to_be_visible()
        path = link(box)
        lost.page.goto("about:blank")
        lost.open(path)
        expect(lost.at("proof-code")).to_be_visible()
        expect(lost.at("recover-wait")).to_be_visible()
        check(lost, "a proof or a wait")
        lost.at("proof-code").fill(codes[3])
        lost.page.keyboard.press("Enter")
        expect(lost.at("recover")).to_be_visible()
        expect(lost.at("proof-code")).to_be_hidden()
        check(lost, "the proof was right")
        with lost.touching():
            lost.at("recover").click()
            lost.arrives("/account")
        lost.says("recovered")
        expect(lost.at("passkey-row")).to_have_count(2)
        ada.page.reload()
        ada.arrives("/")
        assert lost.complaints == ada.complaints == []
        assert codes[3] not in mailing.log_text() and path.split("=")[1] not in mailing.log_text()
    finally:
        ada.close()
        lost.close()


def test_an_operators_link_lets_the_person_choose_the_proof(visit, name: str):
    ada = visit(viewport=NARROW)
    create_with_password(ada, name)
    secret = add_app(ada)
    make_codes(ada)
    path = recovery_link(ada.server, name, with_proof=True)
    lost = visit(viewport=NARROW)
    lost.open(path)
    expect(lost.at("proof-method")).to_be_visible()
    lost.at("proof-method").select_option("password")
    expect(lost.at("proof-code")).to_have_attribute("type", "password")
    expect(lost.at("proof-code")).to_have_attribute("autocomplete", "current-password")
    check(lost, "the password as a proof")
    lost.at("proof-method").select_option("authenticator_app")
    expect(lost.at("proof-code")).to_have_attribute("inputmode", "numeric")
    expect(lost.at("proof-code")).to_have_attribute("autocomplete", "one-time-code")
    lost.at("proof-code").fill(code(secret, steps=1))
    lost.page.keyboard.press("Enter")
    with lost.touching():
        lost.at("recover").click()
        lost.arrives("/account")
    lost.says("recovered")
