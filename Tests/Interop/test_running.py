"""The service under a service manager, behind a proxy's socket, and what it says of itself."""

import json
import os
import re
import signal
import socket
import sqlite3
import subprocess
import time
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import pytest
import requests
from wardserver import Server, environment, find_binary, free_port


@contextmanager
def notified(name: str | bytes):
    """The socket of a service manager that waits for messages."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(name)
        manager.settimeout(60)
        yield manager


@contextmanager
def serving(folder: Path, *words: str, **variables: str):
    with (folder / "server.log").open("ab") as log:
        process = subprocess.Popen(
            [str(find_binary()), "serve", "--database", ":memory:", *words],
            cwd=folder, env=environment(**variables), stdin=subprocess.DEVNULL, stdout=log, stderr=log,
        )  # fmt: skip
    try:
        yield process
    finally:
        process.kill()
        process.wait(30)


def wait_for(what, seconds: float = 60):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if found := what():
            return found
        time.sleep(0.02)
    raise AssertionError("it did not happen")


@pytest.mark.parametrize("place", ["path", "abstract"])
def test_a_service_manager_hears_when_it_is_ready_and_when_it_stops(tmp_path, place):
    name = str(tmp_path / "notify") if place == "path" else f"@ward-{os.getpid()}"
    with notified(name.replace("@", "\0", 1)) as manager:
        with serving(tmp_path, "--listen", "127.0.0.1:0", NOTIFY_SOCKET=name) as process:
            assert manager.recv(4096) == b"READY=1"
            assert b"Ward is at" in (tmp_path / "server.log").read_bytes()
            process.send_signal(signal.SIGHUP)
            reloading = manager.recv(4096).split(b"\n")
            assert reloading[0] == b"RELOADING=1" and reloading[1].startswith(b"MONOTONIC_USEC=")
            now = time.clock_gettime(time.CLOCK_MONOTONIC) * 1e6
            assert now - 60e6 < int(reloading[1].split(b"=")[1]) <= now
            assert manager.recv(4096) == b"READY=1"
            process.send_signal(signal.SIGTERM)
            assert manager.recv(4096) == b"STOPPING=1"
            assert process.wait(60) == 0


@pytest.mark.parametrize("name", ["", "relative", "/" + "x" * 200, "@", "/nobody/there"])
def test_a_service_manager_that_is_not_there_stops_nothing(tmp_path, name):
    with serving(tmp_path, "--listen", "127.0.0.1:0", NOTIFY_SOCKET=name) as process:
        wait_for(lambda: b"Ward is at" in (tmp_path / "server.log").read_bytes())
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 0


def ask(path: Path, target: str = "/healthz") -> bytes:
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(60)
        connection.connect(str(path))
        connection.sendall(f"GET {target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
        answer = b""
        while part := connection.recv(4096):
            answer += part
        return answer


def test_it_listens_on_a_unix_socket_for_its_group(tmp_path):
    path = tmp_path / "ward.sock"
    for _ in range(2):  # the second time over the socket that a killed one left
        with serving(tmp_path, "--listen", f"unix:{path}"):
            wait_for(lambda: path.exists() and f"listening on unix:{path}".encode() in (tmp_path / "server.log").read_bytes())
            assert ask(path).startswith(b"HTTP/1.1 200")
            assert path.stat().st_mode & 0o777 == 0o660
        (tmp_path / "server.log").write_bytes(b"")


@pytest.mark.parametrize("listen", ["unix:", "unix:relative.sock", "unix:/" + "x" * 108])
def test_a_unix_socket_has_an_absolute_path_that_fits(tmp_path, listen):
    done = subprocess.run(
        [str(find_binary()), "serve", "--listen", listen], cwd=tmp_path, env=environment(), capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 64 and "absolute path" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_the_log_level_changes_without_a_restart_and_a_bad_file_changes_nothing(tmp_path):
    file, log, port = tmp_path / "ward.json", tmp_path / "server.log", free_port()
    file.write_text('{"log-level": "warning"}')

    def refused() -> int:
        """Asks for a page that does not exist; how many such requests the log has."""
        assert requests.get(f"http://127.0.0.1:{port}/missing", timeout=60).status_code == 404
        return log.read_text().count("code=not_found")

    with serving(tmp_path, "--config", str(file), "--listen", f"127.0.0.1:{port}") as process:
        wait_for(lambda: "Ward is at" in log.read_text())
        assert refused() == 0
        for number, (content, said) in enumerate(
            (
                ('{"log-level": "info"}', "settings reloaded"),
                ('{"log-level": "lound"}', "settings not reloaded"),
                ('{"log_level": "error"}', "write log-level"),
                ("{", "cannot be read as JSON"),
                ('{"log-level": "info", "rp-name": "After"}', "after a restart"),
            )
        ):
            file.write_text(content)
            process.send_signal(signal.SIGHUP)
            wait_for(lambda said=said: said in log.read_text())
            assert refused() == number + 1
        file.write_text('{"log-level": "critical"}')
        process.send_signal(signal.SIGHUP)
        wait_for(lambda: refused() == refused())


def test_json_lines_have_what_the_text_has(start):
    server = start(arguments=("--log-format", "json"))
    answer = server.client().get("/missing", headers={"X-Request-ID": "proxy-17.a"})
    assert answer.headers["X-Request-ID"] == "proxy-17.a"
    assert server.stop() == 0
    said = [line for line in server.log_text().splitlines() if line.startswith("{")]
    lines = [json.loads(line) for line in said]
    [line] = [line for line in lines if line.get("status") == 404]
    assert line["message"] == "request" and line["level"] == "info" and line["request.id"] == "proxy-17.a"
    assert line["method"] == "GET" and isinstance(line["ms"], float) and line["time"].endswith("Z")


@pytest.mark.parametrize("words", [["clients", "list", "--json"], ["webhooks", "secret"]])
def test_a_full_disk_behind_standard_output_is_an_error(start, words):
    server = start()
    database = ["--database", str(server.database)] if words[0] == "clients" else []
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [str(find_binary()), *words, *database], env=environment(), stdout=full, stderr=subprocess.PIPE, text=True, timeout=60
        )
    assert done.returncode == 69 and "standard output could not be written" in done.stderr


@pytest.mark.parametrize("reader", ["gone", "a full disk"])
@pytest.mark.parametrize("written", ["json", "text"])
def test_a_log_that_cannot_be_written_stops_nothing(tmp_path, written, reader):
    read, write = os.pipe()
    if reader == "a full disk":
        os.close(write)
        write = os.open("/dev/full", os.O_WRONLY)
    port = free_port()
    process = subprocess.Popen(
        [str(find_binary()), "serve", "--database", ":memory:", "--listen", f"127.0.0.1:{port}", "--log-format", written],
        cwd=tmp_path, env=environment(), stdin=subprocess.DEVNULL, stdout=write, stderr=write,
    )  # fmt: skip
    os.close(write)
    try:
        if reader == "gone":
            # It is gone in the middle, as a log collector that crashes.
            assert os.read(read, 1)
        os.close(read)

        def status(path: str) -> int | None:
            with suppress(requests.ConnectionError):
                return requests.get(f"http://127.0.0.1:{port}{path}", timeout=20).status_code
            return None

        assert wait_for(lambda: status("/healthz")) == 200
        assert [status("/missing") for _ in range(20)] == [404] * 20
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 0
    finally:
        process.kill()
        process.wait(30)


def test_every_answer_has_the_name_that_the_log_has(start):
    server = start()
    client = server.client()
    answers = [client.get("/healthz"), client.get("/missing"), client.get("/"), client.post("sign-in/options"), client.get("account")]
    names = [answer.headers["X-Request-ID"] for answer in answers]
    assert len(set(names)) == len(names) and all(len(name) == 16 for name in names)
    for name in names[1:]:
        wait_for(lambda name=name: f"request.id={name}" in server.log_text())


@pytest.mark.parametrize(
    "given", ["", "x" * 65, "two words", "a=b", "x;level=error", "\u00e9", '"quoted"', "a,b", "\x1b[31m"]
)
def test_a_name_from_a_stranger_is_not_taken_over_unless_it_is_clean(start, given):
    server = start()
    raw = f"GET /missing HTTP/1.1\r\nHost: localhost\r\nX-Request-ID: {given}\r\nConnection: close\r\n\r\n"
    with socket.create_connection(("127.0.0.1", server.port), timeout=60) as connection:
        connection.sendall(raw.encode())
        answer = b""
        while part := connection.recv(4096):
            answer += part
    head = answer.split(b"\r\n\r\n")[0].decode("latin1")
    if head.startswith("HTTP/1.1 404"):
        [name] = [line.split(": ")[1] for line in head.split("\r\n") if line.lower().startswith("x-request-id")]
        assert len(name) == 16 and int(name, 16)
    else:
        assert head.startswith("HTTP/1.1 400"), head
    assert not given or given not in server.log_text()


def ready(server: Server) -> int:
    return server.client().get("/readyz").status_code


def test_it_is_ready_only_while_it_can_write_where_the_settings_say(start):
    server = start()
    answer = server.client().get("/readyz")
    assert answer.status_code == 200 and answer.json() == {"status": "ready"}
    assert server.client().get("/healthz").json() == {"status": "ok"}

    moved = server.folder / "moved.sqlite"
    server.database.rename(moved)
    wait_for(lambda: ready(server) == 503)
    assert server.client().get("/readyz").json()["code"] == "unavailable"
    assert server.client().get("/healthz").status_code == 200, "it lives: a restart by a supervisor would not help"
    assert "deleted or replaced" in server.log_text()
    moved.rename(server.database)
    wait_for(lambda: ready(server) == 200)

    # Another program holds the database for writing: no write goes through.
    with closing(sqlite3.connect(server.database, isolation_level=None)) as db:
        db.execute("BEGIN IMMEDIATE")
        wait_for(lambda: ready(server) == 503)
        db.execute("ROLLBACK")
    wait_for(lambda: ready(server) == 200)


def test_asking_all_the_time_costs_no_more_writes(start):
    server = start()
    client = server.client()
    began = time.monotonic()
    with closing(sqlite3.connect(f"file:{server.database}?mode=ro", uri=True)) as db:
        seen = set()
        for _ in range(200):
            assert client.get("/readyz").status_code == 200
            seen.add(db.execute("SELECT bytes FROM secret WHERE name = 'probe'").fetchone()[0])
    assert len(seen) <= 2 + (time.monotonic() - began) / 2


def test_a_trusted_proxys_trace_is_in_the_log_and_in_the_answer(start):
    trace = "4bf92f3577b34da6a3ce929d0e0e4736"
    field = {"traceparent": f"00-{trace}-00f067aa0ba902b7-01"}
    for proxies, is_taken in (("127.0.0.1", True), ("none", False)):
        server = start(arguments=("--log-format", "json", "--trusted-proxies", proxies))
        answer = server.client().get("/missing", headers=field)
        found = re.fullmatch(f"00-{trace}-([0-9a-f]{{16}})-01", answer.headers.get("traceresponse", ""))
        assert bool(found) == is_taken
        identifier = answer.headers["X-Request-ID"]
        wait_for(lambda name=identifier, log=server: name in log.log_text())
        lines = [json.loads(line) for line in server.log_text().splitlines() if identifier in line]
        assert lines and {line.get("trace_id") for line in lines} == {trace if is_taken else None}
        assert {line.get("span_id") for line in lines} == {found[1] if found else None}


def test_metrics_are_at_their_own_address_and_strangers_add_no_labels(start):
    port = free_port()
    server = start(arguments=("--metrics-listen", f"127.0.0.1:{port}"))
    person = server.person("ada.lovelace")
    assert person.register().status_code == 201
    for method in ("PROPFIND", "MKCOL", "PURGE", "METHOD1"):
        assert person.call(method, f"/missing/{method}").status_code >= 400
    for _ in range(3):
        assert person.sign_in().status_code == 200
    assert person.get("/metrics").status_code == 404, "never at the service's own address"

    address = f"http://127.0.0.1:{port}/metrics"
    answer = requests.get(address, timeout=60)
    assert answer.status_code == 200 and answer.headers["Content-Type"].startswith("text/plain; version=0.0.4")
    judged = subprocess.run(["promtool", "check", "metrics"], input=answer.text, capture_output=True, text=True, timeout=60)
    assert judged.returncode == 0 and not judged.stderr and not judged.stdout, (judged.stdout, judged.stderr)
    assert 'ward_http_requests_total{method="POST",route="/api/v1/sign-in/verify",status="200"} 3' in answer.text
    assert 'ward_http_request_duration_seconds_count{route="/api/v1/sign-in/verify"} 3' in answer.text
    assert 'ward_http_request_duration_seconds_bucket{route="/api/v1/sign-in/verify",le="+Inf"} 3' in answer.text
    assert not re.search("PROPFIND|MKCOL|PURGE|METHOD1", answer.text) and "ada" not in answer.text and "missing" not in answer.text
    assert requests.get(f"http://127.0.0.1:{port}/", timeout=60).status_code == 404
    assert server.stop() == 0


def test_metrics_say_how_often_each_limit_refused(start):
    port = free_port()
    server = start(arguments=("--metrics-listen", f"127.0.0.1:{port}"))
    for _ in range(13):
        server.client().post("sign-in/password", {"username": "ada", "password": "a wrong guess at it"})
    text = requests.get(f"http://127.0.0.1:{port}/metrics", timeout=60).text
    found = dict(re.findall(r'ward_limit_refusals_total\{limit="(\w+)"\} (\d+)', text))
    assert found.pop("name") == "3"
    assert set(found) == {"address", "connections", "device", "new_accounts", "overall", "password_queue"}
    assert set(found.values()) == {"0"}


def test_an_address_for_metrics_that_is_taken_is_named(tmp_path):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with serving(tmp_path, "--listen", "127.0.0.1:0", "--metrics-listen", f"127.0.0.1:{port}") as process:
            assert process.wait(60) == 69
    assert f"127.0.0.1:{port} is in use" in (tmp_path / "server.log").read_text()
