"""Firefox, driven over its own protocol (Marionette): Playwright cannot drive Debian's."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from wardserver import free_port

PREFERENCES = {
    "security.webauth.webauthn_enable_softtoken": True,
    "security.webauth.webauthn_enable_usbtoken": False,
    "security.webauthn.enable_conditional_mediation": True,
    "datareporting.policy.dataSubmissionEnabled": False,
    "browser.shell.checkDefaultBrowser": False,
}
FIREFOX = os.environ.get("WARD_FIREFOX", "firefox-esr")
PATIENCE = 60


class Firefox:
    """One browser with one tab."""

    def __init__(self, connection: socket.socket) -> None:
        self.connection = connection
        self.number = 0
        self._read()  # its greeting

    def _read(self) -> Any:
        size = b""
        while not size.endswith(b":"):
            size += self._bytes(1)
        return json.loads(self._bytes(int(size[:-1])))

    def _bytes(self, count: int) -> bytes:
        found = b""
        while len(found) < count:
            part = self.connection.recv(count - len(found))
            assert part, "Firefox is gone"
            found += part
        return found

    def call(self, method: str, **parameters: Any) -> Any:
        """A command, and what it answers."""
        self.number += 1
        message = json.dumps([0, self.number, method, parameters]).encode()
        self.connection.sendall(str(len(message)).encode() + b":" + message)
        _, _, error, answer = self._read()
        assert error is None, (method, error)
        return answer.get("value", answer) if isinstance(answer, dict) else answer

    def run(self, script: str, *arguments: Any) -> Any:
        """Runs a function's body in the page."""
        return self.call("WebDriver:ExecuteScript", script=script, args=list(arguments))

    def until(self, script: str, *arguments: Any) -> Any:
        """Waits until a function's body returns something that counts as true."""
        end = time.monotonic() + PATIENCE
        while not (found := self.run(script, *arguments)):
            assert time.monotonic() < end, (script, arguments, self.run("return document.body.innerText"))
            time.sleep(0.1)
        return found

    def press(self, hook: str) -> None:
        """Clicks a button as a person does, once it can be clicked."""
        self.until("const found = document.querySelector(arguments[0]); return found && !found.disabled", selector(hook))
        element = self.call("WebDriver:FindElement", using="css selector", value=selector(hook))
        self.call("WebDriver:ElementClick", id=next(iter(element.values())))

    def type(self, hook: str, text: str) -> None:
        element = self.call("WebDriver:FindElement", using="css selector", value=selector(hook))
        self.call("WebDriver:ElementSendKeys", id=next(iter(element.values())), text=text)


def selector(hook: str) -> str:
    return f'[data-testid="{hook}"]'


@contextlib.contextmanager
def running_firefox(folder: Path, *options: str) -> Iterator[Firefox]:
    """A browser with a fresh profile; it ends with the block. `options` are further words of its command."""
    port = free_port()
    preferences = PREFERENCES | {"marionette.port": port}
    lines = [f"user_pref({json.dumps(name)}, {json.dumps(value)});" for name, value in preferences.items()]
    folder.mkdir(exist_ok=True)
    (folder / "user.js").write_text("\n".join(lines))
    assert shutil.which(FIREFOX), f"{FIREFOX} is not installed"
    process = subprocess.Popen(
        [FIREFOX, "--headless", "--marionette", "--no-remote", "--profile", str(folder), *options],
        # A container in which tests run has no namespaces for its sandbox.
        env={**os.environ, "HOME": str(folder), "MOZ_DISABLE_CONTENT_SANDBOX": "1"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        end = time.monotonic() + 2 * PATIENCE
        while True:
            try:
                connection = socket.create_connection(("127.0.0.1", port), timeout=2 * PATIENCE)
                break
            except OSError:
                assert process.poll() is None and time.monotonic() < end, "Firefox did not start"
                time.sleep(0.2)
        with connection:
            firefox = Firefox(connection)
            firefox.call("WebDriver:NewSession", strictFileInteractability=True)
            yield firefox
    finally:
        process.terminate()
        process.wait(60)
