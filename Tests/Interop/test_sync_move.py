"""`ward sync move`: a vault goes from one server to another, and the other devices follow."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from pathlib import Path

import circlefolder  # noqa: F401: it says where read_circle is
import pytest
from circledevices import happens
from manager import PASSPHRASE, Manager
from read_circle import Folder
from syncserver import SyncServer
from test_manager_sync import joined, titles
from test_sync_circle import secret_key

NEEDS_PERSON = 11
UNAVAILABLE = 9
DENIED = 5


@pytest.fixture
def servers(tmp_path: Path) -> Iterator[tuple[SyncServer, SyncServer]]:
    both = []
    for name in ("old", "new"):
        place = tmp_path / name
        place.mkdir(mode=0o700)
        both.append(SyncServer(place))
        both[-1].start()
    yield both[0], both[1]
    for one in both:
        one.stop()


@pytest.fixture
def others() -> Iterator[list[Manager]]:
    """Two more devices, without a vault."""
    with tempfile.TemporaryDirectory(prefix="ward-") as first, tempfile.TemporaryDirectory(prefix="ward-") as second:
        managers = [Manager(Path(first)), Manager(Path(second))]
        yield managers
        for one in managers:
            one.stop()


def state(manager: Manager) -> dict:
    return json.loads(manager.run("sync", "status", "--json").stdout)


def test_a_vault_moves_and_the_devices_at_the_old_server_follow(vault, others, servers, tmp_path):
    (desk, (phone, tablet)), (old, new) = (vault, others), servers
    folder = tmp_path / "shared"
    folder.mkdir()
    desk.ok("add", "At the beginning", secrets={"--password-fd": "first"})
    desk.ok("sync", "on", str(folder), "--new-recovery-key", "--name", "desk", passphrase=PASSPHRASE)
    joined(desk, phone, folder)
    joined(desk, tablet, folder)
    desk.ok("sync", "on", old.address, "--invitation-file", "-", text=old.invite(), passphrase=PASSPHRASE)
    phone.ok("sync", "on", old.address, passphrase=PASSPHRASE)
    phone.ok("add", "From the phone", secrets={"--password-fd": "second"})
    phone.ok("sync", "now")

    # Nothing moves without an invitation, nor with a wrong passphrase.
    refused = desk.run("sync", "move", new.address, "--json", "--no-prompt", passphrase=PASSPHRASE)
    error = json.loads(refused.stdout)["error"]
    assert error["code"] == "usage" and "add --invitation-file, or --sign-in" in error["message"], error
    # What it says to repeat takes the other devices along.
    refused = desk.run("sync", "move", new.address, "--invitation-file", "-", "--json", text="A" * 43, passphrase=PASSPHRASE)
    error = json.loads(refused.stdout)["error"]
    assert error["code"] == "invitation_not_valid" and "ward sync move" in error["message"], error
    assert "ward sync on" not in error["message"], error
    token = new.invite()
    wrong = desk.run("sync", "move", new.address, "--invitation-file", "-", "--json", text=token, passphrase="wrong")
    assert json.loads(wrong.stdout)["error"]["code"] == "wrong_passphrase"
    assert state(desk)["server"] == state(phone)["server"] == old.address

    moved = desk.json("sync", "move", new.address, "--invitation-file", "-", text=token, passphrase=PASSPHRASE)
    assert moved["state"]["server"] == new.address and "needs" not in moved["state"], moved
    happens(lambda: state(phone)["server"] == new.address, lambda: state(phone))
    phone.ok("add", "After the move", secrets={"--password-fd": "third"})
    phone.ok("sync", "now")
    desk.ok("sync", "now")
    wanted = ["After the move", "At the beginning", "From the phone"]
    assert sorted(titles(desk)) == sorted(titles(phone)) == wanted

    # The old server is not needed any more, and neither server read the address of the other.
    old.stop()
    desk.ok("edit", "After the move", "--title", "Without the old server")
    desk.ok("sync", "now")
    happens(lambda: "Without the old server" in titles(phone), lambda: titles(phone))
    for one, other in ((old, new), (new, old)):
        stored = b"".join(path.read_bytes() for path in one.folder.glob("sync.sqlite*"))
        assert other.address.encode() not in stored

    # A device that syncs with a folder is told, and stays until the person decides.
    for device in (desk, phone):
        device.ok("sync", "on", str(folder), passphrase=PASSPHRASE)
        device.ok("sync", "now")
    # A program that knows only the pages reads where the vault is now.
    read = Folder(folder, None)
    read.unlock(PASSPHRASE, secret_key(desk))
    assert read.place() == {"address": new.address, "before": old.address}
    done = tablet.run("sync", "now", "--json")
    assert done.returncode == 0, done.stderr
    assert [need["code"] for need in state(tablet)["needs"]] == ["vault_moved"]
    shown = tablet.run("sync")
    assert shown.returncode == NEEDS_PERSON and f"ward sync on {new.address}" in shown.stdout
    here = tablet.json("sync", "on", new.address, passphrase=PASSPHRASE)["state"]
    assert here["server"] == new.address and "needs" not in here
    assert sorted(titles(tablet)) == sorted(titles(phone))


def test_a_vault_moves_although_the_old_server_is_gone(vault, servers):
    old, new = servers
    vault.ok("sync", "on", old.address, "--new-recovery-key", "--invitation-file", "-", text=old.invite(), passphrase=PASSPHRASE)
    vault.ok("add", "Only here", secrets={"--password-fd": "first"})
    old.kill()
    token = new.invite()
    words = ("sync", "move", new.address, "--invitation-file", "-")
    refused = vault.run(*words, "--json", text=token, passphrase=PASSPHRASE)
    error = json.loads(refused.stdout)["error"]
    assert error["code"] == "earlier_place" and f"move {new.address} --old-server-gone" in error["message"], error
    assert refused.returncode == UNAVAILABLE and state(vault)["server"] == old.address
    moved = vault.json(*words, "--old-server-gone", text=token, passphrase=PASSPHRASE)
    assert moved["state"]["server"] == new.address and moved["written"] > 0
    # A vault that is not synced cannot move: first it is synced.
    vault.ok("sync", "off")
    refused = vault.run("sync", "move", old.address, "--json", passphrase=PASSPHRASE)
    error = json.loads(refused.stdout)["error"]
    assert error["code"] == "sync_off" and "ward sync on ADDRESS" in error["message"], error


def test_a_place_that_works_is_kept_until_another_one_works(vault, servers, tmp_path):
    (old, new), folder = servers, tmp_path / "shared"
    folder.mkdir()

    def refused(place: str, *words: str, text: str = "") -> tuple[int, str]:
        done = vault.run("sync", "on", place, *words, "--json", "--no-prompt", text=text, passphrase=PASSPHRASE)
        return done.returncode, json.loads(done.stdout)["error"]["code"]

    vault.ok("sync", "on", str(folder), "--new-recovery-key", passphrase=PASSPHRASE)
    vault.ok("add", "Only here", secrets={"--password-fd": "first"})
    new.stop()
    assert refused(str(tmp_path / "missing")) == (UNAVAILABLE, "folder_missing")
    assert refused(new.address) == (UNAVAILABLE, "server_unreachable")
    assert refused(old.address) == (DENIED, "session_refused")
    assert refused(old.address, "--invitation-file", "-", text="A" * 43) == (DENIED, "invitation_not_valid")
    assert state(vault)["folder"] == str(folder) and "needs" not in state(vault)
    on = vault.json("sync", "on", old.address, "--invitation-file", "-", text=old.invite(), passphrase=PASSPHRASE)
    assert on["state"]["server"] == old.address and on["written"] > 0, on
    # And from one server to another one that does not know the vault.
    new.start()
    assert refused(new.address) == (DENIED, "session_refused")
    assert state(vault)["server"] == old.address and "needs" not in state(vault)
    # What is not there is said before anybody types a secret.
    done = vault.run("sync", "on", str(tmp_path / "missing"), "--no-prompt")
    assert done.returncode == UNAVAILABLE and "is not there" in done.stderr


def test_a_first_sync_that_fails_is_said_by_the_exit_status(vault, servers):
    (_, new) = servers
    new.stop()
    token = new.invite()
    words = ("sync", "on", new.address, "--invitation-file", "-")
    done = vault.run(*words, "--new-recovery-key", text=token, passphrase=PASSPHRASE)
    assert done.returncode == UNAVAILABLE and "The first sync failed" in done.stdout and "Warning: " in done.stderr, done
    # Sync is on, and tries again by itself.
    new.start()
    happens(lambda: "lastSuccess" in state(vault), lambda: state(vault))
    assert state(vault)["server"] == new.address and "needs" not in state(vault)


def test_a_device_that_comes_to_the_old_server_later_follows(vault, others, servers, tmp_path):
    (desk, (phone, _)), (old, new), folder = (vault, others), servers, tmp_path / "shared"
    folder.mkdir()
    desk.ok("sync", "on", str(folder), "--new-recovery-key", "--name", "desk", passphrase=PASSPHRASE)
    joined(desk, phone, folder)
    desk.ok("sync", "on", old.address, "--invitation-file", "-", text=old.invite(), passphrase=PASSPHRASE)
    desk.ok("sync", "move", new.address, "--invitation-file", "-", text=new.invite(), passphrase=PASSPHRASE)
    # The phone knows nothing of the move. It hears of it in its first sync there, and nobody has decided about it.
    phone.ok("sync", "on", old.address, passphrase=PASSPHRASE)
    happens(lambda: state(phone)["server"] == new.address, lambda: state(phone))
    desk.ok("add", "After the move", secrets={"--password-fd": "first"})
    desk.ok("sync", "now")
    happens(lambda: "After the move" in titles(phone), lambda: titles(phone))
