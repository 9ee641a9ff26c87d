"""The chart as a picture, drawn from the outcomes of a run, which the picture has in it."""

from __future__ import annotations

import json
import re
from html import escape, unescape

from .judge import Outcome
from .methods import METHODS
from .results import Results
from .rows import ROWS, Part
from .words import MARKS, MEANINGS, detail, tone, word

LABEL, COLUMN, ROW, MARGIN = 196, 100, 40, 24
CHIP = 32

STYLE = """
    svg { color-scheme: light dark }
    text { font: 14px system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif; fill: #1f2328 }
    .paper { fill: #ffffff; stroke: #d1d9e0 }
    .title { font-size: 18px; font-weight: 600 }
    .head { font-size: 13px; font-weight: 600 }
    .part, .small { font-size: 12px; fill: #59636e }
    .more { font-size: 10.5px }
    .good { fill: #dafbe1 } .good-text { fill: #0a5523 }
    .middle { fill: #fff1c2 } .middle-text { fill: #664200 }
    .bad { fill: #ffdcd7 } .bad-text { fill: #96170f }
    .none { fill: #f1f3f5 } .none-text { fill: #59636e }
    @media (prefers-color-scheme: dark) {
        text { fill: #f0f6fc }
        .paper { fill: #0d1117; stroke: #3d444d }
        .part, .small { fill: #a8b3bf }
        .good { fill: #0f3d20 } .good-text { fill: #8ff0ae }
        .middle { fill: #463400 } .middle-text { fill: #ffd877 }
        .bad { fill: #581711 } .bad-text { fill: #ffb8ae }
        .none { fill: #21262d } .none-text { fill: #a8b3bf }
    }
"""


def picture(results: Results) -> str:
    """An SVG that can be read on light and dark pages."""
    width = 2 * MARGIN + LABEL + COLUMN * len(METHODS)
    parts: list[str] = []
    y = MARGIN + 16
    parts.append(text(MARGIN, y, "Attacks on running services, by the way to sign in", "title"))
    y += 34
    for column, method in enumerate(METHODS):
        for line, words in enumerate(method.title):
            parts.append(text(middle(column), y + 16 * line, words, "head", anchor="middle"))
    y += 16
    shown: Part | None = None
    for row in ROWS:
        if row.part != shown:
            shown = row.part
            y += 30
            parts.append(text(MARGIN, y, shown.value, "part"))
            y += 10
        parts.append(text(MARGIN, y + ROW / 2 + 1, row.title, ""))
        for column, method in enumerate(METHODS):
            parts.append(chip(column, y, results.cell(row.key, method.key)))
        y += ROW
    y += 24
    for line in captions(results):
        parts.append(text(MARGIN, y, line, "small"))
        y += 18
    height = y + MARGIN - 14
    data = escape(json.dumps(results.to_json(), separators=(",", ":")), quote=False)
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img">',
        f"<title>{escape(spoken(results))}</title>",
        "<!-- Made by Scripts/attacks from the outcomes in the next element. Do not edit it by hand: a test notices. -->",
        f'<metadata id="outcomes">{data}</metadata>',
        f"<style>{STYLE}</style>",
        f'<rect class="paper" x="0.5" y="0.5" width="{width - 1}" height="{height - 1}" rx="12"/>',
        *parts,
        "</svg>",
        "",
    ])  # fmt: skip


def outcomes(svg: str) -> Results:
    """The outcomes that a picture was made from."""
    [data] = re.findall(r'<metadata id="outcomes">(.*)</metadata>', svg)
    return Results.from_json(json.loads(unescape(data)))


def middle(column: int) -> float:
    return MARGIN + LABEL + COLUMN * (column + 0.5)


def text(x: float, y: float, words: str, kind: str, anchor: str = "start") -> str:
    return f'<text x="{x:g}" y="{y:g}" class="{kind}" text-anchor="{anchor}" dominant-baseline="central">{escape(words)}</text>'


def chip(column: int, y: float, cell: Outcome | None) -> str:
    kind = tone(cell)
    left = MARGIN + LABEL + COLUMN * column + 4
    top = y + (ROW - CHIP) / 2
    more = detail(cell)
    lines = [f'<rect class="{kind}" x="{left}" y="{top:g}" width="{COLUMN - 8}" height="{CHIP}" rx="6"/>']
    first = y + ROW / 2 - (6 if more else 0)
    lines.append(text(middle(column), first, f"{MARKS[kind]} {word(cell)}".strip(), f"{kind}-text", "middle"))
    if more:
        lines.append(text(middle(column), y + ROW / 2 + 9, more, f"{kind}-text more", "middle"))
    return "".join(lines)


def captions(results: Results) -> list[str]:
    used = {cell.verdict for cell in results.cells}
    meanings = [f"{verdict.value}: {meaning}" for verdict, meaning in MEANINGS.items() if verdict in used]
    lines = [" · ".join(meanings[start : start + 2]) for start in range(0, len(meanings), 2)]
    fallen = sum(control.verdict is not None and not control.verdict.is_good for control in results.controls)
    about = results.about
    turned = sum(changed(results, it) for it in results.undefended)
    return [
        *lines,
        "keys: keys that the owner pressed at the second sign-in, in Chromium",
        f"Each attack succeeds in a run where it must: {fallen} of {len(results.controls)}. "
        f"Without its defence, a cell changes: {turned} of {len(results.undefended)}.",
        f"Run on {about.get('day', '')} with ward-server {about.get('ward-server', '')} and Chromium {about.get('chromium', '').split('.')[0]}",
    ]


def changed(results: Results, undefended: Outcome) -> bool:
    cell = results.cell(undefended.row, undefended.method)
    return cell is not None and cell.verdict != undefended.verdict


def spoken(results: Results) -> str:
    """The whole chart in words, for people who hear it."""
    lines = []
    for row in ROWS:
        cells = [(method, results.cell(row.key, method.key)) for method in METHODS]
        words = [f"{' '.join(method.title)} {word(cell)}" for method, cell in cells if cell]
        lines.append(f"{row.title}: {', '.join(words)}.")
    return "Sign-in methods compared. " + " ".join(lines)
