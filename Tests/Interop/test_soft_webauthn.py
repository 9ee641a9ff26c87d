"""soft-webauthn, a device that others wrote, registers and signs in over HTTP.

It has no user verification: it answers like the plainest security key. What the service asks for decides whether that
is enough, so the same device is also tried with a finger put on it (the flag set before signing).
"""

import json
from hashlib import sha256

from authenticator import UV, b64, unb64
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from fido2 import cbor
from soft_webauthn import SoftWebauthnDevice
from wardserver import Client


class VerifyingDevice(SoftWebauthnDevice):
    """The same device, but it knows its owner."""

    def create(self, options, origin):
        made = super().create(options, origin)
        attestation = cbor.decode(made["response"]["attestationObject"])
        data = bytearray(attestation["authData"])
        data[32] |= UV
        made["response"]["attestationObject"] = cbor.encode(attestation | {"authData": bytes(data)})
        return made

    def get(self, options, origin):
        made = super().get(options, origin)
        data = bytearray(made["response"]["authenticatorData"])
        data[32] |= UV
        message = bytes(data) + sha256(made["response"]["clientDataJSON"]).digest()
        made["response"]["authenticatorData"] = bytes(data)
        made["response"]["signature"] = self.private_key.sign(message, ec.ECDSA(hashes.SHA256()))
        return made


def as_bytes(options: dict) -> dict:
    """The options as a page hands them to the device: bytes where JSON has text."""
    options = json.loads(json.dumps(options))
    options["challenge"] = unb64(options["challenge"])
    if "user" in options:
        options["user"]["id"] = unb64(options["user"]["id"])
    return {"publicKey": options}


def as_json(credential: dict) -> dict:
    """What the device made, as a page sends it."""
    return {
        "id": b64(credential["rawId"]),
        "rawId": b64(credential["rawId"]),
        "type": credential["type"],
        "clientExtensionResults": {},
        "response": {name: b64(value) for name, value in credential["response"].items()},
    }


def register(client: Client, device: SoftWebauthnDevice, name: str):
    options = client.post("registration/options", {"username": name}).json()
    credential = device.create(as_bytes(options["publicKey"]), client.server.origin)
    return options, client.post(
        "registration/verify", {"ceremony": options["ceremony"], "credential": as_json(credential)}
    )


def sign_in(client: Client, device: SoftWebauthnDevice, body: dict):
    options = client.post("sign-in/options", body).json()
    credential = device.get(as_bytes(options["publicKey"]), client.server.origin)
    return client.post("sign-in/verify", {"ceremony": options["ceremony"], "credential": as_json(credential)})


def test_a_verifying_device_registers_and_signs_in(server, name):
    client, device = server.client(), VerifyingDevice()
    _, answer = register(client, device, name)
    assert answer.status_code == 201, answer.text
    for body in ({}, {"username": name}, {}):
        fresh = server.client()
        answer = sign_in(fresh, device, body)
        assert answer.status_code == 200, answer.text
        assert fresh.get("account").json()["account"]["username"] == name


def test_a_device_without_user_verification_is_taken_as_the_options_say(server, name):
    client, device = server.client(), SoftWebauthnDevice()
    options, answer = register(client, device, name)
    if options["publicKey"]["authenticatorSelection"]["userVerification"] == "required":
        assert answer.status_code == 400, answer.text
    else:
        assert answer.status_code == 201, answer.text
        assert sign_in(server.client(), device, {"username": name}).status_code == 200
