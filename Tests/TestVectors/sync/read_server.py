#!/usr/bin/env python3
"""Reads a vault from a sync server, from nothing but the pages in Documentation/formats, and prints JSON.

    read_server.py ADDRESS VAULT_ID --recovery-key TEXT
    read_server.py ADDRESS VAULT_ID --device FILE --vault-file FILE --passphrase WORDS --secret-key TEXT

ADDRESS is https://HOST or https://HOST:PORT; http is only for this machine. The recovery key opens a session, and then the vault. With
the passphrase and the Secret Key alone nobody opens a session: a device of the circle does, so the second form also needs the files
`device` and `vault.db` of one whose vault is locked.

The program makes every check of `read_circle.py`, and compares what the server says with itself and with what devices wrote. Answers of
another form, with gaps or of two orders are refused. What else contradicts stands in `server.findings` and on standard error, and the
exit status is 3. With `--earlier FILE`, which has what this program printed before, an old state is found too. Nothing is written: the
program asks for a session, reads, and ends the session.

Needs `cryptography` 48 or later and the standard library. Meant for tests and for the curious: keys are not wiped, and secrets are
printed.
"""

from __future__ import annotations

import argparse
import http.client
import json
import pathlib
import re
import socket
import sqlite3
import ssl
import sys
import threading
import unicodedata
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from circle_rules import device_id  # noqa: E402
from read_circle import FAULTS, Circle, Header, Keys, Undecided, public_key  # noqa: E402
from read_folder import LONGEST_BLOB, LONGEST_ENTRY, named_hash  # noqa: E402
from read_vault import Refused, _decode, decode, encode, hkdf, key_from_text, require, sha256, unseal  # noqa: E402

LOOPBACK = ("localhost", "127.0.0.1", "::1")
ONE, SEQUENCE, PROBLEM = "application/cbor", "application/cbor-seq", "application/problem+json"

# Bytes of an answer, of one that is a map or a problem, and of all entries and blobs together.
LONGEST_ANSWER, LONGEST_MAP, LARGEST_VAULT = 64 << 20, 65_536, 1 << 30
# Entries that are asked for at once: even the longest fit into an answer. Seconds for an answer. How often a server that grows is read on.
PAGE, SECONDS, ROUNDS = 50, 60, 10

FOUND_SOMETHING = 3


def shown(text: Any) -> str:
    """Text of the server, for a terminal."""
    return "".join(one for one in str(text)[:300] if unicodedata.category(one)[0] != "C")


@dataclass
class Answer:
    status: int
    fields: http.client.HTTPMessage
    body: bytes


class Problem(Refused):
    """An error that the server answers."""

    def __init__(self, answer: Answer) -> None:
        problem: dict[str, Any] = {}
        if answer.fields.get_content_type() == PROBLEM:
            problem = json.loads(answer.body)
        self.code = shown(problem.get("code", "without a code"))
        super().__init__(f"the server answers {answer.status} {self.code}: {shown(problem.get('detail', ''))}")


@dataclass
class Record:
    """An entry with its number at the server."""

    number: int
    entry: bytes
    blob: bytes | None

    def __post_init__(self) -> None:
        self.hash = sha256(self.entry)
        self.fields: dict[int, Any] = decode(decode(self.entry)[0])

    @property
    def key(self) -> tuple[bytes, int]:
        """The device and its number for the entry."""
        return self.fields[1], self.fields[2]

    @property
    def name(self) -> str:
        return f"entry {self.number} (number {self.fields[2]} of device {self.fields[1].hex()})"


def read_records(body: bytes) -> list[Record]:
    """The records of an answer."""
    found, at = [], 0
    while at < len(body):
        try:
            value, end = _decode(body, at, 0)
        except FAULTS as fault:
            raise Refused(f"an answer that was cut off or damaged: {fault}") from fault
        require(encode(value) == body[at:end], "an answer whose CBOR is not canonical")
        require(isinstance(value, list) and len(value) == 3 and type(value[0]) is int, "a record of another form")
        number, entry, blob = value
        require(isinstance(entry, bytes) and len(entry) <= LONGEST_ENTRY, f"entry {number} is too long")
        try:
            record = Record(number, entry, blob)
            fits = blob is None or len(blob) <= LONGEST_BLOB and sha256(blob) == named_hash(record.fields)
        except FAULTS as fault:
            raise Refused(f"entry {number} is damaged: {fault}") from fault
        require(fits, f"entry {number} came with another blob than the entry names")
        found.append(record)
        at = end
    return found


class Connection:
    """A session at a server, and what it answered."""

    def __init__(self, address: str, vault: bytes, authority: str | None = None) -> None:
        parts = urlsplit(address)
        is_bare = parts.path in ("", "/") and not (parts.query or parts.fragment) and "@" not in parts.netloc
        require(parts.scheme in ("http", "https") and bool(parts.hostname) and is_bare, "an address is https://HOST or https://HOST:PORT")
        assert parts.hostname
        require(parts.scheme == "https" or parts.hostname in LOOPBACK, "an address with http is only for this machine")
        self.name, self.vault, self.token = parts.hostname, vault, ""
        self.port = parts.port or (443 if parts.scheme == "https" else 80)
        bracketed = f"[{self.name}]" if ":" in self.name else self.name
        self.host = bracketed if self.port == 443 else f"{bracketed}:{self.port}"
        self.context = ssl.create_default_context(cafile=authority) if parts.scheme == "https" else None
        self.order, self.last = "", 0

    # Requests

    def ask(self, method: str, path: str, body: bytes = b"", *, kind: str = ONE, statuses: tuple[int, ...] = (200,)) -> Answer:
        """What the server answers, which must be whole, of this kind, and about the same order as before."""
        answer = self._exchange(method, f"/sync/v1/vaults/{self.vault.hex()}/{path}", body)
        require(answer.status // 100 != 3, f"the server sends this program elsewhere ({answer.status}): it does not go there")
        found = answer.fields.get_content_type()
        if answer.status not in statuses:
            raise Problem(answer)
        require("Content-Encoding" not in answer.fields, "an answer that is compressed")
        require(answer.status == 204 or found == kind, "an answer of another type")
        if kind == SEQUENCE:
            self._compare(answer)
        return answer

    def _exchange(self, method: str, path: str, body: bytes) -> Answer:
        """One request on a connection of its own: nothing is followed, and neither size nor time is without a limit."""
        kind = http.client.HTTPConnection if self.context is None else http.client.HTTPSConnection
        options = {} if self.context is None else {"context": self.context}
        connection = kind(self.name, self.port, timeout=SECONDS, **options)
        try:
            connection.connect()
        except OSError as fault:
            raise Refused(f"the server cannot be reached: {fault}") from fault
        wire, over = connection.sock, threading.Event()

        def stop() -> None:
            over.set()
            with suppress(OSError, ValueError):
                wire.shutdown(socket.SHUT_RDWR)

        timer = threading.Timer(SECONDS, stop)
        timer.start()
        try:
            fields = {"Connection": "close", **({"Authorization": f"Bearer {self.token}"} if self.token else {})}
            connection.request(method, path, body or None, fields | ({"Content-Type": ONE} if body else {}))
            got = connection.getresponse()
            most = LONGEST_ANSWER if got.headers.get_content_type() == SEQUENCE else LONGEST_MAP
            length = got.length
            require(length is None or length <= most, "an answer that is too long")
            content = got.read(most + 1)
            require(len(content) <= most, "an answer that is too long")
            require(length is None or len(content) == length, "an answer that was cut off")
            return Answer(got.status, got.headers, content)
        except http.client.IncompleteRead as fault:
            raise Refused("an answer that was cut off") from fault
        except (*FAULTS, OSError, http.client.HTTPException) as fault:
            is_late = over.is_set() or isinstance(fault, TimeoutError)
            require(not is_late, f"the server takes longer than {SECONDS} seconds for an answer")
            raise
        finally:
            timer.cancel()
            connection.close()

    def _compare(self, answer: Answer) -> None:
        """The last number may grow while this program reads; the order stays."""
        order, last = answer.fields.get("Ward-Order"), answer.fields.get("ETag")
        require(order is not None and re.fullmatch("[0-9a-f]{32}", order) is not None, "an answer without the name of an order")
        require(last is not None and re.fullmatch('"[0-9]{1,18}"', last) is not None, "an answer without the last number")
        assert order and last
        require(self.order in ("", order), f"the server shows two orders: {self.order}, and then {order}")
        number = int(last.strip('"'))
        require(number >= self.last, f"the server goes back while it is read: the last number was {self.last}, and then {number}")
        self.order, self.last = order, number

    def records(self, path: str) -> list[Record]:
        return read_records(self.ask("GET", path, kind=SEQUENCE).body)

    # The session

    def open(self, signer: Ed25519PrivateKey, who: bytes) -> dict[int, Any]:
        """Opens a session: `who` is the ID of a device, or the Ed25519 key of a recovery key. It answers the room."""
        given = decode(self.ask("POST", "challenge").body)
        challenge, time = given[1], given[2]
        require(isinstance(challenge, bytes) and len(challenge) == 32 and type(time) is int, "another form of a challenge")
        statement = encode(["ward", 1, "session", self.host, self.vault, who, challenge, time])
        body = encode({1: who, 2: challenge, 3: time, 4: signer.sign(statement)})
        try:
            session = decode(self.ask("POST", "session", body).body)
        except Problem as problem:
            holder = "device" if len(who) == 16 else "key"
            refused = f"this {holder} opens no session of this vault at {self.host}. Check the address, the vault ID and the {holder}"
            sentence = {"session_refused": refused, "device_removed": "this device was removed from the vault"}.get(problem.code)
            raise Refused(sentence or str(problem)) from problem
        require(re.fullmatch("[!-~]{1,1024}", session[1]) is not None, "another form of a session")
        self.token = session[1]
        return session

    def close(self) -> None:
        self.ask("DELETE", "session", statuses=(204,))


@dataclass
class Reading:
    """Everything that a server showed."""

    records: list[Record] = field(default_factory=list)
    heads: list[Record] = field(default_factory=list)
    evidence: list[Record] = field(default_factory=list)
    size: int = 0

    @classmethod
    def of(cls, server: Connection) -> Reading:
        """Reads all pages, and what the server says about the whole, until nothing comes meanwhile."""
        read = cls()
        for _ in range(ROUNDS):
            read._read_pages(server)
            read.heads, read.evidence = server.records("heads"), server.records("evidence")
            if server.last == len(read.records):
                return read
        raise Refused("the server does not come to rest: devices write all the time")

    def _read_pages(self, server: Connection) -> None:
        while True:
            after = len(self.records)
            page = server.records(f"entries?after={after}&limit={PAGE}")
            for expected, record in enumerate(page, after + 1):
                require(record.number == expected, f"a gap in the server's numbers: {record.number} in place of {expected}")
            self.records += page
            wanted = min(after + PAGE, server.last)
            require(len(self.records) == wanted, f"a page that ends at number {len(self.records)}, while {wanted} entries are there")
            self.size += sum(len(one.entry) + len(one.blob or b"") for one in page)
            require(self.size <= LARGEST_VAULT, "a vault that is too large for this program")
            if len(self.records) >= server.last:
                return

    # What does not fit

    def findings(self) -> list[str]:
        """Where the server contradicts itself."""
        return [*self._missing(), *self._wrong_heads(), *self._wrong_evidence()]

    def _missing(self) -> list[str]:
        """Each entry comes after those that it names."""
        found, seen = [], set()
        for record in self.records:
            named = [record.fields[3]] if 3 in record.fields else []
            named += [hash for _, _, hash in record.fields.get(5, [])]
            for hash in named:
                if hash not in seen:
                    found.append(f"an entry is missing that {record.name} names")
            if record.hash in seen:
                found.append(f"{record.name} is there twice")
            seen.add(record.hash)
        return found

    def _wrong_heads(self) -> list[str]:
        followed = {record.fields.get(3) for record in self.records}
        expected = {(one.number, one.entry) for one in self.records if one.hash not in followed}
        if expected == {(one.number, one.entry) for one in self.heads}:
            return []
        return ["the heads are not those of the entries: an entry is left out, or the heads are of another time"]

    def _wrong_evidence(self) -> list[str]:
        times = Counter(record.key for record in self.records)
        twice = {(one.number, one.entry) for one in self.records if times[one.key] > 1}
        said = {(one.number, one.entry) for one in self.evidence}
        found = []
        pairs = zip(self.evidence[::2], self.evidence[1::2])
        if len(self.evidence) % 2 or any(one.key != other.key or one.hash == other.hash for one, other in pairs):
            found.append("the server's evidence is none: a pair is not two entries of one device with one number")
        if said - twice:
            found.append("the server has evidence of entries that it does not show")
        if {key for key, count in times.items() if count > 1} - {record.key for record in self.evidence}:
            found.append("a device signed two entries with one number, and the server's evidence does not say so")
        for device, number in sorted({record.key for record in self.evidence}):
            found.append(f"evidence: device {device.hex()} signed more than one entry with number {number}")
        return found

    def order_hashes(self, order: bytes) -> list[bytes]:
        """The hashes of the order, from number 0 on."""
        hashes = [sha256(b"ward/v1/remote-order\0" + order)]
        for record in self.records:
            hashes.append(sha256(hashes[-1] + record.hash))
        return hashes


class ServerCircle(Circle):
    """A vault at a server, with the entries that can be read."""

    def __init__(self, server: Connection, read: Reading, room: dict[int, Any], root: bytes | None, findings: list[str]) -> None:
        """`findings` gets what contradicts."""
        self.server, self.reading, self.room, self.findings = server, read, room, findings
        self.hashes = read.order_hashes(bytes.fromhex(server.order))
        super().__init__(server.vault, {one.hash: (one.entry, one.blob) for one in read.records}, root)

    def compare_earlier(self, earlier: dict[str, Any]) -> None:
        """Compares with what this program printed before."""
        require(earlier["vault"] == self.id.hex(), "what was printed before is of another vault")
        before, there = earlier["server"], {record.hash.hex() for record in self.reading.records}
        if before["order"] != self.server.order:
            self.findings.append("the server has begun another order than before: it was restored from a copy, or says so")
        elif before["last"] > self.server.last:
            self.findings.append(f"the server shows an old state: {self.server.last} entries, and there were {before['last']} before")
        elif before["hash"] != self.hashes[before["last"]].hex():
            self.findings.append(f"the server shows two orders: up to number {before['last']} it had other entries before")
        lacking = [device for device, _, hash in before["heads"] if hash not in there]
        self.findings += [f"the server lacks an entry of device {device} that it had before" for device in lacking]

    def check_places(self) -> None:
        """Compares how far devices had read the order with the order."""
        for record in self.reading.records:
            if record.hash not in self.log.entries:
                continue
            for order, number, hash in self._places(record.fields.get(8)):
                if order.hex() != self.server.order:
                    continue
                if number > self.server.last:
                    said = f"its device had read {number} entries, and the server shows {self.server.last}"
                    self.findings.append(f"the server shows an old state, or two orders: by {record.name} {said}")
                elif hash != self.hashes[number]:
                    self.findings.append(f"the server shows two orders: by {record.name} its device had read others up to {number}")

    @staticmethod
    def _places(value: Any) -> list[tuple[bytes, int, bytes]]:
        """Field 8; another form counts as absent."""
        if not isinstance(value, list) or len(value) > 16:
            return []
        for one in value:
            if not isinstance(one, list) or [type(part) for part in one] != [bytes, int, bytes]:
                return []
            if (len(one[0]), len(one[2])) != (16, 32) or one[1] < 0:
                return []
        return value if all(one[0] < other[0] for one, other in zip(value, value[1:])) else []

    def check_entries(self) -> None:
        """Names what an honest server would not have, and what has lost its content."""
        names = {record.hash: record.name for record in self.reading.records}
        self.findings += [f"{names[hash]} is refused: {reason}" for hash, reason in self.refused.items()]
        self.findings += [f"{names[hash]} came without its header" for hash in self.withheld]
        for item in sorted({entry.body[1] for entry in self.log.entries.values() if entry.operation == 3}):
            for revision in self.log.heads(item, self.everything):
                contents = [self.log.contents[hash] for hash in revision.body.get(6, [])]
                self.findings += [f"{names[one.hash]} came without its blob" for one in [revision, *contents] if one.blob is None]

    def read(self) -> dict[str, Any]:
        room = {number: self.room[number] for number in range(3, 11) if number in self.room}
        heads = sorted([*record.key, record.hash] for record in self.reading.heads)
        server = {
            "host": self.server.host,
            "order": self.server.order,
            "last": self.server.last,
            "hash": self.hashes[-1].hex(),
            "heads": [[device.hex(), number, hash.hex()] for device, number, hash in heads],
            "evidence": [[device.hex(), number] for device, number in sorted({one.key for one in self.reading.evidence})],
            "room": {ROOM[number]: value for number, value in room.items()},
            "findings": self.findings,
        }
        return super().read() | {"server": server}


ROOM = {
    3: "bytes", 4: "mostBytes", 5: "entries", 6: "mostEntries",
    7: "bytesOfDevice", 8: "mostBytesOfDevice", 9: "entriesOfDevice", 10: "mostEntriesOfDevice",
}  # fmt: skip


def recovery_signer(recovery_key: str) -> Ed25519PrivateKey:
    key = key_from_text(recovery_key, "ward/v1/recovery-key", 20, 36)
    return Ed25519PrivateKey.from_private_bytes(hkdf(key, b"", "ward/v1/recovery/ed25519"))


def device_key(device: bytes, vault_file: pathlib.Path, passphrase: str, secret_key: str) -> tuple[bytes, Ed25519PrivateKey]:
    """The vault ID and the signing key in the file `device`, with `vault.db` of the same device."""
    secret = key_from_text(secret_key, "ward/v1/secret-key", 16, 30)
    database = sqlite3.connect(f"{vault_file.resolve().as_uri()}?mode=ro&immutable=1", uri=True)
    [(body,)] = database.execute("SELECT body FROM header").fetchall()
    header = Header(body, decode(decode(body[:-32])[3])[1])
    keys = Keys.of(header.unlock(passphrase, secret)[0])
    header.check(keys)
    require(sha256(device[:-32]) == device[-32:], "a damaged file of a device")
    array = decode(device[:-32])
    require(array[:3] == ["ward", 2, "device"] and len(array) == 8, "no file of a device in a circle")
    vault, public, sealed, sealing, epoch = array[3:]
    require(vault == header.fields[1], "a device of another vault")
    for key in keys.of_epoch(epoch):
        try:
            opened = unseal(
                hkdf(key, vault, "ward/v1/device-keys", public), sealed, encode(["ward", 2, "device", vault, public, sealing, epoch])
            )
        except FAULTS:
            continue
        require(public_key(opened[:32]) == public, "a file of a device with another key")
        return vault, Ed25519PrivateKey.from_private_bytes(opened[:32])
    raise Refused("a file of a device that no key of the vault opens")


def parse(words: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("address")
    parser.add_argument("vault", help="vault ID in hexadecimal digits")
    parser.add_argument("--root", type=bytes.fromhex, help="hash of the entry that begins the circle")
    parser.add_argument("--ca", help="file with the certificates of the authorities that are trusted, in place of the system's")
    parser.add_argument("--earlier", type=pathlib.Path, help="file with what this program printed before")
    opener = parser.add_mutually_exclusive_group(required=True)
    opener.add_argument("--recovery-key")
    opener.add_argument("--device", type=pathlib.Path, help="file `device` of a member")
    parser.add_argument("--vault-file", type=pathlib.Path, help="file `vault.db` of the same device")
    parser.add_argument("--passphrase")
    parser.add_argument("--secret-key")
    arguments = parser.parse_args(words)
    belonging = (arguments.vault_file, arguments.passphrase, arguments.secret_key)
    if any((one is None) != (arguments.device is None) for one in belonging):
        parser.error("--device, --vault-file, --passphrase and --secret-key belong together")
    if re.fullmatch("[0-9a-f]{64}", arguments.vault.lower()) is None:
        parser.error("a vault ID has 64 hexadecimal digits")
    return arguments


def read(arguments: argparse.Namespace, findings: list[str]) -> dict[str, Any]:
    vault = bytes.fromhex(arguments.vault)
    if arguments.recovery_key is not None:
        signer = recovery_signer(arguments.recovery_key)
        who = signer.public_key().public_bytes_raw()
    else:
        found, signer = device_key(arguments.device.read_bytes(), arguments.vault_file, arguments.passphrase, arguments.secret_key)
        require(found == vault, "a device of another vault")
        who = device_id(signer.public_key().public_bytes_raw())
    server = Connection(arguments.address, vault, arguments.ca)
    room = server.open(signer, who)
    everything = Reading.of(server)
    server.close()
    findings += everything.findings()
    circle = ServerCircle(server, everything, room, arguments.root, findings)
    if arguments.earlier:
        circle.compare_earlier(json.loads(arguments.earlier.read_text()))
    if arguments.recovery_key is not None:
        circle.recover(arguments.recovery_key)
    else:
        circle.unlock(arguments.passphrase, arguments.secret_key)
    circle.check_places()
    circle.check_entries()
    return circle.read()


def main(words: list[str] | None = None) -> None:
    arguments = parse(words)
    findings: list[str] = []
    end: int | str
    try:
        print(json.dumps(read(arguments, findings), indent=2, ensure_ascii=False))
        end = FOUND_SOMETHING if findings else 0
    except Undecided as undecided:
        end = f"read_server.py: this program stops here: {undecided}"
    except (*FAULTS, OSError, http.client.HTTPException, sqlite3.Error) as fault:
        end = f"read_server.py: refused: {str(fault) or type(fault).__name__}"
    for finding in findings:
        print(f"read_server.py: {finding}", file=sys.stderr)
    sys.exit(end)


if __name__ == "__main__":
    main()
