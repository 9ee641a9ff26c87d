"""Ten devices of one person over one server: ten homes, ten agents, and hundreds of changes at the same time."""

from __future__ import annotations

import os
import random
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import pytest
from agentwire import Wire
from manager import PASSPHRASE, Manager
from syncserver import SyncServer
from test_manager_sync import joined

COUNT = 10
# What each device does while all others do the same.
CHANGES = 50
# Another seed: WARD_TEST_SEED=7 pytest Tests/Interop/test_sync_ten_devices.py
SEED = int(os.environ.get("WARD_TEST_SEED", "1"))
MAY = {"mayPrompt": False}
NOTHING: dict = {name: [] for name in ("addSites", "removeSites", "addTags", "removeTags", "addCodes", "removeCodes", "fields")}


@pytest.fixture
def server(tmp_path: Path) -> Iterator[SyncServer]:
    place = tmp_path / "server"
    place.mkdir(mode=0o700)
    one = SyncServer(place)
    one.start()
    yield one
    one.stop()


def write(number: int, device: Manager, common: list[str]) -> dict[str, str]:
    """Adds items and changes those that all devices have; the result is what the agent has acknowledged, by title."""
    drawn, wire, written = random.Random(SEED * 1000 + number), Wire(device), {}
    wire.hello()
    own: list[str] = []
    for step in range(CHANGES):
        kind = drawn.choice(["add", "common", "common", "own", "trash"])
        if kind == "add" or not own:
            title = f"device {number}, {step}"
            answer = wire.call("items.add", authorization=MAY, kind="login", change={**NOTHING, "title": title})
            own.append(answer["result"]["id"])
            written[own[-1]] = title
        elif kind == "common":
            # Another device may do the same now: the loser stays as a conflict.
            change = drawn.choice([{"username": f"{number}/{step}"}, {"notes": f"note {number}/{step}"}, {"isFavorite": True}])
            answer = wire.call("items.edit", authorization=MAY, item=drawn.choice(common), change={**NOTHING, **change})
        elif kind == "own":
            title = f"device {number}, {step}, renamed"
            answer = wire.call("items.edit", authorization=MAY, item=own[-1], change={**NOTHING, "title": title})
            written[own[-1]] = title
        else:
            item = own.pop()
            answer = wire.call("items.remove", authorization=MAY, item=item, forGood=False)
            del written[item]
        assert "result" in answer, (kind, answer)
    return written


def test_ten_devices_come_to_the_same(vault, server, tmp_path):
    folder, desk = tmp_path / "shared", vault
    folder.mkdir()
    common = [desk.json("add", f"Common {number}")["id"] for number in range(8)]
    desk.ok("sync", "on", str(folder), "--name", "desk", "--new-recovery-key", passphrase=PASSPHRASE)
    invitation = tmp_path / "invitation"
    invitation.write_text(server.invite() + "\n")
    with ExitStack() as places:
        devices = [desk]
        for _ in range(COUNT - 1):
            other = Manager(Path(places.enter_context(tempfile.TemporaryDirectory(prefix="ward-"))))
            places.callback(other.stop)
            joined(desk, other, folder)
            devices.append(other)
        for device in devices:
            token = ("--invitation-file", str(invitation)) if device is desk else ()
            state = device.json("sync", "on", server.address, *token, passphrase=PASSPHRASE)["state"]
            assert "trouble" not in state, state
        with ThreadPoolExecutor(COUNT) as threads:
            written = list(threads.map(write, range(COUNT), devices, [common] * COUNT))
        expected = {item: title for one in written for item, title in one.items()}
        deadline = time.monotonic() + 120
        while True:
            words = [device.json("sync", "compare")["words"] for device in devices]
            if all(one == words[0] for one in words):
                break
            assert time.monotonic() < deadline, [device.run("sync", "status").stdout for device in devices]
            time.sleep(0.5)
        shown = [device.json("list") for device in devices]
        for one in shown:
            # The order of equal titles is each device's own.
            assert sorted(one, key=str) == sorted(shown[0], key=str)
            titles = {item["id"]: item["title"] for item in one}
            assert expected.items() <= titles.items()
            assert set(titles) - set(expected) == set(common)
        assert all(len(device.json("devices")["devices"]) == COUNT for device in (devices[0], devices[-1]))
        for device in (devices[0], devices[-1]):
            device.ok("log", "verify")
