"""Whether a password keeps rules of the attribute passwordrules, read with a regular expression and no code of Ward's."""

import functools
import re
import string

SETS = {
    "lower": string.ascii_lowercase,
    "upper": string.ascii_uppercase,
    "digit": string.digits,
    "special": "-~!@#$%^&*_+=`|(){}[:;\"'<>,.?] ",
    "ascii-printable": "".join(chr(code) for code in range(0x20, 0x7F)),
    "unicode": "".join(chr(code) for code in range(0x20, 0x7F)),
}
# A set in brackets ends with the first bracket that no other follows.
SET = r"(?:\[[^\]]*\]\]|\[[^\]]*\](?!\])|[A-Za-z-]+)"
RULE = re.compile(rf"\s*([A-Za-z-]+)\s*:\s*(\d+|{SET}(?:\s*,\s*{SET})*)\s*(?:;|$)")


def members(text):
    """The characters of one set."""
    if not text.startswith("["):
        return set(SETS[text.lower()])
    inner = text[1:-1]
    return {character for index, character in enumerate(inner) if " " <= character <= "~" and (character != "-" or index == 0)}


@functools.cache
def read(text):
    """The rules as (name, number or set), in the order of the text; fails where the text has anything else."""
    found, position = [], 0
    while text[position:].strip(" ;"):
        rule = RULE.match(text, position)
        assert rule, text[position:]
        name, value = rule.group(1).lower(), rule.group(2)
        found.append((name, int(value) if value.isdigit() else set().union(*map(members, re.findall(SET, value)))))
        position = rule.end()
        while position < len(text) and text[position] in "; ":
            position += 1
    return found


def problem(password, text):
    """What a password does against the rules; None if it keeps them."""
    rules = read(text)
    required = [value for name, value in rules if name == "required"]
    allowed = set().union(*required, *(value for name, value in rules if name == "allowed")) or set(SETS["ascii-printable"])
    if not set(password) <= allowed:
        return f"has {set(password) - allowed}"
    for name, value in rules:
        if name == "minlength" and len(password) < value:
            return "is too short"
        if name == "maxlength" and len(password) > value:
            return "is too long"
        if name == "required" and not set(password) & value:
            return f"has none of {value}"
        if name == "max-consecutive" and re.search(rf"(.)\1{{{value}}}", password):
            return "repeats a character"
    return None
