"""A sync server that lies to real devices: which lie is found out, what a person is told, and that nothing is lost."""

from __future__ import annotations

import json

import pytest
from hostilecircle import DAMAGED, NAMES, REFUSED, REVISION, UNAVAILABLE, circle, goes_on, needs, refusal, sync, words  # noqa: F401
from hostileserver import Answer, Honestly, Request, hashes, payload, showing, snapshot
from manager import PASSPHRASE
from syncserver import SyncServer
from test_manager_meeting import Adding
from test_manager_sync import titles

REMOVAL = 9


def test_two_histories_are_found_out_when_changes_cross(circle, tmp_path):  # noqa: F811
    hostile = circle.hostile
    desk, *others = circle.open(*circle.all)
    head = len(hostile.records(hostile.honest, desk))
    other = hostile.fork()
    hostile.worlds = dict.fromkeys(others, other)
    hostile.cut()
    wanted = ["Before"]
    for number in range(3):
        for name, device in zip(NAMES, circle.all, strict=True):
            wanted.append(f"{name} {number}")
            device.ok("add", wanted[-1])
        sync(*circle.all)
    sync(circle.phone)

    # Nobody can tell that from silence. The words to compare show it.
    assert [needs(device) for device in circle.all] == [[], [], []]
    assert titles(circle.desk) == ["Before", "desk 0", "desk 1", "desk 2"]
    assert words(circle.phone) == words(circle.tablet) != words(circle.desk)

    # Each group is shown what the other one wrote.
    ours, theirs = (hostile.records(server, desk, head) for server in (hostile.honest, other))
    assert (hostile.bring(other, desk, ours), hostile.bring(hostile.honest, desk, theirs)) == (200, 200)
    sync(*circle.all)
    for device in circle.all:
        assert needs(device) == ["server_two_orders"]
        assert "Needs you The sync server showed your devices two different orders" in device.run("sync", "status").stdout
        assert titles(device) == sorted(wanted)
    assert words(circle.desk) == words(circle.phone) == words(circle.tablet)
    goes_on(circle.phone)

    # The way out is another server.
    hostile.be_honest()
    place = tmp_path / "new"
    place.mkdir(mode=0o700)
    with SyncServer(place) as new:
        circle.desk.ok("sync", "move", new.address, "--invitation-file", "-", text=new.invite(), passphrase=PASSPHRASE)
        sync(circle.phone, circle.tablet, circle.phone, *circle.all)
        for device in circle.all:
            assert needs(device) == [] and titles(device) == sorted([*wanted, "Local"])
            assert device.json("sync", "status")["server"] == new.address


def test_a_server_that_goes_back_gets_everything_again_each_time(circle, tmp_path):  # noqa: F811
    hostile, desk, phone = circle.hostile, circle.desk, circle.phone
    circle.open(desk, phone)
    wanted, copies = ["Before"], []
    for number in range(3):
        copies.append(snapshot(hostile.honest, tmp_path / f"copy-{number}"))
        for name, device in (("desk", desk), ("phone", phone)):
            wanted.append(f"{name} {number}")
            device.ok("add", wanted[-1])
            sync(device)
    sync(desk)
    everything = hashes(hostile.honest)
    for number, copy in enumerate((copies[1], copies[0], copies[2])):
        with hostile.going_back(copy):
            wanted.append(f"later {number}")
            phone.ok("add", wanted[-1])
        sync(phone, desk, phone)
        assert titles(desk) == titles(phone) == sorted(wanted)
        assert words(desk) == words(phone) and (needs(desk), needs(phone)) == ([], [])
        assert hashes(hostile.honest) > everything
        everything = hashes(hostile.honest)
    for device in (desk, phone):
        device.ok("log", "verify")


def test_a_change_that_is_made_while_others_are_brought_back_is_brought_too(circle, tmp_path):  # noqa: F811
    hostile, desk, phone = circle.hostile, circle.desk, circle.phone
    circle.open(desk)
    copy = snapshot(hostile.honest, tmp_path / "copy")
    desk.ok("add", "Lost")
    sync(desk)

    def while_bringing(request: Request, honestly: Honestly) -> Answer:
        if request.method == "POST" and request.path.endswith("/entries"):
            hostile.lie = None
            desk.ok("add", "Meanwhile")
        return honestly(request)

    with hostile.going_back(copy):
        hostile.lie = while_bringing
    sync(desk, desk)
    circle.open(phone)
    assert titles(desk) == ["Before", "Lost", "Meanwhile"]
    assert titles(phone) == ["Before", "Lost", "Meanwhile"]


def test_a_new_device_does_not_begin_with_an_old_copy(circle):  # noqa: F811
    hostile, desk = circle.hostile, circle.desk
    circle.open(desk)
    old, token = hostile.fork(), next(iter(hostile.tokens))
    desk.ok("add", "After the copy")
    sync(desk)

    def old_for_the_new(request: Request, honestly: Honestly) -> Answer:
        is_new = request.is_reading and request.device not in circle.ids.values()
        return hostile.forward(request.using(token), old) if is_new else honestly(request)

    new, join = circle.machine(), ("join", hostile.address, "--code-file", "-", "--name", "new", "--timeout", "6", "--json")
    hostile.lie = old_for_the_new
    adding = Adding(desk)
    done = new.run(*join, passphrase=PASSPHRASE, text=adding.code + "\n")
    assert adding.end()[0] == 0
    error = json.loads(done.stdout)["error"]
    assert (error["code"], done.returncode) == ("vault_incomplete", UNAVAILABLE)
    assert "something is not there yet, or the server shows an old copy. On the other device: ward sync now" in error["message"]
    assert not new.vault.exists()

    hostile.lie = None
    adding = Adding(desk)
    assert json.loads(new.ok(*join, passphrase=PASSPHRASE, text=adding.code + "\n"))["items"] == 2
    assert adding.end()[0] == 0
    assert titles(new) == titles(desk) == ["After the copy", "Before"]


def test_the_vault_of_another_person_is_not_taken(circle):  # noqa: F811
    hostile, desk, stranger = circle.hostile, circle.desk, circle.machine()
    circle.open(desk)
    stranger.init()
    for number in range(3):
        stranger.ok("add", f"Theirs {number}")
    on = ("sync", "on", hostile.address, "--new-recovery-key", "--invitation-file", "-")
    stranger.ok(*on, text=hostile.honest.invite(), passphrase=PASSPHRASE)
    ours, theirs = (one.json("sync", "status")["vaultID"] for one in (desk, stranger))
    [token] = [token for token, device in hostile.tokens.items() if device not in circle.ids.values()]

    def theirs_for_ours(request: Request, honestly: Honestly) -> Answer:
        if request.is_reading and ours in request.path:
            request = request.using(token)
            request.path = request.path.replace(ours, theirs)
        return honestly(request)

    def everything_of_theirs(request: Request, honestly: Honestly) -> Answer:
        request.path = request.path.replace(ours, theirs)
        return honestly(request)

    for lie, expected in (
        (theirs_for_ours, ("server_sends_wrong_data", DAMAGED)),
        (everything_of_theirs, ("session_refused", REFUSED)),
    ):
        hostile.lie = lie
        hostile.cut()
        assert refusal(desk) == expected
        assert titles(desk) == ["Before"]
    goes_on(desk)
    hostile.be_honest()
    circle.open(desk, circle.phone)
    assert needs(desk) == [] and titles(desk) == titles(circle.phone) == ["Before", "Local"]


def test_a_removal_that_is_hidden_and_a_removed_device_that_is_served(circle):  # noqa: F811
    hostile, desk, phone, tablet = circle.hostile, circle.desk, circle.phone, circle.tablet
    ids = circle.open(*circle.all)
    old = hostile.fork()
    hostile.worlds = dict.fromkeys(ids[1:], old)
    hostile.cut()
    desk.ok("devices", "remove", "phone", "--yes", passphrase=PASSPHRASE)
    desk.ok("add", "After the removal")
    sync(desk)
    phone.ok("add", "Too late")
    sync(phone, tablet)
    tablet.ok("add", "Of the tablet")
    sync(tablet, phone)
    # Nobody can tell that from silence.
    assert (needs(phone), needs(tablet)) == ([], [])
    assert titles(tablet) == titles(phone) == ["Before", "Of the tablet", "Too late"]
    phone.ok("lock")

    # The tablet is shown what the desk wrote after the removal, without the removal.
    seen, ours = hostile.records(old, ids[2]), hostile.records(hostile.honest, ids[0])
    later = [one for one in ours if one[1] not in {entry for _, entry, _ in seen}]
    assert [payload(one[1])[6] for one in later] == [REMOVAL, REVISION]
    hostile.lie = showing(ids[2], [*seen, later[1]])
    hostile.cut()
    assert refusal(tablet) == ("server_hides_entries", DAMAGED)
    goes_on(tablet)
    assert titles(tablet) == ["Before", "Local", "Of the tablet", "Too late"]

    # The desk is shown what the phone wrote after its removal.
    theirs = [one for one in seen if payload(one[1])[1].hex() == ids[1]]
    hostile.lie = showing(ids[0], [*ours, theirs[-1]])
    hostile.cut()
    sync(desk)
    assert titles(desk) == ["After the removal", "Before"] and needs(desk) == []

    # What the tablet wrote says that it was shown something else.
    hostile.be_honest()
    sync(tablet)
    desk.ok("add", "Later")
    sync(desk, tablet, desk)
    assert needs(desk) == ["server_two_orders"]
    assert titles(tablet) == titles(desk) == ["After the removal", "Before", "Later", "Local", "Of the tablet"]
    phone.ok("unlock", passphrase=PASSPHRASE)
    assert refusal(phone) == ("device_removed", REFUSED)
    assert titles(phone) == ["Before", "Of the tablet", "Too late"]
    for device in (desk, tablet):
        device.ok("log", "verify")
