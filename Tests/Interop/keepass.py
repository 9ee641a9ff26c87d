"""KeePass files that pykeepass writes, in the variants of the format."""

from __future__ import annotations

import os
from pathlib import Path

from construct import Container
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec
from pykeepass import PyKeePass, create_database

PASSWORD = "the file's own secret"
ATTACHED = b"\x00\x01hello" * 1000

DERIVATIONS = {"argon2d": "ef636ddf8c29444b91f7a9a403e30a0c", "argon2id": "9e298b1956db4773b23dfc3ec6f0a1e6"}
AES_KDF = "c9d9f39a628a4460bf740d08c18a4fea"


def write(path: Path) -> Path:
    """A file with a login that has everything, and a note."""
    file = create_database(str(path), password=PASSWORD)
    parameters = file.kdbx.header.value.dynamic_header.kdf_parameters.data.dict
    parameters["M"].value, parameters["I"].value = 1 << 20, 2
    group = file.add_group(file.add_group(file.root_group, "Work"), "Servers")
    entry = file.add_entry(group, "Exämple", "alice", "first", url="https://example.org/", notes="line 1\nline 2", tags=["x"])
    entry.save_history()
    entry.password = 'sec"ond'
    entry.touch(modify=True)
    entry.set_custom_property("PIN", "1234", protect=True)
    entry.set_custom_property("plain", "value")
    entry.set_custom_property("KP2A_URL", "androidapp://org.example")
    entry.otp = "otpauth://totp/Example:alice?secret=JBSWY3DPEHPK3PXP&digits=8&period=60&issuer=Example"
    entry.add_attachment(file.add_binary(ATTACHED), "a.bin")
    key = ec.generate_private_key(ec.SECP256R1()).private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    for name, value in {
        "USERNAME": "alice", "CREDENTIAL_ID": "AQIDBA", "PRIVATE_KEY_PEM": key.decode(), "RELYING_PARTY": "example.org",
        "USER_HANDLE": "BQYH", "FLAG_BE": "1", "FLAG_BS": "1",
    }.items():  # fmt: skip
        entry.set_custom_property(f"KPEX_PASSKEY_{name}", value, protect="KEY" in name)
    file.add_entry(file.root_group, "A note", "", "", notes="secret note")
    file.save()
    return path


def variant(source: Path, path: Path, *, cipher: str | None = None, derivation: str | None = None, compressed: bool = True) -> Path:
    """The same file with another cipher, key derivation or compression."""
    file = PyKeePass(str(source), password=PASSWORD)
    header = file.kdbx.header.value.dynamic_header
    if cipher:
        header.cipher_id.data = cipher
        header.encryption_iv.data = os.urandom(12 if cipher == "chacha20" else 16)
    header.compression_flags.data.compression = compressed
    parameters = header.kdf_parameters.data.dict
    if derivation in DERIVATIONS:
        parameters["$UUID"].value = bytes.fromhex(DERIVATIONS[derivation])
    elif derivation:
        for key in ("I", "M", "P", "V"):
            del parameters[key]
        parameters["$UUID"].value, parameters["$UUID"].next_byte = bytes.fromhex(AES_KDF), 0x42
        parameters["S"].value, parameters["S"].next_byte = os.urandom(32), 5
        parameters["R"] = Container(type=5, key="R", value=6000, next_byte=0)
    file.save(str(path))
    names = {"aes256": "31c1f2e6bf714350be5805216afc5aff", "chacha20": "d6038a2b8b6f4cb5a524339a31dbb59a"}
    wanted = [names.get(cipher or ""), {**DERIVATIONS, "aes-kdf": AES_KDF}.get(derivation or "")]
    assert all(bytes.fromhex(one) in path.read_bytes()[:1024] for one in wanted if one)
    return path
