"""What attackers have from other services: the passwords that most people chose, and one that this person chose twice."""

from __future__ import annotations

from zxcvbn.frequency_lists import FREQUENCY_LISTS

#: The most frequent ones first, as the list of zxcvbn has them.
COMMON: list[str] = list(FREQUENCY_LISTS["passwords"])

#: Long enough for the rules of the service and easy to remember. Its owner has it at other services too, and one of them lost it.
REUSED = "Bluebird-over-Dover-1942"


def stolen_list(length: int) -> list[str]:
    """What somebody who cracks hashes goes through: common passwords, and in the middle of them those of earlier thefts."""
    half = length // 2
    return [*COMMON[:half], REUSED, *COMMON[half : length - 1]]
