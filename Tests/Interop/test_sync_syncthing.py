"""`ward sync` over a folder that the real Syncthing keeps equal: each device has a folder and a Syncthing of its own."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from circledevices import happens
from manager import PASSPHRASE, Manager
from syncthing import Syncthing
from test_manager_sync import begin, request_of, titles


@pytest.fixture
def phone() -> Iterator[Manager]:
    """A second device, without a vault."""
    with tempfile.TemporaryDirectory(prefix="ward-") as place:
        other = Manager(Path(place))
        yield other
        other.stop()


@pytest.fixture
def carriers(tmp_path: Path) -> Iterator[list[Syncthing]]:
    """Two instances that know each other and run."""
    both = [Syncthing(tmp_path / name) for name in ("desk", "phone")]
    try:
        for one in both:
            one.know(both)
            one.start()
        yield both
    finally:
        for one in both:
            one.kill()


def test_two_devices_sync_through_syncthing(vault, phone, carriers):
    desk, (near, far) = vault, carriers

    compared: list[object] = []

    def equal() -> bool:
        for device in (desk, phone):
            device.ok("sync", "now")
        compared[:] = [device.json("sync", "compare") for device in (desk, phone)]
        return compared[0] == compared[1]

    def whole() -> None:
        happens(equal, lambda: compared)

    def brought(*wanted: str) -> None:
        def both() -> bool:
            for device in (desk, phone):
                device.ok("sync", "now")
            return titles(desk) == titles(phone) == sorted(wanted)

        happens(both, lambda: (titles(desk), titles(phone), desk.ok("sync", "status"), phone.ok("sync", "status")))

    desk.ok("add", "From the desk", secrets={"--password-fd": "first"})
    desk.ok("sync", "on", str(near.folder), "--name", "desk", "--new-recovery-key", passphrase=PASSPHRASE)

    # The request goes one way through Syncthing, and the answer and the vault the other way.
    words = begin(phone, far.folder, "--name", "phone")
    happens(lambda: bool(list((near.folder / "ward/pairing").glob("*.request"))), lambda: list(near.folder.rglob("*")))
    added = desk.json("devices", "add", "--request", request_of(near.folder), "--yes", passphrase=PASSPHRASE)
    assert added["device"]["name"] == "phone"
    done = phone.json("join", str(far.folder), "--timeout", "60", passphrase=PASSPHRASE)
    assert " ".join(done["words"]) == words and done["items"] == 1
    brought("From the desk")

    # Both write while nothing is carried, and one item in common.
    far.kill()
    desk.ok("add", "Desk alone")
    phone.ok("add", "Phone alone")
    desk.ok("edit", "From the desk", "--username", "ada")
    phone.ok("edit", "From the desk", "--password-fd", "0", text="second\n")
    for device in (desk, phone):
        device.ok("sync", "now")
    assert titles(desk) == ["Desk alone", "From the desk"] and titles(phone) == ["From the desk", "Phone alone"]
    # The other one ends without warning too, and both come back.
    near.kill()
    for one in (near, far):
        one.start()
    brought("Desk alone", "From the desk", "Phone alone")
    whole()
    for device in (desk, phone):
        merged = device.json("show", "From the desk", "--reveal")
        assert (merged["username"], merged["password"]["value"]) == ("ada", "second"), merged

    # Many small changes at once on both sides, while files are carried.
    wanted = ["Desk alone", "From the desk", "Phone alone"]
    for number in range(5):
        for name, device in (("desk", desk), ("phone", phone)):
            wanted.append(f"{name} {number}")
            device.ok("add", wanted[-1])
    brought(*wanted)
    whole()
    for device in (desk, phone):
        device.ok("log", "verify")
    # Each file has one writer, so there is nothing that Syncthing calls a conflict.
    assert not list(near.folder.rglob("*sync-conflict*")) and not list(far.folder.rglob("*sync-conflict*"))
