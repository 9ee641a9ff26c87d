"""How much an attacker tries: little in the tests, more where somebody wants to see the chart."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Effort:
    #: Tries at the service: passwords, codes, or keys.
    guesses: int
    #: Passphrases at a stolen vault.
    passphrases: int
    #: Passwords that are compared with a stolen hash.
    cracked: int
    #: Requests with which the attacker wants something to appear at the owner.
    prompts: int
    #: Pieces of a stolen database that are shown to the service as cookies.
    pieces: int


QUICK = Effort(guesses=12, passphrases=3, cracked=24, prompts=4, pieces=40)
FULL = Effort(guesses=60, passphrases=10, cracked=600, prompts=20, pieces=1_000)
