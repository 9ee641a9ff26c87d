"""An import whose agent is killed at any moment brings all items or none, and the vault opens again."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path

from manager import PASSPHRASE, Manager

ROWS, ROUNDS = 300, 6


def table(path: Path, part: int) -> Path:
    rows = [f"Item {part}-{row},https://site{row}.example,user{part},secret-{part}-{row}" for row in range(ROWS)]
    path.write_text("\n".join(["name,url,username,password", *rows]) + "\n")
    return path


def parts(owner: Manager) -> dict[int, int]:
    """How many items of each file are there."""
    counts: dict[int, int] = {}
    for one in owner.json("list"):
        part = int(one["username"].removeprefix("user"))
        counts[part] = counts.get(part, 0) + 1
    return counts


def test_a_killed_agent_leaves_all_or_nothing(manager, tmp_path):
    manager.init()
    manager.ok("unlock", passphrase=PASSPHRASE)
    begun = time.monotonic()
    manager.ok("import", str(table(tmp_path / "first.csv", 0)), "--apply")
    whole = time.monotonic() - begun
    before = parts(manager)
    assert before == {0: ROWS}
    for part in range(1, ROUNDS + 1):
        file = table(tmp_path / f"{part}.csv", part)
        words = [str(manager.binary), "import", str(file), "--apply", "--no-prompt"]
        agent = manager.status()["pid"]
        process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=manager.environment)
        time.sleep(1.5 * whole * part / ROUNDS)
        os.kill(agent, signal.SIGKILL)
        told, error = process.communicate(timeout=60)
        manager.ok("unlock", passphrase=PASSPHRASE)
        after = parts(manager)
        added = {key: count for key, count in after.items() if key not in before}
        assert added in ({}, {part: ROWS}) and after == before | added, (part, added)
        # What was acknowledged is there; what is not there was not acknowledged.
        assert process.returncode != 0 or added, (told, error)
        before = after
        print(part, "all" if added else "nothing", error.strip())
    assert f"{sum(before.values())} revisions of items, each opened" in manager.ok("log", "verify")
