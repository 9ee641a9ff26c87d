"""`ward-server accounts import`: people of another system sign in with the passwords that they have, and get better hashes."""

from __future__ import annotations

import base64
import hashlib
import json
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.kdf.argon2 import Argon2id
from passwordaccounts import PASSWORD, sign_in
from test_passwords import stored_hashes
from wardserver import error_code, run_command

SECRET = PASSWORD.encode()
BCRYPT = "$2y$06$bQsPgsqHnccqD.StjAs3pebYl1YB.Uxyv1/VNkm0Nq6UM0xAL4Gae"


def django_pbkdf2(secret: bytes = SECRET) -> str:
    return "pbkdf2_sha256$3000$salt22$" + base64.b64encode(hashlib.pbkdf2_hmac("sha256", secret, b"salt22", 3000)).decode()


def werkzeug_scrypt() -> str:
    return "scrypt:1024:8:1$pepper$" + hashlib.scrypt(SECRET, salt=b"pepper", n=1024, r=8, p=1, dklen=64).hex()


def argon2_lanes() -> str:
    return Argon2id(salt=b"0123456789abcdef", length=32, iterations=2, lanes=4, memory_cost=2048).derive_phc_encoded(SECRET)


def people() -> list[dict]:
    return [
        {"username": "django", "passwordHash": django_pbkdf2(), "email": "d@example.com", "emailConfirmed": True, "createdAt": 1_500_000_000},
        {"username": "Flask", "passwordHash": werkzeug_scrypt(), "displayName": "Fläsk", "groups": ["staff"]},
        {"username": "php", "passwordHash": BCRYPT, "email": "p@example.com"},
        {"username": "lanes", "passwordHash": argon2_lanes()},
        {"username": "nopassword"},
    ]


def write(path: Path, lines: list) -> str:
    path.write_text("\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines) + "\n")
    return str(path)


def test_people_sign_in_with_their_passwords_and_get_hashes_of_the_service(start, tmp_path):
    server = start()
    file = write(tmp_path / "people.jsonl", people())
    planned = json.loads(run_command(server, "accounts", "import", file, "--dry-run", "--json"))
    assert planned["added"] == 5 and stored_hashes(server) == {}
    done = json.loads(run_command(server, "accounts", "import", file, "--json"))
    assert done == {"added": 5, "existing": 0, "dryRun": False, "withPassword": 4, "unconfirmedAddresses": 1}
    before = stored_hashes(server)
    for name in ("django", "flask", "php", "lanes"):
        assert error_code(sign_in(server.client(), name, PASSWORD + "x")) == "sign_in_failed"
        assert sign_in(server.client(), name).status_code == 200, name
    after = stored_hashes(server)
    assert all(after[name] != before[name] and after[name].startswith("$argon2id$v=19$m=19456,t=2,p=1$") for name in after)
    assert all(sign_in(server.client(), name).status_code == 200 for name in ("django", "php"))
    assert error_code(sign_in(server.client(), "nopassword")) == "sign_in_failed"
    shown = json.loads(run_command(server, "accounts", "show", "django", "--json"))
    assert "d@example.com" in json.dumps(shown) and "2017-07-14" in json.dumps(shown)
    assert "p@example.com" not in json.dumps(json.loads(run_command(server, "accounts", "show", "php", "--json")))
    assert "staff" in json.dumps(json.loads(run_command(server, "accounts", "show", "flask", "--json")))
    # Again changes nothing: neither the new hashes nor the accounts.
    assert json.loads(run_command(server, "accounts", "import", file, "--json"))["existing"] == 5
    assert stored_hashes(server) == after


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("not json", "line 2: this is not JSON"), ('["a"]', "line 2: the line must be a JSON object"),
        ({"passwordHash": "x"}, "the member username is missing"), ({"username": "a b"}, "the user name is not allowed"),
        ({"username": "x", "passwordHash": "5f4dcc3b5aa765d61d8327deb882cf99"}, "the form of the password hash is unknown"),
        ({"username": "x", "password": "secret in plain text"}, "there is no member “password”"),
        ({"username": "DJANGO"}, "line 1 has the same user name"), ({"username": "x", "createdAt": "yesterday"}, "must be seconds since 1970"),
        ({"username": "x", "email": "no address", "emailConfirmed": True}, "the e-mail address is not usable"),
        ({"username": "x", "groups": ["a\nb"]}, "a group is not a group name"), ({"username": "x", "groups": "staff"}, "must be a list of texts"),
        ({"username": "x", "email": "x@example.com", "emailConfirmed": "yes"}, "emailConfirmed must be true or false"), ({"username": 7}, "the member username must be a text"),
        ({"username": "x", "displayName": "\u202e"}, "the display name is not allowed"),
    ],
)  # fmt: skip
def test_one_wrong_line_and_nothing_is_written(start, tmp_path, line, said):
    server = start()
    file = write(tmp_path / "people.jsonl", [people()[0], line])
    refused = run_command(server, "accounts", "import", file, code=64)
    assert said in refused and "Nothing was written" in refused
    assert "5f4dcc3b" not in refused and "secret in plain" not in refused
    assert stored_hashes(server) == {}
