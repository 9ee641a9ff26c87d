"""Clocks: devices that were apart for a month, a server that has the wrong day, and the hour that summer time takes and gives."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from circledevices import add, bring, equal, happens, homes, machine, needs, statuses, sync  # noqa: F401
from manager import PASSPHRASE, Manager
from movedclock import Clock
from syncserver import SyncServer
from test_manager_meeting import Adding, join
from test_manager_sync import titles


@pytest.fixture
def clock(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Clock]:
    """Makes clocks."""
    return lambda name: Clock(tmp_path / f"{name}.clock", tmp_path_factory.getbasetemp())


@pytest.fixture
def hours(clock) -> Clock:
    """The clock of the server."""
    return clock("server")


@pytest.fixture
def server(tmp_path: Path, hours: Clock) -> Iterator[SyncServer]:
    place = tmp_path / "server"
    place.mkdir(mode=0o700)
    one = SyncServer(place)
    one.wrapper = hours.wrapper
    one.start()
    yield one
    one.stop()


def last_times(device: Manager, item: str) -> list[int]:
    """The times of the revisions of an item, the newest one first."""
    return [one["time"] for one in device.json("history", item)["revisions"]]


# After 75 days the desk has deleted the data of what it removed, too.
@pytest.mark.parametrize("days", [36, 75] if os.environ.get("WARD_THOROUGH") else [75])
def test_two_devices_that_were_apart_for_a_month_lose_nothing(machine, server, hours, clock, days):  # noqa: F811
    clocks = [clock("desk"), clock("phone"), hours]
    desk, phone = (machine(name, **one.settings) for name, one in zip(("desk", "phone"), clocks))
    bring(server, desk, phone)
    for title in ("Edited in the trash", "Removed", "Changed by both"):
        desk.ok("add", title, "--username", "ada", secrets={"--password-fd": "first"})
    sync(desk, phone)
    server.stop()
    desk.ok("remove", "Edited in the trash")
    desk.ok("remove", "Removed")
    # The trash empties itself after thirty days on which the device was used.
    for day in range(3, days + 1, 3):
        for one in clocks:
            one.move(3)
        add(desk, f"desk {day}")
        add(phone, f"phone {day}")
        if day == 12:
            phone.ok("edit", "Edited in the trash", "--username", "bob", secrets={"--password-fd": "of the phone"})
        if day == 15:
            desk.ok("edit", "Changed by both", "--title", "Changed by both of them", "--username", "of the desk")
            phone.ok("edit", "Changed by both", "--notes", "-", "--username", "of the phone", text="of the phone")
        if day in (33, days):
            # It looks when it starts, and once an hour.
            desk.stop()
            desk.ok("unlock", passphrase=PASSPHRASE)
            happens(lambda: desk.json("trash", "list") == [], lambda: desk.json("trash", "list"))
    assert abs(last_times(desk, f"desk {days}")[0] - clocks[0].now()) < 600
    assert not {"Edited in the trash", "Removed"} & set(titles(desk)) and "Edited in the trash" in titles(phone)
    # They meet again, in whatever order.
    server.start()
    sync(*((desk, phone) if days == 36 else (phone, desk)), desk, phone)
    written = [f"{name} {day}" for name in ("desk", "phone") for day in range(3, days + 1, 3)]
    wanted = sorted(["Common", "Edited in the trash", "Changed by both of them", *written])
    for device in (desk, phone):
        assert titles(device) == wanted and device.json("trash", "list") == [] and needs(device) == []
        edited = device.json("show", "Edited in the trash", "--reveal")
        assert (edited["username"], edited["password"]["value"]) == ("bob", "of the phone")
        assert not any(one.get("clockAhead") for one in device.json("devices")["devices"])
        changed = device.json("show", "Changed by both", "--reveal")
        assert changed["notes"] == "of the phone"
        # One name is shown, and the other one is kept beside it.
        assert {"of the desk", "of the phone"} <= {changed["username"], *json.dumps(changed["conflicts"]).split('"')}
    equal(desk, phone)


def test_a_server_that_has_the_wrong_day_takes_and_brings_everything(machine, server, hours):  # noqa: F811
    desk, phone = machine("desk"), machine("phone")
    bring(server, desk, phone)
    wanted = ["Common"]

    def both_write(name: str) -> None:
        for device, title in ((desk, f"desk, {name}"), (phone, f"phone, {name}")):
            device.ok("add", title)
            wanted.append(title)
        sync(desk, phone, desk)
        assert titles(desk) == titles(phone) == sorted(wanted) and needs(desk) == needs(phone) == []

    # It jumps while it runs and sessions are open, and it starts on a wrong day.
    hours.move(1)
    both_write("tomorrow")
    hours.move(-2)
    both_write("yesterday")
    server.stop()
    server.start()
    # A new device comes on that day.
    tablet = Manager(desk.folder.with_name("new"))
    try:
        adding = Adding(desk)
        done = join(tablet, server, adding.code, "--name", "new")
        assert done.returncode == 0 and adding.end()[0] == 0, done
        tablet.ok("add", "Of the new one")
        wanted.append("Of the new one")
        sync(tablet)
        # Somebody sets it right.
        hours.move(1)
        both_write("right again")
        sync(tablet)
        assert statuses(tablet)["new"] == "member" and needs(tablet) == []
        equal(desk, phone, tablet)
    finally:
        tablet.stop()


# Where an hour is missing, and where one comes twice: the clocks pass each of them within the test, the clock of UTC never jumps.
JUMPS = {"less": datetime(2027, 3, 28, 0, 40, tzinfo=UTC), "more": datetime(2027, 10, 31, 0, 40, tzinfo=UTC)}


def test_the_later_change_wins_although_summer_time_begins_and_ends(machine, server, hours, clock):  # noqa: F811
    clocks, zones = [clock("desk"), clock("phone"), hours], ("Europe/Berlin", "America/New_York")
    desk, phone = (machine(name, TZ=zone, **one.settings) for name, zone, one in zip(("desk", "phone"), zones, clocks))
    bring(server, desk, phone)
    for name, moment in JUMPS.items():
        for one in clocks:
            one.set(moment)
        sync(desk, phone)
        server.stop()
        # By the clock on the wall, an hour more makes the second change as early as the first one.
        desk.ok("edit", "Common", "--username", f"before an hour {name}")
        for one in clocks:
            one.move(0.9 / 24)
        phone.ok("edit", "Common", "--username", f"after an hour {name}")
        server.start()
        sync(desk, phone, desk)
        for device in (desk, phone):
            common = device.json("show", "Common")
            assert common["username"] == f"after an hour {name}" and f"before an hour {name}" in json.dumps(common["conflicts"]), common
            assert needs(device) == [] and not any(one.get("clockAhead") for one in device.json("devices")["devices"])
            times = last_times(device, "Common")
            assert times == sorted(times, reverse=True) and abs(times[0] - clocks[0].now()) < 600
    equal(desk, phone)
