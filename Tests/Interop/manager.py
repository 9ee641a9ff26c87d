"""The built `ward` as a person uses it: a home of its own, a passphrase through a pipe, a pinentry that does as it is told."""

from __future__ import annotations

import json
import os
import pty
import select
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from wardserver import find_binary

PASSPHRASE = "correct horse battery staple"

# Speaks Assuan like pinentry: takes its answers from a file, one a line, and writes down what it was asked.
PINENTRY = '''#!{python}
import os, sys, time
folder = {folder!r}
asked = {{"options": []}}
def say(line):
    sys.stdout.write(line + "\\n")
    sys.stdout.flush()
def unescape(text):
    from urllib.parse import unquote
    return unquote(text)
say("OK Pleased to meet you")
for line in sys.stdin:
    word, _, rest = line.rstrip("\\n").partition(" ")
    if word in ("GETPIN", "CONFIRM"):
        import json
        asked["kind"] = word
        with open(folder + "/asked.jsonl", "a") as log:
            log.write(json.dumps(asked) + "\\n")
        asked.pop("SETERROR", None)
        try:
            with open(folder + "/answers") as file:
                lines = file.read().split("\\n")
        except FileNotFoundError:
            lines = []
        answer = lines.pop(0) if lines else "cancel"
        with open(folder + "/answers", "w") as file:
            file.write("\\n".join(lines))
        if answer == "cancel":
            say("ERR 83886179 Operation cancelled <Pinentry>")
        elif answer == "no":
            say("ERR 83886194 Not confirmed <Pinentry>")
        elif answer == "timeout":
            say("ERR 83886142 Timeout <Pinentry>")
        elif answer == "die":
            os._exit(1)
        elif answer == "nonsense":
            say("\\x00\\xff what")
        elif answer == "wait":
            time.sleep(600)
        elif answer == "wait-for-slow":
            # The person agrees when the test writes the file.
            while not os.path.exists(folder + "/slow"):
                time.sleep(0.02)
            say("OK")
        elif answer == "ok":
            say("OK")
        else:
            say("D " + answer.replace("%", "%25"))
            say("OK")
    elif word == "OPTION":
        asked["options"].append(rest)
        say("OK")
    elif word == "BYE":
        say("OK closing connection")
        break
    else:
        asked[word] = unescape(rest)
        say("OK")
'''


def last_json(text: str) -> Any:
    """What a command says in the end; before that, it can say other things, each in a line of its own."""
    lines = text.splitlines()
    # A new recovery key does not wait for a first sync.
    while len(lines) > 1 and lines[0].startswith('{"recoveryKey":') and lines[0].endswith("}"):
        del lines[0]
    return json.loads("\n".join(lines))


class Manager:
    """One person with one machine: their folders, their agent, their pinentry."""

    def __init__(self, folder: Path, **settings: str) -> None:
        self.folder = folder
        self.home = folder / "home"
        self.runtime = folder / "run"
        for path in (self.home, self.runtime):
            path.mkdir(parents=True, exist_ok=True)
        self.runtime.chmod(0o700)
        self.pinentry = folder / "pinentry"
        self.pinentry.write_text(PINENTRY.format(python=sys.executable, folder=str(folder)))
        self.pinentry.chmod(0o755)
        self.settings = settings
        # What commands are started through, such as `nsenter` into another view of the machine.
        self.prefix: list[str] = []
        self.binary = find_binary().with_name("ward")

    @property
    def environment(self) -> dict[str, str]:
        kept = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("WARD_", "XDG_", "GPG_")) and name not in ("DISPLAY", "WAYLAND_DISPLAY")
        }
        return {
            **kept,
            "HOME": str(self.home),
            "XDG_RUNTIME_DIR": str(self.runtime),
            "XDG_DATA_HOME": str(self.home / "data"),
            "XDG_STATE_HOME": str(self.home / "state"),
            "XDG_CONFIG_HOME": str(self.home / "config"),
            "WARD_PINENTRY": str(self.pinentry),
            # The tests' own programs speak to the socket as the manager's: see `agentwire.py`.
            "WARD_MANAGERS": sys.executable,
            "NO_COLOR": "1",
            "TZ": "UTC",
            "LC_ALL": "C.UTF-8",
            **self.settings,
        }

    @property
    def vault(self) -> Path:
        return self.home / "data/ward/vault.db"

    @property
    def socket(self) -> Path:
        return self.runtime / "ward/agent.sock"

    @property
    def app_socket(self) -> Path:
        return self.runtime / "ward-apps/agent.sock"

    def run(
        self,
        *words: str,
        passphrase: str | None = None,
        text: str = "",
        secrets: dict[str, str] | None = None,
        timeout: float = 60,
    ) -> subprocess.CompletedProcess[str]:
        """Runs a command; `secrets` are flags that take a descriptor, with what is to be read there."""
        feeds = dict(secrets or {})
        if passphrase is not None:
            feeds["--passphrase-fd"] = passphrase
        command, readers = [*self.prefix, str(self.binary), *words], []
        for flag, value in feeds.items():
            reader, writer = os.pipe()
            os.write(writer, value.encode() + b"\n")
            os.close(writer)
            readers.append(reader)
            # "--secret-field-fd PIN=" is a flag whose value ends in the descriptor.
            name, _, prefix = flag.partition(" ")
            command += [name, f"{prefix}{reader}"]
        try:
            return subprocess.run(
                command, input=text, capture_output=True, text=True, timeout=timeout, env=self.environment, pass_fds=readers
            )
        finally:
            for reader in readers:
                os.close(reader)

    def ok(self, *words: str, **options: Any) -> str:
        done = self.run(*words, **options)
        assert done.returncode == 0, (words, done.returncode, done.stdout, done.stderr)
        return done.stdout

    def json(self, *words: str, **options: Any) -> Any:
        return last_json(self.ok(*words, "--json", **options))

    def init(self, passphrase: str = PASSPHRASE) -> dict[str, str]:
        return self.json("init", passphrase=passphrase)

    def begin(self, home: Path) -> None:
        """Begins with a copy of a home that has a vault, which is locked."""
        shutil.copytree(home, self.home, dirs_exist_ok=True)

    def keep(self, folder: Path) -> Path:
        """Keeps what was set up, for others to begin with."""
        self.stop()
        return Path(shutil.copytree(self.home, folder))

    def answers(self, *answers: str) -> None:
        """What the pinentry will be told, in this order."""
        (self.folder / "answers").write_text("\n".join(answers))

    @property
    def asked(self) -> list[dict[str, Any]]:
        """What the pinentry was asked so far."""
        path = self.folder / "asked.jsonl"
        return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []

    def status(self) -> dict[str, Any]:
        return self.json("status")

    def wait_for_agent(self) -> None:
        """Waits until an agent that was started by hand answers. A command would start one of its own before that."""
        deadline = time.monotonic() + 60
        while True:
            with socket.socket(socket.AF_UNIX) as tried:
                try:
                    return tried.connect(str(self.socket))
                except OSError:
                    assert time.monotonic() < deadline, "the agent did not come"
            time.sleep(0.01)

    def stop(self) -> None:
        subprocess.run([*self.prefix, self.binary, "agent", "--stop"], env=self.environment, capture_output=True, timeout=30)

    def kill(self) -> None:
        """Pulls the plug of the agent."""
        pid = self.status()["pid"]
        os.kill(pid, signal.SIGKILL)
        deadline = time.monotonic() + 10
        while Path(f"/proc/{pid}/exe").exists() and time.monotonic() < deadline:
            time.sleep(0.01)


class Pty:
    """A terminal with one command in it: every byte that it was sent is kept."""

    def __init__(self, manager: Manager, *words: str) -> None:
        self.got = b""
        self.pid, self.descriptor = pty.fork()
        if self.pid == 0:
            try:
                os.chdir(manager.home)
                command = [*manager.prefix, str(manager.binary), *words]
                os.execvpe(command[0], command, {"TERM": "xterm-256color", **manager.environment})
            finally:
                os._exit(127)

    def read(self) -> bytes:
        while select.select([self.descriptor], [], [], 0.05)[0]:
            try:
                piece = os.read(self.descriptor, 65536)
            except OSError:
                break
            if not piece:
                break
            self.got += piece
        return self.got

    def type(self, text: str) -> None:
        os.write(self.descriptor, text.encode())

    def wait_for(self, text: bytes, seconds: float = 30) -> bytes:
        deadline = time.monotonic() + seconds
        while text not in self.read():
            assert time.monotonic() < deadline, (text, self.got)
        return self.got

    def end(self) -> int:
        """Waits for the command's end."""
        status: tuple[int, int] = (0, 0)
        deadline = time.monotonic() + 60
        while status[0] == 0:
            self.read()
            status = os.waitpid(self.pid, os.WNOHANG)
            assert time.monotonic() < deadline, self.got
        self.read()
        return os.waitstatus_to_exitcode(status[1])

    def close(self) -> None:
        os.close(self.descriptor)
