"""What a person does every day: lists, values, copies, sites."""

import json
import os
import shutil
import time

import pytest
from test_manager_edit import in_terminal
from test_manager_terminal import Screen


@pytest.fixture
def filled(vault):
    vault.ok("add", "Bank", "--site", "https://bank.example", "--username", "ada", "--favorite", "--tag", "money", "--field", "PIN=12 34", secrets={"--password-fd": "p w"})
    vault.ok("add", "Bank of tests", "--username", "bob", "--tag", "money", "--tag", "work")
    vault.ok("add", "Other", "--site", "app.example", "--tag", "work")
    return vault


def test_a_pipe_gets_tabs_and_no_padding(filled):
    rows = [line.split("\t") for line in filled.ok("list").splitlines()]
    assert [row[0] for row in rows] == ["Bank", "Bank of tests", "Other"]
    assert all(len(row) == 5 for row in rows) and rows[0][1:4] == ["ada", "bank.example", "password"]
    filled.ok("add", "a\tb")
    assert all(line.count("\t") == 4 for line in filled.ok("list").splitlines())


def test_favorites_and_tags_have_their_lists(filled):
    assert [one["title"] for one in filled.json("list", "--favorites")] == ["Bank"]
    assert filled.ok("tags") == "money\t2\nwork\t2\n"
    assert filled.json("tags") == [{"tag": "money", "items": 2}, {"tag": "work", "items": 2}]


def test_several_values_come_in_one_command(filled):
    assert filled.ok("show", "bank.example", "--field", "username", "--field", "password", "--field", "PIN") == "ada\np w\n12 34\n"
    assert filled.json("show", "bank.example", "--field", "password") == {"password": "p w"}
    assert filled.json("show", "bank.example", "--field", "username", "--field", "PIN") == {"username": "ada", "PIN": "12 34"}
    missing = filled.run("show", "bank.example", "--field", "nothing", "--json")
    assert missing.returncode == 4 and json.loads(missing.stdout)["error"]["code"] == "missing"


def test_a_revealed_value_has_its_line_to_itself(filled):
    lines = [line.strip() for line in in_terminal(filled, "ward show bank.example --reveal").splitlines()]
    assert "Password  p w" in [" ".join(line.split(None, 1)[:1]) + "  " + line.split(None, 1)[1] for line in lines if line.startswith("Password")]
    assert any(line.startswith("set 2") for line in lines)


def test_in_a_pipe_show_has_tabs_between_name_value_and_remark(filled):
    rows = [line.split("\t") for line in filled.ok("show", "bank.example", "--reveal").splitlines()]
    assert all(len(row) == 3 for row in rows) and not any("  " in cell for row in rows for cell in row[:1])
    (password,) = [row for row in rows if row[0] == "Password"]
    assert password[1] == "p w" and password[2].startswith("set 2")
    assert rows[0] == ["Title", "Bank", "favorite"] and rows[1][:2] == ["Kind", "login"]
    assert ["Tags", "money", ""] in rows


def test_a_clone_has_all_but_passkeys_and_history(filled):
    copy = filled.json("clone", "bank.example")
    assert copy["title"] == "Bank copy"
    first, second = (filled.json("show", name, "--reveal") for name in ("Bank", "Bank copy"))
    for name in ("kind", "sites", "username", "sections", "tags", "isFavorite", "notes"):
        assert first[name] == second[name], name
    assert second["password"]["value"] == "p w" and second["id"] != first["id"]
    assert len(filled.json("history", "Bank copy")["revisions"]) == 1
    assert filled.json("clone", "Other", "--title", "Third")["title"] == "Third"


def fake(manager, name, script):
    """A program of this name on the person's path."""
    folder = manager.folder / "bin"
    folder.mkdir(exist_ok=True)
    path = folder / name
    path.write_text("#!/bin/sh\n" + script)
    path.chmod(0o755)
    manager.settings["PATH"] = f"{folder}:{os.environ['PATH']}"
    return path


def wait_for(path):
    deadline = time.monotonic() + 30
    while not path.exists() or not path.read_text().endswith("\n"):
        assert time.monotonic() < deadline
        time.sleep(0.02)
    return path.read_text()


def test_open_gives_web_addresses_alone_to_the_browser(filled):
    seen = filled.folder / "seen"
    fake(filled, "xdg-open", f'echo "$@" > {seen}\n')
    filled.ok("open", "bank.example")
    assert wait_for(seen) == "https://bank.example\n"
    seen.unlink()
    filled.ok("open", "Other")
    assert wait_for(seen) == "https://app.example\n"
    seen.unlink()
    filled.ok("add", "App", "--site", "androidapp://com.example")
    for title in ("App", "Bank of tests"):
        refused = filled.run("open", title)
        assert refused.returncode == 4 and "no web address" in refused.stderr
    assert not seen.exists()
    fake(filled, "xdg-open", "exit 3\n")
    refused = filled.run("open", "Other")
    assert refused.returncode == 9 and "https://app.example" in refused.stderr


def test_open_reaches_a_browser_through_the_real_xdg_open(filled):
    assert shutil.which("xdg-open"), "xdg-utils is missing"
    seen = filled.folder / "seen"
    filled.settings["BROWSER"] = str(fake(filled, "browser", f'echo "$@" > {seen}\n'))
    filled.ok("open", "bank.example")
    assert wait_for(seen) == "https://bank.example\n"


@pytest.mark.parametrize("columns", [40, 100])
def test_one_of_several_items_is_picked(filled, columns):
    screen = Screen(filled, columns=columns)

    def begin(command):
        # What an earlier command asked must be gone, or its question is taken for the next one.
        screen.type("clear")
        screen.wait_for(r"\A\$\Z")
        screen.type(command)

    try:
        screen.type("ward show bank")
        assert "Bank" in screen.wait_for("Changed")  # An exact title needs no question.
        begin("ward show ban --field username")
        shown = screen.wait_for(r"Which one\? \[1-2\]")
        assert max(map(len, shown.splitlines())) <= columns
        screen.type("7")
        screen.wait_for("from 1 to 2")
        number = next(line.split()[0] for line in shown.splitlines() if "bob" in line or "Bank of" in line)
        screen.type(number)
        screen.wait_for("^bob$")
        begin("ward edit ban --username carol")
        screen.wait_for("Which one")
        screen.type("")
        screen.wait_for("No item was picked")
        for title in ("Tea 1", "Tea 2"):
            filled.ok("add", title)
            filled.ok("remove", title)
        begin("ward restore tea")
        shown = screen.wait_for(r"Which one\? \[1-2\]")
        screen.type(next(line.split()[0] for line in shown.splitlines() if "Tea 2" in line))
        screen.wait_for("Tea 2 is back")
    finally:
        screen.close()
    assert filled.run("show", "ban").returncode == 10


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        (("lst",), "ward list"), (("hsitory", "x"), "ward history"), (("passph",), "ward passphrase"), (("trash", "emtpy"), "ward trash empty"),
        (("apps", "ad"), "ward apps add"), (("qqqqqqqqqq",), "ward --help"), (("help", "shwo"), "ward help show"),
    ],
)  # fmt: skip
def test_a_mistyped_command_names_the_nearest(manager, words, meant):
    refused = manager.run(*words)
    assert refused.returncode == 2 and meant in refused.stderr, refused.stderr
    answer = manager.run(*words, "--json")
    assert json.loads(answer.stdout)["error"]["code"] == "usage"


@pytest.mark.parametrize("words", [("list", "--knd", "x"), ("add",), ("show",), ("generate", "--length", "x"), ("edit", "x", "--length", "3")])
def test_usage_errors_are_json_too(manager, words):
    refused = manager.run(*words, "--json")
    assert refused.returncode == 2 and "\n" not in refused.stdout.rstrip("\n")
    assert json.loads(refused.stdout)["error"]["code"] == "usage" and refused.stderr.startswith("Error: ")


def test_internal_commands_are_hidden_and_still_have_help(manager):
    help_text = manager.ok("--help")
    assert "git-credential" not in help_text and " agent " not in help_text and "ITEMS" in help_text.upper()
    assert "git config" in manager.ok("git-credential", "--help") and "--idle-lock" in manager.ok("help", "agent")


def test_a_passkey_says_that_it_is_discoverable(vault):
    options = {
        "rp": {"id": "example.com", "name": "Example"}, "user": {"id": "dXNlcg", "name": "ada", "displayName": "Ada"},
        "challenge": "Y2hhbGxlbmdlLWNoYWxsZW5nZQ", "pubKeyCredParams": [{"type": "public-key", "alg": -7}],
        "extensions": {"credProps": True},
    }  # fmt: skip
    from manager import PASSPHRASE

    made = vault.ok("passkey", "create", "--origin", "https://example.com", text=json.dumps(options), passphrase=PASSPHRASE)
    assert json.loads(made)["clientExtensionResults"]["credProps"] == {"rk": True}
