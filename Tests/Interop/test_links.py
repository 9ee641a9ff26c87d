"""`Scripts/links`: what it finds in pages that are planted with one fault each."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parents[2] / "Scripts/links"

PAGE = """# Threat model

See [the other page](other.md#two-words). A name may go on in the next line (`a thief finds
nothing`).

| attacker | can | cannot, and why |
|---|---|---|
| **a thief** | take it | read it (`test_a_thief_reads_nothing`); see `ward lock` |
| **root** | do everything | This is not tested |

| what | where |
|---|---|
| no promise | here |
"""


def check(folder: Path, page: str) -> subprocess.CompletedProcess[str]:
    (folder / "Tests").mkdir(exist_ok=True)
    (folder / "Tests/test_thief.py").write_text("def test_a_thief_reads_nothing(vault):\n    pass\n")
    (folder / "Tests/ThiefTests.swift").write_text("@Test func `a thief finds nothing`() {}\n")
    (folder / "other.md").write_text("# Two words\n")
    (folder / "some-threat-model.md").write_text(page)
    return subprocess.run([SCRIPT, "--root", folder], capture_output=True, text=True, timeout=60)


def test_a_page_in_order_passes(tmp_path):
    done = check(tmp_path, PAGE)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("word", "fault", "said"),
    [
        ("test_a_thief_reads_nothing", "test_a_thief_reads_something", "there is no test `test_a_thief_reads_something`"),
        ("finds\nnothing", "finds\nsomething", "there is no test `a thief finds something`"),
        ("test_a_thief_reads_nothing", "test_thieves.py", "there is no test `test_thieves.py`"),
        ("test_a_thief_reads_nothing", "ThievesTests.swift", "there is no test `ThievesTests.swift`"),
        ("This is not tested", "", "“**root**” names no test"),
        ("other.md#two-words", "another.md", "another.md is not there"),
        ("#two-words", "#three-words", "other.md has no heading #three-words"),
    ],
)
def test_a_planted_fault_is_found(tmp_path, word, fault, said):
    assert word in PAGE
    done = check(tmp_path, PAGE.replace(word, fault))
    assert done.returncode == 1 and said in done.stderr, done.stderr
