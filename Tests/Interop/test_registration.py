"""Registration that is closed or by invitation, and the commands for accounts, with the real program."""

import json
import re
import sqlite3
import subprocess
import time

import pytest
from wardserver import Server, environment, error_code, find_binary, run_command


def accounts(server: Server, *arguments: str, code: int = 0) -> str:
    """Runs `ward-server accounts …` on the database of a service; what it printed."""
    return run_command(server, "accounts", *arguments, code=code)


def invite(server: Server, *more: str) -> str:
    """The token of a new invitation."""
    link = json.loads(accounts(server, "invite", "--origin", server.origin, "--json", *more))["link"]
    found = re.fullmatch(re.escape(server.origin) + r"/#invitation=([A-Za-z0-9_-]{43})", link)
    assert found, link
    return found[1]


def register(server: Server, name: str, **more: str):
    person = server.person(name)
    answer = person.post("registration/options", {"username": name, **more})
    if answer.status_code != 200:
        return answer
    options = answer.json()
    credential = person.browser.create(options["publicKey"])
    return person.post("registration/verify", {"ceremony": options["ceremony"], "credential": credential})


def test_an_invitation_makes_one_account_and_leaves_no_trace(start):
    server = start(arguments=("--registration", "invite"), log_level="trace")
    assert error_code(register(server, "ada")) == "invitation_required"
    token = invite(server)
    assert register(server, "ada", invitation=token).status_code == 201
    assert error_code(register(server, "bob", invitation=token)) == "invitation_not_valid"
    assert register(server, "bob", invitation=invite(server)).status_code == 201
    server.stop()
    assert token not in server.log_text()
    for file in server.folder.glob("ward.sqlite*"):
        assert token.encode() not in file.read_bytes(), file.name


def test_an_invitation_ends(start):
    server = start(arguments=("--registration", "invite"))
    said = accounts(server, "invite", "--origin", server.origin, "--expires-in", "1s", code=64)
    assert "60s to 90d" in said
    token = invite(server, "--expires-in", "60s")
    with sqlite3.connect(server.database, timeout=10) as database:
        database.execute("UPDATE invitation SET expires_at = ?", (int(time.time()),))
    assert error_code(register(server, "ada", invitation=token)) == "invitation_not_valid"


def test_closed_registration_says_the_same_for_every_name(start):
    server = start()
    ada = server.person("ada")
    assert ada.register().status_code == 201
    server.stop()
    server.arguments = ("--registration", "closed")
    server.start()
    answers = {
        (answer.status_code, answer.text)
        for name in ("ada", "nobody")
        for answer in (
            register(server, name),
            server.client().post("account", {"username": name, "password": "rotating teapot 41 lanterns"}),
        )
    }
    assert len(answers) == 1 and answers.pop()[0] == 403
    assert ada.sign_in().status_code == 200


@pytest.mark.parametrize("source", ["option", "environment", "file"])
def test_a_policy_that_is_none_is_refused(tmp_path, source):
    arguments, variables = ["serve", "--database", "ward.sqlite"], {}
    if source == "option":
        arguments += ["--registration", "members"]
    elif source == "environment":
        variables = {"WARD_REGISTRATION": "members"}
    else:
        (tmp_path / "ward.json").write_text(json.dumps({"registration": "members"}))
        arguments += ["--config", str(tmp_path / "ward.json")]
    done = subprocess.run(
        [str(find_binary()), *arguments],
        cwd=tmp_path,
        env=environment(**variables),
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 64
    assert "--registration" in done.stderr and "open, invite or closed" in done.stderr
    assert not (tmp_path / "ward.sqlite").exists()


def test_accounts_are_listed_shown_and_deleted_while_the_service_runs(start):
    server = start()
    ada, bob = server.person("ada"), server.person("bob")
    assert ada.register().status_code == 201 and bob.register().status_code == 201
    lines = accounts(server, "list").splitlines()
    assert [line.split("\t")[0] for line in lines] == ["ada", "bob"]
    assert "1 passkey" in lines[0]
    listed = [json.loads(line) for line in accounts(server, "list", "--json").splitlines()]
    assert [account["username"] for account in listed] == ["ada", "bob"]

    shown = json.loads(accounts(server, "show", "ADA", "--json"))
    assert shown["account"]["username"] == "ada" and len(shown["sessions"]) == 1
    assert "passkey" in accounts(server, "show", "ada")
    assert ada.http.cookies.get("ward") not in accounts(server, "show", "ada", "--json")

    assert "--yes" in accounts(server, "delete", "ada", code=64)
    assert ada.get("account").status_code == 200
    assert "deleted" in accounts(server, "delete", "ada", "--yes")
    assert ada.get("account").status_code == 401 and ada.sign_in().status_code == 401
    assert bob.get("account").status_code == 200
    assert "no account" in accounts(server, "show", "ada", code=66)
    assert "no account" in accounts(server, "delete", "ada", "--yes", code=66)


def test_an_account_is_put_into_groups_and_taken_out(start):
    server = start()
    ada = server.person("ada")
    assert ada.register().status_code == 201
    assert accounts(server, "groups", "ada") == "The account ada is in no group.\n"
    added = json.loads(accounts(server, "groups", "ADA", "--add", "staff", "--add", "admins", "--json"))
    assert added == {"username": "ada", "groups": ["admins", "staff"], "changed": True}
    assert json.loads(accounts(server, "groups", "ada", "--add", "staff", "--json"))["changed"] is False
    assert "in admins, staff" in accounts(server, "list") and ada.account()["account"]["groups"] == ["admins", "staff"]
    assert accounts(server, "groups", "ada", "--remove", "staff", "--add", "ops") == "The account ada is in: admins, ops.\n"
    assert json.loads(accounts(server, "show", "ada", "--json"))["account"]["groups"] == ["admins", "ops"]
    for wrong, reason in [
        (["--add", "Admins"], "a to z"), (["--add", "x" * 65], "64 characters"),
        (["--add", "staff", "--remove", "staff"], "not both"),
        ([word for number in range(31) for word in ("--add", f"g{number}")], "at most 32 groups"),
    ]:  # fmt: skip
        assert reason in accounts(server, "groups", "ada", *wrong, code=64)
    assert "no account" in accounts(server, "groups", "nobody", "--add", "staff", code=66)
    changes = [event["event"] for event in ada.get("account/activity").json()["activity"]]
    assert changes.count("groups_changed") == 2 and ada.account()["account"]["groups"] == ["admins", "ops"]


def test_a_display_name_cannot_change_the_terminal(start):
    server = start()
    ada = server.person("ada")
    assert ada.register().status_code == 201
    with sqlite3.connect(server.database, timeout=10) as database:
        database.execute("UPDATE account SET display_name = ?", ("\x1b[2Jada\u202e",))
    for said in (accounts(server, "list"), accounts(server, "show", "ada"), accounts(server, "list", "--json")):
        assert "\x1b" not in said
    assert "\u202e" not in accounts(server, "list")


def test_commands_for_accounts_make_no_database(tmp_path):
    for command in (["list"], ["invite"], ["show", "ada"], ["delete", "ada", "--yes"]):
        done = subprocess.run(
            [str(find_binary()), "accounts", *command, "--database", str(tmp_path / "typo.sqlite")],
            cwd=tmp_path,
            env=environment(),
            capture_output=True,
            text=True,
            timeout=60,
        )
        assert done.returncode == 64 and "typo.sqlite" in done.stderr, done
    assert list(tmp_path.iterdir()) == []
