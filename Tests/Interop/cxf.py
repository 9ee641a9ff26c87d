"""A judge of files in the Credential Exchange Format 1.0, written from its members and types."""

from __future__ import annotations

import base64
import re

PLAIN = {"string", "concealed-string", "email"}
FORMS = {
    "number": r"-?\d+(\.\d+)?",
    "boolean": r"true|false",
    "date": r"\d{4}-\d{2}-\d{2}",
    "year-month": r"\d{4}-\d{2}",
    "country-code": r"[A-Z]{2}",
    "subdivision-code": r"[A-Z]{2}-[A-Z0-9]{1,3}",
    "wifi-network-security-type": r"unsecured|wep|wpa-personal|wpa2-personal|wpa3-personal",
}
# The required type of each editable member; texts may be concealed or not.
MEMBERS = {
    "basic-auth": {"username": "string", "password": "concealed-string"},
    "note": {"content": "string"},
    "credit-card": {
        "number": "concealed-string", "fullName": "string", "cardType": "string", "verificationNumber": "concealed-string",
        "pin": "concealed-string", "expiryDate": "year-month", "validFrom": "year-month",
    },
    "wifi": {"ssid": "string", "networkSecurityType": "wifi-network-security-type", "passphrase": "concealed-string", "hidden": "boolean"},
    "api-key": {"key": "concealed-string", "username": "string", "keyType": "string", "url": "string", "validFrom": "date", "expiryDate": "date"},
    "person-name": dict.fromkeys(
        ("title", "given", "givenInformal", "given2", "surnamePrefix", "surname", "surname2", "credentials", "generation"), "string"
    ),
    "address": {
        "streetAddress": "string", "postalCode": "string", "city": "string", "territory": "subdivision-code", "country": "country-code",
        "tel": "string",
    },
}


def decode(text: str) -> bytes:
    """Base64url without padding, in its only form."""
    assert re.fullmatch(r"[A-Za-z0-9_-]*", text), text
    data = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    assert base64.urlsafe_b64encode(data).rstrip(b"=").decode() == text
    return data


def check_field(field: dict, demanded: str | None = None) -> None:
    assert set(field) <= {"id", "fieldType", "value", "label", "extensions"} and isinstance(field["value"], str), field
    kind = field["fieldType"]
    assert demanded in (None, kind), (demanded, field)
    assert kind in PLAIN or re.fullmatch(FORMS[kind], field["value"]), field


def check_credential(credential: dict) -> None:
    kind = credential["type"]
    rest = {name: value for name, value in credential.items() if name != "type"}
    if kind in MEMBERS:
        for name, value in rest.items():
            check_field(value, MEMBERS[kind][name])
    elif kind == "passkey":
        assert 16 <= len(rest["rpId"]) or "." in rest["rpId"] or rest["rpId"] == "localhost"
        assert decode(rest["credentialId"]) and 1 <= len(decode(rest["userHandle"])) <= 64 and decode(rest["key"])[0] == 0x30
        assert isinstance(rest["username"], str) and isinstance(rest["userDisplayName"], str)
        secrets = rest.get("fido2Extensions", {}).get("hmacCredentials")
        if secrets:
            assert secrets["algorithm"] == "hmac-sha256"
            assert len(decode(secrets["credWithUV"])) == len(decode(secrets["credWithoutUV"])) == 32
        assert set(rest) <= {"credentialId", "rpId", "username", "userDisplayName", "userHandle", "key", "fido2Extensions"}
    elif kind == "totp":
        assert base64.b32decode(rest["secret"] + "=" * (-len(rest["secret"]) % 8))
        assert isinstance(rest["period"], int) and isinstance(rest["digits"], int) and rest["algorithm"] in ("sha1", "sha256", "sha512", "steam")
    elif kind == "ssh-key":
        assert isinstance(rest["keyType"], str) and decode(rest["privateKey"])[0] == 0x30
    elif kind == "custom-fields":
        assert set(rest) <= {"id", "label", "fields", "extensions"}
        for field in rest["fields"]:
            check_field(field)


def check(document: dict) -> list[dict]:
    """Checks a whole document, and gives its items."""
    assert document["version"] == {"major": 1, "minor": 0} and isinstance(document["timestamp"], int)
    assert isinstance(document["exporterRpId"], str) and isinstance(document["exporterDisplayName"], str)
    items = []
    for account in document["accounts"]:
        assert 1 <= len(decode(account["id"])) <= 64 and {"username", "email", "collections", "items"} <= set(account)
        items += account["items"]
    for item in items:
        assert 1 <= len(decode(item["id"])) <= 64 and isinstance(item["title"], str)
        assert all(isinstance(item[name], int) and item[name] >= 0 for name in ("creationAt", "modifiedAt") if name in item)
        for url in item.get("scope", {}).get("urls", []):
            assert re.match(r"[a-z][a-z0-9+.-]*://", url), url
        for credential in item["credentials"]:
            check_credential(credential)
    assert len({item["id"] for item in items}) == len(items)
    return items
