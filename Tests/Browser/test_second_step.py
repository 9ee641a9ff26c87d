"""A second step at sign-in, recovery codes, and the way back in, with the keyboard and in the languages of the pages."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from measures import JOURNEYS
from passwords import PASSWORD, create_with_password
from playwright.sync_api import Browser, expect
from secondstep import add_address, add_app, begin, code, link, wrong_code
from test_accessibility import check
from visitor import Device, Visitor
from wardserver import Server


@pytest.mark.parametrize("locale, scheme", JOURNEYS)
def test_an_app_is_set_up_and_its_code_is_the_second_step(visit, name: str, locale: str, scheme: str):
    ada = visit(locale=locale, color_scheme=scheme, viewport={"width": 320, "height": 640})
    create_with_password(ada, name)
    ada.at("app-set-up").click()
    expect(ada.at("app-secret")).not_to_be_empty()
    expect(ada.at("app-set-up")).to_be_hidden()
    check(ada, "an app is set up")
    ada.at("app-code").fill(wrong_code(ada.at("app-secret").inner_text()))
    ada.at("app-save").click()
    ada.complains("typed_code_wrong")
    expect(ada.at("app-code")).to_be_focused()
    ada.at("app-cancel").click()
    secret = add_app(ada)
    check(ada, "an app is there")
    ada.at("codes-make").click()
    expect(ada.at("recovery-code")).to_have_count(10)
    check(ada, "recovery codes")
    paper = ada.at("recovery-code").first.inner_text()
    ada.at("codes-done").click()
    expect(ada.at("recovery-code")).to_have_count(0)
    ada.sign_out()

    begin(ada, name)
    check(ada, "the second step")
    ada.page.keyboard.type(wrong_code(secret))
    ada.page.keyboard.press("Enter")
    ada.complains("code_wrong")
    check(ada, "a wrong code")
    ada.at("step-restart").click()
    expect(ada.at("step-code")).to_be_hidden()
    begin(ada, name)
    ada.at("step-code").fill(code(secret, steps=1))
    ada.page.keyboard.press("Enter")
    ada.arrives("/account")
    expect(ada.at("session-second").first).not_to_be_empty()
    ada.sign_out()

    begin(ada, name)
    ada.at("step-way-recovery_code").click()
    check(ada, "a recovery code")
    ada.at("step-code").fill(paper.upper())
    ada.at("step-submit").click()
    ada.arrives("/account")
    ada.at("app-remove").click()
    ada.at("dialog-confirm").click()
    ada.says("app_removed")
    ada.sign_out()


def test_the_dialog_of_the_account_page_asks_for_the_code_too(visit, name: str):
    ada = visit()
    create_with_password(ada, name)
    secret = add_app(ada)
    ada.age_sessions(600)
    ada.at("codes-make").click()
    ada.at("dialog-password").fill(PASSWORD)
    ada.at("dialog-confirm").click()
    expect(ada.at("dialog-typed")).to_be_visible()
    ada.at("dialog-typed").fill(code(secret, steps=1))
    ada.at("dialog-confirm").click()
    expect(ada.at("recovery-code")).to_have_count(10)


def test_a_sign_in_that_has_ended_begins_again(visit, name: str):
    ada = visit()
    create_with_password(ada, name)
    secret = add_app(ada)
    ada.sign_out()
    begin(ada, name)
    for _ in range(5):
        ada.at("step-code").fill(wrong_code(secret))
        with ada.page.expect_response("**/api/v1/sign-in/code"):
            ada.page.keyboard.press("Enter")
    ada.complains("flow_not_valid")
    expect(ada.at("step-code")).to_be_hidden()
    begin(ada, name)
    ada.at("step-code").fill(code(secret, steps=1))
    ada.page.keyboard.press("Enter")
    ada.arrives("/account")


def test_passkeys_that_verify_nobody_make_changes_with_the_password_beside_a_second_step(visit, name: str):
    ada = visit()
    create_with_password(ada, name)
    add_app(ada)
    with ada.touching():
        ada.at("passkey-add").click()
        ada.says("passkey_added")
    # As if it had been made by a device without biometrics, which is also the only one left.
    [credential] = ada.device.credentials()
    ada.cdp.send("WebAuthn.clearCredentials", {"authenticatorId": ada.device.id})
    key = Device(ada, verified=False, transport="usb", hasUserVerification=False)
    key.put(credential)
    with sqlite3.connect(ada.server.database, timeout=10) as database:
        database.execute(
            "UPDATE passkey SET uv_initialized = 0, backup_eligible = 0, backed_up = 0, transports = 'usb,', last_used_at = 1"
            " WHERE account_id = (SELECT id FROM account WHERE username = ?)",
            (name,),
        )
    ada.age_sessions(600)
    ada.at("codes-make").click()
    expect(ada.at("dialog")).to_have_attribute("data-kind", "passkey-and-password")
    with ada.touching(key):
        ada.at("dialog-password").fill(PASSWORD)
        ada.at("dialog-confirm").click()
        expect(ada.at("recovery-code")).to_have_count(10)


def test_a_person_who_lost_every_passkey_gets_back_in_after_a_wait_that_any_session_can_stop(
    browser: Browser, mailing: Server, box: Path
):
    ada, lost = Visitor(browser, mailing), Visitor(browser, mailing, viewport={"width": 320, "height": 640})
    try:
        ada.create_account("ada")
        add_address(mailing.database, "ada", "ada@mx1.example")
        lost.open("/")
        lost.at("lost").click()
        lost.arrives("/recover")
        check(lost, "a link is asked for")
        lost.at("recover-username").fill("ada")
        lost.at("recover-request").click()
        expect(lost.at("recover-sent")).to_be_visible()
        path = link(box)
        lost.page.goto("about:blank")
        lost.open(path)
        expect(lost.at("recover-wait")).to_be_visible()
        expect(lost.at("recover")).to_be_hidden()
        check(lost, "a wait is offered")
        lost.at("recover-wait").click()
        lost.says("wait_begun")
        expect(lost.at("recover")).to_be_hidden()
        check(lost, "the wait")
        ada.page.reload()
        ada.ready()
        expect(ada.at("recovery-waiting")).to_be_visible()
        check(ada, "a recovery that waits")
        ada.at("recovery-stop").click()
        ada.says("recovery_stopped")
        expect(ada.at("recovery-waiting")).to_be_hidden()
        lost.page.goto("about:blank")
        lost.open(path)
        lost.complains("recovery_link_not_valid")
    finally:
        ada.close()
        lost.close()
