"""The notice of an automatic passkey, in a real notification service: its button undoes it."""

import json
import os
import subprocess
import tempfile
import time
from pathlib import Path

import pytest
from browserhost import Host, build_browser, sender
from desktop import Desktop
from manager import PASSPHRASE, Manager
from portals import Bus
from test_browser_filling import filled, login, upgraded


class Notices:
    """dunst on a display and a session bus of the test's own."""

    def __init__(self, manager: Manager) -> None:
        self.screen = Desktop()
        self.bus = Bus(manager)
        self.environment = {**os.environ, "DISPLAY": self.screen.display, "DBUS_SESSION_BUS_ADDRESS": self.bus.address}
        manager.settings["DISPLAY"] = self.screen.display
        manager.settings["DBUS_SESSION_BUS_ADDRESS"] = self.bus.address
        configuration = manager.folder / "dunstrc"
        configuration.write_text("[global]\nidle_threshold = 0\n[urgency_normal]\ntimeout = 0\n")
        self.process = subprocess.Popen(
            ["dunst", "-conf", str(configuration)], env=self.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )

    def control(self, *words: str) -> str:
        done = subprocess.run(["dunstctl", *words], env=self.environment, capture_output=True, text=True, timeout=60, check=False)
        return done.stdout.strip()

    def await_count(self, kind: str, count: int) -> None:
        deadline = time.monotonic() + 60
        while self.control("count", kind) != str(count):
            assert time.monotonic() < deadline, self.control("count")
            time.sleep(0.05)

    def last(self) -> dict:
        """The notice that went away last."""
        return json.loads(self.control("history"))["data"][0][0]

    def close(self) -> None:
        self.process.terminate()
        self.process.wait(timeout=60)
        self.bus.close()
        self.screen.close()


@pytest.fixture
def desk():
    with tempfile.TemporaryDirectory(prefix="ward-") as folder:
        manager = Manager(Path(folder))
        notices = Notices(manager)
        host = None
        try:
            notices.await_count("displayed", 0)
            manager.init()
            host = Host(manager, build_browser(manager.folder / "programs")).pair()
            yield manager, notices, host
        finally:
            if host:
                host.kill()
            manager.stop()
            notices.close()


def test_the_button_of_a_real_notice_removes_the_passkey(desk):
    manager, notices, host = desk
    login(manager, "ada<b>")
    filled(host)
    assert upgraded(host, name="ada<b>")
    notices.await_count("displayed", 1)
    assert len(manager.json("show", "ada")["passkeys"]) == 1
    # A notice that is closed changes nothing.
    notices.control("close")
    notices.await_count("displayed", 0)
    notice = notices.last()
    assert "example.com" in notice["body"]["data"] and "ada" in notice["body"]["data"], notice
    assert len(manager.json("show", "ada")["passkeys"]) == 1
    login(manager, "bob", "https://example.org")
    page = sender("https://example.org")
    filled(host, page)
    assert upgraded(host, page, name="bob", rp_id="example.org")
    notices.await_count("displayed", 1)
    notices.control("action", "0")
    deadline = time.monotonic() + 60
    while manager.json("show", "bob")["passkeys"]:
        assert time.monotonic() < deadline
        time.sleep(0.05)
    assert host.call("browser.settings", sender=page)["site"]["upgrades"] is False
    assert len(manager.json("show", "ada")["passkeys"]) == 1


def test_a_notify_send_without_buttons_still_shows_the_notice(desk, tmp_path):
    manager, notices, host = desk
    tools = tmp_path / "tools"
    tools.mkdir()
    (tools / "notify-send").write_text(
        '#!/bin/sh\ncase "$*" in *--action*) echo "Unknown option --action" >&2; exit 1;; esac\nexec /usr/bin/notify-send "$@"\n'
    )
    (tools / "notify-send").chmod(0o755)
    manager.stop()
    manager.settings["PATH"] = f"{tools}:{os.environ['PATH']}"
    manager.ok("unlock", passphrase=PASSPHRASE)
    host = Host(manager, build_browser(manager.folder / "others"))
    try:
        host.pair()
        login(manager)
        filled(host)
        assert upgraded(host)
        notices.await_count("displayed", 1)
    finally:
        host.kill()
