"""What an operator of a sync server sees and does, and what devices learn of the room that is left."""

from __future__ import annotations

import json
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from manager import PASSPHRASE, Manager
from syncserver import SyncServer
from test_operating import run
from test_sync_restore import Notices
from test_sync_server import NEEDS_PERSON, code


@pytest.fixture
def small(tmp_path: Path) -> Iterator[SyncServer]:
    """A server on which a vault has 1 MiB."""
    place = tmp_path / "server"
    place.mkdir(mode=0o700)
    one = SyncServer(place, more=("--sync-vault-size", "1"))
    one.start()
    yield one
    one.stop()


def operate(server: SyncServer, *words: str) -> subprocess.CompletedProcess[str]:
    return run(server.folder, "sync", *words, "--database", str(server.database))


def listed(server: SyncServer, *words: str) -> list[dict]:
    done = operate(server, *words, "--json")
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def needs(device: Manager) -> list[str]:
    return [need["code"] for need in json.loads(device.run("sync", "status", "--json").stdout).get("needs", [])]


def test_little_room_is_said_once_and_the_operator_sees_why(small, tmp_path):
    notices = Notices(tmp_path)
    with tempfile.TemporaryDirectory(prefix="ward-") as place:
        desk = Manager(Path(place), **notices.settings)
        try:
            desk.init()
            desk.ok("add", "Passport")
            token = small.invite()
            desk.ok("sync", "on", small.address, "--new-recovery-key", "--invitation-file", "-", text=token + "\n", passphrase=PASSPHRASE)
            desk.ok("sync", "now")
            assert needs(desk) == []
            scan = tmp_path / "scan"
            scan.write_bytes(bytes(860_000))
            desk.ok("attach", "Passport", str(scan))
            desk.ok("sync", "now")
            # The device learns it with the next session.
            for _ in range(2):
                desk.stop()
                desk.ok("unlock", passphrase=PASSPHRASE)
                desk.ok("sync", "now")
                shown = desk.run("sync", "status")
                assert shown.returncode == NEEDS_PERSON and "of its room on the sync server" in shown.stdout, shown.stdout
                assert needs(desk) == ["server_almost_full"]
            assert notices.text().count("Little room is left on the sync server") == 1

            [vault] = listed(small, "list")
            assert vault["id"] == json.loads(desk.run("sync", "status", "--json").stdout)["vaultID"]
            assert vault["bytes"] > 860_000 and vault["entries"] > 3 and vault["devices"] == 1 and vault["lastContactAt"]
            line = operate(small, "list").stdout
            assert line.startswith(vault["id"]) and "1 device" in line and " KiB" in line
            [detail] = listed(small, "show", vault["id"][:10])
            kinds = sorted(visitor["kind"] for visitor in detail.pop("visitors"))
            assert kinds == ["device", "recovery_key"] and detail == vault
            assert "recovery key" in operate(small, "show", vault["id"]).stdout

            # With more room the device says no more.
            assert small.stop() == 0
            small.arguments = (*small.arguments[:-1], "2")
            small.start()
            desk.stop()
            desk.ok("unlock", passphrase=PASSPHRASE)
            desk.ok("sync", "now")
            assert needs(desk) == []

            kept = operate(small, "delete", vault["id"])
            assert kept.returncode == 64 and "--yes" in kept.stderr and len(listed(small, "list")) == 1
            gone = operate(small, "delete", vault["id"][:12], "--yes")
            assert gone.returncode == 0 and vault["id"] in gone.stdout and listed(small, "list") == []
            assert code(desk, "sync", "now") == "session_refused"
            assert [item["title"] for item in desk.json("list")] == ["Passport"]
        finally:
            desk.stop()


def test_an_invitation_is_listed_without_its_token_and_withdrawn(small):
    made = json.loads(operate(small, "invite", "--json").stdout)
    [invitation] = listed(small, "invitations")
    assert invitation == {name: made[name] for name in ("id", "createdAt", "expiresAt")}
    assert made["token"] not in operate(small, "invitations").stdout
    assert operate(small, "withdraw", invitation["id"]).returncode == 0
    assert listed(small, "invitations") == []
    for words in (("withdraw", invitation["id"]), ("show", "00"), ("delete", "00", "--yes")):
        missing = operate(small, *words)
        assert missing.returncode == 66 and "ward-server sync" in missing.stderr


@pytest.mark.parametrize("words", [("list",), ("invite",)])
@pytest.mark.parametrize("database", [("--sync-database", "missing.sqlite"), ()])
def test_a_command_in_a_wrong_folder_makes_no_database(tmp_path, words, database):
    """No server would know a token of such a database."""
    done = run(tmp_path, "sync", *words, *database)
    assert done.returncode == 64 and "no database" in done.stderr and "serve --sync once" in done.stderr
    assert done.stdout == "" and list(tmp_path.iterdir()) == []
