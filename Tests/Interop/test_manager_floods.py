"""Floods: apps that send without reading, connect without speaking, and come in numbers. The person's own commands go on."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from agentwire import Wire, build_app
from manager import PASSPHRASE, Manager

HELLO = b'{"jsonrpc":"2.0","id":1,"method":"hello","params":{"versions":[2],"client":"flood","terminal":{}}}\n'

# Each is the program of an app; it says on its output what came of it.
SILENT_READER = """
import json, socket, sys, time
connection = socket.socket(socket.AF_UNIX)
connection.connect(sys.argv[1])
connection.sendall(HELLO)
connection.settimeout(1)
# Small answers, of which as many wait as requests may be in work; or large ones, of which fewer may.
wanted = [{"kind": "newPassword", "domain": "localhost", "user": "x" * int(sys.argv[2])}] * 16
line = json.dumps({"jsonrpc": "2.0", "id": 2, "method": "app.suggest", "params": {"requests": wanted}}).encode() + b"\\n"
print("ready", flush=True)
end = time.monotonic() + 4
sent = 0
while time.monotonic() < end:
    try:
        sent += connection.send(line)
    except TimeoutError:
        pass
    except OSError:
        print("cut off", sent, flush=True)
        sys.exit()
print("sent", sent, flush=True)
"""

CROWD = """
import os, socket, sys, time
# Children, so that no process has many.
for _ in range(int(sys.argv[2])):
    if os.fork() == 0:
        break
connections = []
for _ in range(19):
    one = socket.socket(socket.AF_UNIX)
    one.settimeout(10)
    try:
        one.connect(sys.argv[1])
        connections.append(one)
        if sys.argv[3] == "greets":
            one.sendall(HELLO)
    except OSError:
        pass
os.write(1, b"ready\\n")
time.sleep(600)
"""

COUNTED = """
import json, socket, sys
def connect():
    one = socket.socket(socket.AF_UNIX)
    one.settimeout(30)
    one.connect(sys.argv[1])
    try:
        one.sendall(HELLO)
    except OSError:
        pass
    return one, json.loads(one.makefile("rb").readline())
there = [connect() for _ in range(16)]
assert all("result" in answer for _, answer in there), there
more, refused = connect()
try:
    assert more.recv(1) == b"", "the connection is closed"
except ConnectionResetError:
    pass
there.pop()[0].close()
again = {}
while "result" not in again:
    again = connect()[1]
print(json.dumps(refused), flush=True)
"""

MANY = """
import json, socket, sys, time
connections = []
def greet():
    one = socket.socket(socket.AF_UNIX)
    one.settimeout(30)
    one.connect(sys.argv[1])
    connections.append(one)
    try:
        one.sendall(HELLO)
    except OSError:
        pass
    answer = json.loads(one.makefile("rb").readline())
    return True if "result" in answer else answer["error"]["data"]["code"]
print(json.dumps([greet() for _ in range(int(sys.argv[2]))]), flush=True)
time.sleep(600)
"""

EAGER = """
import json, socket, sys
WISH = {"authorization": {"mayPrompt": True}}
connection = socket.socket(socket.AF_UNIX)
connection.settimeout(60)
connection.connect(sys.argv[1])
connection.sendall(HELLO)
lines = connection.makefile("rb")
assert "result" in json.loads(lines.readline())
count = int(sys.argv[2])
asks = [json.dumps({"jsonrpc": "2.0", "id": number, "method": "app.unlock", "params": WISH}) for number in range(count)]
connection.sendall(("\\n".join(asks) + "\\n").encode())
answers = [json.loads(lines.readline()) for _ in range(count)]
print(json.dumps([answer.get("error", {"data": {"code": "agreed"}})["data"]["code"] for answer in answers]), flush=True)
"""


@pytest.fixture
def start(vault: Manager) -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """Starts apps, each in a group of its own that is ended with it."""
    started: list[subprocess.Popen[str]] = []

    def begin(path: Path, script: str, *words: str) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [str(path), "-c", f"HELLO = {HELLO!r}\n{script}", str(vault.app_socket), *words],
            stdout=subprocess.PIPE, text=True, env={**vault.environment, "PYTHONHOME": sys.base_prefix}, process_group=0,
        )  # fmt: skip
        started.append(process)
        return process

    yield begin
    for process in started:
        # Not kill(1), which takes a group's number for another one.
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate(timeout=30)


def memory(pid: int) -> int:
    """Megabytes that a process has."""
    line = next(line for line in Path(f"/proc/{pid}/status").read_text().splitlines() if line.startswith("VmRSS"))
    return int(line.split()[1]) // 1024


@pytest.mark.parametrize("size", ["0", "1000"])
def test_an_app_that_does_not_read_gets_no_further_and_takes_no_memory(vault, start, tmp_path, size):
    pid = vault.status()["pid"]
    before = memory(pid)
    app = start(build_app(tmp_path, "flood"), SILENT_READER, size)
    assert app.stdout is not None
    assert app.stdout.readline() == "ready\n"
    highest = before
    while app.poll() is None and highest - before < 400:
        assert vault.status()["pid"] == pid
        highest = max(highest, memory(pid))
    assert highest - before < 64, (before, highest)
    how, _, sent = app.stdout.readline().rpartition(" ")
    assert int(sent) < 4_000_000
    assert how == ("cut off" if size == "1000" else "sent")


@pytest.mark.parametrize("manner", ["greets", "silent"])
def test_hundreds_of_connections_of_apps_leave_room_for_the_person(vault, start, tmp_path, manner):
    pid = vault.status()["pid"]
    before = memory(pid)
    for number in range(2):
        crowd = start(build_app(tmp_path, f"crowd{number}", str(number)), CROWD, "14", manner)
        assert crowd.stdout is not None
        for _ in range(15):
            assert crowd.stdout.readline() == "ready\n"
    for _ in range(3):
        assert vault.run("status", "--json", timeout=60).returncode == 0
    vault.ok("list", "--no-prompt", timeout=60)
    assert len(list(Path(f"/proc/{pid}/fd").iterdir())) < 300
    assert memory(pid) - before < 64


def test_a_program_has_sixteen_connections_and_the_next_is_told_so(vault, start, tmp_path):
    app = start(build_app(tmp_path, "counted"), COUNTED)
    assert app.stdout is not None
    refused = json.loads(app.stdout.readline())
    assert refused["error"]["data"]["code"] == "busy" and "16 connections" in refused["error"]["message"]


def test_who_does_not_say_hello_is_sent_away(vault):
    silent, greeted = Wire(vault), Wire(vault)
    assert greeted.hello()["result"]["version"] == 2
    assert "hello" in silent.read()["error"]["message"] and silent.read() is None
    assert greeted.call("status")["result"]["exists"] is True


def test_more_requests_than_fit_wait_and_all_end_with_their_connection(vault):
    vault.ok("lock")
    vault.answers("wait")
    wire = Wire(vault)
    wire.hello()
    for number in range(100):
        params = {"authorization": {"mayPrompt": True}, "trustsFile": False}
        wire.send(json.dumps({"jsonrpc": "2.0", "id": number, "method": "vault.unlock", "params": params}).encode() + b"\n")

    def prompting() -> bool:
        return subprocess.run(["pgrep", "-f", str(vault.pinentry)], capture_output=True, check=False).returncode == 0

    deadline = time.monotonic() + 30
    while not prompting() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert prompting()
    # Another connection is not held up.
    assert vault.status()["isLocked"] is True
    wire.socket.close()
    wire.file.close()
    while prompting() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not prompting()
    vault.ok("unlock", passphrase=PASSPHRASE)


def test_a_manager_that_reads_slowly_gets_every_answer(vault, tmp_path):
    note = tmp_path / "note"
    note.write_text("x" * 50_000)
    vault.ok("add", "Note", "--kind", "note", "--notes", str(note))
    wire = Wire(vault)
    wire.hello()
    request = {"method": "items.get", "params": {"authorization": {"mayPrompt": False}, "item": "Note", "reveal": True}}
    for number in range(100):
        wire.send(json.dumps({"jsonrpc": "2.0", "id": number, **request}).encode() + b"\n")
    time.sleep(1)
    answers = [wire.read() for _ in range(100)]
    assert sorted(answer["id"] for answer in answers) == list(range(100))
    assert all(len(answer["result"]["notes"]) == 50_000 for answer in answers)


def test_one_program_in_many_processes_has_thirty_two_connections(vault, start, tmp_path):
    path = build_app(tmp_path, "many")
    apps = [start(path, MANY, "16"), start(path, MANY, "16")]
    for app in apps:
        assert app.stdout is not None and json.loads(app.stdout.readline()) == [True] * 16
    third = start(path, MANY, "1")
    assert third.stdout is not None and json.loads(third.stdout.readline()) == ["busy"]
    # Another program is not held up.
    other = start(build_app(tmp_path, "other", "other"), MANY, "16")
    assert other.stdout is not None and json.loads(other.stdout.readline()) == [True] * 16


def test_an_agent_that_does_not_answer_is_named_after_a_while(vault):
    pid = vault.status()["pid"]
    os.kill(pid, signal.SIGSTOP)
    try:
        refused = vault.run("list", "--no-prompt", timeout=120)
    finally:
        os.kill(pid, signal.SIGCONT)
    assert refused.returncode != 0 and "does not answer" in refused.stderr, refused.stderr
    vault.ok("list", "--no-prompt")


def test_thirty_questions_in_one_write_are_one_prompt(vault, start, tmp_path):
    vault.ok("lock")
    before = len(vault.asked)
    vault.answers("cancel", PASSPHRASE)
    app = start(build_app(tmp_path, "eager"), EAGER, "30")
    assert app.stdout is not None
    answers = json.loads(app.stdout.readline())
    assert answers == ["denied"] * 30
    assert len(vault.asked) == before + 1
    # The person's own question is asked at once.
    vault.ok("unlock")
    assert len(vault.asked) == before + 2
