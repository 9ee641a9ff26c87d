"""Runs all attacks and prints the chart: what `make attacks` does.

    Scripts/attacks [--quick] [--row KEY]... [--json FILE] [--picture FILE]
    Scripts/attacks --from FILE [--picture FILE]
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import time
from pathlib import Path

from wardserver import ROOT

from .effort import FULL, QUICK
from .picture import picture
from .results import Results, run
from .rows import ROWS
from .stage import Stage
from .terminal import chart

LOGS = ROOT / ".build-logs"


def main() -> int:
    parser = argparse.ArgumentParser(prog="Scripts/attacks", description="Compares sign-in methods by attacks on running services.")
    parser.add_argument("--quick", action="store_true", help="fewer tries, as in the tests")
    parser.add_argument("--row", action="append", choices=[row.key for row in ROWS], help="this row only; can be repeated")
    parser.add_argument("--json", type=Path, default=LOGS / "attacks.json", help="the file for the outcomes (%(default)s)")
    parser.add_argument("--picture", type=Path, help="draws the chart into this file, as SVG")
    parser.add_argument("--from", type=Path, dest="file", help="runs nothing, and shows the outcomes of this file")
    words = parser.parse_args()

    if words.file:
        results = Results.from_json(json.loads(words.file.read_text()))
    else:
        begun = time.monotonic()
        rows = [row for row in ROWS if words.row is None or row.key in words.row]
        with Stage(QUICK if words.quick else FULL) as stage:
            results = run(stage, lambda title: print(f"==> {title}", file=sys.stderr), rows)
        results.write(words.json)
        print(f"==> {len(results.cells)} cells in {time.monotonic() - begun:.0f} s: {words.json}\n", file=sys.stderr)
    width = shutil.get_terminal_size((100, 24)).columns
    print(chart(results, width, colours=sys.stdout.isatty() and "NO_COLOR" not in os.environ))
    if words.picture:
        words.picture.write_text(picture(results))
    return 0


if __name__ == "__main__":
    sys.exit(main())
