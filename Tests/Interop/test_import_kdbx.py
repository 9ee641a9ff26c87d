"""`ward import` reads what pykeepass writes: each cipher, each key derivation, compressed or not."""

from __future__ import annotations

import json

import keepass
import pytest

VARIANTS = [
    {"cipher": "aes256", "derivation": "argon2d"}, {"cipher": "chacha20", "derivation": "argon2id"},
    {"cipher": "aes256", "derivation": "aes-kdf", "compressed": False}, {"cipher": "chacha20", "compressed": False},
]  # fmt: skip


def test_every_variant_has_the_same_content(vault, tmp_path):
    secrets = {"--file-passphrase-fd": keepass.PASSWORD}
    original = keepass.write(tmp_path / "original.kdbx")
    report = json.loads(vault.ok("import", str(original), "--apply", "--json", secrets=secrets))
    assert report["counts"]["added"] == 2 and report["notices"] == []
    item = vault.json("show", "Exämple", "--reveal")
    assert (item["username"], item["password"]["value"], item["notes"]) == ("alice", 'sec"ond', "line 1\nline 2")
    assert [one["value"] for one in item["password"]["history"]] == ["first"]
    assert {one["address"] for one in item["sites"]} == {"https://example.org/", "androidapp://org.example"}
    assert [one["rpID"] for one in item["passkeys"]] == ["example.org"] and len(item["codes"]) == 1
    assert [(one["name"], one["size"]) for one in item["attachments"]] == [("a.bin", len(keepass.ATTACHED))]
    for number, words in enumerate(VARIANTS):
        file = keepass.variant(original, tmp_path / f"{number}.kdbx", **words)
        again = json.loads(vault.ok("import", str(file), "--json", secrets=secrets))
        assert again["counts"]["unchanged"] == 2, words
        with pytest.raises(AssertionError):
            vault.ok("import", str(file), secrets={"--file-passphrase-fd": "wrong"})
