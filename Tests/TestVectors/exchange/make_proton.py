#!/usr/bin/env python3
"""Writes exports as Proton Pass and 1Password (1PUX) do, and the lists of what is in them.

    Tests/TestVectors/exchange/make_proton.py [FOLDER]

Everything is derived from fixed seeds, so the files do not change. This program knows nothing of the readers in Sources/WardExchange.
"""

import base64
import hashlib
import json
import sys
import zipfile
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric import ec

SECRET = b"12345678901234567890"
SECRET32 = base64.b32encode(SECRET).decode()


def seeded(name: str, length: int) -> bytes:
    return hashlib.shake_128(name.encode()).digest(length)


def b64(data: bytes) -> str:
    return base64.b64encode(data).decode()


def pack(value) -> bytes:
    """MessagePack, with bytes as arrays of numbers, as Rust's serde writes a vector."""
    if value is None:
        return b"\xc0"
    if isinstance(value, bool):
        return b"\xc3" if value else b"\xc2"
    if isinstance(value, int):
        if 0 <= value < 128:
            return bytes([value])
        if -32 <= value < 0:
            return (value & 0xFF).to_bytes(1, "big")
        return b"\xcc" + value.to_bytes(1, "big") if 0 <= value < 256 else b"\xd2" + value.to_bytes(4, "big", signed=True)
    if isinstance(value, str):
        data = value.encode()
        return (bytes([0xA0 | len(data)]) if len(data) < 32 else b"\xd9" + bytes([len(data)])) + data
    if isinstance(value, (bytes, list, tuple)):
        items = list(value)
        head = bytes([0x90 | len(items)]) if len(items) < 16 else b"\xdc" + len(items).to_bytes(2, "big")
        return head + b"".join(pack(item) for item in items)
    assert isinstance(value, dict) and len(value) < 16
    return bytes([0x80 | len(value)]) + b"".join(pack(key) + pack(item) for key, item in value.items())


def scalar(name: str) -> int:
    return int.from_bytes(seeded(name, 32), "big") % (1 << 255) + 1


def proton_passkey(name: str, counter: int | None) -> dict:
    secret = scalar(name)
    public = ec.derive_private_key(secret, ec.SECP256R1()).public_key().public_numbers()

    def number(value: int) -> dict:
        return {"t": "int", "c": {"inner": value.to_bytes(16, "little", signed=True)}}

    parameters = [
        ({"t": "int", "c": -1}, number(1)), ({"t": "int", "c": -2}, {"t": "bytes", "c": public.x.to_bytes(32, "big")}),
        ({"t": "int", "c": -3}, {"t": "bytes", "c": public.y.to_bytes(32, "big")}),
        ({"t": "int", "c": -4}, {"t": "bytes", "c": secret.to_bytes(32, "big")}),
    ]
    inner = {
        "key": {"kty": {"t": "assign", "c": "EC2"}, "kid": b"", "alg": {"t": "assign", "c": "ES256"}, "kops": [], "biv": b"",
                "par": parameters},
        "cid": seeded(name + "-id", 16), "rid": "example.com", "uhd": seeded(name + "-user", 16), "cnt": counter,
        "ext": {"hmac_secret": None},
    }
    return {
        "keyId": name, "content": b64(pack({"c": pack(inner), "v": 1})), "domain": "example.com", "rpId": "example.com",
        "rpName": "Example", "userName": "alice", "userDisplayName": "Alice A.", "userId": b64(seeded(name + "-user", 16)),
        "createTime": 1710000000, "note": "", "credentialId": b64(seeded(name + "-id", 16)),
        "userHandle": b64(seeded(name + "-user", 16)), "creationData": None,
    }


def proton() -> dict:
    def item(kind: str, name: str, content: dict, note: str = "", extra=(), **more) -> dict:
        return {"itemId": name, "shareId": "share", "data": {
            "metadata": {"name": name, "note": note, "itemUuid": "x"}, "extraFields": list(extra), "type": kind,
            "content": content}, "state": 1, "aliasEmail": None, "contentFormatVersion": 7, "createTime": 1700000000,
            "modifyTime": 1700000001, "pinned": False, **more}

    login = {"itemEmail": "alice@example.com", "itemUsername": "alice", "password": "pä ss", "urls": ["https://example.com/"],
             "totpUri": f"otpauth://totp/x?secret={SECRET32}", "passkeys": [proton_passkey("p1", 0), proton_passkey("p2", 3)]}
    return {"version": "1.32.0", "userId": "user", "encrypted": False, "vaults": {"share": {
        "name": "Personal", "description": "", "display": {}, "items": [
            item("login", "Example", login, "a note", [
                {"fieldName": "PIN", "type": "hidden", "data": {"content": "4711"}},
                {"fieldName": "Second", "type": "totp", "data": {"totpUri": SECRET32}},
                {"fieldName": "Hint", "type": "text", "data": {"content": "blue"}}], pinned=True),
            item("login", "Only mail", {"itemEmail": "bob@example.com", "itemUsername": "", "password": "pw", "urls": [],
                                        "totpUri": "", "passkeys": []}),
            item("note", "A note", {}, "secret note"),
            item("creditCard", "A card", {"cardholderName": "Alice", "cardType": 0, "number": "4111111111111111",
                                          "verificationNumber": "123", "expirationDate": "2031-04", "pin": "9999"}),
            item("alias", "An alias", {}, aliasEmail="x.y@passmail.net"),
            item("wifi", "Home", {"ssid": "home", "password": "wifi pw", "security": 2, "sections": []}),
            item("identity", "A person", {"fullName": "Alice Adams", "email": "alice@example.com", "socialSecurityNumber": "1-2",
                                          "extraSections": [{"sectionName": "More", "sectionFields": [
                                              {"fieldName": "Club", "type": "hidden", "data": {"content": "77"}}]}]}),
            item("login", "Thrown away", login, state=2),
        ]}}}


def one_password() -> tuple[dict, dict[str, bytes]]:
    def item(category: str, title: str, details: dict, overview=None, **more) -> dict:
        return {"uuid": title, "favIndex": 0, "createdAt": 1700000000, "updatedAt": 1700000001, "state": "active",
                "categoryUuid": category, "details": {"loginFields": [], "notesPlain": "", "sections": [],
                                                      "passwordHistory": [], **details},
                "overview": {"subtitle": "", "urls": [], "title": title, "url": "", "ps": 0, "tags": [], **(overview or {})},
                **more}

    def field(title: str, kind: str, value) -> dict:
        return {"title": title, "id": title, "value": {kind: value}, "guarded": False, "multiline": False}

    login = item("001", "Example", {
        "loginFields": [
            {"value": "alice", "id": "", "name": "user", "fieldType": "T", "designation": "username"},
            {"value": "p w", "id": "", "name": "pass", "fieldType": "P", "designation": "password"},
            {"value": "✓", "id": "", "name": "remember", "fieldType": "C"}],
        "notesPlain": "a note",
        "sections": [{"title": "Security", "name": "s1", "fields": [
            field("one-time password", "totp", f"otpauth://totp/x?secret={SECRET32}"), field("PIN", "concealed", "4711"),
            field("Since", "date", 1577836800), field("Until", "monthYear", 203104), field("Mail", "email", {
                "email_address": "alice@example.com", "provider": None}),
            field("Where", "address", {"street": "1 Road", "city": "Town", "country": "us", "zip": "12345", "state": "ST"})]}],
        "passwordHistory": [{"value": "older", "time": 1600000000}],
    }, {"urls": [{"label": "website", "url": "https://example.com"}, {"label": "", "url": "https://b.example.com"}],
        "tags": ["Work"]}, favIndex=3)
    card = item("002", "A card", {"sections": [{"title": "", "name": "", "fields": [
        {**field("cardholder name", "string", "Alice"), "id": "cardholder"},
        {**field("type", "creditCardType", "visa"), "id": "type"},
        {**field("number", "creditCardNumber", "4111111111111111"), "id": "ccnum"},
        {**field("verification number", "concealed", "123"), "id": "cvv"},
        {**field("expiry date", "monthYear", 203104), "id": "expiry"}]}]})
    document = item("006", "A file", {"documentAttributes": {"fileName": "a.txt", "documentId": "doc1", "decryptedSize": 5}})
    items = [
        login, item("003", "A note", {"notesPlain": "secret note"}), item("005", "A password", {"password": "lonely"}), card,
        document, item("114", "A key", {"sections": [{"title": "", "name": "", "fields": [field("private key", "sshKey", {
            "privateKey": "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n",
            "metadata": {"publicKey": "ssh-ed25519 AAAA", "fingerprint": "SHA256:x", "keyType": "ed25519"}})]}]}),
        item("001", "Archived", {}, state="archived"),
    ]
    return {"accounts": [{"attrs": {"accountName": "Alice"}, "vaults": [
        {"attrs": {"uuid": "v", "name": "Private", "type": "P"}, "items": items}]}]}, {"doc1__a.txt": b"hello"}


def entry(title, sites=(), user="", secrets=(), codes=(), passkeys=()) -> dict:
    return {"title": title, "sites": sorted(sites), "user": user, "secrets": sorted(secrets), "codes": sorted(codes),
            "passkeys": list(passkeys)}


CODE = "totp:" + SECRET.hex()


def proton_contents() -> list[dict]:
    key = {"id": seeded("p1-id", 16).hex(), "rp": "example.com", "user": seeded("p1-user", 16).hex(),
           "key": f"{scalar('p1'):064x}"}
    return [
        entry("Example", ["https://example.com/"], "alice", ["pä ss", "a note", "4711"], [CODE, CODE], [key]),
        entry("Only mail", user="bob@example.com", secrets=["pw"]), entry("A note", secrets=["secret note"]),
        entry("A card", secrets=["4111111111111111", "123", "9999"]), entry("An alias", user="x.y@passmail.net"),
        entry("Home", secrets=["wifi pw"]), entry("A person", secrets=["1-2", "77"]),
    ]


def one_password_contents() -> list[dict]:
    return [
        entry("Example", ["https://example.com", "https://b.example.com"], "alice", ["p w", "a note", "older", "4711"], [CODE]),
        entry("A note", secrets=["secret note"]), entry("A password", secrets=["lonely"]),
        entry("A card", secrets=["4111111111111111", "123"]), entry("A file"),
        entry("A key", secrets=["-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"]), entry("Archived"),
    ]


def archive(path: Path, files: dict[str, bytes]) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as zipped:
        for name, content in files.items():
            zipped.writestr(zipfile.ZipInfo(name, (2025, 1, 1, 0, 0, 0)), content,
                            zipfile.ZIP_STORED if name == "export.attributes" else zipfile.ZIP_DEFLATED)


def main() -> None:
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parent)
    document = json.dumps(proton(), ensure_ascii=False)
    (folder / "proton.json").write_text(document)
    archive(folder / "proton.zip", {"Proton Pass/data.json": document.encode()})
    archive(folder / "proton-pgp.zip", {"Proton Pass/data.pgp": b"-----BEGIN PGP MESSAGE-----"})
    data, files = one_password()
    archive(folder / "one.1pux", {
        "export.attributes": b'{"version":3,"description":"1Password Unencrypted Export","createdAt":1700000000}',
        "export.data": json.dumps(data, ensure_ascii=False).encode(), **{f"files/{name}": file for name, file in files.items()}})
    for name, contents in (("proton", proton_contents()), ("one", one_password_contents())):
        (folder / f"{name}.contents.json").write_text(json.dumps(contents, ensure_ascii=False, indent=1) + "\n")


if __name__ == "__main__":
    main()
