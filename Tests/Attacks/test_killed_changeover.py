"""Kill -9 during the change-over to a post-quantum passkey: at every moment a passkey on the device opens the account."""

import os
import random
import threading
import time
from collections.abc import Callable

import pytest
import requests
from authenticator import ES256, MLDSA65, b64
from wardserver import Person, Server, error_code

RUNS = int(os.environ.get("CHANGEOVER_RUNS", "50"))
AAGUID = bytes(range(1, 17))
LIST = ("--algorithms", "ML-DSA-65,ES256,RS256")

#: The requests of a change-over, in order; each of them is killed in turn.
STEPS = [
    "sign-in options", "sign-in", "registration options", "registration", "successor's sign-in options",
    "successor's sign-in",
]  # fmt: skip


def nothing(_: str) -> None:
    pass


class Device:
    """A person with a credential manager that makes passkeys without a prompt and follows the signals of pages.

    With `replaces` it keeps one passkey for each account: it drops the old one before the service has the new one.
    """

    def __init__(self, server: Server, name: str, *, replaces: bool) -> None:
        self.person: Person = server.person(
            name, aaguid=AAGUID, backup_eligible=True, backed_up=True, algorithms=(ES256,), replaces=replaces
        )
        assert self.person.register().status_code == 201
        self.keys = self.person.browser.authenticator
        self.keys.algorithms = (MLDSA65, ES256)

    def sign_in(self, at: Callable[[str], None] = nothing, prefix: str = "") -> requests.Response:
        """With the newest passkey that the service takes, as a person picks the next one of a list."""
        for credential in reversed(list(self.keys.credentials.values())):
            at(f"{prefix}sign-in options")
            options = self.person.options("sign-in", {})
            answer = self.person.browser.get(options["publicKey"], credential=credential)
            at(f"{prefix}sign-in")
            result = self.person.post("sign-in/verify", {"ceremony": options["ceremony"], "credential": answer})
            if result.status_code == 200:
                accepted = result.json()["allAcceptedCredentialIds"]
                for other in list(self.keys.credentials):
                    if b64(other) not in accepted:
                        del self.keys.credentials[other]
                return result
            assert result.status_code == 401, result.text
            if error_code(result) == "passkey_deleted":
                del self.keys.credentials[credential.id]
        raise AssertionError(f"{self.person.name} is locked out")

    def change_over(self, at: Callable[[str], None] = nothing, restart: Callable[[], None] | None = None) -> None:
        """Signs in, gets a successor without a prompt, and signs in with it."""
        answer = self.sign_in(at)
        if answer.json()["canUpgrade"]:
            at("registration options")
            options = self.person.options("registration", {"mediation": "conditional"})
            # Nobody is present, nobody is verified; the manager keeps a backup.
            made = self.person.browser.create(options["publicKey"], flags=0x18)
            body = {"ceremony": options["ceremony"], "credential": made}
            at("registration")
            try:
                result = self.person.post("registration/verify", body)
                assert result.status_code == 201, result.text
            except requests.RequestException:
                if not self.keys.replaces:
                    raise
                # The page sends it again while no answer comes.
                assert restart is not None
                restart()
                result = self.person.post("registration/verify", body)
                assert result.status_code == 201 or error_code(result) == "challenge_not_found", result.text
        self.sign_in(at, "successor's ")


class Killer:
    """Kills the server at a moment that nobody chose, within one request of a change-over or shortly after."""

    def __init__(self, server: Server, step: str, span: float) -> None:
        self.server, self.step = server, step
        self.begun = threading.Event()
        self.delay = random.uniform(0, span)
        self.is_over = False
        self.thread = threading.Thread(target=self._kill)
        self.thread.start()

    def at(self, step: str) -> None:
        if step == self.step:
            self.begun.set()

    def _kill(self) -> None:
        self.begun.wait(120)
        threading.Event().wait(self.delay)
        self.server.kill()

    def restart(self) -> None:
        """Waits for the kill, and starts the server again."""
        if not self.is_over:
            self.begun.set()
            self.thread.join(120)
            self.server.start()
            self.is_over = True


@pytest.mark.timeout(120 + RUNS * 20)
def test_no_moment_of_a_change_over_locks_anybody_out(start):
    server = start(log_level="warning", arguments=LIST)
    calm = Device(server, "calm", replaces=False)
    marks: list[float] = []

    def mark(_: str) -> None:
        marks.append(time.monotonic())

    calm.change_over(mark)
    mark("")
    assert len(marks) == len(STEPS) + 1
    spans = {step: marks[number + 1] - marks[number] for number, step in enumerate(STEPS)}

    unanswered: dict[str, int] = dict.fromkeys(STEPS, 0)
    for run in range(RUNS):
        step = STEPS[run % len(STEPS)]
        device = Device(server, f"person{run}", replaces=(run // len(STEPS)) % 2 == 1)
        killer = Killer(server, step, 1.2 * spans[step])
        try:
            device.change_over(killer.at, killer.restart)
        except requests.RequestException:
            unanswered[step] += 1
        finally:
            killer.restart()

        # Whatever the moment was: the person gets in, and the change-over comes to its end.
        assert device.sign_in().status_code == 200
        device.change_over()
        [passkey] = device.person.account()["passkeys"]
        held = {b64(id): credential.algorithm for id, credential in device.keys.credentials.items()}
        assert held == {passkey["id"]: MLDSA65}
    if RUNS >= 2 * len(STEPS):
        assert sum(unanswered.values()), "no kill hit a request: the test proved nothing"
