"""`ward import`: a report first, then everything in one step, and the same file twice changes nothing."""

from __future__ import annotations

import csv
import json
import os
import re
import subprocess
from pathlib import Path

import pytest
from manager import PASSPHRASE, Pty

CHROME = ["name", "url", "username", "password", "note"]


def write_csv(path: Path, rows: list[list[str]]) -> Path:
    with path.open("w", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows(rows)
    return path


@pytest.fixture
def chrome(vault) -> Path:
    rows = [CHROME, ["Example", "https://example.com/", "ada", 'p,"w\n', "one\ntwo"], ["Other", "https://o.example", "bob", "x", ""]]
    return write_csv(vault.folder / "Chrome Passwords.csv", rows)


def entries(vault) -> int:
    return vault.json("log", "verify")["entries"]


def test_a_report_comes_first_then_one_step_and_then_nothing(vault, chrome):
    before = entries(vault)
    said = vault.ok("import", str(chrome))
    assert "New: 2" in said and "Example (ada)" in said and "--apply" in said and "p,\"w" not in said
    report = vault.json("import", str(chrome))
    assert report["format"] == "chrome" and not report["isApplied"] and report["counts"]["new"] == 2
    assert entries(vault) == before and vault.json("list") == []

    report = vault.json("import", str(chrome), "--apply")
    assert report["isApplied"] and report["counts"]["added"] == 2 and entries(vault) == before + 2
    item = vault.json("show", "Example", "--reveal")
    assert item["username"] == "ada" and item["password"]["value"] == 'p,"w\n' and item["notes"] == "one\ntwo"

    again = vault.json("import", str(chrome), "--apply")
    assert again["counts"]["unchanged"] == 2 and again["counts"]["added"] == again["counts"]["changed"] == 0
    assert entries(vault) == before + 2 and "the vault has everything" in vault.ok("import", str(chrome))


def test_a_conflict_keeps_both_passwords(vault, chrome):
    vault.ok("import", str(chrome), "--apply")
    other = write_csv(vault.folder / "other.csv", [CHROME, ["Example", "https://www.example.com", "ADA", "new", ""]])
    said = vault.ok("import", str(other), "--apply")
    assert "Another password; both are kept: 1" in said and "goes to the history" in said
    password = vault.json("show", "Example", "--reveal")["password"]
    assert password["value"] == 'p,"w\n' and [one["value"] for one in password["history"]] == ["new"]


def test_an_account_of_domains_that_share_their_accounts_becomes_one_entry(vault):
    rows = [CHROME, ["A", "https://www.garden.example", "ada", "pw", ""], ["B", "https://mill.example", "Ada", "pw", ""]]
    both = write_csv(vault.folder / "both.csv", rows)
    assert vault.json("import", str(both))["counts"]["new"] == 2
    data = vault.home / "data/ward/site-data"
    data.mkdir()
    (data / "shared-credentials.json").write_text(json.dumps([{"shared": ["garden.example", "mill.example"]}]))
    assert vault.json("import", str(both), "--apply")["counts"]["joined"] == 1
    assert len(vault.json("show", "A")["sites"]) == 2


@pytest.mark.parametrize("cut", [10, 40, -1, -30])
def test_a_file_that_stops_in_the_middle_changes_nothing(vault, chrome, cut):
    chrome.write_bytes(chrome.read_bytes()[:cut])
    done = vault.run("import", str(chrome), "--apply", "--from", "chrome")
    assert done.returncode in (2, 7) and "Nothing was imported" in done.stderr
    assert vault.json("list") == []


def test_the_file_is_wiped_on_request_and_only_then(vault, chrome):
    done = vault.run("import", str(chrome), "--apply")
    assert done.returncode == 0 and "still has your secrets" in done.stderr and chrome.exists()
    # Another name of the file shows what was overwritten.
    twin = vault.folder / "twin"
    os.link(chrome, twin)
    size = twin.stat().st_size
    done = vault.run("import", str(chrome), "--apply", "--wipe")
    assert done.returncode == 0 and "An SSD" in done.stderr and "other names" in done.stderr
    assert not chrome.exists() and twin.read_bytes() == bytes(size)


def test_a_locked_vault_asks_once_and_a_no_changes_nothing(vault, chrome):
    vault.ok("lock")
    assert vault.run("import", str(chrome), "--apply", "--no-prompt").returncode == 3
    vault.answers("cancel")
    assert vault.run("import", str(chrome), "--apply").returncode == 5
    vault.answers(PASSPHRASE)
    assert "2 added" in vault.ok("import", str(chrome), "--apply") and len(vault.asked) == 2
    assert any("import items" in str(asked) for asked in vault.asked)


def test_on_a_terminal_the_person_is_asked(vault, chrome):
    command = Pty(vault, "import", str(chrome))
    try:
        command.wait_for(b"Import these 2 items? [y/N]")
        command.type("y\n")
        command.wait_for(b"2 added")
        command.wait_for(b"now? [y/N]")
        command.type("n\n")
        assert command.end() == 0
    finally:
        command.close()
    assert len(vault.json("list")) == 2 and chrome.exists()


def keepassxc(folder: Path, words: list[str], *typed: str) -> None:
    environment = {"HOME": str(folder), "PATH": os.environ["PATH"], "XDG_RUNTIME_DIR": str(folder)}
    subprocess.run(
        ["keepassxc-cli", *words], input="".join(f"{line}\n" for line in typed), text=True, capture_output=True, check=True,
        env=environment, cwd=folder, timeout=60,
    )  # fmt: skip


def test_a_file_of_keepassxc_arrives_with_its_attachments(vault, tmp_path):
    keepassxc(tmp_path, ["db-create", "a.kdbx", "-p"], "file secret", "file secret")
    keepassxc(tmp_path, ["add", "a.kdbx", "Entry", "-u", "carol", "--url", "https://xc.example", "-p"], "file secret", "p1")
    (tmp_path / "b.txt").write_text("attached")
    keepassxc(tmp_path, ["attachment-import", "a.kdbx", "Entry", "b.txt", "b.txt"], "file secret")
    file = str(tmp_path / "a.kdbx")
    refused = vault.run("import", file, "--apply")
    assert refused.returncode != 0 and "--file-passphrase-fd" in refused.stderr
    wrong = vault.run("import", file, "--apply", secrets={"--file-passphrase-fd": "wrong"})
    assert wrong.returncode != 0 and vault.json("list") == []
    vault.ok("import", file, "--apply", secrets={"--file-passphrase-fd": "file secret"})
    shown = vault.json("show", "Entry", "--reveal")
    assert (shown["username"], shown["password"]["value"]) == ("carol", "p1")
    assert vault.ok("attachment", "get", "Entry", "b.txt", "--output", "-") == "attached"
    # The same file changes nothing; a file with the same name and length, and other content, is another file.
    before = entries(vault)
    report = json.loads(vault.ok("import", file, "--apply", "--json", secrets={"--file-passphrase-fd": "file secret"}))
    assert report["counts"]["unchanged"] == 1 and entries(vault) == before
    (tmp_path / "b.txt").write_text("ATTACHED")
    keepassxc(tmp_path, ["attachment-rm", "a.kdbx", "Entry", "b.txt"], "file secret")
    keepassxc(tmp_path, ["attachment-import", "a.kdbx", "Entry", "b.txt", "b.txt"], "file secret")
    vault.ok("import", file, "--apply", secrets={"--file-passphrase-fd": "file secret"})
    assert [each["name"] for each in vault.json("show", "Entry")["attachments"]] == ["b.txt", "b.txt"]


def test_a_thousand_rows(vault):
    rows = [CHROME] + [[f"Site {n}", f"https://site{n}.example/", f"user{n}", f"pass {n}", ""] for n in range(1000)]
    file = write_csv(vault.folder / "many.csv", rows)
    assert vault.json("import", str(file), "--apply")["counts"]["added"] == 1000
    assert vault.json("import", str(file))["counts"]["unchanged"] == 1000
    assert len(vault.json("list")) == 1000


def test_every_format_has_a_page_that_names_it(vault):
    refused = vault.run("import", "x", "--from", "nothing")
    names = re.findall(r"[\w-]+", refused.stderr.split("one of:")[1].split(".")[0])
    assert len(names) > 20
    folder = Path(__file__).parents[2] / "Documentation/moving-in"
    pages = {page.name: page.read_text() for page in folder.glob("*.md")}
    table = (folder.parent / "moving-in.md").read_text()
    for name in names:
        assert any(f"--from {name}" in page or f", {name}" in page for page in pages.values()), name
        assert f"`{name}`" in table, name
    for page in pages:
        assert f"(moving-in/{page})" in table, page
