"""Mail with the real program: judged by aiosmtpd and by Python's parser of messages."""

import json
import os
import sqlite3
import stat
import subprocess
from email.message import EmailMessage

import pytest
import requests
from certificates import certificates
from mailserver import SENDER, MailServer, alarm, arguments, confirmation, read, sender, text, wait_for
from test_admin_api import Admin, create
from test_audit import rows
from test_registration import accounts
from wardserver import Person, Server, environment, error_code, find_binary, free_port


#: Longer than one encoded word.
NAME = "Ümläut und ein langer Name mit 登录服务 und 로그인 서비스"


def put(person: Person, address: str, **more):
    return person.call("PUT", "account/email", {"address": address}, **more)


def confirm(server: Server, token: str):
    """Somebody without a session opens the link and presses the button."""
    return server.client().post("email/confirmation", {"token": token})


def with_address(server: Server, box: MailServer, name: str = "ada", address: str = "ada@example.com") -> Person:
    """A person whose address is confirmed."""
    person = server.person(name)
    assert person.register().status_code == 201
    count = len(box.envelopes)
    assert put(person, address).status_code == 204
    assert confirm(server, confirmation(box.mails(count + 1)[-1], server)).status_code == 204
    assert person.account()["email"] == {"confirmed": address, "pending": None}
    return person


def waiting(server: Server) -> int:
    with sqlite3.connect(server.database, timeout=30) as database:
        return database.execute("SELECT count(*) FROM mail").fetchone()[0]


@pytest.fixture
def box():
    with MailServer() as server:
        yield server


def test_an_address_is_the_accounts_only_after_the_link_in_its_message(start, box):
    server = start(arguments=arguments(f"smtp://127.0.0.1:{box.port}"), log_level="trace")
    ada = server.person("ada")
    assert ada.register().status_code == 201
    assert ada.account()["email"] is None and ada.get("configuration").json()["mail"] is True
    assert put(ada, "ada@example.com").status_code == 204
    [message] = box.mails()
    assert message["To"] == "ada@example.com" and box.envelopes[0].rcpt_tos == ["ada@example.com"]
    assert sender(box.envelopes[0].content) == ("Ward test", SENDER) and box.envelopes[0].mail_from == SENDER
    assert message["Auto-Submitted"] == "auto-generated" and message["Message-ID"].endswith("@login.example>")
    assert message["Date"].datetime.tzinfo is not None and message.get_content_type() == "text/plain"
    token = confirmation(message, server)
    told = text(message).replace("ada@example.com", "").replace(token, "")
    assert "ada" not in told, "a stranger's address does not learn the name"
    # Nothing else is sent there yet, and opening the page changes nothing.
    assert ada.add_passkey(server.person().browser).status_code == 201
    assert server.client().get("/confirm-address").status_code == 200
    assert ada.account()["email"] == {"confirmed": None, "pending": "ada@example.com"}
    assert error_code(server.client().post("email/alarm", {"token": token})) == "mail_link_not_valid"
    assert confirm(server, token).status_code == 204
    assert error_code(confirm(server, token)) == "mail_link_not_valid"
    assert ada.account()["email"] == {"confirmed": "ada@example.com", "pending": None}
    assert json.loads(accounts(server, "show", "ada", "--json"))["email"]["confirmed"] == "ada@example.com"
    assert "ada@example.com" in accounts(server, "show", "ada")
    events = [event["event"] for event in ada.get("account/activity").json()["activity"]]
    assert events[:2] == ["email_confirmed", "passkey_added"] and "email_requested" in events
    wait_for(lambda: waiting(server) == 0, "an empty outbox")
    assert len(box.envelopes) == 1
    server.stop()
    assert token not in server.log_text() and "ada@example.com" not in server.log_text()
    for file in server.folder.glob("ward.sqlite*"):
        assert token.encode() not in file.read_bytes(), file.name


def test_each_change_is_told_and_this_was_not_me_ends_all_sessions(start, box):
    server = start(arguments=arguments(f"smtp://127.0.0.1:{box.port}"))
    ada = with_address(server, box)
    told = 1

    def next_message() -> EmailMessage:
        nonlocal told
        told += 1
        message = box.mails(told)[-1]
        assert message["To"] == "ada@example.com"
        assert "Account: ada\nTime: 20" in text(message).replace("\r\n", "\n"), text(message)
        return message

    other = server.person().browser
    added = ada.add_passkey(other)
    assert added.status_code == 201
    first = next_message()
    assert "A passkey was added" in text(first)
    assert ada.delete(f"account/passkeys/{added.json()['passkey']['id']}").status_code == 204
    assert "A passkey of your account" in text(next_message())
    assert ada.call("PUT", "account/password", {"password": "rotating teapot 41 lanterns"}).status_code == 204
    assert "was set or changed" in text(next_message())
    # The browser that registered is known; a new one is told.
    assert ada.sign_in().status_code == 200
    elsewhere = server.person("ada")
    elsewhere.browser = ada.browser
    assert elsewhere.sign_in().status_code == 200
    assert "not seen before" in text(next_message())
    assert ada.delete("account/password").status_code == 204
    last = next_message()
    assert "password of your account" in text(last)

    token = alarm(first, server)
    assert server.client().get("/not-me").status_code == 200
    assert ada.get("account").status_code == 200, "opening the page changes nothing"
    assert server.client().post("email/alarm", {"token": token}).status_code == 204
    assert ada.get("account").status_code == elsewhere.get("account").status_code == 401
    assert error_code(server.client().post("email/alarm", {"token": token})) == "mail_link_not_valid"
    assert ada.sign_in().status_code == 200
    activity = ada.get("account/activity").json()["activity"]
    assert [(event["event"], event["method"]) for event in activity[:2]] == [
        ("signed_in", "passkey"), ("sessions_ended", "mail_link"),
    ]  # fmt: skip


def test_a_new_address_tells_the_old_one_and_so_does_its_end(start, box):
    server = start(arguments=arguments(f"smtp://127.0.0.1:{box.port}"))
    ada = with_address(server, box)
    assert put(ada, "new@example.org").status_code == 204
    assert ada.account()["email"] == {"confirmed": "ada@example.com", "pending": "new@example.org"}
    replaced = confirmation(box.mails(2)[-1], server)
    assert put(ada, "newer@example.org").status_code == 204
    message = box.mails(3)[-1]
    assert message["To"] == "newer@example.org"
    assert error_code(confirm(server, replaced)) == "mail_link_not_valid"
    assert confirm(server, confirmation(message, server)).status_code == 204
    old = box.mails(4)[-1]
    assert old["To"] == "ada@example.com" and "no longer go to this address" in " ".join(text(old).split())
    assert ada.delete("account/email").status_code == 204
    assert box.mails(5)[-1]["To"] == "newer@example.org"
    assert ada.account()["email"] is None and ada.delete("account/email").status_code == 404
    # Its link still ends the sessions: who took the address away may be the thief.
    assert server.client().post("email/alarm", {"token": alarm(old, server)}).status_code == 204
    assert ada.get("account").status_code == 401


def test_an_operator_sets_and_removes_an_address_and_the_old_one_is_told(start, box):
    port = free_port()
    more = ("--admin-listen", f"127.0.0.1:{port}")
    server = start(arguments=arguments(f"smtp://127.0.0.1:{box.port}", *more))
    ada = with_address(server, box)
    assert put(ada, "waits@example.com").status_code == 204
    link = confirmation(box.mails(2)[1], server)
    assert accounts(server, "email", "ada", "new@EXAMPLE.com") == "Messages about the account ada go to new@example.com.\n"
    assert ada.account()["email"] == {"confirmed": "new@example.com", "pending": None}
    old = box.mails(3)[2]
    assert old["To"] == "ada@example.com" and "no longer go to this address" in " ".join(text(old).split())
    assert error_code(confirm(server, link)) == "mail_link_not_valid", "the link for the address that waited"
    assert json.loads(accounts(server, "email", "ada", "new@example.com", "--json"))["changed"] is False
    # The owner can end all sessions with the link in that message.
    assert server.client().post("email/alarm", {"token": alarm(old, server)}).status_code == 204
    admin = Admin(server, port, create(server, "accounts:write", "accounts:read")["token"])
    [account] = admin.call("GET", "accounts").json()["accounts"]
    path = f"accounts/{account['id']}/email"
    assert admin.call("PUT", path, json={"address": "third@example.com"}).status_code == 204
    assert admin.call("PUT", path, json={"address": "third@example.com,eve@example.com"}).json()["code"] == "email_not_allowed"
    assert admin.call("DELETE", path).status_code == 204
    assert admin.call("DELETE", path).json()["code"] == "not_found"
    # Two messages that leave at the same time: either may be first.
    assert {message["To"] for message in box.mails(5)[3:]} == {"new@example.com", "third@example.com"}
    accounts(server, "email", "ada", "last@example.com")
    assert "no e-mail address any more" in accounts(server, "email", "ada", "--remove")
    assert box.mails(6)[5]["To"] == "last@example.com"
    assert "has no e-mail address.\n" in accounts(server, "email", "ada", "--remove")
    for wrong in ([], ["ada@example.com", "--remove"], ["nobody"], ["ada@example.com\r\nBcc: eve@example.com"]):
        accounts(server, "email", "ada", *wrong, code=64)
    accounts(server, "email", "nobody", "ada@example.com", code=66)
    events = [(row["event"], row["actor"]) for row in rows(server) if row["event"].startswith("email")]
    assert events[2:] == [
        ("email_requested", "owner"), ("email_confirmed", "operator"), ("email_confirmed", "operator"),
        ("email_removed", "operator"), ("email_confirmed", "operator"), ("email_removed", "operator"),
    ]  # fmt: skip
    assert "new@example.com" not in server.log_text()


def test_a_deleted_account_is_told_and_the_message_needs_no_account(start, box):
    server = start(arguments=arguments(f"smtp://127.0.0.1:{box.port}"))
    ada = with_address(server, box)
    assert ada.delete("account").status_code == 204
    message = box.mails(2)[-1]
    assert "was deleted" in message["Subject"] and "#" not in text(message)


def test_messages_are_in_the_language_of_their_reader(start, box):
    server = start(arguments=arguments(f"smtp://127.0.0.1:{box.port}"))
    for language, word in [("ja", "パスキー"), ("zh-Hans", "通行密钥")]:
        person = server.person(f"reader-{language.lower()}")
        person.http.headers["Accept-Language"] = language
        assert person.register().status_code == 201
        count = len(box.envelopes)
        assert put(person, f"{person.name}@example.com").status_code == 204
        message = box.mails(count + 1)[-1]
        assert message["Content-Language"] == language
        answer = person.post("email/confirmation", {"token": confirmation(message, server)})
        assert answer.status_code == 204
        # Who changes something in another language does not change the language of the messages.
        person.http.headers["Accept-Language"] = "ko"
        assert person.add_passkey(server.person().browser).status_code == 201
        told = box.mails(count + 2)[-1]
        assert told["Content-Language"] == language and word in told["Subject"] and word in text(told)
        alarm(told, server)


@pytest.mark.parametrize("login", [None, ("mailer", "p ässword: 41")])
def test_tls_is_required_where_certificates_are_named_and_the_login_comes_after_it(start, tmp_path, login):
    authority, certificate = certificates(tmp_path, "localhost")
    (tmp_path / "other").mkdir()
    other, _ = certificates(tmp_path / "other", "localhost")
    more = ()
    if login:
        (tmp_path / "login").write_text("\n".join(login) + "\n")
        (tmp_path / "login").chmod(0o600)
        more = ("--mail-login", str(tmp_path / "login"))
    with MailServer(certificate=certificate, login=login) as box:
        route = f"smtp://localhost:{box.port}"
        distrusting = start(arguments=arguments(route, "--mail-ca", str(other), *more))
        ada = distrusting.person("ada")
        assert ada.register().status_code == 201 and put(ada, "ada@example.com").status_code == 204
        wait_for(lambda: "is not protected" in distrusting.log_text(), "a refusal of the certificate")
        distrusting.stop()
        assert box.mails_begun == 0
        server = start(arguments=arguments(route, "--mail-ca", str(authority), *more))
        with_address(server, box)
        assert login is None or login[1] not in server.log_text()


def test_without_tls_nothing_is_sent_where_it_is_required(start, tmp_path, box):
    authority, _ = certificates(tmp_path, "localhost")
    server = start(arguments=arguments(f"smtp://localhost:{box.port}", "--mail-ca", str(authority)))
    ada = server.person("ada")
    assert ada.register().status_code == 201 and put(ada, "ada@example.com").status_code == 204
    wait_for(lambda: "is not protected" in server.log_text(), "a refusal of the connection")
    assert box.mails_begun == 0 and waiting(server) == 1


def test_a_wrong_login_is_a_failure_for_now(start, tmp_path):
    authority, certificate = certificates(tmp_path, "localhost")
    (tmp_path / "login").write_text("mailer\nwrong secret\n")
    (tmp_path / "login").chmod(0o600)
    with MailServer(certificate=certificate, login=("mailer", "right secret")) as box:
        more = ("--mail-ca", str(authority), "--mail-login", str(tmp_path / "login"))
        server = start(arguments=arguments(f"smtp://localhost:{box.port}", *more))
        ada = server.person("ada")
        assert ada.register().status_code == 201 and put(ada, "ada@example.com").status_code == 204
        wait_for(lambda: "did not accept the user name and password" in server.log_text(), "a refusal of the login")
        assert waiting(server) == 1 and box.envelopes == [] and "wrong secret" not in server.log_text()


def test_a_server_that_says_later_is_asked_again_and_one_that_says_never_is_not(start, box):
    port = free_port()
    more = ("--metrics-listen", f"127.0.0.1:{port}")
    server = start(arguments=arguments(f"smtp://127.0.0.1:{box.port}", *more))

    def metrics() -> list[str]:
        return requests.get(f"http://127.0.0.1:{port}/metrics", timeout=60).text.splitlines()

    answers = ["451 try again later"]
    box.answer = lambda: answers.pop(0) if answers else None
    ada = with_address(server, box)
    assert answers == [] and len(box.envelopes) == 1
    assert server.log_text().count("mail not sent yet") == 1

    box.answer = lambda: "550 no such person"
    assert put(ada, "nobody@example.com").status_code == 204
    wait_for(lambda: 'ward_mail_total{outcome="failed"} 1' in metrics(), "a failure")
    assert waiting(server) == 0 and len(box.envelopes) == 1
    wait_for(lambda: "ward_mail_waiting 0" in metrics(), "an empty outbox")
    assert 'ward_mail_total{outcome="sent"} 1' in metrics()
    assert "the mail server answered 550" in server.log_text() and "nobody@" not in server.log_text()


def test_what_was_answered_is_told_after_kill_minus_nine(start):
    """The server dies between the change and its message, and there is no mail server yet."""
    box = MailServer()
    server = start(arguments=arguments(f"smtp://127.0.0.1:{box.port}"))
    ada = server.person("ada")
    assert ada.register().status_code == 201
    assert put(ada, "ada@example.com").status_code == 204
    server.kill()
    assert waiting(server) == 1
    with sqlite3.connect(server.database, timeout=30) as database:
        database.execute("UPDATE mail SET due_at = 0")
    with box:
        server.start()
        assert confirm(server, confirmation(box.mails()[-1], server)).status_code == 204


def test_a_message_that_may_have_left_comes_again_with_the_same_id(start, box):
    """Killed after the mail server has the message, and before its answer: both links work."""
    server = start(arguments=arguments(f"smtp://127.0.0.1:{box.port}"))
    ada = server.person("ada")
    assert ada.register().status_code == 201
    box.hold.clear()
    assert put(ada, "ada@example.com").status_code == 204
    first = box.mails()[0]
    server.kill()
    box.hold.set()
    with sqlite3.connect(server.database, timeout=30) as database:
        [(attempts, due)] = database.execute("SELECT attempts, due_at FROM mail").fetchall()
        assert attempts == 1 and due > 0
        # Another process would wait until this one cannot be sending any more.
        database.execute("UPDATE mail SET due_at = 0")
    server.start()
    second = box.mails(2)[1]
    assert second["Message-ID"] == first["Message-ID"] and second["Date"] == first["Date"]
    assert confirmation(second, server) != confirmation(first, server)
    assert confirm(server, confirmation(first, server)).status_code == 204


def test_messages_in_a_folder_are_files_that_only_the_service_reads(start, tmp_path):
    folder = tmp_path / "mail"
    server = start(arguments=arguments(f"folder:{folder}"))
    ada = server.person("ada")
    assert ada.register().status_code == 201
    assert put(ada, "ada@example.com").status_code == 204
    [file] = wait_for(lambda: list(folder.glob("*.eml")), "a file")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600 and stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert confirm(server, confirmation(read(file.read_bytes()), server)).status_code == 204


def test_names_and_addresses_add_no_field_and_no_recipient(start, box):
    server = start(
        arguments=arguments(f"smtp://127.0.0.1:{box.port}", "--rp-name", NAME)
    )
    ada = server.person("ada")
    assert ada.register().status_code == 201
    for address in [
        "ada@example.com\r\nBcc: eve@example.com", "ada@example.com,eve@example.com", "<ada@example.com>", "",
        "ada@münchen.example", "a" * 65 + "@example.com", "ada@example.com\0",
    ]:  # fmt: skip
        assert error_code(put(ada, address)) == "email_not_allowed", address
    assert put(ada, " ada@EXAMPLE.com ").status_code == 204
    message = box.mails()[0]
    assert sender(box.envelopes[0].content) == (NAME, SENDER)
    assert box.envelopes[0].rcpt_tos == ["ada@example.com"]
    assert "登录服务" in message["Subject"] and "登录服务" in text(message)


def test_strangers_cannot_send_many_messages_to_one_address(start, box):
    server = start(arguments=arguments(f"smtp://127.0.0.1:{box.port}"))
    people = [server.person(f"sender{number}") for number in range(3)]
    for person in people:
        assert person.register().status_code == 201
    answers = [put(people[number % 2], "Victim@example.com") for number in range(7)]
    assert [answer.status_code for answer in answers] == [204] * 5 + [429] * 2
    assert int(answers[-1].headers["Retry-After"]) > 3600
    assert error_code(put(people[2], "victim@EXAMPLE.com")) == "too_many_requests"
    assert put(people[2], "other@example.com").status_code == 204
    assert len(box.mails(2)) <= 6


def test_a_change_of_the_address_needs_a_fresh_proof(start, box):
    server = start(arguments=arguments(f"smtp://127.0.0.1:{box.port}"))
    ada = with_address(server, box)
    with sqlite3.connect(server.database, timeout=30) as database:
        database.execute("UPDATE session SET authenticated_at = authenticated_at - 301, passkey_proven_at = passkey_proven_at - 301")
    assert error_code(put(ada, "eve@example.com")) == "passkey_sign_in_required"
    assert error_code(ada.delete("account/email")) == "passkey_sign_in_required"
    assert ada.account()["email"] == {"confirmed": "ada@example.com", "pending": None}


def test_without_mail_there_are_no_addresses(server, member):
    assert error_code(put(member, "ada@example.com")) == "mail_disabled"
    assert error_code(member.delete("account/email")) == "mail_disabled"
    assert member.account()["email"] is None and member.get("configuration").json()["mail"] is False
    assert 'id="email-panel"' not in member.get("/account").text


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        (("--mail", "smtp://localhost"), "--mail-from"),
        (("--mail-from", SENDER), "needs --mail"),
        (("--mail-login", "login"), "needs --mail"),
        (arguments("mail.example.com"), "smtp://HOST:PORT"),
        (arguments("smtp://user:secret@mail.example.com"), "--mail-login"),
        (arguments("folder:"), "path"),
        (("--mail", "smtp://localhost", "--mail-from", "nobody"), "--mail-from"),
        (arguments("smtp://localhost", "--mail-login", "missing"), "missing cannot be read"),
        (arguments("smtp://localhost", "--mail-login", "open"), "chmod 600"),
        (arguments("smtp://localhost", "--mail-login", "one"), "two lines"),
        (arguments("smtp://localhost", "--mail-ca", "missing"), "missing cannot be read"),
    ],
)
def test_settings_for_mail_that_cannot_work_are_refused_with_the_reason(tmp_path, settings, reason):
    tmp_path.chmod(0o700)
    for name, mode, content in [("open", 0o644, "ada\nsecret\n"), ("one", 0o600, "secret\n")]:
        (tmp_path / name).write_text(content)
        os.chmod(tmp_path / name, mode)
    for command in ("check", "serve"):
        done = subprocess.run(
            [str(find_binary()), command, "--database", str(tmp_path / "ward.sqlite"), "--listen", "127.0.0.1:0", *settings],
            cwd=tmp_path, env=environment(), capture_output=True, text=True, timeout=120, stdin=subprocess.DEVNULL,
        )  # fmt: skip
        assert done.returncode != 0 and reason in done.stdout + done.stderr, (command, done)
        assert "secret" not in (done.stdout + done.stderr).replace("user:secret", "")
