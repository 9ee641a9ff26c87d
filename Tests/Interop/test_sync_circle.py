"""The folder of devices that `ward` synced, read by a program that knows the pages in Documentation/formats and nothing of ours."""

from __future__ import annotations

import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import circlefolder  # noqa: F401: it says where read_circle is
import pytest
import read_vault
from manager import PASSPHRASE, Manager
from read_circle import Folder, Refused
from read_vault import decode

# How the commands are called, in one place.


def turn_on(desk: Manager, folder: Path) -> str:
    """Begins a circle in a folder, and answers the recovery key."""
    words = ["sync", "on", str(folder), "--name", "desk", "--new-recovery-key"]
    return desk.json(*words, passphrase=PASSPHRASE)["recoveryKey"]


def join(phone: Manager, desk: Manager, folder: Path) -> None:
    """Admits a new device: it waits for the other one."""
    with ThreadPoolExecutor() as pool:
        joining = pool.submit(phone.ok, "join", str(folder), "--name", "phone", passphrase=PASSPHRASE, timeout=120)
        deadline = time.monotonic() + 60
        while not (requests := list(folder.glob("ward/pairing/[!.]*.request"))):
            assert time.monotonic() < deadline and not joining.done(), joining.done() and joining.result()
            time.sleep(0.1)
        desk.ok("devices", "add", "--request", requests[0].stem, "--yes", passphrase=PASSPHRASE)
        joining.result()


def sync(*devices: Manager) -> None:
    for device in devices:
        device.ok("sync", "now")


@pytest.fixture
def desk(vault):
    vault.ok("add", "Before", "--username", "ada.lovelace", secrets={"--password-fd": "of the desk"})
    return vault


@pytest.fixture
def phone():
    # Sockets have short paths.
    with tempfile.TemporaryDirectory(prefix="ward-") as folder:
        one = Manager(Path(folder))
        yield one
        one.stop()


@pytest.fixture
def folder(tmp_path):
    place = tmp_path / "folder"
    place.mkdir()
    return place


def root(device: Manager) -> bytes:
    """The entry that begins the circle, as the device keeps it in `head`."""
    slots = (device.home / "state/ward/head").read_bytes()
    # The slots are CBOR and zeros; one that was never written is zeros alone.
    pairs = [read_vault._decode(slots[at : at + 256], 0, 0)[0] for at in (0, 256) if slots[at]]
    body = max((decode(body) for body, _ in pairs), key=lambda one: one[5])
    assert body[:3] == ["ward", 2, "head"] and len(body) in (8, 9)
    return body[7]


def recovered(folder: Path, key: str) -> dict:
    read = Folder(folder, None)
    read.recover(key)
    return read.read()


def unlocked(folder: Path, device: Manager) -> dict:
    read = Folder(folder, None)
    read.unlock(PASSPHRASE, secret_key(device))
    return read.read()


def secret_key(device: Manager) -> str:
    lines = (device.home / "data/ward/secret-key").read_text(encoding="utf-8").splitlines()
    return next(line for line in lines if line.strip() and not line.startswith("#"))


def titles(found: dict) -> list[str]:
    return sorted(one["value"]["title"] for one in found["items"])


def statuses(found: dict) -> dict:
    return {one["name"]: one["status"] for one in found["devices"]}


def is_whole(found: dict) -> bool:
    return not (found["refused"] or found["withheld"] or found["waiting"] or found["files"]["refused"])


def test_a_folder_that_ward_began_is_read_with_every_key(desk, folder):
    key = turn_on(desk, folder)
    sync(desk)
    found = recovered(folder, key)
    assert is_whole(found) and found["isRootProven"]
    assert found["root"] == root(desk).hex()
    Folder(folder, root(desk)).unlock(PASSPHRASE, secret_key(desk))
    assert titles(found) == ["Before"] and statuses(found) == {"desk": "member"}
    assert unlocked(folder, desk) == found


def test_two_devices_and_the_reader_show_the_same(desk, phone, folder):
    key = turn_on(desk, folder)
    join(phone, desk, folder)
    phone.ok("add", "of the phone", secrets={"--password-fd": "of the phone"})
    desk.ok("add", "of the desk", secrets={"--password-fd": "of the desk"})
    sync(phone, desk, phone)
    found = recovered(folder, key)
    assert is_whole(found)
    assert statuses(found) == {"desk": "member", "phone": "member"}
    for device in (desk, phone):
        assert titles(found) == sorted(one["title"] for one in device.json("list"))
        assert unlocked(folder, device) == found


def test_a_removed_device_has_the_keys_that_it_had_and_no_others(desk, phone, folder):
    key = turn_on(desk, folder)
    join(phone, desk, folder)
    sync(desk)
    before, secret = recovered(folder, key), secret_key(phone)
    desk.ok("devices", "remove", "phone", "--yes", passphrase=PASSPHRASE)
    desk.ok("add", "after it", secrets={"--password-fd": "new"})
    sync(desk)
    found = unlocked(folder, desk)
    assert is_whole(found)
    assert statuses(found) == {"desk": "member", "phone": "removed"}
    assert titles(found) == ["Before", "after it"]
    assert found["secretKey"] != before["secretKey"] and found["epoch"] == before["epoch"] + 1
    assert found["owners"] != before["owners"]
    assert recovered(folder, key) == found
    with pytest.raises(Refused, match="Secret Key"):
        Folder(folder, None).unlock(PASSPHRASE, secret)


def test_nothing_in_the_folder_has_a_word_of_the_vault(desk, phone, folder):
    turn_on(desk, folder)
    join(phone, desk, folder)
    sync(phone, desk)
    everything = b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())
    for word in (b"Before", b"ada.lovelace", b"of the desk"):
        assert word not in everything
    found = Folder(folder, None).read()
    assert len(found["devices"]) == 2 and "items" not in found
