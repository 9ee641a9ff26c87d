"""Codes in text messages with the real program: the program that sends them is Python's HTTP server."""

from __future__ import annotations

import re
import sqlite3
import subprocess

import pytest
from mailserver import wait_for
from passwordaccounts import PASSWORD, create, sign_in
from wardserver import Server, environment, find_binary
from webhookreceiver import FIRST, Receiver, secrets

NUMBER = "+49 30 1234567"


@pytest.fixture
def phone():
    """The program that sends text messages."""
    with Receiver() as receiver:
        yield receiver


def arguments(phone: Receiver, folder, *more: str) -> tuple[str, ...]:
    return ("--text-webhook", phone.address, "--text-webhook-secrets", str(secrets(folder)), *more)


def code(text: str) -> str:
    """The code of a message, from the line that telephones read (https://wicg.github.io/sms-one-time-codes/)."""
    last = text.split("\n")[-1]
    found = re.fullmatch(r"@localhost #(\d{6})", last)
    assert found and found[1] in text.split("\n")[0], text
    return found[1]


def newest(phone: Receiver, count: int) -> str:
    return phone.wait(count)[-1].json["data"]["text"]


def with_number(server: Server, phone: Receiver, name: str = "ada"):
    """An account with a password whose number is confirmed."""
    person = server.person(name)
    assert create(person, name).status_code == 201
    assert person.call("PUT", "account/text-codes", {"number": NUMBER}).status_code == 204
    typed = code(newest(phone, 1))
    assert person.post("account/text-codes/confirm", {"code": typed}).status_code == 204
    return person


def test_a_number_is_confirmed_and_gets_the_codes_of_sign_ins(start, tmp_path, phone):
    server = start(arguments=arguments(phone, tmp_path), log_level="trace")
    ada = server.person("ada")
    assert create(ada, "ada").status_code == 201
    assert ada.account()["factors"]["textCodes"] is None
    assert ada.call("PUT", "account/text-codes", {"number": NUMBER}).status_code == 204
    [first] = phone.wait(1)
    assert first.verify(FIRST) == first.json
    assert first.json["type"] == "text_message"
    data = first.json["data"]
    assert (data["kind"], data["to"], data["language"]) == ("number_check", "+49301234567", "en")
    # Until its code came back, the number counts for nothing.
    assert "account" in sign_in(server.client(), "ada").json()
    wrong = f"{(int(code(data['text'])) + 1) % 1_000_000:06}"
    assert ada.post("account/text-codes/confirm", {"code": wrong}).json()["code"] == "typed_code_wrong"
    assert ada.post("account/text-codes/confirm", {"code": code(data["text"])}).status_code == 204
    assert ada.post("account/text-codes/confirm", {"code": code(data["text"])}).status_code == 404
    assert ada.account()["factors"]["textCodes"] == {"to": "+49•••67"}

    browser = server.client()
    begun = sign_in(browser, "ada").json()
    assert begun["next"] == [{"method": "text_code", "to": "+49•••67"}]
    step = {"flow": begun["flow"], "method": "text_code"}
    assert browser.post("sign-in/code", {**step, "code": code(data["text"])}).json()["code"] == "code_wrong"
    assert browser.post("sign-in/send-code", step, headers={"Accept-Language": "ja"}).status_code == 204
    text = newest(phone, 2)
    assert phone.deliveries[-1].json["data"]["language"] == "ja" and "教えないで" in text
    # A code of a sign-in confirms no number, and it opens the account once.
    assert browser.post("sign-in/code", {**step, "code": code(text)}).json()["account"]["username"] == "ada"
    again = server.client()
    flow = sign_in(again, "ada").json()["flow"]
    used = again.post("sign-in/code", {"flow": flow, "method": "text_code", "code": code(text)})
    assert used.json()["code"] == "code_wrong"
    rows = browser.get("account").json()
    assert rows["factors"]["textCodes"]["to"] == "+49•••67"
    assert ada.delete("account/text-codes").status_code == 204
    assert ada.delete("account/text-codes").status_code == 404
    assert "account" in sign_in(server.client(), "ada").json()
    server.stop()
    # Without random text, which may have the digits of a code.
    log = re.sub(r"\b(request\.id|head)=\S+", "", server.log_text())
    for secret in (code(text), code(data["text"]), "1234567", FIRST.removeprefix("whsec_"), "tenant"):
        assert secret not in log, secret


def test_a_new_number_replaces_the_old_one_only_when_its_code_came_back(start, tmp_path, phone):
    server = start(arguments=arguments(phone, tmp_path))
    ada = with_number(server, phone)
    assert ada.call("PUT", "account/text-codes", {"number": "+1 212 555 0100"}).status_code == 204
    phone.wait(2)
    browser = server.client()
    begun = sign_in(browser, "ada").json()
    step = {"flow": begun["flow"], "method": "text_code"}
    # The code of the number that waits is none of a sign-in.
    assert browser.post("sign-in/code", {**step, "code": code(newest(phone, 2))}).json()["code"] == "code_wrong"
    assert browser.post("sign-in/send-code", step).status_code == 204
    phone.wait(3)
    assert [one.json["data"]["to"] for one in phone.deliveries] == ["+49301234567", "+12125550100", "+49301234567"]
    # And the other way round: a sign-in's code goes to the old number, and confirms no new one.
    confirmed_by = ada.post("account/text-codes/confirm", {"code": code(newest(phone, 3))})
    assert confirmed_by.json()["code"] == "typed_code_wrong"
    assert ada.account()["factors"]["textCodes"] == {"to": "+49•••67"}


@pytest.mark.parametrize(
    "number", ["030 1234567", "+49", "+49 (0)30 1234567", "+1 212 555 0100", "+49301234567\n@localhost #1", ""]
)
def test_numbers_that_get_no_messages_are_refused(start, tmp_path, phone, number):
    server = start(arguments=arguments(phone, tmp_path, "--text-prefix", "+49", "--text-prefix", "+43"))
    ada = server.person("ada")
    assert create(ada, "ada").status_code == 201
    answer = ada.call("PUT", "account/text-codes", {"number": number})
    assert (answer.status_code, answer.json()["code"]) == (422, "number_not_allowed")
    assert len(number) < 8 or number not in answer.text
    assert phone.deliveries == []


def test_messages_cost_money_so_there_are_limits_for_a_number_and_for_all(start, tmp_path, phone):
    server = start(arguments=arguments(phone, tmp_path, "--text-limit", "8"))
    people = []
    for name in ("ada", "bob", "eve"):
        people.append(server.person(name))
        assert create(people[-1], name).status_code == 201
    sent = [people[0].call("PUT", "account/text-codes", {"number": NUMBER}).status_code for _ in range(4)]
    sent += [people[1].call("PUT", "account/text-codes", {"number": NUMBER}).status_code for _ in range(3)]
    assert sent == [204] * 6 + [429], "the limit of a number holds for all accounts"
    others = [people[2].call("PUT", "account/text-codes", {"number": f"+1 212 555 01{n}0"}) for n in range(3)]
    assert [answer.status_code for answer in others] == [204, 204, 429], "and the one of all numbers for every number"
    assert "Retry-After" in others[-1].headers


def test_a_message_that_did_not_leave_comes_again_with_another_code_and_not_after_its_time(start, tmp_path, phone):
    phone.answer = lambda _: 503 if len(phone.deliveries) == 1 else 204
    server = start(arguments=arguments(phone, tmp_path))
    ada = server.person("ada")
    assert create(ada, "ada").status_code == 201
    assert ada.call("PUT", "account/text-codes", {"number": NUMBER}).status_code == 204
    phone.wait(1)
    with sqlite3.connect(server.database, timeout=30) as database:
        database.execute("UPDATE mail SET due_at = 0")
    first, second = (one.json["data"]["text"] for one in phone.wait(2))
    assert ada.post("account/text-codes/confirm", {"code": code(first)}).status_code == 422 or code(first) == code(second)
    assert ada.post("account/text-codes/confirm", {"code": code(second)}).status_code == 204

    # One that waited for ten minutes is of no use.
    phone.answer = lambda _: 503
    assert ada.call("PUT", "account/text-codes", {"number": "+49 30 7654321"}).status_code == 204
    phone.wait(3)
    with sqlite3.connect(server.database, timeout=30) as database:
        database.execute("UPDATE mail SET due_at = 0, created_at = created_at - 600")
    wait_for(lambda: waiting(server) == 0, "an empty outbox")
    assert len(phone.deliveries) == 3


def waiting(server: Server) -> int:
    with sqlite3.connect(server.database, timeout=30) as database:
        return database.execute("SELECT count(*) FROM mail").fetchone()[0]


def test_without_the_program_a_number_helps_nobody_and_locks_nobody_out(start, tmp_path, phone):
    server = start(arguments=arguments(phone, tmp_path))
    ada = with_number(server, phone)
    server.stop()
    server.arguments = ()
    server.start()
    # The owner wanted two factors, so the password alone still opens nothing.
    begun = sign_in(server.client(), "ada").json()
    assert [step["method"] for step in begun["next"]] == ["new_passkey"]
    assert ada.call("PUT", "account/text-codes", {"number": NUMBER}).json()["code"] == "texts_disabled"


HERE = ("--text-webhook", "http://localhost:1", "--text-webhook-secrets", "secrets")


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ((*HERE, "--text-prefix", "49"), "--text-prefix: \"49\" is not the beginning of a number such as +49"),
        ((*HERE, "--text-limit", "0"), "--text-limit must be 1 to 1000000, not 0"),
        ((*HERE, "--text-limit", "many"), "--text-limit: \"many\" is not a number"),
        ((*HERE[2:],), "--text-webhook-secrets needs --text-webhook"),
        (HERE[:2], "--text-webhook needs --text-webhook-secrets"),
    ],
)
def test_settings_that_cannot_work_are_refused(tmp_path, given, said):
    tmp_path.chmod(0o700)
    for command in ("check", "serve"):
        done = subprocess.run(
            [str(find_binary()), command, "--database", str(tmp_path / "ward.sqlite"), "--listen", "127.0.0.1:0", *given],
            cwd=tmp_path, env=environment(), capture_output=True, text=True, timeout=120, stdin=subprocess.DEVNULL,
        )  # fmt: skip
        assert done.returncode != 0 and said in done.stdout + done.stderr, (command, done)
