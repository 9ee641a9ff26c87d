"""Measures a sync server with many devices at once: what `make bench` does for the figures `load-*`.

    load.py [--json] WARD

`ward-server` and `HelloServer` are beside `ward`.

64 devices bring one change after the other, each to a vault of its own. Then 10,000 devices wait for news, and nothing happens.
Requests are prepared before the time runs, because this program uses the same processors as the server.
"""

from __future__ import annotations

import base64
import contextlib
import hashlib
import json
import os
import resource
import selectors
import signal
import socket
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import cbor2
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

DEVICES, CHANGES, ROUNDS = 64, 100, 3
WAITING = 10_000
# What the server needs for them, beside the connections of the service itself.
FILES = 16_384
# Twice the time between two signs of life in a stream of events.
QUIET_SECONDS = 50
# As an ordinary login has it.
BLOB_BYTES = 700


def encode(value: object) -> bytes:
    return cbor2.dumps(value, canonical=True)


def sha256(*parts: bytes) -> bytes:
    return hashlib.sha256(b"".join(parts)).digest()


class Device:
    """A device with a vault that only this device writes, by `Documentation/formats/vault.md`."""

    def __init__(self) -> None:
        self.key, authority, nonce = Ed25519PrivateKey.generate(), Ed25519PrivateKey.generate(), os.urandom(32)
        public = self.key.public_key().public_bytes_raw()
        self.id = sha256(b"ward/v1/device-id\0", public)[:16]
        self.count, self.last, self.time = 0, b"", int(time.time()) << 16
        self.vault = bytes(32)
        certificate = authority.sign(b"ward/v1/device\0" + nonce + public)
        payload = self.payload(1, {1: public, 2: certificate, 3: nonce, 4: authority.public_key().public_bytes_raw()})
        self.genesis = self.record(payload, None)
        self.vault = sha256(b"ward/v1/vault\0", payload)

    @property
    def path(self) -> str:
        return f"/sync/v1/vaults/{self.vault.hex()}"

    def payload(self, operation: int, body: dict[int, object]) -> bytes:
        self.count, self.time = self.count + 1, self.time + 1
        fields: dict[int, object] = {0: 1, 1: self.id, 2: self.count, 4: self.time, 6: operation, 7: body}
        if self.last:
            fields[3] = self.last
        return encode(fields)

    def record(self, payload: bytes, blob: bytes | None) -> bytes:
        entry = encode([payload, self.key.sign(b"ward/v1/entry\0" + self.vault + payload)])
        self.last = sha256(entry)
        return encode([entry, blob])

    def change(self) -> bytes:
        """A new item, sealed with a key that nobody has."""
        blob = os.urandom(BLOB_BYTES)
        return self.record(self.payload(3, {1: os.urandom(16), 2: 1, 3: [], 4: 0, 5: sha256(blob)}), blob)


class Server:
    """The sync server in a process of its own."""

    def __init__(self, program: Path, folder: Path) -> None:
        self.program, self.folder, self.database = program, folder, folder / "ward.sqlite"
        self.host = f"127.0.0.1:{free_port()}"
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        here = f"127.0.0.1:{free_port()}"
        words = [
            self.program, "serve", "--rp-id", "localhost", "--origin", f"http://localhost:{here.split(':')[1]}", "--listen", here,
            "--database", self.database, "--sync", "--sync-listen", self.host, "--sync-host", self.host,
        ]  # fmt: skip
        with (self.folder / "log").open("ab") as log:
            self.process = subprocess.Popen(words, stdout=log, stderr=log, env={"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"})
        deadline = time.monotonic() + 60
        while True:
            with contextlib.suppress(OSError):
                self.connect().close()
                return
            if time.monotonic() > deadline or self.process.poll() is not None:
                sys.exit("error: ward-server does not start:\n" + (self.folder / "log").read_text()[-2_000:])
            time.sleep(0.02)

    def stop(self) -> None:
        if self.process is not None:
            self.process.send_signal(signal.SIGTERM)
            self.process.wait(60)
        self.process = None

    def connect(self, number: int = 0) -> socket.socket:
        """A connection, each device from an address of its own: one person does not come with so many."""
        connection = socket.socket()
        connection.bind((f"127.0.{1 + number // 200}.{1 + number % 200}", 0))
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connection.connect(("127.0.0.1", int(self.host.split(":")[1])))
        return connection

    def invitation(self) -> str:
        words = [self.program, "sync", "invite", "--database", self.database]
        return subprocess.run(words, check=True, capture_output=True, text=True).stdout.strip()

    @property
    def memory(self) -> int:
        assert self.process
        return memory(self.process.pid)

    @property
    def processor_time(self) -> float:
        assert self.process
        parts = Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(parts[11]) + int(parts[12])) / os.sysconf("SC_CLK_TCK")


def memory(process: int) -> int:
    """The bytes of memory that a process has for itself."""
    status = Path(f"/proc/{process}/status").read_text()
    return next(int(line.split()[1]) * 1024 for line in status.splitlines() if line.startswith("RssAnon:"))


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


@dataclass
class Answer:
    """An answer that arrives in pieces."""

    content: bytes = b""
    ends_at: int | None = None

    def take(self, piece: bytes) -> bool:
        """Whether the answer is complete."""
        if not piece:
            sys.exit("error: the server closed a connection")
        self.content += piece
        if self.ends_at is None and b"\r\n\r\n" in self.content:
            head, _, _ = self.content.partition(b"\r\n\r\n")
            lengths = [line.split(b":")[1] for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")]
            self.ends_at = len(head) + 4 + (int(lengths[0]) if lengths else 0)
        return self.ends_at is not None and len(self.content) >= self.ends_at

    @property
    def body(self) -> bytes:
        status = int(self.content.split(b" ", 2)[1])
        if status >= 300:
            sys.exit(f"error: the server answers {status}: {self.content[-300:]!r}")
        return self.content.partition(b"\r\n\r\n")[2]


@dataclass
class Client:
    device: Device | None
    connection: socket.socket
    host: str
    token: str = ""
    requests: Iterator[bytes] = field(default_factory=lambda: iter(()))

    def request(self, method: str, path: str, body: bytes = b"", kind: str = "application/cbor") -> bytes:
        head = f"{method} {path} HTTP/1.1\r\nHost: {self.host}\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n"
        return (head + (f"Authorization: Bearer {self.token}\r\n" if self.token else "") + "\r\n").encode() + body

    def ask(self, *words: object) -> bytes:
        self.connection.sendall(self.request(*words))  # type: ignore[arg-type]
        answer = Answer()
        while not answer.take(self.connection.recv(65_536)):
            pass
        return answer.body

    def begin(self, invitation: str) -> None:
        """Brings the vault, and opens a session."""
        self.token = invitation
        self.ask("POST", "/sync/v1/vaults", self.device.genesis, "application/cbor-seq")
        self.token = ""
        given = cbor2.loads(self.ask("POST", f"{self.device.path}/challenge"))
        statement = encode(["ward", 1, "session", self.host, self.device.vault, self.device.id, given[1], given[2]])
        body = encode({1: self.device.id, 2: given[1], 3: given[2], 4: self.device.key.sign(statement)})
        self.token = cbor2.loads(self.ask("POST", f"{self.device.path}/session", body))[1]

    def prepare(self, count: int) -> None:
        path = f"{self.device.path}/entries"
        self.requests = iter([self.request("POST", path, self.device.change(), "application/cbor-seq") for _ in range(count)])


def run(clients: list[Client]) -> float:
    """Sends all requests, for each client one after the other, and says how many seconds it took."""
    selector = selectors.DefaultSelector()
    answers = {}
    begun = time.monotonic()
    for client in clients:
        selector.register(client.connection, selectors.EVENT_READ, client)
        answers[client.connection] = Answer()
        client.connection.sendall(next(client.requests))
    left = len(clients)
    while left:
        for key, _ in selector.select():
            client: Client = key.data
            answer = answers[client.connection]
            if not answer.take(client.connection.recv(65_536)):
                continue
            assert answer.body
            request = next(client.requests, None)
            if request is None:
                selector.unregister(client.connection)
                left -= 1
            else:
                answers[client.connection] = Answer()
                client.connection.sendall(request)
    return time.monotonic() - begun


def bare_rows(folder: Path, number: int, count: int) -> float:
    """How many rows of this length SQLite keeps a second, in transactions of 64."""
    with contextlib.closing(sqlite3.connect(folder / f"bare-{number}.sqlite", isolation_level=None)) as database:
        database.executescript(
            "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;"
            "CREATE TABLE entry (key INTEGER PRIMARY KEY, vault INTEGER, number INTEGER, device BLOB, hash BLOB, encoded BLOB, blob BLOB);"
            "CREATE UNIQUE INDEX entry_number ON entry (vault, number); CREATE INDEX entry_hash ON entry (vault, substr(hash, 1, 8));"
        )
        device, encoded, blob = os.urandom(16), os.urandom(320), os.urandom(BLOB_BYTES)
        rows = [(at % DEVICES, at // DEVICES, device, os.urandom(32), encoded, blob) for at in range(count)]
        begun = time.monotonic()
        for start in range(0, count, DEVICES):
            database.execute("BEGIN IMMEDIATE")
            statement = "INSERT INTO entry (vault, number, device, hash, encoded, blob) VALUES (?, ?, ?, ?, ?, ?)"
            database.executemany(statement, rows[start : start + DEVICES])
            database.execute("COMMIT")
        return count / (time.monotonic() - begun)


@contextlib.contextmanager
def bare_framework(program: Path) -> Iterator[tuple[int, int]]:
    """The bare framework in a process of its own: its port, and the number of the process."""
    port = free_port()
    hello = subprocess.Popen([program, str(port)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + 60
        while True:
            with contextlib.suppress(OSError):
                socket.create_connection(("127.0.0.1", port)).close()
                break
            assert time.monotonic() < deadline, "HelloServer does not start"
            time.sleep(0.02)
        yield port, hello.pid
    finally:
        hello.terminate()
        hello.wait()


def bare_request(port: int) -> bytes:
    return f"GET / HTTP/1.1\r\nHost: localhost:{port}\r\n\r\n".encode()


def bare_requests(program: Path, count: int) -> float:
    """How many requests a second the bare framework answers, from the same number of clients."""
    with bare_framework(program) as (port, _):
        clients = []
        for _ in range(DEVICES):
            connection = socket.create_connection(("127.0.0.1", port))
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            clients.append(Client(None, connection, "", requests=iter([bare_request(port)] * (count // DEVICES))))
        return count / run(clients)


def bare_memory(program: Path) -> int:
    """The bytes of memory that the bare framework takes for each connection that got an answer and stays open."""
    with bare_framework(program) as (port, process), contextlib.ExitStack() as stack:
        before = memory(process)
        connections = [stack.enter_context(socket.create_connection(("127.0.0.1", port))) for _ in range(WAITING)]
        for connection in connections:
            connection.sendall(bare_request(port))
            answer = Answer()
            while not answer.take(connection.recv(65_536)):
                pass
        return max(1, (memory(process) - before) // WAITING)


@dataclass
class Load:
    """What many changes cost."""

    changes: list[float] = field(default_factory=list)  # A second, in each round.
    rows: list[float] = field(default_factory=list)
    requests: list[float] = field(default_factory=list)
    processor: list[float] = field(default_factory=list)  # Microseconds of the server for a change.


def changes(program: Path, folder: Path) -> Load:
    """Changes a second beside rows and bare requests a second in the same round."""
    server = Server(program, folder)
    server.start()
    try:
        clients = [Client(Device(), server.connect(number), server.host) for number in range(DEVICES)]
        for client in clients:
            client.begin(server.invitation())
        load = Load()
        for number in range(ROUNDS):
            for client in clients:
                client.prepare(CHANGES)
            before = server.processor_time
            load.changes.append(DEVICES * CHANGES / run(clients))
            load.processor.append((server.processor_time - before) * 1e6 / (DEVICES * CHANGES))
            load.rows.append(bare_rows(folder, number, DEVICES * CHANGES))
            load.requests.append(bare_requests(program.with_name("HelloServer"), DEVICES * CHANGES))
        return load
    finally:
        server.stop()


def session_rows(database: Path, count: int) -> list[tuple[str, str]]:
    """Puts sessions of devices into the database of a server that does not run: paths of vaults, and tokens."""
    now, found = int(time.time()), []
    with contextlib.closing(sqlite3.connect(database)) as rows:
        for key in range(1_000_000, 1_000_000 + count):
            vault, token = os.urandom(32), os.urandom(32)
            rows.execute(
                "INSERT INTO vault (key, id, entry_order, created_at, invitation, head, bytes) VALUES (?, ?, ?, ?, ?, 0, 0)",
                (key, vault, os.urandom(16), now, os.urandom(32)),
            )
            rows.execute(
                "INSERT INTO session (token, vault, subject, created_at, expires_at) VALUES (?, ?, ?, ?, ?)",
                (sha256(token), key, os.urandom(16), now, now + 3_600),
            )
            found.append((f"/sync/v1/vaults/{vault.hex()}", base64.urlsafe_b64encode(token).rstrip(b"=").decode()))
        rows.commit()
    return found


def idle(program: Path, folder: Path) -> tuple[int, float]:
    """The bytes of memory for each device that waits, and the part of a processor that all of them take."""
    server = Server(program, folder)
    server.start()
    server.stop()
    sessions = session_rows(folder / "sync.sqlite", WAITING)
    server.start()
    connections = []
    try:
        before = server.memory
        for number, (path, token) in enumerate(sessions):
            connection = server.connect(number)
            connection.sendall(f"GET {path}/events HTTP/1.1\r\nHost: {server.host}\r\nAuthorization: Bearer {token}\r\n\r\n".encode())
            connections.append(connection)
        for connection in connections:
            received = b""
            while b"data: 0\n\n" not in received:
                piece = connection.recv(65_536)
                if not piece or b" 200 OK" not in (received := received + piece):
                    sys.exit(f"error: a device that waits gets {received[:200]!r}")
        each = (server.memory - before) // WAITING
        spent = server.processor_time
        time.sleep(QUIET_SECONDS)
        spent = server.processor_time - spent
        # All are still there, and each had a sign of life.
        for connection in connections:
            connection.setblocking(False)
            assert b":\n\n" in connection.recv(65_536), "a device that waits hears nothing"
        return each, spent / QUIET_SECONDS
    finally:
        for connection in connections:
            connection.close()
        server.stop()


def report(is_json: bool, name: str, title: str, value: float, unit: str, limit: float, text: str, ratio: float, **more: float) -> None:
    if is_json:
        figure = {"name": name, "value": round(value, 3), "unit": unit, "limit": round(limit, 3), "ratio": round(ratio, 3), **more}
        print(json.dumps(figure, separators=(",", ":")), flush=True)
    else:
        print(f"{title}\n{text}", flush=True)


def main() -> None:
    is_json, program = "--json" in sys.argv, Path(sys.argv[-1]).resolve().with_name("ward-server")
    with tempfile.TemporaryDirectory(prefix="ward-bench-") as folder:
        load = changes(program, Path(folder))
    ours, limits = load.changes, load.requests
    ratio = statistics.median(one / limit for one, limit in zip(ours, limits))
    rows = statistics.median(one / limit for one, limit in zip(ours, load.rows))
    report(
        is_json, "load-changes", f"changes a second that {DEVICES} devices bring, each one after the other", max(ours), "1/s", max(limits),
        f"  ours   {max(ours):.0f} a second best, {statistics.median(ours):.0f} median of {len(ours)} rounds of {DEVICES * CHANGES}  (wanted: 2000)\n"
        f"  limit  {max(limits):.0f} a second best, {statistics.median(limits):.0f} median  (requests to the bare framework, from this program too)\n"
        f"  ratio  {ratio:.3f}, median of the rounds; {rows:.3f} of {statistics.median(load.rows):.0f} rows a second in SQLite, in transactions of {DEVICES}\n"
        f"  processor time of the server: {min(load.processor):.0f} µs a change", ratio,
    )  # fmt: skip
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    if most < FILES:
        print(f"load-idle is left out: {WAITING} connections need a limit of {FILES} files (ulimit -n), and here it is {most}", file=sys.stderr)
        return
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    with tempfile.TemporaryDirectory(prefix="ward-bench-") as folder:
        each, part = idle(program, Path(folder))
    bare = bare_memory(program.with_name("HelloServer"))
    total = each * WAITING / 1e6
    report(
        is_json, "load-idle", f"memory of the server for {WAITING} devices that wait for news", total, "MB", 300,
        f"  ours   {total:.0f} MB, {each} bytes a device\n  limit  300 MB, 24576 bytes a device\n  ratio  {total / 300:.3f}  (promised: at most 1.00)\n"
        f"  bare   {bare * WAITING / 1e6:.0f} MB, {bare} bytes a connection  (of the bare framework); ours is {each / bare:.2f} times that\n"
        f"  processor time: {part:.1%} of one processor, with a sign of life to each in 25 s", total / 300, bare=round(bare * WAITING / 1e6, 3),
    )  # fmt: skip


main()
