"""Machines that reach a server over a network which delays, throttles, cuts and resets what they send.

Each machine has a network namespace of its own, with nothing in it but a way to the proxy. A seed decides what the proxy does.
"""

from __future__ import annotations

import random
import re
import socket
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from apps import unshared
from manager import Manager

# Listens in a network namespace, and hands the socket to the test, which accepts the connections: so a reset is a reset there.
LISTENER = r"""
import signal, socket, sys
listener = socket.create_server(("127.0.0.1", int(sys.argv[1])))
socket.send_fds(socket.socket(fileno=int(sys.argv[2])), [b"listening"], [listener.fileno()])
signal.pause()
"""

REQUEST = re.compile(rb"(GET|POST|DELETE) (/sync/v1/\S*) HTTP/1\.1\r\n")


@dataclass
class Way:
    """What the network does to one direction of a connection."""

    # For each packet, in seconds.
    delay: float = 0
    # In bytes a second.
    rate: float | None = None
    # After so many bytes the connection is reset.
    limit: int | None = None


Draw = Callable[[random.Random], Way]


def good(drawn: random.Random) -> Way:
    return Way()


def bad(drawn: random.Random) -> Way:
    """Most connections end somewhere: at any byte, in either direction, also before the first one. Some are slow."""
    way = Way(delay=drawn.random() * 0.03)
    if drawn.random() < 0.8:
        way.limit = int(10 ** drawn.uniform(0, 4.3)) - 1
    if drawn.random() < 0.3:
        way.rate = 10 ** drawn.uniform(4.5, 6)
    return way


class BadNetwork:
    """A proxy before a server on this machine."""

    def __init__(self, port: int, seed: int, draws: Sequence[Draw] = (bad,)) -> None:
        self.port = port
        self.random = random.Random(seed)
        # Called for each direction of a connection: each one for the next connection, the last one for all that come after that.
        self.draws = list(draws)
        # So many uploads are reset when the server answers them: then it has done what it was asked.
        self.receipts_to_lose = 0
        self.cut_requests = self.cut_answers = self.lost_receipts = 0
        # For how long bytes waited because a connection is slow, in seconds.
        self.paced = 0.0
        # Methods and paths of what was sent.
        self.requests: list[str] = []

    def serve(self, listener: socket.socket) -> None:
        """Accepts connections until the listener is shut down."""
        while True:
            try:
                near, _ = listener.accept()
            except OSError:
                return
            try:
                far = socket.create_connection(("127.0.0.1", self.port), timeout=10)
                far.settimeout(None)
            except OSError:
                reset(near)
                continue
            draw = self.draws.pop(0) if len(self.draws) > 1 else self.draws[0]
            Connection(self, near, far, [draw(self.random) for _ in range(2)])


class Connection:
    """One connection of a machine, and the proxy's own to the server."""

    def __init__(self, network: BadNetwork, near: socket.socket, far: socket.socket, ways: list[Way]) -> None:
        self.network = network
        self.ends = (near, far)
        self.is_upload = False
        for number, may_pass in enumerate((self._request, self._answer)):
            arguments = (self.ends[number], self.ends[1 - number], ways[number], may_pass)
            threading.Thread(target=self._pump, args=arguments, daemon=True).start()

    def _request(self, data: bytes, is_last: bool) -> bool:
        if found := REQUEST.match(data):
            self.is_upload = found[1] == b"POST" and found[2].endswith(b"/entries")
            self.network.requests.append(f"{found[1].decode()} {found[2].decode()}")
        self.network.cut_requests += is_last
        return True

    def _answer(self, data: bytes, is_last: bool) -> bool:
        if self.is_upload and self.network.receipts_to_lose:
            self.network.receipts_to_lose -= 1
            self.network.lost_receipts += 1
            return False
        self.network.cut_answers += is_last
        return True

    def _pump(self, source: socket.socket, target: socket.socket, way: Way, may_pass: Callable[[bytes, bool], bool]) -> None:
        left = way.limit
        try:
            while data := source.recv(1_400):
                time.sleep(way.delay)
                if way.rate:
                    time.sleep(len(data) / way.rate)
                    self.network.paced += len(data) / way.rate
                is_last = left is not None and left < len(data)
                if not may_pass(data, is_last):
                    return reset(*self.ends)
                target.sendall(data[:left])
                if is_last:
                    return reset(*self.ends)
                if left is not None:
                    left -= len(data)
            target.shutdown(socket.SHUT_WR)
        except OSError:
            reset(*self.ends)


def reset(*ends: socket.socket) -> None:
    for end in ends:
        try:
            # Without lingering a close is a reset. The other thread may wait in the socket, and only a shutdown wakes it.
            end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            end.shutdown(socket.SHUT_RD)
        except OSError:
            pass
        end.close()


@contextmanager
def behind(network: BadNetwork, manager: Manager, port: int) -> Iterator[None]:
    """Runs a person's commands and agent on a machine that reaches nothing but the proxy, at this port of its own."""
    words = unshared("--net", "--kill-child", "--fork")
    command = '{ ip link set lo up || ifconfig lo up; } && exec "$@"'
    here, there = socket.socketpair()
    listening = [sys.executable, "-c", LISTENER, str(port), str(there.fileno())]
    inside = subprocess.Popen([*words, "bash", "-c", command, "bash", *listening], pass_fds=[there.fileno()])
    there.close()
    try:
        with here:
            _, descriptors, _, _ = socket.recv_fds(here, 16, 1)
        if not descriptors:
            pytest.skip("this machine lets nobody have a network of their own")
        with socket.socket(fileno=descriptors[0]) as listener:
            threading.Thread(target=network.serve, args=(listener,), daemon=True).start()
            pid = Path(f"/proc/{inside.pid}/task/{inside.pid}/children").read_text().split()[0]
            manager.prefix = ["nsenter", "--target", pid, "--user", "--net", "--preserve-credentials"]
            yield
            manager.stop()
            listener.shutdown(socket.SHUT_RDWR)
    finally:
        inside.kill()
        inside.wait(30)
        manager.prefix = []
