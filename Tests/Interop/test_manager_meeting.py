"""`ward devices add` and `ward join ADDRESS`: devices that meet at the sync server with a code.

The new device of `Tests/TestVectors/meeting/meeting.py`, which was made from the page alone, meets the real agent too.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import requests
import terminalqr
from hostileserver import Answer, HostileServer, Honestly, Request, hostile_server
from manager import PASSPHRASE, Manager, Pty
from syncserver import SyncServer
from talking import Talking
from wardserver import free_port

VECTORS = Path(__file__).resolve().parents[1] / "TestVectors"
sys.path += [str(VECTORS / name) for name in ("meeting", "pairing", "circle", "vault") if str(VECTORS / name) not in sys.path]
import make_pairing  # noqa: E402
from meeting import Fault, NewDevice, decode  # noqa: E402
from suites import open_sealed  # noqa: E402

CBOR = {"Content-Type": "application/cbor"}


@pytest.fixture
def server(tmp_path: Path) -> Iterator[SyncServer]:
    place = tmp_path / "server"
    place.mkdir(mode=0o700)
    running = SyncServer(place)
    running.start()
    yield running
    running.stop()


@pytest.fixture
def phone() -> Iterator[Manager]:
    """A second device, without a vault."""
    with tempfile.TemporaryDirectory(prefix="ward-") as place:
        other = Manager(Path(place))
        yield other
        other.stop()


@pytest.fixture
def desk(vault: Manager, server: SyncServer) -> Manager:
    """A device that syncs with the server, with one item."""
    vault.ok("add", "From the desk", "--username", "ada", secrets={"--password-fd": "first"})
    vault.ok(
        "sync", "on", server.address, "--name", "desk", "--new-recovery-key", "--invitation-file", "-",
        passphrase=PASSPHRASE, text=server.invite(),
    )
    return vault


class Adding(Talking):
    """`ward devices add --yes`: an object with the code, and one with the result."""

    def __init__(self, desk: Manager) -> None:
        super().__init__(desk, "devices", "add", "--yes")

    @property
    def code(self) -> str:
        return self.first["code"]


def join(phone: Manager, server: SyncServer | HostileServer, code: str, *words: str) -> subprocess.CompletedProcess[str]:
    return phone.run("join", server.address, "--code-file", "-", "--json", *words, passphrase=PASSPHRASE, text=code + "\n")


def titles(manager: Manager) -> list[str]:
    return sorted(item["title"] for item in manager.json("list"))


def wrong(code: str) -> str:
    """The code with another last digit."""
    return code[:-1] + ("1" if code[-1] != "1" else "2")


def eight_words(screen: Pty) -> str:
    """The words to compare. A line of a QR code can have eight parts too."""
    plain = re.sub(r"\x1b\[[0-9;]*m", "", screen.got.decode())
    return re.findall(r"^    ([a-z-]+(?: [a-z-]+){7})\s*$", plain, re.MULTILINE)[0]


def test_a_device_joins_with_a_code_and_syncs_with_the_server(desk, phone, server):
    adding = Adding(desk)
    assert adding.first["server"] == server.address and 0 < adding.first["seconds"] <= 300
    done = join(phone, server, adding.code, "--name", "phone")
    assert done.returncode == 0, (done.stdout, done.stderr, adding.process.poll())
    joined = json.loads(done.stdout)
    status, out, err = adding.end()
    assert status == 0 and json.loads(out)["device"]["name"] == "phone", (out, err)
    assert joined["device"]["name"] == "phone" and joined["items"] == 1 and joined["state"]["server"] == server.address
    assert len(joined["words"]) == 8 and " ".join(joined["words"]) in done.stderr
    assert titles(phone) == ["From the desk"]
    phone.ok("add", "From the phone", "--username", "ada", secrets={"--password-fd": "second"})
    phone.ok("sync", "now")
    desk.ok("sync", "now")
    assert titles(desk) == ["From the desk", "From the phone"]
    assert sorted(one["name"] for one in desk.json("devices")["devices"]) == ["desk", "phone"]


def test_a_wrong_code_is_seen_on_both_screens(desk, phone, server):
    adding = Adding(desk)
    done = join(phone, server, wrong(adding.code))
    error = json.loads(done.stdout)["error"]
    assert error["code"] == "codes_differ" and "do not match" in error["message"], error
    assert error["message"].endswith("Make a new code on the device that has the vault: ward devices add"), error
    status, out, err = adding.end()
    assert status != 0 and json.loads(out)["error"]["code"] == "codes_differ", (out, err)
    assert not phone.vault.exists() and len(desk.json("devices")["devices"]) == 1
    # The right digits of the same code come too late.
    late = join(phone, server, adding.code)
    assert json.loads(late.stdout)["error"]["code"] == "meeting_over"
    # Nobody has seen this device yet, so nothing is left of it, and it may have another name.
    assert "joinsAs" not in phone.json("status")
    adding = Adding(desk)
    assert join(phone, server, adding.code, "--name", "another").returncode == 0
    assert adding.end()[0] == 0


def test_the_screens_show_the_code_and_the_same_words(desk, phone, server):
    adding = Pty(desk, "devices", "add")
    adding.wait_for(b"type this code")
    adding.wait_for(b"Tell it to nobody")
    code = next(word for word in adding.got.decode().split() if word.count("-") == 2 and word.replace("-", "").isdigit())
    new = Pty(phone, "join", server.address, "--name", "phone")
    new.wait_for(b"Code shown there: ")
    # Somebody mistypes: too few digits, and the number of no meeting.
    new.type(code[:-2] + "\r")
    new.wait_for(b"A code has eleven digits or more")
    new.type("999-999-9" + code[-9:] + "\r")
    new.wait_for(b"The server does not know this code")
    new.type(code + "\r")
    new.wait_for(b"Say yes on the other device")
    adding.wait_for(b"Does the new device show the same words?")
    assert eight_words(adding) in new.got.decode()
    adding.type("y\r")
    adding.wait_for(b"Passphrase: ")
    adding.type(PASSPHRASE + "\r")
    new.wait_for(b"Passphrase: ")
    # From now on the other device knows this one.
    assert "asked to join as “phone”" in phone.ok("status")
    new.type(PASSPHRASE + "\r")
    assert new.end() == 0 and adding.end() == 0
    assert titles(phone) == ["From the desk"]


def test_a_device_joins_with_the_qr_code_on_the_other_screen(desk, phone, server, tmp_path):
    # Without colours nobody knows which squares are dark, so no code is drawn.
    desk.settings["NO_COLOR"] = ""
    adding = Pty(desk, "devices", "add")
    adding.wait_for(b"ward join --picture FILE")
    adding.wait_for(b"Tell it to nobody")
    shown = adding.got.decode()
    picture, other = tmp_path / "screen.png", tmp_path / "other.png"
    picture.write_bytes(terminalqr.png(terminalqr.rows(shown)))
    # A picture of something else, and texts that are not such a link.
    subprocess.run(["qrencode", "-o", str(other), "https://example.org"], check=True, timeout=60)
    refused = phone.run("join", "--picture", str(other), "--json", passphrase=PASSPHRASE)
    assert refused.returncode == 2 and "Type the code instead" in refused.stdout + refused.stderr
    for link in ("ward:join?code=1", "ward:join?server=x&code=1&code=2", f"ward:join?server={server.address}&code=1&more=2"):
        assert phone.run("join", link, "--json", passphrase=PASSPHRASE).returncode == 2
    new = Pty(phone, "join", "--picture", str(picture), "--name", "phone")
    new.wait_for(b"Say yes on the other device")
    assert f"Server  {server.address}" in new.got.decode()
    adding.wait_for(b"Does the new device show the same words?")
    assert eight_words(adding) in new.got.decode()
    adding.type("y\r")
    adding.wait_for(b"Passphrase: ")
    adding.type(PASSPHRASE + "\r")
    new.wait_for(b"Passphrase: ")
    new.type(PASSPHRASE + "\r")
    assert new.end() == 0 and adding.end() == 0
    assert titles(phone) == ["From the desk"]


def test_the_text_of_the_qr_code_joins_too(desk, phone, server):
    adding = Adding(desk)
    link = adding.first["link"]
    assert link == f"ward:join?server={server.address}&code={adding.code}"
    done = phone.run("join", link, "--json", "--name", "phone", passphrase=PASSPHRASE)
    assert done.returncode == 0, (done.stdout, done.stderr)
    assert adding.end()[0] == 0


def test_a_person_who_says_no_adds_nothing(desk, phone, server):
    adding = Pty(desk, "devices", "add")
    adding.wait_for(b"Tell it to nobody")
    code = next(word for word in adding.got.decode().split() if word.count("-") == 2 and word.replace("-", "").isdigit())
    done: list[subprocess.CompletedProcess[str]] = []
    joining = threading.Thread(target=lambda: done.append(join(phone, server, code)))
    joining.start()
    adding.wait_for(b"Does the new device show the same words?")
    adding.type("n\r")
    assert adding.end() == 5
    joining.join(60)
    error = json.loads(done[0].stdout)["error"]
    assert error["code"] == "pairing_refused" and "make a new code there: ward devices add" in error["message"], error
    assert len(desk.json("devices")["devices"]) == 1 and not phone.vault.exists()


def test_addresses_and_codes_that_are_none_are_refused(desk, phone, server):
    for code in ("417", "417-2290-841x", "hello"):
        assert json.loads(join(phone, server, code).stdout)["error"]["code"] == "invalid_value"
    assert json.loads(join(phone, server, "999-1234-5678").stdout)["error"]["code"] == "meeting_not_found"
    assert phone.run("join", str(phone.folder), "--code-file", "-", text="417-2290-8415").returncode == 2
    assert desk.run("devices", "add", "--request", "00", passphrase=PASSPHRASE).returncode == 2
    assert desk.run("devices", "add", "--json", passphrase=PASSPHRASE).returncode == 2
    # Requests are in a folder. Over a server there are none.
    assert json.loads(desk.run("devices", "requests", "--json").stdout)["error"]["code"] == "no_folder"


class Meeting:
    """The new device's side at the server, over HTTP."""

    def __init__(self, server: SyncServer | HostileServer, number: int) -> None:
        self.path = f"{server.address}/sync/v1/rendezvous/{number}"
        answer = requests.post(self.path, timeout=30)
        assert answer.status_code == 200, answer.text
        found = decode(answer.content)
        self.token, self.offer, self.host = found[1], found[3], found[4]
        self.headers = {"Authorization": f"Bearer {self.token}"}

    def write(self, index: int, message: bytes) -> None:
        body = make_pairing.encode({1: message})
        answer = requests.post(f"{self.path}/{index}", data=body, headers={**self.headers, **CBOR}, timeout=30)
        assert answer.status_code == 204, answer.text

    def read(self, index: int) -> bytes:
        for _ in range(20):
            found = decode(requests.get(f"{self.path}/{index}?wait=10", headers=self.headers, timeout=30).content)
            if 1 in found:
                return found[1]
        raise AssertionError("no message came")


def python_device(server: SyncServer | HostileServer, code: str) -> tuple[NewDevice, Meeting, bytes]:
    """A new device that was made from the page alone, with its HPKE seed."""
    hpke = os.urandom(32)
    request = make_pairing.request(os.urandom(32), hpke, "python", "CPython", int(time.time()))
    meeting = Meeting(server, int(code.replace("-", "")[:-8]))
    scalar = int.from_bytes(os.urandom(32)) >> 4
    device = NewDevice(
        host=meeting.host, nonce=os.urandom(16), seed=os.urandom(32), scalar=scalar.to_bytes(32, "little"),
        ephemeral=os.urandom(32), text=code, request=request,
    )
    return device, meeting, hpke


def test_a_device_made_from_the_page_alone_is_added(desk, server):
    adding = Adding(desk)
    device, meeting, hpke = python_device(server, adding.code)
    assert meeting.host == server.address.removeprefix("http://")
    meeting.write(1, device.share(meeting.offer))
    meeting.write(3, device.asking(meeting.read(2)))
    vault, reply = device.answered(meeting.read(4))
    status, out, err = adding.end()
    assert status == 0 and json.loads(out)["device"]["name"] == "python", (out, err)
    kind, encapsulation, ciphertext = decode(reply)[2:]
    info = make_pairing.encode(["ward", 1, "pairing-reply", make_pairing.sha256(device.request)[:16]])
    plaintext = decode(open_sealed(2, hpke, info, encapsulation, ciphertext))
    assert kind == "pairing-reply" and plaintext[1] == vault


def test_a_device_made_from_the_page_alone_has_one_guess(desk, server):
    adding = Adding(desk)
    device, meeting, _ = python_device(server, wrong(adding.code))
    meeting.write(1, device.share(meeting.offer))
    with pytest.raises(Fault, match="the codes differ"):
        device.asking(meeting.read(2))
    second = requests.post(meeting.path, timeout=30)
    assert second.status_code == 409 and second.json()["code"] == "meeting_taken"
    meeting.write(3, b"\x84\x64ward\x01\x6bmeeting-end\x01")
    status, out, err = adding.end()
    assert status != 0 and json.loads(out)["error"]["code"] == "codes_differ", (out, err)


def test_who_guesses_and_goes_without_a_word_is_counted_and_after_three_there_is_a_pause(desk, server):
    for _ in range(3):
        adding = Adding(desk)
        device, meeting, _ = python_device(server, wrong(adding.code))
        meeting.write(1, device.share(meeting.offer))
        # The answer shows whether the guess was right, and the guesser says only that it gives up.
        meeting.read(2)
        meeting.write(3, b"\x84\x64ward\x01\x6bmeeting-end\x02")
        status, out, err = adding.end()
        assert status != 0 and "without showing that it has the code" in json.loads(out)["error"]["message"], (out, err)
    paused = desk.run("devices", "add", "--yes", "--json", passphrase=PASSPHRASE)
    assert paused.returncode == 6 and json.loads(paused.stdout)["error"]["code"] == "too_many_attempts", paused
    assert "Wait 15 minutes" in paused.stdout


def test_a_server_that_guesses_and_then_answers_nonsense_is_counted_too(vault, tmp_path):
    lies = [
        Answer(400, {}),
        Answer(200, {"content-type": "text/html"}, b"<p>Hello</p>"),
        Answer(200, {"content-type": "application/cbor"}, make_pairing.encode([1])),
    ]
    with hostile_server(tmp_path / "servers", free_port()) as hostile:
        invitation = hostile.start().invite()
        vault.ok(
            "sync", "on", hostile.address, "--name", "desk", "--new-recovery-key", "--invitation-file", "-",
            passphrase=PASSPHRASE, text=invitation,
        )  # fmt: skip
        for lie in lies:

            def answer(request: Request, honestly: Honestly, lie: Answer = lie) -> Answer:
                return lie if request.method == "GET" and re.search(r"/rendezvous/\d+/3\b", request.path) else honestly(request)

            hostile.lie = answer
            adding = Adding(vault)
            device, meeting, _ = python_device(hostile, wrong(adding.code))
            meeting.write(1, device.share(meeting.offer))
            status, out, err = adding.end()
            assert status != 0 and "without showing that it has the code" in json.loads(out)["error"]["message"], (out, err)
        paused = vault.run("devices", "add", "--yes", "--json", passphrase=PASSPHRASE)
        assert json.loads(paused.stdout)["error"]["code"] == "too_many_attempts", paused


def test_a_connection_that_breaks_after_the_passphrase_does_not_end_the_joining(vault, phone, tmp_path):
    """The phone is in the circle by then. If its command ended, it would have to join anew."""
    with hostile_server(tmp_path / "servers", free_port()) as hostile:
        invitation = hostile.start().invite()
        vault.ok("add", "From the desk")
        vault.ok(
            "sync", "on", hostile.address, "--name", "desk", "--new-recovery-key", "--invitation-file", "-",
            passphrase=PASSPHRASE, text=invitation,
        )  # fmt: skip
        [desk] = vault.json("devices")["devices"]
        # A request that meets a connection which breaks is sent once more by itself.
        left = [2]

        def answer(request: Request, honestly: Honestly) -> Answer:
            if request.is_reading and request.device != desk["id"] and left[0] > 0:
                left[0] -= 1
                return lambda write: None
            return honestly(request)

        hostile.lie = answer
        adding = Adding(vault)
        done = join(phone, hostile, adding.code, "--name", "phone")
        assert done.returncode == 0 and left == [0], (done.stdout, done.stderr)
        assert "Ward asks it again" in done.stderr
        assert adding.end()[0] == 0
        assert titles(phone) == ["From the desk"]


def test_a_device_that_joins_at_a_wrong_address_is_told_what_it_can_do(phone, tmp_path):
    with hostile_server(tmp_path / "servers", free_port()) as hostile:
        hostile.lie = lambda request, honestly: Answer(200, {"content-type": "text/html"}, b"<p>Hello</p>")
        error = json.loads(join(phone, hostile, "417-2290-8415").stdout)["error"]
    assert error["code"] == "server_answer_wrong"
    assert "ward devices add" in error["message"] and "ward sync" not in error["message"], error
