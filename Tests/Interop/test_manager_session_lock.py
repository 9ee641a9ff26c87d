"""The vault locks with the session, the screen and the machine."""

import os
import select
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from manager import PASSPHRASE, Manager

class Bus:
    """A bus of the test's own in place of the system's."""

    CONFIGURATION = (
        '<busconfig><type>system</type><listen>unix:path={path}</listen><policy context="default">'
        '<allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/></policy></busconfig>'
    )

    def __init__(self, folder: Path) -> None:
        self.address = f"unix:path={folder}/bus"
        configuration = folder / "bus.conf"
        configuration.write_text(self.CONFIGURATION.format(path=folder / "bus"))
        self.process = subprocess.Popen(["dbus-daemon", f"--config-file={configuration}", "--nofork"])
        deadline = time.monotonic() + 10
        while not (folder / "bus").exists() and time.monotonic() < deadline:
            time.sleep(0.02)

    def signal(self, path: str, name: str, *arguments: str) -> None:
        subprocess.run(["dbus-send", f"--bus={self.address}", "--type=signal", path, name, *arguments], check=True)

    def prepare_for_sleep(self, is_starting: bool) -> None:
        flag = f"boolean:{str(is_starting).lower()}"
        self.signal("/org/freedesktop/login1", "org.freedesktop.login1.Manager.PrepareForSleep", flag)

    def close(self) -> None:
        self.process.terminate()
        self.process.wait(timeout=60)


# Has two sessions, one of this user and one of another; "SESSION lock" sends the signal, "SESSION hint" is a locked screen.
# It prints "delays" when a program asks it to wait before the machine sleeps, and "sleeps" when that program no longer does.
LOGIND = """
import os, sys
import dbus, dbus.service
from dbus.mainloop.glib import DBusGMainLoop
from gi.repository import GLib

SESSION, PROPERTIES = "org.freedesktop.login1.Session", "org.freedesktop.DBus.Properties"
DBusGMainLoop(set_as_default=True)
bus = dbus.SystemBus()
name = dbus.service.BusName("org.freedesktop.login1", bus)

class Session(dbus.service.Object):
    def __init__(self, path, user):
        super().__init__(bus, path)
        self.user, self.locked = user, False

    @dbus.service.method(PROPERTIES, in_signature="ss", out_signature="v")
    def Get(self, interface, name):
        user = dbus.Struct((dbus.UInt32(self.user), dbus.ObjectPath("/user")), signature="uo")
        return {"User": user, "LockedHint": dbus.Boolean(self.locked)}[name]

    @dbus.service.signal(SESSION)
    def Lock(self):
        pass

    @dbus.service.signal(PROPERTIES, signature="sa{sv}as")
    def PropertiesChanged(self, interface, changed, invalidated):
        pass

class Manager(dbus.service.Object):
    @dbus.service.method("org.freedesktop.login1.Manager", in_signature="ssss", out_signature="h")
    def Inhibit(self, what, who, why, mode):
        ours, theirs = os.pipe()

        def released(source, condition):
            os.close(ours)
            print("sleeps", flush=True)
            return False

        GLib.io_add_watch(ours, GLib.IO_HUP, released)
        print("delays", what, mode, flush=True)
        descriptor = dbus.types.UnixFd(theirs)
        os.close(theirs)
        return descriptor

manager = Manager(bus, "/org/freedesktop/login1")
sessions = {
    word: Session(f"/org/freedesktop/login1/session/{word}", user)
    for word, user in (("own", os.getuid()), ("other", os.getuid() + 1))
}

def said(source, condition):
    line = sys.stdin.readline().split()
    if not line:
        loop.quit()
        return False
    session = sessions[line[0]]
    if line[1] == "lock":
        session.Lock()
    else:
        session.locked = line[2] == "true"
        session.PropertiesChanged(SESSION, {"LockedHint": dbus.Boolean(session.locked)}, [])
    return True

loop = GLib.MainLoop()
GLib.io_add_watch(0, GLib.IO_IN | GLib.IO_HUP, said)
print("ready", flush=True)
loop.run()
"""


def locks(manager: Manager, happens) -> None:
    """Makes it happen until the vault is locked: the agent joins the bus in its own time."""
    deadline = time.monotonic() + 60
    while not manager.status()["isLocked"]:
        assert time.monotonic() < deadline
        happens()
        time.sleep(0.05)


class Logind:
    """The program above on a bus of its own."""

    def __init__(self, manager: Manager) -> None:
        if subprocess.run(["/usr/bin/python3", "-c", "import dbus, gi"], capture_output=True, check=False).returncode != 0:
            pytest.skip("needs python3-dbus and python3-gi")
        self.bus = Bus(manager.folder)
        manager.settings["DBUS_SYSTEM_BUS_ADDRESS"] = self.bus.address
        environment = {**os.environ, "DBUS_SYSTEM_BUS_ADDRESS": self.bus.address}
        self.process = subprocess.Popen(
            ["/usr/bin/python3", "-c", LOGIND], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
        )

    def say(self, line: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def hears(self) -> str:
        """The next line that it prints. It prints one at a time."""
        assert self.process.stdout is not None
        assert select.select([self.process.stdout], [], [], 60)[0], "nothing happened"
        return self.process.stdout.readline().strip()

    def close(self) -> None:
        self.process.communicate(timeout=60)
        self.bus.close()


@pytest.fixture
def logind(manager: Manager) -> Iterator[Logind]:
    logind = Logind(manager)
    assert logind.hears() == "ready"
    yield logind
    logind.close()


def test_a_locked_session_finds_the_vault_locked(manager, logind):
    manager.init()
    locks(manager, lambda: logind.say("own lock"))
    manager.ok("unlock", passphrase=PASSPHRASE)
    # What comes of another user's session, and of a screen that is unlocked, is heard in the same order.
    for line in ("other lock", "other hint true", "own hint false"):
        logind.say(line)
    logind.bus.prepare_for_sleep(False)
    time.sleep(0.5)
    assert manager.status()["isLocked"] is False
    locks(manager, lambda: logind.say("own hint true"))


def test_the_machine_waits_until_the_vault_is_locked(manager, logind):
    manager.init()
    assert logind.hears() == "delays sleep delay"
    for _ in range(2):
        assert manager.status()["isLocked"] is False
        logind.bus.prepare_for_sleep(True)
        assert logind.hears() == "sleeps"
        assert manager.status()["isLocked"] is True
        logind.bus.prepare_for_sleep(False)
        assert logind.hears() == "delays sleep delay"
        manager.ok("unlock", passphrase=PASSPHRASE)


@pytest.mark.parametrize("interface", ["org.freedesktop.ScreenSaver", "org.gnome.ScreenSaver"])
def test_a_locked_screen_finds_the_vault_locked(manager, interface):
    bus = Bus(manager.folder)
    try:
        manager.settings["DBUS_SESSION_BUS_ADDRESS"] = bus.address
        manager.init()
        for _ in range(3):
            bus.signal("/ScreenSaver", f"{interface}.ActiveChanged", "boolean:false")
        assert manager.status()["isLocked"] is False
        locks(manager, lambda: bus.signal("/ScreenSaver", f"{interface}.ActiveChanged", "boolean:true"))
    finally:
        bus.close()


def test_a_machine_that_is_about_to_sleep_finds_the_vault_locked(manager):
    bus = Bus(manager.folder)
    try:
        manager.settings["DBUS_SYSTEM_BUS_ADDRESS"] = bus.address
        for _ in range(2):
            if manager.vault.exists():
                manager.ok("unlock", passphrase=PASSPHRASE)
            else:
                manager.init()
            time.sleep(0.5)
            bus.prepare_for_sleep(False)
            time.sleep(0.3)
            assert manager.status()["isLocked"] is False
            locks(manager, lambda: bus.prepare_for_sleep(True))
    finally:
        bus.close()


def test_a_bus_that_is_gone_leaves_no_thread_that_asks_it_again_and_again(manager):
    bus = Bus(manager.folder)
    try:
        manager.settings["DBUS_SYSTEM_BUS_ADDRESS"] = bus.address
        manager.init()
        agent = manager.status()["pid"]
        # The agent listens.
        locks(manager, lambda: bus.prepare_for_sleep(True))
    finally:
        bus.close()

    def ticks() -> int:
        """The agent's processor time, 100 a second."""
        user, system = Path(f"/proc/{agent}/stat").read_text().rpartition(")")[2].split()[11:13]
        return int(user) + int(system)

    before = ticks()
    time.sleep(2)
    assert ticks() - before < 100
