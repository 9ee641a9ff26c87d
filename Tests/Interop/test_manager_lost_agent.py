"""Agents that lost their socket or their vault, and commands that look for the agent that has it."""

import json
import os
import shutil
import socket
import sqlite3
import stat
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from manager import PASSPHRASE, Manager

def gone(pid: int) -> bool:
    """Whether a process ended, within half a minute."""
    deadline = time.monotonic() + 30
    while Path(f"/proc/{pid}/exe").exists() and time.monotonic() < deadline:
        time.sleep(0.02)
    return not Path(f"/proc/{pid}/exe").exists()


def is_free(path: Path) -> bool:
    """Whether another process could write the vault's file now."""
    connection = sqlite3.connect(path, timeout=0)
    try:
        connection.execute("BEGIN IMMEDIATE")
        connection.rollback()
        return True
    except sqlite3.OperationalError:
        return False
    finally:
        connection.close()


@pytest.mark.parametrize("loss", ["folder", "socket", "taken"])
def test_an_agent_that_lost_its_socket_ends_and_the_next_command_has_the_vault(vault, loss):
    pid = vault.status()["pid"]
    if loss == "folder":
        # What a logout does: the next login has a folder of its own.
        vault.runtime.rename(vault.folder / "before")
        vault.runtime.mkdir(mode=0o700)
    elif loss == "socket":
        vault.socket.unlink()
    else:
        vault.socket.unlink()
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(str(vault.socket))
    assert gone(pid)
    if loss == "taken":
        assert vault.socket.exists(), "an agent removes its own socket, not another's"
        listener.close()
    assert is_free(vault.vault)
    assert vault.status()["isLocked"] is True and vault.status()["pid"] != pid
    vault.ok("list", passphrase=PASSPHRASE)


def test_a_command_waits_for_an_agent_that_is_about_to_end(vault):
    pid = vault.status()["pid"]
    vault.runtime.rename(vault.folder / "before")
    vault.runtime.mkdir(mode=0o700)
    # At once: the agent has not noticed yet.
    vault.ok("add", "Example", passphrase=PASSPHRASE)
    assert gone(pid) and vault.status()["pid"] != pid


def test_every_command_finds_the_agent_that_has_the_vault(vault):
    pid = vault.status()["pid"]
    other = vault.folder / "elsewhere"
    other.mkdir(mode=0o700)
    alias = vault.folder / "alias"
    alias.symlink_to(vault.home / "data")
    for words in (
        ["env", "-u", "XDG_RUNTIME_DIR"],
        ["env", f"XDG_RUNTIME_DIR={other}"],
        ["env", f"XDG_STATE_HOME={other}"],
        ["env", f"XDG_STATE_HOME={other}", f"XDG_RUNTIME_DIR={other}", f"XDG_DATA_HOME={alias}"],
    ):
        vault.prefix = words
        assert vault.status()["pid"] == pid
        assert vault.json("list") == []
    vault.ok("lock")
    vault.prefix = []
    assert vault.status()["isLocked"] is True
    vault.prefix = ["env", f"XDG_STATE_HOME={other}", f"XDG_RUNTIME_DIR={other}"]
    vault.ok("agent", "--stop")
    assert gone(pid) and list(other.iterdir()) == []


def test_an_agent_whose_vault_was_moved_away_ends(vault):
    pid = vault.status()["pid"]
    moved = vault.folder / "moved"
    vault.vault.parent.rename(moved)
    assert gone(pid)
    assert vault.status()["exists"] is False, "a new agent looks at the place, where there is no vault now"
    vault.stop()
    shutil.rmtree(vault.vault.parent)
    moved.rename(vault.vault.parent)
    vault.ok("list", passphrase=PASSPHRASE)


def test_a_record_that_others_can_write_is_not_followed(vault):
    note = vault.vault.with_name("agent.json")
    said = json.loads(note.read_text())
    trap = socket.socket(socket.AF_UNIX)
    trap.bind(str(vault.folder / "trap"))
    trap.listen()
    trap.setblocking(False)
    note.write_text(json.dumps({**said, "socket": str(vault.folder / "trap")}))
    note.chmod(0o620)
    assert vault.json("list", passphrase=PASSPHRASE) == [] and vault.status()["pid"] == said["pid"]
    with pytest.raises(BlockingIOError):
        trap.accept()
    note.chmod(0o600)
    vault.prefix = ["timeout", "2"]
    vault.run("status")
    trap.accept()[0].close()
    trap.close()


@pytest.mark.parametrize("words", [["agent", "--stop"], ["lock"]])
def test_an_agent_without_its_socket_can_be_told_to_end_all_the_same(vault, words):
    pid = vault.status()["pid"]
    vault.socket.unlink()
    vault.ok(*words)
    assert gone(pid)


def test_a_note_that_a_dead_agent_left_names_no_agent(vault):
    note = vault.vault.with_name("agent.json")
    assert stat.S_IMODE(note.stat().st_mode) == 0o600
    said = json.loads(note.read_text())
    assert said["pid"] == vault.status()["pid"] and said["socket"] == str(vault.socket)
    vault.kill()
    assert json.loads(note.read_text()) == said
    # Its number is another process's by now.
    note.write_text(json.dumps({**said, "pid": os.getpid()}))
    vault.ok("agent", "--stop")
    assert vault.status()["pid"] != said["pid"]
    for nonsense in ("", "[]", '{"pid":-1,"startedAt":1,"socket":"/x"}', '{"pid":99999999999,"startedAt":1,"socket":"x"}', "x" * 20_000):
        vault.stop()
        note.write_text(nonsense)
        assert vault.status()["isLocked"] is True


def test_the_file_is_free_while_the_vault_is_locked(vault):
    assert not is_free(vault.vault)
    vault.ok("lock")
    assert is_free(vault.vault)
    vault.status()
    assert is_free(vault.vault)
    vault.answers("wait")
    with ThreadPoolExecutor(1) as pool:
        pending = pool.submit(vault.run, "list")
        deadline = time.monotonic() + 20
        while not vault.asked and time.monotonic() < deadline:
            time.sleep(0.02)
        assert is_free(vault.vault), "also while the person is asked"
        subprocess.run(["pkill", "-9", "-f", str(vault.pinentry)], check=True)
        pending.result(timeout=60)
    assert vault.run("list", passphrase="wrong").returncode == 6
    assert is_free(vault.vault), "also after a wrong passphrase"
    vault.ok("list", passphrase=PASSPHRASE)
    assert not is_free(vault.vault)


def test_a_file_that_another_program_has_is_a_clear_error(vault):
    vault.ok("lock")
    connection = sqlite3.connect(vault.vault)
    connection.execute("BEGIN IMMEDIATE")
    done = vault.run("list", "--json", passphrase=PASSPHRASE)
    connection.close()
    assert done.returncode == 9 and json.loads(done.stdout)["error"]["code"] == "in_use"
    assert "Another process has the vault open" in done.stderr and "SQLite" not in done.stderr and "--stop" not in done.stderr
    vault.ok("list", passphrase=PASSPHRASE)


def test_an_agent_that_cannot_start_says_why_to_the_command_that_started_it(manager):
    folder = manager.socket.parent
    folder.write_text("in the way")
    done = manager.run("status")
    assert done.returncode == 9 and f"{folder}" in done.stderr and "Cannot create the folder" in done.stderr
    folder.unlink()
    manager.settings["XDG_RUNTIME_DIR"] = str(manager.folder / ("long" * 30))
    done = manager.run("status")
    assert done.returncode == 9 and "at most 107 bytes" in done.stderr


def test_the_agent_of_another_vault_is_not_taken_for_ones_own(vault):
    other = Manager(vault.folder / "other", XDG_RUNTIME_DIR=str(vault.runtime))
    done = other.run("status")
    assert done.returncode == 9 and str(vault.vault) in done.stderr and f"kill {vault.status()['pid']}" in done.stderr
    # Nor is it ended by that vault's commands.
    other.ok("lock")
    other.ok("agent", "--stop")
    assert vault.status()["isLocked"] is False
