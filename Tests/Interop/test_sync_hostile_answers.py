"""A sync server whose answers have another form, are of a later version, or never end."""

from __future__ import annotations

import gzip
import json
import re
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hostilecircle import DAMAGED, REVISION, UNAVAILABLE, Circle, circle, goes_on, needs, refusal, signing_key, sync  # noqa: F401
from hostileserver import Answer, Honestly, Lie, Request, payload, showing
from manager import PASSPHRASE, Manager, Pty
from read_vault import decode, encode, sha256
from test_manager_sync import titles


def with_version(entry: bytes) -> bytes:
    """The same entry with a later version, which its device did not sign."""
    content, signature = decode(entry)
    return encode([encode({**decode(content), 0: 2}), signature])


def of_a_later_version(circle: Circle, device: Manager, id: str) -> list:
    """What the device would write next, if it were of a later version."""
    own = [entry for _, entry, _ in circle.hostile.records(circle.hostile.honest, id) if payload(entry)[1].hex() == id]
    last, vault = payload(own[-1]), bytes.fromhex(device.json("sync", "status")["vaultID"])
    content = encode({0: 2, 1: last[1], 2: last[2] + 1, 3: sha256(own[-1]), 4: last[4] + 1, 6: REVISION, 7: {1: 1}})
    return [0, encode([content, signing_key(circle.shared, device).sign(b"ward/v1/entry\0" + vault + content)]), None]


def test_a_page_and_an_entry_of_a_later_version_are_not_taken(circle):  # noqa: F811
    hostile, desk, phone = circle.hostile, circle.desk, circle.phone
    [id, _] = circle.open(desk, phone)
    first = hostile.records(hostile.honest, id)
    hostile.lie = showing(id, first)
    hostile.cut()
    phone.ok("add", "New")
    sync(phone, desk)
    [number, entry, blob] = hostile.records(hostile.honest, id)[-1]
    for last, expected in (
        ([number, entry, blob, None], ("server_answer_wrong", UNAVAILABLE)),
        ([number, with_version(entry), blob], ("server_sends_wrong_data", DAMAGED)),
    ):
        hostile.lie = showing(id, [*first, last])
        hostile.cut()
        assert refusal(desk) == expected
        assert titles(desk) == ["Before"]
    goes_on(desk)
    hostile.be_honest()
    sync(desk)
    assert needs(desk) == [] and titles(desk) == ["Before", "Local", "New"]


def test_an_entry_of_a_later_version_stops_its_device_alone(circle):  # noqa: F811
    hostile, desk, phone, tablet = circle.hostile, circle.desk, circle.phone, circle.tablet
    ids = circle.open(*circle.all)
    record = of_a_later_version(circle, phone, ids[1])
    assert hostile.bring(hostile.honest, ids[1], [record]) == 200
    sync(desk)
    assert needs(desk) == ["device_broke_rules"]
    assert f"Needs you The device {ids[1][:8]} wrote what no device of yours should write" in desk.run("sync", "status").stdout
    goes_on(desk)
    tablet.ok("add", "Of the tablet")
    sync(tablet, desk)
    assert titles(desk) == ["Before", "Local", "Of the tablet"]
    desk.ok("devices", "remove", "phone", "--yes", passphrase=PASSPHRASE)
    sync(desk, tablet)
    assert (needs(desk), needs(tablet)) == ([], []) and titles(tablet) == titles(desk)


def test_a_device_that_is_shown_a_later_version_of_itself_stops_syncing_and_says_so(circle):  # noqa: F811
    hostile, phone = circle.hostile, circle.phone
    [id] = circle.open(phone)
    assert hostile.bring(hostile.honest, id, [of_a_later_version(circle, phone, id)]) == 200
    assert refusal(phone)[0] == "unknown_version"
    assert "Update Ward" in phone.run("sync", "status").stdout
    phone.ok("add", "Stays here")
    assert refusal(phone)[0] == "device_copied"
    phone.ok("add", "This too")
    # The vault opens and is whole.
    phone.ok("lock")
    phone.ok("unlock", passphrase=PASSPHRASE)
    phone.ok("log", "verify")
    assert {"Stays here", "This too"} < set(titles(phone))


def endless(head: str, piece: bytes, *, pause: float = 0, is_waiting: bool = False) -> Lie:
    """Answers requests for entries, or for news, with something that does not end."""

    def lie(request: Request, honestly: Honestly) -> Answer | Callable[[Callable[[bytes], object]], None]:
        if not request.is_reading or is_waiting and "wait=" not in request.path:
            return honestly(request)

        def write(send: Callable[[bytes], object]) -> None:
            send(f'HTTP/1.1 {head}\r\nConnection: close\r\nWard-Order: {"0" * 32}\r\nETag: "9999"\r\n\r\n'.encode())
            while True:
                send(piece)
                time.sleep(pause)

        return write

    return lie


OK = "200 OK\r\nContent-Type: application/cbor-seq"
MEBIBYTE = 1 << 20
# The exit status after Ctrl-C.
INTERRUPTED = 130
ENDLESS = [
    endless(OK, bytes(MEBIBYTE)),
    endless(f"{OK}\r\nContent-Length: {1 << 40}", bytes(MEBIBYTE)),
    endless(OK, encode([1, bytes(60_000), bytes(MEBIBYTE)])),
    endless(OK, b"\x81" * MEBIBYTE),
    endless(f"{OK}\r\nContent-Encoding: gzip", gzip.compress(bytes(64 * MEBIBYTE))),
    endless("200 OK\r\nContent-Type: text/event-stream", b":\n\n" * 10_000),
    endless("503 Busy\r\nContent-Type: application/problem+json", b" " * MEBIBYTE),
    # A field of the header.
    endless("200 OK\r\nA: " + "b" * MEBIBYTE, b"b"),
]


def memory(device: Manager) -> int:
    """The most memory that the agent ever had, in bytes."""
    text = Path(f"/proc/{device.status()['pid']}/status").read_text()
    return int(re.search(r"VmHWM:\s+(\d+) kB", text)[1]) << 10


def test_answers_without_an_end_cost_neither_time_nor_memory(circle):  # noqa: F811
    hostile, desk, phone = circle.hostile, circle.desk, circle.phone
    circle.open(desk)
    before, found = memory(desk), []
    for lie in [*ENDLESS[:2], *ENDLESS]:
        hostile.lie = lie
        hostile.cut()
        began = time.monotonic()
        found.append(refusal(desk))
        assert time.monotonic() - began < 20
    assert found == [*[("server_answer_wrong", UNAVAILABLE)] * (len(ENDLESS) + 1), ("server_unreachable", UNAVAILABLE)]
    # An answer of 16 MiB is read, and perhaps another one at the same time.
    assert memory(desk) < before + 64 * MEBIBYTE
    goes_on(desk)

    # A byte in a second, for what the device asks itself: the command can be stopped, and everything else goes on.
    hostile.lie = endless(OK, b"\x83", pause=1)
    hostile.cut()
    terminal = Pty(desk, "sync", "now")
    deadline = time.monotonic() + 30
    while not json.loads(desk.run("sync", "status", "--json").stdout)["isRunning"]:
        assert time.monotonic() < deadline
    desk.ok("add", "While it is slow")
    terminal.type("\x03")
    assert terminal.end() == INTERRUPTED
    terminal.close()

    # And for what it waits: changes go all the same.
    hostile.lie = endless(OK, b"\x83", pause=1, is_waiting=True)
    hostile.cut()
    sync(desk)
    desk.ok("add", "While it waits")
    sync(desk)
    assert needs(desk) == []
    hostile.be_honest()
    circle.open(phone)
    assert titles(phone) == titles(desk) == ["Before", "Local", "While it is slow", "While it waits"]
