"""Kill -9 and power: what was answered is kept."""

import random
import re
import shutil
import sqlite3
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
import requests
from wardserver import Person, Server


def integrity(server: Server) -> list[tuple]:
    with sqlite3.connect(f"file:{server.database}?mode=ro", uri=True) as database:
        return database.execute("PRAGMA integrity_check").fetchall() + database.execute(
            "PRAGMA foreign_key_check"
        ).fetchall()


@pytest.mark.timeout(600)
def test_a_thousand_registrations_survive_kill_minus_nine(start):
    """Six workers register a thousand people; three times, at moments nobody chose, the server is killed."""
    total, kills = 1_000, 3
    server = start(log_level="warning")
    answered: list[Person] = []
    unanswered: list[Person] = []
    alive = threading.Event()
    alive.set()
    finished = threading.Event()
    deaths = random.Random()

    def register(number: int) -> None:
        person = server.person(f"survivor{number}")
        for _ in range(200):
            alive.wait(120)
            try:
                answer = person.register()
            except (requests.RequestException, AssertionError):
                unanswered.append(person)
                person = server.person(f"{person.name}x")
                time.sleep(0.05)
                continue
            assert answer.status_code == 201, answer.text
            answered.append(person)
            return
        raise AssertionError("the server never came back")

    def reap() -> None:
        for round in range(kills):
            goal = total * (round + 1) // (kills + 1)
            while len(answered) < goal and not finished.is_set():
                time.sleep(0.001)
            time.sleep(deaths.uniform(0, 0.05))
            alive.clear()
            server.kill()
            assert integrity(server) == [("ok",)]
            server.start()
            alive.set()

    with ThreadPoolExecutor(1) as reaper, ThreadPoolExecutor(6) as workers:
        reaping = reaper.submit(reap)
        try:
            list(workers.map(register, range(total)))
        finally:
            finished.set()
            alive.set()
        reaping.result(120)

    assert len(answered) == total
    assert unanswered, "no kill hit a registration: the test proved nothing"
    server.kill()
    assert integrity(server) == [("ok",)]
    server.start()
    assert integrity(server) == [("ok",)]

    def check(person: Person) -> None:
        assert person.account()["account"]["username"] == person.name
        assert person.sign_in(typed=True).status_code == 200

    with ThreadPoolExecutor(6) as workers:
        list(workers.map(check, answered))

    # What was not answered is there as a whole or not at all.
    for person in unanswered:
        if any(person.browser.authenticator.credentials):
            answer = person.sign_in()
            assert answer.status_code in (200, 401)


def test_a_session_and_a_ceremony_survive_a_restart(start):
    server = start()
    person = server.person("ada")
    assert person.register().status_code == 201
    options = person.options("sign-in", {})
    assert server.stop() == 0
    server.start()
    assert person.account()["account"]["username"] == "ada"
    credential = person.browser.get(options["publicKey"])
    answer = person.post("sign-in/verify", {"ceremony": options["ceremony"], "credential": credential})
    assert answer.status_code == 200


def test_every_answered_write_was_flushed_to_the_disk(tmp_path):
    """SQLite's own setting says little: what counts is that the system was asked to flush before each answer."""
    strace = shutil.which("strace")
    if strace is None:
        pytest.skip("strace is not installed")
    trace = tmp_path / "trace"
    # -D: the server stays our own child, and gets our signals.
    wrapper = (strace, "-D", "-f", "-qq", "-e", "trace=fsync,fdatasync", "-e", "signal=none", "-o", str(trace))
    server = Server(tmp_path, wrapper=wrapper)
    try:
        server.start()
    except RuntimeError as error:
        if "ptrace" in str(error) or "Operation not permitted" in str(error):
            pytest.skip("this machine allows no tracing")
        raise

    def flushes() -> int:
        return len(re.findall(r"f(?:data)?sync\(", trace.read_text()))

    try:
        person = server.person("ada")
        assert person.register().status_code == 201
        for _ in range(10):
            options = person.options("sign-in", {})
            credential = person.browser.get(options["publicKey"])
            before = flushes()
            answer = person.post("sign-in/verify", {"ceremony": options["ceremony"], "credential": credential})
            assert answer.status_code == 200
            assert flushes() > before, "a sign-in was answered before it was on the disk"
    finally:
        server.stop()
