"""What an administrator does with `ward-server` beside serving."""

import json
import re
import shutil
import sqlite3
import subprocess
import threading
import time
from contextlib import closing
from pathlib import Path

import pytest
from wardserver import ROOT, Person, Server, environment, find_binary


def run(folder: Path, *words: str, env: dict | None = None, seconds: float = 60) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(find_binary()), *words],
        cwd=folder,
        env=environment(**(env or {})),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=seconds,
    )


def test_both_programs_have_one_version(tmp_path):
    server = run(tmp_path, "--version")
    assert server.returncode == 0, server.stderr
    ward = subprocess.run(
        [str(find_binary().with_name("ward")), "--version"], capture_output=True, text=True, timeout=60, check=True
    )
    assert server.stdout == ward.stdout and server.stdout.strip()


@pytest.mark.parametrize("words", [(), ("--help",), ("help",)])
def test_without_a_command_it_prints_help_and_serves_nothing(tmp_path, words):
    shown = run(tmp_path, *words)
    assert shown.returncode == 0, shown.stderr
    assert "USAGE: ward-server <subcommand>" in shown.stdout and "serve" in shown.stdout
    assert list(tmp_path.iterdir()) == []


def test_settings_without_a_command_are_refused(tmp_path):
    shown = run(tmp_path, "--rp-id", "localhost")
    assert shown.returncode == 64 and "--rp-id" in shown.stderr


def backup(server: Server, place: Path, *more: str) -> subprocess.CompletedProcess[str]:
    return run(server.folder, "backup", str(place), "--database", str(server.database), *more)


def backed_up(start) -> tuple[Server, Person, Path]:
    """A server that runs, with one person in it, and a backup with that person."""
    server = start()
    person = server.person("ada")
    assert person.register().status_code == 201
    place = server.folder / "backup"
    assert backup(server, place).returncode == 0
    return server, person, place


def restore(server: Server, place: Path) -> subprocess.CompletedProcess[str]:
    return run(server.folder, "restore", str(place), "--database", str(server.database))


def names(database: Path) -> set[str]:
    with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as db:
        assert db.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        return {name for (name,) in db.execute("SELECT username FROM account")}


def check(server: Server, *more: str) -> tuple[int, dict]:
    done = run(
        server.folder, "check", "--json", "--database", str(server.database), "--rp-id", server.rp_id,
        "--origin", server.origin, *more,
    )  # fmt: skip
    return done.returncode, json.loads(done.stdout)


def codes(report: dict) -> set[str]:
    return {finding["code"] for finding in report["findings"]}


def test_a_backup_is_taken_while_people_register_and_has_everyone_who_was_answered_before(start):
    server = start()
    answered: list[str] = []
    stop = threading.Event()

    def register(worker: int) -> None:
        for number in range(10_000):
            if stop.is_set():
                return
            person = server.person(f"person{worker}.{number}")
            assert person.register().status_code == 201
            answered.append(person.name)

    threads = [threading.Thread(target=register, args=(worker,)) for worker in range(2)]
    for thread in threads:
        thread.start()
    try:
        for number in range(5):
            wanted = len(answered) + 2
            while len(answered) < wanted:
                time.sleep(0.01)
            before = set(answered)
            place = server.folder / f"backup{number}"
            done = backup(server, place)
            assert done.returncode == 0, done.stderr
            assert before <= names(place)
            assert place.stat().st_mode & 0o777 == 0o600
    finally:
        stop.set()
        for thread in threads:
            thread.join(60)
    assert not list(server.folder.glob("*.partial")) and not list(server.folder.glob("backup*-wal"))


def test_a_backup_replaces_nothing_unless_told_to(start):
    server = start()
    place = server.folder / "precious"
    place.write_text("my holiday pictures")
    refused = backup(server, place)
    assert refused.returncode == 69 and "--replace" in refused.stderr
    assert place.read_text() == "my holiday pictures"
    assert backup(server, place, "--replace").returncode == 0
    assert names(place) == set()
    itself = backup(server, server.database, "--replace")
    assert itself.returncode == 69 and "itself" in itself.stderr
    assert server.person("ada").register().status_code == 201


def test_a_backup_of_nothing_makes_no_database(tmp_path):
    done = run(tmp_path, "backup", "copy", "--database", "missing.sqlite")
    assert done.returncode == 69 and "no database" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_restore_brings_everyone_back_and_keeps_the_database_that_was_there(start):
    server, ada, place = backed_up(start)
    assert server.person("grace").register().status_code == 201

    refused = restore(server, place)
    assert refused.returncode == 69 and "stop the service" in refused.stderr
    assert names(server.database) == {"ada", "grace"}

    assert server.stop() == 0
    done = restore(server, place)
    assert done.returncode == 0, done.stderr
    [kept] = server.folder.glob("ward.sqlite.before-restore-*")
    assert str(kept) in done.stdout
    assert names(kept) == {"ada", "grace"} and names(server.database) == {"ada"}
    assert server.database.stat().st_mode & 0o777 == 0o600
    assert place.exists()
    server.start()
    assert ada.get("account").status_code == 401, "a session that may have ended since is not brought back"
    assert ada.sign_in().status_code == 200


def test_a_database_that_another_program_has_open_is_not_replaced(start):
    server, _, place = backed_up(start)
    assert server.stop() == 0
    with closing(sqlite3.connect(server.database)) as db:
        assert db.execute("SELECT username FROM account").fetchall() == [("ada",)]
        refused = restore(server, place)
        assert refused.returncode == 69 and "is in use" in refused.stderr, refused.stderr
    assert not list(server.folder.glob("ward.sqlite.*"))
    assert restore(server, place).returncode == 0


def test_a_restore_after_a_kill_keeps_what_was_only_in_the_log(start):
    server = start()
    place = server.folder / "backup"
    assert backup(server, place).returncode == 0
    assert server.person("ada").register().status_code == 201
    server.kill()
    assert (server.folder / "ward.sqlite-wal").stat().st_size > 0
    assert restore(server, place).returncode == 0
    [kept] = server.folder.glob("ward.sqlite.before-restore-*")
    assert names(kept) == {"ada"} and names(server.database) == set()
    assert not (server.folder / "ward.sqlite-wal").exists()


@pytest.mark.parametrize("spoil", ["header", "page", "other program", "nothing"])
def test_a_backup_that_is_none_changes_nothing(start, spoil):
    server, _, place = backed_up(start)
    assert server.stop() == 0
    if spoil == "header":
        place.write_bytes(b"my holiday pictures\n" * 500)
    elif spoil == "page":
        content = bytearray(place.read_bytes())
        content[4096:] = bytes(len(content) - 4096)
        place.write_bytes(content)
    elif spoil == "other program":
        place.unlink()
        with closing(sqlite3.connect(place)) as db:
            db.execute("CREATE TABLE holiday (picture)")
    else:
        place.unlink()
    done = restore(server, place)
    assert done.returncode == 69 and "Fatal" not in done.stderr, done.stderr
    assert names(server.database) == {"ada"}
    assert not list(server.folder.glob("ward.sqlite.*"))
    server.start()


def test_a_damaged_database_is_replaced_and_kept_with_its_log(start):
    server, ada, place = backed_up(start)
    assert server.stop() == 0
    server.start()
    assert server.person("grace").register().status_code == 201
    server.kill()
    content = bytearray(server.database.read_bytes())
    content[:100] = b"x" * 100
    content[8192:] = bytes(len(content) - 8192)
    server.database.write_bytes(content)
    log = (server.folder / "ward.sqlite-wal").read_bytes()
    assert log
    done = restore(server, place)
    assert done.returncode == 0, done.stderr
    [kept] = [path for path in server.folder.glob("ward.sqlite.before-restore-*") if path.suffix.endswith("Z")]
    assert kept.read_bytes() == content and kept.with_name(kept.name + "-wal").read_bytes() == log
    server.start()
    assert ada.sign_in().status_code == 200


def test_a_database_of_a_later_version_can_be_replaced_and_another_programs_cannot(start):
    server, _, place = backed_up(start)
    assert server.stop() == 0
    with closing(sqlite3.connect(server.database)) as db:
        db.execute("INSERT INTO grdb_migrations VALUES ('9999 from the future')")
        db.commit()
    code, report = check(server)
    assert code == 1 and "database_unavailable" in codes(report)
    assert backup(server, server.folder / "other").returncode == 69
    done = restore(server, place)
    assert done.returncode == 0, done.stderr
    assert check(server)[0] == 0

    server.database.unlink()
    with closing(sqlite3.connect(server.database)) as db:
        db.execute("CREATE TABLE holiday (picture)")
        db.commit()
    before = server.database.read_bytes()
    done = restore(server, place)
    assert done.returncode == 69 and "another program" in done.stderr
    assert server.database.read_bytes() == before


def killed(server: Server, call: str, number: int, *words: str) -> bool:
    """Runs a command that is killed at the numbered call; whether it came so far."""
    done = subprocess.run(
        ["strace", "-f", "-qq", "-e", f"trace={call}", "-e", f"inject={call}:signal=SIGKILL:when={number}", "-o", "/dev/null",
         str(find_binary()), *words],
        cwd=server.folder, env=environment(), capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert done.returncode in (0, -9, 137), done.stderr
    return done.returncode != 0


CALLS = [("pwrite64", 3), ("link", 1), ("rename", 1), ("unlink", 1), *(("fsync", number) for number in range(1, 8))]


def test_kill_minus_nine_during_a_backup_leaves_a_whole_backup_or_none(start):
    server = start()
    assert server.person("ada").register().status_code == 201
    hits = 0
    for call, number in CALLS:
        place = server.folder / f"backup-{call}-{number}"
        hits += killed(server, call, number, "backup", str(place), "--database", str(server.database))
        if place.exists():
            assert names(place) == {"ada"}
        assert names(server.database) == {"ada"}
    assert hits >= 4, "hardly any kill hit: the test proved nothing"
    assert server.person("grace").register().status_code == 201


def test_kill_minus_nine_during_a_restore_leaves_the_old_database_or_the_new_one(start):
    server, _, place = backed_up(start)
    assert server.person("grace").register().status_code == 201
    server.kill()
    original = server.folder / "original"
    original.mkdir()
    for name in ("ward.sqlite", "ward.sqlite-wal"):
        shutil.copy(server.folder / name, original)
    hits, ends = 0, set()
    for call, number in CALLS:
        for path in server.folder.glob("ward.sqlite*"):
            path.unlink()
        for path in original.iterdir():
            shutil.copy(path, server.folder)
        hits += killed(server, call, number, "restore", str(place), "--database", str(server.database))
        found = names(server.database)
        assert found in ({"ada"}, {"ada", "grace"}), (call, number)
        ends.add(len(found))
        if found == {"ada"}:
            assert [names(path) for path in server.folder.glob("ward.sqlite.before-restore-*")] == [{"ada", "grace"}]
    server.start()
    assert hits >= 4 and ends == {1, 2}, "hardly any kill hit: the test proved nothing"


def test_a_database_is_migrated_without_serving(start):
    server = start()
    assert server.person("ada").register().status_code == 201
    busy = run(server.folder, "migrate", "--database", str(server.database))
    assert busy.returncode == 69 and "stop the service" in busy.stderr
    assert server.stop() == 0
    again = run(server.folder, "migrate", "--database", str(server.database))
    assert again.returncode == 0 and "already" in again.stdout and "Migrated" not in again.stdout

    # What the first version wrote.
    (server.folder / "old").mkdir()
    old = server.folder / "old" / "ward.sqlite"
    with closing(sqlite3.connect(old)) as db:
        db.executescript(FIRST_SCHEMA)
    old.chmod(0o600)
    before = run(server.folder, "check", "--database", str(old))
    assert before.returncode == 0 and "Warning" in before.stdout and "migrates" in before.stdout
    done = run(server.folder, "migrate", "--database", str(old))
    assert done.returncode == 0 and "Migrated: 2 passwords" in done.stdout, done.stderr
    after = run(server.folder, "check", "--database", str(old), "--json")
    report = json.loads(after.stdout)
    assert report["schemaVersion"] == report["currentSchemaVersion"] > 1 and "schema_outdated" not in codes(report)


FIRST_SCHEMA = (ROOT / "Tests/WardStoreSQLiteTests/MigrationTests.swift").read_text().split('"""')[1]


def test_a_check_says_that_all_is_well_while_the_service_runs(start):
    server = start()
    server.folder.chmod(0o700)
    assert server.person("ada").register().status_code == 201
    code, report = check(server)
    assert code == 0 and report["ok"] is True, report
    assert (report["accounts"], report["passkeys"], report["passwordOnlyAccounts"]) == (1, 1, 0)
    assert not [finding for finding in report["findings"] if finding["level"] == "error"]
    text = run(server.folder, "check", "--database", str(server.database))
    assert text.returncode == 0 and "1 account, 1 passkey" in text.stdout and "The service can run." in text.stdout


@pytest.mark.parametrize(
    ("settings", "warning"),
    [
        ((), "no_trusted_proxies"),
        (("--listen", "0.0.0.0:8080"), "no_trusted_proxies"),
        (("--trusted-proxies", "none"), "proxy_not_trusted"),
        (("--trusted-proxies", "10.0.0.0/8"), "proxy_not_trusted"),
        (("--trusted-proxies", "10.0.0.0/8", "--listen", "[::1]:8080"), "proxy_not_trusted"),
        (("--trusted-proxies", "127.0.0.1", "--listen", "unix:/run/ward/web.sock"), "proxy_not_trusted"),
        (("--trusted-proxies", "127.0.0.1"), None),
        (("--trusted-proxies", "::1", "--listen", "[::1]:8080"), None),
        (("--trusted-proxies", "none", "--listen", "0.0.0.0:8080"), None),
        (("--trusted-proxies", "unix", "--listen", "unix:/run/ward/web.sock"), None),
    ],
)
def test_a_check_says_when_clients_are_not_told_apart(tmp_path, settings, warning):
    done = run(tmp_path, "check", "--json", "--database", ":memory:", *settings)
    found = codes(json.loads(done.stdout)) & {"no_trusted_proxies", "proxy_not_trusted"}
    assert done.returncode == 0 and found == ({warning} if warning else set())


def test_a_check_names_what_is_wrong(start):
    server = start()
    server.folder.chmod(0o700)
    assert server.person("ada").register().status_code == 201
    with closing(sqlite3.connect(server.database)) as db:
        db.execute("INSERT INTO password (account_id, hash, chosen_at) SELECT id, '$argon2id$', 1 FROM account")
        db.execute("DELETE FROM passkey")
        db.commit()
    code, report = check(server, "--passkeys-only")
    assert code == 0 and "password_only_accounts" in codes(report)

    server.database.chmod(0o644)
    server.folder.chmod(0o777)
    code, report = check(server)
    assert code == 1 and report["ok"] is False and {"file_readable", "folder_writable"} <= codes(report)
    server.database.chmod(0o600)
    server.folder.chmod(0o755)
    code, report = check(server)
    assert code == 0 and "folder_readable" in codes(report)

    assert server.stop() == 0
    content = bytearray(server.database.read_bytes())
    content[8192:] = bytes(len(content) - 8192)
    server.database.write_bytes(content)
    code, report = check(server)
    assert code == 1 and "database_damaged" in codes(report)
    server.database.unlink()
    code, report = check(server)
    assert code == 0 and "database_missing" in codes(report) and not server.database.exists()
    invalid = run(server.folder, "check", "--rp-id", "example.org", "--origin", "https://example.com")
    assert invalid.returncode == 64


@pytest.mark.parametrize(
    "name, nearest",
    [
        ("WARD_PASSKEY_ONLY", "write WARD_PASSKEYS_ONLY"),
        ("WARD_RPID", "write WARD_RP_ID"),
        ("WARD_ORIGINS", "write WARD_ORIGIN,"),
        ("WARD_BREAKFAST_AT_NOON", "serve --help"),
    ],
)
def test_a_variable_that_is_not_a_setting_is_refused_with_the_nearest_name(tmp_path, name, nearest):
    for command in ("serve", "check", "migrate"):
        done = run(tmp_path, command, env={name: "1"})
        assert done.returncode == 64 and name in done.stderr and nearest in done.stderr, done.stderr
    assert list(tmp_path.iterdir()) == []


def test_variables_of_other_programs_are_left_alone(tmp_path):
    """What ward, make and the tests read, found in their sources."""
    reads = re.compile(r"""(?:environ\w*(?:\.get)?[\[(]["']|getenv\(["']|\$\{?)(WARD_[A-Z_]+)""")
    folders = ("Sources", "Tests", "Scripts", "Benchmarks", "Fuzz", "Makefile")
    files = [path for folder in folders for path in [ROOT / folder, *(ROOT / folder).rglob("*")] if path.is_file()]
    texts = [path.read_text(errors="replace") for path in files if path.suffix in ("", ".py", ".sh", ".swift")]
    manual = (ROOT / "Documentation/man/ward.1").read_text()
    names = {name for text in texts for name in reads.findall(text)} | set(re.findall(r"Ev (WARD_[A-Z_]+)", manual))
    assert {"WARD_VAULT", "WARD_DATA", "WARD_SERVER_BIN", "WARD_IDLE_LOCK"} <= names
    done = run(tmp_path, "check", env=dict.fromkeys(names, "1"))
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    "content, reason",
    [
        ('{"passkeys_only": true}', "write passkeys-only"),
        ('{"rpid": "localhost"}', "write rp-id"),
        ('{"rp": {"id": "localhost"}}', "serve --help"),
        ('{"breakfast": 1}', "serve --help"),
        ('{"rp-id": "localhost", "rp-id": "example.org"}', "duplicate"),
        ('["rp-id"]', "JSON object"),
        ("rp-id: localhost", "JSON"),
    ],
)  # fmt: skip
def test_a_file_with_something_else_than_settings_is_refused(tmp_path, content, reason):
    (tmp_path / "ward.json").write_text(content)
    done = run(tmp_path, "check", "--config", "ward.json")
    assert done.returncode == 64 and reason in done.stderr, done.stderr


def test_a_database_belongs_to_one_domain(start):
    server = start()
    assert server.person("ada").register().status_code == 201
    assert server.stop() == 0
    command = [part if part != "localhost" else "app.localhost" for part in server.command[1:]]
    command[command.index("--origin") + 1] = f"http://app.localhost:{server.port}"
    done = run(server.folder, *command)
    assert done.returncode == 64, done.stderr
    assert "the database is of localhost" in done.stderr and "--rp-id localhost" in done.stderr
    checked = run(server.folder, "check", "--json", "--database", str(server.database), "--rp-id", "app.localhost")
    assert checked.returncode == 1 and "other_rp_id" in codes(json.loads(checked.stdout)), checked.stderr
    place = server.folder / "backup"
    assert backup(server, place).returncode == 0

    other = start(host="app.localhost")
    assert other.stop() == 0
    refused = restore(other, place)
    assert refused.returncode == 69 and "of localhost" in refused.stderr and names(other.database) == set()
    assert server.start().person("grace").register().status_code == 201


def test_accounts_that_passkeys_only_keeps_out_are_counted_at_the_start(start):
    server = start()
    for name in ("ada", "grace"):
        made = server.client().post("account", {"username": name, "password": "a quiet harbour of 1843"})
        assert made.status_code == 201, made.text
    assert server.person("barbara").register().status_code == 201
    assert server.stop() == 0 and "no passkey" not in server.log_text()
    server.arguments = ("--passkeys-only",)
    server.start()
    assert "2 accounts have a password and no passkey, and cannot sign in with --passkeys-only" in server.log_text()
