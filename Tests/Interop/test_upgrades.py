"""The command that shows how people get from passwords to passkeys."""

from __future__ import annotations

import json
import sqlite3
import subprocess

from passwordaccounts import create, upgrade
from wardserver import Server, environment, find_binary


def upgrades(server: Server, *words: str, code: int = 0) -> str:
    done = subprocess.run(
        [str(find_binary()), "upgrades", *words, "--database", str(server.database)],
        cwd=server.folder,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == code, (done.stdout, done.stderr)
    return done.stdout


def numbers(server: Server) -> dict[str, int]:
    report = json.loads(upgrades(server, "--days", "2", "--json"))
    assert len(report["days"]) == 2 and report["unusedDays"] == 90
    for kind in ("asked", "upgraded", "upsold", "dismissed"):
        assert report["total"][kind] == sum(day[kind] for day in report["days"])
    return report["total"] | {"unusedPasswords": report["unusedPasswords"]}


def test_the_numbers_are_of_what_the_service_did(server: Server, name: str):
    before = numbers(server)
    person = server.person(name, backup_eligible=True, backed_up=True)
    assert create(person, name).status_code == 201
    assert person.post("account/offer", {"event": "shown"}).json() == {"counted": True}
    assert person.post("account/offer", {"event": "dismissed"}).json() == {"counted": True}
    assert upgrade(person, flags=0x1D).status_code == 201
    after = numbers(server)
    for kind in ("asked", "upgraded", "upsold", "dismissed"):
        assert after[kind] == before[kind] + 1, kind
    assert after["unusedPasswords"] == before["unusedPasswords"]

    assert person.sign_in().status_code == 200
    with sqlite3.connect(server.database, timeout=30) as database:
        database.execute(
            "UPDATE password SET chosen_at = 0 WHERE account_id = (SELECT id FROM account WHERE username = ?)", (name,)
        )
    assert numbers(server)["unusedPasswords"] == before["unusedPasswords"] + 1

    table = [line.split("\t") for line in upgrades(server).splitlines()]
    assert table[0] == ["day", "asked", "upgraded", "upsold", "dismissed"] and len(table) == 1 + 30 + 2
    assert all(len(row) == 5 for row in table[:-1]) and table[-2][0] == "total" and int(table[-2][1]) >= after["asked"]
    assert table[-1][0] == "accounts with a password not used for 90 days"


def test_the_number_of_days_has_limits(server: Server):
    for days in ("0", "401", "-1", "x"):
        upgrades(server, f"--days={days}", code=64)
