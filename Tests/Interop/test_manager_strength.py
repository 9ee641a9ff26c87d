"""The strength of passwords beside zxcvbn of PyPI, which is another implementation of the same idea."""

from __future__ import annotations

import json
import random

from zxcvbn import zxcvbn
from zxcvbn.frequency_lists import FREQUENCY_LISTS

COUNT = 1000
# Estimates above this are not in the audit.
LIMIT = 40


def passwords() -> list[str]:
    """Passwords as people choose them, always the same."""
    chance = random.Random(7)
    common, names = list(FREQUENCY_LISTS["passwords"]), list(FREQUENCY_LISTS["surnames"])
    words = [word for word in FREQUENCY_LISTS["english_wikipedia"] if len(word) > 4]
    found: dict[str, None] = {}
    while len(found) < COUNT:
        word = chance.choice(words)
        kinds = [
            common[int(chance.random() ** 2 * len(common))], word.capitalize() + str(chance.randrange(100)),
            chance.choice(common)[:8] + str(chance.randrange(10)), chance.choice(names) + str(chance.randrange(1950, 2020)),
            word.replace("a", "4").replace("o", "0") + "!", word + chance.choice(words),
            "".join(chance.choice("abcdefghijklmnopqrstuvwxyz0123456789") for _ in range(chance.randrange(5, 12))),
            f"{chance.randrange(1, 29):02}.{chance.randrange(1, 13):02}.{chance.randrange(1950, 2025)}",
        ]
        found[chance.choice(kinds)] = None
    return list(found)


def ranks(values: list[float]) -> list[float]:
    """The rank of each value; equal values share the middle of their ranks."""
    places: dict[float, list[int]] = {}
    for place, value in enumerate(sorted(values)):
        places.setdefault(value, []).append(place)
    return [sum(places[value]) / len(places[value]) for value in values]


def correlation(one: list[float], other: list[float]) -> float:
    """Spearman's rank correlation."""
    one, other = ranks(one), ranks(other)
    middle = (len(one) - 1) / 2
    both = sum((x - middle) * (y - middle) for x, y in zip(one, other, strict=True))
    return both / (sum((x - middle) ** 2 for x in one) * sum((y - middle) ** 2 for y in other)) ** 0.5


def test_the_strength_has_the_ranks_of_zxcvbn(manager):
    manager.init()
    chosen = passwords()
    path = manager.folder / "passwords.csv"
    rows = [f'n{number},https://n{number}.x,,"{password.replace(chr(34), chr(34) * 2)}"' for number, password in enumerate(chosen)]
    path.write_text("\n".join(["name,url,username,password", *rows]) + "\n")
    assert manager.json("import", str(path), "--apply")["counts"]["added"] == COUNT
    problems = json.loads(manager.run("audit", "--json").stdout)["problems"]
    bits = {int(one["title"][1:]): one["bits"] for one in problems if one["kind"] == "weak"}
    ours = [bits.get(number, LIMIT) for number in range(COUNT)]
    guesses = [float(zxcvbn(password)["guesses"]) for password in chosen]
    assert len(bits) > COUNT // 2
    assert correlation(ours, guesses) > 0.8
    # Of those that zxcvbn guesses with a million tries, nearly all are called weak.
    easy = [number for number, tries in enumerate(guesses) if tries < 1e6]
    assert len(easy) > 200 and sum(number not in bits for number in easy) <= len(easy) // 50
