"""A mail server that the tests read: aiosmtpd, with answers that a test chooses."""

from __future__ import annotations

import email
import email.header
import email.policy
import email.utils
import re
import ssl
import threading
import time
from collections.abc import Callable
from email.message import EmailMessage
from pathlib import Path
from typing import Any

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, AuthResult, Envelope, LoginPassword, Session
from wardserver import Server, free_port

SENDER = "no-reply@login.example"


class MailServer:
    """Keeps what it takes. `answer` decides about a recipient, and `hold` about a message that came whole."""

    def __init__(self, port: int | None = None, *, certificate: Path | None = None, login: tuple[str, str] | None = None):
        self.port = port or free_port()
        self.envelopes: list[Envelope] = []
        self.mails_begun = 0
        self.login = login
        self.answer: Callable[[], str | None] = lambda: None
        self.hold = threading.Event()
        self.hold.set()
        options: dict[str, Any] = {}
        if certificate is not None:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate)
            options = {"tls_context": context, "require_starttls": True}
        if login is not None:
            options |= {"auth_required": True, "authenticator": self._authenticate}
        self._controller = Controller(self, hostname="127.0.0.1", port=self.port, **options)

    def __enter__(self) -> MailServer:
        self._controller.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.hold.set()
        self._controller.stop()

    def _authenticate(self, _server: SMTP, _session: Session, _envelope: Envelope, mechanism: str, data: Any) -> AuthResult:
        right = isinstance(data, LoginPassword) and (data.login.decode(), data.password.decode()) == self.login
        return AuthResult(success=right, handled=right)

    async def handle_MAIL(self, _server, _session, envelope, address, options) -> str:
        self.mails_begun += 1
        envelope.mail_from = address
        envelope.mail_options.extend(options)
        return "250 OK"

    async def handle_RCPT(self, _server, _session, envelope, address, _options) -> str:
        if refusal := self.answer():
            return refusal
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, _server, _session, envelope) -> str:
        self.envelopes.append(envelope)
        while not self.hold.is_set():
            time.sleep(0.01)
        return "250 OK"

    def mails(self, count: int = 1, seconds: float = 60) -> list[EmailMessage]:
        """Waits for this many messages in all, and reads them."""
        wait_for(lambda: len(self.envelopes) >= count, f"{count} messages", seconds)
        return [read(envelope.content) for envelope in self.envelopes]


def wait_for(condition: Callable[[], Any], what: str, seconds: float = 60) -> Any:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if found := condition():
            return found
        time.sleep(0.05)
    raise AssertionError(f"{what} did not come within {seconds} s")


def read(content: bytes | str | None) -> EmailMessage:
    """A message as Python's own parser reads it, without a defect."""
    assert isinstance(content, bytes)
    message = email.message_from_bytes(content, policy=email.policy.default)
    assert isinstance(message, EmailMessage)
    assert message.defects == [] and all(value.defects == () for value in message.values())
    for line in content.split(b"\n"):
        assert len(line) <= 999, line
    return message


def sender(content: bytes | str | None) -> tuple[str, str]:
    """The name and the address of the sender. The newer parser of Python puts a space between the encoded words of a name."""
    assert isinstance(content, bytes)
    name, address = email.utils.parseaddr(email.message_from_bytes(content)["From"])
    return str(email.header.make_header(email.header.decode_header(name))), address


def text(message: EmailMessage) -> str:
    return message.get_content()


def token(message: EmailMessage, server: Server, path: str) -> str:
    """The token of the message's only link."""
    links = re.findall(r"https?://\S+", text(message))
    assert len(links) == 1, links
    found = re.fullmatch(re.escape(server.origin) + re.escape(path) + r"=([A-Za-z0-9_-]{43})", links[0])
    assert found, links
    return found[1]


def confirmation(message: EmailMessage, server: Server) -> str:
    return token(message, server, "/confirm-address#confirmation")


def alarm(message: EmailMessage, server: Server) -> str:
    return token(message, server, "/not-me#alarm")


def arguments(route: str, *more: str) -> tuple[str, ...]:
    return ("--mail", route, "--mail-from", SENDER, *more)
