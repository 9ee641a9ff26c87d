"""Sync while a disk is full: that of a device, and that of the server."""

from __future__ import annotations

import json
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from circledevices import add, begin, bring, equal, homes, machine, needs, refused, sync  # noqa: F401
from manager import PASSPHRASE, Manager
from syncserver import SyncServer
from test_manager_sync import titles
from test_sync_server import server, until  # noqa: F401

# Few of them fit on a small disk.
NOTE = "x" * 60_000


@contextmanager
def small_disk(folder: Path, size: str) -> Iterator[Callable[[str], None]]:
    """A disk with so much room; the value changes that."""
    words = ["mount", "-t", "tmpfs", "-o", f"size={size},mode=700", "tmpfs", str(folder)]
    if subprocess.run(words, capture_output=True, check=False).returncode:
        pytest.skip("no small disk can be mounted here")
    try:
        yield lambda new: subprocess.run(["mount", "-o", f"remount,size={new}", str(folder)], check=True)
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


@pytest.fixture
def phone(homes: Path) -> Iterator[tuple[Manager, Callable[[str], None]]]:  # noqa: F811
    """A phone with all that it keeps on a small disk, and what changes the room there."""
    with tempfile.TemporaryDirectory(prefix="ward-") as place:
        one = Manager(Path(place))
        with small_disk(one.home, "500k") as resize:
            begin(one, homes / "phone")
            yield one, resize
            one.stop()


def test_a_device_whose_disk_is_full_goes_on_when_there_is_room(machine, phone, server):  # noqa: F811
    desk, (phone, resize) = machine("desk"), phone
    bring(server, desk, phone)
    notes = [f"Note {number}" for number in range(12)]
    add(desk, *notes, notes=NOTE)
    sync(desk)
    assert refused(phone, "sync", "now") == (9, "disk_full")
    assert needs(phone) == ["disk_full"] and "Free some space" in phone.run("sync", "status").stdout
    shown = titles(phone)
    assert "Common" in shown and set(shown) < {"Common", *notes}
    # What the phone acknowledges is kept, and nothing else.
    acknowledged = []
    for number in range(4):
        done = phone.run("add", f"Small {number}", "--json")
        assert done.returncode == 0 or json.loads(done.stdout)["error"]["code"] == "disk_full", done
        acknowledged += [f"Small {number}"] if done.returncode == 0 else []
    assert refused(phone, "add", "Large", "--kind", "note", "--notes", "-", text=NOTE * 10) == (9, "disk_full")
    phone.kill()
    phone.ok("unlock", passphrase=PASSPHRASE)
    assert titles(phone) == sorted([*shown, *acknowledged])
    resize("16m")
    # Nobody has to do anything.
    until(sorted(["Common", *notes, *acknowledged]), desk, phone)
    sync(phone, desk)
    assert needs(phone) == needs(desk) == []
    equal(desk, phone)


def test_a_server_whose_disk_is_full_takes_the_rest_when_there_is_room(machine, tmp_path):  # noqa: F811
    desk, phone = machine("desk"), machine("phone")
    notes = [f"Note {number}" for number in range(30)]
    with small_disk(tmp_path, "3m") as resize, SyncServer(tmp_path) as server:  # noqa: F811
        bring(server, desk, phone)
        add(desk, *notes, notes=NOTE)
        code = refused(desk, "sync", "now")
        assert code == (9, "unavailable") and needs(desk) == ["unavailable"]
        phone.ok("add", "Meanwhile")
        assert phone.run("sync", "now").returncode in (0, 9)
        assert titles(desk) == sorted(["Common", *notes]) and set(titles(phone)) < {"Common", "Meanwhile", *notes}
        # The power fails too.
        server.kill()
        resize("32m")
        server.start()
        until(sorted(["Common", "Meanwhile", *notes]), desk, phone)
        sync(desk, phone)
        assert needs(desk) == needs(phone) == []
        equal(desk, phone)
