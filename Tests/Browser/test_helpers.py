"""A person who lost every passkey gets back in with a mailed link and the approval of a helper."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest
from mailserver import arguments, wait_for
from playwright.sync_api import Browser, expect
from measures import JOURNEYS
from secondstep import add_address, link
from test_accessibility import check
from visitor import Visitor
from wardserver import Server

NARROW = {"width": 320, "height": 640}
WEEK = 7 * 86_400


@pytest.fixture
def helping(tmp_path: Path, box: Path) -> Iterator[Server]:
    """A service that sends mail, whose people can name helpers."""
    folder = tmp_path / "server"
    folder.mkdir(mode=0o700)
    running = Server(folder, arguments=(*arguments(f"folder:{box}"), "--recovery-helpers")).start()
    yield running
    running.stop()


def age_helpers(server: Server) -> None:
    """As if everybody had accepted a week earlier."""
    with sqlite3.connect(server.database, timeout=30) as database:
        changed = database.execute("UPDATE recovery_helper SET accepted_at = accepted_at - ?", (WEEK,))
        assert changed.rowcount == 1


def notice_has_left(server: Server) -> bool:
    with sqlite3.connect(server.database, timeout=30) as database:
        return database.execute("SELECT told_at FROM help_request").fetchall()[0][0] is not None


def approve(helper: Visitor, code: str) -> None:
    helper.at("helping-code").fill(code)
    helper.page.keyboard.press("Enter")
    expect(helper.at("dialog")).to_have_attribute("data-kind", "approve-recovery")
    check(helper, "the approval is confirmed")
    helper.at("dialog-confirm").click()


@pytest.mark.parametrize("locale, scheme", JOURNEYS)
def test_a_helper_lets_a_person_back_in(browser: Browser, helping: Server, box: Path, locale: str, scheme: str):
    ada, bob, lost = (
        Visitor(browser, helping, locale=locale, color_scheme=scheme, viewport=NARROW) for _ in range(3)
    )
    try:
        bob.create_account("bob")
        ada.create_account("ada")
        add_address(helping.database, "ada", "ada@mx1.example")
        expect(ada.at("helper-none")).to_be_visible()
        ada.at("helper-add").click()
        ada.complains("name_missing")
        ada.at("helper-name").fill("ada")
        ada.page.keyboard.press("Enter")
        ada.complains("own_helper")
        ada.at("helper-name").fill("bob")
        ada.page.keyboard.press("Enter")
        ada.says("helper_named")
        expect(ada.at("helper-row")).to_have_attribute("data-state", "asked")
        check(ada, "a helper is asked")

        bob.page.reload()
        bob.ready()
        expect(bob.at("helping-row")).to_have_attribute("data-state", "asked")
        check(bob, "help is wanted")
        bob.at("helping-accept").click()
        bob.says("helping_accepted")
        expect(bob.at("helping-row")).to_have_attribute("data-state", "accepted")
        ada.page.reload()
        ada.ready()
        expect(ada.at("helper-row")).to_have_attribute("data-state", "accepted")
        check(ada, "a helper has accepted")
        age_helpers(helping)

        lost.open("/recover")
        lost.at("recover-username").fill("ada")
        lost.page.keyboard.press("Enter")
        path = link(box)
        lost.page.goto("about:blank")
        lost.open(path)
        expect(lost.at("recover-ask-helpers")).to_be_visible()
        expect(lost.at("helper-code")).to_be_hidden()
        check(lost, "the helpers can be asked")
        lost.at("recover-ask-helpers").click()
        lost.says("helpers_asked")
        expect(lost.at("helper-code")).to_be_visible()
        code = lost.at("helper-code").inner_text()
        assert len(code.replace(" ", "")) == 6
        check(lost, "the code for a helper")
        wait_for(lambda: notice_has_left(helping), "the notice to the owner")
        ada.page.reload()
        ada.ready()
        expect(ada.at("recovery-waiting")).to_be_visible()
        check(ada, "somebody asks the helpers")

        bob.page.reload()
        bob.ready()
        check(bob, "a person asks for help")
        approve(bob, "000 001" if code == "000 000" else "000 000")
        bob.complains("help_code_wrong")
        expect(bob.at("helping-code")).to_be_focused()
        check(bob, "a wrong code")
        expect(lost.at("recover")).to_be_hidden()
        approve(bob, code)
        bob.says("help_approved")
        expect(bob.at("helping-code")).to_be_hidden()

        expect(lost.at("recover")).to_be_visible()
        check(lost, "a helper has approved")
        with lost.touching():
            lost.at("recover").click()
            lost.arrives("/account")
        lost.says("recovered")
        ada.page.reload()
        ada.arrives("/")
        assert ada.complaints == bob.complaints == lost.complaints == []
        assert code.replace(" ", "") not in re.sub(r"request\.id=\S+", "", helping.log_text())
    finally:
        for visitor in (ada, bob, lost):
            visitor.close()


def test_both_can_end_it(browser: Browser, helping: Server):
    ada, bob = Visitor(browser, helping), Visitor(browser, helping)
    try:
        bob.create_account("bob")
        ada.create_account("ada")
        for end in ("declined", "stopped", "removed"):
            ada.at("helper-name").fill("bob")
            ada.page.keyboard.press("Enter")
            ada.says("helper_named")
            bob.page.reload()
            bob.ready()
            if end == "declined":
                bob.at("helping-stop").click()
                bob.says("helping_ended")
            else:
                bob.at("helping-accept").click()
                bob.says("helping_accepted")
            if end == "stopped":
                bob.at("helping-stop").click()
                bob.at("dialog-confirm").click()
                bob.says("helping_ended")
                expect(bob.at("helping-row")).to_have_count(0)
            else:
                # Who declined stays in the list, as a name that nobody has does.
                ada.at("helper-remove").click()
                ada.at("dialog-confirm").click()
                ada.says("helper_removed")
            ada.page.reload()
            ada.ready()
            expect(ada.at("helper-none")).to_be_visible()
        assert ada.complaints == bob.complaints == []
    finally:
        ada.close()
        bob.close()
