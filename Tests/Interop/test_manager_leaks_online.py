"""`ward audit` against lists of leaked passwords: a service that gets five digits of a hash, and a file of hashes."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from apps import unshared
from certificates import certificates, trusting
from leakranges import RangeServer, sha1
from manager import PASSPHRASE, Manager, Pty
from test_manager_audit import FOUND, STRONG

LEAKED, PADDED, FINE = STRONG
PASSWORDS = (LEAKED, PADDED, FINE)


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with three strong passwords."""
    folder = tmp_path_factory.mktemp("leaks")
    one = Manager(folder)
    one.init()
    for number, password in enumerate(PASSWORDS):
        one.ok(
            "add", f"Item {number}", "--site", f"https://site{number}.example", "--username", "ada",
            secrets={"--password-fd": password},
        )
    return one.keep(folder / "kept")


@pytest.fixture
def owner(manager: Manager, kept: Path) -> Manager:
    """The person of that home."""
    manager.begin(kept)
    return manager


@pytest.fixture
def ranges(tmp_path: Path, owner: Manager) -> Iterator[RangeServer]:
    """The server, and one view of the machine for the agent and all commands, which trusts it."""
    authority, certificate = certificates(tmp_path, "localhost")
    mounts = trusting(authority)
    if not mounts:
        pytest.skip("this machine keeps its trusted certificates elsewhere")
    words = [*unshared("--mount", "--kill-child", "--fork"), "bash", "-c", " && ".join([*mounts, "echo ready", "exec sleep infinity"])]
    view = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
    server = RangeServer(certificate, {LEAKED: 37, PADDED: 0})
    try:
        assert view.stdout is not None
        if view.stdout.readline() != "ready\n":
            pytest.skip("this machine lets nobody mount a file of certificates")
        pid = Path(f"/proc/{view.pid}/task/{view.pid}/children").read_text().split()[0]
        owner.prefix = ["nsenter", "--target", pid, "--user", "--mount", "--preserve-credentials"]
        unlock(owner)
        yield server
        owner.stop()
    finally:
        view.kill()
        view.communicate(timeout=30)
        owner.prefix = []
        server.stop()


def unlock(owner: Manager) -> None:
    owner.ok("unlock", passphrase=PASSPHRASE)


def leaked(done) -> list[tuple[str, int]]:
    problems = json.loads(done.stdout)["problems"]
    assert done.returncode == (FOUND if problems else 0), done.stderr
    return [(one["title"], one["count"]) for one in problems if one["kind"] == "leaked"]


def test_only_five_digits_of_each_hash_leave_the_machine(owner, ranges):
    words = ("audit", "--online", "leaks", "--leaks-from", ranges.address, "--json")
    assert leaked(owner.run("audit", "--json")) == [] and ranges.asked == []
    refused = owner.run(*words)
    assert refused.returncode == 2 and "add --yes" in refused.stderr and ranges.asked == []
    assert "To localhost:" in refused.stderr and "first 5 of the 40 digits" in refused.stderr
    found = owner.run(*words, "--yes")
    assert leaked(found) == [("Item 0", 37)], "padding does not count"
    assert "Compared 3 passwords" in found.stderr
    assert sorted(path for path, _ in ranges.asked) == sorted(f"/range/{sha1(one)[:5]}" for one in PASSWORDS)
    for _, headers in ranges.asked:
        assert headers["add-padding"] == "true" and headers["user-agent"] == "ward"
        assert not headers.keys() & {"cookie", "referer", "authorization"}
    told = found.stdout + found.stderr
    assert not any(sha1(one)[:5] in told or sha1(one)[5:] in told or one in told for one in PASSWORDS)
    # The answers count for a day, and until the vault is locked.
    assert leaked(owner.run(*words)) == [("Item 0", 37)] and leaked(owner.run("audit", "--json")) == [("Item 0", 37)]
    assert len(ranges.asked) == 3
    owner.ok("lock")
    unlock(owner)
    assert leaked(owner.run("audit", "--json")) == []
    assert not (owner.home / "config/ward/online-checks.json").exists()
    files = [path for path in owner.home.rglob("*") if path.is_file()]
    assert not any(sha1(one)[:5].encode() in path.read_bytes() for one in PASSWORDS for path in files)


@pytest.mark.parametrize("behaviour", ["unavailable", "nonsense", "untrusted"])
def test_a_service_that_fails_is_named_and_finds_nothing(owner, ranges, behaviour):
    ranges.behaviour = behaviour
    if behaviour == "untrusted":
        owner.stop()
        owner.prefix = []
        unlock(owner)
    done = owner.run("audit", "--online", "leaks", "--leaks-from", ranges.address, "--yes", "--json")
    assert leaked(done) == [] and "3 queries had no usable answer" in done.stderr
    assert (ranges.asked == []) == (behaviour == "untrusted")


def test_a_no_sends_nothing_and_is_not_remembered(owner):
    unlock(owner)
    asked = Pty(owner, "audit", "--online", "leaks", "--leaks-from", "https://localhost:9/range/")
    asked.wait_for(b"Send it? [y/N]")
    assert b"To localhost:9" in asked.got and b"first 5 of the 40 digits" in asked.got.replace(b"\r\n", b" ")
    asked.type("n\r")
    assert asked.end() == 5 and b"Nothing was sent" in asked.got and b"Compared" not in asked.got
    assert not (owner.home / "config/ward/online-checks.json").exists()


def test_the_answer_to_the_question_is_remembered_only_if_the_person_says_so(owner, ranges):
    words = ("audit", "--online", "leaks", "--leaks-from", ranges.address)
    kept = owner.home / "config/ward/online-checks.json"
    assert owner.run(*words, "--yes", "--remember").returncode == FOUND
    assert kept.stat().st_mode & 0o777 == 0o600
    owner.ok("lock")
    unlock(owner)
    again = owner.run(*words)
    assert again.returncode == FOUND and "To localhost" in again.stderr and len(ranges.asked) == 6
    owner.ok("lock")
    unlock(owner)
    elsewhere = owner.run("audit", "--online", "leaks", "--leaks-from", "https://other.example/range/")
    assert elsewhere.returncode == 2, "another recipient is another question"
    assert owner.run(*words, "--no-remember").returncode == 2 and len(ranges.asked) == 6
    assert json.loads(kept.read_text()) == {"agreed": []}


def test_a_file_of_100_megabytes_is_searched(owner, tmp_path):
    unlock(owner)
    # Two lines for each of the million first five digits, and the leaked hash in its place.
    file, wanted = tmp_path / "pwned.txt", sha1(LEAKED)
    low, high = "0" * 35 + ":12\r\n", "F" * 35 + ":3456\r\n"
    head = "".join(f"{number:05X}{low}{number:05X}{high}" for number in range(int(wanted[:5], 16)))
    tail = "".join(f"{number:05X}{low}{number:05X}{high}" for number in range(int(wanted[:5], 16) + 1, 1 << 20))
    file.write_text(f"{head}{wanted[:5]}{low}{wanted}:37\r\n{wanted[:5]}{high}{tail}", newline="")
    assert file.stat().st_size > 90_000_000
    done = owner.run("audit", "--leaks-from", str(file), "--json")
    assert leaked(done) == [("Item 0", 37)] and "Compared 3 passwords with" in done.stderr


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("correct horse\n", "there is something else near byte 0"), ("F" * 40 + "\n" + "0" * 40 + "\n", "sorted by hash"),
        (None, "cannot be read"),
    ],
)
def test_a_file_that_cannot_be_used_is_refused_with_the_reason(owner, tmp_path, content, told):
    unlock(owner)
    file = tmp_path / "pwned.txt"
    if content is not None:
        file.write_text(content * 1000)
    done = owner.run("audit", "--leaks-from", str(file))
    assert done.returncode == 2 and told.lower() in done.stderr.lower()
