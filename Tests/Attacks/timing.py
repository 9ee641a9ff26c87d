"""Whether a stranger can tell by the time of answers that a name has an account: what `make timing` measures.

    python -m timing [--runs N] [--json FILE]

For each call, N pairs are sent over one connection: one call about an account that exists and one about an account that does
not, in an order that is random for each pair. A pair is told apart if three things hold:

- the sign test over the pairs has a probability below one in a million,
- the Mann-Whitney test over all times has one too,
- Cliff's delta is beyond a third: of two answers, the one about the account that exists is the slower one (or the faster one) in
  more than two of three cases.

With enough pairs, a difference of a microsecond makes the first two small. The third one does not grow with the number of pairs: it
says how much one answer tells. Unlike a difference in seconds, it needs no scale, and a few answers that a busy machine gives late do
not change it. A pair with small probabilities and a small delta is noted and does not fail. Controls have a known difference, and the
run fails unless it finds each of them.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import statistics
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from lookalikes import LIFT_AFTER, Answer, Caller, Pair, Stage

#: The probability below which a difference is no accident.
SMALL = 1e-6
#: Cliff's delta above which a difference is large.
LARGE = 1 / 3


def tail(deviations: float) -> float:
    """The probability that a normal value is as far from its mean, on either side."""
    return math.erfc(abs(deviations) / math.sqrt(2))


@dataclass(frozen=True)
class Comparison:
    """Two series of times, of which the n-th of both belong together; all times in seconds."""

    count: int
    existing: float
    missing: float
    #: The median of the differences of pairs.
    difference: float
    #: The distance between the quartiles of all times.
    spread: float
    #: The share of pairs of all times in which the existing one was slower, less those in which it was faster: -1 to 1.
    delta: float
    sign_probability: float
    rank_probability: float

    @classmethod
    def of(cls, existing: Sequence[float], missing: Sequence[float]) -> Comparison:
        count = len(existing)
        assert count == len(missing) and count >= 20
        differences = [one - other for one, other in zip(existing, missing, strict=True)]
        slower, faster = sum(value > 0 for value in differences), sum(value < 0 for value in differences)
        # Equal times say nothing. The correction is for the step from counts to the normal distribution.
        sign = (max(0.0, abs(slower - faster) - 1)) / math.sqrt(slower + faster) if slower + faster else 0.0
        ranks, ties = rank([*existing, *missing])
        total = 2 * count
        wins = sum(ranks[:count]) - count * (count + 1) / 2
        variance = count * count / 12 * (total + 1 - ties / (total * (total - 1)))
        deviation = (wins - count * count / 2) / math.sqrt(variance) if variance > 0 else 0.0
        quartiles = statistics.quantiles([*existing, *missing], n=4)
        return cls(
            count,
            statistics.median(existing),
            statistics.median(missing),
            statistics.median(differences),
            quartiles[2] - quartiles[0],
            2 * wins / (count * count) - 1,
            tail(sign),
            tail(deviation),
        )

    @property
    def is_noted(self) -> bool:
        """Whether the difference is no accident."""
        return self.sign_probability < SMALL and self.rank_probability < SMALL

    @property
    def is_told_apart(self) -> bool:
        """Whether the difference is no accident, and large."""
        return self.is_noted and abs(self.delta) > LARGE


def rank(values: Sequence[float]) -> tuple[list[float], float]:
    """The rank of each value, and the correction for values that are equal; these share the mean of their ranks."""
    order = sorted(range(len(values)), key=values.__getitem__)
    ranks, ties, first = [0.0] * len(values), 0.0, 0
    while first < len(order):
        last = first
        while last + 1 < len(order) and values[order[last + 1]] == values[order[first]]:
            last += 1
        for place in range(first, last + 1):
            ranks[order[place]] = (first + last) / 2 + 1
        size = last - first + 1
        ties += size**3 - size
        first = last + 1
    return ranks, ties


def answers(stage: Stage, pair: Pair, runs: int, order: random.Random) -> tuple[list[Answer], list[Answer]]:
    """The answers to the calls of a pair, which are sent one after the other in random order."""
    caller = Caller(stage.server)
    existing: list[Answer] = []
    missing: list[Answer] = []
    for number in range(runs):
        if number % LIFT_AFTER == 0:
            stage.lift()
        calls = [(pair.existing, existing), (pair.missing, missing)]
        order.shuffle(calls)
        for call, kept in calls:
            kept.append(call(caller))
    return existing, missing


def measure(stage: Stage, pair: Pair, runs: int, order: random.Random) -> Comparison:
    # The first answers fill caches.
    answers(stage, pair, min(20, runs), order)
    existing, missing = answers(stage, pair, runs, order)
    return Comparison.of([answer.seconds for answer in existing], [answer.seconds for answer in missing])


def main() -> int:
    parser = argparse.ArgumentParser(description="Measures whether the time of an answer tells that a name has an account.")
    parser.add_argument("--runs", type=int, default=500, help="the number of pairs for each call (default: 500)")
    parser.add_argument("--json", type=Path, help="a file for the figures")
    options = parser.parse_args()
    if options.runs < 20:
        parser.error("--runs must be at least 20")
    order = random.Random()
    figures: dict[str, Comparison] = {}
    failed: list[str] = []
    print(f"{options.runs} pairs for each call; medians in milliseconds, differences and spread in microseconds\n")
    print(f"{'':54}{'existing':>9}{'missing':>9}{'differ':>9}{'spread':>9}{'delta':>8}{'sign p':>9}{'rank p':>9}")
    with tempfile.TemporaryDirectory(prefix="ward-timing-") as folder, Stage(Path(folder)) as stage:
        for pair in [*stage.controls(), *stage.pairs()]:
            found = figures[pair.title] = measure(stage, pair, options.runs, order)
            is_control = pair.title.startswith("control")
            if found.is_told_apart != is_control:
                failed.append(pair.title)
            word = "told apart" if found.is_told_apart else "noted" if found.is_noted else "alike"
            print(
                f"{pair.title:54}{found.existing * 1e3:9.3f}{found.missing * 1e3:9.3f}{found.difference * 1e6:9.1f}"
                f"{found.spread * 1e6:9.1f}{found.delta:8.3f}{found.sign_probability:9.1e}{found.rank_probability:9.1e}  {word}",
                flush=True,
            )
    if options.json:
        options.json.write_text(json.dumps({title: asdict(found) for title, found in figures.items()}, indent=2) + "\n")
    for title in failed:
        what = "is not told apart: this run measures nothing" if title.startswith("control") else "is told apart"
        print(f"timing: {title}: {what}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
