"""The agent: who may talk to it, what it survives, and what it does when everything happens at once."""

import json
import os
import random
import re
import signal
import socket
import stat
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from agentwire import App, Wire
from manager import PASSPHRASE, Manager


def agent(manager: Manager, *words: str, **more):
    options = {"env": manager.environment, "stderr": subprocess.PIPE, "text": True, **more}
    return subprocess.Popen([manager.binary, "agent", *words], **options)


def written_version(protocol: str) -> int:
    """The version that the page of a protocol begins with."""
    page = Path(__file__).resolve().parents[2] / f"Documentation/formats/{protocol}.md"
    return int(re.findall(r"^Version (\d+)\.", page.read_text(), re.MULTILINE)[0])


def test_socket_and_folder_are_for_their_owner_alone(vault):
    assert stat.S_IMODE(vault.socket.stat().st_mode) == 0o600
    assert stat.S_IMODE(vault.socket.parent.stat().st_mode) == 0o700


def test_another_user_is_sent_away(vault):
    if os.getuid() != 0:
        pytest.skip("needs root, to be somebody else")
    for path in (vault.folder, vault.runtime, vault.socket.parent):
        path.chmod(0o777)
    vault.socket.chmod(0o777)
    script = (
        "import os, socket, sys; os.setuid(65534); s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1]);"
        "s.sendall(b'{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"status\",\"params\":{}}\\n'); print(s.recv(100))"
    )
    done = subprocess.run(["python3", "-c", script, str(vault.socket)], capture_output=True, text=True, timeout=60)
    # It is sent away before or after it has said something.
    assert done.stdout.strip() == "b''" or "reset" in done.stderr or "BrokenPipe" in done.stderr, (done.stdout, done.stderr)


def test_nobody_reads_the_agents_memory_and_it_leaves_no_core(vault):
    pid = vault.status()["pid"]
    limits = Path(f"/proc/{pid}/limits").read_text()
    core = next(line for line in limits.splitlines() if line.startswith("Max core file size"))
    assert core.split()[4:6] == ["0", "0"]
    # A process that is not dumpable belongs to root in /proc; that closes ptrace and /proc/PID/mem to its user.
    assert Path(f"/proc/{pid}/mem").stat().st_uid == 0
    locked = next(line for line in Path(f"/proc/{pid}/status").read_text().splitlines() if line.startswith("VmLck"))
    assert int(locked.split()[1]) > 0, "the keys are in memory that is never swapped out"


@pytest.mark.parametrize(
    "raw",
    [
        b"\n", b"nonsense\n", b"[]\n", b"{}\n", b"\xff\xfe\n", b'{"jsonrpc":"1.0","id":1,"method":"status"}\n',
        b'{"jsonrpc":"2.0","id":{},"method":"status"}\n', b'{"jsonrpc":"2.0","id":1,"method":"status","params":{}}\n',
        b'{"jsonrpc":"2.0","id":99999999999999999999,"method":"hello"}\n', b"[" * 100_000 + b"\n",
    ],
)  # fmt: skip
def test_what_is_no_request_is_answered_with_an_error(vault, raw):
    wire = Wire(vault)
    wire.send(raw)
    assert wire.read()["error"]["data"]["code"] == "invalid_request"
    assert wire.hello()["result"]["version"] == 2
    assert wire.call("items.nothing")["error"]["data"]["code"] == "unknown_method"
    assert wire.call("items.list")["error"]["data"]["code"] == "invalid_request"
    assert wire.call("status")["result"]["isLocked"] is False


def test_a_line_without_end_ends_the_connection_and_nothing_else(vault):
    wire = Wire(vault)
    with pytest.raises(OSError):
        for _ in range(200):
            wire.send(b"x" * 65536)
        wire.socket.recv(1)
        wire.send(b"x")
        raise OSError
    assert Wire(vault).hello()["result"]["version"] == 2


def test_versions_are_agreed_on_first(vault):
    wire = Wire(vault)
    assert wire.hello(versions=(1, 3))["error"]["data"]["code"] == "version_mismatch"
    assert wire.hello(versions=(3, 1, 2))["result"]["version"] == 2
    assert written_version("agent") == wire.hello(versions=range(100))["result"]["version"]


def test_ten_programs_that_start_at_once_get_one_agent(manager):
    manager.init()
    manager.stop()
    with ThreadPoolExecutor(10) as pool:
        states = list(pool.map(lambda _: manager.status(), range(10)))
    assert len({state["pid"] for state in states}) == 1


def test_a_second_agent_for_the_same_folder_says_so_and_ends(vault):
    second = agent(vault)
    assert second.wait(timeout=60) == 1
    assert "running already" in second.stderr.read()


@pytest.mark.parametrize("reader", ["gone", "a full disk"])
def test_an_agent_whose_words_nobody_reads_ends_with_a_status_and_not_with_a_trap(vault, reader):
    if reader == "gone":
        read, write = os.pipe()
        os.close(read)
    else:
        write = os.open("/dev/full", os.O_WRONLY)
    second = agent(vault, stderr=write)
    os.close(write)
    assert second.wait(timeout=60) == 1


def test_a_full_disk_behind_standard_output_is_an_error(vault):
    vault.ok("add", "Example")
    for words in (["list"], ["list", "--json"], ["show", "Example"]):
        with open("/dev/full", "wb") as full:
            done = subprocess.run(
                [str(vault.binary), *words], env=vault.environment, stdout=full, stderr=subprocess.PIPE, text=True, timeout=60
            )
        assert done.returncode == 9, words
        assert done.stderr == "Error: standard output could not be written. Is the disk full?\n"


def test_two_agents_never_write_one_vault(vault):
    # Another device's memory and other sockets, but the same vault: its agent is the only one.
    other = Manager(vault.folder / "other", XDG_DATA_HOME=str(vault.home / "data"))
    try:
        pid = vault.status()["pid"]
        assert other.status()["pid"] == pid
        other.ok("add", "Example")
        second = agent(other)
        assert second.wait(timeout=60) == 1
        assert "running already" in second.stderr.read()
        vault.stop()
        other.ok("unlock", "--trust-this-file", passphrase=PASSPHRASE)
        assert other.status()["pid"] == vault.status()["pid"] != pid
        assert [item["title"] for item in vault.json("list")] == ["Example"]
    finally:
        other.stop()


def test_ten_clients_write_at_once_and_nothing_is_lost(vault):
    def write(client: int):
        for number in range(5):
            vault.ok("add", f"Item {client}-{number}", "--generate")

    with ThreadPoolExecutor(10) as pool:
        list(pool.map(write, range(10)))
    assert len(vault.json("list")) == 50
    assert vault.json("log", "verify")["revisions"] == 50


def test_two_who_change_the_same_item_both_have_their_change_in_the_history(vault):
    vault.ok("add", "Shared")
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda n: vault.ok("edit", "Shared", "--tag", f"tag{n}"), range(8)))
    assert sorted(vault.json("show", "Shared")["tags"]) == [f"tag{n}" for n in range(8)]
    assert len(vault.json("history", "Shared")["revisions"]) == 9


def test_locked_in_the_middle_of_a_request_is_a_clear_error_and_loses_nothing(vault):
    vault.ok("add", "Before")
    outcomes: list[tuple[int, str]] = []

    def write(client: int):
        for number in range(6):
            done = vault.run("add", f"While {client}-{number}", "--no-prompt", "--json")
            outcomes.append((done.returncode, done.stdout))

    threads = [threading.Thread(target=write, args=(client,)) for client in range(4)]
    for thread in threads:
        thread.start()
    for _ in range(6):
        time.sleep(0.15)
        vault.ok("lock")
        time.sleep(0.1)
        vault.ok("unlock", passphrase=PASSPHRASE)
    for thread in threads:
        thread.join()
    assert {code for code, _ in outcomes} <= {0, 3}, outcomes
    done = sum(1 for code, _ in outcomes if code == 0)
    assert len(vault.json("list")) == 1 + done
    for code, out in outcomes:
        if code == 3:
            assert json.loads(out)["error"]["code"] == "locked"
    vault.ok("log", "verify")


@pytest.mark.parametrize("said", ["die", "nonsense"])
def test_a_pinentry_that_dies_or_babbles_is_a_clear_error(vault, said):
    vault.ok("lock")
    vault.answers(said)
    done = vault.run("list")
    assert done.returncode == 5 and "pinentry" in done.stderr
    assert vault.status()["isLocked"] is True
    vault.answers(PASSPHRASE)
    vault.ok("list")


def test_a_killed_pinentry_is_a_clear_error(vault):
    vault.ok("lock")
    vault.answers("wait")
    with ThreadPoolExecutor(1) as pool:
        pending = pool.submit(vault.run, "list")
        deadline = time.monotonic() + 20
        while not vault.asked and time.monotonic() < deadline:
            time.sleep(0.02)
        subprocess.run(["pkill", "-9", "-f", str(vault.pinentry)], check=True)
        done = pending.result(timeout=60)
    assert done.returncode == 5 and "try again" in done.stderr


def test_a_prompt_nobody_waits_for_is_withdrawn(vault):
    vault.ok("lock")
    vault.answers("wait")
    client = subprocess.Popen([vault.binary, "list"], env=vault.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 20
    while not vault.asked and time.monotonic() < deadline:
        time.sleep(0.02)
    client.kill()
    client.wait()

    def prompting():
        return subprocess.run(["pgrep", "-f", str(vault.pinentry)], capture_output=True).returncode == 0

    while prompting() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not prompting()
    vault.answers(PASSPHRASE)
    vault.ok("list")


def test_without_a_pinentry_the_next_step_is_said(vault):
    vault.ok("lock")
    vault.pinentry.unlink()
    done = vault.run("list")
    assert done.returncode == 5
    assert "pinentry-curses" in done.stderr and str(vault.pinentry) in done.stderr


def test_idle_vaults_lock_by_themselves(manager):
    manager.settings["WARD_IDLE_LOCK"] = "0.1"
    manager.init()
    assert manager.status()["isLocked"] is False
    deadline = time.monotonic() + 60
    while not manager.status()["isLocked"] and time.monotonic() < deadline:
        time.sleep(0.3)
    assert manager.status()["isLocked"] is True


def test_an_open_vault_locks_after_its_limit_however_it_is_used(manager):
    manager.settings["WARD_OPEN_LIMIT"] = "0.001"
    manager.init()
    deadline = time.monotonic() + 60
    while manager.run("list", "--no-prompt").returncode != 3:
        assert time.monotonic() < deadline


def listening(path: Path) -> socket.socket:
    path.parent.mkdir(mode=0o700, exist_ok=True)
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(path))
    listener.listen()
    return listener


def activated(manager: Manager, descriptors: list[int], count: str | None = None, **more):
    """The agent as systemd starts it, with these descriptors from 3 on."""
    moves = "".join(f"exec {3 + place}<&{40 + place}; " for place in range(len(descriptors)))
    with_high_numbers = [os.dup2(descriptor, 40 + place) for place, descriptor in enumerate(descriptors)]
    script = moves + f'export LISTEN_PID=$$ LISTEN_FDS={count or len(descriptors)}; exec "{manager.binary}" agent'
    try:
        return subprocess.Popen(
            ["bash", "-c", script], env=manager.environment, pass_fds=with_high_numbers, stderr=subprocess.PIPE, text=True, **more
        )
    finally:
        for descriptor in with_high_numbers:
            os.close(descriptor)


@pytest.mark.parametrize("both", [True, False])
def test_systemd_may_hand_over_the_sockets(manager, both):
    # In any order, and the agent makes the one that is missing.
    listeners = [listening(path) for path in [manager.app_socket, manager.socket][: 2 if both else 1]]
    process = activated(manager, [listener.fileno() for listener in listeners])
    try:
        manager.wait_for_agent()
        assert manager.status()["pid"] == process.pid
        for descriptor in range(3, 3 + len(listeners)):
            flags = re.search(r"^flags:\s+(\d+)$", Path(f"/proc/{process.pid}/fdinfo/{descriptor}").read_text(), re.MULTILINE)
            assert flags is not None and int(flags[1], 8) & os.O_CLOEXEC, "no program that the agent starts has the socket"
        with App(manager, sys.executable) as app:
            assert app.hello().refusal("status")[0] == "app_unknown"
    finally:
        manager.stop()
        process.wait(timeout=60)
    assert manager.app_socket.exists() and manager.socket.exists() is both, "what systemd made stays"


@pytest.mark.parametrize(
    "what", ["count none", "count -1", "count 99999999999", "count 3", "file", "pipe", "not listening", "datagram", "twice", "elsewhere"]
)
def test_nonsense_that_is_handed_over_is_a_clear_error(manager, what, tmp_path):
    word, _, count = what.partition(" ")
    good = listening(manager.socket)
    handed = [good.fileno()]
    keep: list[socket.socket] = []
    if what == "file":
        handed.append(os.open(tmp_path / "file", os.O_RDWR | os.O_CREAT))
    elif what == "pipe":
        handed.extend(os.pipe())
    elif what == "twice":
        handed.append(good.fileno())
    elif what == "elsewhere":
        keep.append(listening(manager.runtime / "other.sock"))
    elif what in ("not listening", "datagram"):
        keep.append(socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM if what == "datagram" else socket.SOCK_STREAM))
        # At a place where the agent does listen.
        manager.app_socket.parent.mkdir(mode=0o700, exist_ok=True)
        keep[0].bind(str(manager.app_socket))
    process = activated(manager, handed + [one.fileno() for one in keep], count if word == "count" else None)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 1 and "systemd passes" in said and "ward-agent.socket" in said, said


def test_signals_end_it_cleanly(vault):
    vault.stop()
    for number in (signal.SIGTERM, signal.SIGINT):
        process = agent(vault)
        vault.wait_for_agent()
        vault.ok("list", passphrase=PASSPHRASE)
        process.send_signal(number)
        assert process.wait(timeout=60) == 0
        assert not vault.socket.exists()


def test_connections_that_come_while_it_ends_do_not_crash_it(vault):
    vault.stop()
    for _ in range(3):
        process = agent(vault)
        vault.wait_for_agent()
        over = threading.Event()

        def knock(over: threading.Event = over):
            while not over.is_set():
                with socket.socket(socket.AF_UNIX) as one:
                    try:
                        one.connect(str(vault.socket))
                        one.sendall(b"x\n")
                    except OSError:
                        pass

        threads = [threading.Thread(target=knock) for _ in range(6)]
        for thread in threads:
            thread.start()
        time.sleep(0.2)
        process.send_signal(signal.SIGTERM)
        try:
            assert process.wait(timeout=60) == 0
        finally:
            over.set()
            for thread in threads:
                thread.join()


def test_kill_9_in_a_loop_loses_nothing_that_was_answered(vault):
    acknowledged: list[str] = []
    deaths = random.Random()
    for round_ in range(6):
        stop = threading.Event()

        def write(client: int, round_: int = round_, stop: threading.Event = stop):
            number = 0
            while not stop.is_set():
                title = f"{round_}-{client}-{number}"
                if vault.run("add", title, passphrase=PASSPHRASE).returncode == 0:
                    acknowledged.append(title)
                number += 1

        threads = [threading.Thread(target=write, args=(client,)) for client in range(3)]
        for thread in threads:
            thread.start()
        before = len(acknowledged)
        deadline = time.monotonic() + 60
        while len(acknowledged) == before and time.monotonic() < deadline:
            time.sleep(0.01)
        time.sleep(deaths.uniform(0, 0.5))
        vault.kill()
        stop.set()
        for thread in threads:
            thread.join()
    titles = {item["title"] for item in vault.json("list", passphrase=PASSPHRASE)}
    assert len(acknowledged) >= 6 and set(acknowledged) <= titles
    vault.ok("log", "verify", passphrase=PASSPHRASE)


def test_a_full_disk_is_a_clear_error_and_harms_nothing(manager, tmp_path):
    place = manager.home / "data"
    place.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(place)], capture_output=True)
    if mounted.returncode != 0:
        pytest.skip("no small disk can be mounted here")
    try:
        manager.init()
        note = tmp_path / "note"
        note.write_text("x" * 60_000)
        outcomes = [manager.run("add", f"Note {n}", "--kind", "note", "--notes", str(note), "--json") for n in range(20)]
        full = [done for done in outcomes if done.returncode != 0]
        assert full and all(json.loads(done.stdout)["error"]["code"] == "disk_full" for done in full)
        assert len(manager.json("list")) == len(outcomes) - len(full)
        manager.kill()
        assert len(manager.json("list", passphrase=PASSPHRASE)) == len(outcomes) - len(full)
        manager.stop()
    finally:
        manager.stop()
        subprocess.run(["umount", "-l", str(place)], check=True)
