"""`ward-server serve --sync` on this machine."""

from __future__ import annotations

import subprocess
from pathlib import Path

from wardserver import Server, environment, find_binary, free_port


class SyncServer(Server):
    """A service with a sync server on this machine."""

    def __init__(self, folder: Path, host: str | None = None, more: tuple[str, ...] = ()) -> None:
        """`host` is the server as devices reach it, if something is between; `more` are other settings."""
        self.sync_port = free_port()
        self.address = f"http://127.0.0.1:{self.sync_port}"
        here = f"127.0.0.1:{self.sync_port}"
        super().__init__(folder, arguments=("--sync", "--sync-listen", here, "--sync-host", host or here, *more))

    def invite(self) -> str:
        done = subprocess.run(
            [*self.wrapper, find_binary(), "sync", "invite", "--database", self.database],
            env=environment(),
            capture_output=True,
            text=True,
            check=True,
            timeout=60,
        )
        return done.stdout.strip()
