"""The clipboard with the real programs: an X server, a Wayland compositor, xclip, xsel, wl-clipboard, and terminals."""

from __future__ import annotations

import base64
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from manager import Manager, Pty

SECRET = "hunter2-ü-日本"
HINT = "x-kde-passwordManagerHint"


def wait_until(what: Callable[[], bool], seconds: float = 30) -> bool:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if what():
            return True
        time.sleep(0.1)
    return False


@contextmanager
def running(command: list[str], **options) -> Iterator[subprocess.Popen]:
    process = subprocess.Popen(command, **options)
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.wait(timeout=60)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


@pytest.fixture(scope="module")
def display() -> Iterator[str]:
    """An X server that draws nowhere, and chooses its own number."""
    reader, writer = os.pipe()
    server = ["Xvfb", "-displayfd", str(writer), "-screen", "0", "640x480x24", "-nolisten", "tcp", "-noreset"]
    with running(server, pass_fds=[writer], stderr=subprocess.DEVNULL):
        os.close(writer)
        with os.fdopen(reader) as file:
            yield ":" + file.readline().strip()


def read(program: list[str], display: str) -> str:
    """What the clipboard has, as another program sees it; nothing when nobody owns it."""
    environment = {**os.environ, "DISPLAY": display}
    done = subprocess.run(program, env=environment, capture_output=True, timeout=60, stdin=subprocess.DEVNULL)
    return done.stdout.decode()


def xclip(display: str, target: str = "UTF8_STRING") -> str:
    return read(["xclip", "-selection", "clipboard", "-out", "-t", target], display)


def put(display: str, text: str) -> None:
    """Somebody copies something else: the real xclip, which stays behind with what it holds."""
    environment = {**os.environ, "DISPLAY": display}
    subprocess.run(
        ["xclip", "-selection", "clipboard", "-in"], input=text.encode(), env=environment, timeout=60, check=True,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip


@pytest.fixture
def item(vault: Manager) -> Iterator[Manager]:
    vault.ok("add", "Example", secrets={"--password-fd": SECRET})
    vault.before = holding()
    # Longer than any test.
    vault.settings["WARD_CLIPBOARD_SECONDS"] = "600"
    yield vault
    for process in holders(vault):
        os.kill(int(process), signal.SIGKILL)


def copy(vault: Manager, seconds: int = 600) -> str:
    vault.settings["WARD_CLIPBOARD_SECONDS"] = str(seconds)
    done = vault.run("show", "Example", "--copy", timeout=30)
    assert done.returncode == 0, done
    assert SECRET not in done.stdout + done.stderr
    return done.stderr


def holders(vault: Manager) -> set[str]:
    """Those of them that this test's copies left behind."""
    return holding() - vault.before


def holding() -> set[str]:
    """The processes that hold a clipboard."""
    found = set()
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if b"--hold-clipboard" in (folder / "cmdline").read_bytes().split(b"\0"):
                found.add(folder.name)
        except OSError:
            continue
    return found


def test_x11_the_text_is_there_is_marked_as_a_secret_and_goes(item, display):
    item.settings["DISPLAY"] = display
    assert "The password is in the clipboard for 600 seconds." in copy(item)
    assert xclip(display) == SECRET
    assert read(["xsel", "--clipboard", "--output"], display) == SECRET
    assert xclip(display, HINT) == "secret"
    assert {"UTF8_STRING", "TARGETS", HINT} <= set(xclip(display, "TARGETS").split())
    # A second copy takes the place of the first, whose process ends.
    copy(item, seconds=1)
    assert wait_until(lambda: not holders(item)), "the process ends with what it held"
    assert xclip(display) == ""


def test_x11_what_was_copied_since_stays(item, display):
    item.settings["DISPLAY"] = display
    copy(item)
    assert xclip(display) == SECRET
    put(display, "something else")
    assert wait_until(lambda: not holders(item)), "nothing is left to clear, so nothing waits"
    assert xclip(display) == "something else"


@pytest.mark.parametrize("program", ["xclip", "xsel"])
def test_x11_with_the_programs_of_others(item, display, program):
    """Where the display itself is out of reach for `ward`: the program that reaches it stays in the background, and `ward` ends."""
    tools = item.folder / "tools"
    tools.mkdir()
    for name in ("wl-copy", "xclip", "xsel"):
        (tools / name).write_text("#!/bin/sh\nexit 1\n")
    (tools / program).write_text(f'#!/bin/sh\nDISPLAY={display} exec {shutil.which(program)} "$@"\n')
    (tools / program).chmod(0o755)
    item.settings |= {"PATH": f"{tools}:/usr/sbin:/sbin", "DISPLAY": ":nowhere"}
    said = copy(item)
    assert f"600 seconds. Clipboard managers may keep it: this {program} cannot mark it" in said
    assert xclip(display) == SECRET
    copy(item, seconds=1)
    assert wait_until(lambda: xclip(display) == "")

    before = holding()
    copy(item, seconds=3)
    put(display, "something else")
    assert wait_until(lambda: holding() <= before)
    assert xclip(display) == "something else"


@pytest.fixture(scope="module")
def compositor() -> Iterator[dict[str, str]]:
    """A Wayland compositor without a screen, which lets clipboard programs in."""
    with tempfile.TemporaryDirectory(prefix="ward-wl-") as folder:
        # It does not start as root.
        person = {"user": "nobody", "group": "nogroup", "extra_groups": []} if os.getuid() == 0 else {}
        if person:
            shutil.chown(folder, "nobody", "nogroup")
        configuration = Path(folder) / "sway"
        configuration.write_text("xwayland disable\n")
        environment = {
            **{name: value for name, value in os.environ.items() if name not in ("DISPLAY", "WAYLAND_DISPLAY")},
            "XDG_RUNTIME_DIR": folder,
            "WLR_BACKENDS": "headless",
            "WLR_RENDERER": "pixman",
            "WLR_LIBINPUT_NO_DEVICES": "1",
        }
        quiet = {"stderr": subprocess.DEVNULL, "stdout": subprocess.DEVNULL}
        with running(["sway", "-c", str(configuration)], env=environment, **quiet, **person):
            sockets: list[Path] = []

            def is_there() -> bool:
                sockets[:] = [path for path in Path(folder).glob("wayland-*") if not path.name.endswith(".lock")]
                return bool(sockets)

            assert wait_until(is_there), "sway did not start"
            yield {"XDG_RUNTIME_DIR": folder, "WAYLAND_DISPLAY": str(sockets[0])}


def test_wayland_with_wl_clipboard(item, compositor):
    # A display is known by its whole path too, so that the agent keeps its own runtime folder.
    item.settings["WAYLAND_DISPLAY"] = compositor["WAYLAND_DISPLAY"]

    def paste() -> str:
        done = subprocess.run(
            ["wl-paste", "--no-newline"], env={**os.environ, **compositor}, capture_output=True, timeout=20
        )
        return done.stdout.decode()

    assert "The password is in the clipboard for 600 seconds." in copy(item)
    assert paste() == SECRET
    copy(item, seconds=1)
    assert wait_until(lambda: paste() == "")

    before = holding()
    copy(item, seconds=3)
    subprocess.run(["wl-copy", "something else"], env={**os.environ, **compositor}, timeout=60, check=True)
    assert wait_until(lambda: holding() <= before)
    assert paste() == "something else"


def sets(terminal: Pty) -> list[bytes]:
    """What the terminal was told to put into its clipboard."""
    return [base64.b64decode(text) for text in re.findall(rb"\x1b\]52;c;([^\x07]*)\x07", terminal.read())]


@pytest.mark.parametrize("variable", ["SSH_TTY", "SSH_CONNECTION"])
def test_over_ssh_the_terminals_clipboard_is_set_and_cleared(item, variable):
    item.settings |= {variable: "anything", "WARD_CLIPBOARD_SECONDS": "1"}
    terminal = Pty(item, "show", "Example", "--copy")
    try:
        assert wait_until(lambda: len(sets(terminal)) == 3)
        assert sets(terminal) == [SECRET.encode(), b" ", b""]
        assert os.waitstatus_to_exitcode(os.waitpid(terminal.pid, 0)[1]) == 0
        said = terminal.read().decode()
        assert "if your terminal allows that" in said and "cleared after 1 seconds" in said and SECRET not in said
        assert wait_until(lambda: not holders(item))
    finally:
        terminal.close()


def test_over_ssh_nothing_waits_for_a_terminal_that_is_gone(item):
    item.settings["SSH_TTY"] = "anything"
    terminal = Pty(item, "show", "Example", "--copy")
    assert wait_until(lambda: sets(terminal) == [SECRET.encode()])
    os.waitpid(terminal.pid, 0)
    assert holders(item)
    terminal.close()
    assert wait_until(lambda: not holders(item))


def test_tmux_takes_the_text_and_the_blank_that_clears_it(item):
    """A real terminal in between, which knows OSC 52 and takes no empty text."""
    server = f"ward-clip-{os.getpid()}"
    environment = {**item.environment, "SSH_TTY": "/dev/pts/0", "TERM": "xterm-256color", "WARD_CLIPBOARD_SECONDS": "1"}

    def tmux(*words: str) -> str:
        done = subprocess.run(["tmux", "-L", server, *words], env=environment, capture_output=True, text=True, timeout=60)
        return done.stdout

    try:
        tmux("-f", "/dev/null", "new-session", "-d", "-x", "80", "-y", "24", "sh")
        tmux("set", "-g", "set-clipboard", "on")
        tmux("send-keys", f"{item.binary} show Example --copy", "Enter")
        # Its buffers, the newest first: what the terminal has now, and what tmux itself keeps.
        assert wait_until(lambda: tmux("list-buffers", "-F", "#{buffer_size}").split() == ["1", str(len(SECRET.encode()))])
        assert tmux("show-buffer") == " "
        assert wait_until(lambda: "set-clipboard on" in tmux("capture-pane", "-p").replace("\n", ""))
    finally:
        tmux("kill-server")


def test_no_clipboard_is_said_with_what_to_do(item):
    done = item.run("show", "Example", "--copy")
    assert done.returncode == 9 and "there is no display here" in done.stderr and "wl-clipboard" in done.stderr
    item.settings["DISPLAY"] = ":nowhere"
    item.settings["PATH"] = "/nowhere"
    done = item.run("show", "Example", "--copy")
    assert done.returncode == 9 and "the display :nowhere cannot be reached" in done.stderr
