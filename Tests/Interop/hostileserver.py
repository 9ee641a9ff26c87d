"""A proxy between devices and real sync servers, which lies: it shows each device another server, or changes what a server says."""

from __future__ import annotations

import http.client
import re
import sqlite3
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import requests
from circlefolder import encode
from read_vault import _decode, decode
from syncserver import SyncServer

#: The proxy says these itself.
OWN_FIELDS = ("connection", "content-length", "host", "keep-alive", "transfer-encoding")


@dataclass
class Request:
    """What a device asked for."""

    method: str
    path: str
    fields: dict[str, str]
    body: bytes
    #: The device of the session, 32 hexadecimal digits; empty if the proxy does not know it.
    device: str = ""

    @property
    def is_reading(self) -> bool:
        return self.method == "GET" and "/entries?" in self.path

    @property
    def after(self) -> int:
        """The number after which entries are asked for."""
        match = re.search(r"after=(\d+)", self.path)
        return int(match[1]) if match else 0

    def using(self, token: str) -> Request:
        return replace(self, fields={**self.fields, "authorization": f"Bearer {token}"})


@dataclass
class Answer:
    """What a device gets."""

    status: int
    fields: dict[str, str]
    body: bytes = b""


Honestly = Callable[[Request], Answer]
#: Gives an answer, or a function that writes to the connection whatever it likes.
Lie = Callable[[Request, Honestly], Answer | Callable[[Callable[[bytes], object]], None]]


def payload(entry: bytes) -> dict[int, Any]:
    """The fields of an entry."""
    return decode(decode(entry)[0])


def snapshot(server: SyncServer, path: Path) -> Path:
    """A copy of the server's database, as it is now."""
    with closing(sqlite3.connect(server.folder / "sync.sqlite")) as source, closing(sqlite3.connect(path)) as target:
        source.backup(target)
    path.chmod(0o600)
    return path


def hashes(server: SyncServer) -> set[bytes]:
    """The entries that a server has."""
    with closing(sqlite3.connect(server.folder / "sync.sqlite")) as database:
        return {one for (one,) in database.execute("SELECT hash FROM entry")}


def showing(device: str, records: list[list[Any]]) -> Lie:
    """Shows a device these entries, whatever their numbers are elsewhere."""
    numbered = [[number, *rest] for number, (_, *rest) in enumerate(records, 1)]

    def show(request: Request, honestly: Honestly) -> Answer:
        if request.device != device or not request.is_reading:
            return honestly(request)
        answer = honestly(replace(request, path=re.sub(r"\?.*", "?after=0&limit=1", request.path)))
        body = b"".join(map(encode, numbered[request.after :]))
        return replace(answer, body=body, fields={**answer.fields, "etag": f'"{len(numbered)}"'})

    return show


class HostileServer:
    """What devices take for their server: `worlds` has the server that a device is shown, and `lie` changes answers."""

    def __init__(self, folder: Path, port: int) -> None:
        self.folder, self.port = folder, port
        self.address = f"http://127.0.0.1:{port}"
        self.servers: list[SyncServer] = []
        self.worlds: dict[str, SyncServer] = {}
        self.lie: Lie | None = None
        #: The tokens of sessions, and whose they are. A fork knows the sessions that were open before it.
        self.tokens: dict[str, str] = {}
        self.connections: set[Any] = set()
        self.http = ThreadingHTTPServer(("127.0.0.1", port), type("Handler", (_Handler,), {"hostile": self}))
        threading.Thread(target=self.http.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()

    @property
    def honest(self) -> SyncServer:
        """The server that is shown to each device that is not in `worlds`."""
        return self.servers[0]

    def start(self, database: Path | None = None) -> SyncServer:
        """Starts another real server, with a copy of this database."""
        place = self.folder / f"server-{len(self.servers)}"
        place.mkdir(mode=0o700, parents=True)
        if database:
            _put(database, place)
        server = SyncServer(place, host=f"127.0.0.1:{self.port}")
        server.start()
        self.servers.append(server)
        return server

    def fork(self) -> SyncServer:
        """Another server, which has what the honest one has now."""
        return self.start(snapshot(self.honest, self.folder / f"fork-{len(self.servers)}"))

    @contextmanager
    def going_back(self, database: Path) -> Iterator[None]:
        """Puts an earlier database in place of that of the honest server, which is away meanwhile."""
        self.honest.kill()
        yield
        _put(database, self.honest.folder)
        self.honest.start()

    def be_honest(self) -> None:
        self.worlds, self.lie = {}, None
        self.cut()

    def cut(self) -> None:
        """Ends all connections, so that no device waits for an answer to an earlier request."""
        for connection in list(self.connections):
            with suppress(OSError):
                connection.shutdown(2)

    def honestly(self, request: Request) -> Answer:
        """What the server of this device answers."""
        return self.forward(request, self.worlds.get(request.device, self.honest))

    @staticmethod
    def forward(request: Request, server: SyncServer) -> Answer:
        with closing(http.client.HTTPConnection("127.0.0.1", server.sync_port, timeout=60)) as connection:
            fields = {name: value for name, value in request.fields.items() if name not in OWN_FIELDS}
            connection.request(request.method, request.path, request.body or None, fields)
            got = connection.getresponse()
            fields = {name.lower(): value for name, value in got.getheaders() if name.lower() not in OWN_FIELDS}
            return Answer(got.status, fields, got.read())

    # What the operator does with the session of a device

    def _ask(self, method: str, server: SyncServer, device: str, query: str = "", body: bytes = b"") -> requests.Response:
        token = next(token for token, owner in self.tokens.items() if owner == device)
        with closing(sqlite3.connect(server.folder / "sync.sqlite")) as database:
            [(vault,)] = database.execute("SELECT id FROM vault")
        url = f"{server.address}/sync/v1/vaults/{vault.hex()}/entries{query}"
        fields = {"Authorization": f"Bearer {token}", "Content-Type": "application/cbor-seq"}
        return requests.request(method, url, data=body, headers=fields, timeout=30)

    def records(self, server: SyncServer, device: str, after: int = 0) -> list[list[Any]]:
        """Number, entry and blob of each entry that the server has."""
        body, found, at = self._ask("GET", server, device, f"?after={after}&limit=10000").content, [], 0
        while at < len(body):
            record, at = _decode(body, at, 0)
            found.append(record)
        return found

    def bring(self, server: SyncServer, device: str, records: Iterable[list[Any]]) -> int:
        """Brings entries, also those of others, and answers the status."""
        return self._ask("POST", server, device, body=b"".join(encode(rest) for _, *rest in records)).status_code


def _put(database: Path, place: Path) -> None:
    for path in place.glob("sync.sqlite*"):
        path.unlink()
    place.joinpath("sync.sqlite").write_bytes(database.read_bytes())
    place.joinpath("sync.sqlite").chmod(0o600)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    hostile: HostileServer
    device = ""

    def handle(self) -> None:
        self.hostile.connections.add(self.connection)
        # A server that is gone, or a device that went away: there is no answer.
        with suppress(OSError, http.client.HTTPException):
            super().handle()
        self.hostile.connections.discard(self.connection)

    def log_message(self, *_: object) -> None:
        pass

    def serve(self) -> None:
        hostile = self.hostile
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        request = Request(self.command, self.path, {name.lower(): value for name, value in self.headers.items()}, body)
        is_session = request.method == "POST" and self.path.endswith("/session")
        if is_session:
            self.device = decode(body)[1].hex()
        # A challenge is asked for without a session: then it is the device that used the connection before.
        token = request.fields.get("authorization", "").removeprefix("Bearer ")
        request.device = self.device = hostile.tokens.get(token, self.device)
        answer = hostile.lie(request, hostile.honestly) if hostile.lie else hostile.honestly(request)
        if not isinstance(answer, Answer):
            self.close_connection = True
            return answer(self.wfile.write)
        if is_session and answer.status == 200:
            hostile.tokens[decode(answer.body)[1]] = self.device
        self.send_response_only(answer.status)
        for name, value in answer.fields.items():
            self.send_header(name, value)
        if answer.status != 204:
            self.send_header("content-length", str(len(answer.body)))
        self.end_headers()
        self.wfile.write(answer.body)

    do_GET = do_POST = do_DELETE = serve


@contextmanager
def hostile_server(folder: Path, port: int) -> Iterator[HostileServer]:
    one = HostileServer(folder, port)
    try:
        yield one
    finally:
        one.http.shutdown()
        one.http.server_close()
        one.cut()
        for server in one.servers:
            server.kill()
