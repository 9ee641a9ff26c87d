"""Scripts/page-scripts: the scripts of the pages are in order, and each planted fault is found."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGES = ROOT / "Sources/WardServer/Pages/js"
WORDS = "export function message(name) {\n  return name;\n}\n"
ROWS = """import { message } from './words.js';

export function row(name) {
  // What all browsers have needs no import, and the types of values are not checked.
  const place = document.getElementById(name);
  place.value = message(name).nothing;
  return place;
}
"""


def check(*arguments: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [ROOT / "Scripts/page-scripts", *arguments], capture_output=True, text=True, timeout=240, check=False
    )


def planted(folder: Path, **files: str) -> subprocess.CompletedProcess[str]:
    for name, text in ({"words": WORDS, "rows": ROWS} | files).items():
        (folder / f"{name}.js").write_text(text)
    return check(folder)


def test_scripts_in_order_pass(tmp_path: Path):
    answer = planted(tmp_path)
    assert answer.returncode == 0, answer.stdout
    assert answer.stdout == "==> Pages: 2 scripts import what they use\n"


def test_each_planted_fault_is_found(tmp_path: Path):
    """A file for each, because the compiler takes its time."""
    faults = {
        "lost": (ROWS.replace("import { message } from './words.js';\n", ""), "(5,17): Cannot find name 'message'."),
        "shorthand": (ROWS.replace("message(name).nothing", "{ message, words }"), "(6,28): No value exists in scope for"),
        "other": (ROWS.replace("{ message }", "{ message, words }"), "(1,19): Module '\"./words.js\"' has no exported member"),
        "misspelt": (ROWS.replace("{ message }", "{ mesage as message }"), "(1,10): '\"./words.js\"' has no exported member"),
        "nofile": (ROWS.replace("'./words.js'", "'./word.js'"), ": there is no file ./word.js"),
        "noending": (ROWS.replace("'./words.js'", "'./words'"), ": there is no file ./words"),
        "default": (ROWS.replace("{ message }", "message"), "has no default export"),
        "unused": (ROWS.replace("message(name).nothing", "name"), "(1,1): 'message' is declared but its value is never read."),
    }
    answer = planted(tmp_path, **{name: text for name, (text, _) in faults.items()})
    assert answer.returncode == 1
    for name, (_, fault) in faults.items():
        assert any(f"/{name}.js" in line and fault in line for line in answer.stdout.splitlines()), (name, answer.stdout)
    assert "/rows.js" not in answer.stdout and "/words.js(" not in answer.stdout


def test_what_is_no_script_is_found(tmp_path: Path):
    answer = planted(tmp_path, rows=ROWS.removesuffix("}\n"))
    assert answer.returncode == 1 and "'}' expected." in answer.stdout


def test_an_import_that_is_taken_out_of_the_pages_is_found(tmp_path: Path):
    folder = tmp_path / "js"
    shutil.copytree(PAGES, folder)
    script = folder / "admin-people.js"
    script.write_text(script.read_text().replace("import { ask } from './dialog.js';\n", ""))
    answer = check(folder)
    assert answer.returncode == 1
    assert "Cannot find name 'ask'." in answer.stdout


def test_a_folder_without_scripts_is_an_error(tmp_path: Path):
    answer = check(tmp_path)
    assert answer.returncode == 1 and "there are no scripts" in answer.stderr
