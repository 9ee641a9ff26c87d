"""Recovery links, disabled accounts and an administrator's list of sessions, with the real program."""

import json
import re
import sqlite3
import subprocess
import time

from test_registration import accounts
from wardserver import Server, environment, error_code, find_binary


def link(server: Server, name: str, *more: str) -> str:
    """The token of a new recovery link."""
    made = json.loads(accounts(server, "recovery-link", name, "--without-proof", "--origin", server.origin, "--json", *more))
    assert set(made) == {"link", "expiresAt"}
    found = re.fullmatch(re.escape(server.origin) + r"/recover#recovery=([A-Za-z0-9_-]{43})", made["link"])
    assert found, made
    return found[1]


def recover(server: Server, token: str):
    """Somebody with a new device opens the link."""
    person = server.person()
    answer = person.post("registration/options", {"recovery": token})
    if answer.status_code != 200:
        return person, answer
    options = answer.json()
    credential = person.browser.create(options["publicKey"])
    return person, person.post("registration/verify", {"ceremony": options["ceremony"], "credential": credential})


def test_a_recovery_link_opens_the_account_once_and_leaves_no_trace(start):
    server = start(log_level="trace")
    lost = server.person("ada")
    assert lost.register().status_code == 201
    replaced, token = link(server, "ada"), link(server, "ADA")
    assert error_code(recover(server, replaced)[1]) == "recovery_link_not_valid"
    ada, answer = recover(server, token)
    assert answer.status_code == 201
    assert lost.get("account").status_code == 401, "all sessions end"
    assert len(ada.account()["passkeys"]) == 2
    assert error_code(recover(server, token)[1]) == "recovery_link_not_valid"
    server.stop()
    assert token not in server.log_text()
    for file in server.folder.glob("ward.sqlite*"):
        assert token.encode() not in file.read_bytes(), file.name


def test_a_recovery_link_ends_after_an_hour(start):
    server = start()
    assert server.person("ada").register().status_code == 201
    before = int(time.time())
    token = link(server, "ada")
    with sqlite3.connect(server.database, timeout=10) as database:
        (end,) = database.execute("SELECT expires_at FROM recovery_link").fetchone()
        assert before + 3600 <= end <= int(time.time()) + 3600
        database.execute("UPDATE recovery_link SET expires_at = ?", (int(time.time()),))
    assert error_code(recover(server, token)[1]) == "recovery_link_not_valid"
    assert "no account" in accounts(server, "recovery-link", "bob", "--origin", server.origin, code=66)


def test_a_failure_at_the_last_write_leaves_the_link_and_the_sessions(start):
    """What is used up and what it is used up for are one transaction."""
    server = start()
    lost = server.person("ada")
    assert lost.register().status_code == 201
    token = link(server, "ada")
    with sqlite3.connect(server.database, timeout=10) as database:
        database.execute(
            "CREATE TRIGGER full BEFORE INSERT ON session BEGIN SELECT RAISE(ABORT, 'the disk is full'); END"
        )
    _, answer = recover(server, token)
    assert answer.status_code >= 500
    assert lost.get("account").status_code == 200, "nothing ended"
    assert len(lost.account()["passkeys"]) == 1
    server.kill()
    with sqlite3.connect(server.database, timeout=10) as database:
        database.execute("DROP TRIGGER full")
    server.start()
    assert recover(server, token)[1].status_code == 201


def test_a_disabled_account_is_shut_until_it_is_enabled(start):
    server = start()
    ada = server.person("ada")
    assert ada.register().status_code == 201
    token = link(server, "ada")
    assert json.loads(accounts(server, "disable", "ADA", "--json")) == {"disabled": "ada"}
    assert ada.get("account").status_code == 401
    assert error_code(ada.sign_in()) == "account_disabled"
    assert error_code(recover(server, token)[1]) == "recovery_link_not_valid"
    assert "enable" in accounts(server, "recovery-link", "ada", "--origin", server.origin, code=64)
    assert "disabled since" in accounts(server, "list")
    assert json.loads(accounts(server, "list", "--json"))["disabledAt"]
    assert json.loads(accounts(server, "show", "ada", "--json"))["disabledAt"]
    assert json.loads(accounts(server, "enable", "ada", "--json")) == {"enabled": "ada"}
    assert json.loads(accounts(server, "list", "--json"))["disabledAt"] is None
    assert ada.sign_in().status_code == 200
    for command in ("disable", "enable"):
        assert "no account" in accounts(server, command, "bob", code=66)


def test_the_id_of_a_session_may_begin_with_a_hyphen(start):
    server = start()
    ada = server.person("ada")
    assert ada.register().status_code == 201
    with sqlite3.connect(server.database, timeout=10) as database:
        database.execute("UPDATE session SET id = ?", (b"\xfb" + bytes(15),))
    [own] = [session["id"] for session in ada.get("account/sessions").json()["sessions"]]
    assert own.startswith("-")
    assert json.loads(accounts(server, "sessions", "ada", "--end", own, "--json")) == {"ended": 1}
    assert ada.get("account").status_code == 401


def test_an_administrator_lists_and_ends_sessions(start):
    server = start()
    first, bob = server.person("ada"), server.person("bob")
    assert first.register().status_code == 201 and bob.register().status_code == 201
    others = []
    for _ in range(2):
        other = server.person("ada")
        other.browser = first.browser
        assert other.sign_in().status_code == 200
        others.append(other)
    listed = [json.loads(line) for line in accounts(server, "sessions", "ada", "--json").splitlines()]
    assert len(listed) == 3 and all("current" not in session for session in listed)
    assert len(accounts(server, "sessions", "ada").splitlines()) == 3
    [own] = [session["id"] for session in first.get("account/sessions").json()["sessions"] if session["current"]]
    assert json.loads(accounts(server, "sessions", "ada", "--end", own, "--json")) == {"ended": 1}
    assert first.get("account").status_code == 401 and others[0].get("account").status_code == 200
    for wrong in (own, "x"):
        assert "no session" in accounts(server, "sessions", "ada", "--end", wrong, code=66)
    bobs = json.loads(accounts(server, "sessions", "bob", "--json"))["id"]
    assert "no session" in accounts(server, "sessions", "ada", "--end", bobs, code=66)
    accounts(server, "sessions", "ada", "--end", bobs, "--end-all", code=64)
    assert "2 sessions" in accounts(server, "sessions", "ada", "--end-all")
    assert accounts(server, "sessions", "ada") == ""
    assert others[1].get("account").status_code == 401 and bob.get("account").status_code == 200


def test_a_restored_backup_has_no_recovery_link(start):
    """It may have been used since."""
    server = start()
    assert server.person("ada").register().status_code == 201
    token = link(server, "ada")
    command = [str(find_binary()), "backup", "copy", "--database", str(server.database)]
    subprocess.run(command, cwd=server.folder, env=environment(), check=True, capture_output=True, timeout=120)
    assert recover(server, token)[1].status_code == 201
    server.stop()
    command[1] = "restore"
    subprocess.run(command, cwd=server.folder, env=environment(), check=True, capture_output=True, timeout=120)
    server.start()
    assert error_code(recover(server, token)[1]) == "recovery_link_not_valid"
