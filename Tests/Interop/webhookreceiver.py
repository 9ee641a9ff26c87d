"""A receiver of webhooks: Python's HTTP server, whose answers a test chooses, and Standard Webhooks' own verification."""

from __future__ import annotations

import json
import ssl
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from mailserver import wait_for
from standardwebhooks.webhooks import Webhook
from wardserver import free_port

#: Secrets of 32 bytes, made for these tests.
FIRST = "whsec_" + "QUJD" * 10 + "QUI="
SECOND = "whsec_" + "WFla" * 10 + "WFk="


class Delivery:
    """One request, as it came."""

    def __init__(self, path: str, headers: dict[str, str], body: bytes):
        self.path = path
        self.headers = headers
        self.body = body
        self.json = json.loads(body)

    @property
    def id(self) -> str:
        return self.headers["webhook-id"]

    @property
    def type(self) -> str:
        return self.json["type"]

    @property
    def name(self) -> str | None:
        return self.json["data"].get("username")

    def verify(self, secret: str = FIRST) -> dict[str, Any]:
        return Webhook(secret).verify(self.body, self.headers)


class Receiver:
    """Keeps what comes. `answer` gives the status of a delivery, or a status with headers and a body."""

    def __init__(self, port: int | None = None, *, certificate: Path | None = None):
        self.port = port or free_port()
        self.deliveries: list[Delivery] = []
        self.answer: Callable[[Delivery], int | tuple[int, dict[str, str], bytes]] = lambda _: 204
        self._certificate = certificate
        self._server: ThreadingHTTPServer | None = None

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}/hook?tenant=1"

    def __enter__(self) -> Receiver:
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                delivery = Delivery(self.path, {name.lower(): value for name, value in self.headers.items()}, body)
                receiver.deliveries.append(delivery)
                answer = receiver.answer(delivery)
                status, headers, content = answer if isinstance(answer, tuple) else (answer, {}, b"")
                try:
                    self.send_response(status)
                    for name, value in headers.items():
                        self.send_header(name, value)
                    if status != 204:
                        self.send_header("Content-Length", str(len(content)))
                    self.end_headers()
                    self.wfile.write(content)
                except OSError:
                    pass  # The service does not wait for it any more.

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", self.port), Handler)
        self._server.daemon_threads = True
        if self._certificate is not None:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(self._certificate)
            self._server.socket = context.wrap_socket(self._server.socket, server_side=True, do_handshake_on_connect=False)
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()

    def wait(self, count: int) -> list[Delivery]:
        """Waits for this many deliveries in all."""
        wait_for(lambda: len(self.deliveries) >= count, f"{count} deliveries")
        return self.deliveries


def secrets(folder: Path, *lines: str) -> Path:
    """A file with secrets that only its owner can read."""
    path = folder / "webhook-secrets"
    path.write_text("".join(f"{line}\n" for line in lines or (FIRST,)))
    path.chmod(0o600)
    return path
