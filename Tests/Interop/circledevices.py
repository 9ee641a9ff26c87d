"""Devices of one circle whose homes were made once, and what the tests ask of them."""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest
from agentwire import Wire
from manager import PASSPHRASE, Manager
from syncserver import SyncServer
from test_manager_sync import joined
from test_sync_ten_devices import MAY, NOTHING

NEEDS_PERSON = 11


@pytest.fixture(scope="module")
def homes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The homes of a desk, a tablet and a phone in one circle, with one item."""
    kept = tmp_path_factory.mktemp("homes")
    folder = kept / "shared"
    folder.mkdir()
    with tempfile.TemporaryDirectory(prefix="ward-") as place:
        desk, tablet, phone = (Manager(Path(place) / name) for name in ("desk", "tablet", "phone"))
        desk.init()
        desk.ok("add", "Common", "--username", "ada", secrets={"--password-fd": "first"})
        desk.ok("sync", "on", str(folder), "--name", "desk", "--new-recovery-key", passphrase=PASSPHRASE)
        joined(desk, tablet, folder)
        tablet.ok("devices", "rename", "tablet")
        joined(desk, phone, folder)
        for device in (tablet, desk, phone):
            device.ok("sync", "now")
        for device in (desk, tablet, phone):
            device.keep(kept / device.folder.name)
    return kept


def homes_with_many(place: Path, names: Sequence[str]) -> dict[str, Path]:
    """Two devices of one circle, which do not sync; and the desk with logins of these names, which the phone does not have."""
    (place / "shared").mkdir()
    lines = ["name,url,username,password\n", *(f"{one},https://example.org,{one},x\n" for one in names)]
    (place / "many.csv").write_text("".join(lines))
    with tempfile.TemporaryDirectory(prefix="ward-") as folder:
        desk, phone = (Manager(Path(folder) / name) for name in ("desk", "phone"))
        desk.init()
        desk.ok("sync", "on", str(place / "shared"), "--name", "desk", "--new-recovery-key", passphrase=PASSPHRASE)
        joined(desk, phone, place / "shared")
        for device in (desk, phone, desk):
            device.ok("sync", "now")
        for device in (desk, phone):
            device.ok("sync", "off")
        kept = {"desk": desk.keep(place / "desk"), "phone": phone.keep(place / "phone")}
        desk.ok("unlock", passphrase=PASSPHRASE)
        desk.ok("import", str(place / "many.csv"), "--apply")
        return {**kept, "full desk": desk.keep(place / "full")}


def happens(check: Callable[[], bool], what: Callable[[], object]) -> None:
    """Waits until something is so; `what` says what is there if it does not come."""
    deadline = time.monotonic() + 90
    while not check():
        assert time.monotonic() < deadline, what()
        time.sleep(0.1)


def begin(machine: Manager, home: Path) -> None:
    """Opens the vault in a copy of a home, on another machine."""
    machine.begin(home)
    # It has no process that this file could name.
    (machine.vault.parent / "agent.json").unlink(missing_ok=True)
    machine.ok("unlock", passphrase=PASSPHRASE)


@contextmanager
def started(homes: Path) -> Iterator[Callable[..., Manager]]:
    """Starts machines with a copy of one of the homes, whose vault is open."""
    with tempfile.TemporaryDirectory(prefix="ward-") as place:
        machines: list[Manager] = []

        def start(name: str, home: Path | None = None, **settings: str) -> Manager:
            machines.append(Manager(Path(place) / f"{name}{len(machines)}", **settings))
            begin(machines[-1], home or homes / name)
            return machines[-1]

        try:
            yield start
        finally:
            for one in machines:
                one.stop()


@pytest.fixture
def machine(homes: Path) -> Iterator[Callable[..., Manager]]:
    with started(homes) as start:
        yield start


def bring(server: SyncServer, desk: Manager, *others: Manager) -> None:
    desk.ok("sync", "on", server.address, "--invitation-file", "-", text=server.invite(), passphrase=PASSPHRASE)
    for device in others:
        device.ok("sync", "on", server.address, passphrase=PASSPHRASE)


def sync(*devices: Manager) -> None:
    for device in devices:
        device.ok("sync", "now")


def refused(device: Manager, *words: str, **options: object) -> tuple[int, str]:
    """The exit status and the code of an error."""
    done = device.run(*words, "--json", **options)
    return done.returncode, json.loads(done.stdout)["error"]["code"]


def needs(device: Manager) -> list[str]:
    """The codes of what the device asks its person for."""
    done = device.run("sync", "status", "--json")
    found = [need["code"] for need in json.loads(done.stdout).get("needs", [])]
    assert done.returncode == (NEEDS_PERSON if found else 0), done
    return found


def statuses(device: Manager) -> dict[str, str]:
    return {one["name"]: one["status"] for one in device.json("devices")["devices"]}


def add(device: Manager, *names: str, notes: str = "") -> None:
    """Adds items, over the agent's socket."""
    wire = Wire(device)
    wire.hello()
    for name in names:
        answer = wire.call("items.add", authorization=MAY, kind="note", change={**NOTHING, "title": name, "notes": notes})
        assert "result" in answer, answer


def equal(*devices: Manager) -> None:
    """The devices have the same entries, and each entry is as it should be."""
    words = [device.json("sync", "compare")["words"] for device in devices]
    assert all(one == words[0] for one in words) and len(words[0]) == 8
    for device in devices:
        device.ok("log", "verify")
