"""`ward sync on` with an account of the service in place of an invitation: the real programs, and a person with a browser."""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
import requests
from manager import PASSPHRASE, Manager, Pty, last_json
from syncserver import SyncServer
from talking import Talking
from wardserver import Person, run_command


@pytest.fixture
def server(tmp_path: Path) -> Iterator[SyncServer]:
    place = tmp_path / "server"
    place.mkdir(mode=0o700)
    one = SyncServer(place)
    one.start()
    yield one
    one.stop()


def signed_in(server: SyncServer, name: str) -> Person:
    person = server.person(name)
    assert person.register().status_code in (200, 201)
    return person


def stored(server: SyncServer, question: str) -> list[tuple]:
    with closing(sqlite3.connect(f"file:{server.folder / 'sync.sqlite'}?mode=ro", uri=True, timeout=60)) as database:
        return database.execute(question).fetchall()


def allow(server: SyncServer, person: Person, code: str, allow: bool = True) -> None:
    assert person.post("device", {"userCode": code, "allow": allow}).status_code == 204
    # A device waits for at least five seconds between two questions; a test does not wait for more.
    with closing(sqlite3.connect(server.database, timeout=60)) as database, database:
        database.execute("UPDATE device_authorization SET polled_at = polled_at - 60 WHERE polled_at IS NOT NULL")


def bring(vault: Manager, server: SyncServer, person: Person, *more: str) -> None:
    """Turns sync on with an account."""
    signing = Talking(vault, "sync", "on", server.address, "--sign-in", *more)
    allow(server, person, signing.first["signIn"]["code"])
    status, out, err = signing.end()
    assert status == 0, (out, err)


def test_a_person_brings_a_vault_with_an_account(vault: Manager, server: SyncServer):
    ada = signed_in(server, "ada")
    vault.ok("add", "A secret title", secrets={"--password-fd": "first"})
    signing = Talking(vault, "sync", "on", server.address, "--sign-in", "--new-recovery-key", "--name", "desk")
    shown = signing.first["signIn"]
    assert shown["page"] == f"{server.origin}/device" and shown["link"] == f"{shown['page']}?user_code={shown['code']}"
    assert 0 < shown["seconds"] <= 600
    page = requests.get(shown["link"], cookies=ada.http.cookies.get_dict(), timeout=60)
    assert shown["code"] in page.text and 'data-testid="device-vault"' in page.text
    assert "wants to use the space of your account" in page.text and "wants to get into your account" not in page.text
    allow(server, ada, shown["code"])
    status, out, err = signing.end()
    assert status == 0, (out, err)
    on = last_json(out)
    assert on["recoveryKey"] and on["written"] > 0 and "trouble" not in on["state"], on
    [(account, count)] = stored(server, "SELECT account, count(*) FROM vault")
    assert (account, count) == (ada.account()["account"]["id"], 1)

    # No session began, and no word of the sign-in is on the device.
    assert len(ada.get("account/sessions").json()["sessions"]) == 1
    assert stored(server, "SELECT count(*) FROM invitation") == [(0,)]
    assert "device_allowed" in run_command(server, "audit", "--database", server.database, "--json")

    # The device syncs on by itself, as with an invitation.
    vault.ok("add", "Another title", secrets={"--password-fd": "second"})
    vault.ok("sync", "now")
    assert stored(server, "SELECT head FROM vault")[0][0] > on["written"]


def test_the_owner_sees_the_vault_and_deletes_it(vault: Manager, server: SyncServer):
    ada, bob = signed_in(server, "ada"), signed_in(server, "bob")
    vault.ok("add", "A secret title", secrets={"--password-fd": "first"})
    assert ada.get("account/vaults").json()["vaults"] == []
    bring(vault, server, ada, "--new-recovery-key")
    listed = ada.get("account/vaults").json()
    [shown] = listed["vaults"]
    [(vault_id, size)] = stored(server, "SELECT lower(hex(id)), bytes FROM vault")
    assert (shown["id"], shown["bytes"], shown["devices"]) == (vault_id, size, 1) and size > 0
    assert shown["broughtAt"] <= shown["lastUsedAt"] and listed["most"] == {"vaults": 5, "bytes": 512 * 1024 * 1024}
    assert "A secret title" not in json.dumps(listed)

    # For everybody else there is no such vault.
    assert bob.get("account/vaults").json()["vaults"] == []
    assert bob.delete(f"account/vaults/{vault_id}").status_code == 404
    assert stored(server, "SELECT count(*) FROM vault") == [(1,)]

    assert ada.delete(f"account/vaults/{vault_id}").status_code == 204
    assert stored(server, "SELECT count(*) FROM vault") == [(0,)]
    assert ada.get("account/vaults").json()["vaults"] == []
    assert "vault_deleted" in run_command(server, "audit", "--database", server.database, "--json")
    done = vault.run("sync", "now", "--json")
    assert json.loads(done.stdout)["error"]["code"] == "session_refused", done.stdout
    # The device keeps everything, and can bring it again.
    assert [item["title"] for item in vault.json("list")] == ["A secret title"]
    bring(vault, server, ada)
    assert [one["id"] for one in ada.get("account/vaults").json()["vaults"]] == [vault_id]


def test_vaults_stay_visible_and_go_with_the_account_when_accounts_bring_no_more(vault: Manager, server: SyncServer):
    ada = signed_in(server, "ada")
    bring(vault, server, ada, "--new-recovery-key")
    server.stop()
    server.arguments = (*server.arguments, "--sync-account-vaults", "0")
    server.start()
    listed = ada.get("account/vaults").json()
    assert len(listed["vaults"]) == 1 and listed["most"]["vaults"] == 0
    assert ada.delete("account").status_code == 204
    # The sync server looks for accounts that are gone when it starts, and every ten minutes.
    server.stop()
    server.start()
    end = time.monotonic() + 30
    while stored(server, "SELECT count(*) FROM vault") != [(0,)]:
        assert time.monotonic() < end, "the vault of an account that was deleted is still there"
        time.sleep(0.1)


def test_a_server_that_is_away_for_a_moment_does_not_end_a_sign_in(vault: Manager, server: SyncServer):
    ada = signed_in(server, "ada")
    signing = Talking(vault, "sync", "on", server.address, "--sign-in", "--new-recovery-key")
    code = signing.first["signIn"]["code"]
    server.kill()
    # The device asks every five seconds.
    time.sleep(8)
    assert signing.process.poll() is None, signing.end()
    server.start()
    allow(server, ada, code)
    status, out, err = signing.end()
    assert status == 0, (out, err)


def test_a_person_refuses(vault: Manager, server: SyncServer):
    ada = signed_in(server, "ada")
    signing = Talking(vault, "sync", "on", server.address, "--sign-in", "--new-recovery-key")
    allow(server, ada, signing.first["signIn"]["code"], allow=False)
    status, out, _ = signing.end()
    assert status == 5 and json.loads(out)["error"]["code"] == "sign_in_refused"
    assert stored(server, "SELECT count(*) FROM vault") == [(0,)]
    # Nothing was begun: the next try asks for everything again.
    assert vault.json("sync", "status")["isOn"] is False


def test_on_a_terminal_enter_signs_in_and_an_invitation_is_taken_too(vault: Manager, server: SyncServer):
    ada = signed_in(server, "ada")
    on = vault.json(
        "sync", "on", server.address, "--new-recovery-key", "--invitation-file", "-", passphrase=PASSPHRASE, text=server.invite()
    )
    assert on["state"]["server"] == server.address
    with closing(sqlite3.connect(server.folder / "sync.sqlite", timeout=60)) as database, database:
        database.execute("PRAGMA foreign_keys = ON")
        database.execute("DELETE FROM vault")
    terminal = Pty(vault, "sync", "on", server.address)
    terminal.wait_for(b"Passphrase")
    terminal.type(PASSPHRASE + "\n")
    terminal.wait_for(b"Invitation of the operator, or Enter")
    terminal.type("\n")
    terminal.wait_for(b"Type this code there")
    terminal.wait_for(b"Waiting until you allow it there")
    [(code,)] = [(word,) for word in terminal.got.decode().split() if len(word.strip()) >= 9 and "-" in word and word.isupper()][:1]
    allow(server, ada, code)
    assert terminal.end() == 0, terminal.got
    terminal.close()
    assert b"brought to the server" in terminal.got
    assert b"Next, to add a device: ward devices add. It shows a code" in terminal.got
    assert stored(server, "SELECT count(*) FROM vault WHERE account IS NOT NULL") == [(1,)]


def test_without_accounts_only_an_invitation_helps(vault: Manager, tmp_path: Path):
    place = tmp_path / "closed"
    place.mkdir(mode=0o700)
    closed = SyncServer(place, more=("--sync-account-vaults", "0"))
    closed.start()
    try:
        done = vault.run("sync", "on", closed.address, "--sign-in", "--new-recovery-key", "--json", passphrase=PASSPHRASE)
        assert done.returncode == 2 and "--invitation-file" in done.stderr + done.stdout
        on = vault.json(
            "sync", "on", closed.address, "--new-recovery-key", "--invitation-file", "-", passphrase=PASSPHRASE, text=closed.invite()
        )
        assert "trouble" not in on["state"]
    finally:
        closed.stop()
