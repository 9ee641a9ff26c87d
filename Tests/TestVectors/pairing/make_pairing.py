"""Makes pairing.json: a request, a reply and the file `pairing`, from nothing but Documentation/formats/sync.md and vault.md.

Usage: .venv/bin/python Tests/TestVectors/pairing/make_pairing.py > Tests/TestVectors/pairing/pairing.json

Every value is fixed but what HPKE draws for itself. X-Wing and HPKE are those of `../circle/make.py`. The words are numbers here:
the list is the one of the Electronic Frontier Foundation.
"""

import hmac
import json
import pathlib
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "circle"))
from make import XWing, ed25519, encode, hkdf, readable, schedule, seal, sha256, sign  # noqa: E402


def value(name: str, length: int = 32) -> bytes:
    """A fixed value that looks random."""
    return sha256(b"ward pairing vectors/" + name.encode())[:length]


def request(seed: bytes, hpke: bytes, name: str, system: str, time: int) -> bytes:
    payload = encode({1: ed25519(seed), 2: 2, 3: XWing.public(hpke), 4: name, 5: system, 6: time})
    return encode(["ward", 1, "pairing-request", payload, sign(seed, b"ward/v1/pairing/request\0" + payload)])


def words(request: bytes) -> list[int]:
    """Eight numbers of 12 bits, from 0."""
    number = int.from_bytes(sha256(b"ward/v1/pairing/words\0" + request)[:12])
    return [number >> 12 * place & 0xFFF for place in reversed(range(8))]


def reply(hpke: bytes, request_id: bytes) -> dict[str, object]:
    """A reply to the request, and what it says."""
    vault, stretched, secret_key, salt = value("vault"), value("stretched"), value("Secret Key", 16), value("salt", 16)
    heads = sorted([value(f"device {number}", 16), 1 << 8 * number, value(f"head {number}")] for number in range(3))
    fields = {1: vault, 2: value("root"), 3: secret_key, 4: value("header"), 5: heads}
    key = hkdf(stretched + secret_key, vault, "ward/v1/unlock/pairing", encode([1, 3, 65536, 1, salt]))
    code = hmac.new(key, encode(fields) + request_id, "sha256").digest()
    plaintext = encode(fields | {6: code})
    info = encode(["ward", 1, "pairing-reply", request_id])
    sealed = seal(XWing, b"", XWing.public(hpke), info, plaintext)
    opened, nonce = schedule(XWing, XWing.decapsulate(hpke, sealed["encapsulation"]), info)
    assert opened.decrypt(nonce, sealed["ciphertext"], b"") == plaintext
    return {
        "vault": vault,
        "root": fields[2],
        "stretched": stretched,
        "secretKey": secret_key,
        "salt": salt,
        "headerHash": fields[4],
        "heads": [{"device": device, "sequence": sequence, "hash": entry} for device, sequence, entry in heads],
        "plaintext": plaintext,
        "code": code,
        "sealed": encode(["ward", 1, "pairing-reply", sealed["encapsulation"], sealed["ciphertext"]]),
    }


def main() -> None:
    seed, hpke, name, system, time = value("device"), value("HPKE"), "Schreibtisch – Büro", "Debian GNU/Linux 12", 1_790_000_000
    asked = request(seed, hpke, name, system, time)
    array = encode(["ward", 1, "pairing", seed, hpke, asked])
    vectors = {
        "seed": seed,
        "hpkeSeed": hpke,
        "name": name,
        "system": system,
        "time": time,
        "request": asked,
        "id": sha256(asked)[:16],
        "words": words(asked),
        "file": array + sha256(array),
        "reply": reply(hpke, sha256(asked)[:16]),
    }
    print(json.dumps(readable(vectors), indent=2, ensure_ascii=False))


if __name__ == "__main__":
    main()
