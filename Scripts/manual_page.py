"""Writes a manual page (mdoc(7)) from what a program says of itself: `PROGRAM --experimental-dump-help`, and a file with the
sections that no program knows. What stands in that file before its first section is the description.

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


def head(argument: dict[str, Any], with_value: bool = True) -> str:
    """An option or an argument by name."""
    value = escape(argument.get("valueName", ""))
    if argument["kind"] == "positional":
        return f"Ar {value}" + (" ..." if with_value and argument.get("isRepeating") else "")
    names = ["\\-" + name["name"].replace("-", "\\-") if name["kind"] == "long" else name["name"] for name in argument["names"]]
    return "Fl " + " , ".join(sorted(names, key=len)) + (f" Ar {value}" if with_value and argument["kind"] == "option" else "")


def options(arguments: list[dict[str, Any]]) -> list[str]:
    """Options and arguments with what they do; one that turns another off stands beside it."""
    out = [".Bl -tag -width 6n"]
    texts = {head(one): prose(one.get("abstract", "")) for one in arguments}
    for name, text in texts.items():
        off = "\\-no" + name.removeprefix("Fl ")
        if name.startswith("Fl \\-no\\-") and name.replace("\\-no", "", 1) in texts:
            continue
        out += [f".It {name} , {off}", text, f"\\-{off} turns this off."] if f"Fl {off}" in texts else [f".It {name}", text]
    return [*out, ".El"]


def visible(command: Command) -> list[dict[str, Any]]:
    return [argument for argument in command.get("arguments", []) if argument.get("shouldDisplay", True)]


def key(argument: dict[str, Any]) -> str:
    """One for all options of a name that begin to say the same."""
    return json.dumps([argument.get("names"), argument.get("valueName"), re.split(r"; |\.", argument.get("abstract", ""))[0]])


def name_paths(command: Command, path: str) -> None:
    """Notes in each command how it is called."""
    command["path"] = path
    for sub in command.get("subcommands", []):
        name_paths(sub, f"{path} {sub['commandName']}")


def leaves(command: Command) -> list[Command]:
    subcommands = [sub for sub in command.get("subcommands", []) if sub["commandName"] != "help"]
    return [leaf for sub in subcommands for leaf in leaves(sub)] if subcommands else [command]


def shared_by(ends: list[Command], common: set[str]) -> dict[str, list[Command]]:
    """The options that several commands have, with those commands."""
    users: dict[str, list[Command]] = {}
    for leaf in ends:
        for argument in visible(leaf):
            if key(argument) not in common:
                users.setdefault(key(argument), []).append(leaf)
    return {one: commands for one, commands in users.items() if len(commands) > 1}


def fullest(texts: list[dict[str, Any]]) -> dict[str, Any]:
    """Of options that say nearly the same: what most of them say, or else what says most."""
    said = [text.get("abstract", "") for text in texts]
    return max(texts, key=lambda text: (said.count(text.get("abstract", "")), len(text.get("abstract", ""))))


def shared_options(shared: dict[str, list[Command]]) -> list[str]:
    """Each option that several commands have, once, under the commands that have it."""
    groups: dict[tuple[str, ...], list[dict[str, Any]]] = {}
    for one, commands in shared.items():
        found = [argument for leaf in commands for argument in visible(leaf) if key(argument) == one]
        groups.setdefault(tuple(leaf["path"] for leaf in commands), []).append(fullest(found))
    out = [".Sh SHARED OPTIONS", "Several commands take these."]
    for paths, arguments in groups.items():
        out += [".Ss " + escape(", ".join(paths)), *options(arguments)]
    return out


def describe(command: Command, shared: dict[str, list[Command]], common: set[str], path: str) -> list[str]:
    """A command with its own options, the names of those that it shares, then its subcommands."""
    out = [f".It Em {escape(path)}", prose(command.get("abstract", ""))]
    out += paragraphs(command["discussion"]) if command.get("discussion") else []
    own = [argument for argument in visible(command) if key(argument) not in common]
    others = [argument for argument in own if key(argument) in shared]
    if others:
        last = len(others) - 1
        names = [f".{head(one, with_value=False)}" + (" ," if n < last - 1 else "\nand" if n == last - 1 else "") for n, one in enumerate(others)]
        out += [".Pp", "See", ".Sx SHARED OPTIONS", "for", *names[:-1], f"{names[-1]} ."]
    own = [argument for argument in own if key(argument) not in shared]
    out += options(own) if own else []
    for sub in command.get("subcommands", []):
        if sub["commandName"] != "help":
            out += describe(sub, shared, common, f"{path} {sub['commandName']}")
    return out


def page(program: str, section: str, date: str, tail: str) -> str:
    dump = subprocess.run([program, "--experimental-dump-help"], check=True, capture_output=True, text=True).stdout
    command = json.loads(dump)["command"]
    name = command["commandName"]
    for sub in command["subcommands"]:
        name_paths(sub, sub["commandName"])
    ends = leaves(command)
    counts: dict[str, int] = {}
    for leaf in ends:
        for argument in visible(leaf):
            counts[key(argument)] = counts.get(key(argument), 0) + 1
    common = {one for one, count in counts.items() if count > 1 and count >= len(ends) / 2} | {key(one) for one in visible(command)}
    of_most = list({key(one): one for part in [command, *ends] for one in visible(part) if key(one) in common}.values())
    shared = shared_by(ends, common)
    lead, _, sections = tail.partition(".Sh ")
    out = [
        '.\\" Written by Scripts/manual.', f".Dd {date}", f".Dt {name.upper()} {section}", ".Os", ".Sh NAME", f".Nm {escape(name)}",
        f".Nd {escape(command['abstract'].rstrip('.'))}", ".Sh SYNOPSIS", ".Nm", ".Ar command", ".Op Ar options", ".Sh DESCRIPTION",
    ]  # fmt: skip
    # What points to this very page is left out.
    discussion = "\n\n".join(part for part in command.get("discussion", "").split("\n\n") if f"man {name}" not in part)
    out += paragraphs(discussion)[1:] if discussion else []
    out += [lead.rstrip("\n")] if lead else []
    out += [".Sh COMMON OPTIONS", "Most commands take these.", *options(of_most)]
    subcommands = [sub for sub in command["subcommands"] if sub["commandName"] != "help"]
    for title, isShown in (("COMMANDS", True), ("COMMANDS FOR OTHER PROGRAMS", False)):
        chosen = [sub for sub in subcommands if sub.get("shouldDisplay", True) == isShown]
        if chosen:
            out += [f".Sh {title}", ".Bl -tag -width 6n"]
            out += [line for sub in chosen for line in describe(sub, shared, common, sub["commandName"])] + [".El"]
    out += shared_options(shared) if shared else []
    return "\n".join(out) + "\n.Sh " + sections.rstrip("\n") + "\n"


if __name__ == "__main__":
    _, program, section, date, tail = sys.argv
    sys.stdout.write(page(program, section, date, Path(tail).read_text()))
