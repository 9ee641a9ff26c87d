"""A first sync over a slow line: everything else goes on meanwhile, and a person in a terminal sees how far it is."""

from __future__ import annotations

import os
import re
import socket
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest
from agentwire import App, build_app
from badnetwork import BadNetwork, Way
from browserhost import Host, build_browser, make, request, sender, signed_in
from circledevices import homes_with_many
from manager import PASSPHRASE, Manager
from syncserver import SyncServer
from test_manager_meeting import Adding
from test_manager_sync import titles
from test_manager_terminal import Screen
from wardserver import free_port

MANY = [f"Item {number}" for number in range(400)]


@pytest.fixture(scope="module")
def homes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Two devices of one circle, which do not sync; and the desk with many items that the phone does not have."""
    return homes_with_many(tmp_path_factory.mktemp("homes"), MANY)


@dataclass
class Line:
    """A server, and a line to it that is as slow as the test says."""

    server: SyncServer
    address: str
    way: Way
    start: Callable[..., Manager]

    def slow(self, rate: float) -> None:
        """Bytes in a second; what the tests sync has about 300,000."""
        self.way.rate = rate

    def fast(self) -> None:
        self.way.rate = 1e9


@pytest.fixture
def line(tmp_path: Path, homes: dict[str, Path]) -> Iterator[Line]:
    port, way = free_port(), Way(rate=1e9)
    (tmp_path / "server").mkdir(mode=0o700)
    with ExitStack() as stack:
        server = stack.enter_context(SyncServer(tmp_path / "server", host=f"127.0.0.1:{port}"))
        listener = stack.enter_context(socket.create_server(("127.0.0.1", port)))
        network = BadNetwork(server.sync_port, 1, [lambda _: way])
        threading.Thread(target=network.serve, args=(listener,), daemon=True).start()
        stack.callback(listener.shutdown, socket.SHUT_RDWR)

        def start(name: str = "") -> Manager:
            device = Manager(Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="ward-"))))
            stack.callback(device.stop)
            if name:
                device.begin(homes[name])
                device.ok("unlock", passphrase=PASSPHRASE)
            return device

        yield Line(server, f"http://127.0.0.1:{port}", way, start)


def switch_on(device: Manager, line: Line, invitation: str = "") -> dict:
    more = ("--invitation-file", "-") if invitation else ()
    return device.json("sync", "on", line.address, *more, text=invitation, passphrase=PASSPHRASE, timeout=150)


def runs(device: Manager, syncing: Future) -> bool:
    """Whether the sync is not done, as both the agent and the command that waits for it say."""
    return device.json("sync", "status")["isRunning"] and not syncing.done()


def until_it_runs(device: Manager, syncing: Future) -> None:
    while not runs(device, syncing):
        assert not syncing.done(), syncing.result()


def use(device: Manager, host: Host, app: App, name: str) -> None:
    """Adds and lists items, and signs in with a new passkey in a browser and with a password in an app."""
    title = f"During the sync {name}"
    device.ok("add", title, "--username", name, secrets={"--password-fd": "one"})
    device.ok("edit", title, secrets={"--password-fd": "two"})
    assert title in titles(device) and device.json("show", title, "--reveal")["password"]["value"] == "two"
    record = make(host, name)
    options, text = request()
    accounts = host.call("browser.passkeys.list", sender=sender(), options=text)["accounts"]
    [account] = [one for one in accounts if one["user"] == name]
    signed_in(options, host.call("browser.passkeys.get", sender=sender(), options=text, picked=account["id"]), record)
    assert name in [one["userName"] for one in device.json("passkey", "list")]
    device.answers("ok")
    app.call("app.save", authorization={"mayPrompt": True}, domain="localhost", user=name, password="three")


@pytest.mark.parametrize("direction", ["down", "up"])
def test_passkeys_and_items_do_not_wait_for_a_long_sync(line, tmp_path, direction):
    desk, phone = line.start("full desk"), line.start("phone")
    device = phone if direction == "down" else desk
    switch_on(*((desk, line) if direction == "down" else (phone, line)), line.server.invite())
    host = Host(device, build_browser(tmp_path / "programs")).pair()
    with App(device, build_app(tmp_path, "shiny")) as app, ThreadPoolExecutor(1) as pool:
        app.hello()
        line.slow(3_000)
        syncing = pool.submit(switch_on, device, line)
        until_it_runs(device, syncing)
        use(device, host, app, "ada")
        assert runs(device, syncing)
        line.fast()
        # While what comes is taken into the vault.
        count = 0
        while not syncing.done():
            count += 1
            device.ok("add", f"Late {count}")
            assert f"Late {count}" in titles(device)
        assert "trouble" not in syncing.result()["state"]
    host.kill()
    for one in (device, desk, phone):
        one.ok("sync", "now")
    own = {"During the sync ada", "Example", "localhost", *(f"Late {number + 1}" for number in range(count))}
    assert set(titles(desk)) == set(titles(phone)) == {*MANY, *own}
    assert desk.json("sync", "compare") == phone.json("sync", "compare")
    desk.ok("log", "verify")


def progress(screen: Screen, word: str, seen: list[int]) -> None:
    """Waits until the terminal shows that more entries are done than it showed before."""
    deadline = time.monotonic() + 60
    while True:
        shown = screen.text()
        numbers = [int(number) for number in re.findall(rf"(\d+) of \d+ entries {word}", shown)]
        if numbers and numbers[-1] > max(seen, default=0):
            return seen.append(numbers[-1])
        assert "Sync is on: " not in shown and time.monotonic() < deadline, (seen, shown)
        time.sleep(0.05)


@pytest.mark.parametrize("command", ["sync on, up", "join", *(["sync on, down"] if os.environ.get("WARD_THOROUGH") else [])])
def test_the_terminal_shows_how_far_a_first_sync_is(line, command):
    desk, phone = line.start("full desk"), line.start("" if command == "join" else "phone")
    device, other, word = (desk, phone, "brought") if command == "sync on, up" else (phone, desk, "came")
    switch_on(other, line, line.server.invite())
    screen, seen = Screen(device), []
    try:
        if command == "join":
            adding = Adding(desk)
            screen.type(f"ward join {line.address} --name phone")
            screen.wait_for("Code shown there:")
            screen.type(adding.code)
            assert adding.end()[0] == 0
        else:
            screen.type(f"ward sync on {line.address}")
        screen.wait_for("Passphrase:")
        line.slow(60_000)
        screen.type(PASSPHRASE)
        progress(screen, word, seen)
        progress(screen, word, seen)
        if command == "join":
            # Another terminal says the same, although there is no vault yet.
            state = device.run("sync", "status")
            assert state.returncode == 0 and "This device joins: " in state.stdout and " came" in state.stdout, state
        line.fast()
        # In the end the line is gone.
        assert "entries" not in screen.wait_for(r"Sync is on: ").split("Sync is on")[0], seen
    finally:
        screen.close()
    assert set(titles(device)) == set(MANY)
