"""Calls of a stranger about a name that has an account, and about one that has none: the answers must look alike."""

from __future__ import annotations

import http.client
import itertools
import json
import sqlite3
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from passwordaccounts import create, sign_in
from wardserver import API, Server

#: How many names of each kind there are. The names of all kinds are equally long.
NAMES = 10
#: After so many pairs the counts of tries are deleted. Ten wrong passwords for a name are free, and three mailed links a day.
LIFT_AFTER = 25


@dataclass(frozen=True)
class Answer:
    """What a stranger sees of an answer."""

    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes
    #: From the first byte that is sent to the last one that came, in seconds.
    seconds: float

    @property
    def shape(self) -> Any:
        """Types and names of the JSON, without the values; the body itself if it is a refusal."""
        if self.status != 200:
            return self.body
        return shape(json.loads(self.body))


def shape(value: Any) -> Any:
    if isinstance(value, dict):
        # How many transports a credential has differs, also between real ones.
        return {name: shape(item) for name, item in sorted(value.items()) if name != "transports"}
    if isinstance(value, list):
        return [shape(item) for item in value[:1]]
    return type(value).__name__


class Caller:
    """One connection of a stranger, which stays open."""

    def __init__(self, server: Server):
        self._connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=120)
        self._headers = {"Origin": server.origin, "Content-Type": "application/json", "Host": f"localhost:{server.port}"}

    def post(self, path: str, body: dict[str, Any]) -> Answer:
        content = json.dumps(body).encode()
        began = time.perf_counter()
        self._connection.request("POST", f"{API}/{path}", content, self._headers)
        response = self._connection.getresponse()
        answer = response.read()
        seconds = time.perf_counter() - began
        # The length is the body's. The other two differ at each answer.
        differing = {"date", "x-request-id", "content-length"}
        fields = [(name.lower(), value) for name, value in response.getheaders()]
        headers = tuple(sorted(field for field in fields if field[0] not in differing))
        return Answer(response.status, headers, answer, seconds)


@dataclass(frozen=True)
class Pair:
    """A call about something that exists, and the same call about something that does not."""

    title: str
    existing: Callable[[Caller], Answer]
    missing: Callable[[Caller], Answer]
    #: Whether each answer needs a comparison of a password, which takes tens of milliseconds.
    is_slow: bool = False


class Stage:
    """A service with accounts of each kind. It sends mail into a folder."""

    def __init__(self, folder: Path):
        mail = ("--mail", f"folder:{folder / 'mail'}", "--mail-from", "no-reply@login.example")
        self.server = Server(folder, arguments=mail, log_level="error")

    def __enter__(self) -> Stage:
        self.server.start()
        for number in range(NAMES):
            assert create(self.server.client(), f"owner{number:03}").status_code == 201
            key = self.server.person(f"holds{number:03}", backup_eligible=True, backed_up=True)
            assert key.register().status_code == 201
            assert key.call("PUT", "account/email", {"address": f"holds{number:03}@example.com"}).status_code == 204
            self.lift()
        self._left_passwords()
        with sqlite3.connect(self.server.database, timeout=30) as database:
            # As if each owner had opened the link in the message.
            changed = database.execute("UPDATE email SET confirmed = pending, confirmed_at = pending_at, pending = NULL, pending_at = NULL")
            assert changed.rowcount == NAMES
        return self

    def __exit__(self, *_: object) -> None:
        self.server.stop()

    def _left_passwords(self) -> None:
        """Accounts that had a password and removed it."""
        for number in range(NAMES):
            person = self.server.person(f"freed{number:03}", backup_eligible=True, backed_up=True)
            assert create(person, person.name).status_code == 201
            person.name, name = "", person.name
            assert person.register().status_code == 201
            assert person.sign_in().status_code == 200
            assert person.post("account/recovery-codes").status_code == 201
            assert person.delete("account/password").status_code == 204, name
            self.lift()

    def lift(self) -> None:
        """Deletes the counts of tries, as if the time of all limits had passed."""
        with sqlite3.connect(self.server.database, timeout=30) as database:
            database.execute("DELETE FROM attempt")

    def spent_flows(self) -> list[str]:
        """Tokens of sign-ins in steps that the owners of accounts began and ended."""
        tokens = []
        for number in range(NAMES):
            owner = self.server.person(f"coded{number:03}")
            assert create(owner, owner.name).status_code == 201
            with sqlite3.connect(self.server.database, timeout=30) as database:
                # As if the owner had switched codes by e-mail on.
                database.execute(
                    "INSERT INTO factor (account_id, kind, key, payload, created_at, confirmed_at, counter)"
                    " SELECT id, 'mail_codes', id, x'', 1, 1, 0 FROM account WHERE username = ?",
                    (owner.name,),
                )
            begun = sign_in(self.server.client(), owner.name).json()
            tokens.append(begun["flow"])
            self.lift()
        with sqlite3.connect(self.server.database, timeout=30) as database:
            # The password that began them is gone, so all of them are over.
            database.execute("DELETE FROM password WHERE account_id IN (SELECT id FROM account WHERE username LIKE 'coded%')")
        return tokens

    def pairs(self) -> list[Pair]:
        """The calls; each uses its names one after the other, so that one name does not count for all."""
        flows = self.spent_flows()
        # They were never issued, and have the form of those that were.
        unknown = ["".join(reversed(token[:-1])) + token[-1] for token in flows]

        def about(path: str, body: Callable[[str], dict[str, Any]], words: list[str]) -> Callable[[Caller], Answer]:
            turns = itertools.cycle(words)
            return lambda caller: caller.post(path, body(next(turns)))

        def names(kind: str) -> list[str]:
            return [f"{kind}{number:03}" for number in range(NAMES)]

        def pair(title: str, path: str, body: Callable[[str], dict[str, Any]], kind: str, slow: bool = False) -> Pair:
            return Pair(title, about(path, body, names(kind)), about(path, body, names("empty")), slow)

        def name(text: str) -> dict[str, Any]:
            return {"username": text}

        def guess(text: str) -> dict[str, Any]:
            return {"username": text, "password": "a wrong teapot 41"}

        def code(token: str) -> dict[str, Any]:
            return {"flow": token, "method": "mail_code"}

        def text(token: str) -> dict[str, Any]:
            return {"flow": token, "method": "text_code"}

        return [
            pair("sign-in options, of a passkey", "sign-in/options", name, "holds"),
            pair("sign-in options, of a password", "sign-in/options", name, "owner"),
            pair("recovery by mail, to an address", "recovery", name, "holds"),
            pair("recovery by mail, without an address", "recovery", name, "owner"),
            Pair(
                "a code by e-mail, for a sign-in that is over",
                about("sign-in/send-code", code, flows),
                about("sign-in/send-code", code, unknown),
            ),
            Pair(
                "a code by text message, for a sign-in that is over",
                about("sign-in/send-code", text, flows),
                about("sign-in/send-code", text, unknown),
            ),
            pair("a wrong password", "sign-in/password", guess, "owner", slow=True),
            pair("a wrong password, where only a passkey was", "sign-in/password", guess, "holds", slow=True),
            pair("a wrong password, where the password was removed", "sign-in/password", guess, "freed", slow=True),
        ]

    def controls(self) -> list[Pair]:
        """Pairs that do not look alike: a measurement that does not tell them apart measures nothing."""
        turns = itertools.cycle(range(NAMES))

        def options(caller: Caller) -> Answer:
            return caller.post("sign-in/options", {"username": f"holds{next(turns):03}"})

        def wrong(caller: Caller) -> Answer:
            return caller.post("sign-in/password", {"username": f"owner{next(turns):03}", "password": "a wrong teapot 41"})

        def no_name(caller: Caller) -> Answer:
            return caller.post("sign-in/options", {"username": 1})

        def no_password(caller: Caller) -> Answer:
            return caller.post("sign-in/password", {"username": "owner000", "password": 1})

        return [
            Pair("control: options, and a malformed name", options, no_name),
            Pair("control: a wrong password, and a malformed one", wrong, no_password, is_slow=True),
        ]
