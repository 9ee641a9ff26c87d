"""The built `ward-server` as a process, and people who use it over HTTP."""

from __future__ import annotations

import os
import random
import shutil
import signal
import socket
import subprocess
import time
from pathlib import Path
from typing import Any

import requests
from authenticator import Authenticator, Browser

ROOT = Path(__file__).resolve().parents[2]
API = "/api/v1"


def find_binary() -> Path:
    """WARD_SERVER_BIN, or what `swift build` leaves; a test run without a server is an error and not a skip."""
    if named := os.environ.get("WARD_SERVER_BIN"):
        binary = Path(named).resolve()
    else:
        if shutil.which("swift") is None:
            raise RuntimeError("WARD_SERVER_BIN is not set and there is no swift to ask for the build folder")
        shown = subprocess.run(
            ["swift", "build", "--show-bin-path"], cwd=ROOT, capture_output=True, text=True, check=True, timeout=300
        )
        binary = Path(shown.stdout.strip()) / "ward-server"
    if not binary.is_file():
        raise RuntimeError(f"there is no server at {binary}: run `swift build`, or name it with WARD_SERVER_BIN")
    return binary


#: The ports that are given out next, and the claims of the hundreds that they are from: while this process lives,
#: neither it nor one beside it gives one of them out again.
_ports: list[int] = []
_claims: list[socket.socket] = []


def free_port() -> int:
    """A port nobody listens on now, on either loopback address.

    Below those that the system gives to outgoing connections: nobody takes it before the server does, or while the server is
    started again.
    """
    for _ in range(2_000):
        if not _ports:
            first = random.randrange(12_000, 32_000, 100)
            claim = socket.socket(socket.AF_UNIX)
            try:
                claim.bind(f"\0ward-test-ports-{first}")
            except OSError:
                claim.close()
                continue
            _claims.append(claim)
            _ports.extend(random.sample(range(first, first + 100), 100))
        port = _ports.pop()
        try:
            with socket.socket(socket.AF_INET) as four:
                four.bind(("127.0.0.1", port))
            with socket.socket(socket.AF_INET6) as six:
                six.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
                six.bind(("::1", port))
        except OSError as error:
            if error.errno not in (97, 99):  # without IPv6 here, the first address is enough
                continue
        return port
    raise RuntimeError("no free port")


def environment(**more: str) -> dict[str, str]:
    """The caller's environment without settings of a server, so that only what the test says counts."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("WARD_", "HTTP_", "LOG_"))}
    return {**kept, **more}


def run_command(server: Server, *words: str, code: int = 0) -> str:
    """Runs another command of `ward-server` on the database of a service; what it printed, or why it failed."""
    done = subprocess.run(
        [str(find_binary()), *words, "--database", str(server.database)],
        cwd=server.folder,
        env=environment(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == code, (done.stdout, done.stderr)
    return done.stdout if code == 0 else done.stderr


class Server:
    """One server process over one folder; it can be stopped, killed and started again over the same database."""

    def __init__(
        self,
        folder: Path,
        *,
        arguments: tuple[str, ...] = (),
        wrapper: tuple[str, ...] = (),
        port: int | None = None,
        host: str = "localhost",
        origin: str | None = None,
        log_level: str = "info",
    ) -> None:
        self.folder = folder
        self.database = folder / "ward.sqlite"
        self.log = folder / "server.log"
        self.port = port or free_port()
        self.rp_id = host
        self.url = f"http://localhost:{self.port}"
        # What people see in their address bar; something else than the URL when a proxy stands between.
        self.origin = origin or f"http://{host}:{self.port}"
        self.arguments = arguments
        self.wrapper = wrapper
        self.log_level = log_level
        self.process: subprocess.Popen[bytes] | None = None

    @property
    def command(self) -> list[str]:
        return [
            *self.wrapper,
            str(find_binary()),
            "serve",
            "--rp-id", self.rp_id,
            "--rp-name", "Ward test",
            "--origin", self.origin,
            "--listen", f"127.0.0.1:{self.port}",
            "--database", str(self.database),
            "--log-level", self.log_level,
            *self.arguments,
        ]  # fmt: skip

    def start(self, seconds: float = 120) -> Server:
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                self.command, cwd=self.folder, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=environment()
            )
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if self.process.poll() is not None:
                raise RuntimeError(f"the server ended with {self.process.returncode}:\n{self.log_text()}")
            try:
                if requests.get(f"http://127.0.0.1:{self.port}/healthz", timeout=20).status_code == 200:
                    return self
            except requests.RequestException:
                time.sleep(0.05)
        self.kill()
        raise RuntimeError(f"the server did not answer in {seconds} s:\n{self.log_text()}")

    def running(self) -> subprocess.Popen[bytes]:
        assert self.process is not None, "the server was not started"
        return self.process

    def terminate(self) -> None:
        """Asks it to stop and does not wait."""
        self.running().send_signal(signal.SIGTERM)

    def wait(self, seconds: float = 60) -> int:
        return self.running().wait(seconds)

    def stop(self) -> int:
        """Asks it to stop and waits; a server that does not is killed, and that is an error."""
        process = self.running()
        if process.poll() is None:
            self.terminate()
            try:
                process.wait(60)
            except subprocess.TimeoutExpired:
                self.kill()
                raise
        return process.returncode

    def kill(self) -> None:
        process = self.running()
        if process.poll() is None:
            process.kill()
        process.wait(30)

    def log_text(self) -> str:
        return self.log.read_text(errors="replace") if self.log.exists() else ""

    def client(self) -> Client:
        return Client(self)

    def person(self, name: str = "", **device: Any) -> Person:
        return Person(self, name, **device)

    def __enter__(self) -> Server:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()


class Client:
    """Calls of the API as a page makes them: JSON, the page's origin, the cookies so far."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.http = requests.Session()
        self.http.headers["Origin"] = server.origin

    def call(self, method: str, path: str, body: Any = None, timeout: float = 120, **more: Any) -> requests.Response:
        url = f"{self.server.url}{path if path.startswith('/') else f'{API}/{path}'}"
        return self.http.request(method, url, json=body, timeout=timeout, allow_redirects=False, **more)

    def get(self, path: str, **more: Any) -> requests.Response:
        return self.call("GET", path, **more)

    def post(self, path: str, body: Any = None, **more: Any) -> requests.Response:
        return self.call("POST", path, {} if body is None else body, **more)

    def patch(self, path: str, body: Any, **more: Any) -> requests.Response:
        return self.call("PATCH", path, body, **more)

    def delete(self, path: str, **more: Any) -> requests.Response:
        return self.call("DELETE", path, **more)


class Person(Client):
    """Someone with a browser and a device."""

    def __init__(self, server: Server, name: str = "", **device: Any) -> None:
        super().__init__(server)
        self.name = name
        self.browser = Browser(server.origin, Authenticator(**device))

    def options(self, kind: str, body: dict[str, Any]) -> dict[str, Any]:
        """The options of a ceremony, `kind` being "registration" or "sign-in"."""
        answer = self.post(f"{kind}/options", body)
        assert answer.status_code == 200, (answer.status_code, answer.text)
        return answer.json()

    def register(self, **spoiled: Any) -> requests.Response:
        """Makes an account with a passkey; without a name, signed in: adds a passkey."""
        options = self.options("registration", {"username": self.name} if self.name else {})
        credential = self.browser.create(options["publicKey"], **spoiled)
        return self.post("registration/verify", {"ceremony": options["ceremony"], "credential": credential})

    def add_passkey(self, browser: Browser | None = None, **spoiled: Any) -> requests.Response:
        """Signed in: adds a passkey of this or another device."""
        options = self.options("registration", {})
        credential = (browser or self.browser).create(options["publicKey"], **spoiled)
        return self.post("registration/verify", {"ceremony": options["ceremony"], "credential": credential})

    def sign_in(self, *, typed: bool = False, browser: Browser | None = None, **spoiled: Any) -> requests.Response:
        """With the name typed, or by the device alone."""
        options = self.options("sign-in", {"username": self.name} if typed else {})
        credential = (browser or self.browser).get(options["publicKey"], **spoiled)
        return self.post("sign-in/verify", {"ceremony": options["ceremony"], "credential": credential})

    def account(self) -> dict[str, Any]:
        answer = self.get("account")
        assert answer.status_code == 200, (answer.status_code, answer.text)
        return answer.json()


def error_code(answer: requests.Response) -> str:
    """The stable code of a refusal; that it has the promised shape is checked on the way."""
    assert answer.headers["content-type"] == "application/problem+json", answer.headers
    body = answer.json()
    assert set(body) - {"pointer"} == {"type", "title", "status", "detail", "code"}, body
    assert body["status"] == answer.status_code and body["detail"]
    assert answer.status_code != 401 or answer.headers["www-authenticate"] == "Bearer"
    return body["code"]
