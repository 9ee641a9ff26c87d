#!/usr/bin/env python3
"""Reads a folder that the devices of a circle sync, from nothing but the pages in Documentation/formats, and prints JSON.

    read_circle.py FOLDER --passphrase WORDS --secret-key TEXT      the header names the root
    read_circle.py FOLDER --recovery-key TEXT                       the recovery key proves the root
    read_circle.py FOLDER                                           what the holder of the folder sees

FOLDER has `ward/<vault ID>`; `--vault` chooses one if there are several. With `--root` another root is refused. The program needs no
file of a device, and writes nothing. It makes every check of `vault.md` and `sync.md` that the folder allows. It stops with `Undecided` where devices contradict each other:
where one signed two entries beside each other or an unknown operation, and where changes of the circle were made beside each other.
`sync.md` says how these are decided; this program does not decide them. `circle_rules.py` has the rules.

Needs `cryptography` 48 or later and the standard library. Meant for tests and for the curious: keys are not wiped, and secrets are
printed.
"""

from __future__ import annotations

import argparse
import hmac
import json
import pathlib
import sys
import unicodedata
from dataclasses import dataclass
from typing import Any

from cryptography.exceptions import InvalidSignature, InvalidTag
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.kdf.argon2 import Argon2id

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "vault"), str(HERE.parent / "circle")]
import read_vault  # noqa: E402
from circle_rules import NEW_HEADER, NEW_KEYS, CircleLog, State, Undecided, Withheld  # noqa: E402
from read_folder import LONGEST_SEGMENT, read_segment  # noqa: E402
from read_vault import (  # noqa: E402
    Entry,
    Refused,
    decode,
    encode,
    hkdf,
    key_from_text,
    readable,
    require,
    sha256,
    unseal,
)
from suites import XWing, open_sealed  # noqa: E402

# How many owner keys and recovery keys a header has at most.
LARGEST_OWNERS, LARGEST_RECOVERY = 16, 8

# What a file, an entry or a header that is not as the pages say may raise here.
FAULTS = (Refused, InvalidSignature, InvalidTag, ValueError, KeyError, TypeError, IndexError, AttributeError, OverflowError)


def public_key(seed: bytes) -> bytes:
    return Ed25519PrivateKey.from_private_bytes(seed).public_key().public_bytes_raw()


def ordered(array: list[list[Any]]) -> bool:
    """Whether the first elements are in order, each once."""
    return all(one[0] < other[0] for one, other in zip(array, array[1:]))


class Header:
    """The header of a circle."""

    def __init__(self, body: bytes, vault: bytes) -> None:
        require(len(body) <= 65_536 and sha256(body[:-32]) == body[-32:], "a damaged header")
        array = decode(body[:-32])
        require(array[:3] == ["ward", 1, "header"] and len(array) == 5, "no header")
        self.body, self.payload, self.mac = body, array[3], array[4]
        self.fields = fields = decode(self.payload)
        require(fields[1] == vault, "another vault's header")
        require(not {7, 8, 9, 15} & fields.keys(), "a header with keys that are sealed with X25519 alone")
        algorithm, passes, memory, lanes, salt = fields[3]
        require((algorithm, lanes, len(salt)) == (1, 1, 16), "another key derivation")
        require(3 <= passes <= 64 and 65_536 <= memory <= 1_048_576, "a key derivation outside the floors")
        self.epoch: int = fields[10]
        self.key_owner, self.owner_seeds = fields[12]
        require({13, 14, 17} <= fields.keys(), "a header without the keys of a circle")
        self.root: bytes | None = fields.get(16)
        require(self.root is None or len(self.root) == 32, "a root of another length")
        require(len(self.owner_seeds) <= LARGEST_OWNERS and len(fields[14]) <= LARGEST_RECOVERY, "a header with too many keys")
        require(len(self.key_owner) == 32 and ordered(self.owner_seeds), "owner keys out of order")
        require(all(len(seed) == 60 for _, seed in self.owner_seeds), "a sealed owner key of another length")
        require(ordered(fields[14]), "recovery keys out of order")
        self.recovery = {key: (seeds, proof) for key, seeds, proof in fields[14]}
        for seeds, proof in self.recovery.values():
            require(ordered(seeds), "owner keys out of order")
            require(len(seeds) <= LARGEST_OWNERS, "a header with too many keys")
            require(all(suite == 2 for _, suite, _, _ in seeds), "an owner key that is sealed with another suite")
            require(proof is None or len(proof) == 32, "a proof of another length")

    def unlock(self, passphrase: str, secret: bytes) -> tuple[bytes, dict[bytes, bytes]]:
        """The bundle of keys, and the seeds of the owner keys, with the passphrase and the Secret Key."""
        words = unicodedata.normalize("NFKD", passphrase).encode()
        require(1 <= len(words) <= 4096, "no passphrase")
        vault, fields = self.fields[1], self.fields
        require(hkdf(secret, vault, "ward/v1/secret-key/check", length=16) == fields[4], "another vault's Secret Key")
        _, passes, memory, _, salt = fields[3]
        stretched = Argon2id(salt=salt, length=32, iterations=passes, lanes=1, memory_cost=memory).derive(words)
        derivation = encode(fields[3])

        def key(purpose: str) -> bytes:
            return hkdf(stretched + secret, vault, f"ward/v1/unlock/{purpose}", derivation)

        require(hmac.compare_digest(key("commitment"), fields[5]), "another passphrase")
        bundle = unseal(key("wrap"), fields[6], encode(["ward", 1, "passphrase", vault, fields[3]]))
        seeds = {}
        for owner, sealed in self.owner_seeds:
            seeds[owner] = unseal(key("owner"), sealed, encode(["ward", 1, "owner", vault, owner, fields[3]]))
        return bundle, seeds

    def check(self, keys: Keys) -> None:
        """Compares the header with the keys that it names."""
        vault, current = self.fields[1], keys.named[self.epoch, self.key_owner]
        require(hkdf(current, vault, "ward/v1/commitment") == self.fields[11], "other keys than the header's")
        mac = hmac.new(hkdf(current, vault, "ward/v1/header"), self.payload, "sha256").digest()
        require(hmac.compare_digest(mac, self.mac), "a header that was changed")


@dataclass
class Keys:
    """The vault keys, by epoch and the owner key that came with each; `None` for one that no operation made."""

    named: dict[tuple[int, bytes | None], bytes]

    @classmethod
    def of(cls, bundle: bytes) -> Keys:
        named: dict[tuple[int, bytes | None], bytes] = {}
        for epoch, value in decode(bundle).items():
            if isinstance(value, bytes):
                named[epoch, None] = value
                continue
            require(bool(value) and ordered(value), "keys of an epoch out of order")
            named.update({(epoch, owner): key for owner, key in value})
        require(all(len(key) == 32 for key in named.values()), "a vault key of another length")
        return cls(named)

    def of_epoch(self, epoch: int) -> list[bytes]:
        return [key for (number, _), key in self.named.items() if number == epoch]

    def newest_first(self) -> list[bytes]:
        return [key for _, key in sorted(self.named.items(), key=lambda it: -it[0][0])]


class Circle:
    """A vault with a circle, from entries that came from anywhere."""

    def __init__(self, vault: bytes, records: dict[bytes, tuple[bytes, bytes | None]], root: bytes | None) -> None:
        """`records` has entries and their blobs by the hashes of the entries."""
        self.id, self.records = vault, records
        self.beginnings = sorted(hash for hash, (entry, _) in self.records.items() if decode(decode(entry)[0])[6] == 6)
        self.is_root_given = root is not None
        self.keys: Keys | None = None
        self.secrets: dict[str, Any] = {}
        self.owner_seeds: dict[bytes, bytes] = {}
        self.recovery_key: bytes | None = None
        self.is_root_proven = False
        if root is None and len(self.beginnings) == 1:
            root = self.beginnings[0]
        # With several, the header or the recovery key says which.
        self.root = root
        if root is not None:
            self._read(root)

    def _read(self, root: bytes) -> None:
        """Takes the entries, each behind all that it names, whatever the order in which they came."""
        self.log = CircleLog(self.id, root)
        self.refused: dict[bytes, str] = {}
        self.withheld: list[bytes] = []
        self.waiting = dict(self.records)
        while True:
            taken = 0
            for hash, (encoded, blob) in sorted(self.waiting.items()):
                try:
                    if not self.log.is_ready(encoded):
                        continue
                    self.log.read(encoded, blob)
                except Withheld:
                    self.withheld.append(hash)
                except InvalidSignature:
                    self.refused[hash] = "a wrong signature"
                except FAULTS as error:
                    self.refused[hash] = str(error) or type(error).__name__
                del self.waiting[hash]
                taken += 1
            if not taken:
                break
        require(root in self.log.entries, "the entry that begins the circle is not there")
        self.root = root
        self.everything = frozenset(self.log.entries)
        state = self.log.state(self.everything)
        assert state is not None
        self.state: State = state
        self.header = self._header(self.log.entries[state.header])

    def _header(self, entry: Entry) -> Header:
        """The header that an operation brought, which must agree with it."""
        assert entry.blob is not None
        header = Header(entry.blob, self.id)
        after = self.log.state(entry.past | {entry.hash})
        assert after is not None
        # The header of the root cannot have its hash.
        named = None if entry.hash == self.root else self.root
        require(header.root == named, "a header of another circle")
        require(header.fields[2] == after.generation, "a header of another generation than its entry says")
        require((header.epoch, header.key_owner) == (after.epoch, after.key_owner), "a header with another vault key")
        require([owner for owner, _ in header.owner_seeds] == sorted(after.owners), "a header with other owner keys")
        require(sorted(header.recovery) == sorted(after.recovery), "a header with other recovery keys")
        for key, (seeds, _) in header.recovery.items():
            # Nothing is sealed to a recovery key with a suite that its writer did not know.
            if after.recovery[key][0] != 2 and not seeds:
                continue
            require([owner for owner, _, _, _ in seeds] == sorted(after.owners), "a recovery key with other owner keys")
        return header

    # Opening

    def unlock(self, passphrase: str, secret_key: str) -> None:
        """Opens with the passphrase and the Secret Key. The header in force, which the keys confirm, names the root."""
        secret = key_from_text(secret_key, "ward/v1/secret-key", 16, 30)
        if self.root is not None:
            return self._unlock(passphrase, secret)
        for root in self.beginnings:
            try:
                self._read(root)
                return self._unlock(passphrase, secret)
            except FAULTS:
                continue
        self.root = None
        raise Refused("no circle that this passphrase opens")

    def _unlock(self, passphrase: str, secret: bytes) -> None:
        bundle, seeds = self.header.unlock(passphrase, secret)
        for owner, seed in seeds.items():
            self._take_owner(owner, seed)
        self.secrets = {"secretKey": secret}
        self._take(Keys.of(bundle), bundle)
        self.is_root_proven = True

    def recover(self, recovery_key: str) -> None:
        """Opens with the recovery key, in the order of the page; without `--root` the proof finds the root."""
        key = key_from_text(recovery_key, "ward/v1/recovery-key", 20, 36)
        public = public_key(hkdf(key, b"", "ward/v1/recovery/ed25519"))
        if not self.is_root_given:
            self._find_root(key, public)
        require(public in self.state.recovery, "a recovery key that is not in force")
        seeds, proof = self.header.recovery[public]
        require(self._proves(key, proof), "a circle that was not made with this recovery key")
        self.is_root_proven, self.recovery_key = True, public
        seed = hkdf(key, b"", "ward/v1/recovery/xwing")
        made = self.log.entries[self.state.key]
        sealed = {recipient: parts for recipient, *parts in made.body[3][5]}
        require(public in sealed, "the vault key is not sealed to this recovery key")
        info = encode(["ward", 1, "circle-key", self.id, self.state.epoch, public])
        opened = decode(open_sealed(sealed[public][0], seed, info, *sealed[public][1:]))
        current, self.secrets = opened[1], {"secretKey": opened[2]}
        require(len(current) == 32 and len(opened[2]) == 16, "sealed keys of another length")
        commitment = self._header(made).fields[11]
        require(hkdf(current, self.id, "ward/v1/commitment") == commitment, "another key than the operation's header has")
        check = hkdf(opened[2], self.id, "ward/v1/secret-key/check", length=16)
        require(check == self.header.fields[4], "another Secret Key than the header's")
        bundle = self._open_keys(self.header, current)
        keys = Keys.of(bundle)
        require(keys.named[self.state.epoch, self.state.key_owner] == current, "another key than the operation sealed")
        self._take(keys, bundle)
        for owner, suite, encapsulation, ciphertext in seeds:
            info = encode(["ward", 1, "owner-key", self.id, owner, public])
            self._take_owner(owner, open_sealed(suite, seed, info, encapsulation, ciphertext))
        require((2, XWing.public(seed)) == self.state.recovery[public], "a recovery key with another half for sealing")

    def _find_root(self, key: bytes, public: bytes) -> None:
        for root in self.beginnings:
            try:
                self._read(root)
            except FAULTS:
                continue
            if public in self.header.recovery and self._proves(key, self.header.recovery[public][1]):
                return
        raise Refused("no circle that was made with this recovery key")

    def _proves(self, key: bytes, proof: bytes | None) -> bool:
        right = hmac.new(hkdf(key, self.id, "ward/v1/recovery/circle"), self.id + self.root, "sha256").digest()
        return proof is not None and hmac.compare_digest(right, proof)

    def _take_owner(self, owner: bytes, seed: bytes) -> None:
        require(owner in self.state.owners and public_key(seed) == owner, "another owner key than the log names")
        self.owner_seeds[owner] = seed

    def _open_keys(self, header: Header, current: bytes) -> bytes:
        associated = encode(["ward", 1, "circle-keys", self.id, header.epoch, header.key_owner])
        return unseal(hkdf(current, self.id, "ward/v1/circle/keys"), header.fields[13], associated)

    def _take(self, keys: Keys, bundle: bytes) -> None:
        """Checks the keys against the header in force, the earlier headers and the genesis entry."""
        self.header.check(keys)
        require(self._open_keys(self.header, keys.named[self.header.epoch, self.header.key_owner]) == bundle, "other keys in field 13")
        before = {epoch for epoch, owner in keys.named if owner is None}
        require(before == set(range(len(before))) and before, "a key from before the circle is missing")
        made = {(entry.body[3][1], entry.body[3][2]) for entry in self.log.standing() if entry.operation in NEW_KEYS}
        require({name for name in keys.named if name[1] is not None} == made, "other keys than the operations made")
        authority = public_key(hkdf(keys.named[0, None], self.log.nonce, "ward/v1/authority"))
        require(authority == self.log.authority, "another authority")
        for entry in self.log.standing():
            if entry.operation in NEW_HEADER:
                header = self._header(entry)
                header.check(keys)
                earlier = Keys.of(self._open_keys(header, keys.named[header.epoch, header.key_owner]))
                require(earlier.named.items() <= keys.named.items(), "an earlier header with other keys")
                current = keys.named[header.epoch, header.key_owner]
                associated = encode(["ward", 1, "circle-secret-key", self.id, header.epoch, header.key_owner])
                secret_key = unseal(hkdf(current, self.id, "ward/v1/circle/secret-key"), header.fields[17], associated)
                check = hkdf(secret_key, self.id, "ward/v1/secret-key/check", length=16)
                require(check == header.fields[4], "another Secret Key in field 17")
        self.keys = keys

    # What is in it

    def name(self, device: bytes) -> str | None:
        """The newest name of a device that counts and that a key opens."""
        assert self.keys is not None
        named = [entry for entry in self.log.entries.values() if entry.operation == 130 and entry.device == device]
        named = [entry for entry in named if self.log.counts(entry, self.everything)]
        named.sort(key=lambda entry: -entry.sequence)
        named += [entry for entry in self.log.standing() if entry.operation == 7 and self.log.admitted(entry) == device]
        associated = encode(["ward", 1, "device-name", self.id, device])
        for entry in named:
            sealed = entry.body.get(4 if entry.operation == 7 else 1)
            for key in self.keys.newest_first():
                try:
                    require(len(sealed) <= 1_024, "a sealed name too long")
                    name = unseal(hkdf(key, self.id, "ward/v1/device-name", device), sealed, associated)
                    require(1 <= len(name) <= 200, "a name of another length")
                    return name.decode()
                except FAULTS:
                    continue
        return None

    def devices(self) -> list[dict[str, Any]]:
        found = []
        for device in sorted(self.state.members | self.state.removed.keys()):
            own = [entry for entry in self.log.entries.values() if entry.device == device]
            has_begun = any(entry.sequence == 1 for entry in own)
            status = "removed" if device in self.state.removed else "member" if has_begun else "waiting"
            one = {
                "device": device.hex(),
                "status": status,
                "entries": len(own),
                "counting": sum(self.log.counts(entry, self.everything) for entry in own),
                "lastHeard": max((entry.fields[4] >> 16 for entry in own), default=None),
                "hasKey": device in self.state.members and device not in self.state.lacking,
            }
            found.append(one | ({"name": self.name(device)} if self.keys else {}))
        return found

    def place(self) -> dict[str, Any] | None:
        """The server to which the vault was moved last; `None` if it never moved."""
        assert self.keys is not None
        moves = [entry for entry in self.log.standing() if entry.operation == 12 and 1 not in entry.body]
        # Of moves beside each other this program knows nothing: it has stopped there.
        moves = [entry for entry in moves if self.log.counts(entry, self.everything)][-1:]
        for entry in moves:
            for key in self.keys.newest_first():
                try:
                    derived = hkdf(key, self.id, "ward/v1/place")
                    addresses = decode(unseal(derived, entry.body[2], encode(["ward", 1, "place", self.id])))
                    require(all(len(one.encode()) <= 384 for one in addresses.values()), "an address too long")
                    return readable(addresses, {1: "address", 2: "before"})
                except FAULTS:
                    continue
        return None

    def open_item(self, revision: Entry) -> bytes:
        """The encoding of an item."""
        assert self.keys is not None
        require(revision.blob is not None, "a revision that is no longer kept")
        item, number, parents, epoch = (revision.body[key] for key in (1, 2, 3, 4))
        context = self.id + item + number.to_bytes(8, "big")
        associated = encode(["ward", 1, "item", self.id, item, number, parents, revision.device, revision.sequence])
        for key in self.keys.of_epoch(epoch):
            try:
                padded = unseal(hkdf(key, revision.blob[:32], "ward/v1/item", context), revision.blob[32:], associated)
            except InvalidTag:
                continue
            encoding = read_vault.unpad(padded)
            value = decode(encoding)
            require(value[0] == 1 and value[1] == item, "another item")
            named = sorted({attachment[5] for attachment in value.get(19, [])})
            require(named == revision.body.get(6, []), "other attached files than the log names")
            return encoding
        raise Refused("no key of the epoch opens the revision")

    open_attachment = read_vault.Vault.open_attachment

    def items(self) -> list[dict[str, Any]]:
        """Each item with each of its newest revisions; `None` for a value whose blob is not there."""
        found = []
        for item in sorted({entry.body[1] for entry in self.log.entries.values() if entry.operation == 3}):
            for revision in self.log.heads(item, self.everything):
                value = None
                if revision.blob is not None:
                    value = readable(decode(self.open_item(revision)), read_vault._ITEM)
                found.append({"item": item.hex(), "number": revision.number, "epoch": revision.body[4], "value": value})
        return found

    def read(self) -> dict[str, Any]:
        """Everything that the entries show."""
        require(self.root is not None, "not exactly one beginning of a circle: say which with --root")
        state = self.state
        found: dict[str, Any] = {
            "vault": self.id,
            "root": self.root,
            "isRootProven": self.is_root_proven,
            "entries": len(self.log.entries),
            "refused": {hash.hex(): reason for hash, reason in self.refused.items()},
            "withheld": [hash.hex() for hash in self.withheld],
            "waiting": len(self.waiting),
            "operations": len(self.log.standing()),
            "owners": sorted(state.owners),
            "recoveryKeys": sorted(state.recovery),
            "epoch": state.epoch,
            "isKeyClean": state.is_clean,
            "header": {"generation": state.generation, "sha256": sha256(self.header.body)},
            "devices": self.devices(),
        }
        if self.keys:
            found["secretKey"] = self.secrets["secretKey"]
            found["keys"] = [
                {"epoch": epoch, "owner": owner, "key": key} for (epoch, owner), key in sorted(self.keys.named.items(), key=str)
            ]
            found["place"] = self.place()
            found["items"] = self.items()
        return readable(found)


class Folder(Circle):
    """A vault in a folder, with the entries that can be read."""

    def __init__(self, folder: str | pathlib.Path, root: bytes | None, vault: str | None = None) -> None:
        places = sorted(path for path in (pathlib.Path(folder) / "ward").iterdir() if len(path.name) == 64)
        if vault is not None:
            places = [path for path in places if path.name == vault]
        require(len(places) == 1, "not exactly one vault: choose it with --vault")
        self.id = bytes.fromhex(places[0].name)
        self.refused_files: dict[str, str] = {}
        super().__init__(self.id, self._records(places[0]), root)

    def _records(self, place: pathlib.Path) -> dict[bytes, tuple[bytes, bytes | None]]:
        found: dict[bytes, tuple[bytes, bytes | None]] = {}
        for path in sorted(place.glob("*/*.seg")):
            if path.parent.name.startswith(".") or path.is_symlink() or not path.is_file():
                continue
            try:
                require(path.stat().st_size <= LONGEST_SEGMENT, "a file too long")
                records = read_segment(path.read_bytes(), self.id)
            except FAULTS as error:
                self.refused_files[f"{path.parent.name}/{path.name}"] = str(error)
                continue
            for entry, blob in records:
                hash = sha256(entry)
                found[hash] = (entry, found.get(hash, (entry, None))[1] or blob)
        return found

    def read(self) -> dict[str, Any]:
        return super().read() | {"files": {"refused": self.refused_files}}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--vault", help="vault ID in hexadecimal digits")
    parser.add_argument("--root", type=bytes.fromhex, help="hash of the entry that begins the circle")
    opener = parser.add_mutually_exclusive_group()
    opener.add_argument("--passphrase")
    opener.add_argument("--recovery-key")
    parser.add_argument("--secret-key")
    arguments = parser.parse_args()
    if (arguments.passphrase is None) != (arguments.secret_key is None):
        parser.error("--passphrase and --secret-key belong together")
    try:
        folder = Folder(arguments.folder, arguments.root, arguments.vault)
        if arguments.recovery_key is not None:
            folder.recover(arguments.recovery_key)
        elif arguments.passphrase is not None:
            folder.unlock(arguments.passphrase, arguments.secret_key)
        print(json.dumps(folder.read(), indent=2, ensure_ascii=False))
    except Undecided as undecided:
        sys.exit(f"read_circle.py: this program stops here: {undecided}")
    except FAULTS as fault:
        sys.exit(f"read_circle.py: refused: {str(fault) or type(fault).__name__}")


if __name__ == "__main__":
    main()
