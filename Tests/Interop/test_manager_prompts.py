"""Who is asked, and where: a program does not choose the screen on which it is allowed something.

The programs that ask are in a sandbox of bubblewrap with nothing but the agent's socket; the pinentries are the real ones.
"""

from __future__ import annotations

import json
import os
import pty
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from agentwire import App, Wire, build_app
from desktop import Desktop
from manager import PASSPHRASE, Manager
from test_manager_passkeys import answer, create, creation, unb64
from test_manager_passkeys import request as passkey_request
from test_manager_terminal import Screen

LOCAL = "http://localhost:8080"
# From the button that refuses, on which the windows begin, to the one that agrees.
AGREE = ["Tab", "Return"]
PINENTRIES = ["pinentry-curses", "pinentry-tty", "pinentry-gtk-2", "pinentry-qt"]
ASK = {"authorization": {"mayPrompt": True}, "requests": [{"kind": "password", "domain": "localhost"}],
       "prefersImmediatelyAvailable": False}
# A passkey for which a press of a key is all that is asked: the answer says that somebody was there.
ASSERT = {**ASK, "requests": [{"kind": "passkeyAssertion", "domain": "localhost", "origin": LOCAL,
                               "options": json.dumps(passkey_request(rpId="localhost", userVerification="discouraged"))}]}


@pytest.fixture(autouse=True, scope="module")
def _programs() -> None:
    missing = [name for name in [*PINENTRIES, "bwrap", "Xvfb", "xdotool"] if shutil.which(name) is None]
    if missing:
        pytest.skip(f"not installed: {', '.join(missing)}")


@pytest.fixture
def home(manager: Manager) -> Manager:
    """A vault with a password and a passkey that any program may ask for, on this machine itself."""
    manager.settings["WARD_PINENTRY"] = shutil.which("pinentry-curses") or ""
    manager.init()
    manager.ok("add", "Local", "--site", "https://localhost", "--username", "ada", "--generate")
    answer(create(manager, creation(rp={"id": "localhost", "name": "Local"}), origin=LOCAL))
    return manager


@pytest.fixture
def sandboxed(tmp_path: Path) -> Iterator[Callable[..., App]]:
    """Starts programs in a sandbox that has the agent's socket and a folder that both sides see, and leaves none behind."""
    started: list[App] = []

    def start(manager: Manager, terminal: dict[str, Any], folder: str = "bin") -> App:
        program = build_app(tmp_path / folder, f"stranger{len(started)}")
        words = ["bwrap", "--die-with-parent", "--unshare-all", "--ro-bind", "/usr", "/usr", "--proc", "/proc", "--dev", "/dev"]
        for link in ("/bin", "/lib", "/lib64", "/sbin"):
            if os.path.islink(link):
                words += ["--symlink", os.readlink(link), link]
        for path in {str(tmp_path), str(manager.app_socket.parent), sys.base_prefix, os.path.realpath(sys.prefix)}:
            words += ["--bind", path, path]
        app = App(manager, program, prefix=[*manager.prefix, *words])
        started.append(app)
        assert "result" in app.answer("hello", versions=[2], client="stranger", terminal=terminal)
        return app

    yield start
    for app in started:
        app.close()


@pytest.fixture
def desktop() -> Iterator[Desktop]:
    one = Desktop()
    yield one
    one.close()


class Asking:
    """A request that waits for its person."""

    def __init__(self, app: App, **request: Any) -> None:
        self.answer: dict[str, Any] | None = None
        self.thread = threading.Thread(target=self._ask, args=(app, request or ASK))
        self.thread.start()

    def _ask(self, app: App, request: dict[str, Any]) -> None:
        self.answer = app.answer("app.authorize", **request)

    @property
    def is_over(self) -> bool:
        return self.answer is not None

    def end(self) -> dict[str, Any]:
        self.thread.join(timeout=60)
        assert self.answer is not None, "no answer came"
        return self.answer

    @property
    def user(self) -> str:
        """Whose password was handed out."""
        answer = self.end()
        assert "result" in answer, answer
        return answer["result"]["user"]


def user_flags(given: dict[str, Any]) -> int:
    """What an assertion says of the person: 1 for present, 4 for verified."""
    assert "result" in given, given
    return unb64(json.loads(given["result"]["response"])["response"]["authenticatorData"])[32] & 0x05


def use(manager: Manager, pinentry: str) -> None:
    """From now on the person's own `ward` wants this one."""
    manager.settings["WARD_PINENTRY"] = shutil.which(pinentry) or pinentry


def pinentries(manager: Manager) -> list[str]:
    """The pinentries of this person that run."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            words, environment = (folder / "cmdline").read_bytes(), (folder / "environ").read_bytes()
        except OSError:
            continue
        if b"pinentry" in words and f"XDG_RUNTIME_DIR={manager.runtime}\0".encode() in environment:
            found.append(words.decode())
    return found


def wait_until(holds: Callable[[], bool], seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def restarted(manager: Manager, pinentry: str) -> Manager:
    """An agent that starts with this pinentry, and has an open vault."""
    manager.stop()
    use(manager, pinentry)
    manager.ok("unlock", passphrase=PASSPHRASE)
    return manager


# MARK: Nothing that an app says is used


@pytest.mark.parametrize("pinentry", PINENTRIES)
def test_an_app_that_names_a_file_as_its_terminal_changes_no_file_and_gets_nothing(home, sandboxed, tmp_path, pinentry):
    restarted(home, pinentry)
    letter = home.home / "letter"
    letter.write_text("f\ny\n" * 200)
    kept = {path: path.read_bytes() for path in (letter, home.vault)}
    for path in kept:
        for wanted in (ASK, ASSERT):
            given = sandboxed(home, {"tty": str(path), "type": "xterm", "locale": "C.UTF-8"}).answer("app.authorize", **wanted)
            assert given["error"]["data"]["code"] == "prompt_failed", given
            assert path.read_bytes() == kept[path]
    assert home.json("list")[0]["title"] == "Local"


@pytest.mark.parametrize("pinentry", ["pinentry-curses", "pinentry-tty"])
def test_an_app_does_not_answer_on_its_own_terminal_nor_through_a_pipe(home, sandboxed, tmp_path, pinentry):
    restarted(home, pinentry)
    own, terminal = pty.openpty()
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    ends = os.open(pipe, os.O_RDWR)
    try:
        for (descriptor, path), wanted in product(((own, os.ttyname(terminal)), (ends, str(pipe))), (ASK, ASSERT)):
            asking = Asking(sandboxed(home, {"tty": path, "type": "xterm", "locale": "C.UTF-8"}), **wanted)
            deadline = time.monotonic() + 60
            while not asking.is_over and time.monotonic() < deadline:
                # "Fill in" by its first letter, and by Return.
                os.write(descriptor, b"f\r\n")
                time.sleep(0.2)
            assert asking.end()["error"]["data"]["code"] == "prompt_failed"
    finally:
        for descriptor in (own, terminal, ends):
            os.close(descriptor)


@pytest.mark.parametrize("pinentry", ["pinentry-gtk-2", "pinentry-qt"])
def test_an_app_does_not_answer_on_its_own_display(home, sandboxed, desktop, pinentry):
    restarted(home, pinentry)
    own = {"display": desktop.display, "waylandDisplay": "wayland-evil", "xauthority": "/dev/null"}
    for wanted in (ASK, ASSERT):
        asking = Asking(sandboxed(home, own), **wanted)
        assert not desktop.press(*AGREE, unless=lambda asking=asking: asking.is_over), "the app's display was used"
        assert asking.end()["error"]["data"]["code"] == "prompt_failed"


def test_an_app_runs_nothing_through_the_address_of_a_bus(home, sandboxed, desktop, tmp_path):
    restarted(home, "pinentry-qt")
    mark = tmp_path / "escaped"
    bus = f"unixexec:path=/bin/sh,argv1=-c,argv2=touch%20{mark}"
    asking = Asking(sandboxed(home, {"display": desktop.display, "sessionBus": bus}))
    desktop.press("Escape", unless=lambda: asking.is_over)
    asking.end()
    assert not mark.exists()


# MARK: The person is asked where they are


@pytest.mark.parametrize("pinentry", ["pinentry-gtk-2", "pinentry-qt"])
def test_a_sandboxed_app_is_asked_about_on_the_desktop_where_ward_was_used_last(home, sandboxed, desktop, pinentry):
    restarted(home, pinentry)
    home.settings["DISPLAY"] = desktop.display
    home.status()
    # What a Flatpak says of itself are the names inside of its sandbox.
    app = sandboxed(home, {"display": ":99", "waylandDisplay": "wayland-0", "sessionBus": "unix:path=/run/flatpak/bus"})
    asking = Asking(app)
    assert desktop.press(*AGREE, unless=lambda: asking.is_over)
    assert asking.user == "ada"
    # Here the passkey is used: the person was there, and was not verified.
    asking = Asking(app, **ASSERT)
    assert desktop.press(*AGREE, unless=lambda: asking.is_over)
    assert user_flags(asking.end()) == 0x01


@pytest.mark.parametrize("pinentry", ["pinentry-curses", "pinentry-tty"])
def test_a_sandboxed_app_is_asked_about_on_the_terminal_where_ward_was_used_last(home, sandboxed, pinentry):
    restarted(home, pinentry)
    screen = Screen(home)
    app = sandboxed(home, {})
    try:
        screen.type("ward status")
        screen.wait_for("Agent ")
        screen.run_on_empty("sleep 1000")
        asking = Asking(app)
        shown = screen.sentences(screen.wait_for("Fill in"))
        assert "Sign in to localhost as ada" in shown and "Nobody vouches" in shown
        if pinentry == "pinentry-tty":
            screen.type("f", enter=False)
        else:
            screen.key("Enter")
        assert asking.user == "ada"
        # Closing the terminal is not a yes, and afterwards nobody is there to be asked.
        screen.key("C-c")
        screen.run_on_empty("sleep 1000")
        asking = Asking(app)
        screen.wait_for("Fill in")
        screen.close()
        assert "error" in asking.end()
        wait_until(lambda: not pinentries(home))
        # The no makes the app wait at first.
        wait_until(lambda: "ward unlock" in app.refusal("app.authorize", **ASK)[1])
        assert app.refusal("app.authorize", **ASK)[0] == "prompt_failed"
    finally:
        screen.close()


def test_a_terminal_that_took_over_the_number_of_the_last_one_is_not_asked_on(home, sandboxed):
    restarted(home, "pinentry-curses")
    app = sandboxed(home, {})
    first = Screen(home)
    try:
        first.type("ward status; tty")
        number = first.wait_for("/dev/pts/").split("/dev/pts/")[1].split()[0]
    finally:
        first.close()
    others = []
    try:
        while not others or os.ttyname(others[-1][1]) != f"/dev/pts/{number}":
            others.append(pty.openpty())
            assert len(others) < 200
        assert app.refusal("app.authorize", **ASK)[0] == "prompt_failed"
    finally:
        for pair in others:
            for descriptor in pair:
                os.close(descriptor)


# MARK: What the manager's own programs say is checked


def hello(wire: Wire, **terminal: str) -> Wire:
    assert "result" in wire.call("hello", versions=[2], client="test", terminal=terminal)
    return wire


def test_a_terminal_that_is_not_the_callers_own_is_not_used(home):
    restarted(home, "pinentry-tty")
    home.ok("lock")
    own, terminal = pty.openpty()
    link = home.home / "link"
    link.symlink_to(os.ttyname(terminal))
    letter = home.home / "letter"
    letter.write_text("precious\n")
    try:
        for path in (os.ttyname(terminal), str(link), str(letter), "/dev/tty", "/dev/null"):
            wire = hello(Wire(home), tty=path, type="xterm", locale="C.UTF-8")
            answer = wire.call("items.list", authorization={"mayPrompt": True}, query="", inTrash=False)
            assert answer["error"]["data"]["code"] == "prompt_failed", (path, answer)
        assert letter.read_text() == "precious\n"
    finally:
        os.close(own)
        os.close(terminal)


def test_a_bus_that_runs_a_program_is_not_used(home, desktop, tmp_path):
    restarted(home, "pinentry-qt")
    home.ok("lock")
    mark = tmp_path / "escaped"
    for bus in (f"unixexec:path=/bin/sh,argv1=-c,argv2=touch%20{mark}", f"unix:path={tmp_path}/bus", "tcp:host=localhost,port=1"):
        wire = hello(Wire(home), display=desktop.display, sessionBus=bus)
        pinentry_saw = threading.Event()

        def look(pinentry_saw: threading.Event = pinentry_saw) -> None:
            assert desktop.press("Escape", unless=pinentry_saw.is_set)

        thread = threading.Thread(target=look)
        thread.start()
        answer = wire.call("items.list", authorization={"mayPrompt": True}, query="", inTrash=False)
        pinentry_saw.set()
        thread.join()
        assert answer["error"]["data"]["code"] == "denied", answer
    assert not mark.exists()


# MARK: systemd


# In a group of processes of its own: systemd takes the group that it starts in for its own, with all that is in there.
SYSTEMD = """
set -e
for folder in /sys/fs/cgroup/systemd /sys/fs/cgroup/unified /sys/fs/cgroup; do
    [ -f "$folder/cgroup.procs" ] || continue
    mkdir "$folder/$WARD_TEST_GROUP"
    echo 0 > "$folder/$WARD_TEST_GROUP/cgroup.procs"
done
grep -q "systemd:/$WARD_TEST_GROUP$\|^0::/$WARD_TEST_GROUP$" /proc/self/cgroup
mount -t tmpfs tmpfs /run && mkdir -p /run/systemd/system
dbus-daemon --session --address=unix:path=$XDG_RUNTIME_DIR/bus --nofork --nopidfile 2>/dev/null &
set +e
until [ -S "$XDG_RUNTIME_DIR/bus" ]; do sleep 0.05; done
export DBUS_SESSION_BUS_ADDRESS=unix:path=$XDG_RUNTIME_DIR/bus
/usr/lib/systemd/systemd --user --log-level=crit &
until systemctl --user show-environment >/dev/null 2>&1; do sleep 0.1; done
echo ready
wait
"""


@pytest.fixture
def systemd(manager: Manager) -> Iterator[list[str]]:
    """The person's own systemd, in a view of the machine of its own; answers what commands in that view begin with."""
    group = f"ward-test-{manager.folder.name}"
    process = subprocess.Popen(
        ["unshare", "--mount", "--pid", "--fork", "--mount-proc", "--kill-child", "bash", "-c", SYSTEMD],
        env={**manager.environment, "WARD_TEST_GROUP": group}, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
    )  # fmt: skip
    assert process.stdout is not None
    timer = threading.Timer(60, process.kill)
    timer.start()
    is_ready = process.stdout.readline() == "ready\n"
    timer.cancel()
    if not is_ready:
        process.kill()
        pytest.skip("no systemd of one's own runs on this machine")
    first = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()[0]
    yield ["nsenter", "--target", first, "--mount", "--pid", "--"]
    process.kill()
    process.wait(timeout=30)
    for folder in ("/sys/fs/cgroup/systemd", "/sys/fs/cgroup/unified", "/sys/fs/cgroup"):
        subprocess.run(["find", f"{folder}/{group}", "-depth", "-type", "d", "-exec", "rmdir", "{}", ";"], capture_output=True, check=False)


def test_without_a_word_from_ward_the_desktop_is_the_one_that_systemd_knows(manager, systemd, sandboxed, desktop):
    manager.prefix = systemd
    use(manager, "pinentry-gtk-2")
    manager.init()
    manager.ok("add", "Local", "--site", "https://localhost", "--username", "ada", "--generate")
    app = sandboxed(manager, {})
    assert app.refusal("app.authorize", **ASK)[0] == "prompt_failed"
    # The desktop starts after the agent, and says where it is.
    subprocess.run(
        [*systemd, "systemctl", "--user", "import-environment", "DISPLAY"],
        env={**manager.environment, "DISPLAY": desktop.display, "DBUS_SESSION_BUS_ADDRESS": f"unix:path={manager.runtime}/bus"},
        check=True,
    )
    asking = Asking(app)
    assert desktop.press(*AGREE, unless=lambda: asking.is_over)
    assert asking.user == "ada"
    manager.stop()


# MARK: How often, and by what


def test_of_many_questions_at_once_one_is_asked_and_a_no_answers_the_others(manager, sandboxed):
    manager.init()
    manager.ok("lock")
    app = sandboxed(manager, {})
    manager.answers("cancel")
    request = {"jsonrpc": "2.0", "method": "app.unlock", "params": {"authorization": {"mayPrompt": True}}}
    assert app.process.stdin is not None and app.process.stdout is not None
    # The relay reads an answer for each line that it sends, so that all requests go in one.
    app.say(json.dumps({**request, "id": 2}))
    first = json.loads(app.process.stdout.readline())
    app.say(json.dumps({**request, "id": 3}))
    second = json.loads(app.process.stdout.readline())
    assert {answer["error"]["data"]["code"] for answer in (first, second)} == {"denied"}
    assert "declined a moment ago" in second["error"]["message"]
    assert len(manager.asked) == 1
    # The person's own program is asked about at once.
    manager.answers(PASSPHRASE)
    manager.ok("list")
    assert len(manager.asked) == 2


def test_a_pinentry_that_cannot_be_run_is_named_until_ward_says_another(manager):
    manager.init()
    manager.ok("lock")
    good = manager.settings.pop("WARD_PINENTRY", str(manager.pinentry))
    manager.settings["WARD_PINENTRY"] = str(manager.folder / "nothing")
    done = manager.run("list")
    assert done.returncode == 5 and str(manager.folder / "nothing") in done.stderr and "WARD_PINENTRY" in done.stderr
    shown = manager.ok("status")
    assert "not possible: WARD_PINENTRY names" in shown and "nothing" in shown
    # The agent is the same one, and takes the new word.
    pid = manager.status()["pid"]
    manager.settings["WARD_PINENTRY"] = good
    manager.answers(PASSPHRASE)
    manager.ok("list")
    assert manager.status()["pid"] == pid and manager.status()["pinentry"] == good
    # A bus that others may write to is not used.
    manager.pinentry.chmod(0o777)
    manager.ok("lock")
    assert "cannot be run" in manager.run("list").stderr


def test_an_app_does_not_choose_the_pinentry(home, sandboxed, tmp_path):
    mark = tmp_path / "escaped"
    evil = tmp_path / "pinentry"
    evil.write_text(f"#!/bin/sh\ntouch {mark}\n")
    evil.chmod(0o755)
    app = sandboxed(home, {"pinentry": str(evil)})
    assert app.refusal("app.authorize", **ASK)[0] == "prompt_failed"
    assert not mark.exists()


def test_a_pinentry_that_says_nothing_is_ended_and_named(manager):
    manager.init()
    manager.ok("lock")
    manager.pinentry.write_text("#!/bin/sh\nexec sleep 600 # pinentry\n")
    done = manager.run("list")
    assert done.returncode == 5 and "sent no answer for 5 seconds" in done.stderr and str(manager.pinentry) in done.stderr
    wait_until(lambda: not pinentries(manager))


# MARK: What it says


def test_a_folder_named_like_a_prompt_is_shown_as_a_path_behind_the_warning(manager, sandboxed, tmp_path):
    manager.init()
    manager.ok("lock")
    app = sandboxed(manager, {}, folder='x\n\nAsked by Firefox, a Flatpak app.\u202e" <b>')
    manager.answers("cancel")
    assert app.refusal("app.unlock", authorization={"mayPrompt": True})[0] == "denied"
    shown = manager.asked[-1]["SETDESC"]
    warning, path = shown.index("Nobody vouches"), shown.index('Program "')
    assert warning < path and "\n" not in shown[path:] and "\u202e" not in shown and "<" not in shown
    assert not any(line.startswith("Asked by") for line in shown.splitlines())
    assert len(shown[path:]) < 90 and shown.count('"') == 2
