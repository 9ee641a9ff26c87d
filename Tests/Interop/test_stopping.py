"""SIGTERM: what was begun is finished, nothing new is begun, nothing answered is lost."""

import threading
import time

import pytest
import requests
from rawhttp import Raw, head_of


def begin(raw: Raw, head: bytes, first: bytes) -> None:
    """A request the server has certainly begun to read: it gave leave to send the body."""
    raw.send(head)
    assert b"100 Continue" in raw.socket.recv(4096)
    raw.send(first)


def refuses(server) -> bool:
    """Whether the server comes to take no connection."""
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        try:
            requests.get(f"http://127.0.0.1:{server.port}/healthz", timeout=30)
        except requests.ConnectionError:
            return True
        time.sleep(0.05)
    return False


def test_a_request_in_flight_is_answered_before_it_stops(start):
    server = start()
    person = server.person("ada")
    assert person.register().status_code == 201
    body = b'{"username":"ada"}'
    with Raw(server) as raw:
        begin(raw, head_of(server, f"Content-Length: {len(body)}", "Expect: 100-continue"), body[:5])
        server.terminate()
        time.sleep(0.5)
        assert server.running().poll() is None, "it did not wait for the request"
        raw.send(body[5:])
        answer = raw.answer()
    assert answer.startswith(b"HTTP/1.1 200"), answer[:200]
    assert b'"ceremony"' in answer
    assert server.wait(60) == 0


def test_it_stops_at_once_when_nothing_is_in_flight(start):
    server = start()
    # Three ways of being connected without asking for anything.
    person = server.person("ada")
    assert person.register().status_code == 201
    silent = Raw(server)
    half = Raw(server)
    half.send(b"GET /healthz HTTP/1.1\r\nHost: ")
    time.sleep(0.2)
    server.terminate()
    assert server.wait(60) == 0
    silent.socket.close()
    half.socket.close()


def test_it_takes_no_new_connections_while_it_stops(start):
    server = start()
    with Raw(server) as raw:
        begin(raw, head_of(server, "Content-Length: 10002", "Expect: 100-continue"), b"{")
        server.terminate()
        # A body that does not pause may go on.
        stop, sent = threading.Event(), []

        def trickle() -> None:
            while len(sent) < 9_000 and not stop.wait(0.05):
                sent.append(raw.send(b" "))

        sender = threading.Thread(target=trickle)
        sender.start()
        assert refuses(server)
        stop.set()
        sender.join(60)
        raw.send(b" " * (10_000 - len(sent)) + b"}")
        assert raw.status() == 200
    assert server.wait(60) == 0


def test_a_body_that_pauses_while_it_stops_is_cut(start):
    server = start()
    with Raw(server) as raw:
        begin(raw, head_of(server, "Content-Length: 100", "Expect: 100-continue"), b"{")
        server.terminate()
        began = time.monotonic()
        answer = raw.answer()
        waited = time.monotonic() - began
    assert answer.startswith(b"HTTP/1.1 408"), answer[:200]
    assert server.wait(60) == 0
    # Without that, the limit for bodies is 20 seconds.
    assert waited < 15, waited


def test_registrations_running_at_the_stop_are_whole_or_refused(start):
    """People keep registering while it stops: every 201 is there after the restart."""
    server = start()
    answered, threads = [], []

    def register(worker: int) -> None:
        for number in range(50):
            person = server.person(f"late{worker}.{number}")
            try:
                answer = person.register()
            except (requests.RequestException, AssertionError):
                return
            if answer.status_code == 201:
                answered.append(person)

    for worker in range(4):
        threads.append(threading.Thread(target=register, args=(worker,)))
        threads[-1].start()
    deadline = time.monotonic() + 60
    while not answered and time.monotonic() < deadline:
        time.sleep(0.01)
    time.sleep(0.3)
    assert server.stop() == 0
    for thread in threads:
        thread.join(60)
    assert answered
    server.start()
    for person in answered:
        assert person.account()["account"]["username"] == person.name
