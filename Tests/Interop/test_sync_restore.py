"""Backup and restore of a service that is also a sync server, with real devices."""

from __future__ import annotations

import os
import sqlite3
import stat
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from manager import PASSPHRASE, Manager
from syncserver import SyncServer
from test_manager_sync import joined, titles
from test_operating import backup, check, codes, restore, run
from test_sync_server import server, until  # noqa: F401


class Notices:
    """A `notify-send` that writes down what it is told to show."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.shown = folder / "shown"
        tool = folder / "notify-send"
        tool.write_text(f'#!/bin/sh\nprintf "%s\\n" "$*" >> {self.shown}\n')
        tool.chmod(0o755)

    @property
    def settings(self) -> dict[str, str]:
        path = f"{self.folder}:{os.environ['PATH']}"
        return {"PATH": path, "DBUS_SESSION_BUS_ADDRESS": f"unix:path={self.folder}/bus"}

    def text(self) -> str:
        return self.shown.read_text() if self.shown.exists() else ""


@pytest.fixture
def phone() -> Iterator[Manager]:
    with tempfile.TemporaryDirectory(prefix="ward-") as place:
        other = Manager(Path(place))
        yield other
        other.stop()


def orders(database: Path) -> dict[bytes, bytes]:
    with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as db:
        assert db.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        return dict(db.execute("SELECT id, entry_order FROM vault"))


def test_a_restored_server_gets_back_what_it_lost_and_nobody_is_alarmed(vault, phone, server, tmp_path):  # noqa: F811
    desk, notices = vault, Notices(tmp_path)
    for device in (desk, phone):
        device.stop()
        device.settings.update(notices.settings)
    desk.ok("unlock", passphrase=PASSPHRASE)
    desk.ok("add", "Before the backup")
    token = server.invite()
    desk.ok("sync", "on", server.address, "--new-recovery-key", "--invitation-file", "-", text=token + "\n", passphrase=PASSPHRASE)
    folder = tmp_path / "shared"
    folder.mkdir()
    desk.ok("sync", "on", str(folder), passphrase=PASSPHRASE)
    joined(desk, phone, folder)
    for device in (desk, phone):
        device.ok("sync", "on", server.address, passphrase=PASSPHRASE)
        device.ok("sync", "now")
    until(["Before the backup"], desk, phone)

    # Both databases, in one command, while the service runs.
    place = tmp_path / "backups"
    place.mkdir()
    done = backup(server, place)
    assert done.returncode == 0 and "0 accounts" in done.stdout and "1 vault, " in done.stdout, done.stderr
    assert sorted(path.name for path in place.iterdir()) == ["sync.sqlite", "ward.sqlite"]
    assert all(stat.S_IMODE(path.stat().st_mode) == 0o600 for path in place.iterdir())

    desk.ok("add", "At the desk, after it")
    phone.ok("add", "On the phone, after it")
    until(["At the desk, after it", "Before the backup", "On the phone, after it"], desk, phone)
    for device in (desk, phone):
        device.ok("sync", "now")

    refused = restore(server, place)
    assert refused.returncode == 69 and "stop the service" in refused.stderr
    server.kill()
    live = server.folder / "sync.sqlite"
    before = orders(live)
    assert orders(place / "sync.sqlite") == before
    done = restore(server, place)
    assert done.returncode == 0 and done.stdout.count("Restored ") == 2, done.stderr
    [kept] = server.folder.glob("sync.sqlite.before-restore-*Z")
    assert orders(kept) == before
    after = orders(live)
    assert after.keys() == before.keys() and not set(after.values()) & set(before.values())

    server.start()
    for device in (phone, desk, phone):
        device.ok("sync", "now")
    assert titles(desk) == titles(phone) == ["At the desk, after it", "Before the backup", "On the phone, after it"]
    words = [device.json("sync", "compare")["words"] for device in (desk, phone)]
    assert words[0] == words[1] and len(words[0]) == 8
    for device in (desk, phone):
        state = device.json("sync", "status")
        assert "needs" not in state and "trouble" not in state and "warnings" not in state, state
    shown = notices.text()
    assert shown.count("The sync server had lost changes") == 1 and "contradicts itself" not in shown, shown
    with closing(sqlite3.connect(f"file:{live}?mode=ro", uri=True)) as db, closing(sqlite3.connect(kept)) as lost:
        count = "SELECT count(*) FROM entry"
        assert db.execute(count).fetchone() >= lost.execute(count).fetchone()
    assert {finding for finding in codes(check(server, "--sync")[1]) if finding.startswith("sync_")} == set()


def test_one_database_can_be_backed_up_and_restored_alone(tmp_path):
    place = tmp_path / "server"
    place.mkdir(mode=0o700)
    server = SyncServer(place)  # noqa: F811
    server.start()
    try:
        server.invite()
        assert server.person("ada").register().status_code == 201
        file = tmp_path / "accounts"
        done = backup(server, file)
        assert done.returncode == 0 and "1 account" in done.stdout and "--only sync" in done.stderr
        other = tmp_path / "vaults"
        done = backup(server, other, "--only", "sync")
        assert done.returncode == 0 and "0 vaults, 0 entries" in done.stdout and done.stderr == ""
        again = backup(server, other, "--only", "sync")
        assert again.returncode == 69 and "--replace" in again.stderr
        assert server.stop() == 0
        # What a file is, the command sees itself.
        for backed, name in ((other, "sync.sqlite"), (file, "ward.sqlite")):
            done = restore(server, backed)
            assert done.returncode == 0 and done.stdout.startswith(f"Restored {server.folder / name}"), done.stderr
            assert len(list(server.folder.glob(f"{name}.before-restore-*"))) == 1
        wrong = run(server.folder, "restore", str(file), "--database", str(server.database), "--only", "sync")
        assert wrong.returncode == 69 and "other database" in wrong.stderr
        nothing = restore(server, tmp_path / "server" / "..")
        assert nothing.returncode == 69 and "no ward.sqlite" in nothing.stderr
        # A damaged backup of one database leaves the other one as it is.
        both = tmp_path / "both"
        both.mkdir()
        file.rename(both / "ward.sqlite")
        (both / "sync.sqlite").write_bytes(b"my holiday pictures\n" * 500)
        refused = restore(server, both)
        assert refused.returncode == 69 and "sync server cannot be used" in refused.stderr, refused.stderr
        assert len(list(server.folder.glob("ward.sqlite.before-restore-*"))) == 1
        assert not list(server.folder.glob("*.partial"))
        migrated = run(server.folder, "migrate", "--database", str(server.database))
        assert migrated.returncode == 0 and migrated.stdout.count(" already.") == 2
        server.start()
    finally:
        server.stop()


def test_a_check_reads_the_database_of_the_sync_server_too(tmp_path):
    place = tmp_path / "server"
    place.mkdir(mode=0o700)
    server = SyncServer(place)  # noqa: F811
    server.start()
    server.invite()
    assert server.stop() == 0
    code, report = check(server, "--sync")
    assert code == 0 and report["sync"]["vaults"] == 0 and report["sync"]["schemaVersion"] == report["sync"]["currentSchemaVersion"]
    database = server.folder / "sync.sqlite"
    database.chmod(0o644)
    content = bytearray(database.read_bytes())
    content[4096:8192] = b"\xa5" * 4096
    database.write_bytes(content)
    code, report = check(server, "--sync")
    assert code == 1 and {"sync_file_readable", "sync_database_damaged"} <= codes(report)
    assert "sync" not in check(server)[1]


def test_a_person_who_lost_all_devices_goes_on_with_the_server(vault, phone, server, tmp_path):  # noqa: F811
    vault.ok("add", "Before the backup", secrets={"--password-fd": "first"})
    token = server.invite()
    words = ("--new-recovery-key", "--invitation-file", "-", "--name", "desk")
    key = vault.json("sync", "on", server.address, *words, text=token + "\n", passphrase=PASSPHRASE)["recoveryKey"]
    vault.ok("backup", str(tmp_path))
    vault.ok("add", "After the backup", secrets={"--password-fd": "second"})
    vault.ok("sync", "now")
    vault.stop()

    # A new machine, and nothing else than the copy, the paper and the address.
    fresh = "a new one for better days"
    phone.ok("restore", "--from", str(tmp_path), passphrase=fresh, secrets={"--recovery-key-fd": key})
    on = phone.json("sync", "on", server.address, passphrase=fresh)
    assert "trouble" not in on["state"] and on["taken"] > 0 and on["written"] > 0, on
    assert titles(phone) == ["After the backup", "Before the backup"]
    phone.ok("devices", "remove", "desk", "--yes", passphrase=fresh, secrets={"--recovery-key-fd": key})
    phone.ok("add", "On the new machine", secrets={"--password-fd": "third"})
    phone.ok("sync", "now")
    state = phone.json("sync", "status")
    assert "needs" not in state and "trouble" not in state, state
    assert {finding for finding in codes(check(server, "--sync")[1]) if finding.startswith("sync_")} == set()

    # The lost machine is found by somebody.
    vault.ok("unlock", passphrase=PASSPHRASE)
    vault.run("sync", "now")
    assert "On the new machine" not in titles(vault)
