"""The audit log: what it records, and that nobody changes it unseen, with the real program and sqlite3."""

import json
import re
import sqlite3
import subprocess
from contextlib import closing

import auditlog
import pytest
from test_recovery import link, recover
from test_registration import accounts
from wardserver import ROOT, Server, environment, find_binary, run_command

PASSWORD = "rotating teapot 41 lanterns"


def audit(server: Server, *words: str, code: int = 0) -> str:
    done = subprocess.run(
        [str(find_binary()), "audit", *words, "--database", str(server.database)],
        cwd=server.folder,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == code, (done.stdout, done.stderr)
    return done.stdout


def rows(server: Server, *words: str) -> list[dict]:
    return [json.loads(line) for line in audit(server, "--json", *words).splitlines()]


def events() -> list[str]:
    """All kinds of events, as the source names them."""
    text = (ROOT / "Sources/WardAccounts/Audit/AuditEvent.swift").read_text().partition("/// Who did it.")[0]
    return re.findall(r'static let \w+ = Self\(rawValue: "(\w+)"\)', text)


def finding(server: Server) -> dict:
    return json.loads(audit(server, "--verify", "--json", "--audit-heads", str(heads(server)), code=1))


def heads(server: Server):
    return server.folder / "heads"


def busy(start) -> Server:
    """A service with some rows, stopped: its end is signed."""
    server = start(arguments=("--audit-heads", "heads"))
    for name in ("ada", "bob", "grace"):
        person = server.person(name)
        assert person.register().status_code == 201
        assert person.sign_in().status_code == 200
    assert server.stop() == 0
    return server


def test_every_change_is_recorded_with_who_what_how(start):
    server = start()
    ada = server.person("ada")
    assert ada.register().status_code == 201
    [old] = [passkey["id"] for passkey in ada.account()["passkeys"]]
    assert ada.call("PUT", "account/password", {"password": PASSWORD}).status_code == 204
    assert ada.patch("account", {"displayName": "Ada"}).status_code == 200
    assert server.client().post("sign-in/password", {"username": "ada", "password": PASSWORD}).status_code == 200
    assert server.client().post("sign-in/password", {"username": "ada", "password": PASSWORD[1:]}).status_code == 401
    new, answer = recover(server, link(server, "ada"))
    assert answer.status_code == 201
    assert new.delete(f"account/passkeys/{old}").status_code == 204
    assert new.delete("account/password").json()["code"] == "way_back_needed"
    assert new.post("account/recovery-codes").status_code == 201
    assert new.delete("account/password").status_code == 204
    accounts(server, "sessions", "ada", "--end-all")
    accounts(server, "disable", "ada")
    accounts(server, "enable", "ada")
    assert new.sign_in().status_code == 200
    assert new.post("sign-out").status_code == 204
    assert new.post("sign-out").status_code == 204, "nothing ended the second time"
    found = rows(server)
    assert [(row["event"], row["actor"], row["method"]) for row in found] == [
        ("account_created", "owner", None),
        ("signed_in", "owner", "passkey"),
        ("password_set", "owner", None),
        ("account_renamed", "owner", None),
        ("signed_in", "owner", "password"),
        ("recovery_link_made", "operator", None),
        ("passkey_added", "owner", "recovery_link"),
        ("signed_in", "owner", "passkey"),
        ("passkey_deleted", "owner", None),
        ("recovery_codes_made", "owner", None),
        ("password_removed", "owner", None),
        ("sessions_ended", "operator", None),
        ("account_disabled", "operator", None),
        ("account_enabled", "operator", None),
        ("signed_in", "owner", "passkey"),
        ("signed_out", "owner", None),
    ]
    assert {row["username"] for row in found} == {"ada"}
    assert found[1]["passkey"] == old == found[8]["passkey"]
    sessions = [row["details"].get("session") for row in found]
    assert sessions[0] is None and len({sessions[1], sessions[4], sessions[7], sessions[14]} - {None}) == 4
    assert sessions[2] == sessions[3] == sessions[1] and sessions[8] == sessions[9] == sessions[10] == sessions[7]
    assert sessions[15] == sessions[14] and sessions[11:14] == [None] * 3
    assert [row["number"] for row in found] == list(range(1, 17))
    assert len(rows(server, "--event", "signed_in")) == 4
    for event in events():
        audit(server, "--event", event)
    for typed, answer in (("singed_in", "write signed_in."), ("z" * 30, "the events are account_created, ")):
        assert answer in run_command(server, "audit", "--event", typed, code=64)
    assert rows(server, "--account", "ADA", "--since", "1h") == found
    assert audit(server, "--account", "bob", code=66) == ""

    accounts(server, "delete", "ada", "--yes")
    last = rows(server)[-1]
    assert last["event"] == "account_deleted" and last["username"] is None
    assert last["account"] == found[0]["account"], "the rows of a deleted account stay, without its name"
    # Random text may have the three letters too.
    assert not re.search(r"(?<![\w-])Ada(?![\w-])", json.dumps(rows(server)))
    assert len(auditlog.verify(server.database, server.folder / "audit.key")) == 17


def test_addresses_are_kept_only_where_a_setting_says_so(start):
    told = ("--trusted-proxies", "127.0.0.1")
    server = start(arguments=(*told, "--audit-addresses"))
    ada = server.person("ada")
    ada.http.headers["X-Forwarded-For"] = "10.1.1.1, 198.51.100.7"
    assert ada.register().status_code == 201
    for _ in range(3):
        wrong = server.client().post("sign-in/password", {"username": "ada", "password": PASSWORD})
        assert wrong.status_code == 401
    assert ada.sign_in().status_code == 200
    server.stop()
    server.arguments = told
    server.start()
    assert ada.sign_in().status_code == 200
    found = [row["details"] for row in rows(server)]
    assert [details.get("address") for details in found] == ["198.51.100.7"] * 3 + [None]
    assert [details.get("wrong_passwords") for details in found] == [None, None, "3", "3"]
    assert "address=198.51.100.7 session=" in audit(server)
    assert len(auditlog.verify(server.database, server.folder / "audit.key")) == 4
    server.stop()
    server.arguments = ("--audit-addresses",)
    with pytest.raises(RuntimeError, match="--trusted-proxies"):
        server.start()


def test_a_log_that_nobody_touched_is_as_it_was_written(start):
    server = busy(start)
    told = json.loads(audit(server, "--verify", "--json", "--audit-heads", "heads"))
    assert told["valid"] and told["last"] == 9 and told["heads"] >= 1
    assert len(auditlog.verify(server.database, server.folder / "audit.key", heads(server))) == 9
    key = server.folder / "audit.key"
    assert key.stat().st_mode & 0o777 == 0o600
    assert "audit head" in server.log_text()
    # The key stays the same, and the next run goes on where this one ended.
    kept = key.read_text()
    server.start()
    assert server.person("eve").register().status_code == 201
    server.stop()
    assert key.read_text() == kept and kept.strip() not in server.log_text()
    assert len(auditlog.verify(server.database, key, heads(server))) == 11


@pytest.mark.parametrize(
    ("change", "what", "row"),
    [
        ("UPDATE audit SET actor = 'operator' WHERE number = 4", "changed", 4),
        ("UPDATE audit SET at = at - 1 WHERE number = 9", "changed", 9),
        ("UPDATE audit SET hash = zeroblob(32) WHERE number = 5", "changed", 5),
        ("UPDATE audit SET credential_id = NULL WHERE number = 2", "changed", 2),
        ("UPDATE audit SET details = NULL WHERE number = 2", "changed", 2),
        ("UPDATE audit SET details = details || ' ' WHERE number = 5", "changed", 5),
        ("UPDATE audit SET details = 'x' WHERE number = 3", "changed", 3),
        ("DELETE FROM audit WHERE number = 1", "removed", 1),
        ("DELETE FROM audit WHERE number IN (4, 7)", "removed", 4),
        ("DELETE FROM audit WHERE number > 6", "cut_off", 7),
        ("DELETE FROM audit", "cut_off", 1),
        (
            "INSERT INTO audit_checkpoint SELECT 1, number, hash, at, zeroblob(64) FROM audit WHERE number = 3",
            "checkpoint_forged",
            0,
        ),
    ],
)
def test_a_change_with_sqlite3_is_found_and_named(start, change, what, row):
    server = busy(start)
    with closing(sqlite3.connect(server.database)) as db:
        db.execute(change)
        db.commit()
    told = finding(server)
    assert (told["finding"], told["row"]) == (what, row), told
    with pytest.raises(AssertionError):
        auditlog.verify(server.database, server.folder / "audit.key", heads(server))


def chain_anew(server, change):
    """Changes rows, and makes all hashes fit each other again."""
    with closing(sqlite3.connect(server.database)) as db:
        db.execute(change)
        digest = bytes(32)
        for number, *values in db.execute(f"SELECT {auditlog.COLUMNS} FROM audit ORDER BY number").fetchall():
            digest = auditlog.row_hash(digest, number, *values[:-1])
            db.execute("UPDATE audit SET hash = ? WHERE number = ?", (digest, number))
        db.commit()


def test_a_log_that_was_chained_anew_without_the_key_is_found(start):
    server = busy(start)
    chain_anew(server, "UPDATE audit SET actor = 'operator' WHERE number = 4")
    # The hashes fit each other: only what was signed tells.
    assert json.loads(audit(server, "--verify", "--json"))["valid"]
    assert finding(server) == {"valid": False, "finding": "rewritten", "row": 1}


def test_heads_and_keys_of_others_are_not_taken(start):
    server = busy(start)
    lines = heads(server).read_text().splitlines()
    head = json.loads(lines[-1])
    heads(server).write_text("\n".join([*lines, json.dumps({**head, "number": head["number"] + 1})]) + "\n")
    assert finding(server)["finding"] == "head_forged"
    heads(server).write_text("no head\n")
    audit(server, "--verify", "--audit-heads", "heads", code=64)
    (server.folder / "audit.key").chmod(0o640)
    audit(server, "--verify", code=69)
    (server.folder / "audit.key").unlink()
    audit(server, "--verify", code=69)


def test_old_rows_go_and_leave_a_signed_checkpoint(start):
    server = start(arguments=("--audit-heads", "heads", "--audit-retention", "1d"))
    assert server.person("ada").register().status_code == 201
    server.stop()
    # As if it was two days ago, chained and signed by the service itself.
    chain_anew(server, "UPDATE audit SET at = at - 172800")
    heads(server).unlink()
    server.start()
    assert server.person("bob").register().status_code == 201
    server.stop()
    assert [row["number"] for row in rows(server)] == [3, 4]
    assert json.loads(audit(server, "--verify", "--json", "--audit-heads", "heads"))["first"] == 3
    assert len(auditlog.verify(server.database, server.folder / "audit.key", heads(server))) == 2


def test_rows_that_were_changed_are_not_deleted(start):
    server = start(arguments=("--audit-heads", "heads", "--audit-retention", "1d"))
    assert server.person("ada").register().status_code == 201
    server.stop()
    with closing(sqlite3.connect(server.database)) as db:
        db.execute("UPDATE audit SET at = at - 172800")
        db.commit()
    server.start()
    server.stop()
    assert "audit log changed" in server.log_text()
    assert len(rows(server)) == 2 and finding(server)["row"] == 1
