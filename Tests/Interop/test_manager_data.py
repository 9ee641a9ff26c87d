"""`ward update-data`: public data of sites over HTTPS, checked before it replaces what is here, and what uses it."""

from __future__ import annotations

import json
import os
import ssl
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import passwordrules
import pytest
from apps import unshared
from certificates import certificates, trusting

VECTORS = Path(os.environ.get("WARD_VECTORS", Path(__file__).parents[2].parent / "shared/vectors"), "password-manager-resources")
NAMES = (
    "password-rules.json", "shared-credentials.json", "change-password-URLs.json", "websites-that-append-2fa-to-password.json",
    "sites-with-passkeys.json", "sites-with-codes.json",
)
# The forms of passkeys.2fa.directory, version 1, and of 2fa.directory, version 3.
PASSKEYS = {
    "keys.example": {"passwordless": "allowed", "documentation": "https://help.keys.example/passkeys", "additional-domains": ["keys.test"]},
    "second.example": {"mfa": "allowed"}, "none.example": {"contact": {"email": "a@none.example"}},
}
CODES = [
    ["Codes", {"domain": "totp.example", "additional-domains": ["totp.test"], "tfa": ["sms", "totp"], "keywords": ["other"]}],
    ["Texts", {"domain": "sms.example", "tfa": ["sms"], "keywords": ["other"]}],
]
SMALL = dict(
    zip(
        NAMES,
        (
            {"bank.example": {"password-rules": "minlength: 9; maxlength: 9; required: digit; allowed: lower;"}},
            [{"shared": ["one.example", "two.example"]}, {"from": ["old.example"], "to": ["new.example"]}],
            {"bank.example": "https://bank.example/password"}, ["codes.example"], PASSKEYS, CODES,
        ),
        strict=True,
    )
)


class DataServer(ThreadingHTTPServer):
    """Serves files by name, as bytes."""

    daemon_threads = True

    def __init__(self, certificate: Path) -> None:
        super().__init__(("127.0.0.1", 0), DataHandler)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate)
        self.socket = context.wrap_socket(self.socket, server_side=True)
        self.files = {name: json.dumps(value).encode() for name, value in SMALL.items()}
        self.asked: list[tuple[str, set[str]]] = []
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def address(self) -> str:
        return f"https://localhost:{self.server_address[1]}/quirks"

    def handle_error(self, *_: object) -> None:
        """Clients that leave are not worth a line."""


class DataHandler(BaseHTTPRequestHandler):
    server: DataServer

    def do_GET(self) -> None:
        self.server.asked.append((self.path, {name.lower() for name in self.headers}))
        body = self.server.files.get(self.path.removeprefix("/quirks/"))
        self.send_response(404 if body is None else 200)
        self.send_header("Content-Type", "text/plain; charset=utf-8")
        self.send_header("Content-Length", str(len(body or b"")))
        self.end_headers()
        self.wfile.write(body or b"")

    def log_message(self, *_: object) -> None:
        """Nothing."""


@pytest.fixture
def server(tmp_path: Path, manager) -> Iterator[DataServer]:
    """The server, and a person whose machine trusts it."""
    authority, certificate = certificates(tmp_path, "localhost")
    mounts = trusting(authority)
    if not mounts:
        pytest.skip("this machine keeps its trusted certificates elsewhere")
    manager.prefix = [*unshared("--mount"), "bash", "-c", " && ".join([*mounts, 'exec "$@"']), "bash"]
    server = DataServer(certificate)
    yield server
    server.shutdown()
    server.server_close()


def entries(manager) -> dict[str, int | None]:
    return {one["name"]: one.get("entries") for one in manager.json("update-data", "--status")}


def test_the_files_are_downloaded_and_used(manager, server):
    assert entries(manager) == dict.fromkeys(NAMES)
    rows = manager.json("update-data", "--from", server.address)
    assert [(row["name"], row["entries"]) for row in rows] == list(zip(NAMES, (1, 2, 1, 1, 3, 2), strict=True))
    assert all(row["downloadedAt"] > 1_700_000_000 for row in rows)
    assert [path for path, _ in server.asked] == [f"/quirks/{name}" for name in NAMES]
    assert not any(headers & {"cookie", "referer", "authorization"} for _, headers in server.asked)
    rules = SMALL["password-rules.json"]["bank.example"]["password-rules"]
    for one in manager.json("generate", "--site", "https://www.bank.example/login", "--count", "20"):
        assert passwordrules.problem(one["value"], rules) is None
    assert len(manager.ok("generate", "--site", "other.example").strip()) == 20
    assert manager.run("generate", "--site", "other.example", "--length", "200").returncode == 2


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("password-rules.json", b'{"bank.example": {"password-rules": "size: 3"}}'), ("password-rules.json", b"[]"),
        ("shared-credentials.json", b'[{"shared": "one.example"}]'), ("shared-credentials.json", b'[{"from": ["one.example"]}]'),
        ("change-password-URLs.json", b'{"bank.example": "javascript:alert(1)"}'),
        ("change-password-URLs.json", b'{"bank.example": "http://bank.example/"}'),
        ("change-password-URLs.json", b'{"not a domain": "https://bank.example/"}'),
        ("websites-that-append-2fa-to-password.json", b'["a", 2]'), ("websites-that-append-2fa-to-password.json", b"<html>"),
        ("websites-that-append-2fa-to-password.json", b"[" * 100_000), ("shared-credentials.json", b" " * (4 << 20) + b"[]"),
        ("password-rules.json", None), ("sites-with-passkeys.json", b"[]"), ("sites-with-codes.json", b'[["Name"]]'),
        ("sites-with-passkeys.json", b'{"keys.example": {"mfa": "allowed", "additional-domains": ["a b"]}}'),
    ],
    ids=range(15),
)
def test_a_file_that_cannot_be_used_changes_nothing(manager, server, name, content):
    manager.ok("update-data", "--from", server.address)
    before = entries(manager)
    server.files = {one: json.dumps([] if isinstance(SMALL[one], list) else {}).encode() for one in NAMES}
    if content is None:
        del server.files[name]
    else:
        server.files[name] = content
    refused = manager.run("update-data", "--from", server.address)
    assert refused.returncode in (1, 9) and name in refused.stderr and "Nothing was changed" in refused.stderr
    # The publishers do not depend on each other: the lists of the others are new.
    parts = [NAMES[:4], NAMES[4:5], NAMES[5:]]
    changed = {one for part in parts if name not in part for one in part}
    assert entries(manager) == {one: 0 if one in changed else count for one, count in before.items()}


def test_only_https_servers_that_the_machine_trusts_are_asked(manager, server):
    assert manager.run("update-data", "--from", server.address.replace("https", "http")).returncode == 2
    manager.prefix = []
    refused = manager.run("update-data", "--from", server.address)
    assert refused.returncode == 9 and server.asked == []


@pytest.mark.skipif(not VECTORS.exists(), reason="the folder of published files is absent")
def test_the_published_files_are_taken(manager, server):
    published = NAMES[:4]
    server.files |= {name: (VECTORS / name).read_bytes() for name in published}
    rows = {row["name"]: row["entries"] for row in manager.json("update-data", "--from", server.address)}
    assert {name: rows[name] for name in published} == {name: len(json.loads((VECTORS / name).read_text())) for name in published}


def test_an_audit_knows_what_the_lists_say(manager, server):
    manager.ok("update-data", "--from", server.address)
    manager.prefix = []
    manager.init()
    for number, host in enumerate(["www.keys.test", "second.example", "none.example", "my.totp.test", "sms.example"]):
        manager.ok("add", host, "--site", f"https://{host}", "--username", "ada", secrets={"--password-fd": f"mUqv-7ePwn-{number}k2tz"})
    problems = json.loads(manager.run("audit", "--json").stdout)["problems"]
    found = sorted((one["kind"], one["title"], one.get("address")) for one in problems)
    assert found == [
        ("code-missing", "my.totp.test", None), ("passkey-missing", "second.example", None),
        ("passkey-missing", "www.keys.test", "https://help.keys.example/passkeys"),
    ]
