"""HTTP by hand, for what no well-behaved client would send."""

from __future__ import annotations

import socket

from wardserver import Server

CALL = "/api/v1/sign-in/options"


def head_of(server: Server, *lines: str, path: str = CALL, method: str = "POST") -> bytes:
    """A request's head, as far as the line that ends it."""
    fixed = [
        f"{method} {path} HTTP/1.1",
        f"Host: localhost:{server.port}",
        f"Origin: {server.origin}",
        "Content-Type: application/json",
    ]
    return "\r\n".join([*fixed, *lines, "", ""]).encode()


class Raw:
    """A connection that sends exactly what the test says."""

    def __init__(self, server: Server, seconds: float = 60) -> None:
        self.socket = socket.create_connection(("127.0.0.1", server.port), seconds)

    def send(self, data: bytes) -> bool:
        """False when the other side has closed."""
        try:
            self.socket.sendall(data)
        except OSError:
            return False
        return True

    def answer(self) -> bytes:
        """Everything until the other side closes or nothing more comes."""
        received = b""
        try:
            while part := self.socket.recv(65536):
                received += part
        except (TimeoutError, ConnectionError):
            pass
        return received

    def status(self) -> int | None:
        """The status of the first answer, None when the connection was closed without one."""
        line = self.answer().split(b"\r\n", 1)[0].split(b" ")
        return int(line[1]) if len(line) > 1 else None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()
