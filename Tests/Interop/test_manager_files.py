"""The vault's files on the disk, and the programs that read secrets out of them: closed to everybody else."""

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest
from manager import PASSPHRASE, Manager


def error(done: subprocess.CompletedProcess) -> dict:
    return json.loads(done.stdout)["error"]


def wait_for(condition):
    deadline = time.monotonic() + 60
    while not (found := condition()):
        assert time.monotonic() < deadline, "it never came to be"
        time.sleep(0.02)
    return found


# MARK: Modes and owners


def test_what_others_may_read_or_change_is_closed_to_them(vault):
    vault.ok("add", "Example")
    vault.stop()
    folder, state = vault.vault.parent, vault.home / "state/ward"
    opened = {folder: 0o777, state: 0o755, vault.vault: 0o666, folder / "secret-key": 0o644, state / "head": 0o644}
    for path, mode in opened.items():
        path.chmod(mode)
    vault.ok("list", passphrase=PASSPHRASE)
    for path in opened:
        assert path.stat().st_mode & 0o077 == 0, path


@pytest.mark.parametrize("name", ["", "vault.db", "secret-key"])
def test_a_file_of_another_users_is_refused_and_named(vault, name):
    if os.getuid() != 0:
        pytest.skip("needs root, to give a file away")
    vault.stop()
    path = vault.vault.parent / name
    os.chown(path, 65534, 65534)
    refused = vault.run("list", "--json", passphrase=PASSPHRASE)
    assert refused.returncode == 7 and error(refused)["code"] == "unsafe_file" and str(path) in error(refused)["message"]
    os.chown(path, 0, 0)
    vault.ok("list", passphrase=PASSPHRASE)


# MARK: Read-only


@pytest.fixture
def read_only(vault):
    """The vault's folder, and what this device remembers, where nothing can be written."""
    vault.ok("add", "Example", secrets={"--password-fd": "hunter2hunter2"})
    vault.stop()
    mounted = []
    try:
        for folder in (vault.home / "data", vault.home / "state"):
            words = ["mount", "--bind", str(folder), str(folder)]
            if subprocess.run(words, capture_output=True, check=False).returncode:
                pytest.skip("this machine lets nobody mount")
            mounted.append(folder)
            subprocess.run(["mount", "-o", "remount,bind,ro", str(folder)], check=True)
        yield vault
    finally:
        vault.stop()
        for folder in mounted:
            subprocess.run(["umount", "-l", str(folder)], check=True)


def test_a_read_only_file_system_is_read_and_changes_are_refused_with_a_sentence(read_only):
    vault = read_only
    with pytest.raises(OSError):
        (vault.vault.parent / "proof").write_text("x")
    vault.ok("unlock", passphrase=PASSPHRASE)
    assert [item["title"] for item in vault.json("list")] == ["Example"]
    assert vault.ok("show", "Example", "--field", "password").strip() == "hunter2hunter2"
    vault.ok("log", "verify")
    for words in (["add", "More"], ["edit", "Example", "--title", "Other"], ["remove", "Example"]):
        refused = vault.run(*words, "--json")
        assert refused.returncode == 9 and error(refused)["code"] == "read_only", (words, refused)
        assert "read-only" in error(refused)["message"]
    # Copying it elsewhere is how it gets writable again.
    vault.ok("backup", str(vault.folder / "backup.db"))
    vault.ok("lock")
    vault.ok("unlock", passphrase=PASSPHRASE)
    temporary = Path(vault.environment.get("TMPDIR", "/tmp"))
    assert [path for path in temporary.glob("ward-*-*-*-*-*") if (path / "vault.db").exists()] == []


# MARK: Programs that read secrets


NOBODY = 65534
TRACE = """
import ctypes, os, sys
if os.getuid() == 0:
    os.setgroups([]); os.setgid(65534); os.setuid(65534)
libc = ctypes.CDLL(None, use_errno=True)
libc.ptrace.argtypes = [ctypes.c_long] * 4
print(libc.ptrace(0x4206, int(sys.argv[1]), 0, 0), end=" ")
try:
    open(f"/proc/{sys.argv[1]}/mem", "rb").read(1)
    print("read")
except OSError as error:
    print(type(error).__name__)
"""


def traced(pid: int) -> str:
    """What another program of the same user makes of a process: whether it may trace it, and read its memory."""
    done = subprocess.run([sys.executable, "-c", TRACE, str(pid)], capture_output=True, text=True, timeout=60, check=True)
    return done.stdout.strip()


@pytest.fixture
def nobody(manager):
    """Somebody without special rights: root may look into every process."""
    if os.getuid() == 0:
        if shutil.which("setpriv") is None:
            pytest.skip("needs setpriv")
        manager.prefix = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", "--"]
        usable = subprocess.run([*manager.prefix, str(manager.binary), "--version"], capture_output=True, check=False, env=manager.environment)
        if usable.returncode:
            pytest.skip("nobody may run what was built here")
        for path in (manager.folder, manager.home, manager.runtime):
            os.chown(path, NOBODY, NOBODY)
    # A prompt that only waits; the fake pinentry is Python, which may lie where only root can read.
    manager.pinentry.write_text("#!/bin/sh\nexec sleep 60\n")
    return manager


def is_closed(pid: int, leaves_a_filter: bool = True) -> None:
    limits = Path(f"/proc/{pid}/limits").read_text()
    core = next(line for line in limits.splitlines() if line.startswith("Max core file size"))
    assert core.split()[4:6] == ["0", "0"]
    # A process that is not dumpable belongs to root in /proc.
    assert Path(f"/proc/{pid}/mem").stat().st_uid == 0
    status = Path(f"/proc/{pid}/status").read_text()
    assert "TracerPid:\t0" in status
    if os.getuid() == 0:
        assert f"Uid:\t{NOBODY}" in status
        if leaves_a_filter:
            assert int(Path(f"/proc/{pid}/coredump_filter").read_text(), 16) == 0
    assert traced(pid) == "-1 PermissionError"


def test_every_command_is_closed_to_other_programs_before_it_reads_and_while_it_waits(nobody):
    other = subprocess.Popen([*nobody.prefix, "sleep", "60"])
    try:
        wait_for(lambda: Path(f"/proc/{other.pid}/comm").read_text() == "sleep\n")
        if not traced(other.pid).startswith("0"):
            pytest.skip("this machine allows no tracing")
    finally:
        other.kill()
        other.wait()
    nobody.ok("init", passphrase=PASSPHRASE)
    # Before it has read the passphrase.
    reader, writer = os.pipe()
    waiting = subprocess.Popen(
        [*nobody.prefix, nobody.binary, "passphrase", "--passphrase-fd", str(reader)],
        env=nobody.environment, pass_fds=[reader], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        wait_for(lambda: Path(f"/proc/{waiting.pid}/wchan").read_text().find("pipe") >= 0 or asleep(waiting.pid, nobody))
        is_closed(waiting.pid)
    finally:
        waiting.kill()
        waiting.wait()
        os.close(reader)
        os.close(writer)
    # While it waits for the agent's answer, and the agent itself.
    nobody.ok("lock")
    waiting = subprocess.Popen(
        [*nobody.prefix, nobody.binary, "unlock"], env=nobody.environment,
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        agent = nobody.status()["pid"]
        wait_for(lambda: prompts(agent) or waiting.poll() is not None)
        assert waiting.poll() is None
        is_closed(waiting.pid)
        is_closed(agent)
    finally:
        waiting.kill()
        waiting.wait()


def asleep(pid: int, manager: Manager) -> bool:
    """Whether a process runs a program of ours and waits."""
    state = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    return Path(f"/proc/{pid}/comm").read_text().strip() in ("ward", "ward-reader") and state == "S"


def prompts(agent: int) -> bool:
    """Whether the agent has started something that asks."""
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = int(path.read_text().rsplit(")", 1)[1].split()[1])
            if parent == agent and (path.parent / "comm").read_text().strip() in ("sleep", "pinentry"):
                return True
        except (OSError, IndexError, ValueError):
            continue
    return False


def test_the_reader_of_pictures_and_the_service_are_closed_too(nobody):
    pictures = subprocess.Popen(
        [*nobody.prefix, nobody.binary.parent / "ward-reader"], env=nobody.environment, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL
    )
    service = subprocess.Popen(
        [
            *nobody.prefix, nobody.binary.parent / "ward-server", "serve", "--rp-id", "localhost", "--rp-name", "Test",
            "--origin", "http://localhost:1", "--listen", "127.0.0.1:0", "--database", nobody.home / "service" / "ward.sqlite",
        ],
        env=nobody.environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip
    try:
        wait_for(lambda: asleep(pictures.pid, nobody))
        is_closed(pictures.pid, leaves_a_filter=False)
        while "listening on" not in (line := service.stdout.readline()):
            assert line, "the service ended"
        is_closed(service.pid, leaves_a_filter=False)
    finally:
        for process in (pictures, service):
            process.kill()
            process.wait()
