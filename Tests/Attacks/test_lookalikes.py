"""Calls about accounts that exist and accounts that do not are answered alike, 500 times each; their times are in `make timing`."""

from __future__ import annotations

import random
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from lookalikes import Caller, Stage
from timing import Comparison, answers

RUNS = 500
CROWD = 10
#: Each of these needs a comparison of a password.
SLOW_RUNS = 20
TITLES = [
    "sign-in options, of a passkey",
    "sign-in options, of a password",
    "recovery by mail, to an address",
    "recovery by mail, without an address",
    "a code by e-mail, for a sign-in that is over",
    "a code by text message, for a sign-in that is over",
    "a wrong password",
    "a wrong password, where only a passkey was",
    "a wrong password, where the password was removed",
]


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    folder = tmp_path_factory.mktemp("lookalikes")
    folder.chmod(0o700)
    with Stage(folder) as stage:
        yield stage


@pytest.fixture(scope="module")
def pairs(stage: Stage):
    found = {pair.title: pair for pair in stage.pairs()}
    assert list(found) == TITLES
    return found


@pytest.mark.parametrize("title", TITLES)
def test_an_account_that_exists_is_answered_like_one_that_does_not(stage: Stage, pairs, title: str):
    pair = pairs[title]
    if pair.is_slow:
        existing, missing = answers(stage, pair, SLOW_RUNS, random.Random(1))
    else:
        # Several at once share what the store writes.
        with ThreadPoolExecutor(CROWD) as crowd:
            parts = list(crowd.map(lambda seed: answers(stage, pair, RUNS // CROWD, random.Random(seed)), range(CROWD)))
        existing, missing = ([answer for part in parts for answer in part[side]] for side in (0, 1))
    assert {answer.status for answer in existing} == {answer.status for answer in missing}
    assert len({answer.status for answer in existing}) == 1, "a limit would hide the difference"
    # All headers but the date, the request's number and the length of the body, byte by byte.
    assert {answer.headers for answer in existing} == {answer.headers for answer in missing}
    shapes = [repr(answer.shape) for answer in [*existing, *missing]]
    assert len(set(shapes)) == 1, set(shapes)


def test_what_is_answered_otherwise_is_seen(stage: Stage):
    """The comparison above can fail."""
    for control in stage.controls():
        existing, missing = answers(stage, control, 1, random.Random(1))
        assert existing[0].status != missing[0].status and existing[0].shape != missing[0].shape


def test_answers_name_no_account(stage: Stage):
    answer = Caller(stage.server).post("sign-in/password", {"username": "owner000", "password": "a wrong teapot 41"})
    assert answer.status == 401 and b"owner000" not in answer.body


def times(seed: int, shift: float) -> Comparison:
    """500 pairs like those of a service on a busy machine: most near a millisecond, some much later. `shift` is the leak."""
    dice = random.Random(seed)

    def one() -> float:
        return 1e-3 + dice.expovariate(1 / 1e-4) + (5e-3 if dice.random() < 0.05 else 0)

    return Comparison.of([one() + shift for _ in range(500)], [one() for _ in range(500)])


def test_the_statistic_finds_a_planted_difference_and_no_other():
    for seed in range(20):
        none, small, large = times(seed, 0), times(seed, 3e-5), times(seed, 2e-4)
        assert not none.is_noted and not none.is_told_apart, none
        assert abs(small.delta) < 0.4, small
        assert large.is_told_apart and large.delta > 0.5, large
        turned = times(seed, -2e-4)
        assert turned.is_told_apart and turned.difference < 0
    small = [times(seed, 3e-5) for seed in range(20)]
    assert sum(found.is_noted for found in small) > 10 > sum(found.is_told_apart for found in small)
    same = Comparison.of([1.0] * 50, [1.0] * 50)
    assert not same.is_noted and same.sign_probability == 1 and same.rank_probability == 1
