"""The service at sockets that systemd opens."""

import fcntl
import os
import shutil
import socket
import subprocess
import threading
import time
from pathlib import Path

import pytest
from wardserver import Person, Server, environment, find_binary, free_port

ACTIVATE = shutil.which("systemd-socket-activate")
REQUEST = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
PATIENCE = 300


class Activated(Server):
    """A server at sockets that this process opened, as systemd does it; the sockets stay open over a restart."""

    def __init__(self, folder: Path, *sockets: socket.socket) -> None:
        super().__init__(folder, port=sockets[0].getsockname()[1])
        self.sockets = sockets

    @property
    def command(self) -> list[str]:
        words = super().command
        words[words.index("--listen") + 1] = "systemd"
        return words

    def spawn(self) -> None:
        """Starts it and does not wait until it answers."""
        # The shell has the process ID that the server will have. It puts the sockets at 3 and up; the numbers that they have until
        # then are higher than that.
        copies = [fcntl.fcntl(one.fileno(), fcntl.F_DUPFD, 100) for one in self.sockets]
        places = " ".join(f"{number + 3}<&{copy} {copy}<&-" for number, copy in enumerate(copies))
        script = f'export LISTEN_PID=$$ LISTEN_FDS={len(copies)}; exec "$@" {places}'
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                ["bash", "-c", script, "bash", *self.command], cwd=self.folder, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                env=environment(), pass_fds=copies,
            )  # fmt: skip
        for copy in copies:
            os.close(copy)

    def start(self, seconds: float = PATIENCE) -> Server:
        self.spawn()
        answer = ask(("127.0.0.1", self.port), seconds=seconds)
        assert answer.startswith(b"HTTP/1.1 200 "), (answer, self.log_text())
        return self


def listening(family: socket.AddressFamily, place) -> socket.socket:
    one = socket.socket(family)
    one.bind(place)
    one.listen(4096)
    return one


def connected(place, seconds: float = PATIENCE) -> socket.socket:
    """A connection to a host and port, or to a path."""
    one = socket.socket(socket.AF_INET if isinstance(place, tuple) else socket.AF_UNIX)
    one.settimeout(seconds)
    one.connect(place)
    return one


def heard(connection: socket.socket) -> bytes:
    return b"".join(iter(lambda: connection.recv(65536), b""))


def ask(place, request: bytes = REQUEST, seconds: float = PATIENCE) -> bytes:
    with connected(place, seconds) as connection:
        connection.sendall(request)
        return heard(connection)


@pytest.fixture
def activated(tmp_path):
    unix = tmp_path / "ward.sock"
    with listening(socket.AF_INET, ("127.0.0.1", 0)) as tcp, listening(socket.AF_UNIX, str(unix)) as path:
        os.chmod(unix, 0o600)
        server = Activated(tmp_path, tcp, path)
        yield server
        if server.process is not None:
            server.kill()


def test_it_serves_at_every_socket_and_leaves_them_as_they_are(activated):
    server = activated.start()
    person = server.person("ada")
    assert person.register().status_code == 201
    path = server.folder / "ward.sock"
    answer = ask(str(path))
    assert answer.startswith(b"HTTP/1.1 200 OK") and b"\r\nDate: " in answer, answer
    # The rights are the unit's.
    assert path.stat().st_mode & 0o777 == 0o600
    assert f"listening on 127.0.0.1:{server.port}" in server.log_text()
    # Connections have the same limits as at a socket that the service opens.
    long = REQUEST.replace(b"Connection", b"X-Padding: " + b"x" * 17_000 + b"\r\nConnection")
    assert ask(str(path), long).startswith(b"HTTP/1.1 431 ")
    assert server.stop() == 0
    assert path.exists()


@pytest.mark.parametrize("kind", ["tcp", "unix"])
def test_requests_while_it_is_stopped_are_answered_after_the_start(activated, kind):
    """More than 128: so many wait at a socket for which nobody asks for more."""
    server = activated
    place = ("127.0.0.1", server.port) if kind == "tcp" else str(server.folder / "ward.sock")
    server.start()
    for _ in range(2):
        assert server.stop() == 0
        waiting = []
        try:
            # A Unix socket without room refuses a connection that does not wait.
            for _ in range(300):
                one = socket.socket(socket.AF_INET if kind == "tcp" else socket.AF_UNIX)
                waiting.append(one)
                one.setblocking(kind == "tcp")
                one.connect(place)
                one.settimeout(PATIENCE)
                one.sendall(REQUEST)
            server.spawn()
            answers = {heard(one)[:13] for one in waiting}
        finally:
            for one in waiting:
                one.close()
        assert answers == {b"HTTP/1.1 200 "}


def test_nothing_is_refused_over_restarts(activated):
    """Each request is on a connection of its own: a proxy tries no second time."""
    server = activated.start()
    stop, answered, failed = threading.Event(), [], []

    def visit():
        while not stop.is_set():
            answer, seconds, begun = b"", 0.0, time.monotonic()
            try:
                with connected(("127.0.0.1", server.port)) as connection:
                    try:
                        connection.sendall(REQUEST)
                    finally:
                        seconds = time.monotonic() - begun
                    answer = heard(connection)
            except OSError as error:
                answer = repr(error).encode()
            # A service that stops waits 2 seconds for the first request of a connection: longer than this visitor took to send it.
            if answer.startswith(b"HTTP/1.1 200 "):
                answered.append(answer)
            elif seconds < 1:
                failed.append(answer)

    threads = [threading.Thread(target=visit) for _ in range(4)]
    for thread in threads:
        thread.start()
    try:
        for _ in range(5):
            before = len(answered)
            while len(answered) < before + 20 and not failed:
                assert server.running().poll() is None
                time.sleep(0.01)
            assert server.stop() == 0
            server.spawn()
    finally:
        stop.set()
        for thread in threads:
            thread.join(2 * PATIENCE)
    assert failed == []
    assert len(answered) >= 100


@pytest.mark.skipif(ACTIVATE is None, reason="systemd is not on this machine")
@pytest.mark.parametrize("kind", ["tcp", "unix"])
def test_systemds_own_tool_starts_it_for_the_first_request(tmp_path, kind):
    port = free_port()
    server = Server(tmp_path, port=port)
    words = server.command
    words[words.index("--listen") + 1] = "systemd"
    path = tmp_path / "ward.sock"
    place = f"127.0.0.1:{port}" if kind == "tcp" else str(path)
    with server.log.open("ab") as log:
        process = subprocess.Popen(
            [ACTIVATE, "--listen", place, *words], cwd=tmp_path, stdout=log, stderr=log, env=environment()
        )
    try:
        deadline = time.monotonic() + PATIENCE
        while "Listening on" not in server.log_text() and time.monotonic() < deadline:
            time.sleep(0.02)
        # The tool waits for a connection, and the service does not run yet.
        assert not server.database.exists()
        if kind == "tcp":
            assert Person(server, "ada").register().status_code == 201
        else:
            assert ask(str(path)).startswith(b"HTTP/1.1 200 OK")
        assert server.database.exists()
        process.terminate()
        assert process.wait(PATIENCE) == 0, server.log_text()
    finally:
        if process.poll() is None:
            process.kill()
            process.wait(30)


@pytest.mark.parametrize("environment_of_systemd", [{}, {"LISTEN_FDS": "1", "LISTEN_PID": "1"}])
def test_without_a_socket_it_does_not_start(tmp_path, environment_of_systemd):
    done = subprocess.run(
        [str(find_binary()), "serve", "--listen", "systemd", "--database", ":memory:"],
        cwd=tmp_path, env=environment(**environment_of_systemd), capture_output=True, text=True, timeout=PATIENCE,
    )  # fmt: skip
    assert done.returncode == 69 and "start the unit ward-server.socket" in done.stderr, done.stderr


def test_a_socket_that_does_not_listen_is_refused(tmp_path):
    with socket.socket(socket.AF_INET) as one:
        one.bind(("127.0.0.1", 0))
        server = Activated(tmp_path, one)
        server.spawn()
        assert server.wait(PATIENCE) == 69
    assert "not a stream socket that listens" in server.log_text()


@pytest.mark.parametrize("name", ["metrics", "admin"])
def test_only_the_service_itself_listens_there(tmp_path, name):
    done = subprocess.run(
        [str(find_binary()), "check", f"--{name}-listen", "systemd", "--database", str(tmp_path / "ward.sqlite")],
        cwd=tmp_path, env=environment(), capture_output=True, text=True, timeout=PATIENCE,
    )  # fmt: skip
    assert done.returncode == 64, done
    assert f"--{name}-listen cannot be systemd" in done.stdout + done.stderr
