"""`ward sync` with a server: two people's homes, two agents, and the real `ward-server serve --sync` between them."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from manager import PASSPHRASE, Manager, Pty, last_json
from syncserver import SyncServer
from talking import Talking
from test_manager_sync import joined, titles

CONFLICT, UNAVAILABLE, NEEDS_PERSON = 8, 9, 11


@pytest.fixture
def phone() -> Iterator[Manager]:
    """A second device, without a vault."""
    with tempfile.TemporaryDirectory(prefix="ward-") as place:
        other = Manager(Path(place))
        yield other
        other.stop()


@pytest.fixture
def server(tmp_path: Path) -> Iterator[SyncServer]:
    place = tmp_path / "server"
    place.mkdir(mode=0o700)
    one = SyncServer(place)
    one.start()
    yield one
    one.stop()


def until(wanted: list[str], *devices: Manager) -> None:
    """Each agent syncs by itself: soon after a change, and when the server has news."""
    deadline = time.monotonic() + 60
    while any(titles(device) != wanted for device in devices):
        assert time.monotonic() < deadline, [(titles(one), one.run("sync", "status", "--json").stdout) for one in devices]
        time.sleep(0.2)


def code(manager: Manager, *words: str, **options: object) -> str:
    done = manager.run(*words, "--json", **options)
    assert done.returncode != 0
    return json.loads(done.stdout)["error"]["code"]


def test_a_new_recovery_key_is_shown_before_the_first_sync(vault, tmp_path):
    invitation = tmp_path / "invitation"
    invitation.write_text("A" * 43 + "\n")
    with socket.create_server(("127.0.0.1", 0)) as hanging:
        address = f"http://127.0.0.1:{hanging.getsockname()[1]}"
        words = ("sync", "on", address, "--new-recovery-key", "--invitation-file", str(invitation))
        terminal = Pty(vault, *words)
        terminal.wait_for(b"Passphrase")
        terminal.type(PASSPHRASE + "\n")
        terminal.wait_for(b"shown this once")
        terminal.wait_for(b"Type it back")
        [key] = set(re.findall(r"[A-Z0-9]{4}(?:-[A-Z0-9]{4}){5,}", terminal.got.decode()))
        assert vault.json("sync", "status")["isOn"] is False
        # The person presses Ctrl-C while the server does not answer.
        terminal.type(key + "\n")
        hanging.settimeout(60)
        connection, _ = hanging.accept()
        with connection:
            terminal.type("\x03")
            assert terminal.end() != 0
        terminal.close()
    assert vault.json("recovery-key", "--check", secrets={"--recovery-key-fd": key})["isRight"] is True


@pytest.mark.parametrize("lost", ["command", "agent"])
def test_a_script_gets_a_new_recovery_key_before_the_first_sync(vault, tmp_path, lost):
    """The old key is void from the beginning, so the new one must not go with a command or an agent that ends."""
    invitation = tmp_path / "invitation"
    invitation.write_text("A" * 43 + "\n")
    with socket.create_server(("127.0.0.1", 0)) as hanging:
        address = f"http://127.0.0.1:{hanging.getsockname()[1]}"
        switching = Talking(vault, "sync", "on", address, "--new-recovery-key", "--invitation-file", str(invitation))
        [(name, key)] = switching.first.items()
        assert name == "recoveryKey"
        hanging.settimeout(60)
        connection, _ = hanging.accept()
        with connection:
            if lost == "command":
                switching.process.send_signal(signal.SIGINT)
            else:
                vault.kill()
            status, out, err = switching.end()
        assert status != 0
        if lost == "agent":
            on = json.loads(out)
            assert status == UNAVAILABLE and on["recoveryKey"] == key, (out, err)
            assert on["state"]["trouble"]["code"] == "unreachable"
    vault.ok("lock")
    vault.ok("unlock", passphrase="a new one for better days", secrets={"--recovery-key-fd": key})


def test_a_recovery_key_that_nobody_saw_is_not_the_last_one(vault, tmp_path):
    folder = tmp_path / "shared"
    folder.mkdir()
    terminal = Pty(vault, "sync", "on", str(folder))
    terminal.wait_for(b"Passphrase")
    terminal.type(PASSPHRASE + "\n")
    terminal.wait_for(b"Recovery key (not shown)")
    # The agent gets the request, and ends before its answer.
    agent = vault.status()["pid"]
    os.kill(agent, signal.SIGSTOP)
    terminal.type("\n")
    time.sleep(0.5)
    os.kill(agent, signal.SIGKILL)
    assert terminal.end() == UNAVAILABLE, terminal.got
    terminal.close()
    assert "is not accepted any more, make a new one: ward recovery-key" in " ".join(terminal.got.decode().split())
    assert vault.json("recovery-key", passphrase=PASSPHRASE)["recoveryKey"]


def test_a_server_with_its_usual_name_and_port_is_used_as_localhost(vault, server):
    """Without `--sync-host` the server is `localhost` with its port. By another name nothing is brought, and nothing is used up."""
    assert server.stop() == 0
    server.arguments = server.arguments[: server.arguments.index("--sync-host")]
    server.start()
    token = server.invite()
    words = ("--invitation-file", "-", "--json")
    done = vault.run("sync", "on", server.address, "--new-recovery-key", *words, text=token, passphrase=PASSPHRASE)
    trouble = last_json(done.stdout)["state"]["trouble"]
    assert done.returncode == CONFLICT and trouble["code"] == "other_host" and "--sync-host" in trouble["message"]
    usual = f"http://localhost:{server.sync_port}"
    on = vault.json("sync", "on", usual, *words[:2], text=token, passphrase=PASSPHRASE)
    assert "trouble" not in on["state"] and on["written"] > 0


def test_two_devices_sync_with_a_server(vault, phone, server, tmp_path):
    desk = vault
    desk.ok("add", "From the desk", secrets={"--password-fd": "first"})

    # Without an invitation nothing is on the server, and the circle has begun all the same.
    refused = desk.run("sync", "on", server.address, "--new-recovery-key", "--no-prompt", "--json", passphrase=PASSPHRASE)
    assert refused.returncode == 2 and "--invitation-file" in refused.stderr
    wrong = tmp_path / "wrong"
    wrong.write_text("A" * 43 + "\n")
    done = desk.run(
        "sync", "on", server.address, "--new-recovery-key", "--invitation-file", str(wrong), "--name", "desk", "--json",
        passphrase=PASSPHRASE,
    )  # fmt: skip
    on = last_json(done.stdout)
    assert done.returncode == 5 and on["recoveryKey"] and on["state"]["trouble"]["code"] == "invitation_not_valid"
    shown = desk.run("sync", "status")
    assert shown.returncode == NEEDS_PERSON and "Ask the operator for another one" in shown.stdout

    # The invitation comes over standard input, and is nowhere afterwards.
    token = server.invite()
    on = desk.json("sync", "on", server.address, "--invitation-file", "-", text=token + "\n", passphrase=PASSPHRASE)
    assert on["state"]["server"] == server.address and "folder" not in on["state"] and "trouble" not in on["state"]
    assert "recoveryKey" not in on and on["written"] > 0
    assert server.address in desk.ok("sync", "status") and server.address in desk.ok("status")
    assert not any(token.encode() in path.read_bytes() for path in desk.home.rglob("*") if path.is_file())

    # The phone joins over a folder, and then both go on with the server.
    folder = tmp_path / "shared"
    folder.mkdir()
    desk.ok("sync", "on", str(folder), passphrase=PASSPHRASE)
    joined(desk, phone, folder)
    for device in (desk, phone):
        state = device.json("sync", "on", server.address, passphrase=PASSPHRASE)["state"]
        assert state["server"] == server.address and "trouble" not in state, state

    phone.ok("add", "From the phone", secrets={"--password-fd": "second"})
    desk.ok("edit", "From the desk", "--title", "Changed at the desk")
    until(["Changed at the desk", "From the phone"], desk, phone)

    # The server dies between two changes. Nothing is lost, and both go on when it is there again.
    server.kill()
    phone.ok("add", "While it was away", secrets={"--password-fd": "third"})
    assert code(phone, "sync", "now") == "server_unreachable"
    assert phone.json("list") and phone.run("sync", "status").returncode == NEEDS_PERSON
    server.start()
    phone.ok("sync", "now")
    until(["Changed at the desk", "From the phone", "While it was away"], desk, phone)

    # A removal ends the session.
    desk.ok("devices", "remove", "phone", "--yes", passphrase=PASSPHRASE)
    desk.ok("sync", "now")
    desk.ok("add", "After the removal")
    desk.ok("sync", "now")
    assert code(phone, "sync", "now") == "device_removed"
    assert "After the removal" not in titles(phone)
    needs = json.loads(phone.run("sync", "status", "--json").stdout)["needs"]
    assert [need["code"] for need in needs] == ["device_removed"]

    # Nothing that a device sends has a word of the vault.
    stored = b"".join(path.read_bytes() for path in server.folder.rglob("*") if path.is_file())
    for word in (b"From the desk", b"While it was away", b"phone", PASSPHRASE.encode(), token.encode()):
        assert word not in stored
    assert desk.json("sync", "off")["isOn"] is False
