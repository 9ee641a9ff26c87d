"""Passwords from data breaches: the range query over HTTPS to a real server, and what happens when it fails."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from apps import unshared
from certificates import certificates, trusting
from leakranges import RangeServer, sha1
from wardserver import Server, environment, error_code, find_binary

BREACHED, FINE = "correct horse battery 1", "rotating teapot 42 lanterns"


@pytest.fixture
def ranges(tmp_path: Path) -> Iterator[RangeServer]:
    server = RangeServer(certificates(tmp_path, "localhost")[1], {BREACHED: 7, FINE: 0})
    yield server
    server.stop()


@pytest.fixture
def trusted(tmp_path: Path, ranges: RangeServer) -> tuple[str, ...]:
    """The server in a view of the machine that trusts the range server's authority, and no other."""
    mounts = trusting(tmp_path / "authority.pem")
    if not mounts:
        pytest.skip("this machine keeps its trusted certificates elsewhere")
    return (*unshared("--mount"), "bash", "-c", " && ".join([*mounts, 'exec "$@"']), "bash")


def create(server: Server, name: str, password: str):
    return server.client().post("account", {"username": name, "password": password})


def test_a_breached_password_is_refused_and_only_five_digits_leave_the_machine(
    start: Callable[..., Server], ranges: RangeServer, trusted: tuple[str, ...]
):
    server = start(arguments=("--breached-passwords", ranges.address), wrapper=trusted)
    assert (create(server, "ada", BREACHED).status_code, error_code(create(server, "ada", BREACHED))) == (422, "password_breached")
    assert create(server, "ada", FINE).status_code == 201, "a count of zero is padding"
    digests = [sha1(text) for text in (BREACHED, BREACHED, FINE)]
    assert [path for path, _ in ranges.asked] == [f"/range/{digest[:5]}" for digest in digests]
    for _, headers in ranges.asked:
        assert headers["add-padding"] == "true" and headers["user-agent"] == "ward-server"
        assert not headers.keys() & {"cookie", "referer", "authorization"}
    log = server.log_text()
    assert "only the bundled list" not in log
    assert not [digest for digest in digests if digest[:5] in log or digest[5:] in log]


@pytest.mark.parametrize("behaviour", ["unavailable", "silent", "html", "nonsense", "huge", "untrusted", "absent"])
def test_a_query_that_fails_keeps_nobody_out_and_is_logged(
    start: Callable[..., Server], ranges: RangeServer, trusted: tuple[str, ...], behaviour: str
):
    ranges.behaviour = behaviour
    address = "https://localhost:9/range/" if behaviour == "absent" else ranges.address
    server = start(arguments=("--breached-passwords", address), wrapper=() if behaviour == "untrusted" else trusted)
    assert create(server, "ada", BREACHED).status_code == 201
    assert error_code(create(server, "bob", "passwordpassword")) == "password_too_common"
    log = server.log_text()
    assert "only the bundled list of common passwords decided" in log
    assert BREACHED not in log and sha1(BREACHED)[:5] not in log


def test_without_breached_passwords_the_start_says_that_the_bundled_list_decides(
    start: Callable[..., Server], ranges: RangeServer
):
    said = "only the bundled list of common passwords decides"
    assert said in start().log_text()
    assert said not in start(arguments=("--passkeys-only",)).log_text()
    assert said not in start(arguments=("--breached-passwords", ranges.address)).log_text()


def test_a_check_says_so_as_well(ranges: RangeServer):
    def findings(*more: str) -> set[str]:
        command = [str(find_binary()), "check", "--json", "--database", ":memory:", *more]
        done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment())
        return {finding["code"] for finding in json.loads(done.stdout)["findings"]}

    assert "no_breached_passwords" in findings()
    assert "no_breached_passwords" not in findings("--passkeys-only") | findings("--breached-passwords", ranges.address)
