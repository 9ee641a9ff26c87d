"""Ways back into an account without what signs in to it: a link in a message, and a link of the people who run the service."""

from __future__ import annotations

import json

from wardserver import run_command

from .caller import Caller
from .kit import Kit, SoftwareKey
from .mailbox import Mailbox, recovery_token
from .methods import Owner


def request_link(owner: Owner, mailbox: Mailbox) -> str:
    """Has the service send a link to the owner's address, as anybody can who knows the name; the token of it."""
    mailbox.letters()
    Caller(owner.service).post("recovery", {"username": owner.name})
    return recovery_token(mailbox.letters())


def prove(caller: Caller, token: str, kit: Kit) -> str:
    """Proves what the link asks for beside itself, as far as the kit has it; the state of the recovery."""
    state = caller.post("recovery/state", {"token": token}).json()
    proofs = {
        "recovery_code": lambda: kit.recovery_codes.pop() if kit.recovery_codes else None,
        "authenticator_app": lambda: kit.code() if kit.code else None,
        "password": lambda: kit.password,
    }
    for step in state.get("next", []):
        proof = proofs[step["method"]]()
        if proof is not None:
            state = caller.post("recovery/proof", {"token": token, "method": step["method"], "code": proof}).json()
            break
    return state.get("state", "")


def use(caller: Caller, token: str) -> None:
    """Adds a passkey of a new device with the link, which signs the caller in if the link is open."""
    begun = caller.post("registration/options", {"recovery": token})
    if begun.status_code != 200:
        return
    credential = SoftwareKey.new().make(caller.server.origin, begun.json()["publicKey"])
    caller.post("registration/verify", {"ceremony": begun.json()["ceremony"], "credential": credential})


def operators_link(owner: Owner) -> str:
    """The token of a link from somebody who runs the service, and who knows the owner."""
    words = ("--without-proof", "--origin", owner.service.origin, "--json")
    made = json.loads(run_command(owner.service, "accounts", "recovery-link", owner.name, *words))
    return made["link"].partition("=")[2]
