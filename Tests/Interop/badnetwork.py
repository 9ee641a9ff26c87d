"""Two machines that reach a server over a network which delays, cuts and resets what they send.

Each machine has a network namespace of its own, with nothing in it but a way to the proxy. A seed decides what the proxy does.
"""

from __future__ import annotations

import random
import socket
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from apps import unshared
from manager import Manager

RELAY = r"""
import socket, sys, threading
def pump(one, other):
    try:
        while data := one.recv(65536):
            other.sendall(data)
    except OSError:
        pass
    for end in (one, other):
        try:
            end.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
listener = socket.create_server(("127.0.0.1", int(sys.argv[1])))
print("serving", flush=True)
while True:
    near, _ = listener.accept()
    far = socket.socket(socket.AF_UNIX)
    far.connect(sys.argv[2])
    for pair in ((near, far), (far, near)):
        threading.Thread(target=pump, args=pair, daemon=True).start()
"""


class BadNetwork:
    """A proxy at a Unix socket, which every namespace reaches, before a server on this machine."""

    def __init__(self, path: Path, port: int, seed: int) -> None:
        self.path, self.port = path, port
        self.random = random.Random(seed)
        self.is_bad = True
        self.cuts = 0
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(str(path))
        self.listener.listen(64)
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        self.listener.close()

    def _accept(self) -> None:
        while True:
            try:
                near, _ = self.listener.accept()
            except OSError:
                return
            try:
                far = socket.create_connection(("127.0.0.1", self.port), timeout=10)
                far.settimeout(None)
            except OSError:
                near.close()
                continue
            # Most connections end somewhere: at any byte, in either direction, also before the first one.
            limits = [self.random.randrange(5_000) if self.is_bad and self.random.random() < 0.8 else None for _ in range(2)]
            ends = (near, far)
            for index in range(2):
                delay = self.random.random() * 0.03 if self.is_bad else 0
                threading.Thread(target=self._pump, args=(ends[index], ends[1 - index], limits[index], delay), daemon=True).start()

    def _pump(self, source: socket.socket, target: socket.socket, limit: int | None, delay: float) -> None:
        passed = 0
        try:
            while data := source.recv(1_400):
                time.sleep(delay)
                if limit is not None and passed + len(data) >= limit:
                    target.sendall(data[: limit - passed])
                    self.cuts += 1
                    # Without lingering a close is a reset.
                    for end in (source, target):
                        if end.family == socket.AF_INET:
                            end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                    break
                target.sendall(data)
                passed += len(data)
        except OSError:
            pass
        for end in (source, target):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            end.close()


@contextmanager
def behind(network: BadNetwork, manager: Manager, port: int) -> Iterator[None]:
    """Runs a person's commands and agent on a machine that reaches nothing but the proxy, at this port of its own."""
    words = unshared("--net", "--kill-child", "--fork")
    command = '{ ip link set lo up || ifconfig lo up; } && exec "$@"'
    relay = [sys.executable, "-c", RELAY, str(port), str(network.path)]
    inside = subprocess.Popen([*words, "bash", "-c", command, "bash", *relay], stdout=subprocess.PIPE, text=True)
    assert inside.stdout is not None
    try:
        if inside.stdout.readline() != "serving\n":
            pytest.skip("this machine lets nobody have a network of their own")
        pid = Path(f"/proc/{inside.pid}/task/{inside.pid}/children").read_text().split()[0]
        manager.prefix = ["nsenter", "--target", pid, "--user", "--net", "--preserve-credentials"]
        yield
        manager.stop()
    finally:
        inside.kill()
        inside.communicate(timeout=30)
        manager.prefix = []
