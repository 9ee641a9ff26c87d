"""A passkey, in a security key or in a credential manager."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import requests
from authenticator import ES256, Authenticator, Credential, NotAllowed, unb64
from wardserver import Server

from ..caller import Caller
from ..kit import Device, ForgedKey, Kit, SoftwareKey, weak_key
from ..leaks import COMMON
from ..seat import Seat
from ..vaults import VaultDevice
from .base import Method, Owner

if TYPE_CHECKING:
    from ..stage import Stage


class AnyPasskey(Method):
    """What both have in common."""

    def new_device(self, stage: Stage) -> Device:
        raise NotImplementedError

    def enrol(self, stage: Stage, service: Server, name: str, device: Device | None = None) -> Owner:
        device = device or self.new_device(stage)
        caller = Caller(service)
        options = caller.post("registration/options", {"username": name}).json()
        credential = device.make(service.origin, options["publicKey"])
        answer = caller.post("registration/verify", {"ceremony": options["ceremony"], "credential": credential})
        assert answer.status_code == 201, answer.text
        return Owner(stage, service, self, name, Kit(device=device), caller, answer)

    def enter(self, caller: Caller, name: str, kit: Kit) -> requests.Response:
        if kit.device is None:
            raise NotAllowed("there is no device")
        begun = caller.post("sign-in/options", {"username": name})
        assert begun.status_code == 200, begun.text
        credential = kit.device.use(caller.server.origin, begun.json()["publicKey"])
        return caller.post("sign-in/verify", {"ceremony": begun.json()["ceremony"], "credential": credential})

    def settle(self, stage: Stage, seat: Seat, name: str) -> Owner:
        device = SoftwareKey.new(is_synced=self.transport == "internal")
        owner = self.enrol(stage, stage.service, name, device)
        seat.put(device)
        return owner

    def create_at(self, seat: Seat, stage: Stage, name: str) -> Kit:
        seat.open("/")
        seat.click("create-account")
        seat.type("username", name)
        with seat.touching():
            seat.click("create-submit")
            assert seat.is_in()
        return Kit()

    def sign_in_at(self, seat: Seat, stage: Stage, name: str, kit: Kit) -> bool:
        """The browser may ask for passkeys of this computer alone first, and for all others at the second click."""
        with seat.touching():
            for _ in range(2):
                seat.click("sign-in")
                if seat.is_in():
                    return True
        return False

    def in_the_head(self, owner: Owner) -> Kit:
        return Kit()

    def guesses(self, owner: Owner, number: int) -> Iterator[Kit]:
        """Keys that poor random numbers give, for the passkeys that the service names to anybody."""
        begun = Caller(owner.service).post("sign-in/options", {"username": owner.name})
        options = begun.json()["publicKey"]
        ids = [unb64(it["id"]) for it in options["allowCredentials"]]
        for guess in range(number):
            yield Kit(device=forged(options["rpId"], ids, guess))


def forged(rp_id: str, ids: list[bytes], guess: int) -> ForgedKey:
    """A device with a key that was guessed, under the IDs of somebody's passkeys."""
    keys = Authenticator()
    for id in ids:
        keys.credentials[id] = Credential(id, rp_id, b"", ES256, weak_key(guess))
    return ForgedKey(keys)


class SecurityKey(AnyPasskey):
    key = "security_key"
    title = ("Security", "key")
    transport = "usb"

    def new_device(self, stage: Stage) -> Device:
        return SoftwareKey.new()

    def on_the_device(self, owner: Owner, *, can_unlock: bool) -> Iterator[Kit]:
        assert isinstance(owner.kit.device, SoftwareKey)
        yield Kit(device=SoftwareKey(owner.kit.device.keys, is_unlocked=can_unlock))

    def carried_along(self, owner: Owner) -> Kit:
        return Kit(device=owner.kit.device)

    def after_the_loss(self, owner: Owner) -> Kit:
        """Codes that the person has written down, and their mail."""
        answer = owner.caller.post("account/recovery-codes")
        assert answer.status_code == 201, answer.text
        return Kit(recovery_codes=answer.json()["codes"], reads_mail=True)


class Passkey(AnyPasskey):
    key = "passkey"
    title = ("Passkey", "")
    transport = "internal"

    def new_device(self, stage: Stage) -> Device:
        return stage.vault_device

    def on_the_device(self, owner: Owner, *, can_unlock: bool) -> Iterator[Kit]:
        stage = owner.stage
        if can_unlock:
            yield Kit(device=VaultDevice(stage.vault, agrees=True))
            return
        vault = stage.stolen_vault()
        for passphrase in COMMON[: stage.effort.passphrases]:
            yield Kit(device=VaultDevice(vault, passphrase))

    def carried_along(self, owner: Owner) -> Kit:
        return Kit(device=VaultDevice(owner.stage.second_vault(), owner.stage.passphrase))

    def after_the_loss(self, owner: Owner) -> Kit:
        return self.carried_along(owner)


SECURITY_KEY, PASSKEY = SecurityKey(), Passkey()
