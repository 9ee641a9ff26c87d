"""What a change of an item does, and what it refuses."""

import json

import pytest
from agentwire import Wire


def test_a_change_that_changes_nothing_makes_no_revision(vault):
    vault.ok("add", "Example", "--username", "ada", "--tag", "work", "--field", "Room=101", secrets={"--password-fd": "secret"})
    same = ("--username", "ada", "--tag", "work", "--field", "Room=101", "--title", "Example")
    vault.ok("edit", "Example", *same, secrets={"--password-fd": "secret"})
    assert [one["change"] for one in vault.json("history", "Example")["revisions"]] == ["created"]
    vault.ok("edit", "Example", "--username", "bob")
    assert len(vault.json("history", "Example")["revisions"]) == 2


@pytest.mark.parametrize("words", [("--remove-field", "Roon"), ("--remove-tag", "wrok"), ("--remove-site", "https://example.org")])
def test_removing_what_is_not_there_is_an_error(vault, words):
    vault.ok("add", "Example", "--tag", "work", "--field", "Room=101", "--site", "https://example.com")
    refused = vault.run("edit", "Example", *words)
    assert refused.returncode == 4 and words[1] in refused.stderr
    assert len(vault.json("history", "Example")["revisions"]) == 1


@pytest.mark.parametrize("site", ["not a host", "ftp://example.com", "javascript://example.com", "https://", "exa<mple.com", ".", ""])
def test_what_is_no_site_is_refused(vault, site):
    for words in (("add", "Example", "--site", site), ("list", "--site", site)):
        refused = vault.run(*words)
        assert refused.returncode == 2 and "is not a site" in refused.stderr, words
    assert vault.json("list") == []


@pytest.mark.parametrize(
    "site", ["example.com", "https://example.com/path", "http://localhost:8080", "nas", "https://[::1]:8443", "bücher.example", "androidapp://com.example"]
)
def test_sites_that_people_write_are_taken(vault, site):
    vault.ok("add", "Example", "--site", site)
    assert vault.json("show", "Example")["sites"][0]["address"] == site


@pytest.mark.parametrize("words", [("add", "Example"), ("list",)])
def test_an_unknown_kind_is_refused(vault, words):
    refused = vault.run(*words, "--kind", "logn")
    assert refused.returncode == 2 and "login, note, card" in refused.stderr


def test_an_item_of_five_megabytes_is_too_large(vault, tmp_path):
    notes = tmp_path / "notes"
    for size in (5 << 20, 2 << 20):
        notes.write_text("x" * size)
        refused = vault.run("add", "Example", "--notes", str(notes), "--json")
        assert refused.returncode == 8
        assert json.loads(refused.stdout)["error"]["code"] == "item_too_large"
    assert vault.json("list") == []


def test_an_id_may_be_text_and_a_missing_member_is_named(vault):
    wire = Wire(vault)

    def ask(method, params, identifier):
        wire.send(json.dumps({"jsonrpc": "2.0", "id": identifier, "method": method, "params": params}).encode() + b"\n")
        return wire.read()

    for params, member in (
        ({"client": "x", "terminal": {}}, "params.versions"),
        ({"versions": [2], "terminal": {}}, "params.client"),
        ({"versions": [2], "client": "x"}, "params.terminal"),
        ({"versions": ["secret"], "client": "x", "terminal": {}}, "params.versions[0]"),
    ):
        answer = ask("hello", params, "first")
        assert answer["id"] == "first" and answer["error"]["data"]["code"] == "invalid_request"
        assert member in answer["error"]["message"] and "secret" not in answer["error"]["message"]
    assert ask("hello", {"versions": [2], "client": "x", "terminal": {}}, "ä-2")["result"]["version"] == 2
    found = ask("items.list", {"authorization": {"mayPrompt": False}, "query": "", "inTrash": False}, "3")
    assert found["id"] == "3" and found["result"]["items"] == []
