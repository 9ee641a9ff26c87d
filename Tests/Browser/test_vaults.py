"""The vaults at the sync server, on the account page."""

from __future__ import annotations

import re
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from measures import JOURNEYS
from playwright.sync_api import Browser, expect
from syncserver import SyncServer
from test_accessibility import check
from visitor import Visitor

NARROW = {"width": 320, "height": 640}
FIRST, SECOND = "1a2b3c4d" + "0" * 56, "9f8e7d6c" + "0" * 56


@pytest.fixture
def syncing(tmp_path: Path) -> Iterator[SyncServer]:
    """A service with a sync server."""
    place = tmp_path / "server"
    place.mkdir(mode=0o700)
    one = SyncServer(place)
    one.start()
    yield one
    one.stop()


def bring(server: SyncServer, visitor: Visitor, vault: str, size: int, *, ago: int | None = None) -> None:
    """As if a device had brought the vault a week ago, and had last been there so many seconds ago."""
    now = int(time.time())
    account = visitor.page.evaluate("fetch('/api/v1/account').then((answer) => answer.json())")["account"]["id"]
    with closing(sqlite3.connect(server.folder / "sync.sqlite", timeout=30)) as database, database:
        added = database.execute(
            "INSERT INTO vault (id, entry_order, created_at, invitation, account, head, bytes) VALUES (?, ?, ?, ?, ?, 0, ?)",
            (bytes.fromhex(vault), bytes(16), now - 7 * 86_400, bytes(32), account, size),
        )
        for device in range(2):
            subject = bytes([device]) * 16
            database.execute("INSERT INTO device_key VALUES (?, ?, ?, 1)", (added.lastrowid, subject, bytes(32)))
            if ago is not None:
                database.execute("INSERT INTO contact VALUES (?, ?, ?)", (added.lastrowid, subject, now - ago))


def vaults(server: SyncServer) -> list[str]:
    with closing(sqlite3.connect(server.folder / "sync.sqlite", timeout=30)) as database:
        return [row[0].hex() for row in database.execute("SELECT id FROM vault ORDER BY key")]


@pytest.mark.parametrize("locale, scheme", JOURNEYS)
def test_a_person_sees_the_vaults_and_deletes_them(browser: Browser, syncing: SyncServer, locale: str, scheme: str):
    ada = Visitor(browser, syncing, locale=locale, color_scheme=scheme, viewport=NARROW)
    try:
        ada.create_account("ada")
        expect(ada.at("vaults")).to_be_hidden()
        ada.at("account-delete").click()
        hint = ada.page.locator("#dialog-hint")
        without = hint.inner_text()
        ada.at("dialog-cancel").click()

        bring(syncing, ada, FIRST, 3_355_443, ago=7_200)
        # The page knows nothing of the vault yet, and the dialog says the truth.
        ada.at("account-delete").click()
        expect(hint).to_contain_text(without)
        expect(hint).not_to_have_text(without)
        check(ada, "the account is deleted with vaults")
        ada.at("dialog-cancel").click()

        bring(syncing, ada, SECOND, 2_048)
        ada.page.reload()
        ada.ready()
        expect(ada.at("vaults")).to_be_visible()
        rows = ada.at("vault-row")
        expect(rows).to_have_count(2)
        expect(ada.at("vault-name").first).to_contain_text("1a2b3c4d")
        expect(ada.at("vault-name").first).to_have_attribute("title", FIRST)
        expect(ada.at("vault-size").first).to_have_text(re.compile(r"^3\.2\s?MB$"))
        expect(ada.at("vault-size").last).to_have_text(re.compile(r"^2\s?kB$", re.IGNORECASE))
        expect(ada.at("vault-devices").first).to_contain_text("2")
        expect(ada.at("vault-used").first).to_contain_text("2")
        expect(ada.at("vaults-room")).to_contain_text(re.compile(r"3\.2\s?MB.*512\s?MB"))
        check(ada, "two vaults")

        ada.at("vault-delete").first.click()
        expect(ada.at("dialog")).to_have_attribute("data-kind", "delete-vault")
        expect(ada.at("dialog-cancel")).to_be_focused()
        check(ada, "a vault is deleted")
        ada.at("dialog-cancel").click()
        assert vaults(syncing) == [FIRST, SECOND]
        ada.at("vault-delete").first.click()
        ada.at("dialog-confirm").click()
        ada.says("vault_deleted")
        expect(rows).to_have_count(1)
        assert vaults(syncing) == [SECOND]
        expect(ada.page.locator("#vaults-heading")).to_be_focused()
        expect(ada.page.locator('[data-event="vault_deleted"]')).to_have_count(1)
        ada.at("vault-delete").click()
        ada.at("dialog-confirm").click()
        expect(ada.at("vaults")).to_be_hidden()
        ada.says("vault_deleted")
        expect(ada.page.locator("#activity-heading")).to_be_focused()
        assert vaults(syncing) == []
        assert not ada.complaints
    finally:
        ada.close()


def test_the_page_goes_on_when_the_vaults_cannot_be_listed(browser: Browser, syncing: SyncServer):
    ada = Visitor(browser, syncing)
    try:
        ada.create_account("ada")
        ada.page.route("**/api/v1/account/vaults", lambda route: route.fulfill(status=503, body='{"code":"unavailable"}'))
        ada.page.reload()
        ada.ready()
        ada.complains("unavailable")
        expect(ada.at("passkey-row")).to_have_count(1)
        expect(ada.at("session-row")).to_have_count(1)
        ada.at("account-delete").click()
        expect(ada.at("dialog")).to_have_attribute("data-kind", "delete-account")
    finally:
        ada.close()
