"""Passwords from outside: the way in, the way on to a passkey, and what is stored."""

import re
import sqlite3
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
import requests
from cryptography.exceptions import InvalidKey
from cryptography.hazmat.primitives.kdf.argon2 import Argon2id
from passwordaccounts import BACKED_UP, PASSWORD, create, sign_in, upgrade
from wardserver import Person, Server, error_code

def stored_hashes(server: Server) -> dict[str, str]:
    with sqlite3.connect(f"file:{server.database}?mode=ro", uri=True) as database:
        return dict(
            database.execute("SELECT username, hash FROM password JOIN account ON account.id = password.account_id")
        )


def test_from_a_password_to_a_passkey_and_without_the_password(server, name: str):
    person = server.person(name, backup_eligible=True, backed_up=True)
    made = create(person, person.name)
    assert made.status_code == 201
    assert made.json()["hasPasskey"] is False
    assert person.account()["hasPassword"] is True and person.account()["passkeys"] == []
    assert person.post("sign-out").status_code == 204
    back = sign_in(person, person.name.upper())
    assert (back.status_code, back.json()["hasPasskey"]) == (200, False)
    assert upgrade(person, flags=BACKED_UP).status_code == 201
    assert sign_in(server.client(), person.name).json()["hasPasskey"] is True
    assert person.post("sign-out").status_code == 204
    assert person.sign_in().status_code == 200
    assert person.delete("account/password").status_code == 204
    assert person.account()["hasPassword"] is False
    assert error_code(sign_in(server.client(), person.name)) == "sign_in_failed"
    again = person.sign_in(typed=True)
    assert again.status_code == 200, again.text


def test_another_implementation_agrees_about_the_hashes(start):
    """OpenSSL's Argon2, by way of the cryptography package."""
    server = start()
    accented = "café\u00a0au lait, s'il vous plaît"
    assert create(server.client(), "ada").status_code == 201
    assert create(server.client(), "zoe", accented).status_code == 201
    hashes = stored_hashes(server)
    assert all(re.match(r"\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$", it) for it in hashes.values())
    Argon2id.verify_phc_encoded(PASSWORD.encode(), hashes["ada"])
    Argon2id.verify_phc_encoded("café au lait, s'il vous plaît".encode(), hashes["zoe"])
    with pytest.raises(InvalidKey):
        Argon2id.verify_phc_encoded(PASSWORD.encode() + b"x", hashes["ada"])

    # And a hash that OpenSSL made, with less than the service asks for: it signs in, and is made anew.
    theirs = Argon2id(salt=b"0123456789abcdef", length=32, iterations=2, lanes=1, memory_cost=19_456)
    foreign = theirs.derive_phc_encoded(b"brought from elsewhere")
    with sqlite3.connect(server.database, timeout=10) as database:
        database.execute("UPDATE password SET hash = ? WHERE hash = ?", (foreign, hashes["ada"]))
    assert sign_in(server.client(), "ada", "brought from elsewhere").status_code == 200
    server.stop()
    server.arguments = ("--password-memory", "24MiB", "--password-passes", "3")
    server.start()
    assert error_code(sign_in(server.client(), "ada", "something else")) == "sign_in_failed"
    assert stored_hashes(server)["ada"] == foreign
    assert sign_in(server.client(), "ada", "brought from elsewhere").status_code == 200
    renewed = stored_hashes(server)["ada"]
    assert renewed.startswith("$argon2id$v=19$m=24576,t=3,p=1$")
    Argon2id.verify_phc_encoded(b"brought from elsewhere", renewed)


def test_passkeys_only_means_it(start):
    server = start()
    assert create(server.client(), "ada").status_code == 201
    server.stop()
    server.arguments = ("--passkeys-only",)
    server.start()
    assert error_code(sign_in(server.client(), "ada")) == "passwords_disabled"
    assert error_code(create(server.client(), "bob")) == "passwords_disabled"
    assert server.client().get("configuration").json()["methods"] == {"passkey": True, "password": False}
    page = server.client().get("/").text
    assert 'type="password"' not in page and "#password" not in page


@pytest.mark.timeout(300)
def test_accounts_with_a_password_survive_kill_minus_nine(start):
    server = start(log_level="warning")
    answered: list[str] = []

    def make(number: int) -> None:
        try:
            answer = create(server.client(), f"survivor{number}")
        except requests.RequestException:
            return
        assert answer.status_code == 201, answer.text
        answered.append(f"survivor{number}")

    with ThreadPoolExecutor(4) as workers:
        jobs = [workers.submit(make, number) for number in range(60)]
        while len(answered) < 20:
            time.sleep(0.001)
        server.kill()
        for job in jobs:
            job.result()
    assert 20 <= len(answered) < 60, "the kill came too late: the test proved nothing"
    server.start()
    for name in answered:
        assert sign_in(server.client(), name).status_code == 200, name
    with sqlite3.connect(f"file:{server.database}?mode=ro", uri=True) as database:
        alone = database.execute("SELECT count(*) FROM account WHERE id NOT IN (SELECT account_id FROM password)")
        assert alone.fetchone() == (0,), "an account is there with its password or not at all"


def test_nothing_of_a_password_is_in_the_log_or_the_database(start):
    server = start(log_level="trace")
    client = server.client()
    assert create(client, "ada", "unmistakable zeppelin 7").status_code == 201
    assert sign_in(client, "ada", "unmistakable zeppelin 7").status_code == 200
    assert client.call("PUT", "account/password", {"password": "unmistakable zeppelin 8"}).status_code == 204
    assert sign_in(client, "ada", "unmistakable zeppelin 9").status_code == 401
    server.stop()
    for file in (server.log, *server.folder.glob("ward.sqlite*")):
        content = file.read_bytes()
        assert b"zeppelin" not in content, file
    assert "argon2" not in server.log_text()


@pytest.mark.parametrize("setting", [(), ("--user-verification", "preferred"), ("--user-verification", "required")])
def test_a_sign_in_that_verified_nobody_opens_the_account_unless_it_is_required(start, setting: tuple[str, ...]):
    server = start(arguments=setting)
    ada = server.person("ada")
    assert ada.register().status_code == 201 and ada.sign_in().status_code == 200
    answer = ada.sign_in(flags=0x01)
    if "required" in setting:
        assert (answer.status_code, error_code(answer)) == (400, "user_not_verified")
        refused = server.person("bob").register(flags=0x01)
        assert (refused.status_code, error_code(refused)) == (400, "user_not_verified")
        return
    assert server.person("bob").register(flags=0x01).status_code == 201
    assert answer.status_code == 200 and ada.options("sign-in", {})["publicKey"]["userVerification"] == "preferred"
    refused = ada.post("registration/options", {})
    assert (refused.status_code, error_code(refused)) == (403, "passkey_sign_in_required")
    assert ada.sign_in().status_code == 200
    assert ada.post("registration/options", {}).status_code == 200
