"""Agents and servers that die in the middle of syncing: nothing acknowledged is lost, nothing is there twice, and work goes on."""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import signal
import socket
import struct
import tempfile
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pytest
from agentwire import Wire
from manager import PASSPHRASE, Manager
from syncserver import SyncServer
from test_manager_lost_agent import gone
from test_manager_sync import begin, joined, request_of, titles
from test_sync_circle import is_whole, secret_key, statuses, unlocked
from test_sync_network import FOR_NOW, stored

# How often the server dies.
ROUNDS = 3
# Another seed: WARD_TEST_SEED=7 pytest Tests/Interop/test_sync_kills.py
SEED = int(os.environ.get("WARD_TEST_SEED", "1"))
MAY = {"mayPrompt": False}
NOTHING: dict = {name: [] for name in ("addSites", "removeSites", "addTags", "removeTags", "addCodes", "removeCodes", "fields")}


@dataclass
class Circle:
    """Two devices that share a vault with one item over a folder; both are locked."""

    desk: Manager
    phone: Manager
    folder: Path
    recovery_key: str


@pytest.fixture(scope="module")
def beginning() -> Iterator[Circle]:
    """The devices with which each test begins."""
    with tempfile.TemporaryDirectory(prefix="ward-") as place:
        desk, phone, folder = Manager(Path(place) / "desk"), Manager(Path(place) / "phone"), Path(place) / "shared"
        folder.mkdir()
        desk.init()
        desk.ok("add", "Before")
        on = desk.json("sync", "on", str(folder), "--name", "desk", "--new-recovery-key", passphrase=PASSPHRASE)
        joined(desk, phone, folder)
        desk.ok("sync", "now")
        for one in (desk, phone):
            one.keep(one.folder / "kept")
        shutil.copytree(folder, folder.with_name("kept"))
        yield Circle(desk, phone, folder, on["recoveryKey"])


@pytest.fixture
def circle(beginning: Circle) -> Iterator[Circle]:
    """The devices, as they were at the beginning."""
    devices, folder = (beginning.desk, beginning.phone), beginning.folder
    for place in (*(one.home for one in devices), folder):
        shutil.rmtree(place)
    shutil.copytree(folder.with_name("kept"), folder)
    for one in devices:
        one.begin(one.folder / "kept")
    yield beginning
    for one in devices:
        one.stop()


@pytest.fixture
def tablet() -> Iterator[Manager]:
    """A third device, without a vault."""
    with tempfile.TemporaryDirectory(prefix="ward-") as place:
        yield (other := Manager(Path(place)))
        other.stop()


@pytest.fixture
def deaths(request: pytest.FixtureRequest) -> Deaths:
    return Deaths(f"{SEED} {request.node.name}")


def agent(device: Manager) -> int:
    """The process at the other end of the socket."""
    with socket.socket(socket.AF_UNIX) as end:
        end.connect(str(device.socket))
        return struct.unpack("3i", end.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))[0]


def stamps(*places: Path) -> set[tuple[str, int, int]]:
    """The files that hold something, which differ after each write. An agent that starts writes none of them."""
    found = set()
    for path in (path for place in places for path in place.rglob("*")):
        with suppress(OSError):
            if path.stat().st_size and path.is_file() and path.suffix not in (".json", ".db-shm"):
                found.add((str(path), path.stat().st_mtime_ns, path.stat().st_size))
    return found


class Deaths:
    """Kills agents while commands run."""

    def __init__(self, seed: str) -> None:
        self.drawn = random.Random(seed)
        # What the commands said that were cut off.
        self.cuts: list[str] = []

    def during(self, device: Manager, places: tuple[Path, ...], *words: str, **options: object) -> bool:
        """Runs a command whose agent dies, soon after the first write in these folders or at any time; whether it was cut off."""
        before, pid = stamps(*places), 0
        delay = self.drawn.uniform(0, 0.25) ** 2 if places else self.drawn.uniform(0.1, 1)
        if places and not self.cuts:
            # So one command is cut off for certain.
            delay = 0
        with ThreadPoolExecutor(1) as pool:
            running = pool.submit(device.run, *words, "--json", **options)
            # The command starts an agent if there is none.
            while not pid and not running.done():
                with suppress(OSError):
                    pid = agent(device)
            assert pid, running.result()
            while places and stamps(*places) == before and not running.done():
                time.sleep(0.001)
            time.sleep(delay)
            os.kill(pid, signal.SIGKILL)
            done = running.result()
        assert gone(pid)
        assert done.returncode == 0 or json.loads(done.stdout)["error"]["code"] == "unreachable", (words, done)
        if done.returncode != 0:
            self.cuts.append(done.stderr)
        return done.returncode != 0


def write(device: Manager, name: str, count: int, acknowledged: list[str]) -> str:
    """Adds items as fast as the agent takes them; if it dies, the answer is the title that it has not acknowledged."""
    wire = Wire(device)
    wire.hello()
    for title in (f"{name}, {number}" for number in range(count)):
        try:
            answer = wire.call("items.add", authorization=MAY, kind="login", change={**NOTHING, "title": title})
        except OSError:
            answer = None
        if answer is None:
            return title
        assert "result" in answer, answer
        acknowledged.append(title)
    return ""


def agree(wanted: list[str], *devices: Manager) -> None:
    """All devices have these items, each of them once."""
    for device in (*devices, *devices[:-1]):
        state = device.json("sync", "now")["state"]
        assert "trouble" not in state and "needs" not in state, state
    compared = [device.json("sync", "compare") for device in devices]
    assert all(one == compared[0] for one in compared) and len(compared[0]["words"]) == 8, compared
    for device in devices:
        assert titles(device) == sorted(wanted)
        device.ok("log", "verify")


def test_nothing_is_lost_when_agents_die_while_they_write_and_sync(circle, deaths):
    wanted, unsure = ["Before"], []
    for number, device in enumerate((circle.desk, circle.phone, circle.desk)):
        if number < 2:
            device.ok("unlock", passphrase=PASSPHRASE)
        threading.Timer(deaths.drawn.uniform(0.1, 1.5), os.kill, (agent(device), signal.SIGKILL)).start()
        acknowledged: list[str] = []
        unsure.append(write(device, f"Round {number}", 1000, acknowledged))
        # Now the device has much to bring and to take.
        places = () if number == 1 else (circle.folder, device.vault.parent)
        deaths.during(device, places, "sync", "now", passphrase=PASSPHRASE)
        device.ok("unlock", passphrase=PASSPHRASE)
        shown = titles(device)
        wanted += acknowledged + [title for title in unsure[-1:] if title in shown]
        assert set(acknowledged) <= set(shown) <= set(wanted) and len(shown) == len(set(shown))
    agree(wanted, circle.desk, circle.phone)
    assert all(unsure) and deaths.cuts and len(wanted) > 20


def test_a_removal_is_done_or_not_done_when_the_agent_dies(circle, deaths):
    desk, phone, old = circle.desk, circle.phone, secret_key(circle.desk)
    words = ("devices", "remove", "phone", "--yes")
    given = {"passphrase": PASSPHRASE, "secrets": {"--recovery-key-fd": circle.recovery_key}}
    for places in ((desk.vault.parent,), (), (desk.vault.parent,), ()):
        was_cut = deaths.during(desk, places, *words, **given)
        desk.ok("unlock", passphrase=PASSPHRASE)
        [found] = [one["status"] for one in desk.json("devices")["devices"] if one["name"] == "phone"]
        assert found == ("member" if secret_key(desk) == old else "removed")
        if found == "removed":
            break
        assert was_cut
    again = desk.run(*words, "--json", **given)
    assert again.returncode == (4 if found == "removed" else 0), again
    assert deaths.cuts
    desk.ok("sync", "now")
    # A reader of the folder that shares no code with the devices.
    read = unlocked(circle.folder, desk)
    assert is_whole(read) and statuses(read) == {"desk": "member", "phone": "removed"}
    phone.ok("sync", "now", passphrase=PASSPHRASE)
    late = phone.run("add", "Too late", "--json")
    assert late.returncode == 8 and json.loads(late.stdout)["error"]["code"] == "not_in_circle"
    desk.ok("log", "verify")
    desk.ok("add", "After it")
    assert titles(desk) == ["After it", "Before"] and titles(phone) == ["Before"]


def test_one_passphrase_opens_the_vault_when_the_agent_dies_while_keys_change(circle, deaths):
    desk, phone, now = circle.desk, circle.phone, PASSPHRASE
    both = (circle.folder, desk.vault.parent)
    for number, places in enumerate((both, ())):
        deaths.during(desk, places, "devices", "rekey", passphrase=now)
        # Until a passphrase was right again, an interrupted check counts as a wrong one.
        desk.ok("unlock", passphrase=now)
        new = f"{PASSPHRASE}, the one of round {number}"
        was_cut = deaths.during(desk, both, "passphrase", passphrase=now, secrets={"--new-passphrase-fd": new})
        status = desk.run("unlock", passphrase=now).returncode
        assert status == 6 or (status == 0 and was_cut)
        if status == 6:
            desk.ok("unlock", passphrase=new)
            now = new
    assert deaths.cuts
    last = "a new one for better days"
    desk.ok("passphrase", passphrase=now, secrets={"--new-passphrase-fd": last})
    assert desk.json("devices", "rekey", passphrase=last)["isKeyClean"] is True
    desk.ok("add", "With the new key")
    desk.ok("sync", "now")
    # The other device opens with the one that it knows, and takes the last one.
    phone.ok("sync", "now", passphrase=PASSPHRASE)
    phone.ok("lock")
    assert [phone.run("unlock", passphrase=one).returncode for one in (PASSPHRASE, last)] == [6, 0]
    agree(["Before", "With the new key"], desk, phone)


def test_a_device_is_in_the_circle_once_when_both_agents_die_while_it_joins(circle, deaths, tablet):
    desk, folder = circle.desk, circle.folder
    join = ("join", str(folder), "--name", "tablet", "--timeout", "60")
    for places in ((folder,), ()):
        deaths.during(tablet, places, *join, passphrase=PASSPHRASE)
    words = begin(tablet, folder, "--name", "tablet")
    assert set(re.findall(r"\n    ([a-z -]+)\n", "".join(deaths.cuts))) <= {words}
    add = ("devices", "add", "--request", request_of(folder), "--yes")
    for places in ((), (folder, desk.vault.parent)):
        deaths.during(desk, places, *add, passphrase=PASSPHRASE)
    desk.ok(*add, passphrase=PASSPHRASE)
    for places in ((), (tablet.home / "data",)):
        if not tablet.vault.exists():
            deaths.during(tablet, places, *join, passphrase=PASSPHRASE)
    if tablet.vault.exists():
        done = tablet.run(*join, "--json", passphrase=PASSPHRASE)
        assert done.returncode == 8 and "ward sync on PLACE" in done.stdout, done
        tablet.ok("sync", "on", str(folder), passphrase=PASSPHRASE)
    else:
        tablet.ok(*join, passphrase=PASSPHRASE)
    assert len(deaths.cuts) > 1
    tablet.ok("add", "From the tablet")
    agree(["Before", "From the tablet"], tablet, desk)
    members = sorted((one["name"], one["status"]) for one in desk.json("devices")["devices"])
    assert members == [(name, "member") for name in ("desk", "phone", "tablet")]
    read = unlocked(folder, desk)
    assert is_whole(read) and sorted(one["name"] for one in read["devices"]) == ["desk", "phone", "tablet"]


def test_nothing_is_lost_when_the_server_dies_while_devices_bring_changes(circle, deaths, tmp_path):
    devices, wanted, cuts = (circle.desk, circle.phone), ["Before"], 0
    (tmp_path / "server").mkdir(mode=0o700)
    with SyncServer(tmp_path / "server") as server, ThreadPoolExecutor(4) as pool:
        for device, token in zip(devices, (("--invitation-file", "-"), ())):
            device.ok("sync", "on", server.address, *token, text=server.invite() if token else "", passphrase=PASSPHRASE)
        for number in range(ROUNDS):
            before = stored(server)
            written: list[list[str]] = [[], []]
            names = (f"Round {number}, desk", f"Round {number}, phone")
            writing = [pool.submit(write, *one, 10, done) for *one, done in zip(devices, names, written)]
            syncing = [pool.submit(device.run, "sync", "now", "--json") for device in devices]
            while stored(server) == before:
                time.sleep(0.001)
            # Some changes are in the database now. At once, the device that brought them has not heard of that yet.
            time.sleep(deaths.drawn.uniform(0, 0.2) * (number % 2))
            server.kill()
            for one in syncing:
                answer = json.loads(one.result().stdout)
                assert answer.get("error", {}).get("code", FOR_NOW[0]) in FOR_NOW, answer
                cuts += "error" in answer
            assert [one.result() for one in writing] == ["", ""]
            wanted += written[0] + written[1]
            server.start()
        agree(wanted, *devices)
        assert cuts and len(wanted) == 1 + ROUNDS * 2 * 10
