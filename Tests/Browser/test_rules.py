"""Rules about sign-ins and codes in text messages, as people meet them in the pages."""

from __future__ import annotations

import json
import re
import sqlite3
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from measures import JOURNEYS
from passwords import PASSWORD, create_with_password
from playwright.sync_api import Browser, expect
from test_accessibility import check
from visitor import Visitor
from wardserver import Server
from webhookreceiver import Receiver, secrets

NUMBER = "+49 30 1234567"


def code(phone: Receiver, count: int) -> str:
    """The code of the newest of so many messages."""
    text = phone.wait(count)[-1].json["data"]["text"]
    return re.search(r"@localhost #(\d{6})$", text)[1]


def begin(visitor: Visitor, name: str) -> None:
    visitor.open("/#password")
    visitor.at("username").fill(name)
    visitor.at("password").fill(PASSWORD)
    visitor.at("password").press("Enter")


@pytest.mark.parametrize("locale, scheme", JOURNEYS)
def test_a_telephone_gets_the_codes_of_sign_ins(
    browser: Browser, start, tmp_path: Path, name: str, locale: str, scheme: str
):
    with Receiver() as phone:
        server: Server = start(
            arguments=("--text-webhook", phone.address, "--text-webhook-secrets", str(secrets(tmp_path)))
        )
        ada = Visitor(browser, server, locale=locale, color_scheme=scheme, viewport={"width": 320, "height": 640})
        create_with_password(ada, name)
        ada.at("text-edit").click()
        ada.at("text-number").fill("030 1234567")
        ada.at("text-number").press("Enter")
        ada.complains("number_not_allowed")
        expect(ada.at("text-number")).to_be_focused()
        check(ada, f"a number is typed, {locale}")
        ada.at("text-number").fill(NUMBER)
        ada.at("text-number").press("Enter")
        ada.says("code_sent")
        expect(ada.at("text-code")).to_be_focused()
        check(ada, f"the number's code is typed, {locale}")
        ada.at("text-code").fill(code(phone, 1))
        ada.at("text-code").press("Enter")
        ada.says("text_codes_on")
        expect(ada.at("text-state")).to_contain_text("67")
        assert "1234567" not in ada.at("text-state").inner_text()
        ada.sign_out()

        # The only possible step, so the code leaves by itself.
        begin(ada, name)
        ada.says("code_sent")
        expect(ada.at("step-code")).to_be_focused()
        check(ada, f"a code by text message, {locale}")
        ada.at("step-code").fill(code(phone, 2))
        ada.at("step-code").press("Enter")
        ada.arrives("/account")
        ada.at("text-remove").click()
        ada.at("dialog-confirm").click()
        ada.says("text_codes_off")
        ada.close()
        assert ada.complaints == []


def rules(folder: Path, *rules: dict) -> str:
    file = folder / "rules.json"
    file.write_text(json.dumps({"rules": rules}))
    return str(file)


def test_a_rule_is_announced_and_then_the_password_leads_to_a_passkey(browser: Browser, start, tmp_path: Path, name: str):
    today = datetime.now(UTC).date()
    file = rules(tmp_path, {"require": "passkey", "from": (today + timedelta(days=5)).isoformat()})
    server: Server = start(arguments=("--policy", file))
    ada = Visitor(browser, server)
    create_with_password(ada, name)
    expect(ada.at("policy")).to_be_visible()
    expect(ada.at("policy-text")).to_contain_text(str((today + timedelta(days=5)).year))
    check(ada, "a rule is announced")
    ada.sign_out()

    server.stop()
    rules(tmp_path, {"require": "passkey", "from": today.isoformat()})
    server.start()
    begin(ada, name)
    # No session, and one thing to do.
    expect(ada.at("step-submit")).to_be_visible()
    expect(ada.at("step-code")).to_be_hidden()
    check(ada, "a rule asks for a passkey")
    with ada.touching():
        ada.at("step-submit").click()
        ada.arrives("/account")
    expect(ada.at("policy")).to_be_hidden()
    ada.sign_out()
    ada.sign_in_by_touch()
    ada.close()
    assert ada.complaints == []


def test_a_password_that_nobody_uses_is_offered_for_removal(browser: Browser, start, name: str):
    server: Server = start()
    ada = Visitor(browser, server)
    create_with_password(ada, name)
    with ada.touching():
        ada.at("passkey-add").click()
        ada.says("passkey_added")
    ada.sign_out()
    ada.sign_in_by_touch()
    ada.at("codes-make").click()
    ada.says("codes_made")
    ada.at("codes-done").click()
    ada.page.evaluate("localStorage.clear()")
    ada.sign_out()
    with sqlite3.connect(server.database, timeout=30) as database:
        database.execute("UPDATE password SET chosen_at = chosen_at - 91 * 86400, last_used_at = NULL")
    ada.sign_in_by_touch()
    expect(ada.at("without-password")).to_be_visible()
    # Who keeps it is not asked again with each page.
    ada.at("without-password-later").click()
    ada.page.reload()
    ada.ready()
    expect(ada.at("without-password")).to_be_hidden()
    ada.page.evaluate("localStorage.clear()")
    ada.page.reload()
    ada.ready()
    ada.at("without-password-accept").click()
    ada.at("dialog-confirm").click()
    ada.says("password_removed")
    ada.close()
    assert ada.complaints == []
