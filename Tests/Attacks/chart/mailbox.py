"""The owner's mailbox: what the service sent there."""

from __future__ import annotations

import email
import email.policy
import re
import sqlite3
import time
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from wardserver import run_command

if TYPE_CHECKING:
    from .methods.base import Owner


class Mailbox:
    """An address that an operator gave to the account, and the messages that come there."""

    def __init__(self, owner: Owner) -> None:
        self.database = owner.service.database
        self.folder = owner.service.folder / "mail"
        self.address = f"{owner.name}@mail.example"
        run_command(owner.service, "accounts", "email", owner.name, self.address)
        self._seen: set[Path] = set()

    def letters(self) -> list[str]:
        """The texts of new messages, after a wait until the service has sent what it wants to send."""
        end = time.monotonic() + 60
        while self._waiting() > 0 and time.monotonic() < end:
            time.sleep(0.05)
        new = set(self.folder.glob("*.eml")) - self._seen
        self._seen |= new
        messages = [email.message_from_bytes(file.read_bytes(), policy=email.policy.default) for file in new]
        return [message.get_content() for message in messages if self.address in message["To"]]

    def _waiting(self) -> int:
        with closing(sqlite3.connect(self.database, timeout=30)) as database:
            return database.execute("SELECT count(*) FROM mail WHERE address = ?", (self.address,)).fetchone()[0]


def only_tells(letter: str) -> bool:
    """Whether a message says what happened, with a link for owners who did not do it, and has nothing that opens something."""
    return "#alarm=" in letter


def recovery_token(letters: list[str]) -> str:
    """The token of a link that adds a passkey, or nothing."""
    found = re.findall(r"#recovery=([A-Za-z0-9_-]{43})", "".join(letters))
    return found[-1] if found else ""
