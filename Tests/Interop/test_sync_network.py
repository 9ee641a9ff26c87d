"""Sync over a network that delays, throttles, cuts and resets: two machines, two agents, and the real server."""

from __future__ import annotations

import json
import os
import random
import re
import sqlite3
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from badnetwork import BadNetwork, Draw, Way, bad, behind, good
from circledevices import homes_with_many
from manager import PASSPHRASE, Manager
from syncserver import SyncServer
from test_manager_sync import titles
from wardserver import free_port

# Another seed: WARD_TEST_SEED=7 pytest Tests/Interop/test_sync_network.py
SEEDS = [int(os.environ["WARD_TEST_SEED"])] if "WARD_TEST_SEED" in os.environ else [1, 2, 3]
# What a person is told when the network fails; everything else would be a fault.
FOR_NOW = ("server_unreachable",)
ROUNDS = 3
MANY = [f"Item {number}" for number in range(600)]


@dataclass
class Device:
    """A device with a network of its own between it and the server."""

    manager: Manager
    network: BadNetwork
    address: str

    def attempt(self, *words: str, **options: object) -> dict | None:
        """The answer, or `None` if the network was at fault."""
        answer = json.loads(self.manager.run(*words, "--json", **options).stdout)
        trouble = answer.get("error") or answer.get("state", {}).get("trouble")
        assert trouble is None or trouble["code"] in FOR_NOW, answer
        return None if trouble else answer

    def insist(self, *words: str, **options: object) -> dict:
        """Tries again as long as the network is at fault, as a person does."""
        deadline = time.monotonic() + 120
        while (answer := self.attempt(*words, **options)) is None:
            assert time.monotonic() < deadline, (words, self.manager.run("sync", "status").stdout)
        return answer

    def switch_on(self, invitation: str = "") -> None:
        more = ("--invitation-file", "-") if invitation else ()
        # The same invitation comes again as long as nobody knows whether it has arrived.
        self.insist("sync", "on", self.address, *more, text=invitation, passphrase=PASSPHRASE)


@pytest.fixture(scope="module")
def homes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Two devices of one circle, which do not sync; and the desk with many items that the phone does not have."""
    return homes_with_many(tmp_path_factory.mktemp("homes"), MANY)


@contextmanager
def machines(place: Path, seed: int, *homes: Path, draws: Sequence[Draw] = (bad,)) -> Iterator[tuple[SyncServer, list[Device]]]:
    """A server, and a machine for each of these homes; the vaults are open."""
    port = free_port()
    (place / "server").mkdir(mode=0o700)
    with SyncServer(place / "server", host=f"127.0.0.1:{port}") as server, ExitStack() as stack:
        devices = []
        for number, home in enumerate(homes):
            manager = Manager(Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="ward-"))))
            network = BadNetwork(server.sync_port, 2 * seed + number, draws)
            stack.enter_context(behind(network, manager, port))
            manager.begin(home)
            manager.ok("unlock", passphrase=PASSPHRASE)
            devices.append(Device(manager, network, f"http://127.0.0.1:{port}"))
        yield server, devices


def stored(server: SyncServer) -> int:
    """The number of entries on the server."""
    with closing(sqlite3.connect(f"file:{server.folder / 'sync.sqlite'}?mode=ro", uri=True)) as database:
        return database.execute("SELECT count(*) FROM entry").fetchone()[0]


def same_everywhere(*devices: Device) -> None:
    """The network is good again, and all devices have the same entries."""
    for device in devices:
        device.network.draws = [good]
    for device in (*devices, devices[0]):
        device.insist("sync", "now")
    compared = [device.manager.json("sync", "compare") for device in devices]
    assert all(one == compared[0] for one in compared) and len(compared[0]["words"]) == 8
    for device in devices:
        device.manager.ok("log", "verify")


@pytest.mark.parametrize("seed", SEEDS)
def test_nothing_is_lost_or_doubled_in_a_bad_network(homes, tmp_path, seed):
    with machines(tmp_path, seed, homes["desk"], homes["phone"]) as (server, devices):
        desk, phone = devices
        desk.switch_on(server.invite())
        phone.switch_on()
        wanted = []
        for number in range(ROUNDS):
            for name, device in (("desk", desk), ("phone", phone)):
                wanted.append(f"{name} {number}")
                # The server takes what comes first now, and the device does not hear of it.
                device.network.receipts_to_lose = 1
                device.manager.ok("add", wanted[-1])
            devices[number % 2].insist("sync", "now")
        for _ in range(2):
            for device in devices:
                device.insist("sync", "now")
        assert titles(desk.manager) == titles(phone.manager) == sorted(wanted)
        assert all(device.network.lost_receipts >= ROUNDS // 2 for device in devices)
        assert sum(device.network.cut_requests for device in devices) > 0
        assert sum(device.network.cut_answers for device in devices) > 0
        same_everywhere(*devices)


def slow(drawn: random.Random) -> Way:
    return Way(rate=10 ** drawn.uniform(5, 6))


def cut(drawn: random.Random) -> Way:
    """Slow, and shorter than the largest answer and the largest upload of the test."""
    return Way(rate=10 ** drawn.uniform(5, 6), limit=int(10 ** drawn.uniform(3, 5.3)))


def test_a_large_first_sync_ends_although_it_is_cut_many_times(homes, tmp_path):
    with machines(tmp_path, SEEDS[0], homes["full desk"], homes["phone"], draws=[*[cut] * 6, slow]) as (server, (desk, phone)):
        desk.switch_on(server.invite())
        assert stored(server) > len(MANY)
        phone.switch_on()
        assert titles(phone.manager) == sorted(MANY)
        assert desk.network.cut_requests >= 1 and phone.network.cut_answers >= 1
        assert desk.network.paced > 1 and phone.network.paced > 1
        # In one run, what was taken is not asked for again, but for the last entry: that the server still has it is looked at.
        runs: list[list[int]] = []
        for request in phone.network.requests:
            if request.endswith("/challenge"):
                runs.append([])
            elif found := re.search(r"entries\?after=(\d+)", request):
                runs[-1].append(int(found[1]))
        assert sum(len(read) for read in runs) > 4
        assert all(after >= max(read[:index], default=0) - 1 for read in runs for index, after in enumerate(read)), runs
        same_everywhere(desk, phone)


def short(drawn: random.Random) -> Way:
    return Way(limit=100_000)


@pytest.mark.parametrize("direction", ["up", "down"])
def test_a_sync_gets_further_although_no_connection_lasts(homes, tmp_path, direction):
    with machines(tmp_path, SEEDS[0], homes["full desk"], homes["phone"], draws=[good]) as (server, (desk, phone)):
        if direction == "up":
            # The server has the beginning of the vault.
            first, last, count = phone, desk, lambda: stored(server)
        else:
            first, last, count = desk, phone, lambda: len(titles(phone.manager))
        first.switch_on(server.invite())
        last.network.draws = [short]
        last.attempt("sync", "on", last.address, passphrase=PASSPHRASE)
        counts = [count()]
        while last.attempt("sync", "now") is None:
            counts.append(count())
            # Uploads and pages become smaller until one passes.
            assert len(counts) < 8 or counts[-1] > counts[-8], counts
        assert count() >= len(MANY)
