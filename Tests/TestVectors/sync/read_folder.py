#!/usr/bin/env python3
"""Reads a Ward vault together with a folder that devices sync, from nothing but the pages in Documentation/formats, and prints JSON.

    read_folder.py VAULT FOLDER --recovery-key TEXT      with VAULT/vault.db

Nothing is written. Every check of `vault.md` is made for the entries of the folder too, and those of `sync.md`, section "Folder", for
the files. Needs `cryptography` 44 or later and the standard library. Meant for tests and for the curious: keys are not wiped, and
secrets are printed.
"""

from __future__ import annotations

import argparse
import json
import pathlib
import sys
from collections.abc import Iterator

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "vault"))
import read_vault  # noqa: E402
from read_vault import Refused, decode, require, sha256  # noqa: E402

LONGEST_SEGMENT = 8 << 20
LONGEST_ENTRY = 65_536
LONGEST_BLOB = (1 << 20) + (128 << 10)


def sequence(data: bytes) -> Iterator[object]:
    """The values of a CBOR sequence (RFC 8742)."""
    at = 0
    while at < len(data):
        value, at = read_vault._decode(data, at, 0)
        yield value


def named_hash(fields: dict) -> bytes | None:
    """The hash of the blob that an entry names."""
    body, operation = fields[7], fields[6]
    if operation in (6, 9, 10, 11):
        return body[3][4]
    return {3: body.get(5), 20: body.get(2), 5: body.get(2)}.get(operation)


def read_segment(data: bytes, vault: bytes) -> list[tuple[bytes, bytes | None]]:
    """The records of a file."""
    require(len(data) <= LONGEST_SEGMENT, "a file too long")
    header, *records = sequence(data)
    require(isinstance(header, list) and header[:3] == ["ward", 1, "segment"] and len(header) == 5, "no segment")
    require(header[3] == vault, "another vault's segment")
    require(bool(records), "a segment without a record")
    for entry, blob in records:
        require(isinstance(entry, bytes) and len(entry) <= LONGEST_ENTRY, "an entry too long")
        fields = decode(decode(entry)[0])
        require(fields[1] == header[4], "an entry of another device")
        if blob is not None:
            require(len(blob) <= LONGEST_BLOB and sha256(blob) == named_hash(fields), "another blob than the entry names")
    return [(entry, blob) for entry, blob in records]


class Vault(read_vault.Vault):
    """A vault with what other devices wrote into a folder."""

    def __init__(self, folder: str | pathlib.Path, remote: str | pathlib.Path) -> None:
        super().__init__(folder)
        self.remote = pathlib.Path(remote) / "ward" / self.id.hex()

    def records(self) -> list[tuple[bytes, bytes | None]]:
        found: dict[bytes, bytes | None] = {}
        for path in sorted(self.remote.glob("*/*.seg")):
            for entry, blob in read_segment(path.read_bytes(), self.id):
                found[entry] = found.get(entry) or blob
        return list(found.items())

    def rows(self) -> Iterator[tuple[int, int, bytes, bytes | None]]:
        """The rows of the vault, and behind them the entries of the folder, each behind all that it names."""
        places: dict[bytes, int] = {}
        for position, previous, entry, blob in super().rows():
            places[sha256(entry)] = position
            yield position, previous, entry, blob
        waiting = [record for record in self.records() if sha256(record[0]) not in places]
        while waiting:
            left = []
            for entry, blob in waiting:
                fields = decode(decode(entry)[0])
                body, operation = fields[7], fields[6]
                parents = {3: body.get(3), 4: body.get(2)}.get(operation) or []
                named = [fields[3]] if 3 in fields else []
                named += [seen for _, _, seen in fields.get(5, [])] + parents
                if any(hash not in places for hash in named):
                    left.append((entry, blob))
                    continue
                places[sha256(entry)] = len(places) + 1
                yield len(places), places[parents[0]] if parents else 0, entry, blob if operation in (3, 20) else None
            if len(left) == len(waiting):
                raise Refused("an entry is missing that others name")
            waiting = left


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("vault")
    parser.add_argument("folder")
    parser.add_argument("--recovery-key", required=True)
    arguments = parser.parse_args()
    vault = Vault(arguments.vault, arguments.folder)
    vault.recover(arguments.recovery_key)
    print(json.dumps(read_vault.read(vault), indent=2, ensure_ascii=False))


if __name__ == "__main__":
    main()
