"""A service with lists of leaked passwords, as Pwned Passwords is one: answers range queries well, or badly."""

from __future__ import annotations

import hashlib
import ssl
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path


def sha1(text: str) -> str:
    return hashlib.sha1(text.encode()).hexdigest().upper()


class RangeServer(ThreadingHTTPServer):
    """Serves until `stop`. A password with a count of zero is a row of padding."""

    daemon_threads = True

    def __init__(self, certificate: Path, counts: dict[str, int]) -> None:
        super().__init__(("127.0.0.1", 0), RangeHandler)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate)
        self.socket = context.wrap_socket(self.socket, server_side=True)
        self.counts = {sha1(password): count for password, count in counts.items()}
        self.asked: list[tuple[str, dict[str, str]]] = []
        self.behaviour = "good"
        self.over = threading.Event()
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def address(self) -> str:
        return f"https://localhost:{self.server_address[1]}/range/"

    def stop(self) -> None:
        self.over.set()
        self.shutdown()
        self.server_close()

    def handle_error(self, *_: object) -> None:
        """Clients that leave are not worth a line."""


class RangeHandler(BaseHTTPRequestHandler):
    server: RangeServer

    def do_GET(self) -> None:
        self.server.asked.append((self.path, {name.lower(): value for name, value in self.headers.items()}))
        prefix = self.path.removeprefix("/range/")
        rows = {f"{number:035X}": 0 if number % 2 else number for number in range(900)}
        rows |= {digest[5:]: count for digest, count in self.server.counts.items() if digest.startswith(prefix)}
        status, kind, body = 200, "text/plain", "\r\n".join(f"{rest}:{count}" for rest, count in sorted(rows.items()))
        match self.server.behaviour:
            case "silent":
                self.server.over.wait(60)
            case "unavailable":
                status, body = 503, ""
            case "html":
                kind, body = "text/html", "<p>Log in to this network</p>"
            case "nonsense":
                body = "Log in to this network"
            case "huge":
                body += "\r\n" + "0" * 35 + ":0\r\n" * 20_000
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, *_: object) -> None:
        """Nothing."""
