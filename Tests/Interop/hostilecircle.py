"""Three devices of a person whose sync server lies, and what they say about it."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from functools import cache
from pathlib import Path

import circlefolder  # noqa: F401: it says where read_circle is
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hostileserver import HostileServer, hostile_server, snapshot
from manager import PASSPHRASE, Manager
from read_circle import Folder
from read_vault import decode, encode, hkdf, unseal
from test_manager_sync import begin, request_of, titles
from wardserver import free_port

NAMES = ("desk", "phone", "tablet")
# Exit statuses, and an operation of the log.
REFUSED, DAMAGED, UNAVAILABLE, NEEDS_PERSON = 5, 7, 9, 11
REVISION = 3


class Circle:
    """Three devices of one vault, and what they take for their server."""

    def __init__(self, places: ExitStack, hostile: HostileServer, ids: dict[str, str], shared: Path) -> None:
        self.places, self.hostile, self.ids, self.shared = places, hostile, ids, shared
        self.desk, self.phone, self.tablet = self.all = [self.machine() for _ in NAMES]

    def machine(self) -> Manager:
        one = Manager(Path(self.places.enter_context(tempfile.TemporaryDirectory(prefix="ward-"))))
        self.places.callback(one.stop)
        return one

    def set_up(self) -> None:
        """The devices join over a folder, and go on with the server."""
        shared = self.shared
        shared.mkdir()
        self.desk.init()
        self.desk.ok("add", "Before")
        self.desk.ok("sync", "on", str(shared), "--name", "desk", "--new-recovery-key", passphrase=PASSPHRASE)
        for name, device in zip(NAMES[1:], self.all[1:], strict=True):
            begin(device, shared, "--name", name)
            self.desk.ok("devices", "add", "--request", request_of(shared), "--yes", passphrase=PASSPHRASE)
            device.ok("join", str(shared), "--timeout", "60", passphrase=PASSPHRASE)
        self.desk.ok("sync", "now")
        words = ("sync", "on", self.hostile.address)
        self.desk.ok(*words, "--invitation-file", "-", text=self.hostile.honest.invite(), passphrase=PASSPHRASE)
        for device in self.all[1:]:
            device.ok(*words, passphrase=PASSPHRASE)
        self.desk.ok("sync", "now")
        self.ids.update({one["name"]: one["id"] for one in self.desk.json("devices")["devices"]})

    def open(self, *devices: Manager) -> list[str]:
        """Unlocks and syncs devices, and answers their IDs."""
        for device in devices:
            device.ok("unlock", passphrase=PASSPHRASE)
            device.ok("sync", "now")
        return [self.ids[NAMES[self.all.index(device)]] for device in devices]


def signing_key(shared: Path, device: Manager) -> Ed25519PrivateKey:
    """The key with which a device signs its entries: a person who has the device open could read it."""
    folder = Folder(shared, None)
    secret = (device.home / "data/ward/secret-key").read_text().splitlines()
    folder.unlock(PASSPHRASE, next(line for line in secret if line.strip() and not line.startswith("#")))
    vault, public, sealed, sealing, epoch = decode((device.home / "state/ward/device").read_bytes()[:-32])[3:]
    [key] = folder.keys.of_epoch(epoch)
    associated = encode(["ward", 2, "device", vault, public, sealing, epoch])
    both = unseal(hkdf(key, vault, "ward/v1/device-keys", public), sealed, associated)
    return Ed25519PrivateKey.from_private_bytes(both[:32])


@cache
def prepared(folder: Path) -> tuple[int, dict[str, str]]:
    """Writes the homes of the devices and the database of their server; its port, and the IDs of the devices."""
    folder.mkdir()
    port, ids = free_port(), {}
    with hostile_server(folder / "servers", port) as hostile, ExitStack() as places:
        hostile.start()
        circle = Circle(places, hostile, ids, folder / "shared")
        circle.set_up()
        for name, device in zip(NAMES, circle.all, strict=True):
            device.keep(folder / name)
        snapshot(hostile.honest, folder / "database")
    return port, ids


@pytest.fixture
def circle(tmp_path_factory: pytest.TempPathFactory, tmp_path: Path) -> Iterator[Circle]:
    """The devices, locked."""
    folder = tmp_path_factory.getbasetemp() / "hostile-server"
    port, ids = prepared(folder)
    with hostile_server(tmp_path / "servers", port) as hostile, ExitStack() as places:
        hostile.start(folder / "database")
        one = Circle(places, hostile, ids, folder / "shared")
        for name, device in zip(NAMES, one.all, strict=True):
            device.begin(folder / name)
        yield one


def needs(device: Manager) -> list[str]:
    """The codes of what needs the person, which the exit status says too."""
    done = device.run("sync", "status", "--json")
    state = json.loads(done.stdout)
    found = [need["code"] for need in state.get("needs", [])]
    assert done.returncode == (NEEDS_PERSON if found else 0), state
    assert found or ("trouble" not in state and "warnings" not in state), state
    return found


def sync(*devices: Manager) -> None:
    for device in devices:
        device.ok("sync", "now")


def refusal(device: Manager) -> tuple[str, int]:
    """The code and the exit status of a sync that fails, of which the person is told the same."""
    done = device.run("sync", "now", "--json")
    error = json.loads(done.stdout)["error"]
    found = needs(device)
    assert found == [error["code"]], (done.stdout, found)
    assert f"Needs you {error['message']}" in device.run("sync", "status").stdout
    return error["code"], done.returncode


def words(device: Manager) -> list[str]:
    return device.json("sync", "compare")["words"]


def goes_on(device: Manager) -> None:
    """The vault is used as if there were no server."""
    device.ok("add", "Local")
    device.ok("lock")
    device.ok("unlock", passphrase=PASSPHRASE)
    assert "Local" in titles(device)
