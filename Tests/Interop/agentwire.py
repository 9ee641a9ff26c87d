"""The agent's socket, spoken to directly: by the tests themselves, and by programs that are apps."""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

from manager import Manager


class Wire:
    """A client of the socket that says whatever it likes."""

    def __init__(self, manager: Manager) -> None:
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(30)
        self.socket.connect(str(manager.socket))
        self.file = self.socket.makefile("rb")
        self.number = 0

    def send(self, raw: bytes) -> None:
        self.socket.sendall(raw)

    def read(self):
        line = self.file.readline()
        return json.loads(line) if line else None

    def become(self, path: Path) -> None:
        """Runs another program, which inherits the connection."""
        self.say(f"exec {path}")
        assert self.process.stdout is not None
        assert self.process.stdout.readline() == "connected\n"

    def call(self, method, **params):
        self.number += 1
        self.send(json.dumps({"jsonrpc": "2.0", "id": self.number, "method": method, "params": params}).encode() + b"\n")
        return self.read()

    def hello(self, versions=(2,)):
        return self.call("hello", versions=list(versions), client="test", terminal={})


# What an app runs: each line it gets goes to the socket, each line of the socket goes back. "exec PATH" becomes another program
# with the connection kept open, and "chroot PATH" takes a folder as the root of the files.
RELAY = """
import os, socket, sys
connection = socket.socket(fileno=int(sys.argv[2])) if len(sys.argv) > 2 else socket.socket(socket.AF_UNIX)
if len(sys.argv) == 2:
    connection.connect(sys.argv[1])
print("connected", flush=True)
lines = connection.makefile("rb")
for line in sys.stdin:
    if line.startswith("exec "):
        os.set_inheritable(connection.fileno(), True)
        path = line[5:].strip()
        os.execv(path, [path, "-c", os.environ["RELAY"], sys.argv[1], str(connection.fileno())])
    if line.startswith("chroot "):
        os.chroot(line[7:].strip())
        print("entered", flush=True)
        continue
    connection.sendall(line.encode())
    sys.stdout.write(lines.readline().decode())
    sys.stdout.flush()
"""


def build_app(folder: Path, name: str, mark: str = "") -> Path:
    """A program of its own: a copy of this Python under another name, with some bytes behind its end."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    shutil.copyfile(Path(sys.executable).resolve(), path)
    with path.open("ab") as file:
        file.write(mark.encode())
    path.chmod(0o755)
    return path


class App:
    """A running program that does not belong to the manager."""

    def __init__(
        self,
        manager: Manager,
        path: Path | str,
        *,
        prefix: list[str] | None = None,
        cwd: Path | None = None,
        socket: Path | None = None,
    ) -> None:
        environment = {**manager.environment, "RELAY": RELAY, "PYTHONHOME": sys.base_prefix}
        # What an app says of itself is worth nothing.
        environment["WARD_MANAGERS"] = str(path)
        self.process = subprocess.Popen(
            [*(manager.prefix if prefix is None else prefix), str(path), "-c", RELAY, str(socket or manager.app_socket)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment, cwd=cwd,
        )  # fmt: skip
        self.number = 0
        assert self.process.stdout is not None and self.process.stdin is not None
        self.first = self.process.stdout.readline()
        assert self.first == "connected\n", self.first

    def say(self, line: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def answer(self, method: str, **params: Any) -> dict[str, Any]:
        self.number += 1
        self.say(json.dumps({"jsonrpc": "2.0", "id": self.number, "method": method, "params": params}))
        assert self.process.stdout is not None
        return json.loads(self.process.stdout.readline())

    def hello(self) -> App:
        answer = self.answer("hello", versions=[2], client="com.example.shiny", terminal={})
        assert answer["result"]["version"] == 2
        return self

    def become(self, path: Path) -> None:
        """Runs another program, which inherits the connection."""
        self.say(f"exec {path}")
        assert self.process.stdout is not None
        assert self.process.stdout.readline() == "connected\n"

    def enter(self, root: Path) -> None:
        """Takes a folder as its root, which needs no mount."""
        self.say(f"chroot {root}")
        assert self.process.stdout is not None
        assert self.process.stdout.readline() == "entered\n"

    def call(self, method: str, **params: Any) -> Any:
        answer = self.answer(method, **params)
        assert "error" not in answer, answer
        return answer["result"]

    def refusal(self, method: str, **params: Any) -> tuple[str, str]:
        """The error's code and its sentence."""
        answer = self.answer(method, **params)
        assert "error" in answer, answer
        return answer["error"]["data"]["code"], answer["error"]["message"]

    def __enter__(self) -> App:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self.process.kill()
        self.process.communicate(timeout=30)
