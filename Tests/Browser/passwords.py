"""People with a password, and a password manager that makes passkeys without a prompt."""

from __future__ import annotations

import base64
from typing import Any

from authenticator import Authenticator, Browser, unb64
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from visitor import Visitor

PASSWORD = "rotating teapot 41 lanterns"

# Chromium says that it can create conditionally, but only the manager of a browser with a window ever answers: this
# stands in its place. Everything else is handed on to the browser.
STAND_IN = """() => {
    const text = (buffer) => btoa(String.fromCharCode(...new Uint8Array(buffer)))
        .replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
    const create = navigator.credentials.create.bind(navigator.credentials);
    navigator.credentials.create = async (options) => {
        if (options.mediation !== 'conditional') {
            return create(options);
        }
        const { publicKey } = options;
        const answer = await window.manager({
            challenge: text(publicKey.challenge),
            rp: publicKey.rp,
            user: { ...publicKey.user, id: text(publicKey.user.id) },
            pubKeyCredParams: publicKey.pubKeyCredParams,
            excludeCredentials: publicKey.excludeCredentials.map(({ id }) => ({ id: text(id) })),
            userVerification: publicKey.authenticatorSelection.userVerification,
        });
        if (!answer) {
            throw new DOMException('not now', 'NotAllowedError');
        }
        return { id: answer.id, toJSON: () => answer };
    };
}"""


class Manager:
    """The password manager of one browser; `willing` while it has just filled the password in."""

    def __init__(self, visitor: Visitor, *, willing: bool = True, **device: Any) -> None:
        self.visitor = visitor
        self.willing = willing
        self.authenticator = device
        self.asked: list[dict[str, Any]] = []
        visitor.page.expose_function("manager", self.answer)
        visitor.page.add_init_script(f"({STAND_IN})()")

    def answer(self, options: dict[str, Any]) -> dict[str, Any] | None:
        self.asked.append(options)
        if not self.willing:
            return None
        keys = Authenticator(**self.authenticator)
        # Nobody was asked: neither presence nor verification; the manager keeps a backup.
        answer = Browser(self.visitor.server.origin, keys).create(options, flags=0x18)
        (credential,) = keys.credentials.values()
        private = credential.key.private_bytes(Encoding.DER, PrivateFormat.PKCS8, NoEncryption())

        def standard(data: bytes) -> str:
            return base64.b64encode(data).decode()

        self.made = {
            "credentialId": standard(credential.id),
            "isResidentCredential": True,
            "rpId": credential.rp_id,
            "privateKey": standard(private),
            "userHandle": standard(unb64(options["user"]["id"])),
            "signCount": 0,
            "backupEligibility": True,
            "backupState": True,
        }
        return answer

    def hand_over(self) -> None:
        """From now on the device offers what the manager made, when somebody is there."""
        self.visitor.device.put(self.made)


def create_with_password(visitor: Visitor, name: str, password: str = PASSWORD) -> None:
    visitor.open("/")
    visitor.at("create-account").click()
    visitor.at("create-with-password").click()
    visitor.at("username").fill(name)
    visitor.at("password").fill(password)
    visitor.at("password-create").click()
    visitor.arrives("/account")


def sign_in_with_password(visitor: Visitor, name: str, password: str = PASSWORD) -> None:
    """At the first page."""
    visitor.at("use-password").click()
    visitor.at("username").fill(name)
    visitor.at("password").fill(password)
    visitor.at("password").press("Enter")
