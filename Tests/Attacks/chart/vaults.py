"""The person's credential manager: the real `ward` with a vault, and what others can do with a copy of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from authenticator import NotAllowed
from manager import PASSPHRASE, Manager


class Vault:
    """One computer with `ward` on it."""

    def __init__(self, folder: Path) -> None:
        self.manager = Manager(folder)
        self.recovery_key = ""

    def begin(self) -> Vault:
        self.recovery_key = self.manager.init()["recoveryKey"]
        return self

    def new_password(self, origin: str, name: str) -> str:
        """Lets the manager make a password for this account, and keeps it."""
        self.manager.ok("add", name, "--site", origin, "--username", name, "--generate")
        return self.manager.json("show", name, "--reveal")["password"]["value"]

    def password(self, name: str, passphrase: str | None = None) -> str | None:
        """The password, if the vault is open or opens with this passphrase."""
        done = self.manager.run("show", name, "--reveal", "--json", "--no-prompt", passphrase=passphrase)
        return json.loads(done.stdout)["password"]["value"] if done.returncode == 0 else None

    def lock(self) -> None:
        self.manager.ok("lock")

    def unlock(self) -> None:
        self.manager.ok("unlock", passphrase=PASSPHRASE)

    def backup(self) -> Path:
        place = self.manager.folder / "backup.db"
        self.manager.ok("backup", str(place))
        return place

    def restore(self, backup: Path, recovery_key: str) -> Vault:
        """Begins with a copy of a vault, with the key on paper."""
        secrets = {"--recovery-key-fd": recovery_key}
        self.manager.ok("restore", "--from", str(backup), "--json", passphrase=PASSPHRASE, secrets=secrets)
        return self

    def steal(self, home: Path) -> Vault:
        """Begins with all files of somebody's computer, without the passphrase."""
        self.manager.begin(home)
        return self

    def stop(self) -> None:
        self.manager.stop()


class VaultDevice:
    """A passkey in a vault."""

    def __init__(self, vault: Vault, passphrase: str | None = None, *, agrees: bool = False) -> None:
        self.vault = vault
        #: What is typed to open the vault, and to verify the person.
        self.passphrase = passphrase
        #: Whether somebody agrees to a prompt that asks for no passphrase.
        self.agrees = agrees

    def make(self, origin: str, options: dict[str, Any]) -> dict[str, Any]:
        return self._ask("create", origin, options)

    def use(self, origin: str, options: dict[str, Any]) -> dict[str, Any]:
        return self._ask("get", origin, options)

    def _ask(self, call: str, origin: str, options: dict[str, Any]) -> dict[str, Any]:
        manager = self.vault.manager
        if self.agrees:
            manager.answers("ok")
        done = manager.run("passkey", call, "--origin", origin, text=json.dumps(options), passphrase=self.passphrase)
        if done.returncode != 0:
            raise NotAllowed(done.stderr)
        return json.loads(done.stdout)
