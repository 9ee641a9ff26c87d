"""Another credential manager, written from Documentation/formats/provider.md alone, and what apps ask for in its tests."""

import base64
import hashlib
import hmac
import json
import os
import socket
import struct
import subprocess
import sys
import threading
import time

import cbor2
import webauthn
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from test_manager_agent import Wire, written_version
from webauthn.helpers import structs

IDENTIFIER, RP_ID, ORIGIN = "org.example.snake", "localhost", "http://localhost:8080"
CAPABILITIES = {
    "ProvidesPasswords": True,
    "ProvidesPasskeys": True,
    "ProvidesOneTimeCodes": True,
    "SupportsConditionalPasskeyRegistration": True,
}


def b64(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def unb64(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


class Refusal(Exception):
    """A word for `data.code`."""


class Snake:
    """A manager of its own: Python, and nothing of Ward's."""

    def __init__(self, path, proof):
        self.proof = proof
        self.path, self.passwords, self.passkeys, self.seen, self.dies = str(path), {}, {}, [], None
        self.is_locked, self.person_agrees, self.upgrades = False, True, True
        self.blobs, self.text = {}, None
        self.may_answer = threading.Event()
        self.may_answer.set()
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(self.path)
        self.listener.listen()
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.talk, args=(connection,), daemon=True).start()

    def talk(self, connection):
        is_proven = False
        with connection, connection.makefile("rb") as lines:
            for line in lines:
                request = json.loads(line)
                answer = {"jsonrpc": "2.0", "id": request["id"]}
                self.seen.append(request)
                if request["method"] == self.dies:
                    return
                try:
                    if request["method"] == "hello":
                        # The agent alone knows what is in the file: no sandbox sees it.
                        is_proven = hmac.compare_digest(str(request["params"].get("proof")), self.proof.read_text())
                    if not is_proven:
                        raise Refusal("not_permitted")
                    name = request["method"].rpartition(".")[2]
                    answer["result"] = getattr(self, name)(**request["params"])
                except Refusal as refusal:
                    answer["error"] = {"code": -32000, "message": "no", "data": {"code": str(refusal)}}
                try:
                    connection.sendall(json.dumps(answer).encode() + b"\n")
                except BrokenPipeError:
                    return  # The agent does not need it any more.

    def hello(self, versions, client, proof):
        assert versions == [written_version("provider")] and client == "ward"
        return {"version": 2, "identifier": IDENTIFIER}

    def entries(self, domains, kinds):
        self.may_answer.wait(30)
        found = []
        if self.is_locked:
            # It encrypts its names too.
            return {"entries": [], "isLocked": True}
        for (domain, user), _ in self.passwords.items():
            if domain in domains and "password" in kinds:
                found.append({"reference": f"{domain} {user}", "kind": "password", "domain": domain, "user": user})
        for name, (rp_id, handle, user, _) in self.passkeys.items():
            if rp_id in domains and "passkey" in kinds:
                found.append(
                    {
                        "reference": name,
                        "kind": "passkey",
                        "domain": rp_id,
                        "user": user,
                        "credentialID": name,
                        "userHandle": handle,
                    }
                )
        return {"entries": found}

    def unlock(self, app):
        if not self.person_agrees:
            raise Refusal("denied")
        self.is_locked = False
        return {}

    def password(self, reference, app):
        assert not self.is_locked
        domain, user = reference.split(" ")
        return {"user": user, "password": self.passwords[domain, user]}

    def textToInsert(self, app):
        if self.text is None:
            raise Refusal("denied")
        return {"text": self.text}

    def save(self, app, domain, user, password, title, isGenerated):
        self.passwords[domain, user] = password
        return {"reference": f"{domain} {user}"}

    def mayUpgrade(self, reference, app, domain, user):
        assert reference == f"{domain} {user}"
        return {"mayUpgrade": self.upgrades}

    @staticmethod
    def flags(present, verified):
        return (0x01 if present else 0) | (0x04 if verified else 0)

    def registration(self, rpID, userHandle, userName, clientDataHash, algorithms, excludedCredentials,
                     userPresent, userVerified, wantsVerification, **more):  # fmt: skip
        if any(name in self.passkeys for name in excludedCredentials):
            raise Refusal("matched_excluded")
        assert -7 in algorithms and len(unb64(clientDataHash)) == 32
        key, name = ec.generate_private_key(ec.SECP256R1()), os.urandom(24)
        point = key.public_key().public_numbers()
        cose = {1: 2, 3: -7, -1: 1, -2: point.x.to_bytes(32, "big"), -3: point.y.to_bytes(32, "big")}
        data = hashlib.sha256(rpID.encode()).digest() + struct.pack(">BI", 0x40 | self.flags(userPresent, userVerified or wantsVerification), 0)
        data += bytes(16) + struct.pack(">H", len(name)) + name + cbor2.dumps(cose, canonical=True)
        self.passkeys[b64(name)] = (rpID, userHandle, userName, key)
        made = {"attestationObject": b64(cbor2.dumps({"fmt": "none", "attStmt": {}, "authData": data}, canonical=True))}
        if more.get("wantsPRF"):
            made["hasPRF"] = True
        if more.get("wantsLargeBlob"):
            made["hasLargeBlob"] = True
        return made

    def assertion(self, rpID, credentialID, clientDataHash, userPresent, userVerified, wantsVerification, **more):
        _, handle, _, key = self.passkeys[credentialID]
        data = hashlib.sha256(rpID.encode()).digest() + struct.pack(">BI", self.flags(userPresent, userVerified or wantsVerification), 0)
        signature = key.sign(data + unb64(clientDataHash), ec.ECDSA(hashes.SHA256()))
        signed = {
            "credentialID": credentialID,
            "userHandle": handle,
            "authenticatorData": b64(data),
            "signature": b64(signature),
        }
        if "prf" in more:
            secret = hashlib.sha256(credentialID.encode()).digest()
            signed["prf"] = {name: b64(hmac.digest(secret, unb64(salt), "sha256")) for name, salt in more["prf"].items()}
        if "writesLargeBlob" in more:
            self.blobs[credentialID] = more["writesLargeBlob"]
            signed["isLargeBlobWritten"] = True
        if more.get("readsLargeBlob") and credentialID in self.blobs:
            signed["largeBlob"] = self.blobs[credentialID]
        return signed


def declare(manager, identifier, name, capabilities=None, **more):
    folder = manager.home / "data/ward/providers"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{identifier}.json"
    path.write_text(
        json.dumps(
            {
                "version": 1,
                "identifier": identifier,
                "name": name,
                "ASCredentialProviderExtensionCapabilities": CAPABILITIES if capabilities is None else capabilities,
                **more,
            }
        )
    )
    path.chmod(0o644)
    return path


def app(vault):
    wire = Wire(vault)
    wire.hello()
    return wire


def authorize(vault, *requests, **more):
    return app(vault).call("app.authorize", authorization={"mayPrompt": True}, requests=list(requests), prefersImmediatelyAvailable=False, **more)


def registration(name="ada", **more):
    options = webauthn.generate_registration_options(
        rp_id=RP_ID,
        rp_name="Draft",
        user_name=name,
        user_id=name.encode(),
        authenticator_selection=structs.AuthenticatorSelectionCriteria(
            resident_key=structs.ResidentKeyRequirement.REQUIRED,
            user_verification=structs.UserVerificationRequirement.REQUIRED,
        ),
    )
    text = webauthn.options_to_json(options)
    return options, {"kind": "passkeyRegistration", "domain": RP_ID, "options": text, "origin": ORIGIN, **more}


def assertion():
    options = webauthn.generate_authentication_options(
        rp_id=RP_ID, user_verification=structs.UserVerificationRequirement.REQUIRED
    )
    text = webauthn.options_to_json(options)
    return options, {"kind": "passkeyAssertion", "domain": RP_ID, "options": text, "origin": ORIGIN}


def accepted(options, answer):
    return webauthn.verify_registration_response(
        credential=answer["result"]["response"],
        expected_challenge=options.challenge,
        expected_rp_id=RP_ID,
        expected_origin=ORIGIN,
        require_user_verification=True,
    )


def signed_in(options, answer, record):
    assert "result" in answer, answer
    return webauthn.verify_authentication_response(
        credential=answer["result"]["response"],
        expected_challenge=options.challenge,
        expected_rp_id=RP_ID,
        expected_origin=ORIGIN,
        credential_public_key=record.credential_public_key,
        credential_current_sign_count=0,
        require_user_verification=True,
    )


def in_use(vault):
    return [provider["identifier"] for provider in vault.json("providers", "list")["providers"] if provider["isEnabled"]]


def gone_by(deadline, path):
    """Waits until a process is gone; one that ended and that nobody waited for is still in /proc."""
    while os.path.lexists(path) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not os.path.lexists(path), "the process, or its zombie, is still there"


def listener_of(path):
    """The process that listens at a socket."""
    with socket.socket(socket.AF_UNIX) as client:
        client.connect(str(path))
        return struct.unpack("iII", client.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))[0]


# What a program says that is not the agent: each line is a connection, a list of requests.
STRANGER = """
import json, socket, sys
for requests in json.load(sys.stdin):
    connection = socket.socket(socket.AF_UNIX)
    connection.settimeout(20)
    connection.connect(sys.argv[1])
    lines = connection.makefile("rb")
    for number, (method, params) in enumerate(requests):
        request = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
        connection.sendall(json.dumps(request).encode() + b"\\n")
        print(lines.readline().decode().strip() or "closed", flush=True)
"""


def strangers_answers(path, prefix=()):
    """What a manager's socket answers to somebody who is not the agent, with its secrets asked for in every way."""
    secrets = [
        ["provider.entries", {"domains": ["localhost"], "kinds": ["password", "passkey"]}],
        ["provider.password", {"reference": "0", "app": "x"}], ["provider.password", {"reference": "localhost ada", "app": "x"}],
        ["provider.code", {"reference": "0", "app": "x"}],
        ["provider.assertion", {"reference": "0", "app": "x", "rpID": "localhost", "credentialID": "AAAA",
                                "clientDataHash": b64(bytes(32)), "userPresent": True, "userVerified": True}],
        ["provider.signal", {"kind": "unusedPassword", "options": "{}"}],
    ]  # fmt: skip
    hello = {"versions": [2], "client": "ward"}
    talks = [secrets, [["hello", hello], *secrets]]
    talks += [[["hello", {**hello, "proof": proof}], *secrets] for proof in ("", "AAAA", "A" * 43, 7, None)]
    done = subprocess.run(
        [*prefix, sys.executable, "-c", STRANGER, str(path)], input=json.dumps(talks), capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0 or prefix, done.stderr
    return done.stdout.splitlines(), done.stderr


def refused(answers):
    return answers and all(json.loads(answer).get("error", {}).get("data", {}).get("code") == "not_permitted" for answer in answers)
