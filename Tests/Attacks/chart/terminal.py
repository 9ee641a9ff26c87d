"""The chart for a terminal."""

from __future__ import annotations

from collections.abc import Callable

from .judge import Outcome
from .methods import METHODS
from .results import Results
from .rows import ROWS
from .words import MARKS, MEANINGS, tone, tries, word

LABEL = 24
WIDEST = 16
Find = Callable[[str, str], Outcome | None]
COLOURS = {"good": "32", "middle": "33", "bad": "31", "none": "2"}


def chart(results: Results, width: int, *, colours: bool) -> str:
    """Two tables in at most this many columns: the methods as they are, and each without its defence."""
    lines = [*table(results.cell, width, colours)]
    lines += ["", "The same programs after a defence was removed:", "", *table(results.turned, width, colours)]
    lines += ["", *legend(results, width, colours)]
    return "\n".join(line.rstrip() for line in lines)


def table(find: Find, width: int, colours: bool) -> list[str]:
    rooms = column_widths(width - LABEL, find)
    heads = zip(*(method.title for method in METHODS), strict=True)
    lines = [" " * LABEL + "".join(f"{part:{room}}" for part, room in zip(parts, rooms, strict=True)) for parts in heads]
    shown = None
    for row in ROWS:
        cells = [find(row.key, method.key) for method in METHODS]
        if not any(cells):
            continue
        if row.part != shown:
            shown = row.part
            lines += ["", paint(shown.value, "1", colours)]
        texts = (cell_text(cell, room, colours) for cell, room in zip(cells, rooms, strict=True))
        lines.append(f"{row.title:{LABEL}}{''.join(texts)}")
    return lines


def column_widths(space: int, find: Find) -> list[int]:
    """Even widths, with what is left over where heads or cells are long."""
    even = min(WIDEST, space // len(METHODS))
    texts = [[*method.title, *(marked(find(row.key, method.key)) for row in ROWS)] for method in METHODS]
    rooms = [max(even, 1 + max(map(len, column))) for column in texts]
    return rooms if sum(rooms) <= space else [even] * len(METHODS)


def marked(cell: Outcome | None) -> str:
    return f"{MARKS[tone(cell)]} {word(cell)}".strip()


def cell_text(cell: Outcome | None, room: int, colours: bool) -> str:
    text = marked(cell)
    if (number := tries(cell)) and len(f"{text} ({number}) ") <= room:
        text += f" ({number})"
    return paint(text, COLOURS[tone(cell)], colours) + " " * (room - len(text))


def paint(text: str, colour: str, colours: bool) -> str:
    return f"\033[{colour}m{text}\033[0m" if colours else text


def legend(results: Results, width: int, colours: bool) -> list[str]:
    used = {it.verdict for it in [*results.cells, *results.undefended]}
    lines = [f"{verdict.value + ':':8}{meaning}" for verdict, meaning in MEANINGS.items() if verdict in used]
    lines.append("keys:   keys that the owner pressed at the second sign-in, in Chromium")
    if max(column_widths(width - LABEL, results.cell)) >= 12:
        lines.append("(60):   how often the attacker tried")
    lines += [f"not run: {it}" for it in dict.fromkeys(it.why for it in results.cells if it.why)]
    return lines
