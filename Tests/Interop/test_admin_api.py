"""The admin API and its tokens, with the real program; schemathesis calls what the description says."""

import json
import sqlite3
import time
from contextlib import closing
from dataclasses import dataclass, field

import auditlog
import pytest
import requests
import schemathesis
from test_audit import rows
from test_openapi import DESCRIBED, bounded
from wardserver import Person, Server, free_port, run_command

ALL = ("accounts:read", "accounts:write", "recovery:write", "invitations:write", "audit:read", "statistics:read",
       "clients:read", "clients:write")  # fmt: skip


def tokens(server: Server, *words: str, code: int = 0) -> str:
    return run_command(server, "token", *words, code=code)


def create(server: Server, *scopes: str, name: str = "a program") -> dict:
    words = [word for scope in scopes for word in ("--scope", scope)]
    return json.loads(tokens(server, "create", name, *words, "--json"))


class Admin:
    """A program that uses the admin API."""

    def __init__(self, server: Server, port: int, token: str | None) -> None:
        self.url = f"http://127.0.0.1:{port}/api/v1/admin"
        self.http = requests.Session()
        if token:
            self.http.headers["Authorization"] = f"Bearer {token}"

    def call(self, method: str, path: str, **more) -> requests.Response:
        return self.http.request(method, f"{self.url}/{path}", timeout=60, **more)


def test_a_token_lets_a_program_look_after_accounts(start):
    port = free_port()
    server = start(arguments=("--admin-listen", f"127.0.0.1:{port}"))
    ada = server.person("ada")
    assert ada.register().status_code == 201
    made = create(server, *ALL, name="the helpdesk 🔑")
    admin = Admin(server, port, made["token"])
    assert Admin(server, port, None).call("GET", "accounts").status_code == 401
    # The two APIs are at their own addresses only.
    assert requests.get(f"{server.url}/api/v1/admin/statistics", timeout=60).status_code == 404
    assert requests.get(f"http://127.0.0.1:{port}/api/v1/configuration", timeout=60).status_code == 404
    [account] = admin.call("GET", "accounts", params={"username": "ada"}).json()["accounts"]
    assert admin.call("POST", f"accounts/{account['id']}/disable").status_code == 204
    assert ada.get("account").status_code == 401
    [listed] = [json.loads(line) for line in tokens(server, "list", "--json").splitlines()]
    assert listed["lastUsedAt"] and set(listed["scopes"]) == set(ALL) and listed["name"] == "the helpdesk 🔑"
    assert "token" not in listed and made["token"] not in tokens(server, "list")
    last = rows(server)[-1]
    assert (last["event"], last["actor"], last["details"]) == ("account_disabled", "operator", {"token": made["id"]})
    assert tokens(server, "revoke", made["id"]) == "The token the helpdesk 🔑 is revoked.\n"
    assert admin.call("GET", "statistics").status_code == 401
    assert "ward-server token list" in tokens(server, "revoke", made["id"], code=66)
    assert server.stop() == 0
    assert [row["event"] for row in rows(server)][-1] == "admin_token_revoked"
    auditlog.verify(server.database, server.folder / "audit.key")
    for file in [server.log, *server.folder.glob("ward.sqlite*")]:
        assert made["token"].encode() not in file.read_bytes(), file.name
    with closing(sqlite3.connect(server.database)) as db:
        assert db.execute("SELECT count(*) FROM admin_token").fetchone() == (0,)


@pytest.mark.parametrize(
    "words",
    [
        ("create", "x"),
        ("create", "x", "--scope", "accounts:delete"),
        ("create", "", "--scope", "audit:read"),
        ("create", "x" * 65, "--scope", "audit:read"),
        ("create", "a\nb", "--scope", "audit:read"),
        ("create", "x", "--scope", "audit:read", "--expires-in", "59s"),
        ("create", "x", "--scope", "audit:read", "--expires-in", "3651d"),
    ],
)
def test_a_token_that_cannot_be_made_is_explained(start, words):
    server = start()
    assert tokens(server, *words, code=64)
    assert tokens(server, "list") == ""


@pytest.fixture(scope="module")
def administered(tmp_path_factory):
    """A service whose admin API is on, and a token with every scope."""
    port = free_port()
    server = Server(tmp_path_factory.mktemp("admin"), arguments=("--admin-listen", f"127.0.0.1:{port}")).start()
    try:
        for name in ("ada", "bob"):
            assert server.person(name).register().status_code == 201
        yield port, create(server, *ALL)["token"]
    finally:
        server.stop()


@pytest.fixture(scope="module")
def description(administered):
    return schemathesis.openapi.from_url(f"http://127.0.0.1:{administered[0]}/api/v1/admin/openapi.json")


schema = schemathesis.pytest.from_fixture("description")


@pytest.mark.timeout(600)
@schema.parametrize()
@bounded
def test_programs_get_what_is_described(case, administered):
    port, token = administered
    headers = {"Authorization": f"Bearer {token}"}
    case.call_and_validate(base_url=f"http://127.0.0.1:{port}", headers=headers, checks=DESCRIBED)


@pytest.mark.timeout(600)
@schema.parametrize()
@bounded
def test_programs_without_a_token_get_what_is_described(case, administered):
    case.call_and_validate(base_url=f"http://127.0.0.1:{administered[0]}", checks=DESCRIBED)


@dataclass
class Page:
    """A service with an admin page, a person, and an administrator whose proof is new enough to change something."""

    server: Server
    person: str
    administrator: Person
    proven: float = field(default_factory=time.monotonic)

    def cookies(self) -> dict[str, str]:
        if time.monotonic() - self.proven > 120:
            assert self.administrator.sign_in().status_code == 200
            self.proven = time.monotonic()
        return {cookie.name: cookie.value for cookie in self.administrator.http.cookies}


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    with Server(tmp_path_factory.mktemp("page"), arguments=("--admin-group", "admins")) as server:
        ada, olga = server.person("ada"), server.person("olga")
        for person in (ada, olga):
            assert person.register().status_code == 201
        run_command(server, "accounts", "groups", "olga", "--add", "admins")
        yield Page(server, ada.account()["account"]["id"], olga)


@pytest.fixture(scope="module")
def page_description(page):
    address = f"{page.server.url}/api/v1/admin/openapi.json"
    assert requests.get(address, timeout=60).status_code == 404
    return schemathesis.openapi.from_url(address, cookies=page.cookies(), headers={"Origin": page.server.origin})


page_schema = schemathesis.pytest.from_fixture("page_description")


@pytest.mark.timeout(600)
@page_schema.parametrize()
@bounded
def test_administrators_get_what_is_described(case, page):
    if "id" in case.path_parameters:
        case.path_parameters["id"] = page.person
    headers = {"Origin": page.server.origin}
    case.call_and_validate(base_url=page.server.url, headers=headers, cookies=page.cookies(), checks=DESCRIBED)
