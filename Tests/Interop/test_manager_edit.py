"""`ward edit` in an editor and by questions."""

import json
import os
import subprocess

import pytest
from test_manager_terminal import Screen


@pytest.fixture
def item(vault):
    vault.ok(
        "add", "Bank", "--site", "https://bank.example", "--username", "ada", "--tag", "money", "--field", "a: b=c", "--notes", "-",
        text="line one\n# not a comment", secrets={"--password-fd": " spaces ", "--secret-field-fd PIN=": "1234"},
    )  # fmt: skip
    return vault


def editor(manager, script):
    """An editor that looks at where its file is, and does what it is told."""
    path = manager.folder / "editor"
    path.write_text(f'#!/bin/sh\nstat -c "%a %U %n" "$1" "$(dirname "$1")" > {manager.folder}/seen\ncp "$1" {manager.folder}/before\n{script}\n')
    path.chmod(0o755)
    manager.settings["EDITOR"] = str(path)


def secrets_left(manager):
    """Files of the person's folders, without the vault's own, that have a secret in them."""
    found = subprocess.run(
        ["grep", "-rlE", r"\b1234\b| spaces |new-secret", str(manager.runtime), str(manager.home), "/tmp/ward-edit"], capture_output=True, text=True, check=False
    )
    return found.stdout


def in_terminal(manager, command, *expected):
    screen = Screen(manager)
    try:
        screen.type(command + "; echo status=$?")
        for pattern, answer in expected:
            screen.wait_for(pattern)
            if answer is not None:
                screen.type(answer)
        return screen.wait_for(r"status=\d+")
    finally:
        screen.close()


def test_an_editor_sees_all_values_and_nothing_is_left_behind(item):
    editor(item, """cp "$1" "$1~"; sed -i -e 's/^username: ada/username: bob/' -e 's/^password:.*/password: new-secret/' -e '/^hidden PIN/d' -e 's/line one/line 1/' "$1" """)
    assert "Changed Bank" in in_terminal(item, "ward edit Bank --editor")
    file, folder = ((one.split(" ", 2)) for one in (item.folder / "seen").read_text().splitlines())
    assert file[0] == "600" and folder[0] == "700" and file[2].startswith(str(item.runtime) + "/ward-edit-")
    shown = json.loads(item.ok("show", "Bank", "--reveal", "--json"))
    assert (shown["username"], shown["password"]["value"], shown["notes"]) == ("bob", "new-secret", "line 1\n# not a comment")
    assert shown["password"]["history"][0]["value"] == " spaces "
    assert [field["label"] for section in shown["sections"] for field in section["fields"]] == ["a: b"]
    assert not list(item.runtime.glob("ward-edit-*")) and secrets_left(item) == ""
    assert len(item.json("history", "Bank")["revisions"]) == 2


def test_an_editor_that_changes_nothing_makes_no_revision(item):
    editor(item, "")
    assert "Nothing changed" in in_terminal(item, "ward edit Bank -e")
    editor(item, "exit 1")
    assert "status=5" in in_terminal(item, "ward edit Bank -e")
    editor(item, 'rm "$1"')
    assert "status=5" in in_terminal(item, "ward edit Bank -e")
    assert len(item.json("history", "Bank")["revisions"]) == 1 and not list(item.runtime.glob("ward-edit-*"))


def test_a_line_that_is_not_understood_can_be_mended(item):
    editor(item, f'if [ -e {item.folder}/once ]; then sed -i /nonsense/d "$1"; else touch {item.folder}/once; sed -i "2inonsense" "$1"; fi')
    assert "Nothing changed" in in_terminal(item, "ward edit Bank -e", ("Line 2 is not understood", None), (r"again\? \[y/N\]", "y"))


def test_ctrl_c_and_a_kill_leave_no_secret(item):
    editor(item, "trap 'exit 1' INT; echo ready; sleep 60 & wait")
    screen = Screen(item)
    try:
        screen.type("ward edit Bank -e; echo status=$?")
        screen.wait_for("ready")
        screen.key("C-c")
        screen.wait_for("status=5")
        assert not list(item.runtime.glob("ward-edit-*"))
        screen.type("clear")
        screen.wait_for(r"\A\$ *\Z")
        screen.type("ward edit Bank -e; echo status=$?")
        screen.wait_for(r"\A.*echo status=\$\?\nready")
        (left,) = item.runtime.glob("ward-edit-*")
        os.kill(int(left.name.split("-")[2]), 9)
        screen.wait_for("status=137")
        assert list(item.runtime.glob("ward-edit-*")) == [left]
        editor(item, "")
        screen.run_on_empty(f"EDITOR={item.settings['EDITOR']} ward edit Bank -e")
        screen.wait_for("Nothing changed")
        assert not list(item.runtime.glob("ward-edit-*"))
    finally:
        screen.close()


@pytest.mark.parametrize("program", ["vim", "nano"])
def test_real_editors_keep_no_copy(item, program):
    item.settings["EDITOR"] = program
    screen = Screen(item)
    try:
        screen.type("ward edit Bank --editor; echo status=$?")
        screen.wait_for("username: ada")
        if program == "nano":
            screen.key("C-w")
            screen.type("username: ada")
            screen.key("C-k")
            screen.type("username: bob")
            screen.key("C-o")
            screen.type("")
            screen.wait_for("Wrote")
            screen.key("C-x")
        else:
            screen.type(":%s/username: ada/username: bob/")
            screen.type(":/PIN/yank")
            screen.type(":wq")
        screen.wait_for("status=0")
    finally:
        screen.close()
    assert item.json("show", "Bank")["username"] == "bob" and secrets_left(item) == ""


def test_without_options_each_value_is_asked(item):
    shown = in_terminal(
        item, "ward edit Bank",
        (r"Title \[Bank\]:", ""), (r"User name \[ada\]:", "bob"), ("Password .*:", "new-secret"), ("Site .*:", ""),
        (r"a: b \[c\]:", ""), (r"PIN \[•+\]:", "-"), (r"Tags \[money\]:", "money, work"),
    )  # fmt: skip
    assert "several lines" in shown
    assert "Changed Bank" in shown and "new-secret" not in shown and "1234" not in shown
    record = item.json("show", "Bank", "--reveal")
    assert (record["username"], record["password"]["value"], record["tags"]) == ("bob", "new-secret", ["money", "work"])
    assert "PIN" not in json.dumps(record)
    notes = item.folder / "notes"
    notes.write_text("one line")
    item.ok("edit", "Bank", "--notes", str(notes))
    shown = in_terminal(
        item, "ward edit Bank",
        (r"Title", ""), (r"User name", "carol"), ("Password .*:", ""), ("Site .*:", ""), (r"a: b \[c\]:", ""), (r"Tags .*:", ""),
        (r"Notes \[•+\]:", "another line"),
    )  # fmt: skip
    assert "one line" not in shown and item.json("show", "Bank", "--reveal")["notes"] == "another line"
    asked = item.run("edit", "Bank")
    assert asked.returncode == 2 and "no terminal" in asked.stderr


def test_without_a_private_place_no_editor_runs(item):
    editor(item, f"touch {item.folder}/ran")
    item.runtime.chmod(0o755)
    assert "status=9" in in_terminal(item, "ward edit Bank -e")
    item.runtime.chmod(0o700)
    assert not (item.folder / "ran").exists()
