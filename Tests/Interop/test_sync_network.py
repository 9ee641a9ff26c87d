"""Sync over a network that delays, cuts and resets: two machines, two agents, and the real server."""

from __future__ import annotations

import json
import os
import tempfile
import time
from pathlib import Path

from badnetwork import BadNetwork, behind
from manager import PASSPHRASE, Manager
from syncserver import SyncServer
from test_manager_sync import joined, titles
from wardserver import free_port

# Another seed: WARD_TEST_SEED=7 pytest Tests/Interop/test_sync_network.py
SEED = int(os.environ.get("WARD_TEST_SEED", "1"))
# What a person is told when the network fails; everything else would be a fault.
FOR_NOW = ("server_unreachable", "server_busy", "server_unavailable")


def attempt(manager: Manager, *words: str, **options: object) -> dict:
    """Tries again as long as the network is at fault, as a person does."""
    deadline = time.monotonic() + 120
    while True:
        done = manager.run(*words, "--json", **options)
        answer = json.loads(done.stdout)
        trouble = answer.get("error") or answer.get("state", {}).get("trouble")
        if trouble is None:
            return answer
        assert trouble["code"] in FOR_NOW, answer
        assert time.monotonic() < deadline, answer


def test_nothing_is_lost_or_doubled_in_a_bad_network(vault, tmp_path):
    port, place = free_port(), tmp_path / "server"
    place.mkdir(mode=0o700)
    server = SyncServer(place, host=f"127.0.0.1:{port}")
    server.start()
    desk, address = vault, f"http://127.0.0.1:{port}"
    desk.stop()
    with tempfile.TemporaryDirectory(prefix="ward-") as other:
        phone = Manager(Path(other))
        network = BadNetwork(Path(other) / "net", server.sync_port, SEED)
        with behind(network, desk, port), behind(network, phone, port):
            desk.ok("unlock", passphrase=PASSPHRASE)
            token = tmp_path / "invitation"
            token.write_text(server.invite() + "\n")
            words = ("sync", "on", address, "--invitation-file", str(token))
            first = desk.json(*words, "--new-recovery-key", "--name", "desk", passphrase=PASSPHRASE)
            assert first["recoveryKey"]
            attempt(desk, *words, passphrase=PASSPHRASE)
            folder = tmp_path / "shared"
            folder.mkdir()
            desk.ok("sync", "on", str(folder), passphrase=PASSPHRASE)
            joined(desk, phone, folder)
            for device in (desk, phone):
                attempt(device, "sync", "on", address, passphrase=PASSPHRASE)
            wanted = []
            for number in range(6):
                for name, device in (("desk", desk), ("phone", phone)):
                    wanted.append(f"{name} {number}")
                    device.ok("add", wanted[-1])
                attempt((desk, phone)[number % 2], "sync", "now")
            for _ in range(2):
                for device in (desk, phone):
                    attempt(device, "sync", "now")
            assert titles(desk) == titles(phone) == sorted(wanted)
            assert network.cuts > 3
            network.is_bad = False
            for device in (desk, phone, desk):
                device.ok("sync", "now")
            compared = desk.json("sync", "compare")
            assert compared == phone.json("sync", "compare")
            for device in (desk, phone):
                device.ok("log", "verify")
        network.close()
    server.stop()
