"""The vault locks with the session, the screen and the machine."""

import os
import subprocess
import time
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
        self.process.wait(timeout=10)


# Has two sessions, one of this user and one of another; "SESSION lock" sends the signal, "SESSION hint" is a locked screen.
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


def test_a_locked_session_finds_the_vault_locked(manager):
    if subprocess.run(["/usr/bin/python3", "-c", "import dbus, gi"], capture_output=True, check=False).returncode != 0:
        pytest.skip("needs python3-dbus and python3-gi")
    bus = Bus(manager.folder)
    manager.settings["DBUS_SYSTEM_BUS_ADDRESS"] = bus.address
    environment = {**os.environ, "DBUS_SYSTEM_BUS_ADDRESS": bus.address}
    logind = subprocess.Popen(
        ["/usr/bin/python3", "-c", LOGIND], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
    )
    assert logind.stdin is not None and logind.stdout is not None

    def say(line: str) -> None:
        logind.stdin.write(line + "\n")
        logind.stdin.flush()

    try:
        assert logind.stdout.readline() == "ready\n"
        manager.init()
        locks(manager, lambda: say("own lock"))
        manager.ok("unlock", passphrase=PASSPHRASE)
        # What comes of another user's session, and of a screen that is unlocked, is heard in the same order.
        for line in ("other lock", "other hint true", "own hint false"):
            say(line)
        bus.prepare_for_sleep(False)
        time.sleep(0.5)
        assert manager.status()["isLocked"] is False
        locks(manager, lambda: say("own hint true"))
    finally:
        logind.stdin.close()
        logind.wait(timeout=10)
        bus.close()


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
