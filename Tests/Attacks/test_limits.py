"""Clients that ask too much or take too long."""

import json
import os
import resource
import socket
import sqlite3
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from rawhttp import Raw, head_of
from wardserver import error_code

def body_of(size: int) -> bytes:
    """JSON of exactly this many bytes that the call understands."""
    frame = json.dumps({"ignored": ""}, separators=(",", ":")).encode()
    return frame[:-2] + b"x" * (size - len(frame)) + frame[-2:]


def test_a_body_of_64_kib_is_read(server):
    with Raw(server) as raw:
        raw.send(head_of(server, "Content-Length: 65536", "Connection: close") + body_of(65536))
        assert raw.status() in (200, 400)


@pytest.mark.parametrize("size", [65_537, 1_000_000])
def test_a_larger_declared_body_is_refused(server, size):
    with Raw(server) as raw:
        raw.send(head_of(server, f"Content-Length: {size}"))
        raw.send(body_of(size))
        answer = raw.answer().lower()
    # The client need not wait for the connection's end: the answer says that it comes.
    assert answer == b"" or (answer.startswith(b"http/1.1 413") and b"connection: close" in answer), answer


def test_a_huge_declared_body_is_refused_before_it_comes(server):
    with Raw(server) as raw:
        raw.send(head_of(server, "Content-Length: 9000000000000000000"))
        answer = raw.answer().lower()
    assert answer.startswith(b"http/1.1 413") and b"connection: close" in answer


def test_a_larger_body_in_chunks_is_refused(server):
    with Raw(server) as raw:
        raw.send(head_of(server, "Transfer-Encoding: chunked"))
        for _ in range(80):
            if not raw.send(b"400\r\n" + b"[" * 1024 + b"\r\n"):
                break
        raw.send(b"0\r\n\r\n")
        assert raw.status() in (413, None)


def test_16_kib_of_headers_pass_and_more_are_refused(server):
    with Raw(server) as raw:
        raw.send(head_of(server, "Connection: close", "X-Padding: " + "x" * 12_000, path="/healthz", method="GET"))
        assert raw.status() == 200
    for lines in (["X-Padding: " + "x" * 17_000], [f"X-Padding-{index}: {'x' * 100}" for index in range(200)]):
        with Raw(server) as raw:
            raw.send(head_of(server, "Connection: close", *lines, path="/healthz", method="GET"))
            assert raw.status() in (400, 431, None)
    with Raw(server) as raw:
        raw.send(head_of(server, "Connection: close", path="/healthz?" + "x" * 17_000, method="GET"))
        assert raw.status() in (400, 414, 431, None)


@pytest.mark.parametrize(
    "garbage",
    [b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", b"\r\n" * 500, b"\0" * 100, b"GET / HTTP/9.9\r\n\r\n", b"SSH-2.0-x\r\n"],
    ids=["TLS", "empty lines", "zeros", "another version", "SSH"],
)
def test_what_is_no_http_is_closed(server, garbage):
    with Raw(server) as raw:
        raw.send(garbage)
        raw.socket.shutdown(socket.SHUT_WR)
        assert raw.status() in (400, 505, None)
    assert server.client().get("/healthz").status_code == 200


@pytest.mark.parametrize(
    "lines, body",
    [
        (["Content-Length: 2", "Transfer-Encoding: chunked"], b"0\r\n\r\n"),
        (["Content-Length: 2", "Content-Length: 3"], b"{}"),
        (["Content-Length: -1"], b"{}"),
        (["Transfer-Encoding: xchunked"], b"{}"),
    ],
    ids=["length and chunks", "two lengths", "negative length", "unknown coding"],
)
def test_framing_that_proxies_read_differently_is_refused(server, lines, body):
    with Raw(server) as raw:
        raw.send(head_of(server, "Connection: close", *lines) + body)
        assert raw.status() in (400, 501, None)


@pytest.mark.parametrize("coding", ["gzip, chunked", "gzip,chunked", "gzip\r\nTransfer-Encoding: chunked"])
def test_a_coding_that_is_not_read_is_not_implemented(server, coding):
    with Raw(server) as raw:
        raw.send(head_of(server, f"Transfer-Encoding: {coding}") + b"2\r\n{}\r\n0\r\n\r\n")
        answer = raw.answer()
    assert answer.startswith(b"HTTP/1.1 501") and b"transfer_coding_not_supported" in answer, answer
    assert answer.count(b"HTTP/1.1") == 1


@pytest.mark.parametrize("lines", [[], ["Connection: keep-alive"]], ids=["plain", "keep-alive"])
def test_http_1_0_closes(server, lines):
    with Raw(server) as raw:
        one = "\r\n".join(["GET /healthz HTTP/1.0", "Host: localhost", *lines, "", ""]).encode()
        raw.send(one * 2)
        answer = raw.answer()
    assert answer.count(b"HTTP/1.") == 1 and b" 200 " in answer.splitlines()[0], answer
    assert b"connection: close" in answer.lower()


@pytest.mark.timeout(240)
def test_slow_senders_are_cut(server):
    """Each way of being slow at the same time: nothing, half a head, a head byte by byte, a body byte by byte."""
    # The server's own limit is a minute at most; a busy machine may be late.
    limit = 150.0

    def silent() -> float:
        return patience(b"", b"")

    def half_a_head() -> float:
        return patience(b"POST /api/v1/sign-in/options HTTP/1.1\r\nHost: local", b"")

    def trickling_head() -> float:
        return patience(b"GET /healthz HTTP/1.1\r\nX-Slow: ", b"x")

    def trickling_body() -> float:
        return patience(head_of(server, "Content-Length: 60000"), b" ")

    def patience(first: bytes, then: bytes) -> float:
        """How long the server bears it."""
        with Raw(server, 1) as raw:
            raw.send(first)
            began = time.monotonic()
            while time.monotonic() - began < limit:
                try:
                    if raw.socket.recv(4096) == b"":
                        break
                except TimeoutError:
                    if then and not raw.send(then):
                        break
                except OSError:
                    break
            return time.monotonic() - began

    with ThreadPoolExecutor(4) as pool:
        waits = {
            work.__name__: pool.submit(work) for work in (silent, half_a_head, trickling_head, trickling_body)
        }
        seconds = {name: future.result() for name, future in waits.items()}
    assert all(value < limit for value in seconds.values()), seconds
    assert server.client().get("/healthz").status_code == 200


def test_two_hundred_idle_connections_keep_nobody_out(server):
    idle = [Raw(server) for _ in range(200)]
    try:
        assert server.client().get("/healthz").status_code == 200
    finally:
        for raw in idle:
            raw.socket.close()


def test_one_client_with_a_thousand_idle_sockets_keeps_nobody_out(start):
    wanted = 1_400
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard < wanted:
        pytest.skip("this machine allows fewer files")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, wanted), hard))
    server = start()
    ask = head_of(server, path="/healthz", method="GET")
    last = head_of(server, "Connection: close", path="/healthz", method="GET")

    def connect(address: str) -> socket.socket:
        return socket.create_connection(("127.0.0.1", server.port), timeout=60, source_address=(address, 0))

    def answered(client: socket.socket, request: bytes) -> bool:
        client.sendall(request)
        return client.recv(4096).startswith(b"HTTP/1.1 200")

    owner = connect("127.0.0.2")
    crowd = []
    try:
        assert answered(owner, ask)
        for number in range(1_000):
            client = connect("127.0.0.1")
            # Some are silent, some begin a request and never end it.
            if number % 2:
                client.sendall(b"POST /api/v1/sign-in/options HTTP/1.1\r\nHost: loc")
            crowd.append(client)
        assert answered(owner, ask), "a connection of another address was closed"
        for address in ("127.0.0.3", "127.0.0.1"):
            newcomer = connect(address)
            assert answered(newcomer, last), address
            newcomer.close()
    finally:
        for client in [owner, *crowd]:
            client.close()
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_an_account_with_all_the_passkeys_it_may_have_makes_answers_for_strangers_no_longer_than_32_kib(start):
    """An anonymous request of 30 bytes once got an answer of a megabyte."""
    server = start()
    ada = server.person("ada")
    assert ada.register().status_code == 201
    for _ in range(49):
        assert ada.add_passkey(server.person().browser).status_code == 201
    refused = ada.post("registration/options")
    assert (refused.status_code, error_code(refused)) == (409, "too_many_passkeys")
    assert len(ada.account()["passkeys"]) == 50
    answer = server.client().post("sign-in/options", {"username": "ada"})
    assert len(answer.json()["publicKey"]["allowCredentials"]) == 50 and len(answer.content) <= 32 * 1024
    with sqlite3.connect(server.database, timeout=30) as database:
        [longest] = database.execute("SELECT max(length(payload)) FROM ceremony").fetchone()
    assert longest < 1024, "the ceremony has no list that the service can look up"


def test_requests_one_after_another_on_one_connection(server):
    with Raw(server) as raw:
        one = head_of(server, "Content-Length: 2") + b"{}"
        raw.send(one * 3 + head_of(server, "Content-Length: 2", "Connection: close") + b"{}")
        assert raw.answer().count(b"HTTP/1.1 200") == 4


def files(most: int) -> tuple[str, ...]:
    """Runs a program that may open so many files and sockets, and cannot raise that."""
    return ("prlimit", f"--nofile={most}:{most}")


def test_a_service_that_may_open_few_files_takes_fewer_connections_and_lives(start):
    most = 200 + 6 * (os.cpu_count() or 1)
    if most > resource.getrlimit(resource.RLIMIT_NOFILE)[1]:
        pytest.skip("this machine allows fewer files")
    server = start(wrapper=files(most))
    crowd = []
    try:
        # More than the process has room for. All of them ask, for longer than the seconds in which Dispatch looks at its threads.
        for _ in range(2 * most):
            crowd.append(socket.create_connection(("127.0.0.1", server.port), timeout=60))
        for _ in range(10):
            for client in crowd:
                try:
                    client.sendall(head_of(server, path="/healthz", method="GET"))
                except OSError:
                    pass  # It was cut, which is allowed.
            time.sleep(0.3)
    finally:
        for client in crowd:
            client.close()
    assert server.running().poll() is None
    with Raw(server) as raw:
        raw.send(head_of(server, "Connection: close", path="/healthz", method="GET"))
        assert raw.status() == 200


def test_a_service_that_may_open_too_few_files_says_how_many_it_needs(start):
    with pytest.raises(RuntimeError, match="ended with 69") as refused:
        start(wrapper=files(100))
    assert "may open 100 files and sockets. That is too few" in str(refused.value)
    assert "ulimit -n" in str(refused.value) and "LimitNOFILE=" in str(refused.value)
