"""A vault that two devices brought to a sync server, for programs that read it there."""

from __future__ import annotations

import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import circlefolder  # noqa: F401: it says where read_server is
import pytest
import read_server
from hostileserver import HostileServer, hostile_server
from manager import PASSPHRASE, Manager
from syncserver import SyncServer
from test_manager_sync import joined
from test_sync_circle import secret_key
from wardserver import free_port

SCAN = bytes(range(256)) * 300


def entries(server: SyncServer) -> list[tuple]:
    """The rows of the table of entries."""
    with closing(sqlite3.connect(f"file:{server.folder}/sync.sqlite?mode=ro", uri=True)) as database:
        return database.execute("SELECT * FROM entry ORDER BY 1, 2").fetchall()


@dataclass(repr=False)
class Kept:
    """A vault at a server, and what `ward` showed of it; its secrets are in no output of a test."""

    hostile: HostileServer
    place: Path
    key: str = ""
    vault: str = ""
    items: dict[str, dict[str, Any]] = field(default_factory=dict)
    #: The Secret Keys of the devices.
    secrets: dict[str, str] = field(default_factory=dict)
    homes: dict[str, Path] = field(default_factory=dict)
    #: The Ed25519 key of the recovery key, and the ID and the signing key of the desk.
    who: bytes = b""
    desk: bytes = b""
    signer: Any = None

    @property
    def last(self) -> int:
        return len(entries(self.hostile.honest))

    def at(self, server: SyncServer) -> None:
        """Shows the program this server."""
        self.hostile.worlds = dict.fromkeys(("", self.who.hex(), self.desk.hex()), server)

    def session(self, of_device: bool = False) -> tuple[read_server.Connection, dict[int, Any]]:
        connection = read_server.Connection(self.hostile.address, bytes.fromhex(self.vault))
        recovery = read_server.recovery_signer(self.key)
        return connection, connection.open(self.signer, self.desk) if of_device else connection.open(recovery, self.who)

    def device(self, name: str = "desk") -> list[str]:
        home = self.homes[name]
        files = ["--device", str(home / "state/ward/device"), "--vault-file", str(home / "data/ward/vault.db")]
        return [*files, "--passphrase", PASSPHRASE, "--secret-key", self.secrets[name]]


def show(device: Manager) -> dict[str, dict[str, Any]]:
    """What `ward` shows of each item, by its title."""
    listed = device.json("list") + device.json("list", "--trash")
    return {one["title"]: device.json("show", one["id"], "--reveal") for one in listed}


def fill(kept: Kept, desk: Manager, phone: Manager) -> None:
    """Two devices write; the first one removes the second one and writes on."""
    shared, scan = kept.place / "shared", kept.place / "scan.pdf"
    shared.mkdir()
    scan.write_bytes(SCAN)
    desk.init()
    desk.ok("add", "Before", "--username", "ada", secrets={"--password-fd": "of the desk"})
    kept.key = desk.json("sync", "on", str(shared), "--name", "desk", "--new-recovery-key", passphrase=PASSPHRASE)["recoveryKey"]
    joined(desk, phone, shared)
    words = ("sync", "on", kept.hostile.address)
    desk.ok(*words, "--invitation-file", "-", text=kept.hostile.honest.invite(), passphrase=PASSPHRASE)
    phone.ok(*words, passphrase=PASSPHRASE)
    phone.ok("add", "Of the phone", "--tag", "work", secrets={"--password-fd": "of the phone"})
    phone.ok("add", "Removed for good")
    phone.ok("sync", "now")
    desk.ok("sync", "now")
    desk.ok("remove", "Removed for good", "--for-good", "--yes")
    desk.ok("attach", "Before", str(scan))
    desk.ok("devices", "remove", "phone", "--yes", passphrase=PASSPHRASE)
    desk.ok("add", "After it", secrets={"--password-fd": "with the new key"})
    desk.ok("edit", "Of the phone", "--title", "Changed at the desk")
    desk.ok("add", "In the trash")
    desk.ok("remove", "In the trash")
    desk.ok("sync", "now")
    kept.vault = desk.json("sync", "status")["vaultID"]
    kept.items, kept.secrets = show(desk), {"desk": secret_key(desk), "phone": secret_key(phone)}


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kept]:
    place = tmp_path_factory.mktemp("server")
    with hostile_server(place / "servers", free_port()) as hostile, tempfile.TemporaryDirectory(prefix="ward-") as homes:
        hostile.start()
        one = Kept(hostile, place)
        desk, phone = (Manager(Path(homes) / name) for name in ("desk", "phone"))
        try:
            fill(one, desk, phone)
            for device in (desk, phone):
                one.homes[device.folder.name] = device.keep(place / device.folder.name)
            one.who = read_server.recovery_signer(one.key).public_key().public_bytes_raw()
            state, data = (one.homes["desk"] / name for name in ("state/ward/device", "data/ward/vault.db"))
            _, one.signer = read_server.device_key(state.read_bytes(), data, PASSPHRASE, one.secrets["desk"])
            one.desk = read_server.device_id(one.signer.public_key().public_bytes_raw())
            yield one
        finally:
            desk.stop()
            phone.stop()
