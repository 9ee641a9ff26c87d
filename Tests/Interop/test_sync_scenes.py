"""What happens to devices of one person: a stolen phone, a copied disk, a new passphrase, and two servers.

Real agents sync with a real server. What each person is told, and which items each device shows, is compared exactly.
"""

from __future__ import annotations

import os
import shutil
import signal
import tempfile
from collections.abc import Iterator
from pathlib import Path

import circlefolder  # noqa: F401: it says where read_circle is
import pytest
from circledevices import add, bring, equal, homes, machine, needs, refused, started, statuses, sync  # noqa: F401
from manager import PASSPHRASE, Manager
from read_circle import Folder, Refused
from syncserver import SyncServer
from test_manager_meeting import Adding, join
from test_manager_sync import titles
from test_sync_circle import secret_key
from test_sync_restore import Notices
from test_sync_server import server  # noqa: F401

NEW_PASSPHRASE = "a new one for better days"


def test_a_stolen_phone_that_was_removed_meanwhile_changes_nothing_and_gets_nothing(machine, server, tmp_path):  # noqa: F811
    notices = Notices(tmp_path)
    desk, tablet, phone = machine("desk"), machine("tablet", **notices.settings), machine("phone")
    bring(server, desk, tablet, phone)
    phone.ok("add", "In time")
    sync(phone, desk, tablet)
    server.stop()
    # The thief has an open phone without a network.
    phone.ok("add", "Late")
    phone.ok("edit", "Common", "--title", "Stolen", secrets={"--password-fd": "changed by the thief"})
    agent = phone.status()["pid"]
    os.kill(agent, signal.SIGSTOP)
    server.start()
    removal = desk.run("devices", "remove", "phone", "--yes", passphrase=PASSPHRASE)
    assert removal.returncode == 0 and "“phone” was removed." in removal.stdout and "recovery key" not in removal.stderr
    desk.ok("add", "After it")
    sync(desk, tablet)
    os.kill(agent, signal.SIGCONT)
    assert refused(phone, "sync", "now") == (5, "device_removed")
    assert needs(phone) == ["device_removed"] and "was removed from the vault" in phone.run("sync", "status").stdout
    assert titles(phone) == ["In time", "Late", "Stolen"]
    assert phone.json("show", "Stolen", "--reveal")["password"]["value"] == "changed by the thief"
    phone.ok("add", "Later still")
    assert refused(phone, "sync", "now") == (5, "device_removed")
    sync(desk, tablet)
    for device in (desk, tablet):
        assert titles(device) == ["After it", "Common", "In time"] and needs(device) == []
        assert device.json("show", "Common", "--reveal")["password"]["value"] == "first"
        assert statuses(device) == {"desk": "member", "tablet": "member", "phone": "removed"}
    assert "“phone” gets no more changes of your vault" in notices.text()
    equal(desk, tablet)
    # The thief has everything that the members ever wrote, the passphrase and the Secret Key of the phone.
    folder = tmp_path / "everything"
    folder.mkdir()
    for device in (desk, tablet):
        device.ok("sync", "on", str(folder), passphrase=PASSPHRASE)
    with pytest.raises(Refused, match="Secret Key"):
        Folder(folder, None).unlock(PASSPHRASE, secret_key(phone))
    Folder(folder, None).unlock(PASSPHRASE, secret_key(desk))


def test_a_phone_that_a_thief_removed_is_back_when_it_hears_of_the_thiefs_removal(machine, server):  # noqa: F811
    desk, tablet, phone = machine("desk"), machine("tablet"), machine("phone")
    bring(server, desk, tablet, phone)
    server.stop()
    # Nobody hears of this before the thief has answered.
    desk.ok("devices", "remove", "tablet", "--yes", passphrase=PASSPHRASE)
    agent = desk.status()["pid"]
    os.kill(agent, signal.SIGSTOP)
    server.start()
    tablet.ok("devices", "remove", "phone", "--yes", passphrase=PASSPHRASE)
    sync(tablet)
    assert refused(phone, "sync", "now") == (5, "device_removed")
    os.kill(agent, signal.SIGCONT)
    sync(desk, phone)
    phone.ok("add", "Again")
    sync(phone, desk)
    for device in (desk, phone):
        assert statuses(device) == {"desk": "member", "tablet": "removed", "phone": "member"}
        # The key that the thief made beside it was not for the phone.
        assert needs(device) == ["removal_void", "device_lacks_key"] and "Again" in titles(device)
    desk.ok("devices", "rekey", passphrase=PASSPHRASE)
    sync(desk, phone)
    for device in (desk, phone):
        assert needs(device) == []
    assert titles(desk) == titles(phone)
    equal(desk, phone)
    assert refused(tablet, "sync", "now") == (5, "device_removed")


@pytest.fixture(scope="module")
def removed(homes: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Manager, Manager]]:  # noqa: F811
    """A desk, and a phone that wrote beside its removal; after that Syncthing brings both halves of the folder together."""
    folders = [tmp_path_factory.mktemp("half") for _ in range(2)]
    with started(homes) as start:
        desk, phone = start("desk"), start("phone")
        for device, folder in ((desk, folders[0]), (phone, folders[1])):
            device.ok("sync", "on", str(folder), passphrase=PASSPHRASE)

        def exchange() -> None:
            for one, other in (folders, folders[::-1]):
                shutil.copytree(one, other, dirs_exist_ok=True)
            sync(desk, phone)

        exchange()
        phone.ok("add", "Late")
        phone.ok("edit", "Common", "--title", "Stolen")
        desk.ok("devices", "remove", "phone", "--yes", passphrase=PASSPHRASE)
        desk.ok("add", "After it")
        sync(phone, desk)
        assert titles(phone) == ["Late", "Stolen"]
        exchange()
        exchange()
        yield desk, phone


def test_what_a_phone_wrote_beside_its_removal_counts_nowhere(removed):
    desk, phone = removed
    assert titles(desk) == ["After it", "Common"] and needs(desk) == []
    assert statuses(desk)["phone"] == statuses(phone)["phone"] == "removed"
    assert needs(phone) == ["not_in_circle"] and "After it" not in titles(phone)
    assert refused(phone, "add", "Too late") == (8, "not_in_circle")
    assert refused(phone, "devices", "rekey", passphrase=PASSPHRASE) == (8, "not_in_circle")


def test_a_removed_phone_says_what_it_no_longer_shows_and_salvage_saves_it(removed):
    _, phone = removed
    said = phone.run("sync", "status").stdout
    assert "2 changes that no other device had heard of do not count, and are not shown" in said and "ward salvage" in said
    # Late, and the item with its new title.
    assert phone.json("salvage", "--dry-run", passphrase=PASSPHRASE)["complete"] == 2


def test_a_copy_of_a_disk_is_noticed_and_begins_anew(machine, server):  # noqa: F811
    desk, phone = machine("desk"), machine("phone")
    bring(server, desk, phone)
    sync(desk, phone)
    phone.stop()
    server.stop()
    copy = machine("copy", phone.home)
    phone.ok("unlock", passphrase=PASSPHRASE)
    phone.ok("add", "On the phone")
    copy.ok("add", "On the copy")
    # The phone comes first: otherwise the phone is the one that is told.
    agent = copy.status()["pid"]
    os.kill(agent, signal.SIGSTOP)
    server.start()
    sync(phone, desk)
    os.kill(agent, signal.SIGCONT)
    assert refused(copy, "sync", "now") == (7, "device_copied")
    assert needs(copy) == ["device_copied"] and "Keep the old folder" in copy.run("sync", "status").stdout
    assert titles(copy) == ["Common", "On the copy"] and titles(desk) == titles(phone) == ["Common", "On the phone"]
    assert needs(desk) == needs(phone) == []

    # The way out that the sentence names.
    copy.stop()
    old = copy.folder / "old"
    old.mkdir()
    copy.vault.parent.rename(old / "ward")
    adding = Adding(desk)
    assert join(copy, server, adding.code, "--name", "laptop").returncode == 0
    assert adding.end()[0] == 0
    copy.ok("add", "On the laptop")
    sync(copy, phone, desk)
    assert titles(copy) == titles(desk) == titles(phone) == ["Common", "On the laptop", "On the phone"]
    assert needs(copy) == needs(desk) == needs(phone) == [] and statuses(desk)["laptop"] == "member"
    equal(copy, desk, phone)
    # What was not synced is in the old folder.
    with tempfile.TemporaryDirectory(prefix="ward-") as place:
        kept = Manager(Path(place), XDG_DATA_HOME=str(old))
        kept.ok("unlock", "--trust-this-file", passphrase=PASSPHRASE)
        assert titles(kept) == ["Common", "On the copy"]
        kept.stop()


def test_a_disk_and_its_copy_that_other_devices_meet_first_are_both_stopped(machine, server, tmp_path):  # noqa: F811
    desk, phone = machine("desk"), machine("phone")
    bring(server, desk, phone)
    sync(desk, phone)
    phone.stop()
    copy = machine("copy", phone.home)
    phone.ok("unlock", passphrase=PASSPHRASE)
    folder = tmp_path / "folder"
    folder.mkdir()
    copy.ok("sync", "on", str(folder), passphrase=PASSPHRASE)
    copy.ok("add", "On the copy")
    phone.ok("add", "On the phone")
    sync(copy, phone, desk)
    assert titles(desk) == ["Common", "On the phone"]
    # The desk brings both together: it says so, and takes neither.
    desk.ok("sync", "on", str(folder), passphrase=PASSPHRASE)
    sync(desk)
    assert needs(desk) == ["device_broke_rules"] and titles(desk) == ["Common"]
    broken = [one["name"] for one in desk.json("devices")["devices"] if one["hasBrokenRules"]]
    assert broken == ["phone"]
    desk.ok("add", "At the desk")
    desk.ok("sync", "on", server.address, passphrase=PASSPHRASE)
    sync(desk)
    assert refused(phone, "sync", "now") == (7, "device_copied")
    assert needs(phone) == ["device_copied"] and titles(phone) == ["Common", "On the phone"]
    # The copy keeps the place that works for it.
    assert refused(copy, "sync", "on", server.address, passphrase=PASSPHRASE) == (7, "device_copied")
    assert titles(copy) == ["Common", "On the copy"]
    desk.ok("devices", "remove", "phone", "--yes", passphrase=PASSPHRASE)
    sync(desk)
    assert needs(desk) == [] and titles(desk) == ["At the desk", "Common"]


def test_a_new_passphrase_opens_both_devices_although_one_wrote_offline(machine, server):  # noqa: F811
    desk, phone = machine("desk"), machine("phone")
    bring(server, desk, phone)
    sync(desk, phone)
    server.stop()
    desk.ok("passphrase", passphrase=PASSPHRASE, secrets={"--new-passphrase-fd": NEW_PASSPHRASE})
    desk.ok("add", "At the desk")
    desk.ok("edit", "Common", "--notes", "-", text="written at the desk")
    phone.ok("add", "On the phone")
    phone.ok("edit", "Common", "--username", "bob")
    # Until it hears of it, the phone opens with the former one.
    phone.ok("lock")
    assert refused(phone, "unlock", passphrase=NEW_PASSPHRASE) == (6, "wrong_passphrase")
    phone.ok("unlock", passphrase=PASSPHRASE)
    server.start()
    sync(desk, phone, desk)
    for device in (desk, phone):
        assert titles(device) == ["At the desk", "Common", "On the phone"] and needs(device) == []
        common = device.json("show", "Common", "--reveal")
        assert (common["username"], common["notes"]) == ("bob", "written at the desk") and "conflicts" not in common
        device.kill()
        assert refused(device, "unlock", passphrase=PASSPHRASE) == (6, "wrong_passphrase")
        device.ok("unlock", passphrase=NEW_PASSPHRASE)
    equal(desk, phone)


def test_a_server_that_lost_half_gets_it_back_and_a_second_server_has_all(machine, server, tmp_path):  # noqa: F811
    desk, tablet, phone = machine("desk"), machine("tablet"), machine("phone")
    bring(server, desk, phone)
    (tmp_path / "second").mkdir(mode=0o700)
    with SyncServer(tmp_path / "second") as second:
        bring(second, desk, tablet)
        add(phone, *(f"early {number}" for number in range(6)))
        sync(phone)
        server.stop()
        half = [shutil.copy2(path, tmp_path) for path in server.folder.glob("sync.sqlite*")]
        server.start()
        add(phone, *(f"late {number}" for number in range(6)))
        add(tablet, *(f"second {number}" for number in range(6)))
        sync(phone, tablet)
        # Each server has what its own devices brought.
        assert not any(title.startswith("second") for title in titles(phone))
        server.stop()
        for path in server.folder.glob("sync.sqlite*"):
            path.unlink()
        for path in half:
            shutil.copy2(path, server.folder)
        server.start()
        sync(phone)
        # The desk goes from one server to the other, and brings what each of them lacks.
        for place, other in ((server, phone), (second, tablet), (server, phone)):
            desk.ok("sync", "on", place.address, passphrase=PASSPHRASE)
            sync(other, desk)
        everything = sorted(["Common", *(f"{name} {number}" for name in ("early", "late", "second") for number in range(6))])
        assert titles(desk) == titles(tablet) == titles(phone) == everything
        assert needs(desk) == needs(tablet) == needs(phone) == []
        equal(desk, tablet, phone)
