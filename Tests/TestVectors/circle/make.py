"""Makes keys.json: the keys of a circle of devices, from nothing but Documentation/formats/sync.md and vault.md.

Usage: .venv/bin/python Tests/TestVectors/circle/make.py > Tests/TestVectors/circle/keys.json

Every value is fixed but what HPKE draws for itself. `suites.py` has the suites.
"""

import hmac
import json
import pathlib
import sys

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "vault"))
from read_vault import HPKE, encode, hkdf, sha256  # noqa: E402
from suites import DH, XWing, schedule  # noqa: E402

# The seed of the first published test vector of X-Wing, and SHA-256 of its public key.
PUBLISHED = (
    bytes.fromhex("7f9c2ba4e88f827d616045507605853ed73b8093f6efbc88eb1a6eacfa66ef26"),
    bytes.fromhex("2e816deebcd76c5c80d0cd2d174478871658e8e2ff42bc9d4a6e486372e856bb"),
)


def value(name: str, length: int = 32) -> bytes:
    """A fixed value that looks random."""
    return sha256(b"ward circle vectors/" + name.encode())[:length]


def ed25519(private: bytes) -> bytes:
    return Ed25519PrivateKey.from_private_bytes(private).public_key().public_bytes_raw()


def sign(private: bytes, message: bytes) -> bytes:
    return Ed25519PrivateKey.from_private_bytes(private).sign(message)


def seal(suite: type[DH | XWing], recipient: bytes, public: bytes, info: bytes, plaintext: bytes) -> dict[str, object]:
    encapsulation, secret = suite.encapsulate(public, value(f"ephemeral {suite.NUMBER}"))
    key, nonce = schedule(suite, secret, info)
    return {
        "recipient": recipient,
        "suite": suite.NUMBER,
        "encapsulation": encapsulation,
        "ciphertext": key.encrypt(nonce, plaintext, b""),
    }


def sealed_form(key: bytes, plaintext: bytes, nonce: bytes, associated: bytes) -> bytes:
    return nonce + AESGCM(key).encrypt(nonce, plaintext, associated)


def circle_keys(vault: bytes) -> dict[str, object]:
    """The vault key of an epoch, sealed to two devices."""
    epoch, key, secret_key = 3, value("vault key"), value("Secret Key", 16)
    found = []
    for suite in (DH, XWing):
        seed, device = value(f"seed {suite.NUMBER}"), value(f"device {suite.NUMBER}", 16)
        public = suite.public(seed)
        info = encode(["ward", 1, "circle-key", vault, epoch, device])
        found.append({"seed": seed, "publicKey": public} | seal(suite, device, public, info, encode({1: key, 2: secret_key})))
    opened, nonce = schedule(XWing, XWing.decapsulate(found[1]["seed"], found[1]["encapsulation"]), info)
    assert opened.decrypt(nonce, found[1]["ciphertext"], b"") == encode({1: key, 2: secret_key})
    commitment = hkdf(key, vault, "ward/v1/commitment")
    return {
        "epoch": epoch,
        "vaultKey": key,
        "secretKey": secret_key,
        "commitment": commitment,
        "sealed": found,
        "lowOrder": low_order(found[0], encode(["ward", 1, "circle-key", vault, epoch, found[0]["recipient"]])),
    }


def low_order(honest: dict[str, object], info: bytes) -> dict[str, object]:
    """What a recipient of suite 1 must refuse: anybody knows the shared secret of an encapsulation of zeros."""
    extracted = HPKE.extract(b"", HPKE.KEM, b"eae_prk", bytes(32))
    secret = HPKE.expand(extracted, HPKE.KEM, b"shared_secret", bytes(32) + honest["publicKey"], 32)
    key, nonce = schedule(DH, secret, info)
    plaintext = encode({1: value("vault key"), 2: value("Secret Key", 16)})
    return honest | {"encapsulation": bytes(32), "ciphertext": key.encrypt(nonce, plaintext, b"")}


def recovery(vault: bytes) -> dict[str, object]:
    """What comes of a recovery key."""
    key, circle, content = value("recovery key", 20), value("circle"), value("content")
    signing = hkdf(key, b"", "ward/v1/recovery/ed25519")
    proof = hmac.new(hkdf(key, vault, "ward/v1/recovery/circle"), vault + circle, "sha256").digest()
    return {
        "key": key,
        "publicKey": ed25519(signing),
        "circleKey": XWing.public(hkdf(key, b"", "ward/v1/recovery/xwing")),
        "circle": circle,
        "circleProof": proof,
        "content": content,
        "signature": sign(signing, b"ward/v1/recovery/sign\0" + vault + content),
    }


def owner(vault: bytes, paper: dict[str, object]) -> dict[str, object]:
    """An owner key, sealed in both ways."""
    seed, stretched, secret_key, content = value("owner"), value("stretched"), value("Secret Key", 16), value("content")
    salt, nonce, public = value("salt", 16), value("owner nonce", 12), ed25519(seed)
    derivation = [1, 3, 65536, 1, salt]
    key = hkdf(stretched + secret_key, vault, "ward/v1/unlock/owner", encode(derivation))
    info = encode(["ward", 1, "owner-key", vault, public, paper["publicKey"]])
    return {
        "seed": seed,
        "publicKey": public,
        "stretched": stretched,
        "secretKey": secret_key,
        "salt": salt,
        "nonce": nonce,
        "sealed": sealed_form(key, seed, nonce, encode(["ward", 1, "owner", vault, public, derivation])),
        "toRecoveryKey": seal(XWing, paper["publicKey"], paper["circleKey"], info, seed),
        "content": content,
        "signature": sign(seed, b"ward/v1/owner\0" + vault + content),
    }


def device(vault: bytes) -> dict[str, object]:
    """The file `device` in both versions."""
    keys, seed, circle_seed, nonce = [value("epoch 0"), value("epoch 1")], value("device"), value("HPKE"), value("nonce", 12)
    public, circle_key = ed25519(seed), XWing.public(circle_seed)
    first = hkdf(keys[0], vault, "ward/v1/device-key", public)
    second = hkdf(keys[1], vault, "ward/v1/device-keys", public)
    associated = encode(["ward", 2, "device", vault, public, circle_key, 1])
    files = [
        encode(["ward", 1, "device", vault, public, sealed_form(first, seed, nonce, public)]),
        encode(
            ["ward", 2, "device", vault, public, sealed_form(second, seed + circle_seed, nonce, associated), circle_key, 1]
        ),
    ]
    return {
        "keys": keys,
        "seed": seed,
        "circleSeed": circle_seed,
        "circleKey": circle_key,
        "nonce": nonce,
        "versions": [array + sha256(array) for array in files],
    }


def bundle() -> dict[str, object]:
    """Vault keys by name: one of epoch 0, two of epoch 1, one of epoch 2. The texts only choose the values of the owner keys."""
    owners = sorted([value("entry 1a"), value("entry 1b")])
    keys = [value(f"bundle {number}") for number in range(4)]
    last = value("entry 2")
    return {
        "owners": [*owners, last],
        "keys": keys,
        "before": encode({0: keys[0]}),
        "bundle": encode({0: keys[0], 1: [[owners[0], keys[1]], [owners[1], keys[2]]], 2: [[last, keys[3]]]}),
    }


def readable(found: object) -> object:
    match found:
        case bytes():
            return found.hex()
        case list():
            return [readable(element) for element in found]
        case dict():
            return {name: readable(element) for name, element in found.items()}
    return found


def main() -> None:
    assert sha256(XWing.public(PUBLISHED[0])) == PUBLISHED[1]
    published = json.loads((pathlib.Path(__file__).parent / "xwing.json").read_text())
    seed, ciphertext, shared = (bytes.fromhex(published[name]) for name in ("seed", "ciphertext", "sharedSecret"))
    assert XWing.decapsulate(seed, ciphertext) == shared
    genesis = b"\1"
    vault = sha256(b"ward/v1/vault\0" + genesis)
    paper = recovery(vault)
    vectors = {
        "genesis": genesis,
        "vault": vault,
        "circleKeys": circle_keys(vault),
        "recovery": paper,
        "owner": owner(vault, paper),
        "device": device(vault),
        "bundle": bundle(),
    }
    print(json.dumps(readable(vectors), indent=2))


if __name__ == "__main__":
    main()
