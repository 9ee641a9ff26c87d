"""Somebody who guesses passwords: what they learn, how often they may try, and who notices."""

import statistics
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
import requests
from passwordaccounts import create, sign_in, upgrade
from wardserver import Person, error_code


def test_every_failed_sign_in_answers_alike(server, member: Person, name: str):
    owner = f"owner.{name}"
    assert create(server.client(), owner).status_code == 201
    answers = {}
    # The last two can be nobody's name; each is tried by this test alone, as wrong passwords are counted by name.
    for who in (owner, member.name, f"nobody.{name}", f"no {name}", f"\n{name}"):
        answer = sign_in(server.client(), who, "a wrong one")
        assert len(answer.headers["x-request-id"]) == 16
        fixed = {field: value for field, value in answer.headers.items() if field.lower() not in ("date", "x-request-id")}
        answers[who] = (answer.status_code, answer.text, tuple(sorted(fixed.items())))
    assert len(set(answers.values())) == 1, answers
    assert answers[owner][0] == 401


@pytest.mark.timeout(300)
def test_a_name_that_nobody_has_takes_the_time_of_a_wrong_password(server, member: Person, name: str):
    """Interleaved, medians of many; without the decoy the one would be a tenth of the other."""
    kinds = {"known": "timed", "unknown": "absent"}
    for number in range(8):
        assert create(server.client(), f"timed{number}.{name}").status_code == 201
    client = server.client()
    times: dict[str, list[float]] = {"known": [], "unknown": [], "passkey": []}
    for attempt in range(8):
        for number in range(8):
            for kind in times:
                who = f"{kinds[kind]}{number}.{name}" if kind in kinds else None
                if who is None and number > 0:
                    continue
                began = time.perf_counter()
                answer = sign_in(client, who or member.name, f"a wrong one {attempt}")
                times[kind].append(time.perf_counter() - began)
                assert answer.status_code == 401, answer.text
    medians = {kind: statistics.median(values) for kind, values in times.items()}
    assert 0.7 < medians["known"] / medians["unknown"] < 1.4, medians
    assert 0.5 < medians["passkey"] / medians["unknown"] < 2, medians


def test_after_ten_wrong_passwords_a_name_waits_and_its_passkey_does_not(server, person: Person):
    assert create(person, person.name).status_code == 201
    assert upgrade(person, flags=0x1D).status_code == 201
    # At once: what is in work counts, so a burst gets no more tries than it would one after the other.
    with ThreadPoolExecutor(20) as crowd:
        wrong = list(crowd.map(lambda number: sign_in(server.client(), person.name, f"wrong {number}"), range(30)))
    codes = [error_code(answer) for answer in wrong]
    assert codes.count("sign_in_failed") <= 10
    assert set(codes) <= {"sign_in_failed", "too_many_attempts"}
    held = sign_in(server.client(), person.name)
    assert (held.status_code, error_code(held)) == (429, "too_many_attempts")
    assert 1 <= int(held.headers["Retry-After"]) <= 900
    assert person.sign_in().status_code == 200


@pytest.mark.timeout(600)
def test_a_burst_of_passwords_leaves_the_rest_alone(start):
    """Many more than the queue holds: each is answered or told to come again; health and passkeys go on meanwhile."""
    # Slow enough that the queue fills, and quick enough that a busy machine answers its last one in time.
    server = start(arguments=("--password-passes", "5"))
    ada = server.person("ada")
    assert ada.register().status_code == 201
    done = threading.Event()

    def guess(number: int) -> requests.Response:
        # The last one waits for all in the queue before it, on a machine that may be busy.
        return server.client().post(
            "sign-in/password", {"username": f"nobody{number}", "password": "a wrong one"}, timeout=500
        )

    def others() -> int:
        rounds = 0
        while not done.is_set() or rounds == 0:
            assert server.client().get("/healthz").status_code == 200
            assert ada.sign_in().status_code == 200
            rounds += 1
        return rounds

    with ThreadPoolExecutor(161) as crowd:
        going_on = crowd.submit(others)
        try:
            answers = list(crowd.map(guess, range(160)))
        finally:
            done.set()
        assert going_on.result() >= 1
    codes = [error_code(answer) for answer in answers]
    assert set(codes) == {"sign_in_failed", "passwords_busy"}
    for answer, code in zip(answers, codes, strict=True):
        if code == "passwords_busy":
            assert answer.status_code == 503 and int(answer.headers["Retry-After"]) >= 1
