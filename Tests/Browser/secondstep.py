"""People with a second step: an authenticator app that others wrote, codes by e-mail, and the way to the step."""

from __future__ import annotations

import json
import re
import sqlite3
import subprocess
import time
from pathlib import Path

from mailserver import read, wait_for
from passwords import PASSWORD
from playwright.sync_api import expect
from visitor import Visitor
from wardserver import Server, environment, find_binary


def code(secret: str, *, steps: int = 0) -> str:
    """What an authenticator app that others wrote shows; `steps` later than now."""
    at = f"@{int(time.time()) + 30 * steps}"
    line = ["oathtool", "--totp", "--base32", "--now", at, "-"]
    done = subprocess.run(line, input=secret.replace(" ", ""), capture_output=True, text=True, check=True)
    return done.stdout.strip()


def wrong_code(secret: str) -> str:
    """A code that no step around this one has."""
    right = {code(secret, steps=steps) for steps in range(-2, 3)}
    texts = ("000000", "111111", "222222", "333333", "444444", "555555")
    return next(text for text in texts if text not in right)


def add_app(visitor: Visitor) -> str:
    """Sets an app up on the account page; its secret."""
    visitor.at("app-set-up").click()
    expect(visitor.at("app-secret")).not_to_be_empty()
    secret = visitor.at("app-secret").inner_text()
    assert visitor.at("app-open").get_attribute("href").startswith("otpauth://totp/")
    visitor.at("app-code").fill(code(secret))
    visitor.at("app-code").press("Enter")
    visitor.says("app_added")
    return secret


def make_codes(visitor: Visitor) -> list[str]:
    """Makes recovery codes on the account page, and puts them away."""
    visitor.at("codes-make").click()
    expect(visitor.at("recovery-code")).to_have_count(10)
    codes = visitor.at("recovery-code").all_inner_texts()
    visitor.at("codes-done").click()
    return codes


def begin(visitor: Visitor, name: str, *, at: str = "/#password") -> None:
    """Signs in with the password, up to the second step, with the keyboard alone."""
    visitor.open(at)
    type_password(visitor, name)
    expect(visitor.at("step-code")).to_be_focused()


def type_password(visitor: Visitor, name: str) -> None:
    visitor.at("username").fill(name)
    visitor.at("password").fill(PASSWORD)
    visitor.at("password").press("Enter")


def add_address(database: Path, name: str, address: str) -> None:
    """As if the person had confirmed it."""
    with sqlite3.connect(database, timeout=30) as connection:
        connection.execute(
            "INSERT INTO email (account_id, confirmed, confirmed_at, language) SELECT id, ?, 1, 'en' FROM account"
            " WHERE username = ?",
            (address, name),
        )


def lose_address(database: Path, name: str) -> None:
    """As if the service could no longer write to the person."""
    with sqlite3.connect(database, timeout=30) as connection:
        connection.execute("DELETE FROM email WHERE account_id = (SELECT id FROM account WHERE username = ?)", (name,))


def turn_mail_codes_on(visitor: Visitor, name: str) -> None:
    """An address, and codes that go there."""
    add_address(visitor.server.database, name, f"{name}@mx1.example")
    visitor.page.reload()
    visitor.ready()
    visitor.at("mail-codes-on").click()
    visitor.says("mail_codes_on")


def mails(box: Path, name: str) -> list[str]:
    """The texts of all messages to a person that have a code, oldest first."""
    files = sorted(box.glob("*.eml"), key=lambda file: file.stat().st_mtime_ns)
    messages = [read(file.read_bytes()) for file in files]
    texts = [message.get_content() for message in messages if f"{name}@" in message["To"]]
    return [found[1] for text in texts if (found := re.search(r"^(\d{6})\r?$", text, re.MULTILINE))]


def mailed_code(box: Path, name: str, count: int = 1) -> str:
    """Waits for so many codes in messages to a person; the last one."""
    return wait_for(lambda: (codes := mails(box, name)) and len(codes) == count and codes, f"{count} codes by e-mail")[-1]


def link(box: Path) -> str:
    """Waits for the message with the recovery link; the link's path."""

    def find():
        texts = [read(file.read_bytes()).get_content() for file in box.glob("*.eml")]
        return next((text for text in texts if "/recover#recovery=" in text), None)

    text = wait_for(find, "a message with a recovery link")
    return "/recover#recovery=" + text.split("/recover#recovery=")[1].split()[0]


def recovery_link(server: Server, name: str, *, with_proof: bool = False) -> str:
    """What an operator makes: the path of a link."""
    done = subprocess.run(
        [
            str(find_binary()), "accounts", "recovery-link", name, *([] if with_proof else ["--without-proof"]),
            "--database", str(server.database), "--origin", server.origin, "--json",
        ],
        env=environment(),
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )  # fmt: skip
    return json.loads(done.stdout)["link"].removeprefix(server.origin)
