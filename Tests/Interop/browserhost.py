"""A browser as `ward-browser` sees it: the program that starts it, and an extension that speaks through it."""

from __future__ import annotations

import json
import queue
import struct
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
import webauthn
from agentwire import build_app
from manager import Manager
from webauthn.helpers import structs

EXTENSION = "einjclakeijnedfmbahodbjcjdiomohj"
ORIGIN = "https://example.com"
RP_ID = "example.com"
REQUIRED = structs.UserVerificationRequirement.REQUIRED
DISCOURAGED = structs.UserVerificationRequirement.DISCOURAGED

# The browser starts the host with its own standard input and output, and waits for its end.
BROWSER = "import subprocess, sys; sys.exit(subprocess.Popen(sys.argv[1:]).wait())"


def build_browser(folder: Path, name: str = "chromium") -> Path:
    """A program of its own that counts as a browser."""
    return build_app(folder / name, name)


def sender(origin: str = ORIGIN, path: str = "/login", *, tab: int = 1, frame: int = 0, **other: Any) -> dict[str, Any]:
    """What a browser says of a page."""
    said = {"url": origin + path, "origin": origin, "tab": tab, "frame": frame, "document": "A1", "topURL": origin + path}
    return {**said, "isPrivate": False, **other}


class Host:
    """A running `ward-browser`, and the browser that started it."""

    def __init__(
        self, manager: Manager, browser: Path | str, *, extension: str = EXTENSION, words: list[str] | None = None
    ) -> None:
        self.manager = manager
        self.program = manager.binary.with_name("ward-browser")
        words = [f"chrome-extension://{extension}/"] if words is None else words
        environment = {**manager.environment, "PYTHONHOME": sys.base_prefix}
        self.process = subprocess.Popen(
            [*manager.prefix, str(browser), "-c", BROWSER, str(self.program), *words],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment,
        )  # fmt: skip
        self.number = 0
        self.answers: dict[Any, dict[str, Any]] = {}
        self.got: queue.Queue[dict[str, Any] | None] = queue.Queue()
        self.pieces: dict[Any, list[str]] = {}
        self.longest = 0
        threading.Thread(target=self._read, daemon=True).start()

    # What a browser does

    def _read(self) -> None:
        assert self.process.stdout is not None
        while len(head := self.process.stdout.read(4)) == 4:
            (length,) = struct.unpack("@I", head)
            self.longest = max(self.longest, length)
            message = json.loads(self.process.stdout.read(length))
            if "chunk" in message:
                chunk = message["chunk"]
                pieces = self.pieces.setdefault(chunk["id"], [])
                assert chunk["index"] == len(pieces)
                pieces.append(chunk["text"])
                if len(pieces) < chunk["count"]:
                    continue
                message = json.loads("".join(self.pieces.pop(chunk["id"])))
            self.got.put(message)
        self.got.put(None)

    def write(self, raw: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(struct.pack("@I", len(raw)) + raw)
        self.process.stdin.flush()

    def bytes(self, raw: bytes) -> None:
        """Bytes without a frame."""
        assert self.process.stdin is not None
        self.process.stdin.write(raw)
        self.process.stdin.flush()

    def next(self) -> dict[str, Any] | None:
        """The next answer; `None` at the end."""
        return self.got.get(timeout=60)

    # What an extension does

    def send(self, method: str, **params: Any) -> int:
        self.number += 1
        message = {"jsonrpc": "2.0", "id": self.number, "method": method, "params": params}
        self.write(json.dumps(message).encode())
        return self.number

    def wait(self, number: Any) -> dict[str, Any]:
        """The answer to a request, in whatever order the answers come."""
        while number not in self.answers:
            message = self.next()
            assert message is not None, "ward-browser ended"
            self.answers[message.get("id")] = message
        return self.answers.pop(number)

    def answer(self, method: str, **params: Any) -> dict[str, Any]:
        return self.wait(self.send(method, **params))

    def call(self, method: str, **params: Any) -> Any:
        answer = self.answer(method, **params)
        assert "error" not in answer, answer
        return answer["result"]

    def refusal(self, method: str, **params: Any) -> tuple[str, str]:
        """The error's code and its sentence."""
        answer = self.answer(method, **params)
        assert "error" in answer, answer
        return answer["error"]["data"]["code"], answer["error"]["message"]

    def exception(self, method: str, **params: Any) -> str:
        """The name of the exception for the page."""
        answer = self.answer(method, **params)
        assert "error" in answer, answer
        assert answer["error"]["data"]["code"] == "ceremony_failed", answer
        return answer["error"]["data"]["name"]

    def pair(self) -> Host:
        self.manager.answers("ok")
        self.call("browser.pair")
        return self

    @property
    def pid(self) -> int:
        """The process of ward-browser."""
        task = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children")
        return int(task.read_text().split()[0])

    def close(self) -> int:
        """Closes standard input, as a browser does at its end."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        return self.process.wait(timeout=60)

    def kill(self) -> None:
        self.process.kill()
        self.process.wait(timeout=60)
        if self.process.stdin is not None:
            self.process.stdin.close()


# Fixtures, and the judge of what passkeys answer


@pytest.fixture
def browser(tmp_path):
    """The program of a browser."""
    return build_browser(tmp_path / "programs")


@pytest.fixture
def start(vault):
    """Starts browsers and leaves none behind."""
    started = []

    def start(program, **options):
        host = Host(vault, program, **options)
        started.append(host)
        return host

    yield start
    for host in started:
        host.kill()


@pytest.fixture
def host(start, browser):
    """A browser that the person connected."""
    return start(browser).pair()


def creation(name="ada", verification=DISCOURAGED, excluded=(), rp_id=RP_ID, algorithms=None):
    options = webauthn.generate_registration_options(
        rp_id=rp_id,
        rp_name="Example",
        user_name=name,
        user_id=f"user-{name}".encode(),
        user_display_name=name.title(),
        exclude_credentials=[structs.PublicKeyCredentialDescriptor(id=id) for id in excluded],
        supported_pub_key_algs=algorithms,
        authenticator_selection=structs.AuthenticatorSelectionCriteria(
            resident_key=structs.ResidentKeyRequirement.REQUIRED, user_verification=verification
        ),
    )
    return options, webauthn.options_to_json(options)


def request(verification=DISCOURAGED, allowed=(), rp_id=RP_ID):
    options = webauthn.generate_authentication_options(
        rp_id=rp_id,
        user_verification=verification,
        allow_credentials=[structs.PublicKeyCredentialDescriptor(id=id) for id in allowed],
    )
    return options, webauthn.options_to_json(options)


def made(options, answer, origin=ORIGIN, is_verified=False, rp_id=RP_ID, is_present=True):
    verified = webauthn.verify_registration_response(
        credential=answer["response"],
        expected_challenge=options.challenge,
        expected_rp_id=rp_id,
        expected_origin=origin,
        require_user_presence=is_present,
        require_user_verification=is_verified,
        supported_pub_key_algs=[kind.alg for kind in options.pub_key_cred_params],
    )
    assert verified.user_verified == is_verified
    return verified


def signed_in(options, answer, record, origin=ORIGIN, is_verified=False, rp_id=RP_ID):
    verified = webauthn.verify_authentication_response(
        credential=answer["response"],
        expected_challenge=options.challenge,
        expected_rp_id=rp_id,
        expected_origin=origin,
        credential_public_key=record.credential_public_key,
        credential_current_sign_count=0,
        require_user_verification=is_verified,
    )
    assert verified.user_verified == is_verified
    return verified


def make(host, name="ada", page=None, **more):
    """A passkey that the person agreed to in the extension's window."""
    options, text = creation(name, **more)
    page = page or sender()
    answer = host.call("browser.passkeys.create", sender=page, options=text, agreed=True)
    return made(options, answer, page["origin"], rp_id=options.rp.id)
