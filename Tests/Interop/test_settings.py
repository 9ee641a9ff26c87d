"""Settings: what contradicts itself is refused at start, with the reason; and where they come from."""

import json
import os
import re
import socket
import subprocess
import time

import pytest
import requests
from wardserver import Server, environment, find_binary, free_port

GOOD = {
    "--rp-id": "example.org",
    "--origin": "https://example.org",
    "--listen": "127.0.0.1:0",
    "--database": "ward.sqlite",
}


def serve(folder, *more: str, seconds: float = 20, env: dict | None = None, **changes: str | None):
    """Starts with good settings and these changes; the exit code (None: it ran) and what it said."""
    settings = dict(GOOD, **{"--" + name.replace("_", "-"): value for name, value in changes.items()})
    arguments = [part for name, value in settings.items() if value is not None for part in (name, value)]
    with subprocess.Popen(
        [str(find_binary()), "serve", *arguments, *more],
        cwd=folder,
        env=environment(**(env or {})),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as process:
        try:
            said, _ = process.communicate(timeout=seconds)
            return process.returncode, said
        except subprocess.TimeoutExpired:
            process.kill()
            return None, process.communicate()[0]


@pytest.mark.parametrize(
    "changes, reason",
    [
        ({"origin": "https://example.com"}, r"example\.com"),
        ({"origin": "https://notexample.org"}, r"notexample\.org"),
        ({"origin": "https://example.org.evil.com"}, r"evil\.com"),
        ({"origin": "http://example.org"}, r"http://"),
        ({"origin": "https://example.org/path"}, r"origin|path"),
        ({"origin": "example.org"}, r"origin|scheme"),
        ({"related_origin": "http://example.com"}, r"related|http://"),
        ({"related_origin": "https://com"}, r"related|registrable"),
        ({"related_origin": "example.com"}, r"related|origin|scheme"),
        ({"rp_id": "org", "origin": "https://example.org"}, r"public suffix|org"),
        ({"rp_id": "co.uk", "origin": "https://example.co.uk"}, r"public suffix|co\.uk"),
        ({"rp_id": "127.0.0.1", "origin": "http://127.0.0.1:8080"}, r"127\.0\.0\.1|address"),
        ({"rp_id": "example.org:443"}, r"rp|port|domain"),
        ({"rp_id": "https://example.org"}, r"rp|domain"),
        ({"rp_id": ""}, r"rp|empty"),
        ({"listen": "nowhere"}, r"listen|port|address"),
        ({"listen": "127.0.0.1:99999"}, r"listen|port|99999"),
        ({"app": "com.example.app"}, r"com\.example\.app"),
        ({"password_memory": "8MiB"}, r"19MiB"),
        ({"password_memory": "2GiB"}, r"1GiB"),
        ({"password_memory": "lots"}, r"password-memory.*lots"),
        ({"password_passes": "1"}, r"2 to 64"),
        ({"password_passes": "many"}, r"password-passes.*many"),
        ({"user_verification": "discouraged"}, r"preferred or required"),
        ({"algorithms": "ML-DSA-66,ES256"}, r"algorithms.*ML-DSA-66.*ES256, EdDSA, RS256.*ML-DSA-65, ML-DSA-87"),
        ({"algorithms": "ES256,es256"}, r"ES256.*twice"),
        ({"algorithms": ""}, r"signature algorithm"),
        ({"password_length": "7"}, r"8 to 64"),
        ({"password_length": "65"}, r"8 to 64"),
        ({"password_length": "long"}, r"password-length.*long"),
        ({"breached_passwords": "/nowhere/list"}, r"/nowhere/list.*cannot be read"),
        ({"breached_passwords": "/etc/passwd"}, r"/etc/passwd.*SHA-1"),
        ({"breached_passwords": "http://range.test/"}, r"https://api\.pwnedpasswords\.com/range/"),
        ({"log_level": "loud"}, r"loud|level"),
        ({"session_idle": "-1"}, r"idle"),
        ({"database": "/proc/nothing/ward.sqlite"}, r"/proc/nothing|database"),
    ],
    ids=lambda value: " ".join(f"{k}={v}" for k, v in value.items()) if isinstance(value, dict) else "",
)
def test_a_contradiction_is_refused_with_the_reason(tmp_path, changes, reason):
    code, said = serve(tmp_path, **changes)
    assert code not in (None, 0), said
    assert code > 0, f"it crashed with signal {-code}:\n{said}"
    assert re.search(reason, said, re.IGNORECASE), said
    assert "Fatal error" not in said and len(said) < 4_000


def test_conformance_on_a_real_domain_is_refused(tmp_path):
    code, said = serve(tmp_path, "--fido-conformance")
    assert code == 64, said
    assert "conformance" in said and "example.org" in said and ":memory:" in said
    assert not (tmp_path / "ward.sqlite").exists()


@pytest.mark.parametrize(
    "changes",
    [{"database": ":memory:"}, {"rp_id": "localhost", "origin": "http://localhost:8080"}],
    ids=["memory", "localhost"],
)
def test_conformance_is_said_at_every_start(tmp_path, changes):
    changes["listen"] = f"127.0.0.1:{free_port()}"
    settings = dict(GOOD, **{"--" + name.replace("_", "-"): value for name, value in changes.items()})
    arguments = [part for pair in settings.items() for part in pair]
    for _ in range(2):
        with subprocess.Popen(
            [str(find_binary()), "serve", *arguments, "--fido-conformance", "--log-level", "critical"],
            cwd=tmp_path,
            env=environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        ) as process:
            try:
                assert "conformance API is on" in process.stdout.readline()
                assert process.stdout.readline().startswith("Ward is at")
            finally:
                process.terminate()
    assert (tmp_path / ":memory:").exists() is False


def test_an_unknown_flag_is_refused(tmp_path):
    code, said = serve(tmp_path, "--frobnicate", "1")
    assert code not in (None, 0) and "frobnicate" in said


def test_a_port_in_use_is_said(tmp_path):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        code, said = serve(tmp_path, listen=f"127.0.0.1:{port}")
    assert code not in (None, 0) and code > 0, (code, said)
    assert re.search(rf"{port}|in use", said), said


def test_a_database_that_is_none_is_left_alone(tmp_path):
    precious = tmp_path / "ward.sqlite"
    precious.write_bytes(b"my holiday pictures\n" * 500)
    code, said = serve(tmp_path)
    assert code not in (None, 0) and code > 0, said
    assert precious.read_bytes() == b"my holiday pictures\n" * 500


def test_help_names_every_setting():
    said = subprocess.run(
        [str(find_binary()), "serve", "--help"], capture_output=True, text=True, timeout=60, check=True
    ).stdout
    settings = ("rp-id", "rp-name", "origin", "related-origin", "listen", "database", "session-idle", "log-level")
    for setting in settings:
        assert f"--{setting}" in said


def test_the_database_is_readable_by_its_owner_only(start):
    server = start()
    assert server.person("ada").register().status_code == 201
    for file in server.folder.glob("ward.sqlite*"):
        assert file.stat().st_mode & 0o077 == 0, file.name


@pytest.mark.parametrize("mode", [0o644, 0o660, 0o604])
def test_a_database_that_others_can_open_is_refused(tmp_path, mode):
    (tmp_path / "ward.sqlite").touch()
    (tmp_path / "ward.sqlite").chmod(mode)
    code, said = serve(tmp_path)
    assert code == 64 and "chmod 600" in said and "ward.sqlite" in said, said


@pytest.mark.parametrize("mode", [0o755, 0o770, 0o701])
def test_a_folder_that_others_can_open_is_refused(tmp_path, mode):
    folder = tmp_path / "data"
    folder.mkdir()
    folder.chmod(mode)
    code, said = serve(tmp_path, database=str(folder / "ward.sqlite"))
    assert code == 64 and "chmod 700" in said and str(folder) in said, said
    assert list(folder.iterdir()) == []


def test_a_new_folder_is_for_its_owner_alone(tmp_path):
    (tmp_path / "home").mkdir(mode=0o755)
    server = Server(tmp_path / "home")
    server.database = server.folder / "data" / "ward.sqlite"
    try:
        server.start()
        assert server.database.parent.stat().st_mode & 0o777 == 0o700
        assert server.database.stat().st_mode & 0o777 == 0o600
    finally:
        server.stop()


def answers(port: int, process: subprocess.Popen, seconds: float = 20) -> dict:
    """Waits for the server and returns sign-in options from it."""
    end = time.monotonic() + seconds
    while time.monotonic() < end and process.poll() is None:
        try:
            return requests.post(
                f"http://127.0.0.1:{port}/api/v1/sign-in/options",
                json={},
                headers={"Origin": "https://env.example.org"},
                timeout=60,
            ).json()
        except requests.ConnectionError:
            time.sleep(0.05)
    process.kill()
    raise AssertionError(process.communicate()[0])


@pytest.mark.parametrize("source", ["environment", "file"])
def test_settings_come_from_the_environment_and_from_a_file(tmp_path, source):
    port = free_port()
    settings = {
        "rp-id": "env.example.org",
        "origin": "https://env.example.org",
        "listen": f"127.0.0.1:{port}",
        "database": str(tmp_path / "ward.sqlite"),
    }
    arguments: list[str] = []
    variables: dict[str, str] = {}
    if source == "environment":
        variables = {"WARD_" + name.replace("-", "_").upper(): value for name, value in settings.items()}
    else:
        file = tmp_path / "ward.json"
        file.write_text(json.dumps(settings | {"origin": [settings["origin"]]}))
        arguments = ["--config", str(file)]
    process = subprocess.Popen(
        [str(find_binary()), "serve", *arguments],
        cwd=tmp_path,
        env=environment(**variables),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        assert answers(port, process)["publicKey"]["rpId"] == "env.example.org"
    finally:
        process.terminate()
        process.communicate(timeout=30)
    assert process.returncode == 0


def test_two_origins_of_one_service(start):
    port = free_port()
    server = start(port=port, arguments=("--origin", f"http://login.localhost:{port}"))
    person = server.person("ada")
    assert person.register().status_code == 201
    other = f"http://login.localhost:{port}"
    person.browser.origin = other
    person.http.headers["Origin"] = other
    answer = person.post("sign-in/options", {})
    assert answer.status_code == 200

    # Begun at one origin, finished from the other: refused even though both are ours.
    options = answer.json()
    person.browser.origin = server.origin
    person.http.headers["Origin"] = server.origin
    credential = person.browser.get(options["publicKey"])
    verified = person.post("sign-in/verify", {"ceremony": options["ceremony"], "credential": credential})
    assert verified.status_code == 403, verified.text


def test_it_does_not_need_a_writable_home(start, monkeypatch):
    monkeypatch.setenv("HOME", "/nonexistent")
    assert os.environ["HOME"] == "/nonexistent"
    assert start().client().get("/healthz").status_code == 200
