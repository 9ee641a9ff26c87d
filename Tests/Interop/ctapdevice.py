"""Our software authenticator spoken to in CTAP 2, so that python-fido2's own client can drive it.

The client makes everything a browser makes: it chooses options, filters the exclude list, builds the client data.
Written after CTAP 2.1, section 6 (authenticatorMakeCredential 6.1, authenticatorGetAssertion 6.2, getInfo 6.4).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from authenticator import UV, Authenticator, NotAllowed
from fido2 import cbor
from fido2.ctap import CtapDevice, CtapError
from fido2.ctap2 import Ctap2
from fido2.hid import CAPABILITY


class SoftwareDevice(CtapDevice):
    """A CTAP 2 device with built-in user verification and room for passkeys."""

    def __init__(self, authenticator: Authenticator | None = None) -> None:
        self.authenticator = authenticator or Authenticator(aaguid=b"ward interop dev", counts=True)
        self.waiting: list[dict[int, Any]] = []

    @property
    def capabilities(self) -> int:
        return CAPABILITY.CBOR

    @classmethod
    def list_devices(cls) -> Iterator[CtapDevice]:
        return iter(())

    def call(self, cmd, data=b"", event=None, on_keepalive=None) -> bytes:
        command, parameters = data[0], cbor.decode(data[1:]) if len(data) > 1 else {}
        try:
            answer = self.answer(command, parameters)
        except CtapError as error:
            return bytes([error.code])
        return b"\0" + cbor.encode(answer)

    def answer(self, command: int, parameters: dict[int, Any]) -> dict[int, Any]:
        match command:
            case Ctap2.CMD.GET_INFO:
                return {
                    1: ["FIDO_2_0", "FIDO_2_1"],
                    3: self.authenticator.aaguid,
                    4: {"rk": True, "up": True, "uv": True, "plat": False},
                    5: 4096,
                    6: [2],
                    7: 8,
                    8: 128,
                    9: ["usb"],
                    10: [{"alg": algorithm, "type": "public-key"} for algorithm in self.authenticator.algorithms],
                }
            case Ctap2.CMD.MAKE_CREDENTIAL:
                return self.make_credential(parameters)
            case Ctap2.CMD.GET_ASSERTION:
                return self.get_assertion(parameters)
            case Ctap2.CMD.GET_NEXT_ASSERTION:
                if not self.waiting:
                    raise CtapError(CtapError.ERR.NOT_ALLOWED)
                return self.waiting.pop(0)
        raise CtapError(CtapError.ERR.INVALID_COMMAND)

    def flags(self, options: dict[str, bool]) -> int:
        """Verified only when the client asked for it."""
        return self.authenticator.flags if options.get("uv") else self.authenticator.flags & ~UV

    def make_credential(self, parameters: dict[int, Any]) -> dict[int, Any]:
        try:
            _, auth_data, format, statement = self.authenticator.make(
                parameters[2]["id"],
                parameters[3],
                parameters[1],
                [item["alg"] for item in parameters[4]],
                excluded=[item["id"] for item in parameters.get(5, [])],
                flags=self.flags(parameters.get(7, {})),
                attestation="packed",
            )
        except NotAllowed as error:
            excluded = "InvalidState" in str(error)
            code = CtapError.ERR.CREDENTIAL_EXCLUDED if excluded else CtapError.ERR.UNSUPPORTED_ALGORITHM
            raise CtapError(code) from error
        return {1: format, 2: auth_data, 3: statement}

    def get_assertion(self, parameters: dict[int, Any]) -> dict[int, Any]:
        options = parameters.get(5, {})
        allowed = [item["id"] for item in parameters.get(3, [])]
        found = self.authenticator.matching(parameters[1], allowed)
        if not found:
            raise CtapError(CtapError.ERR.NO_CREDENTIALS)
        answers = []
        for credential in found[:1] if allowed else found:
            flags = self.flags(options)
            if options.get("up") is False:
                flags &= ~0x01
            auth_data, signature = self.authenticator.assertion(credential, parameters[2], flags=flags)
            answers.append(
                {
                    1: {"id": credential.id, "type": "public-key"},
                    2: auth_data,
                    3: signature,
                    4: credential.user if options.get("uv") else {"id": credential.user_handle},
                }
            )
        if len(answers) > 1:
            answers[0][5] = len(answers)
        self.waiting = answers[1:]
        return answers[0]
