"""The agent as systemd starts it: the units that are installed, judged and run by systemd itself."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from agentwire import App, build_app
from desktop import Desktop
from manager import PASSPHRASE, PINENTRY, Manager
from wardserver import find_binary

UNITS = Path(__file__).resolve().parents[2] / "packaging/systemd/user"
SYSTEMD = next((path for path in ("/usr/lib/systemd/systemd", "/lib/systemd/systemd") if os.path.exists(path)), None)


def install(manager: Manager) -> Path:
    """Puts the units where `make ward` does."""
    folder = manager.home / "config/systemd/user"
    folder.mkdir(parents=True)
    for unit in UNITS.iterdir():
        (folder / unit.name).write_text(unit.read_text().replace("@bin@", str(manager.binary.parent)))
    return folder


def test_the_units_are_what_systemd_takes_and_close_nobody_out(manager):
    if shutil.which("systemd-analyze") is None:
        pytest.skip("systemd is not on this machine")
    folder = install(manager)
    done = subprocess.run(
        ["systemd-analyze", "verify", "--user", "--man=no", *sorted(map(str, folder.iterdir()))],
        env=manager.environment, capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    said = [line for line in done.stderr.splitlines() if "ward" in line]
    assert done.returncode == 0 and said == [], done.stderr
    assert "UnsetEnvironment=WARD_VAULT" in (folder / "ward-agent.service").read_text().splitlines()
    # With a view of the files of its own the agent would take every program for a sandboxed one.
    settings = [line for line in (folder / "ward-agent.service").read_text().splitlines() if not line.startswith("#")]
    for option in ("Private", "Protect", "Read", "Inaccessible", "Bind", "TemporaryFileSystem", "Root", "Mount", "DynamicUser"):
        assert not any(line.startswith(option) for line in settings)


def test_status_says_whether_it_starts_at_login(vault):
    assert vault.status()["startsAtLogin"] is False
    assert "systemctl --user enable --now ward-agent.socket" in vault.ok("status")
    folder = install(vault) / "sockets.target.wants"
    folder.mkdir()
    (folder / "ward-agent.socket").symlink_to("../ward-agent.socket")
    assert vault.status()["startsAtLogin"] is True
    assert "from login on" in vault.ok("status")


@pytest.fixture
def login(manager: Manager) -> Iterator[Manager]:
    """Somebody whose systemd runs as at a login, in a view of the machine in which there is one."""
    view = "mount -t tmpfs tmpfs /run/systemd && mkdir /run/systemd/system"
    if SYSTEMD is None or subprocess.run(["unshare", "-m", "bash", "-c", view], capture_output=True).returncode:
        pytest.skip("no systemd of a user runs on this machine")
    install(manager)
    # What the person's session knows; what an app says is not part of it.
    environment = {name: value for name, value in manager.environment.items() if name not in ("DISPLAY", "WAYLAND_DISPLAY")}
    process = subprocess.Popen(
        ["unshare", "-m", "--propagation", "private", "bash", "-c", f"{view} && exec {SYSTEMD} --user"],
        env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    manager.prefix = ["nsenter", "--target", str(process.pid), "--mount", "--"]
    deadline = time.monotonic() + 60
    while systemctl(manager, "is-active", "basic.target").returncode and time.monotonic() < deadline:
        if process.poll() is not None:
            pytest.skip("no systemd of a user runs on this machine")
        time.sleep(0.1)
    yield manager
    systemctl(manager, "exit")
    try:
        process.wait(timeout=30)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def systemctl(manager: Manager, *words: str) -> subprocess.CompletedProcess[str]:
    command = [*manager.prefix, "systemctl", "--user", *words]
    return subprocess.run(command, env=manager.environment, capture_output=True, text=True, timeout=60)


def test_systemd_starts_the_agent_for_an_app_with_nothing_of_the_apps(login, tmp_path):
    done = systemctl(login, "enable", "--now", "ward-agent.socket")
    assert done.returncode == 0, done.stderr
    # The app brings a pinentry and a display of its own, as it would for an agent that it started itself.
    evil = tmp_path / "evil"
    evil.mkdir()
    pinentry = evil / "pinentry"
    pinentry.write_text(PINENTRY.format(python=sys.executable, folder=str(evil)))
    pinentry.chmod(0o755)
    (evil / "answers").write_text(PASSPHRASE)
    login.init()
    login.ok("add", "Example", "--site", "http://localhost", "--username", "ada", "--generate")
    login.ok("agent", "--stop")
    settings = dict(login.settings)
    login.settings.update(WARD_PINENTRY=str(pinentry), DISPLAY=":77", LD_PRELOAD="")
    app = App(login, build_app(tmp_path, "shiny"))
    login.settings = settings
    try:
        login.answers("cancel")
        assert app.hello().call("app.identity")["kind"] == "unknown"
        request = {"kind": "password", "domain": "localhost"}
        code, _ = app.refusal(
            "app.authorize", authorization={"mayPrompt": True}, requests=[request], prefersImmediatelyAvailable=False
        )
        assert code == "denied"
    finally:
        app.close()
    assert not (evil / "asked.jsonl").exists(), "the app's pinentry is asked nothing"
    assert len(login.asked) == 1 and ":77" not in json.dumps(login.asked)
    # It is systemd's child, and the person's commands have the same one.
    pid = login.status()["pid"]
    shown = systemctl(login, "show", "--property=MainPID", "--value", "ward-agent.service")
    assert shown.stdout.strip() == str(pid)
    assert login.status()["startsAtLogin"] is True
    # It ends when it is told to, and the next one who asks starts it again.
    login.ok("agent", "--stop")
    assert login.socket.exists() and login.app_socket.exists()
    assert login.status()["pid"] != pid


# Writes down what it was loaded into.
PRELOAD = """
#include <stdio.h>
#include <unistd.h>
__attribute__((constructor)) static void note(void) {
    char path[4096];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path);
    FILE *file = fopen("%s", "a");
    if (file == NULL || length < 0) return;
    fprintf(file, "%%.*s\\n", (int)length, path);
    fclose(file);
}
"""


@pytest.fixture
def desktops() -> Iterator[tuple[Desktop, Desktop]]:
    """The person's desktop and one that an app brings."""
    both = Desktop(), Desktop()
    yield both
    for desktop in both:
        desktop.close()


def test_an_app_of_authentication_services_brings_nothing_into_the_agent_that_systemd_starts(login, start, tmp_path, desktops):
    missing = [name for name in ("pinentry-gtk-2", "xdotool") if shutil.which(name) is None]
    if missing:
        pytest.skip(f"not installed: {', '.join(missing)}")
    persons, apps = desktops
    service = start(arguments=("--origin", "https://localhost"))
    login.init()
    login.ok("add", "Local", "--site", "http://localhost", "--username", "ada", "--generate")
    login.ok("agent", "--stop")
    # What the person's session knows.
    chosen = f"WARD_PINENTRY={shutil.which('pinentry-gtk-2')}"
    assert systemctl(login, "set-environment", chosen, f"DISPLAY={persons.display}").returncode == 0

    # What the app brings: a pinentry, a display and a library that leave a mark where they are used.
    marks, loaded = tmp_path / "pinentry-ran", tmp_path / "loaded"
    pinentry = tmp_path / "pinentry"
    pinentry.write_text(f"#!/bin/sh\ntouch {marks}\n")
    pinentry.chmod(0o755)
    (tmp_path / "note.c").write_text(PRELOAD % loaded)
    compiler = shutil.which("cc") or shutil.which("clang")
    library = tmp_path / "note.so"
    subprocess.run([compiler, "-shared", "-fPIC", "-o", library, tmp_path / "note.c"], check=True, timeout=60)
    shiny = find_binary().with_name("Shiny").resolve()
    harm = [f"WARD_PINENTRY={pinentry}", f"DISPLAY={apps.display}", f"LD_PRELOAD={library}"]

    def run_shiny() -> subprocess.Popen[str]:
        # The sheet with everything; then the end of the menu.
        app = subprocess.Popen(
            [*login.prefix, "env", *harm, str(shiny), service.url],
            env=login.environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True,
        )  # fmt: skip
        assert app.stdin is not None
        app.stdin.write("3\nq\n")
        app.stdin.flush()
        return app

    # An app never starts the agent itself: it says what to run.
    said, _ = run_shiny().communicate(timeout=60)
    assert "systemctl --user enable --now ward-agent.socket" in " ".join(said.split()), said
    assert not login.socket.exists()

    assert systemctl(login, "enable", "--now", "ward-agent.socket").returncode == 0
    app = run_shiny()
    # The question for the passphrase is on the person's desktop.
    assert persons.press("Escape", unless=lambda: app.poll() is not None)
    said, _ = app.communicate(timeout=60)
    assert app.returncode == 0 and "Hello" not in said, said
    assert apps.window() is None
    assert not marks.exists()
    # The library was really loaded, into the app alone.
    assert set(loaded.read_text().splitlines()) == {str(shiny)}
    pid = login.status()["pid"]
    assert systemctl(login, "show", "--property=MainPID", "--value", "ward-agent.service").stdout.strip() == str(pid)
    environment = subprocess.run(["cat", f"/proc/{pid}/environ"], capture_output=True, timeout=20).stdout.decode()
    assert f"DISPLAY={persons.display}\0" in environment and not any(word in environment for word in harm)
