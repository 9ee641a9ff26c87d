"""Two servers of one vault, of which one lies: the lie is named, nothing is lost, and sync with the honest one goes on."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from circledevices import bring, equal, happens, refused
from hostilecircle import DAMAGED, circle, needs, sync  # noqa: F401
from hostileserver import Answer, Honestly, Lie, Request, showing
from manager import PASSPHRASE, Manager
from read_vault import _decode, encode
from syncserver import SyncServer
from test_manager_sync import titles
from test_sync_restore import Notices


@pytest.fixture
def honest(tmp_path: Path) -> Iterator[SyncServer]:
    """A second server, which says what is so."""
    place = tmp_path / "honest"
    place.mkdir(mode=0o700)
    with SyncServer(place) as server:
        yield server


def go(device: Manager, address: str) -> None:
    device.ok("sync", "on", address, passphrase=PASSPHRASE)


def place(device: Manager) -> str:
    return json.loads(device.run("sync", "status", "--json").stdout)["server"]


def all_have(wanted: list[str], *devices: Manager) -> None:
    """The devices sync with one server now, and all have the same."""
    sync(*devices, *devices)
    for device in devices:
        assert titles(device) == sorted(wanted) and needs(device) == []
    equal(*devices)


def test_a_device_stays_with_an_honest_server_when_the_other_one_lies(circle, honest):  # noqa: F811
    hostile, (desk, phone, tablet) = circle.hostile, circle.all
    [id, _, other] = circle.open(*circle.all)
    bring(honest, desk, phone)
    before = len(hostile.records(hostile.honest, other))
    for title in ("Tablet 1", "Tablet 2"):
        tablet.ok("add", title)
    sync(tablet)
    records = hostile.records(hostile.honest, other)
    [number, entry, blob] = records[before]
    wanted = ["Before"]
    for shown, code in (
        ([*records[:before], *records[before + 1 :]], "server_hides_entries"),
        ([*records[:before], [number, entry, blob[:-1] + bytes([blob[-1] ^ 1])], *records[before + 1 :]], "server_sends_wrong_data"),
    ):
        hostile.lie = showing(id, shown)
        hostile.cut()
        assert refused(desk, "sync", "on", hostile.address, passphrase=PASSPHRASE) == (DAMAGED, code)
        # Neither is taken half, nor is the place that works left.
        assert place(desk) == honest.address and needs(desk) == []
        for device, name in ((desk, "Desk"), (phone, "Phone")):
            wanted.append(f"{name}, {code}")
            device.ok("add", wanted[-1])
        sync(desk, phone, desk)
        assert titles(phone) == sorted(wanted) and set(wanted) <= set(titles(desk)), code
    # The other server says what is so again: the desk carries to and fro what each of them lacks.
    hostile.be_honest()
    go(desk, hostile.address)
    go(desk, honest.address)
    go(tablet, honest.address)
    all_have([*wanted, "Tablet 1", "Tablet 2"], desk, phone, tablet)


def test_two_orders_of_one_server_are_named_and_the_other_server_goes_on(circle, honest):  # noqa: F811
    hostile, (desk, phone, tablet) = circle.hostile, circle.all
    [id, _, other] = circle.open(*circle.all)
    bring(honest, desk, phone)
    # One server shows the tablet another history than the desk, which comes and goes.
    fork = hostile.fork()
    hostile.worlds = {other: fork}
    hostile.cut()
    wanted = ["Before"]
    for number in range(2):
        for device, name in ((phone, "Phone"), (tablet, "Tablet")):
            wanted.append(f"{name} {number}")
            device.ok("add", wanted[-1])
            sync(device)
        go(desk, hostile.address)
        wanted.append(f"Desk {number}")
        desk.ok("add", wanted[-1])
        sync(desk)
        go(desk, honest.address)
        sync(phone)
    assert not any(title.startswith("Tablet") for title in titles(desk)) and needs(desk) == []
    # What the tablet wrote crosses over.
    theirs = hostile.records(fork, other)
    go(desk, hostile.address)
    sync(desk)
    # The first session with this server ended when the desk left it.
    newest = [token for token, device in hostile.tokens.items() if device == id][-1]
    hostile.tokens = {newest: id, **hostile.tokens}
    known = {one[1] for one in hostile.records(hostile.honest, id)}
    assert hostile.bring(hostile.honest, id, [one for one in theirs if one[1] not in known]) == 200
    sync(desk)
    assert needs(desk) == ["server_two_orders"]
    assert "Needs you The sync server showed your devices two different orders" in desk.run("sync", "status").stdout
    assert titles(desk) == sorted(wanted)
    # The honest server has nothing to do with it.
    go(desk, honest.address)
    sync(desk, phone)
    assert needs(desk) == needs(phone) == [] and titles(phone) == sorted(wanted)
    go(tablet, honest.address)
    all_have(wanted, desk, phone, tablet)


def swallowing(path: str) -> Lie:
    """Says that it took uploads, and takes none."""

    def swallow(request: Request, honestly: Honestly) -> Answer:
        if request.method != "POST" or not request.path.endswith(path):
            return honestly(request)
        known = honestly(Request("GET", f"{request.path}?after=0&limit=1", request.fields, b"", request.device))
        head, count, at = int(known.fields["etag"].strip('"')), 0, 0
        while at < len(request.body):
            _, at = _decode(request.body, at, 0)
            count += 1
        fields = {**known.fields, "content-type": "application/cbor", "etag": f'"{head + count}"'}
        return Answer(200, fields, encode({1: head + count, 2: count}))

    return swallow


def emptying(request: Request, honestly: Honestly) -> Answer:
    """Has thrown away the data of all entries."""
    answer = honestly(request)
    if not request.is_reading or answer.status != 200:
        return answer
    records, at = [], 0
    while at < len(answer.body):
        record, at = _decode(answer.body, at, 0)
        records.append(encode([*record[:2], None]))
    return replace(answer, body=b"".join(records))


def refusing(request: Request, honestly: Honestly) -> Answer:
    """Takes no entries any more, and shows those that it has."""
    if request.method == "POST" and request.path.endswith("/entries"):
        return Answer(503, {})
    return honestly(request)


def test_a_move_of_which_the_other_devices_did_not_hear_splits_nobody(circle, honest):  # noqa: F811
    hostile, (desk, phone, tablet) = circle.hostile, circle.all
    circle.open(*circle.all)
    hostile.lie = refusing
    words = ("sync", "move", honest.address, "--invitation-file", "-")
    assert refused(desk, *words, text=honest.invite(), passphrase=PASSPHRASE)[1] == "earlier_place"
    # Nobody else knows of it. So the desk stays, also after a restart, and says how to go on.
    for _ in range(2):
        assert refused(desk, "sync", "now")[1] == "busy"
        sync(phone)
        assert place(desk) == place(phone) == hostile.address
        assert needs(desk) == ["busy", "vault_moved"] and needs(phone) == []
        assert f"ward sync move {honest.address} --old-server-gone" in desk.run("sync", "status").stdout
        desk.stop()
        desk.ok("unlock", passphrase=PASSPHRASE)
    hostile.lie = None
    happens(lambda: place(desk) == honest.address, lambda: desk.run("sync", "status").stdout)
    sync(phone, tablet)
    assert place(phone) == place(tablet) == honest.address
    desk.ok("add", "New")
    all_have(["Before", "New"], *circle.all)


def test_a_server_that_throws_data_away_is_named_before_the_vault_moves_there(circle, honest):  # noqa: F811
    hostile, (desk, phone, tablet) = circle.hostile, circle.all
    circle.open(*circle.all)
    bring(honest, desk, phone, tablet)
    desk.ok("add", "New")
    sync(desk, phone, tablet)
    hostile.lie = emptying
    assert refused(desk, "sync", "move", hostile.address, passphrase=PASSPHRASE) == (7, "server_hides_entries")
    assert place(desk) == honest.address and needs(desk) == []
    all_have(["Before", "New"], *circle.all)
    hostile.lie = None
    desk.ok("sync", "move", hostile.address, passphrase=PASSPHRASE)
    assert place(desk) == hostile.address
    all_have(["Before", "New"], *circle.all)


def test_a_server_that_takes_nothing_is_named_when_the_vault_moved_there(circle, honest, tmp_path):  # noqa: F811
    hostile, (desk, phone, tablet) = circle.hostile, circle.all
    notices = Notices(tmp_path)
    desk.settings.update(notices.settings)
    circle.open(*circle.all)
    bring(honest, desk, phone, tablet)
    desk.ok("add", "New")
    sync(desk, phone, tablet)
    hostile.lie = swallowing("/entries")
    assert refused(desk, "sync", "move", hostile.address, passphrase=PASSPHRASE) == (7, "server_hides_entries")
    sync(desk, phone)
    assert place(desk) == place(phone) == honest.address and needs(desk) == needs(phone) == []
    # It begins to lie when the vault is there.
    hostile.lie = None
    desk.ok("sync", "move", hostile.address, passphrase=PASSPHRASE)
    sync(phone, tablet)
    hostile.lie = swallowing("/entries")
    for device, name in ((desk, "Desk"), (phone, "Phone")):
        device.ok("add", name)
    sync(desk)
    sync(desk)
    assert "The sync server had lost changes" in notices.text()
    # The way back: each device says where it syncs.
    for device in circle.all:
        go(device, honest.address)
    all_have(["Before", "New", "Desk", "Phone"], *circle.all)
