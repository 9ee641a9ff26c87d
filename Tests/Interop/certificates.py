"""An authority of a test's own, for servers that the machine trusts only within the test."""

from __future__ import annotations

import os
from datetime import datetime, timedelta, timezone
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

BUNDLES = ("/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt")


def certificates(folder: Path, *names: str) -> tuple[Path, Path]:
    """The certificate of a test's own authority, and one for these names with its key."""

    def name(text: str) -> x509.Name:
        return x509.Name([x509.NameAttribute(x509.oid.NameOID.COMMON_NAME, text)])

    now = datetime.now(timezone.utc)
    keys = [ec.generate_private_key(ec.SECP256R1()) for _ in range(2)]
    made = []
    for subject, key, extension in [
        ("authority", keys[0], x509.BasicConstraints(ca=True, path_length=None)),
        ("server", keys[1], x509.SubjectAlternativeName([x509.DNSName(name) for name in names])),
    ]:
        builder = x509.CertificateBuilder().subject_name(name(subject)).issuer_name(name("authority"))
        builder = builder.public_key(key.public_key()).serial_number(x509.random_serial_number())
        builder = builder.not_valid_before(now - timedelta(days=1)).not_valid_after(now + timedelta(days=1))
        made.append(builder.add_extension(extension, critical=subject == "authority").sign(keys[0], hashes.SHA256()))
    authority, server = folder / "authority.pem", folder / "server.pem"
    authority.write_bytes(made[0].public_bytes(serialization.Encoding.PEM))
    server.write_bytes(
        keys[1].private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
        + made[1].public_bytes(serialization.Encoding.PEM)
    )
    return authority, server


def trusting(authority: Path) -> list[str]:
    """Shell commands after which a view of the machine trusts this authority and no other."""
    return [f"mount --bind '{authority}' {path}" for path in BUNDLES if os.path.exists(path)]
