"""The log of a vault with a circle of devices, from nothing but the pages in Documentation/formats.

`CircleLog` takes entries, each behind all that it names, and says who is in the circle and what counts, for histories without
contradictions. Where devices contradict each other it raises `Undecided`, which says where.
"""

from __future__ import annotations

import pathlib
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from cryptography.exceptions import InvalidSignature

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "vault"))
import read_vault  # noqa: E402
from read_vault import Entry, decode, encode, require, sha256, verify  # noqa: E402

# The operations that bring a vault key and an owner key, those that bring a header, and all on the circle.
NEW_KEYS = (6, 9, 10, 11)
NEW_HEADER = (5, *NEW_KEYS)
CIRCLE = range(5, 13)


class Undecided(Exception):
    """Devices contradict each other here. The page says how it is decided, and this program does not."""


class Withheld(Exception):
    """An operation that stands came without the body of its header, so it is not taken yet."""


@dataclass
class State:
    """The circle after a set of entries."""

    members: set[bytes] = field(default_factory=set)
    # The removed devices, each with the entries that removed it.
    removed: dict[bytes, list[Entry]] = field(default_factory=dict)
    owners: set[bytes] = field(default_factory=set)
    # The recovery keys in force, each with its suite and its HPKE key.
    recovery: dict[bytes, tuple[int, bytes]] = field(default_factory=dict)
    # The hash of the operation that made the vault key in force, and the key's name.
    key: bytes = b""
    epoch: int = 0
    key_owner: bytes = b""
    lacking: set[bytes] = field(default_factory=set)
    # The recipients of the key in force.
    recipients: set[bytes] = field(default_factory=set)
    # The hash of the operation whose header is in force, and the header's generation.
    header: bytes = b""
    generation: int = 0
    operations: int = 0
    minimum_reader: int = 0

    @property
    def is_clean(self) -> bool:
        return not self.recipients & self.removed.keys()


def device_id(key: bytes) -> bytes:
    return sha256(b"ward/v1/device-id\0" + key)[:16]


def named(entry: Entry) -> str:
    return f"operation {entry.operation} of device {entry.device.hex()}, number {entry.sequence}"


def generation(entry: Entry) -> int:
    return entry.body[1] if entry.operation == 5 else entry.body[3][3]


class CircleLog(read_vault.Log):
    """The entries of a log, and the circle that begins with the entry `root`."""

    def __init__(self, vault: bytes, root: bytes) -> None:
        super().__init__()
        self.vault, self.root = vault, root
        self.authority = self.nonce = b""
        self.stands: dict[bytes, Entry] = {}
        self.signers: dict[bytes, set[bytes]] = {}
        self.helpers: dict[bytes, set[bytes]] = {}
        self._states: dict[frozenset[bytes], State] = {}
        self._places: dict[tuple[bytes, int], bytes] = {}

    # Taking

    @staticmethod
    def _names(fields: dict[int, Any]) -> Iterator[bytes]:
        if 3 in fields:
            yield fields[3]
        for _, _, hash in fields.get(5, []):
            yield hash

    def is_ready(self, encoded: bytes) -> bool:
        """Whether everything is there that an entry names."""
        fields = decode(decode(encoded)[0])
        return all(hash in self.entries for hash in self._names(fields)) and (bool(self.entries) or fields[6] == 1)

    def read(self, encoded: bytes, blob: bytes | None) -> None:
        """Takes an entry, with every check. A signature is checked before anything is used.

        It raises `Withheld` for an entry that may be taken once the body of its header is there.
        """
        require(len(encoded) <= 65_536, "an entry too long")
        payload, signature = decode(encoded)
        fields = decode(payload)
        # An entry of another version counts as an unknown operation.
        operation = fields[6] if fields[0] == 1 else 0
        fields = fields | {6: operation}
        device, sequence, body = (fields[key] for key in (1, 2, 7))
        require(0 <= fields[4] < 1 << 63, "a time too late")
        require((operation == 1) == (not self.entries), "the genesis entry stands elsewhere")
        require(len(fields.get(5, [])) <= 64, "an entry that names too many")
        past = self._past(fields)
        hash = sha256(encoded)
        knows_root = self.root in past
        if operation == 1:
            require(sha256(b"ward/v1/vault\0" + payload) == self.vault, "another vault's log")
            self.nonce, self.authority = body[3], body[4]
        if operation in (1, 2):
            require(not knows_root, "a device that begins as before the circle")
            verify(self.authority, body[2], b"ward/v1/device\0" + self.nonce + body[1])
        key = self._key(fields, past)
        verify(key, signature, b"ward/v1/entry\0" + (bytes(32) if operation == 1 else self.vault) + payload)
        require((sequence == 1) == (operation in (1, 2, 8)), "a device that begins late, or again")
        entry = Entry(fields, hash, len(self.entries) + 1, past, blob)
        self._read_approvals(entry)
        self._check_author(entry)
        if (device, sequence) in self._places:
            raise Undecided(f"two entries beside each other: {named(entry)}")
        if operation not in (*range(1, 13), 20) and operation < 128:
            raise Undecided(f"an unknown operation: {named(entry)}")
        self._check_body(entry)
        stands = operation in CIRCLE and (knows_root or hash == self.root) and self._does_stand(entry)
        if stands and operation in NEW_HEADER and blob is None:
            raise Withheld(named(entry))
        self._places[device, sequence] = hash
        self.keys[device] = key
        self.entries[hash] = entry
        if stands:
            self._find_contradiction(entry)
            self.stands[hash] = entry

    def _past(self, fields: dict[int, Any]) -> frozenset[bytes]:
        past: frozenset[bytes] = frozenset()
        if 3 in fields:
            before = self.entries[fields[3]]
            require((before.device, before.sequence + 1) == (fields[1], fields[2]), "a broken chain")
            require(fields[4] > before.fields[4], "time runs backwards")
            past = before.past | {before.hash}
        seen = fields.get(5, [])
        require(seen == sorted(seen) and len({one[0] for one in seen}) == len(seen), "heads out of order")
        for other, number, hash in seen:
            head = self.entries[hash]
            require(other != fields[1] and (head.device, head.sequence) == (other, number), "a head that is another")
            past |= head.past | {hash}
        return past

    def _key(self, fields: dict[int, Any], past: frozenset[bytes]) -> bytes:
        """The key of the entry's device."""
        device, operation, body = fields[1], fields[6], fields[7]
        if operation in (1, 2):
            key = body[1]
        elif operation == 8 and 1 in body:
            require(body[1] in past and self.entries[body[1]].operation == 7, "an admission that is not in the past")
            key = self.entries[body[1]].body[1]
        elif operation == 8:
            key = body[2]
        else:
            key = self.keys[device]
        require(device_id(key) == device, "another device")
        return key

    def _read_approvals(self, entry: Entry) -> None:
        """Checks the signatures in the fields 14 and 15. A form that is not known counts as absent."""
        if entry.operation not in CIRCLE:
            self.signers[entry.hash] = self.helpers[entry.hash] = set()
            return
        content = sha256(encode(entry.fields | {7: {key: value for key, value in entry.body.items() if key not in (14, 15)}}))
        owners, recovery = (self._signatures(entry, key) for key in (15, 14))
        require(len(owners) + len(recovery) <= 256, "an entry with too many signatures")
        for signatures, label in ((owners, b"ward/v1/owner\0"), (recovery, b"ward/v1/recovery/sign\0")):
            for key, signature in signatures:
                try:
                    verify(key, signature, label + self.vault + content)
                except InvalidSignature:
                    require(False, "a wrong signature of the owner or a recovery key")
        self.signers[entry.hash] = {key for key, _ in owners}
        self.helpers[entry.hash] = {key for key, _ in recovery}

    @staticmethod
    def _signatures(entry: Entry, key: int) -> list[list[bytes]]:
        if key not in entry.body:
            return []
        value = entry.body[key]
        array = [value] if key == 14 else value
        if not isinstance(array, list):
            return []
        for one in array:
            if not isinstance(one, list) or [type(part) for part in one] != [bytes, bytes] or [len(part) for part in one] != [32, 64]:
                return []
        return array if all(one[0] < other[0] for one, other in zip(array, array[1:])) else []

    def _check_author(self, entry: Entry) -> None:
        """Refuses what nobody else may write into the log."""
        if entry.hash == self.root:
            return
        state = self.state(entry.past)
        if state is None:
            require(entry.operation not in range(7, 13), "an operation on a circle that it does not know")
        elif entry.operation == 8:
            if 1 in entry.body:
                require(entry.body[1] in self.stands and entry.device in state.members, "an admission that does not stand")
            else:
                require(self._recovers(entry, state), "a recovery key that is not in force")
        else:
            require(entry.device in state.members, "an entry of a device that is no member")

    def _check_body(self, entry: Entry) -> None:
        body, past = entry.body, entry.past
        state = self.state(past)
        if entry.operation in (3, 4):
            heads = self.heads(body[1], past)
            require(body[3 if entry.operation == 3 else 2] == [head.hash for head in heads], "not made from what is newest")
            require(entry.operation == 3 or bool(heads), "removed what is not there")
        if entry.operation == 3:
            require(body[2] == max((head.number for head in heads), default=0) + 1, "a wrong number")
            require(body[4] == (state.epoch if state else 0), "a key of another epoch")
            there = {other.body[2] for other in self._in(past) if other.operation == 20 and other.body[1] == body[1]}
            contents = body.get(6, [])
            require(contents == sorted(set(contents)) and set(contents) <= there, "an attached file that is not there")
        elif entry.operation == 20:
            self.contents[body[2]] = entry
        elif entry.operation == 5 and state is None:
            require(body[1] == self._header_generation(past) + 1, "a header of another generation")
        if entry.operation in CIRCLE and entry.operation != 5:
            try:
                self._check_form(entry.operation, body)
            except (read_vault.Refused, KeyError, TypeError, ValueError) as error:
                raise Undecided(f"an unknown form of an operation: {named(entry)}: {error}") from error

    @staticmethod
    def _check_form(operation: int, body: dict[int, Any]) -> None:
        def ordered(array: list[Any], limit: int) -> None:
            require(all(one < other for one, other in zip(array, array[1:])) and len(array) <= limit, "an array out of order")

        if operation == 6:
            ordered([key for key, _, _ in body[1]], 32)
            require(all(len(key) == 32 and len(sealing) <= 2_048 for key, _, sealing in body[1]), "another device's form")
        if operation in (6, 11):
            ordered([key for _, _, key, _, _, _ in body[2]], 8)
            require(all(len(key) == 32 and len(sealing) <= 2_048 for _, _, key, _, sealing, _ in body[2]), "another recovery key's form")
        if operation == 7:
            require(len(body[1]) == 32 and isinstance(body[2], int), "another device's form")
            require(len(body[3]) <= 2_048 and len(body[4]) <= 1_024, "a key or a name too long")
        if operation == 8 and 1 not in body:
            require(len(body[2]) == 32 and isinstance(body[3], int) and len(body[4]) <= 2_048, "another device's form")
        if operation == 9:
            ordered(body[1], 32)
            require(all(len(device) == 16 for device in body[1]), "another device's form")
        if operation in NEW_KEYS:
            keys = body[3]
            require(isinstance(keys[1], int) and isinstance(keys[3], int), "another form of keys")
            require(len(keys[2]) == len(keys[4]) == 32, "another form of keys")
            ordered([recipient for recipient, _, _, _ in keys[5]], 1 << 16)
            for recipient, suite, encapsulation, ciphertext in keys[5]:
                require(len(recipient) in (16, 32) and isinstance(suite, int), "another form of keys")
                require(len(encapsulation) <= 2_048 and len(ciphertext) <= 1_024, "another form of keys")
        if operation == 12:
            require(isinstance(body[1], int) if 1 in body else len(body[2]) <= 1_024, "another form of rules or of a move")

    def _header_generation(self, past: frozenset[bytes]) -> int:
        return max((generation(entry) for entry in self._in(past) if entry.operation in NEW_HEADER), default=0)

    def _in(self, within: frozenset[bytes]) -> Iterator[Entry]:
        return map(self.entries.__getitem__, within)

    # Which operations stand

    def _does_stand(self, entry: Entry) -> bool:
        """Whether the device was allowed to write the operation, by what the entry knows."""
        if entry.hash == self.root:
            # Its writer chooses the epoch and the generation.
            is_member = any(device_id(key) == entry.device for key, _, _ in entry.body[1])
            is_signed = entry.body[3][2] in self.signers[entry.hash]
            require(is_member and is_signed, "a circle that begins in another way")
            return True
        state = self.state(entry.past)
        assert state is not None
        operation, body, signers = entry.operation, entry.body, self.signers[entry.hash]
        is_removal = operation in (9, 10) or (operation == 8 and 2 in body)
        if operation == 6 or state.operations >= (288 if is_removal else 256):
            return False
        if operation == 8:
            return 1 in body or len(state.members) < 64
        if entry.device not in state.members or not state.owners <= signers:
            return False
        if operation in NEW_KEYS:
            keys = body[3]
            if (keys[1], keys[3]) != (state.epoch + 1, state.generation + 1):
                return False
            if keys[2] not in signers or keys[2] in state.owners:
                return False
        if operation == 5:
            return body[1] == state.generation + 1
        if operation == 11:
            return bool(body[2])
        if operation == 12:
            return 1 not in body or body[1] > state.minimum_reader
        if operation == 7:
            device = device_id(body[1])
            return device not in state.members and device not in state.removed and len(state.members) < 32
        if operation == 9:
            return bool(body[1]) and set(body[1]) <= state.members and set(body[1]) != state.members
        return True

    def _recovers(self, entry: Entry, state: State) -> bool:
        is_new = entry.device not in state.members and entry.device not in state.removed
        return is_new and bool(self.helpers[entry.hash] & state.recovery.keys())

    def _find_contradiction(self, entry: Entry) -> None:
        """Stops at operations beside each other, unless both have their way and nothing else follows from it."""
        for other in self.stands.values():
            if other.hash in entry.past:
                continue
            for one, two in ((entry, other), (other, entry)):
                both_change = one.operation in (5, 9, 10, 11, 12) and two.operation in (5, 9, 10, 11, 12)
                removes = one.operation == 9 and two.device in one.body[1]
                replaces = one.operation == 11 and two.operation == 8 and 2 in two.body
                if both_change or removes or replaces:
                    raise Undecided(f"beside each other: {named(one)}, and {named(two)}")

    # The circle after a set of entries

    def standing(self) -> list[Entry]:
        """The operations that stand, each behind those that it knows."""
        return sorted(self.stands.values(), key=lambda entry: (len(entry.past), entry.hash))

    def admitted(self, entry: Entry) -> bytes:
        return device_id(entry.body[1])

    def state(self, within: frozenset[bytes]) -> State | None:
        """The circle after a set of entries; `None` if it has not begun there."""
        chosen = frozenset(hash for hash in self.stands if hash in within)
        if self.root not in chosen:
            return None
        if chosen not in self._states:
            state = State()
            for entry in self.standing():
                if entry.hash in chosen:
                    self._apply(entry, state)
            state.members -= state.removed.keys()
            state.lacking &= state.members
            self._states[chosen] = state
        return self._states[chosen]

    def _apply(self, entry: Entry, state: State) -> None:
        operation, body = entry.operation, entry.body
        state.operations += 1
        if operation == 6:
            state.members = {device_id(key) for key, _, _ in body[1]}
        elif operation == 7:
            state.members.add(self.admitted(entry))
            if state.key not in entry.past:
                state.lacking.add(self.admitted(entry))
        elif operation == 8 and 2 in body:
            state.members.add(entry.device)
            if state.key not in entry.past:
                state.lacking.add(entry.device)
        elif operation == 9:
            for device in body[1]:
                state.removed.setdefault(device, []).append(entry)
        if operation == 12:
            state.minimum_reader = body.get(1, state.minimum_reader)
        if operation in (6, 11):
            state.recovery = {key: (suite, sealing) for _, _, key, suite, sealing, _ in body[2]}
        if operation in NEW_KEYS:
            keys = body[3]
            state.key, state.epoch, state.key_owner = entry.hash, keys[1], keys[2]
            state.owners = {keys[2]}
            state.recipients = {recipient for recipient, _, _, _ in keys[5] if len(recipient) == 16}
            members = state.members - state.removed.keys()
            state.lacking = members - state.recipients
        if operation in NEW_HEADER:
            state.header, state.generation = entry.hash, generation(entry)

    def takes_place(self, other: Entry, entry: Entry) -> bool:
        """Whether a revision or a removal takes the place of another one of its item."""
        return entry.hash in other.past and (other.operation == 4 or self.counts(entry, other.past))

    def counts(self, entry: Entry, within: frozenset[bytes]) -> bool:
        """Whether an entry counts in a set of entries."""
        state = self.state(within)
        if state is None or entry.hash == self.root or entry.hash in self.entries[self.root].past:
            return True
        if entry.device in state.removed:
            return all(entry.hash in removal.past or entry.hash == removal.hash for removal in state.removed[entry.device])
        return entry.device in state.members
