"""Makes ml-dsa.json: registrations whose attestation certificates have ML-DSA keys, with nothing of ours.

Usage: PYTHONPATH=Tests/Interop .venv/bin/python Tests/TestVectors/attestation/make.py > Tests/TestVectors/attestation/ml-dsa.json
"""

import datetime
import hashlib
import json
import os
import sys

from authenticator import b64
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec, mldsa
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.x509.oid import NameOID
from fido2 import cbor
from fido2.cose import ES256

RP_ID, ORIGIN = "example.org", "https://example.org"
START, END = datetime.datetime(2026, 1, 1), datetime.datetime(2056, 1, 1)
KEYS = {44: mldsa.MLDSA44PrivateKey, 65: mldsa.MLDSA65PrivateKey, 87: mldsa.MLDSA87PrivateKey}
COSE = {44: -48, 65: -49, 87: -50}


def certificate(subject, key, issuer, issuer_key, is_authority):
    builder = x509.CertificateBuilder().subject_name(subject).issuer_name(issuer).public_key(key.public_key())
    builder = builder.serial_number(x509.random_serial_number()).not_valid_before(START).not_valid_after(END)
    builder = builder.add_extension(x509.BasicConstraints(is_authority, None), critical=True)
    return builder.sign(issuer_key, None)


def registration(root, leaf):
    """A packed attestation: an authority with ML-DSA-`root`, an attestation key with ML-DSA-`leaf`."""
    root_key, leaf_key = KEYS[root].generate(), KEYS[leaf].generate()
    authority = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, f"Test authority ML-DSA-{root}")])
    model = [(NameOID.COUNTRY_NAME, "DE"), (NameOID.ORGANIZATION_NAME, "Test")]
    model += [(NameOID.ORGANIZATIONAL_UNIT_NAME, "Authenticator Attestation"), (NameOID.COMMON_NAME, f"ML-DSA-{leaf}")]
    subject = x509.Name([x509.NameAttribute(*part) for part in model])
    anchor = certificate(authority, root_key, authority, root_key, True)
    attesting = certificate(subject, leaf_key, authority, root_key, False)
    attesting.verify_directly_issued_by(anchor)

    client_data = {"type": "webauthn.create", "challenge": b64(os.urandom(32)), "origin": ORIGIN, "crossOrigin": False}
    client_data = json.dumps(client_data, separators=(",", ":")).encode()
    credential = os.urandom(16)
    public_key = cbor.encode(dict(ES256.from_cryptography_key(ec.generate_private_key(ec.SECP256R1()).public_key())))
    auth_data = hashlib.sha256(RP_ID.encode()).digest() + bytes([0x45]) + bytes(4)
    auth_data += bytes(16) + len(credential).to_bytes(2, "big") + credential + public_key
    signature = leaf_key.sign(auth_data + hashlib.sha256(client_data).digest())
    statement = {"alg": COSE[leaf], "sig": signature, "x5c": [attesting.public_bytes(Encoding.DER)]}
    return {
        "name": f"ML-DSA-{leaf} under ML-DSA-{root}",
        "id": b64(credential),
        "clientDataJSON": b64(client_data),
        "attestationObject": b64(cbor.encode({"fmt": "packed", "attStmt": statement, "authData": auth_data})),
        "root": b64(anchor.public_bytes(Encoding.DER)),
    }


if __name__ == "__main__":
    pairs = [(87, 65), (65, 87), (65, 44), (44, 65)]
    json.dump([registration(root, leaf) for root, leaf in pairs], sys.stdout, indent=1)
    print()
