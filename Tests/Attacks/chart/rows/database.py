"""A stolen database: the attacker has a copy of the service's database, and looks for what opens an account."""

from __future__ import annotations

import base64
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import argon2
from authenticator import ES256
from fido2 import cbor, cose
from wardserver import Server

from ..judge import Outcome, Trial
from ..kit import Kit, SoftwareKey, poor_random_numbers, weak_key
from ..leaks import REUSED, stolen_list
from ..methods import MEMORISED, AnyPasskey, Federated, Managed, Method, Owner
from ..methods.codes import App
from ..methods.passkeys import forged
from ..stage import Stage
from .base import Part, Row


@dataclass
class StolenPasskey:
    id: bytes
    rp_id: str
    public_key: bytes


class StolenDatabase:
    """What a thief reads, with nothing but the file."""

    def __init__(self, service: Server, folder: Path) -> None:
        self.file = folder / "stolen.sqlite"
        with closing(sqlite3.connect(service.database, timeout=30)) as original, closing(sqlite3.connect(self.file)) as copy:
            original.backup(copy)
        self._database = sqlite3.connect(self.file)

    def close(self) -> None:
        self._database.close()

    def account(self, name: str) -> bytes:
        [(id,)] = self._database.execute("SELECT id FROM account WHERE username = ?", (name,)).fetchall()
        return id

    def password_hash(self, account: bytes) -> str | None:
        row = self._database.execute("SELECT hash FROM password WHERE account_id = ?", (account,)).fetchone()
        return row and row[0]

    def passkeys(self, account: bytes) -> list[StolenPasskey]:
        rows = self._database.execute("SELECT credential_id, rp_id, public_key FROM passkey WHERE account_id = ?", (account,))
        return [StolenPasskey(*row) for row in rows]

    def app(self, account: bytes) -> App | None:
        """The authenticator app of the account, made from its secret."""
        rows = self._database.execute(
            "SELECT payload, counter FROM factor WHERE account_id = ? AND kind = 'authenticator_app'", (account,)
        ).fetchall()
        return App(*rows[0]) if rows else None

    def pieces(self, account: bytes) -> Iterator[str]:
        """Every value in rows of this account and of nobody, as a client would send it."""
        tables = [name for (name,) in self._database.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
        seen: set[str] = set()
        for table in tables:
            columns = [row[1] for row in self._database.execute(f'PRAGMA table_info("{table}")')]
            rows = (
                self._database.execute(f'SELECT * FROM "{table}" WHERE account_id = ?', (account,))
                if "account_id" in columns
                else self._database.execute(f'SELECT * FROM "{table}"')
            )
            for value in (value for row in rows for value in row):
                if isinstance(value, bytes) and 16 <= len(value) <= 96:
                    piece = base64.urlsafe_b64encode(value).rstrip(b"=").decode()
                elif isinstance(value, str) and 16 <= len(value) <= 96 and value.isascii() and value.isprintable():
                    piece = value
                else:
                    continue
                if piece not in seen:
                    seen.add(piece)
                    yield piece


def fits(hash: str, password: str) -> bool:
    try:
        return argon2.PasswordHasher().verify(hash, password)
    except argon2.exceptions.VerifyMismatchError:
        return False


def public_key(guess: int) -> bytes:
    """The public key of a key that was guessed, as a service stores it."""
    return cbor.encode(cose.CoseKey.for_alg(ES256).from_cryptography_key(weak_key(guess).public_key()))


class DatabaseTheft(Row):
    key = "database"
    title = "Stolen database"
    part = Part.ATTACKS
    control_method = MEMORISED.key

    def steal(self, stage: Stage, owner: Owner, changed: str = "", service: Server | None = None) -> Outcome:
        """The service whose database it is, is the owner's, or the provider."""
        trial = Trial(self.key, owner, changed)
        database = StolenDatabase(service or owner.service, stage.folder("theft"))
        account = database.account(owner.name)
        compared = 0
        kit = Kit()
        if hash := database.password_hash(account):
            trial.take("hash of the password")
            begun = time.monotonic()
            for password in stolen_list(stage.effort.cracked):
                compared += 1
                if fits(hash, password):
                    trial.take("password")
                    kit.password = password
                    break
            trial.figures["hashes a second"] = round(compared / (time.monotonic() - begun))
        if app := database.app(account):
            trial.take("secret of the authenticator app")
            kit.code = app.code
        for passkey in database.passkeys(account):
            trial.take("public key of a passkey")
            for guess in range(stage.effort.guesses):
                compared += 1
                if public_key(guess) == passkey.public_key:
                    trial.take("key of the passkey")
                    kit.device = forged(passkey.rp_id, [passkey.id], guess)
        trial.enter(Kit(at_provider=kit) if service else kit)
        # Some of what is there may open the account as it is: as a cookie, or as a password.
        for piece in islice(database.pieces(account), stage.effort.pieces):
            trial.present({cookie: piece for cookie in owner.caller.session})
        database.close()
        trial.figures["compared"] = compared
        return trial.attack()

    def cell(self, stage: Stage, method: Method) -> Outcome:
        return self.steal(stage, stage.owner(method))

    def undefended(self, stage: Stage, method: Method) -> Outcome | None:
        if isinstance(method, Managed):
            owner = method.enrol(stage, stage.service, stage.name(), REUSED)
            return self.steal(stage, owner, "the person chose the password, not the manager")
        if isinstance(method, AnyPasskey):
            with poor_random_numbers(stage.effort.guesses - 1):
                owner = method.enrol(stage, stage.service, stage.name(), SoftwareKey.new())
            return self.steal(stage, owner, "the device drew its key from a few")
        if isinstance(method, Federated):
            return self.steal(stage, stage.owner(method), "it was the provider's database", stage.provider)
        return None
