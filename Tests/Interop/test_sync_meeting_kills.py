"""A meeting of two devices in which somebody is killed: nobody is half in the vault, and the same device joins with the next code."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest
from circledevices import equal
from hostileserver import Answer, HostileServer, Honestly, Request, hostile_server, snapshot
from manager import PASSPHRASE, Manager
from read_vault import decode
from talking import Talking
from test_manager_meeting import join
from test_manager_sync import titles
from test_sync_kills import agent
from wardserver import free_port

# What is sent in a meeting, in its order: who sends it, and the request. Of the questions for a message only the one counts that
# brings it. "Pairing over a server" in Documentation/formats/sync.md has the course.
COURSE = {
    "the code": ("desk", r"POST .*/vaults/\w+/rendezvous"),
    "the new device comes": ("phone", r"POST .*/rendezvous/\d+"),
    "message 1": ("phone", r"POST .*/rendezvous/\d+/1"),
    "message 1 is read": ("desk", r"GET .*/rendezvous/\d+/1\b.*"),
    "message 2": ("desk", r"POST .*/rendezvous/\d+/2"),
    "message 2 is read": ("phone", r"GET .*/rendezvous/\d+/2\b.*"),
    "message 3": ("phone", r"POST .*/rendezvous/\d+/3"),
    "message 3 is read": ("desk", r"GET .*/rendezvous/\d+/3\b.*"),
    "the addition": ("desk", r"POST .*/entries"),
    "message 4": ("desk", r"POST .*/rendezvous/\d+/4"),
    "message 4 is read": ("phone", r"GET .*/rendezvous/\d+/4\b.*"),
    "the end": ("phone", r"DELETE .*/rendezvous/\d+"),
    "the session": ("phone", r"POST .*/session"),
    "the vault": ("phone", r"GET .*/entries\?.*"),
    "the first entry": ("phone", r"POST .*/entries"),
}
KILLED = ("the member's agent", "the member's command", "the new agent", "the new command", "the server")
#: Before the request reaches the server, or after its answer was made, which does not arrive.
TIMES = ("before", "after")
#: What a code is answered with that was used.
OLD_CODE = {"meeting_not_found", "meeting_over", "meeting_taken", "timeout"}


@dataclass(frozen=True)
class Point:
    """A place in the course, and who is killed there."""

    step: str
    time: str
    killed: str

    def __str__(self) -> str:
        return f"{self.time} {self.step}, {self.killed}"


POINTS = [
    Point(step, when, killed)
    for step, (_, request) in COURSE.items()
    for when in TIMES
    for killed in KILLED
    # Whether a question brings the message is known afterwards.
    if when == "after" or not request.startswith("GET") or step == "the vault"
    # A code that nobody has typed yet is good.
    if step != "the code" or not killed.startswith("the new")
]
SAMPLE = 5
# Each day has other ones; WARD_TEST_SEED=0 and so on has the others, and WARD_THOROUGH=1 all of them.
SEED = int(os.environ.get("WARD_TEST_SEED", time.time() // 86_400))
CHOSEN = POINTS if os.environ.get("WARD_THOROUGH") else [POINTS[(SEED * SAMPLE + i) * 37 % len(POINTS)] for i in range(SAMPLE)]


@cache
def prepared(folder: Path) -> int:
    """Writes the home of a desk that syncs with a server, and the database of that; the result is the port."""
    folder.mkdir()
    port = free_port()
    with hostile_server(folder / "servers", port) as proxy, tempfile.TemporaryDirectory(prefix="ward-") as place:
        desk = Manager(Path(place))
        proxy.start()
        desk.init()
        desk.ok("add", "Before")
        words = ("sync", "on", proxy.address, "--name", "desk", "--new-recovery-key", "--invitation-file", "-")
        desk.ok(*words, passphrase=PASSPHRASE, text=proxy.honest.invite())
        desk.keep(folder / "desk")
        snapshot(proxy.honest, folder / "database")
    return port


class Scene:
    """A desk with a vault, a phone without one, and the way of both to the server, on which somebody is killed once."""

    def __init__(self, places: ExitStack, proxy: HostileServer) -> None:
        self.places, self.proxy = places, proxy
        self.desk, self.phone = self.machine(), self.machine()
        self.kills: Callable[[str], object] = lambda killed: None
        self.point: Point | None = None
        self.lock, self.happened = threading.Lock(), threading.Event()

    def machine(self) -> Manager:
        one = Manager(Path(self.places.enter_context(tempfile.TemporaryDirectory(prefix="ward-"))))
        self.places.callback(one.stop)
        return one

    def pass_on(self, request: Request, honestly: Honestly) -> Answer:
        point = self.point
        if point is None or not self.is_step(request, point.step):
            return honestly(request)
        answer = honestly(request) if point.time == "after" else None
        if answer and "rendezvous" in request.path and request.method == "GET" and 1 not in decode(answer.body):
            return answer
        with self.lock:
            if self.point is None:
                return answer or honestly(request)
            self.point = None
            self.kills(point.killed)
            self.happened.set()
        raise ConnectionResetError

    def is_step(self, request: Request, step: str) -> bool:
        side, pattern = COURSE[step]
        if re.fullmatch(pattern, f"{request.method} {request.path}") is None:
            return False
        if "rendezvous" in pattern:
            return True
        return (request.device == self.desk_id) == (side == "desk")

    @property
    def desk_id(self) -> str:
        """The desk opened the first session."""
        return next(iter(self.proxy.tokens.values()), "")


@pytest.fixture
def scene(tmp_path_factory: pytest.TempPathFactory, tmp_path: Path) -> Iterator[Scene]:
    folder = tmp_path_factory.getbasetemp() / "meeting-kills"
    port = prepared(folder)
    with hostile_server(tmp_path / "servers", port) as proxy, ExitStack() as places:
        proxy.start(folder / "database")
        one = Scene(places, proxy)
        one.desk.begin(folder / "desk")
        one.desk.ok("unlock", passphrase=PASSPHRASE)
        one.desk.ok("sync", "now")
        yield one


def begin(manager: Manager, *words: str, text: str = "") -> subprocess.Popen[str]:
    """A command in the background, with the passphrase."""
    reader, writer = os.pipe()
    os.write(writer, PASSPHRASE.encode() + b"\n")
    os.close(writer)
    command = [str(manager.binary), *words, "--json", "--passphrase-fd", str(reader)]
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, pass_fds=[reader],
        env=manager.environment, text=True,
    )  # fmt: skip
    os.close(reader)
    process.stdin.write(text)
    process.stdin.close()
    process.stdin = None
    return process


def code_of(adding: subprocess.Popen[str]) -> str:
    """The code that the command shows; empty if it ends before."""
    text = ""
    while line := adding.stdout.readline():
        text += line
        with suppress(json.JSONDecodeError):
            return json.loads(text).get("code", "")
    return ""


def interrupted(scene: Scene, point: Point) -> str:
    """A meeting in which somebody is killed; the code, or nothing if there was none."""
    desk, phone, server = scene.desk, scene.phone, scene.proxy.honest
    running: dict[str, subprocess.Popen[str]] = {}

    def kill(killed: str) -> None:
        if killed == "the server":
            return server.kill()
        device = desk if "member" in killed else phone
        pid = agent(device) if "agent" in killed else running[killed].pid
        os.kill(pid, signal.SIGKILL)

    scene.kills, scene.point = kill, point
    scene.proxy.lie = scene.pass_on
    adding = running["the member's command"] = begin(desk, "devices", "add", "--yes")
    code = code_of(adding)
    if code:
        words = ("join", scene.proxy.address, "--code-file", "-", "--name", "phone", "--timeout", "20")
        running["the new command"] = begin(phone, *words, text=code + "\n")
    assert scene.happened.wait(30), (point, [one.poll() for one in running.values()])
    if point.killed == "the server":
        server.start()
    # The other side may still come to an end. If not, its person stops waiting.
    deadline = time.monotonic() + 1.5
    for one in running.values():
        with suppress(subprocess.TimeoutExpired):
            one.wait(max(0, deadline - time.monotonic()))
        one.send_signal(signal.SIGINT)
        one.communicate(timeout=60)
    scene.point = None
    return code


def members(device: Manager) -> dict[str, tuple[str, str]]:
    found = device.json("devices")["devices"]
    assert len({one["name"] for one in found}) == len(found), found
    return {one["name"]: (one["status"], one["id"]) for one in found}


def comes_in(scene: Scene) -> None:
    """The phone joins with another code, if it does not have the vault; if it has, it goes on with it."""
    desk, phone = scene.desk, scene.phone
    if not phone.vault.exists():
        adding = Talking(desk, "devices", "add", "--yes")
        done = join(phone, scene.proxy, adding.first["code"], "--name", "phone", "--timeout", "60")
        if done.returncode == 0:
            assert adding.end()[0] == 0
            return
        # Its agent was not done when the command was stopped, and is now.
        adding.process.kill()
        adding.end()
        assert json.loads(done.stdout)["error"]["code"] in ("vault_exists", "busy"), done
    phone.ok("unlock", passphrase=PASSPHRASE)
    phone.ok("sync", "on", scene.proxy.address, passphrase=PASSPHRASE)


@pytest.mark.parametrize("point", CHOSEN, ids=str)
def test_nobody_is_half_in_the_vault_when_one_is_killed_in_a_meeting(scene, point):
    desk, phone = scene.desk, scene.phone
    code = interrupted(scene, point)
    desk.ok("unlock", passphrase=PASSPHRASE)
    desk.ok("sync", "now")
    desk.ok("log", "verify")
    # Who is admitted has the vault, or goes on with the keys that were admitted.
    first = members(desk)
    assert first["desk"][0] == "member" and set(first) <= {"desk", "phone"}, (point, first)
    if phone.vault.exists():
        assert first["phone"], (point, first)
    comes_in(scene)
    for device in (phone, desk, phone):
        device.ok("sync", "now")
    both = members(desk)
    assert both == members(phone), point
    assert {name: status for name, (status, _) in both.items()} == {"desk": "member", "phone": "member"}, point
    assert first.get("phone", both["phone"])[1] == both["phone"][1], (point, first, both)
    phone.ok("add", "From the phone")
    phone.ok("sync", "now")
    desk.ok("sync", "now")
    assert titles(desk) == titles(phone) == ["Before", "From the phone"]
    equal(desk, phone)
    # The code lets nobody else in.
    if code:
        stranger = scene.machine()
        late = join(stranger, scene.proxy, code, "--name", "stranger", "--timeout", "1")
        assert json.loads(late.stdout)["error"]["code"] in OLD_CODE, (point, late)
        assert not stranger.vault.exists() and members(desk) == both
