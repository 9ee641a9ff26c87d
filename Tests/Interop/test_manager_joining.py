"""One entry for one account: by itself, by `ward merge`, apart by `ward split`; nothing is lost, and everything comes back."""

from __future__ import annotations

import json
from itertools import permutations

import pytest
from manager import PASSPHRASE, Manager, Pty
from test_manager_passkeys import answer, create, creation

CODE = "otpauth://totp/Shop:ada?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&issuer=Shop"


@pytest.fixture
def owner(manager: Manager) -> Manager:
    """A person with an account in two entries, and one in a third."""
    manager.init()
    manager.ok("add", "Shop", "--site", "https://shop.example", "--username", "ada", secrets={"--password-fd": "old secret 1"})
    manager.ok("add", "Shop codes", "--site", "https://login.shop.example", "--username", "Ada", "--otpauth", "-", "--apart", text=CODE)
    manager.ok("add", "Other", "--site", "https://other.example", "--username", "bob", secrets={"--password-fd": "other secret 2"})
    return manager


def entries(owner: Manager) -> dict[str, dict]:
    """Every entry with its secrets, by title, without what changes with each revision."""
    return {one["title"]: content(owner, one["id"]) for one in owner.json("list")}


def content(owner: Manager, item: str) -> dict:
    shown = owner.json("show", item, "--reveal")
    return {key: value for key, value in shown.items() if key not in ("changedAt", "change", "revision", "modifiedAt", "usedAt")}


def secrets(owner: Manager, item: str) -> tuple[str | None, int]:
    shown = owner.json("show", item, "--reveal")
    return (shown.get("password") or {}).get("value"), len(shown.get("codes") or [])


def test_a_merge_asks_first_and_can_be_undone_after_a_restart(owner):
    before = entries(owner)
    told = owner.ok("merge", "Shop", "Shop codes")
    assert "+ 1 verification code" in told and "Nothing was changed" in told and entries(owner) == before
    owner.ok("unlock", passphrase=PASSPHRASE)
    asked = Pty(owner, "merge", "Shop", "Shop codes")
    asked.wait_for(b"Make one entry of these items? [y/N]")
    asked.type("n\r")
    assert asked.end() == 5 and b"Nothing was changed" in asked.got and entries(owner) == before
    merged = owner.json("merge", "Shop", "Shop codes", "--apply")
    assert merged["isApplied"] and merged["gains"]["codes"] == 1 and merged["gains"]["sites"] == 1
    assert entries(owner).keys() == {"Shop", "Other"} and secrets(owner, "Shop") == ("old secret 1", 1)
    assert [one["title"] for one in owner.json("trash", "list")] == ["Shop codes"]
    # The agent knows it after a restart too: it is in the vault.
    owner.stop()
    owner.ok("unlock", passphrase=PASSPHRASE)
    plan = owner.json("merge", "--undo")
    assert sorted(line["outcome"] for line in plan["lines"]) == ["reverted", "reverted"] and plan["isPossible"]
    assert entries(owner).keys() == {"Shop", "Other"}
    undone = owner.ok("merge", "--undo", "--apply")
    assert "The merge was undone." in undone and entries(owner) == before
    assert owner.run("merge", "--undo").returncode == 4


def test_accounts_with_several_items_are_offered_and_each_is_asked_about(owner):
    owner.ok("add", "Other codes", "--site", "https://other.example", "--username", "bob", "--otpauth", "-", "--apart", text=CODE)
    before = entries(owner)
    offers = owner.json("merge")
    assert [[one["title"] for one in offer["items"]] for offer in offers] in (
        [["Shop", "Shop codes"], ["Other", "Other codes"]], [["Other", "Other codes"], ["Shop", "Shop codes"]],
    )
    told = owner.ok("merge")
    assert told.count("To merge: ward merge ") == 2 and entries(owner) == before
    owner.ok("unlock", passphrase=PASSPHRASE)
    asked = Pty(owner, "merge")
    asked.wait_for(b"1 of 2: Make one entry of these items? [y/N]")
    asked.type("n\r")
    asked.wait_for(b"2 of 2: Make one entry of these items? [y/N]")
    asked.type("y\r")
    assert asked.end() == 0 and b"1 account has one entry now." in asked.got
    kept = {offers[0]["items"][0]["title"], offers[0]["items"][1]["title"], offers[1]["items"][0]["title"]}
    assert entries(owner).keys() == kept
    # What the person decided to keep apart is not offered again.
    for item in offers[0]["items"]:
        owner.ok("audit", "ignore", item["id"], "--kind", "duplicate")
    assert owner.json("merge") == [] and "No account has several items." in owner.run("merge").stderr
    assert owner.run("merge", "--apply").returncode == 2


def test_a_merge_of_different_passwords_keeps_both(owner):
    owner.ok("add", "Again", "--site", "https://shop.example", "--username", "ada", "--apart", secrets={"--password-fd": "new secret 3"})
    before = entries(owner)
    owner.ok("merge", "Shop", "Again", "--apply")
    # Which one is the newer is a matter of the second in which they were made.
    shown = json.dumps(owner.json("show", "Shop", "--reveal")["password"])
    assert "new secret 3" in shown and "old secret 1" in shown
    owner.ok("merge", "--undo", "--apply")
    assert entries(owner) == before


def test_what_was_changed_after_a_merge_is_not_undone_silently(owner):
    owner.ok("merge", "Shop", "Shop codes", "--apply")
    owner.ok("edit", "Shop", secrets={"--password-fd": "later secret 4"})
    told = owner.run("merge", "--undo", "--apply")
    assert told.returncode != 0 and "--include-changed" in told.stderr and "later secret" not in told.stderr
    assert secrets(owner, "Shop") == ("later secret 4", 1)
    owner.ok("merge", "--undo", "--include-changed", "--apply")
    assert secrets(owner, "Shop") == ("old secret 1", 0) and secrets(owner, "Shop codes") == (None, 1)
    # The revision of the change is in the history.
    revisions = owner.json("history", "Shop")["revisions"]
    assert [one["change"] for one in revisions][1] == "edited", revisions


def test_a_split_makes_two_entries_and_can_be_undone(owner):
    owner.ok("merge", "Shop", "Shop codes", "--apply")
    before = entries(owner)
    told = owner.ok("split", "Shop")
    assert "The secret of 1 code of Shop goes to a new item" in told and "Nothing was changed" in told
    done = owner.json("split", "Shop", "--part", "codes", "--apply")
    assert secrets(owner, done["item"]["id"]) == ("old secret 1", 0) and secrets(owner, done["new"]) == (None, 1)
    owner.ok("split", "--undo", "--apply")
    assert entries(owner) == before
    refused = owner.run("split", "Shop", "--part", "passkeys", "--apply")
    assert refused.returncode == 8 and "The item has no passkeys" in refused.stderr
    assert entries(owner) == before


def test_an_import_can_be_undone(owner, tmp_path):
    before = entries(owner)
    rows = ["name,url,username,password", "Shop,https://shop.example,ada,newer secret 5", "New,https://new.example,carol,new secret 6"]
    (tmp_path / "passwords.csv").write_text("\n".join(rows) + "\n")
    owner.ok("import", str(tmp_path / "passwords.csv"), "--apply")
    assert "New" in entries(owner) and entries(owner) != before
    owner.stop()
    owner.ok("unlock", passphrase=PASSPHRASE)
    asked = Pty(owner, "import", "--undo")
    asked.wait_for(b"Undo this import? [y/N]")
    assert b"newer secret" not in asked.got
    asked.type("y\r")
    assert asked.end() == 0 and b"The import was undone." in asked.got
    assert entries(owner) == before and [one["title"] for one in owner.json("trash", "list")] == ["New"]


@pytest.mark.parametrize(
    "words",
    [
        ("merge", "Shop"), ("merge", "Shop", "Shop"), ("merge", "Shop", "--undo"), ("merge", "Shop", "Nobody", "--apply"),
        ("merge", "Shop", "Shop codes", "--include-changed"), ("split",), ("split", "Shop", "--undo"),
        ("split", "Shop", "--part", "title"), ("import", "--undo", "--wipe"), ("import", "x.csv", "--undo"), ("import",),
    ],
)
def test_what_makes_no_sense_is_refused(owner, words):
    before = entries(owner)
    refused = owner.run(*words)
    assert refused.returncode in (2, 4, 8) and refused.stderr, refused
    assert entries(owner) == before


# MARK: One entry for one account, from each door and in each order


def add_password(owner: Manager, host: str) -> None:
    owner.ok("add", host, "--site", f"https://www.{host}/in", "--username", "Ada", secrets={"--password-fd": "kept secret 7"})


def add_codes(owner: Manager, host: str) -> None:
    owner.ok("add", "Codes", "--site", f"https://login.{host}", "--username", "ada", "--otpauth", "-", text=CODE)


def make_passkey(owner: Manager, host: str) -> None:
    answer(create(owner, creation(name="ADA") | {"rp": {"id": host, "name": host}}, origin=f"https://{host}"))


def import_password(owner: Manager, host: str) -> None:
    path = owner.folder / "passwords.csv"
    path.write_text(f"name,url,username,password\n{host},https://{host},ada,kept secret 7\n")
    owner.ok("import", str(path), "--apply")


def git_stores(owner: Manager, host: str) -> None:
    owner.ok("git-credential", "store", text=f"protocol=https\nhost={host}\nusername=ada\npassword=kept secret 7\n")


DOORS = [add_password, add_codes, make_passkey, import_password, git_stores]


def test_an_account_has_one_entry_whichever_came_first(manager):
    manager.init()
    manager.ok("unlock", passphrase=PASSPHRASE)
    pairs = list(permutations(DOORS, 2))
    for number, (first, second) in enumerate(pairs):
        host = f"site{number}.org"
        # Another name at the site stays apart, and the name at the other sites.
        manager.ok("add", "Bob", "--site", f"https://{host}", "--username", "bob", secrets={"--password-fd": "other secret 8"})
        first(manager, host)
        second(manager, host)
    for number, pair in enumerate(pairs):
        names = (number, *[door.__name__ for door in pair])
        entry = [one for one in manager.json("list", "--site", f"https://site{number}.org") if one["title"] != "Bob"]
        assert len(entry) == 1, (names, entry)
        shown = manager.json("show", entry[0]["id"], "--reveal")
        has_password = bool({add_password, import_password, git_stores}.intersection(pair))
        assert (shown.get("password") or {}).get("value") == ("kept secret 7" if has_password else None), names
        assert len(shown["codes"]) == (add_codes in pair) and len(shown["passkeys"]) == (make_passkey in pair), names


def test_what_was_added_to_an_entry_can_be_undone_and_kept_apart(manager):
    manager.init()
    add_password(manager, "example.org")
    before = entries(manager)
    words = ("add", "Codes", "--site", "https://example.org", "--username", "ada", "--otpauth", "-")
    told = manager.ok(*words, text=CODE)
    assert "Added to example.org" in told and "ward merge --undo" in told and entries(manager) != before
    manager.ok("merge", "--undo", "--apply")
    assert entries(manager) == before
    # Another password of the account never replaces one in silence.
    manager.ok("add", "New", "--site", "https://example.org", "--username", "ada", secrets={"--password-fd": "another secret 8"})
    assert secrets(manager, "example.org") == ("kept secret 7", 0) and secrets(manager, "New") == ("another secret 8", 0)
    manager.ok(*words, "--apart", text=CODE)
    assert entries(manager).keys() == {"example.org", "New", "Codes"}


def test_a_passkey_joins_the_account_at_a_domain_that_shares_its_accounts(manager):
    manager.init()
    folder = manager.home / "data/ward/site-data"
    folder.mkdir(parents=True, mode=0o700)
    (folder / "shared-credentials.json").write_text(json.dumps([{"shared": ["shop.test", "example.org"]}]))
    manager.ok("add", "Shop", "--site", "https://login.shop.test", "--username", "Ada", secrets={"--password-fd": "a secret 1"})
    answer(create(manager, creation(name="ada")))
    assert [(one["title"], one["passkeys"], one["hasPassword"]) for one in manager.json("list")] == [("Shop", 1, True)]
    # Somebody else's account is another entry.
    answer(create(manager, creation(b"user-2", name="bob")))
    assert len(manager.json("list")) == 2
