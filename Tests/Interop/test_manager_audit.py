"""`ward audit`: the security list of a vault with known problems, what is ignored, and the way to the page that changes a password."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from manager import Manager
from test_manager_daily import fake, wait_for

FOUND = 11
STRONG = ("mUqv-7ePwn-Rk2tz-Hh9fa", "zX4w-Lq8vd-Tb6sn-Jc3kp", "pY5r-Gm2hx-Nf7cw-Dt4vb")


@pytest.fixture(scope="module")
def troubled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A home whose vault has known problems."""
    folder = tmp_path_factory.mktemp("troubled")
    one = Manager(folder)
    one.init()
    for title, site, user, password in (
        ("Shop", "https://shop.example", "alice", "hunter2"),
        ("Garden", "https://garden.example", "bob", STRONG[0]),
        ("Mill", "https://mill.example", "carol", STRONG[0]),
        ("Mill again", "https://www.mill.example", "CAROL", STRONG[1]),
        ("Bank", "https://bank.example", "dave", STRONG[2]),
    ):
        one.ok("add", title, "--site", site, "--username", user, secrets={"--password-fd": password})
    home = one.keep(folder / "kept")
    yield home


@pytest.fixture
def owner(manager: Manager, troubled: Path) -> Manager:
    """Somebody whose vault has known problems."""
    manager.begin(troubled)
    manager.ok("unlock", passphrase="correct horse battery staple")
    return manager


def audit(manager: Manager, *words: str) -> list[tuple[str, str]]:
    done = manager.run("audit", *words, "--json")
    report = json.loads(done.stdout)
    problems = [one for one in report["problems"] if not one["isIgnored"]]
    assert done.returncode == (FOUND if problems else 0) and report["unreadable"] == 0
    return [(one["kind"], one["title"]) for one in report["problems"]]


def test_the_known_problems_are_found_and_no_others(owner):
    expected = [
        ("weak", "Shop"), ("reused", "Garden"), ("reused", "Mill"), ("duplicate", "Mill"), ("duplicate", "Mill again"),
    ]
    assert sorted(audit(owner)) == sorted(expected)
    assert sorted(audit(owner, "Mill again")) == [("duplicate", "Mill again")]
    assert audit(owner, "Bank") == []
    shown = owner.run("audit")
    assert shown.returncode == FOUND and not shown.stdout.count("\n\n")
    rows = [line.split("\t") for line in shown.stdout.splitlines()]
    assert [row[0] for row in rows] == ["weak", "reused", "reused", "duplicate", "duplicate"] and {len(row) for row in rows} == {6}
    assert "5 problems in 5 items" in shown.stderr
    told = shown.stdout + shown.stderr + owner.run("audit", "--json").stdout
    assert not any(secret in told for secret in ("hunter2", *STRONG))
    missing = owner.run("audit", "nowhere")
    assert missing.returncode == 4 and "No item matches" in missing.stderr


def test_what_is_ignored_stays_ignored_until_the_password_changes(owner):
    assert owner.json("audit", "ignore", "Shop")["kinds"] == ["weak"]
    assert owner.json("audit", "ignore", "Mill", "--kind", "duplicate")["kinds"] == ["duplicate"]
    assert sorted(audit(owner)) == [("duplicate", "Mill again"), ("reused", "Garden"), ("reused", "Mill")]
    assert len(audit(owner, "--show-ignored")) == 5
    assert "2 problems are ignored" in owner.run("audit").stderr
    # The decision is in the vault, and survives locking.
    owner.stop()
    owner.ok("unlock", passphrase="correct horse battery staple")
    assert ("weak", "Shop") not in audit(owner)
    owner.ok("edit", "Mill", "--title", "Watermill")
    assert ("duplicate", "Watermill") not in audit(owner)
    owner.json("audit", "ignore", "Watermill", "--kind", "duplicate", "--undo")
    assert ("duplicate", "Watermill") in audit(owner)
    refused = owner.run("audit", "ignore", "Bank", "--kind", "ugly")
    assert refused.returncode == 2 and "weak, reused" in refused.stderr


class Site(ThreadingHTTPServer):
    """A site that has some pages, or says yes to everything."""

    daemon_threads = True

    def __init__(self, pages: dict[str, int], rest: int) -> None:
        super().__init__(("127.0.0.1", 0), SiteHandler)
        self.pages, self.rest = pages, rest
        self.asked: list[str] = []
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class SiteHandler(BaseHTTPRequestHandler):
    server: Site

    def do_GET(self) -> None:
        self.server.asked.append(self.path)
        status = self.server.pages.get(self.path, self.server.rest)
        self.send_response(status)
        if status == 302:
            self.send_header("location", "/settings/password")
        self.send_header("content-type", "text/html")
        self.send_header("content-length", "2")
        self.end_headers()
        self.wfile.write(b"ok")

    def log_message(self, *_: object) -> None:
        """Nothing to say."""


WELL_KNOWN = "/.well-known/change-password"


@pytest.mark.parametrize(
    ("pages", "rest", "is_used"),
    [
        ({WELL_KNOWN: 302, "/settings/password": 200}, 404, True),
        ({WELL_KNOWN: 200}, 404, True),
        # A site that answers every address with a page says nothing about this one.
        ({}, 200, False),
        ({"/settings/password": 200}, 302, False),
        ({}, 404, False),
        ({WELL_KNOWN: 302}, 404, False),
    ],
)
def test_fix_opens_the_page_only_of_a_site_that_means_it(owner, pages, rest, is_used):
    seen = owner.folder / "seen"
    fake(owner, "xdg-open", f'echo "$@" > {seen}\n')
    site = Site(pages, rest)
    owner.ok("add", "Local", "--site", site.address, "--username", "erin")
    opened = owner.json("audit", "fix", "Local")
    assert opened["source"] == ("well-known" if is_used else "site")
    assert opened["address"] == (site.address + WELL_KNOWN if is_used else site.address)
    assert wait_for(seen).strip() == opened["address"]
    # The decoy is asked only after the real address had success.
    decoys = [path for path in site.asked if "should-not-exist" in path]
    first = pages.get(WELL_KNOWN, rest)
    assert bool(decoys) == (first == 200 or (first == 302 and pages.get("/settings/password") == 200))
    site.shutdown()
    site.server_close()


def test_fix_takes_the_address_of_the_list(owner):
    data = owner.home / "data/ward/site-data"
    data.mkdir(parents=True)
    address = "https://bank.example/me/password"
    (data / "change-password-URLs.json").write_text(json.dumps({"bank.example": address}))
    assert owner.ok("audit", "fix", "Bank", "--print-only").strip() == address
    (data / "shared-credentials.json").write_text(json.dumps([{"shared": ["garden.example", "mill.example"]}]))
    assert not any(kind == "reused" for kind, _ in audit(owner))
