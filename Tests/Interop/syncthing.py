"""Syncthing from Debian: one instance a machine, which keep a folder of each equal and talk to nobody else."""

from __future__ import annotations

import json
import os
import subprocess
import time
import urllib.request
from pathlib import Path

from wardserver import free_port

# Watches the folder, and announces nothing outside this machine. What is absent here has Syncthing's usual value.
CONFIGURATION = """<configuration version="36">
    <folder id="ward" path="{folder}" type="sendreceive" rescanIntervalS="60" fsWatcherEnabled="true" fsWatcherDelayS="1">
{devices}
        <versioning type="trashcan"></versioning>
    </folder>
{addresses}
    <gui enabled="true" tls="false"><address>127.0.0.1:{gui}</address><apikey>{key}</apikey></gui>
    <options>
        <listenAddress>tcp://127.0.0.1:{port}</listenAddress>
        <globalAnnounceEnabled>false</globalAnnounceEnabled>
        <localAnnounceEnabled>false</localAnnounceEnabled>
        <relaysEnabled>false</relaysEnabled>
        <natEnabled>false</natEnabled>
        <startBrowser>false</startBrowser>
        <reconnectionIntervalS>1</reconnectionIntervalS>
        <urAccepted>-1</urAccepted>
        <autoUpgradeIntervalH>0</autoUpgradeIntervalH>
        <crashReportingEnabled>false</crashReportingEnabled>
        <stunServer></stunServer>
    </options>
</configuration>
"""
KEY = "only-on-this-machine"


class Syncthing:
    """One instance, with a folder that it shares with its peers."""

    def __init__(self, place: Path) -> None:
        self.home, self.folder = place / "syncthing", place / "Sync"
        self.folder.mkdir(parents=True)
        self.port, self.gui = free_port(), free_port()
        self.process: subprocess.Popen[bytes] | None = None
        self.call("generate", "--no-default-folder")
        self.device = self.call("serve", "--device-id").strip()

    def call(self, *words: str) -> str:
        command = ["syncthing", *words, f"--home={self.home}"]
        return subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout

    def know(self, instances: list[Syncthing]) -> None:
        """Shares the folder with these; this one is among them."""
        devices = "\n".join(f'        <device id="{one.device}"></device>' for one in instances)
        addresses = "\n".join(
            f'    <device id="{one.device}"><address>tcp://127.0.0.1:{one.port}</address></device>' for one in instances
        )
        text = CONFIGURATION.format(
            folder=self.folder, devices=devices, addresses=addresses, gui=self.gui, key=KEY, port=self.port
        )
        (self.home / "config.xml").write_text(text)

    def start(self) -> None:
        command = ["syncthing", "serve", f"--home={self.home}", "--no-browser", "--no-restart", "--no-upgrade"]
        with (self.home / "log").open("ab") as log:
            # Otherwise it starts a second process, which does the work and outlives a kill of the first.
            environment = {**os.environ, "STMONITORED": "yes"}
            self.process = subprocess.Popen(command, stdout=log, stderr=log, env=environment)
        deadline = time.monotonic() + 60
        while True:
            try:
                return self.ask("system/ping") and None
            except OSError:
                assert time.monotonic() < deadline, (self.home / "log").read_text()
            time.sleep(0.05)

    def ask(self, path: str) -> dict:
        request = urllib.request.Request(f"http://127.0.0.1:{self.gui}/rest/{path}", headers={"X-API-Key": KEY})
        with urllib.request.urlopen(request, timeout=10) as answer:
            return json.load(answer)

    def kill(self) -> None:
        """Ends it as a power cut does."""
        if self.process is not None:
            self.process.kill()
            self.process.wait(timeout=30)
            self.process = None
