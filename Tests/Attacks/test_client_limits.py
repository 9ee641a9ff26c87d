"""Limits by name and by address, behind a proxy: with real processes over one database."""

import sqlite3
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
import requests
from requests.adapters import HTTPAdapter
from wardserver import Client, Server, error_code

PASSWORD = "rotating teapot 41 lanterns"
BEHIND_PROXY = ("--trusted-proxies", "127.0.0.1")


def sign_in(client: Client, name: str, address: str, password: str = "a wrong guess", field: str = "X-Forwarded-For"):
    return client.post(
        "sign-in/password", {"username": name, "password": password}, headers={field: address}, timeout=500
    )


def create(client: Client, name: str, address: str) -> requests.Response:
    return client.post(
        "account", {"username": name, "password": PASSWORD}, headers={"X-Forwarded-For": address}, timeout=500
    )


def outcome(answer: requests.Response) -> str:
    return "ok" if answer.ok else error_code(answer)


@pytest.mark.timeout(600)
def test_two_processes_and_kill_minus_nine_change_nothing_about_the_counts(start):
    first = start(arguments=BEHIND_PROXY)
    second = Server(first.folder, origin=first.origin, arguments=BEHIND_PROXY).start()
    try:
        owner, newcomer = first.client(), first.client()
        assert create(owner, "ada", "192.0.2.1").status_code == 201
        # Four in one process, four in the other, which dies without warning; two more after that.
        for number in range(4):
            assert outcome(sign_in(first.client(), "ada", f"198.51.100.{number}")) == "sign_in_failed"
            assert outcome(sign_in(second.client(), "ada", f"198.51.100.{number}")) == "sign_in_failed"
        first.kill()
        for number in range(2):
            assert outcome(sign_in(second.client(), "ada", f"203.0.113.{number}")) == "sign_in_failed"
        first.start()
        with sqlite3.connect(first.database, timeout=60) as database:
            # Of the name: the count of all passwords together falls with time.
            assert database.execute("SELECT max(count) FROM attempt").fetchone() == (10,)
            # As if somebody had gone on, so that the wait is longer than this test on a busy machine.
            database.execute("UPDATE attempt SET count = 18")
        for server in (first, second):
            held = sign_in(server.client(), "ada", "203.0.113.9")
            assert (held.status_code, error_code(held)) == (429, "too_many_attempts")
            assert 5 < int(held.headers["Retry-After"]) <= 900
        # The owner's browser signed in before: no wait. Another browser waits, even with the right password.
        assert outcome(sign_in(newcomer, "ada", "192.0.2.9", PASSWORD)) == "too_many_attempts"
        assert outcome(sign_in(owner, "ada", "192.0.2.1", PASSWORD)) == "ok"
    finally:
        second.kill()


@pytest.mark.timeout(600)
def test_a_burst_on_two_processes_has_ten_tries(start):
    first = start(arguments=BEHIND_PROXY)
    second = Server(first.folder, origin=first.origin, arguments=BEHIND_PROXY).start()
    together = threading.Barrier(40)

    def guess(number: int) -> str:
        client = (first, second)[number % 2].client()
        together.wait(120)
        return outcome(sign_in(client, "ada", f"198.51.100.{number}"))

    try:
        with ThreadPoolExecutor(40) as pool:
            outcomes = Counter(pool.map(guess, range(40)))
    finally:
        second.kill()
    # As many as are free; the first of those may be over, and five seconds too, before the last one comes.
    assert 10 <= outcomes["sign_in_failed"] <= 13, outcomes
    assert outcomes["sign_in_failed"] + outcomes["too_many_attempts"] + outcomes["passwords_busy"] == 40, outcomes


@pytest.mark.timeout(600)
def test_one_address_is_limited_whatever_it_claims(start):
    server = start(arguments=BEHIND_PROXY)
    claims = ["", "8.8.8.8, ", "127.0.0.1, ", "10.0.0.1, 127.0.0.1, ", "unknown, "]

    def guess(number: int) -> str:
        # Forged words stand left of what the proxy wrote.
        return outcome(sign_in(server.client(), f"name{number}", f"{claims[number % len(claims)]}192.0.2.1"))

    with ThreadPoolExecutor(8) as pool:
        outcomes = Counter(pool.map(guess, range(60)))
    assert outcomes["sign_in_failed"] >= 50 and outcomes["too_many_requests"] >= 1, outcomes
    # One more may have become free meanwhile.
    for _ in range(3):
        held = sign_in(server.client(), "another", "for=192.0.2.1", field="Forwarded")
        if held.status_code == 429:
            break
    assert (held.status_code, error_code(held)) == (429, "too_many_requests")
    assert int(held.headers["Retry-After"]) >= 1
    assert outcome(sign_in(server.client(), "another", "192.0.2.2")) == "sign_in_failed"


def test_without_the_setting_nobody_is_believed_and_the_start_says_so(start):
    server = start()
    assert "no proxies are set (--trusted-proxies)" in server.log_text()
    assert outcome(sign_in(server.client(), "ada", "192.0.2.1")) == "sign_in_failed"
    named = start(arguments=("--trusted-proxies", "none"))
    assert "no proxies are set" not in named.log_text()


@pytest.mark.parametrize("setting", ["10.0.0.0/40", "proxy.example.com", "none,10.0.0.1"])
def test_a_wrong_proxy_is_refused(start, setting: str):
    with pytest.raises(RuntimeError, match="ended with 64") as refused:
        start(arguments=("--trusted-proxies", setting))
    assert "the trusted prox" in str(refused.value) or "a trusted proxy must be" in str(refused.value)


class From(HTTPAdapter):
    """Connects from another address of this machine."""

    def __init__(self, address: str) -> None:
        self.address = address
        super().__init__()

    def init_poolmanager(self, *arguments: Any, **more: Any) -> None:
        super().init_poolmanager(*arguments, source_address=(self.address, 0), **more)


@pytest.mark.timeout(600)
def test_one_client_with_many_passwords_takes_no_turn_from_others(start):
    """One address sends far more passwords than the queue holds; twelve people at other addresses all sign in."""
    server = start(arguments=("--password-memory", "64MiB"))
    people = [f"person{number}" for number in range(12)]
    for name in people:
        assert create(server.client(), name, "").status_code == 201
    done = threading.Event()

    def flood(number: int) -> Counter:
        outcomes: Counter = Counter()
        client = server.client()
        while not done.is_set():
            outcomes[outcome(sign_in(client, f"nobody{number}.{sum(outcomes.values())}", ""))] += 1
        return outcomes

    def person(number: int) -> str:
        # A new browser, so that only the address tells it from the flood.
        client = server.client()
        client.http.mount("http://", From(f"127.0.0.{number + 2}"))
        url = f"http://127.0.0.1:{server.port}/api/v1/sign-in/password"
        body = {"username": people[number], "password": PASSWORD}
        return outcome(client.http.post(url, json=body, timeout=500))

    with ThreadPoolExecutor(120) as pool:
        floods = [pool.submit(flood, number) for number in range(100)]
        try:
            signed_in = list(pool.map(person, range(len(people))))
        finally:
            done.set()
        seen = sum((flood.result() for flood in floods), Counter())
    assert signed_in == ["ok"] * len(people), (signed_in, seen)
    assert seen["passwords_busy"] > 0, "the queue was never full"
