#!/usr/bin/env python3
"""Writes exports as Bitwarden does, and beside each one the list of what is in it.

    Tests/TestVectors/exchange/make_bitwarden.py [FOLDER]

The passphrase of the encrypted ones is `correct horse`. Everything is derived from fixed seeds, so the files do not change.
This program knows nothing of the reader in Sources/WardExchange.
"""

import base64
import hashlib
import hmac
import json
import sys
import uuid
from pathlib import Path

from cryptography.hazmat.primitives import padding, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.argon2 import Argon2id
from cryptography.hazmat.primitives.kdf.hkdf import HKDFExpand

PASSPHRASE = "correct horse"


def seeded(name: str, length: int) -> bytes:
    return hashlib.shake_128(name.encode()).digest(length)


def b64(data: bytes) -> str:
    return base64.b64encode(data).decode()


def b64url(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def passkey_pkcs8(name: str) -> tuple[bytes, str]:
    """A private key of P-256, and its number in hexadecimal."""
    secret = int.from_bytes(seeded(name, 32), "big") % (1 << 255) + 1
    key = ec.derive_private_key(secret, ec.SECP256R1())
    der = key.private_bytes(
        serialization.Encoding.DER, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    return der, f"{secret:064x}"


def fido2(name: str, rp_id: str, user: str, counter: str, credential_id: str) -> dict:
    der, _ = passkey_pkcs8(name)
    return {
        "credentialId": credential_id, "keyType": "public-key", "keyAlgorithm": "ECDSA", "keyCurve": "P-256",
        "keyValue": b64url(der), "rpId": rp_id, "userHandle": b64url(seeded(name + "-user", 16)), "userName": user,
        "counter": counter, "rpName": rp_id.capitalize(), "userDisplayName": "Alice A.", "discoverable": "true",
        "creationDate": "2024-03-01T12:00:00.123Z",
    }


def item(kind: int, name: str, **values) -> dict:
    identifier = str(uuid.UUID(bytes=seeded(name, 16)))
    return {
        "passwordHistory": None, "revisionDate": "2025-01-02T03:04:05.678Z", "creationDate": "2024-01-02T03:04:05.678Z",
        "deletedDate": None, "id": identifier, "organizationId": None, "folderId": None, "type": kind, "reprompt": 0,
        "name": name, "notes": None, "favorite": False, "collectionIds": None, **values,
    }


GUID = uuid.UUID(bytes=seeded("guid", 16))
LONG_ID = seeded("long", 64)
SECRET = b"12345678901234567890"
SECRET32 = base64.b32encode(SECRET).decode()


def document() -> dict:
    folder = str(uuid.UUID(bytes=seeded("folder", 16)))
    return {
        "encrypted": False,
        "folders": [{"id": folder, "name": "Work/Mail"}],
        "items": [
            item(
                1, "Example", folderId=folder, favorite=True, notes="line 1\nline 2 é😀", reprompt=1,
                fields=[
                    {"name": "PIN", "value": "4711", "type": 1, "linkedId": None},
                    {"name": "Nick", "value": "ally", "type": 0, "linkedId": None},
                    {"name": "Stay", "value": "true", "type": 2, "linkedId": None},
                    {"name": "As user", "value": None, "type": 3, "linkedId": 100},
                ],
                login={
                    "uris": [
                        {"match": None, "uri": "https://example.com/login"}, {"match": 1, "uri": "https://a.example.com"},
                        {"match": 3, "uri": "https://example.com/exact"}, {"match": 5, "uri": "https://no.example.com"},
                        {"match": 4, "uri": "^https://.*$"}, {"match": None, "uri": "androidapp://com.example.app"},
                    ],
                    "username": "alice@example.com", "password": 'p"w, \\ ü', "totp": f"otpauth://totp/Ex:alice?secret={SECRET32}",
                    "fido2Credentials": [
                        fido2("one", "example.com", "alice@example.com", "0", str(GUID)),
                        fido2("two", "example.com", "alice2", "7", "b64." + b64url(seeded("counted", 32))),
                        fido2("three", "example.com", "alice3", 0, "b64." + b64url(LONG_ID)),
                    ],
                },
                passwordHistory=[
                    {"lastUsedDate": "2024-06-01T00:00:00.000Z", "password": "older"},
                    {"lastUsedDate": "2024-02-01T00:00:00.000Z", "password": "oldest"},
                ],
            ),
            item(1, "Steam", login={"uris": [{"uri": "steampowered.com"}], "username": "gamer", "password": "pw2",
                                    "totp": f"steam://{SECRET32}"}),
            item(1, "Bare code", login={"uris": None, "username": None, "password": None,
                                        "totp": " ".join(SECRET32[i:i + 4] for i in range(0, 32, 4)).lower()}),
            item(1, "Broken code", login={"username": "u", "password": "p", "totp": "not base32 !!"}),
            item(2, "A note", notes="top secret note", secureNote={"type": 0}),
            item(3, "A card", card={"cardholderName": "Alice A.", "brand": "Visa", "number": "4111111111111111",
                                    "expMonth": "4", "expYear": "2031", "code": "123"}),
            item(4, "A person", identity={
                "title": "Dr", "firstName": "Alice", "middleName": "B.", "lastName": "Adams", "address1": "1 Road",
                "address2": "Flat 2", "address3": None, "city": "Town", "state": "ST", "postalCode": "12345", "country": "US",
                "company": "ACME", "email": "alice@example.com", "phone": "+1 555", "ssn": "078-05-1120", "username": "alice",
                "passportNumber": "P123", "licenseNumber": "L456"}),
            item(5, "A key", sshKey={"privateKey": "-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA\n-----END OPENSSH PRIVATE KEY-----",
                                     "publicKey": "ssh-ed25519 AAAA", "keyFingerprint": "SHA256:abc"}),
            item(99, "From the future", future={"secret": "kept"}),
            item(1, "Thrown away", deletedDate="2025-05-05T00:00:00.000Z", login={"username": "gone", "password": "gone"}),
        ],
    }


def code(secret: bytes = SECRET, kind: str = "totp") -> str:
    return f"{kind}:{secret.hex()}"


def passkey(name: str, identifier: bytes) -> dict:
    return {"id": identifier.hex(), "rp": "example.com", "user": seeded(name + "-user", 16).hex(),
            "key": passkey_pkcs8(name)[1]}


def contents() -> list[dict]:
    """Every item's sites, user, secrets, codes and passkeys, as a person who reads the document would list them."""
    def entry(title: str, sites=(), user="", secrets=(), codes=(), passkeys=()) -> dict:
        return {"title": title, "sites": sorted(sites), "user": user, "secrets": sorted(secrets), "codes": sorted(codes),
                "passkeys": sorted(passkeys, key=lambda key: key["id"])}

    return [
        entry("Example",
              ["https://example.com/login", "https://a.example.com", "https://example.com/exact", "https://no.example.com",
               "^https://.*$", "com.example.app"],
              "alice@example.com", ['p"w, \\ ü', "older", "oldest", "4711", "line 1\nline 2 é😀"], [code()],
              [passkey("one", GUID.bytes), passkey("three", LONG_ID)]),
        entry("Steam", ["steampowered.com"], "gamer", ["pw2"], [code(kind="steam")]),
        entry("Bare code", codes=[code()]),
        entry("Broken code", user="u", secrets=["p", "not base32 !!"]),
        entry("A note", secrets=["top secret note"]),
        entry("A card", secrets=["4111111111111111", "123"]),
        entry("A person", user="alice", secrets=["078-05-1120"]),
        entry("A key", secrets=["-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA\n-----END OPENSSH PRIVATE KEY-----"]),
        entry("From the future"),
    ]


def seal(plain: bytes, key: bytes, name: str) -> str:
    """Encrypted and authenticated text of type 2."""
    enc, mac = (HKDFExpand(SHA256(), 32, info).derive(key) for info in (b"enc", b"mac"))
    padder = padding.PKCS7(128).padder()
    iv = seeded(name + "-iv", 16)
    cipher = Cipher(algorithms.AES(enc), modes.CBC(iv)).encryptor()
    body = cipher.update(padder.update(plain) + padder.finalize()) + cipher.finalize()
    tag = hmac.new(mac, iv + body, hashlib.sha256).digest()
    return "2." + "|".join(b64(part) for part in (iv, body, tag))


def encrypted(argon2: bool) -> dict:
    name = "argon2" if argon2 else "pbkdf2"
    salt = b64(seeded(name + "-salt", 16))
    outer = {"encrypted": True, "passwordProtected": True, "salt": salt, "kdfType": int(argon2)}
    if argon2:
        outer |= {"kdfIterations": 2, "kdfMemory": 16, "kdfParallelism": 4}
        kdf = Argon2id(salt=hashlib.sha256(salt.encode()).digest(), length=32, iterations=2, lanes=4, memory_cost=16 * 1024)
        key = kdf.derive(PASSPHRASE.encode())
    else:
        outer |= {"kdfIterations": 5000}
        key = hashlib.pbkdf2_hmac("sha256", PASSPHRASE.encode(), salt.encode(), 5000)
    plain = json.dumps(document(), ensure_ascii=False, indent=2).encode()
    return outer | {
        "encKeyValidation_DO_NOT_EDIT": seal(str(uuid.UUID(bytes=seeded("check", 16))).encode(), key, name + "-check"),
        "data": seal(plain, key, name),
    }


def decrypt(text: str, passphrase: str) -> dict:
    """The document inside of an encrypted export that another program wrote."""
    outer = json.loads(text)
    if outer["kdfType"] == 0:
        key = hashlib.pbkdf2_hmac("sha256", passphrase.encode(), outer["salt"].encode(), outer["kdfIterations"])
    else:
        kdf = Argon2id(salt=hashlib.sha256(outer["salt"].encode()).digest(), length=32, iterations=outer["kdfIterations"],
                       lanes=outer["kdfParallelism"], memory_cost=outer["kdfMemory"] * 1024)
        key = kdf.derive(passphrase.encode())
    enc, mac = (HKDFExpand(SHA256(), 32, info).derive(key) for info in (b"enc", b"mac"))
    iv, body, tag = (base64.b64decode(part) for part in outer["data"].removeprefix("2.").split("|"))
    assert hmac.compare_digest(tag, hmac.new(mac, iv + body, hashlib.sha256).digest())
    cipher = Cipher(algorithms.AES(enc), modes.CBC(iv)).decryptor()
    unpadder = padding.PKCS7(128).unpadder()
    return json.loads(unpadder.update(cipher.update(body) + cipher.finalize()) + unpadder.finalize())


def main() -> None:
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parent)
    files = {"bitwarden.json": document(), "bitwarden-pbkdf2.json": encrypted(False), "bitwarden-argon2.json": encrypted(True),
             "bitwarden.contents.json": contents()}
    for name, value in files.items():
        (folder / name).write_text(json.dumps(value, ensure_ascii=False, indent=1) + "\n")


if __name__ == "__main__":
    main()
