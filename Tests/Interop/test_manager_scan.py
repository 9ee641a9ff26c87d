"""`ward scan`: an otpauth link or a QR code goes to the item of its account, after one question."""

from __future__ import annotations

import configparser
import os
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import pyotp
import pytest
from manager import Manager, Pty
from portals import Bus
from wardserver import ROOT, find_binary

SECRET = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"
LINK = f"otpauth://totp/GitHub:ada?secret={SECRET}&issuer=GitHub"


@pytest.fixture
def vault(tmp_path):
    with_items = Manager(tmp_path)
    with_items.init()
    with_items.ok("add", "Code host", "--site", "https://github.com", "--username", "ada", "--generate")
    with_items.ok("add", "Other", "--site", "https://other.example", "--username", "ada", "--generate")
    yield with_items
    with_items.stop()


def codes(vault: Manager, title: str) -> list[str]:
    return [code["link"] for code in vault.json("show", title, "--reveal").get("codes", [])]


def test_a_link_goes_to_the_item_of_its_site_and_shows_the_first_code(vault):
    command = Pty(vault, "scan", "--wait", "--", LINK)
    try:
        shown = command.wait_for(b"[y/N]")
        assert b"Add the code of GitHub (ada) to Code host (ada) [" in shown
        # Other programs of this machine see the command line of a process.
        seen = Path(f"/proc/{command.pid}/cmdline").read_bytes()
        assert b"scan" in seen and SECRET.encode() not in seen and b"otpauth" not in seen
        command.type("y\n")
        shown = command.wait_for(b"Press Enter to close.")
        theirs = pyotp.TOTP(SECRET)
        digits = shown.replace(b" ", b"").decode(errors="replace")
        assert any(theirs.at(int(time.time()) - back) in digits for back in (0, 30, 60))
        command.type("\n")
        assert command.end() == 0
    finally:
        command.close()
    assert len(codes(vault, "Code host")) == 1 and codes(vault, "Other") == []
    # The same link again adds nothing.
    vault.ok("scan", "-", "--yes", text=LINK)
    assert len(codes(vault, "Code host")) == 1


def test_a_no_changes_nothing_and_the_window_says_so(vault):
    command = Pty(vault, "scan", "--wait", "--", LINK)
    try:
        command.wait_for(b"[y/N]")
        command.type("\n")
        assert b"Nothing was changed" in command.wait_for(b"Press Enter to close.")
        command.type("\n")
        assert command.end() == 5
    finally:
        command.close()
    assert codes(vault, "Code host") == []
    refused = vault.run("scan", "-", text=LINK)
    assert refused.returncode == 2 and "--yes" in refused.stderr and SECRET not in refused.stderr + refused.stdout


def test_a_stranger_s_issuer_chooses_only_what_is_asked(vault):
    # No item fits: it becomes a new one.
    vault.ok("scan", "-", "--yes", text=f"otpauth://totp/Bank:bob?secret={SECRET}&issuer=Bank")
    assert len(codes(vault, "Bank")) == 1 and vault.json("show", "Bank")["username"] == "bob"
    # Another user name at the same site is another account.
    vault.ok("scan", "-", "--yes", text=f"otpauth://totp/GitHub:eve?secret={SECRET}&issuer=GitHub")
    assert codes(vault, "Code host") == [] and len(codes(vault, "GitHub")) == 1
    # Control characters of the link do not reach the terminal.
    command = Pty(vault, "scan", "--", f"otpauth://totp/a?secret={SECRET}&issuer=%1B%5B2J%0AYes%E2%80%AE")
    try:
        shown = command.wait_for(b"[y/N]")
        assert b"\x1b[2J" not in shown and "\u202e".encode() not in shown
        command.type("n\n")
        assert command.end() == 5
    finally:
        command.close()


def test_several_items_are_listed_and_one_is_chosen(vault):
    vault.ok("add", "GitHub", "--username", "", "--site", "https://gist.github.com", "--apart")
    vault.ok("add", "Work", "--site", "https://github.com", "--username", "", "--apart")
    link = f"otpauth://totp/GitHub?secret={SECRET}&issuer=GitHub"
    refused = vault.run("scan", "-", "--yes", text=link)
    assert refused.returncode == 2 and "--item" in refused.stderr
    command = Pty(vault, "scan", "--", link)
    try:
        shown = command.wait_for(b"or n for a new one:").decode()
        line = next(line for line in shown.splitlines() if "Work [" in line)
        command.type(line.split()[0] + "\n")
        command.wait_for(b"Added the code to Work")
        assert command.end() == 0
    finally:
        command.close()
    assert len(codes(vault, "Work")) == 1 and codes(vault, "Code host") == []
    vault.ok("scan", "-", "--yes", "--item", "Other", text=link)
    vault.ok("scan", "-", "--yes", "--new", text=link)
    assert len(codes(vault, "Other")) == 1
    assert vault.run("scan", "-", "--yes", "--item", "nothing", text=link).returncode != 0


def test_a_picture_and_a_counter(vault, tmp_path):
    picture = tmp_path / "code.png"
    subprocess.run(["qrencode", "-o", str(picture), f"otpauth://hotp/Other:ada?secret={SECRET}&issuer=Other&counter=7"], check=True, timeout=60)
    shown = vault.ok("scan", str(picture), "--yes")
    assert "Added the code to Other" in shown
    # The counter is not used up by the set-up.
    assert "counter=7" in codes(vault, "Other")[0]
    added = vault.json("scan", str(picture), "--yes", "--new")
    assert [one["title"] for one in added] == ["Other"]
    for wrong in ("otpauth://totp/a?secret=1", "otpauth:", "otpauth-migration://offline?data=AAAA", "/nowhere"):
        failed = vault.run("scan", "--yes", "--", wrong)
        assert failed.returncode in (2, 4), (wrong, failed.stderr)


# What the desktop's portal does: it answers first with the place of the request, then with a signal there.
PORTAL = r"""
import shutil, sys
from jeepney import DBusAddress, HeaderFields, message_bus, new_method_return, new_signal
from jeepney.io.blocking import open_dbus_connection

address, uri, result, manner, picture = sys.argv[1:]
bus = open_dbus_connection(bus=address, auth_timeout=60)
bus.send_and_get_reply(message_bus.RequestName("org.freedesktop.portal.Desktop"), timeout=60)
print("ready", flush=True)
while True:
    call = bus.receive(timeout=300)
    fields = call.header.fields
    if fields.get(HeaderFields.member) != "Screenshot":
        continue
    options = call.body[1]
    assert options["interactive"] == ("b", True), options
    if picture:
        shutil.copyfile(picture, uri.removeprefix("file://").replace("%20", " "))
    sender = fields[HeaderFields.sender]
    token = options["handle_token"][1] if manner != "old" else "other"
    place = "/org/freedesktop/portal/desktop/request/" + sender[1:].replace(".", "_") + "/" + token
    answer = new_signal(
        DBusAddress(place, interface="org.freedesktop.portal.Request"), "Response", "ua{sv}",
        (int(result), {"uri": ("s", uri)} if uri else {}),
    )
    answer.header.fields[HeaderFields.destination] = sender
    # A fast portal's signal comes before the reply.
    if manner == "early":
        bus.send(answer)
    bus.send(new_method_return(call, "o", (place,)))
    if manner != "early":
        bus.send(answer)
"""


@contextmanager
def portal(bus: Bus, uri: str, result: int, manner: str, picture: str = ""):
    words = [sys.executable, "-c", PORTAL, bus.address, uri, str(result), manner, picture]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as program:
        try:
            assert program.stdout.readline() == "ready\n"
            yield
        finally:
            program.kill()


@pytest.mark.parametrize("manner", ["usual", "early", "old"])
def test_a_code_on_the_screen_is_read_from_the_portals_picture(vault, tmp_path, manner):
    source, shot = tmp_path / "source.png", tmp_path / "Screenshot from today.png"
    subprocess.run(["qrencode", "-o", str(source), LINK], check=True, timeout=60)
    vault.environment["DBUS_SESSION_BUS_ADDRESS"] = f"unix:path={vault.runtime / 'bus'}"
    bus = Bus(vault)
    try:
        with portal(bus, shot.as_uri(), 0, manner, str(source)):
            assert "Added the code to Code host" in vault.ok("scan", "--yes")
        assert not shot.exists() and len(codes(vault, "Code host")) == 1
        with portal(bus, "", 1, manner):
            refused = vault.run("scan", "--yes")
            assert refused.returncode == 5 and "ward scan picture.png" in refused.stderr
        for uri in ("https://example.com/a.png", "", "file:"):
            with portal(bus, uri, 0, manner):
                assert vault.run("scan", "--yes").returncode == 1
        # A file that was there before is not the desktop's picture, and stays.
        shot.write_bytes(source.read_bytes())
        os.utime(shot, (1, 1))
        with portal(bus, shot.as_uri(), 0, manner):
            assert "still there" in vault.run("scan", "--yes").stderr and shot.exists()
        without = vault.run("scan", "--yes")
        assert without.returncode not in (0, 1) and "No program of this desktop" in without.stderr
    finally:
        bus.close()


def test_the_desktop_opens_such_links_with_ward(tmp_path):
    entry = tmp_path / "applications" / "ward.desktop"
    entry.parent.mkdir()
    entry.write_text((ROOT / "packaging/desktop/ward.desktop").read_text().replace("@bin@", str(find_binary().parent)))
    checked = subprocess.run(["desktop-file-validate", str(entry)], capture_output=True, text=True, timeout=60)
    assert checked.returncode == 0 and not checked.stdout, checked.stdout
    read = configparser.ConfigParser(interpolation=None)
    read.optionxform = str
    read.read(entry, encoding="utf-8")
    assert read["Desktop Entry"]["Exec"] == f"{find_binary().parent}/ward scan --wait -- %u"
    subprocess.run(["update-desktop-database", str(entry.parent)], check=True, timeout=60)
    environment = {**os.environ, "XDG_DATA_HOME": str(tmp_path), "XDG_DATA_DIRS": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path)}
    for scheme in ("otpauth", "otpauth-migration"):
        found = subprocess.run(["gio", "mime", f"x-scheme-handler/{scheme}"], capture_output=True, text=True, env=environment, timeout=60)
        assert "ward.desktop" in found.stdout, found.stdout + found.stderr
