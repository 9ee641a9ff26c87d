#!/usr/bin/env python3
"""Writes exports as the authenticator apps Aegis, 2FAS and Google Authenticator do, and the list of what is in them.

    Tests/TestVectors/exchange/make_codes.py [FOLDER]

The passphrase of the encrypted ones is `correct horse`. Everything is derived from fixed seeds, so the files do not change.
This program knows nothing of the readers in Sources/WardExchange.
"""

import base64
import hashlib
import json
import sys
import uuid
from pathlib import Path
from urllib.parse import quote

from cryptography.hazmat.primitives.ciphers.aead import AESGCM

PASSPHRASE = b"correct horse"


def seeded(name: str, length: int) -> bytes:
    return hashlib.shake_128(name.encode()).digest(length)


def b32(data: bytes) -> str:
    return base64.b32encode(data).decode().rstrip("=")


def b64(data: bytes) -> str:
    return base64.b64encode(data).decode()


# Issuer, account, kind, algorithm, digits, period or counter.
ENTRIES = [
    ("Example", "alice@example.com", "totp", "SHA1", 6, 30),
    ("Bank & Söhne", "a:b", "totp", "SHA256", 8, 60),
    ("Old", "counter", "hotp", "SHA1", 6, 41),
    ("Steam", "gamer", "steam", "SHA1", 5, 30),
    ("", "no issuer", "totp", "SHA512", 7, 30),
]


def secret(index: int) -> bytes:
    return seeded(f"secret {index}", 20)


def contents(kinds: tuple[str, ...]) -> list[dict]:
    return [
        {"title": issuer or account, "sites": [], "user": account, "secrets": [], "passkeys": [],
         "codes": [f"{kind}:{secret(index).hex()}"]}
        for index, (issuer, account, kind, *_) in enumerate(ENTRIES) if kind in kinds
    ]


def aegis_database() -> dict:
    group = str(uuid.UUID(bytes=seeded("group", 16)))
    entries = []
    for index, (issuer, account, kind, algorithm, digits, number) in enumerate(ENTRIES):
        info = {"secret": b32(secret(index)), "algo": algorithm, "digits": digits,
                "counter" if kind == "hotp" else "period": number}
        entries.append({"type": kind, "uuid": str(uuid.UUID(bytes=seeded(f"entry {index}", 16))), "name": account,
                        "issuer": issuer, "note": "", "favorite": index == 0, "icon": None, "info": info,
                        "groups": [group] if index == 0 else []})
    entries.append({"type": "motp", "uuid": str(uuid.UUID(bytes=seeded("motp", 16))), "name": "phone", "issuer": "Mobile",
                    "note": "", "favorite": False, "icon": None, "groups": [],
                    "info": {"secret": "AAAAAAAA", "algo": "MD5", "digits": 6, "period": 10, "pin": "1234"}})
    return {"version": 3, "entries": entries, "groups": [{"uuid": group, "name": "Private"}], "icons_optimized": True}


def aegis_plain() -> dict:
    return {"version": 1, "header": {"slots": None, "params": None}, "db": aegis_database()}


def aegis_encrypted() -> dict:
    master, salt = seeded("aegis master", 32), seeded("aegis salt", 32)
    cost = {"n": 1024, "r": 8, "p": 1}
    key = hashlib.scrypt(PASSPHRASE, salt=salt, **cost, dklen=32)

    def seal(name: str, key: bytes, plain: bytes) -> tuple[bytes, dict]:
        nonce = seeded(name, 12)
        sealed = AESGCM(key).encrypt(nonce, plain, None)
        return sealed[:-16], {"nonce": nonce.hex(), "tag": sealed[-16:].hex()}

    wrapped, wrapped_params = seal("slot", key, master)
    other, other_params = seal("biometric", seeded("device", 32), master)
    body, params = seal("body", master, json.dumps(aegis_database(), ensure_ascii=False).encode())
    return {"version": 1, "header": {"slots": [
        {"type": 2, "uuid": str(uuid.UUID(int=1)), "key": other.hex(), "key_params": other_params},
        {"type": 1, "uuid": str(uuid.UUID(int=2)), "key": wrapped.hex(), "key_params": wrapped_params, **cost,
         "salt": salt.hex(), "repaired": True, "is_backup": False},
    ], "params": params}, "db": b64(body)}


def twofas_services() -> list[dict]:
    services = []
    for index, (issuer, account, kind, algorithm, digits, number) in enumerate(ENTRIES):
        otp = {"label": f"{issuer}:{account}", "account": account, "issuer": issuer, "digits": digits, "algorithm": algorithm,
               "tokenType": kind.upper(), "source": "Link", ("counter" if kind == "hotp" else "period"): number}
        services.append({"name": issuer or account, "secret": b32(secret(index)), "updatedAt": 1700000000000, "otp": otp,
                         "order": {"position": index}, "icon": {"selected": "Label"},
                         **({"groupId": "group-1"} if index == 0 else {})})
    return services


def twofas(encrypted: bool) -> dict:
    outer = {"groups": [{"id": "group-1", "name": "Private", "isExpanded": True}], "updatedAt": 1700000000000,
             "schemaVersion": 4, "appVersionCode": 5000017, "appVersionName": "5.3.2", "appOrigin": "android"}
    if not encrypted:
        return {"services": twofas_services(), **outer}

    def seal(name: str, plain: bytes) -> str:
        salt, nonce = seeded("2fas salt", 256), seeded(name, 12)
        key = hashlib.pbkdf2_hmac("sha256", PASSPHRASE, salt, 10000, 32)
        return ":".join(b64(part) for part in (AESGCM(key).encrypt(nonce, plain, None), salt, nonce))

    return {"services": [], **outer,
            "servicesEncrypted": seal("services", json.dumps(twofas_services(), ensure_ascii=False).encode()),
            "reference": seal("reference", b"tRViSsLKzd86Hprh4ceC2OP7xazn4rrt")}


def varint(number: int) -> bytes:
    out = bytearray()
    while True:
        out.append(number & 0x7F | (0x80 if number > 0x7F else 0))
        number >>= 7
        if not number:
            return bytes(out)


def field(number: int, value: int | bytes) -> bytes:
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    return varint(number << 3 | 2) + varint(len(value)) + value


def migration(indices: list[int], index: int, count: int) -> str:
    message = b""
    for number in indices:
        issuer, account, kind, algorithm, digits, value = ENTRIES[number]
        entry = field(1, secret(number)) + field(2, account.encode()) + field(3, issuer.encode())
        entry += field(4, {"SHA1": 1, "SHA256": 2, "SHA512": 3}[algorithm]) + field(5, {6: 1, 8: 2}[digits])
        entry += field(6, 1 if kind == "hotp" else 2) + (field(7, value) if kind == "hotp" else b"")
        message += field(1, entry)
    message += field(2, 1) + field(3, count) + field(4, index) + field(5, 77)
    return "otpauth-migration://offline?data=" + quote(b64(message), safe="")


def lines() -> str:
    """A transfer of two QR codes, and a link between them."""
    issuer, account, _, algorithm, digits, period = ENTRIES[4]
    link = f"otpauth://totp/{quote(account)}?secret={b32(secret(4))}&algorithm={algorithm}&digits={digits}&period={period}"
    return "\r\n".join([migration([0, 1], 0, 2), "", link, migration([2], 1, 2)]) + "\r\n"


def main() -> None:
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parent)
    everything = ("totp", "hotp", "steam")
    files = {
        "aegis.json": aegis_plain(), "aegis-encrypted.json": aegis_encrypted(), "2fas.json": twofas(False),
        "2fas-encrypted.json": twofas(True), "codes.contents.json": contents(everything),
    }
    for name, value in files.items():
        (folder / name).write_text(json.dumps(value, ensure_ascii=False, indent=1) + "\n")
    (folder / "otpauth.txt").write_text(lines(), newline="")
    listed = contents(everything)
    (folder / "otpauth.contents.json").write_text(
        json.dumps([listed[0], listed[1], listed[4], listed[2]], ensure_ascii=False, indent=1) + "\n")


if __name__ == "__main__":
    main()
