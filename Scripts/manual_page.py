"""Writes a manual page (mdoc(7)) from what a program says of itself: `PROGRAM --experimental-dump-help`, and a file with the
sections that no program knows.

    manual_page.py PROGRAM SECTION DATE TAIL > PAGE
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

Command = dict[str, Any]


def escape(text: str) -> str:
    """Text as mdoc takes it: no macros at the beginning of a line, hyphens that can be searched for."""
    lines = text.replace("\\", "\\e").replace("-", "\\-").split("\n")
    return "\n".join("\\&" + line if line[:1] in (".", "'") else line for line in lines)


def prose(text: str) -> str:
    """Sentences, each on a line of its own."""
    return escape(re.sub(r"([.!?]) +", r"\1\n", text))


def paragraphs(text: str) -> list[str]:
    """Paragraphs of a discussion; lines that belong to an example stay as they are."""
    out: list[str] = []
    for part in re.split(r"\n\s*\n", text.strip()):
        lines = part.split("\n")
        is_example = all(re.match(r"[A-Z_]+=|ward\b|git ", line) for line in lines) and len(part) < 60 * len(lines) + 40
        if is_example:
            out += [".Bd -literal -offset indent", escape(part), ".Ed"]
        else:
            out += [".Pp", prose(" ".join(lines))]
    return out


def option(argument: dict[str, Any]) -> list[str]:
    """An option or an argument, with what it does."""
    value = argument.get("valueName", "")
    if argument["kind"] == "positional":
        head = f".It Ar {escape(value)}" + (" ..." if argument.get("isRepeating") else "")
    else:
        names = ["\\-" + name["name"].replace("-", "\\-") if name["kind"] == "long" else name["name"] for name in argument["names"]]
        head = ".It Fl " + " , ".join(sorted(names, key=len))
        if argument["kind"] == "option":
            head += f" Ar {escape(value)}"
    return [head, prose(argument.get("abstract", ""))]


def visible(command: Command) -> list[dict[str, Any]]:
    return [argument for argument in command.get("arguments", []) if argument.get("shouldDisplay", True)]


def key(argument: dict[str, Any]) -> str:
    return json.dumps([argument.get("names"), argument.get("abstract")])


def leaves(command: Command) -> list[Command]:
    subcommands = [sub for sub in command.get("subcommands", []) if sub["commandName"] != "help"]
    return [leaf for sub in subcommands for leaf in leaves(sub)] if subcommands else [command]


def describe(command: Command, shared: set[str], path: str) -> list[str]:
    """A command with its own options, then its subcommands."""
    out = [f".It Em {escape(path)}", prose(command.get("abstract", ""))]
    out += paragraphs(command["discussion"]) if command.get("discussion") else []
    own = [argument for argument in visible(command) if key(argument) not in shared]
    if own:
        out += [".Bl -tag -width 6n"] + [line for argument in own for line in option(argument)] + [".El"]
    for sub in command.get("subcommands", []):
        if sub["commandName"] != "help":
            out += describe(sub, shared, f"{path} {sub['commandName']}")
    return out


def page(program: str, section: str, date: str, tail: str) -> str:
    dump = subprocess.run([program, "--experimental-dump-help"], check=True, capture_output=True, text=True).stdout
    command = json.loads(dump)["command"]
    name = command["commandName"]
    ends = leaves(command)
    counts: dict[str, int] = {}
    for leaf in ends:
        for argument in visible(leaf):
            counts[key(argument)] = counts.get(key(argument), 0) + 1
    shared = {one for one, count in counts.items() if count > 1 and count >= len(ends) / 2} | {key(one) for one in visible(command)}
    common = list({key(one): one for part in [command, *ends] for one in visible(part) if key(one) in shared}.values())
    out = [
        '.\\" Written by Scripts/manual.', f".Dd {date}", f".Dt {name.upper()} {section}", ".Os", ".Sh NAME", f".Nm {escape(name)}",
        f".Nd {escape(command['abstract'].rstrip('.'))}", ".Sh SYNOPSIS", ".Nm", ".Ar command", ".Op Ar options", ".Sh DESCRIPTION",
    ]  # fmt: skip
    # What points to this very page is left out.
    discussion = "\n\n".join(part for part in command.get("discussion", "").split("\n\n") if f"man {name}" not in part)
    out += paragraphs(discussion)[1:] if discussion else []
    out += [".Sh COMMON OPTIONS", "Most commands take these.", ".Bl -tag -width 6n"]
    out += [line for argument in common for line in option(argument)] + [".El"]
    subcommands = [sub for sub in command["subcommands"] if sub["commandName"] != "help"]
    for title, isShown in (("COMMANDS", True), ("COMMANDS FOR OTHER PROGRAMS", False)):
        chosen = [sub for sub in subcommands if sub.get("shouldDisplay", True) == isShown]
        if chosen:
            out += [f".Sh {title}", ".Bl -tag -width 6n"]
            out += [line for sub in chosen for line in describe(sub, shared, sub["commandName"])] + [".El"]
    return "\n".join(out + [tail.rstrip("\n")]) + "\n"


if __name__ == "__main__":
    _, program, section, date, tail = sys.argv
    sys.stdout.write(page(program, section, date, Path(tail).read_text()))
