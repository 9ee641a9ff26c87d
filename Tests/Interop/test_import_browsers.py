"""The saved passwords of a real Firefox and a real Chromium, with and without a primary password and a keyring."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import sqlite3
import subprocess
import time
from pathlib import Path

import pytest
from firefox import running_firefox
from playwright.sync_api import sync_playwright

LOGINS = [
    ("https://one.example", "ada", 'p"w 1, ü'),
    ("https://two.example:8443", "bob@two.example", "second"),
    ("https://three.example", "", "no name"),
]

ADD = """
const [logins, primary, done] = arguments;
(async () => {
  if (primary) {
    const token = Cc["@mozilla.org/security/internalkeytoken;1"].getService(Ci.nsIPKCS11Token);
    if (token.needsUserInit) token.initPassword(primary);
    else token.changePassword("", primary);
  }
  for (const [site, name, password] of logins) {
    const login = Cc["@mozilla.org/login-manager/loginInfo;1"].createInstance(Ci.nsILoginInfo);
    login.init(site, site, null, name, password, "", "");
    await Services.logins.addLoginAsync(login);
  }
  const all = await Services.logins.getAllLogins();
  done(all.map(login => [login.origin, login.username, login.password]));
})().catch(error => done(String(error)));
"""


def firefox_profile(folder: Path, primary: str) -> list[list[str]]:
    """Makes a profile, and tells what Firefox itself prints of it."""
    with running_firefox(folder, "-remote-allow-system-access") as firefox:
        firefox.call("Marionette:SetContext", value="chrome")
        found = firefox.call("WebDriver:ExecuteAsyncScript", script=ADD, args=[LOGINS, primary])
        assert isinstance(found, list), found
        # Firefox writes the file some time after the last change.
        end = time.monotonic() + 60
        while not (folder / "logins.json").exists() or len(json.loads((folder / "logins.json").read_bytes())["logins"]) < len(LOGINS):
            assert time.monotonic() < end, "Firefox wrote no logins"
            time.sleep(0.1)
    return found


def arrived(vault) -> list[tuple[str, str, str]]:
    full = [vault.json("show", item["id"], "--reveal") for item in vault.json("list")]
    return sorted((item["sites"][0]["address"], item["username"], item["password"]["value"]) for item in full)


def folder_of(vault) -> Path:
    """Where the browsers keep their profiles."""
    path = vault.home / ".mozilla/firefox"
    path.mkdir(parents=True, exist_ok=True)
    return path


@pytest.mark.parametrize("primary", ["", "prïmary"])
def test_firefox(vault, primary):
    printed = firefox_profile(folder_of(vault) / "abc.default", primary)
    words = ["import", "--from-browser", "firefox", "--apply"]
    secrets = {"--file-passphrase-fd": primary} if primary else None
    if primary:
        done = vault.run(*words)
        assert done.returncode == 6 and "primary password" in done.stderr, done
        wrong = vault.run(*words, secrets={"--file-passphrase-fd": "wrong"})
        assert wrong.returncode == 6 and vault.json("list") == []
    report = vault.json(*words, secrets=secrets)
    assert report["counts"]["added"] == len(LOGINS) and report["format"] == "firefox", report
    assert arrived(vault) == sorted(tuple(login) for login in printed)


def chromium_profile(folder: Path, store: str, environment: dict[str, str], prefix: tuple[str, ...] = ()) -> None:
    with sync_playwright() as playwright:
        context = playwright.chromium.launch_persistent_context(
            str(folder),
            executable_path=shutil.which("chromium"),
            headless=True,
            args=[f"--password-store={store}", "--no-sandbox"],
            ignore_default_args=["--password-store=basic"],
            env=environment,
        )
        with contextlib.closing(context):
            page = context.new_page()
            page.goto("chrome://password-manager/passwords")
            for site, name, password in LOGINS[:2]:
                page.evaluate(
                    """([url, username, password]) => new Promise((done, failed) => chrome.passwordsPrivate.addPassword(
                        {url, username, password, note: "a note", useAccountStore: false}, () => done()))""",
                    [site + "/", name, password],
                )
            page.wait_for_timeout(1000)


def test_chromium_without_a_keyring(vault):
    folder = vault.home / "config/chromium"
    chromium_profile(folder, "basic", {**os.environ, "HOME": str(vault.home)})
    report = vault.json("import", "--from-browser", "chromium", "--apply")
    assert report["counts"]["added"] == 2, report
    assert [(name, password) for _, name, password in arrived(vault)] == [(name, pw) for _, name, pw in LOGINS[:2]]
    again = vault.json("import", "--from-browser", "chromium", "--profile", "Default", "--apply")
    assert again["counts"]["unchanged"] == 2
    missing = vault.run("import", "--from-browser", "chromium", "--profile", "Nobody")
    assert missing.returncode == 4 and "Default" in missing.stderr
    # A profile of the Flatpak with the same name: the paths tell them apart.
    flatpak = vault.home / ".var/app/org.chromium.Chromium/config/chromium/Default"
    shutil.copytree(folder / "Default", flatpak, symlinks=True)
    several = vault.run("import", "--from-browser", "chromium", "--profile", "Default")
    assert several.returncode != 0 and f"{folder}/Default, {flatpak}" in several.stderr, several
    chosen = vault.json("import", "--from-browser", "chromium", "--profile", str(flatpak))
    assert chosen["counts"]["unchanged"] == 2


# A bus that starts nothing by itself. One that does starts a second keyring, locked, if it is asked before the first one is there.
BUS = """<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>session</type>
  <listen>unix:tmpdir=/tmp</listen>
  <auth>EXTERNAL</auth>
  <policy context="default">
    <allow send_destination="*" eavesdrop="true"/>
    <allow eavesdrop="true"/>
    <allow own="*"/>
  </policy>
</busconfig>
"""


@pytest.fixture
def keyring(vault, monkeypatch):
    """A session bus with the keyring of GNOME, unlocked."""
    environment = {**vault.environment, "WARD_PINENTRY": ""}
    configuration = vault.home / "bus.conf"
    configuration.write_text(BUS)
    bus = subprocess.Popen(
        ["dbus-daemon", f"--config-file={configuration}", "--print-address", "--nofork"], stdout=subprocess.PIPE, env=environment
    )
    address = bus.stdout.readline().decode().strip()
    monkeypatch.setitem(vault.settings, "DBUS_SESSION_BUS_ADDRESS", address)
    environment["DBUS_SESSION_BUS_ADDRESS"] = address
    daemon = subprocess.Popen(
        ["gnome-keyring-daemon", "--foreground", "--unlock", "--components=secrets"], stdin=subprocess.PIPE, env=environment
    )
    daemon.stdin.write(b"keyring")
    daemon.stdin.close()
    words = ["secret-tool", "store", "--label=ready", "ready", "yes"]
    for _ in range(300):
        if subprocess.run(words, input=b"1", env=environment, capture_output=True).returncode == 0:
            break
        assert daemon.poll() is None, "the keyring ended"
        time.sleep(0.2)
    else:
        raise AssertionError("the keyring does not answer")
    yield environment
    for process in (daemon, bus):
        process.kill()
        process.wait()


def test_chromium_with_the_keyring_of_gnome(vault, keyring):
    chromium_profile(vault.home / "config/chromium", "gnome-libsecret", keyring)
    database = sqlite3.connect(f"file:{vault.home}/config/chromium/Default/Login Data?mode=ro", uri=True)
    assert {row[0][:3] for row in database.execute("SELECT password_value FROM logins")} == {b"v11"}
    database.close()
    report = vault.json("import", "--from-browser", "chromium", "--apply")
    assert report["counts"]["added"] == 2, report
    assert [(name, password) for _, name, password in arrived(vault)] == [(name, pw) for _, name, pw in LOGINS[:2]]


def test_chromium_whose_keyring_does_not_answer(vault, keyring, monkeypatch):
    chromium_profile(vault.home / "config/chromium", "gnome-libsecret", keyring)
    monkeypatch.setitem(vault.settings, "DBUS_SESSION_BUS_ADDRESS", "unix:path=/nonexistent")
    report = vault.json("import", "--from-browser", "chromium")
    assert report["counts"]["items"] == 0 and len(report["notices"]) == 2, report
    assert all("keyring" in notice["text"] for notice in report["notices"])
