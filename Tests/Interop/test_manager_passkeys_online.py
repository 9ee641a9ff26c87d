"""`ward audit --online passkeys`: sites are asked whether they offer passkeys, after a question and by nobody else."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from manager import PASSPHRASE, Manager, Pty
from ownnetwork import own_network, seen
from test_manager_audit import FOUND

PAGE = "/.well-known/passkey-endpoints"

# What each domain answers; "{}" is enough to say that passkeys are supported.
ANSWER = r'''
def answer(host, path):
    documents = {
        "offers.test": b'{"enroll":"https://id.offers.test/passkeys/new","manage":"https://offers.test/passkeys"}',
        "empty.test": b"{}", "elsewhere.test": b'{"enroll":"https://offers.test/stolen"}',
        "plain.test": b'{"enroll":"http://plain.test/new"}', "wrong.test": b'{"enroll":["https://wrong.test/"]}',
        "list.test": b"[]", "malformed.test": b"{", "html.test": b"{}", "redirect.test": b"", "huge.test": b"{}" + b" " * 20000,
    }
    if path != "/.well-known/passkey-endpoints" or host not in documents: return 404, "application/json", b"{}", {}
    if host == "redirect.test": return 302, "application/json", b"", {"Location": "https://empty.test" + path}
    return 200, "text/html" if host == "html.test" else "application/json", documents[host], {}
'''

OFFERED = {
    "login.offers.test": "https://id.offers.test/passkeys/new", "www.empty.test": None, "elsewhere.test": None, "plain.test": None,
    "wrong.test": None,
}
OTHERS = ["list.test", "malformed.test", "html.test", "redirect.test", "huge.test", "missing.test", "untrusted.test"]
ASKED = {
    "offers.test", "login.offers.test", "empty.test", "elsewhere.test", "plain.test", "wrong.test", "list.test", "malformed.test",
    "html.test", "redirect.test", "huge.test", "missing.test",
}


@pytest.fixture
def world(manager: Manager, tmp_path: Path) -> Iterator[Manager]:
    """Accounts with a password at each of these sites, and things that are nobody's site."""
    names = ASKED | {"other.test"}
    with own_network(manager, tmp_path, ANSWER, sorted(names), untrusted=["untrusted.test"]):
        manager.init()
        rows = [f"{host},https://{host}/in,ada,mUqv-7ePwn-{number}k2tz-Hh9fa" for number, host in enumerate([*OFFERED, *OTHERS])]
        rows += ["router,http://192.168.1.1/,admin,zX4w-Lq8vd-Tb6sn-Jc3kp", "here,https://localhost/,ada,pY5r-Gm2hx-Nf7cw-Dt4vb"]
        rows += ["other.test,https://other.test/,ada,"]
        path = tmp_path / "passwords.csv"
        path.write_text("\n".join(["name,url,username,password", *rows]) + "\n")
        manager.ok("import", str(path), "--apply")
        yield manager


def found(done) -> dict[str, str | None]:
    problems = json.loads(done.stdout)["problems"]
    return {one["title"]: one.get("address") for one in problems if one["kind"] == "passkey-missing"}


def test_sites_say_what_they_offer_and_where(world, tmp_path):
    assert found(world.run("audit", "--json")) == {} and seen(tmp_path) == []
    refused = world.run("audit", "--online", "passkeys", "--json")
    assert refused.returncode == 2 and "add --yes" in refused.stderr and seen(tmp_path) == []
    assert "13 sites" in refused.stderr and "offers.test" in refused.stderr and "192.168" not in refused.stderr
    done = world.run("audit", "--online", "passkeys", "--yes", "--json")
    assert done.returncode == FOUND and found(done) == OFFERED, done.stderr
    assert sorted(seen(tmp_path)) == sorted(f"{host} {PAGE}" for host in ASKED)
    assert "Asked 13 sites: 5 of them" in done.stderr
    # Without the question nothing is asked again, and what the sites said is forgotten.
    assert found(world.run("audit", "--json")) == {} and len(seen(tmp_path)) == len(ASKED)
    # What the person ignores is not asked for.
    world.ok("audit", "ignore", "plain.test", "--kind", "passkey-missing")
    again = world.run("audit", "--online", "passkeys", "--yes", "--json")
    assert found(again).keys() == OFFERED.keys() - {"plain.test"} and len(seen(tmp_path)) == 2 * len(ASKED) - 1


def test_a_no_asks_no_site(world, tmp_path):
    world.ok("unlock", passphrase=PASSPHRASE)
    asked = Pty(world, "audit", "--online", "passkeys")
    asked.wait_for(b"Send it? [y/N]")
    asked.type("n\r")
    assert asked.end() == 5 and b"Nothing was sent" in asked.got and seen(tmp_path) == []
