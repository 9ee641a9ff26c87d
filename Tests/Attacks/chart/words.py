"""How a cell is said, in the terminal and in the picture."""

from __future__ import annotations

from .judge import Outcome, Verdict

MARKS = {"good": "✓", "middle": "◐", "bad": "✗", "none": ""}

#: In the order of the legend.
MEANINGS = {
    Verdict.HELD: "the account stayed shut",
    Verdict.READ: "the attacker reads the account, and cannot take it over",
    Verdict.FELL: "the attacker takes the account over",
    Verdict.NAGGED: "the owner gets questions, codes or links that the attacker asked for",
    Verdict.YES: "the owner did it alone",
    Verdict.HELPED: "somebody who runs the service must help",
    Verdict.NO: "it did not work",
}


def tone(outcome: Outcome | None) -> str:
    if outcome is None or outcome.verdict is None:
        return "none"
    return "good" if outcome.verdict.is_good else "bad" if outcome.verdict.is_bad else "middle"


def word(outcome: Outcome | None) -> str:
    """One word, or the keys that were pressed."""
    if outcome is None:
        return ""
    if outcome.verdict is None:
        return "not run"
    if "next" in outcome.figures:
        return f"{outcome.figures['next']['keys']} keys"
    return outcome.verdict.value


def tries(outcome: Outcome | None) -> int:
    """How often the attacker tried, at the service and at a stolen database."""
    if outcome is None or outcome.verdict in (None, Verdict.YES, Verdict.HELPED, Verdict.NO, Verdict.TYPED, Verdict.UNTYPED):
        return 0
    return outcome.tries + outcome.figures.get("compared", 0)


def detail(outcome: Outcome | None) -> str:
    """What the word leaves out: how much was done."""
    if outcome is None:
        return ""
    if "next" in outcome.figures:
        return f"{outcome.figures['next']['seconds']:.1f} s"
    number = tries(outcome)
    if "prompts" in outcome.figures:
        return f"{outcome.figures['prompts']} in {number} tries"
    return {0: "", 1: "1 try"}.get(number, f"{number} tries")
