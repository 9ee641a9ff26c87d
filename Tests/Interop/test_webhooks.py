"""Webhooks with the real program: judged by Standard Webhooks' own library for Python."""

import os
import re
import sqlite3
import subprocess
import threading

import pytest
import requests
from certificates import certificates
from mailserver import wait_for
from standardwebhooks.webhooks import WebhookVerificationError
from test_registration import accounts
from wardserver import Server, environment, find_binary, free_port
from webhookreceiver import FIRST, SECOND, Receiver, secrets


@pytest.fixture
def receiver():
    with Receiver() as receiver:
        yield receiver


def arguments(address: str, folder, *more: str) -> tuple[str, ...]:
    return ("--webhook", address, "--webhook-secrets", str(folder / "webhook-secrets"), *more)


def events(receiver: Receiver, name: str) -> list[str]:
    return [delivery.type for delivery in receiver.deliveries if delivery.name == name]


def waiting(server: Server) -> int:
    with sqlite3.connect(server.database, timeout=30) as database:
        return database.execute("SELECT count(*) FROM webhook").fetchone()[0]


def make_due(server: Server) -> None:
    """The pause before the next try is over."""
    with sqlite3.connect(server.database, timeout=30) as database:
        database.execute("UPDATE webhook SET due_at = 0")


def test_each_change_is_told_in_order_and_standard_webhooks_verifies_it(start, tmp_path, receiver):
    secrets(tmp_path)
    server = start(arguments=arguments(receiver.address, tmp_path), log_level="trace")
    ada = server.person("ada")
    assert ada.register().status_code == 201
    added = ada.add_passkey(server.person().browser)
    assert added.status_code == 201
    passkey = added.json()["passkey"]["id"]
    assert ada.call("PUT", "account/password", {"password": "rotating teapot 41 lanterns"}).status_code == 204
    assert ada.delete("account/password").status_code == 204
    # A browser that is known tells nothing, and another one does.
    assert ada.sign_in().status_code == 200
    elsewhere = server.person("ada")
    elsewhere.browser = ada.browser
    assert elsewhere.sign_in().status_code == 200
    assert elsewhere.delete(f"account/passkeys/{passkey}").status_code == 204
    # Commands beside the service are told as well.
    accounts(server, "disable", "ada")
    accounts(server, "enable", "ada")
    accounts(server, "recovery-link", "ada", "--origin", server.origin)
    receiver.wait(9)
    accounts(server, "delete", "ada", "--yes")
    wanted = [
        "account_created", "passkey_added", "password_set", "password_removed", "signed_in", "passkey_deleted",
        "account_disabled", "account_enabled", "recovery_link_made", "account_deleted",
    ]  # fmt: skip
    deliveries = receiver.wait(len(wanted))
    assert [delivery.type for delivery in deliveries] == wanted
    rows = [delivery.json["data"] for delivery in deliveries]
    assert [row["number"] for row in rows] == sorted(row["number"] for row in rows)
    assert len({delivery.id for delivery in deliveries}) == len(wanted)
    for delivery in deliveries:
        assert delivery.verify() == delivery.json and delivery.path == "/hook?tenant=1"
        assert delivery.headers["content-type"] == "application/json" and "." not in delivery.id
        assert delivery.json["timestamp"] == delivery.json["data"]["time"]
        with pytest.raises(WebhookVerificationError):
            delivery.verify(SECOND)
    assert rows[1]["passkey"] == rows[5]["passkey"] == passkey
    assert rows[4]["details"]["new_device"] == "true" and rows[6]["actor"] == "operator"
    assert {row["account"] for row in rows} == {rows[0]["account"]}
    assert [row["username"] for row in rows] == ["ada"] * 9 + [None]
    wait_for(lambda: waiting(server) == 0, "an empty outbox")
    server.stop()
    for word in ("ada\"", "127.0.0.1:" + str(receiver.port), "tenant", FIRST, FIRST.removeprefix("whsec_")):
        assert word not in server.log_text(), word


def test_each_secret_of_the_file_signs(start, tmp_path, receiver):
    secrets(tmp_path, FIRST, SECOND)
    server = start(arguments=arguments(receiver.address, tmp_path))
    assert server.person("ada").register().status_code == 201
    [delivery] = receiver.wait(1)
    assert delivery.verify(FIRST) == delivery.verify(SECOND) == delivery.json


def test_a_failing_delivery_holds_back_its_account_alone(start, tmp_path, receiver):
    secrets(tmp_path)
    receiver.answer = lambda delivery: 500 if delivery.name == "ada" else 204
    server = start(arguments=arguments(receiver.address, tmp_path))
    people = [server.person(name) for name in ("ada", "bea")]
    for person in people:
        assert person.register().status_code == 201
        assert person.add_passkey(server.person().browser).status_code == 201
    wait_for(lambda: events(receiver, "bea") == ["account_created", "passkey_added"], "the events of the other account")
    assert set(events(receiver, "ada")) == {"account_created"}
    receiver.answer = lambda _: 204
    make_due(server)
    wait_for(lambda: waiting(server) == 0, "an empty outbox")
    tries = [delivery for delivery in receiver.deliveries if delivery.name == "ada"]
    assert [delivery.type for delivery in tries[-2:]] == ["account_created", "passkey_added"]
    assert len({delivery.id for delivery in tries[:-1]}) == 1, "each try has the same ID"
    assert len({delivery.body for delivery in tries[:-1]}) == 1 and all(delivery.verify() for delivery in tries)
    assert "the receiver answered 500" in server.log_text()


def test_a_receiver_asks_for_a_pause(start, tmp_path, receiver):
    secrets(tmp_path)
    receiver.answer = lambda _: (503, {"Retry-After": "2000"}, b"")
    server = start(arguments=arguments(receiver.address, tmp_path))
    assert server.person("ada").register().status_code == 201
    wait_for(lambda: "not sent yet" in server.log_text(), "a try")
    # Without the receiver's word it would be 5.
    assert re.search(r"next-try-seconds\W+2000\b", server.log_text()), server.log_text()
    assert server.stop() == 0
    receiver.answer = lambda _: 204
    make_due(server)
    server.start()
    wait_for(lambda: waiting(server) == 0, "an empty outbox")


def test_a_receiver_that_is_gone_gets_no_more_until_the_next_start(start, tmp_path, receiver):
    secrets(tmp_path)
    receiver.answer = lambda _: 410
    server = start(arguments=arguments(receiver.address, tmp_path))
    assert server.person("ada").register().status_code == 201
    wait_for(lambda: "no webhook is sent until the service is started again" in server.log_text(), "the end")
    assert server.person("bea").register().status_code == 201
    wait_for(lambda: waiting(server) == 2, "the webhook of the other account")
    make_due(server)
    assert server.stop() == 0
    assert [delivery.name for delivery in receiver.deliveries] == ["ada"] and waiting(server) == 2
    receiver.answer = lambda _: 204
    make_due(server)
    server.start()
    wait_for(lambda: waiting(server) == 0, "an empty outbox")
    assert sorted(delivery.name for delivery in receiver.deliveries) == ["ada", "ada", "bea"]


def test_a_receiver_that_hangs_for_one_account_delays_no_other(start, tmp_path, receiver):
    secrets(tmp_path)
    release = threading.Event()

    def answer(delivery):
        if delivery.name == "ada":
            release.wait(60)
        return 204

    receiver.answer = answer
    server = start(arguments=arguments(receiver.address, tmp_path))
    for name in ("ada", "bea"):
        assert server.person(name).register().status_code == 201
    wait_for(lambda: events(receiver, "bea") == ["account_created"], "the event of the other account")
    assert "webhook not sent" not in server.log_text(), "the first one still hangs"
    release.set()
    wait_for(lambda: waiting(server) == 0, "an empty outbox")


def test_what_was_answered_is_delivered_after_kill_minus_nine(start, tmp_path):
    """The service dies between the change and its webhook, and there is no receiver yet."""
    secrets(tmp_path)
    receiver = Receiver()
    server = start(arguments=arguments(receiver.address, tmp_path))
    assert server.person("ada").register().status_code == 201
    server.kill()
    with receiver:
        with sqlite3.connect(server.database, timeout=30) as database:
            database.execute("UPDATE webhook SET due_at = 0")
        server.start()
        [delivery] = receiver.wait(1)
        assert delivery.type == "account_created" and delivery.verify()


def test_a_webhook_that_may_have_arrived_comes_again_with_the_same_id(start, tmp_path, receiver):
    """Killed after the receiver has it, and before its answer."""
    secrets(tmp_path)
    release = threading.Event()
    receiver.answer = lambda _: 204 if release.wait(60) else 500
    server = start(arguments=arguments(receiver.address, tmp_path))
    assert server.person("ada").register().status_code == 201
    [first] = receiver.wait(1)
    server.kill()
    release.set()
    with sqlite3.connect(server.database, timeout=30) as database:
        assert database.execute("SELECT attempts FROM webhook").fetchall() == [(1,)]
        # Another process would wait until this one cannot be delivering any more.
        database.execute("UPDATE webhook SET due_at = 0")
    server.start()
    second = receiver.wait(2)[1]
    assert second.id == first.id and second.body == first.body and second.verify()


def test_changes_of_commands_while_the_service_is_stopped_are_told_later(start, tmp_path, receiver):
    secrets(tmp_path)
    server = start(arguments=arguments(receiver.address, tmp_path))
    assert server.person("ada").register().status_code == 201
    receiver.wait(1)
    server.stop()
    accounts(server, "disable", "ada")
    server.start()
    assert receiver.wait(2)[1].type == "account_disabled"


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ((302, {"Location": "/elsewhere"}, b""), "redirects"),
        ((307, {"Location": "http://127.0.0.1:1/"}, b""), "redirects"),
        (410, "the receiver answered 410"),
        ((503, {"Retry-After": "1"}, b"{}"), "the receiver answered 503"),
    ],
)
def test_only_a_status_of_success_ends_a_webhook(start, tmp_path, receiver, answer, reason):
    secrets(tmp_path)
    receiver.answer = lambda _: answer
    server = start(arguments=arguments(receiver.address, tmp_path))
    assert server.person("ada").register().status_code == 201
    wait_for(lambda: reason in server.log_text(), "a refusal")
    assert {delivery.path for delivery in receiver.deliveries} == {"/hook?tenant=1"} and waiting(server) == 1


def test_a_long_answer_is_not_read_to_its_end(start, tmp_path, receiver):
    secrets(tmp_path)
    receiver.answer = lambda _: (200, {"Content-Type": "text/html"}, b"x" * (8 << 20))
    server = start(arguments=arguments(receiver.address, tmp_path))
    assert server.person("ada").register().status_code == 201
    wait_for(lambda: waiting(server) == 0 and receiver.deliveries, "an empty outbox")
    assert len(receiver.deliveries) == 1


def test_a_certificate_that_is_not_trusted_gets_nothing(start, tmp_path):
    secrets(tmp_path)
    _, certificate = certificates(tmp_path, "localhost")
    with Receiver(certificate=certificate) as receiver:
        server = start(arguments=arguments(f"https://localhost:{receiver.port}/hook", tmp_path))
        assert server.person("ada").register().status_code == 201
        wait_for(lambda: "its certificate is not trusted" in server.log_text(), "a refusal of the certificate")
        assert receiver.deliveries == [] and waiting(server) == 1


def test_after_three_days_a_webhook_is_given_up_and_the_next_one_is_tried(start, tmp_path, receiver):
    secrets(tmp_path)
    port = free_port()
    receiver.answer = lambda _: 500
    server = start(arguments=arguments(receiver.address, tmp_path, "--metrics-listen", f"127.0.0.1:{port}"))

    def metrics() -> list[str]:
        return requests.get(f"http://127.0.0.1:{port}/metrics", timeout=60).text.splitlines()

    ada = server.person("ada")
    assert ada.register().status_code == 201
    assert ada.add_passkey(server.person().browser).status_code == 201
    wait_for(lambda: waiting(server) == 2 and receiver.deliveries, "two webhooks that wait")
    receiver.answer = lambda _: 204
    with sqlite3.connect(server.database, timeout=30) as database:
        database.execute("UPDATE webhook SET due_at = 0, created_at = created_at - 259200 WHERE is_first = 1")
    wait_for(lambda: 'ward_webhook_total{outcome="failed"} 1' in metrics(), "a failure")
    wait_for(lambda: "ward_webhook_waiting 0" in metrics(), "an empty outbox")
    assert 'ward_webhook_total{outcome="sent"} 1' in metrics()
    assert receiver.deliveries[-1].type == "passkey_added"
    assert "webhook not sent, and not tried again" in server.log_text()


def test_only_the_events_of_the_setting_are_sent(start, tmp_path, receiver):
    secrets(tmp_path)
    more = ("--webhook-event", "signed_in", "--webhook-event", "account_deleted")
    server = start(arguments=arguments(receiver.address, tmp_path, *more))
    ada = server.person("ada")
    assert ada.register().status_code == 201 and ada.sign_in().status_code == 200
    assert ada.delete("account").status_code == 204
    assert [delivery.type for delivery in receiver.wait(3)] == ["signed_in", "signed_in", "account_deleted"]


def test_webhooks_begin_when_they_are_set_and_end_with_the_setting(start, tmp_path, receiver):
    secrets(tmp_path)
    server = start()
    assert server.person("ada").register().status_code == 201
    server.stop()
    server.arguments = arguments(receiver.address, tmp_path)
    server.start()
    assert server.person("bea").register().status_code == 201
    assert receiver.wait(1)[0].name == "bea", "what was before is not told"
    receiver.answer = lambda _: 500
    assert server.person("cleo").register().status_code == 201
    wait_for(lambda: waiting(server) == 1, "a webhook that waits")
    server.stop()
    server.arguments = ()
    server.start()
    assert waiting(server) == 0 and "webhooks are off" in server.log_text()


def test_the_command_sends_a_sample_and_makes_secrets(tmp_path, receiver):
    tmp_path.chmod(0o700)

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [str(find_binary()), "webhooks", *words], cwd=tmp_path, env=environment(), capture_output=True, text=True,
            timeout=120, stdin=subprocess.DEVNULL,
        )  # fmt: skip

    fresh = [run("secret").stdout for _ in range(2)]
    assert len(set(fresh)) == 2 and all(line.startswith("whsec_") and line.endswith("\n") for line in fresh)
    secrets(tmp_path, *(line.strip() for line in fresh))
    done = run("test", *arguments(receiver.address, tmp_path))
    assert (done.returncode, done.stderr) == (0, ""), done
    [delivery] = receiver.deliveries
    assert delivery.verify(fresh[0].strip()) == delivery.verify(fresh[1].strip()) == delivery.json
    assert delivery.type == "test" and delivery.json["data"] == {}
    receiver.answer = lambda _: 404
    done = run("test", *arguments(receiver.address, tmp_path))
    assert done.returncode == 69 and "answered 404" in done.stderr and str(receiver.port) not in done.stderr
    assert run("test").returncode == 64


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        (("--webhook", "https://example.com/hook"), "--webhook-secrets"),
        (("--webhook-secrets", "good"), "needs --webhook"),
        (("--webhook-event", "signed_in"), "needs --webhook"),
        (("--webhook", "http://example.com/hidden", "--webhook-secrets", "good"), "use https://"),
        (("--webhook", "http://127.0.0.1.example.com/hidden", "--webhook-secrets", "good"), "use https://"),
        (("--webhook", "https://ada:hidden@example.com/", "--webhook-secrets", "good"), "user name"),
        (("--webhook", "example.com/hidden", "--webhook-secrets", "good"), "https://"),
        (("--webhook", "https://example.com/#hidden", "--webhook-secrets", "good"), "fragment"),
        (("--webhook", "https://example.com/", "--webhook-secrets", "missing"), "missing cannot be read"),
        (("--webhook", "https://example.com/", "--webhook-secrets", "open"), "chmod 600"),
        (("--webhook", "https://example.com/", "--webhook-secrets", "short"), "whsec_"),
        (("--webhook", "https://example.com/", "--webhook-secrets", "empty"), "whsec_"),
        (("--webhook", "https://example.com/", "--webhook-secrets", "good", "--webhook-event", "sign_in"), "not an event"),
    ],
)
def test_settings_for_webhooks_that_cannot_work_are_refused_with_the_reason(tmp_path, settings, reason):
    tmp_path.chmod(0o700)
    files = [("good", 0o600, FIRST), ("open", 0o644, FIRST), ("short", 0o600, "whsec_aGlkZGVu"), ("empty", 0o600, "")]
    for name, mode, content in files:
        (tmp_path / name).write_text(content)
        os.chmod(tmp_path / name, mode)
    for command in ("check", "serve"):
        done = subprocess.run(
            [str(find_binary()), command, "--database", str(tmp_path / "ward.sqlite"), "--listen", "127.0.0.1:0", *settings],
            cwd=tmp_path, env=environment(), capture_output=True, text=True, timeout=120, stdin=subprocess.DEVNULL,
        )  # fmt: skip
        assert done.returncode != 0 and reason in done.stdout + done.stderr, (command, done)
        for hidden in ("hidden", "aGlkZGVu", FIRST):
            assert hidden not in done.stdout + done.stderr
