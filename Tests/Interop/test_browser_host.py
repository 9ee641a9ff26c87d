"""Passkeys and passwords for browsers: the tests play a browser and its extension, and speak with the real ward-browser."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
import webauthn
from agentwire import App, Wire, build_app
from apps import unshared
from browserhost import browser, host, start  # noqa: F401
from browserhost import BROWSER, EXTENSION, REQUIRED, RP_ID, Host, build_browser, creation, made, make, request, sender, signed_in
from manager import PASSPHRASE


# What a browser learns before the person connected it


def test_the_browser_is_connected_after_a_prompt_that_names_it(vault, start, browser):
    host = start(browser)
    state = host.call("browser.state")
    assert state == {
        "isPaired": False,
        "hasVault": True,
        "isLocked": False,
        "passkeysAreOn": True,
        "version": state["version"],
    }
    vault.answers("no")
    assert host.refusal("browser.pair")[0] == "denied"
    assert not host.call("browser.state")["isPaired"]
    time.sleep(3)  # After a no the browser waits.
    host.pair()
    asked = vault.asked[-1]
    assert "Chromium" in asked["SETDESC"] and EXTENSION in asked["SETDESC"] and str(browser)[-30:] in asked["SETDESC"]
    assert host.call("browser.state")["isPaired"]
    # It stays connected, without a second prompt.
    count = len(vault.asked)
    host.call("browser.pair")
    again = start(browser)
    assert again.call("browser.state")["isPaired"] and len(vault.asked) == count


# Passkeys


def test_a_passkey_is_made_and_used_with_clicks_in_the_extension(vault, host):
    asked = len(vault.asked)
    record = make(host)
    assert len(vault.asked) == asked, "the click in the extension's window was the yes"
    options, text = request()
    listed = host.call("browser.passkeys.list", sender=sender(), options=text)
    assert not listed["isLocked"]
    (account,) = listed["accounts"]
    assert (account["user"], account["displayName"], account["provider"]) == ("ada", "Ada", "Ward")
    answer = host.call("browser.passkeys.get", sender=sender(), options=text, picked=account["id"])
    signed_in(options, answer, record)
    assert len(vault.asked) == asked


def test_without_a_click_the_agent_asks(vault, host):
    vault.answers("ok")
    options, text = creation()
    record = made(options, host.call("browser.passkeys.create", sender=sender(), options=text))
    asked = vault.asked[-1]["SETDESC"]
    assert "example.com" in asked and "ada" in asked and "ward-browser" not in asked
    vault.answers("ok")
    options, text = request()
    signed_in(options, host.call("browser.passkeys.get", sender=sender(), options=text), record)
    vault.answers("cancel")
    options, text = request()
    assert host.exception("browser.passkeys.get", sender=sender(), options=text) == "NotAllowedError"


def test_a_click_is_presence_and_no_verification(vault, host):
    options, text = creation(verification=REQUIRED)
    asked = len(vault.asked)
    vault.answers(PASSPHRASE)
    answer = host.call("browser.passkeys.create", sender=sender(), options=text, agreed=True)
    record = made(options, answer, is_verified=True)
    assert len(vault.asked) == asked + 1
    options, text = request(verification=REQUIRED)
    (account,) = host.call("browser.passkeys.list", sender=sender(), options=text)["accounts"]
    vault.answers(PASSPHRASE)
    answer = host.call("browser.passkeys.get", sender=sender(), options=text, picked=account["id"])
    signed_in(options, answer, record, is_verified=True)
    vault.answers("cancel")
    assert host.exception("browser.passkeys.get", sender=sender(), options=text, picked=account["id"]) == "NotAllowedError"


def test_an_excluded_passkey_is_told_after_a_prompt(vault, host):
    record = make(host)
    _, text = creation(excluded=[record.credential_id])
    vault.answers("ok")
    assert host.exception("browser.passkeys.create", sender=sender(), options=text, agreed=True) == "InvalidStateError"
    vault.answers("cancel")
    assert host.exception("browser.passkeys.create", sender=sender(), options=text, agreed=True) == "NotAllowedError"


def test_an_account_is_good_for_the_frame_and_the_request_that_it_was_listed_for(host):
    make(host)
    _, text = request()
    (account,) = host.call("browser.passkeys.list", sender=sender(), options=text)["accounts"]

    def picked(page, options=text, **more):
        return host.exception("browser.passkeys.get", sender=page, options=options, picked=account["id"], **more)

    assert picked(sender(tab=2)) == "NotAllowedError"
    assert picked(sender("https://www.example.com")) == "NotAllowedError"
    assert picked(sender(), request(rp_id="www.example.com")[1]) == "SecurityError"
    assert picked(sender(), request(allowed=[b"another"])[1]) == "NotAllowedError"
    assert host.exception("browser.passkeys.get", sender=sender(), options=text, picked="guess") == "NotAllowedError"
    assert "response" in host.call("browser.passkeys.get", sender=sender(), options=text, picked=account["id"])


@pytest.mark.parametrize("mediation", ["optional", "required", "conditional", "silent"])
def test_every_mediation_is_answered(host, mediation):
    make(host)
    _, text = request()
    (account,) = host.call("browser.passkeys.list", sender=sender(), options=text)["accounts"]
    more = {"sender": sender(), "options": text, "mediation": mediation}
    if mediation == "silent":
        assert host.exception("browser.passkeys.get", **more, picked=account["id"]) == "NotAllowedError"
    else:
        assert "response" in host.call("browser.passkeys.get", **more, picked=account["id"])
    if mediation == "conditional":
        assert host.exception("browser.passkeys.get", **more) == "NotAllowedError"


def test_options_of_the_wrong_form_are_type_errors(host):
    for text in ["", "[]", "{}", '{"challenge":1}', "{" * 1000, '{"challenge":"AAAA","rpId":7}']:
        for method in ("list", "get"):
            assert host.exception(f"browser.passkeys.{method}", sender=sender(), options=text) == "TypeError", text
        assert host.exception("browser.passkeys.create", sender=sender(), options=text, agreed=True) == "TypeError", text
    long = json.dumps({"challenge": "A" * 70_000})
    assert host.exception("browser.passkeys.get", sender=sender(), options=long) == "TypeError"


# Who asks


@pytest.mark.parametrize(
    ("page", "name"),
    [
        (sender("https://example.com.evil.example"), "SecurityError"),
        (sender("https://evil-example.com"), "SecurityError"),
        (sender("https://com"), "SecurityError"),
        (sender("http://example.com"), "SecurityError"),
        (sender("https://192.0.2.1"), "SecurityError"),
        (sender("file://", "/etc/passwd"), "SecurityError"),
        (sender("chrome-extension://" + EXTENSION), "SecurityError"),
        (sender(url="data:text/html,hello"), "SecurityError"),
        (sender(origin="null"), "NotAllowedError"),
        (sender(origin="https://example.com/"), "SecurityError"),
        (sender(origin="https://EXAMPLE.com"), "SecurityError"),
        # What the browser says has to agree with itself.
        (sender(url="https://evil.example/login"), "SecurityError"),
        (sender(url="https://example.com@evil.example/"), "SecurityError"),
        (sender(url="https://evil.example\\@example.com/"), "SecurityError"),
        (sender(url="https://example.com:8443/login"), "SecurityError"),
        (sender(topURL="https://evil.example/"), "SecurityError"),
        (sender(topURL=""), "SecurityError"),
        (sender(url="about:blank"), "SecurityError"),
        (sender(url="about:blank", frame=3, topURL="https://evil.example/"), "SecurityError"),
        (sender(path="/" + "a" * 70_000), "SecurityError"),
        (sender(tab=-2), "SecurityError"),
        (sender(frame=-2), "SecurityError"),
    ],
)
def test_a_wrong_origin_gets_nothing(vault, host, page, name):
    asked = len(vault.asked)
    _, text = creation()
    assert host.exception("browser.passkeys.create", sender=page, options=text, agreed=True) == name
    _, text = request()
    assert host.exception("browser.passkeys.list", sender=page, options=text) == name
    assert host.exception("browser.passkeys.get", sender=page, options=text) == name
    assert len(vault.asked) == asked


def test_localhost_may_use_http(host):
    page = sender("http://localhost:8080")
    options, text = creation(rp_id="localhost")
    answer = host.call("browser.passkeys.create", sender=page, options=text, agreed=True)
    made(options, answer, "http://localhost:8080", rp_id="localhost")


def test_a_frame_names_the_page_around_it(vault, host):
    for page in [
        sender(frame=2, topURL="https://shop.example/"),
        sender(frame=2, topURL="https://example.com/", isSameOriginWithAncestors=False),
    ]:
        options, text = creation()
        answer = host.call("browser.passkeys.create", sender=page, options=text, agreed=True)
        data = json.loads(webauthn.base64url_to_bytes(json.loads(answer["response"])["response"]["clientDataJSON"]))
        assert data["crossOrigin"] is True and data["topOrigin"] == page["topURL"].rstrip("/"), data
    vault.answers("ok")
    _, text = creation("bob")
    host.call("browser.passkeys.create", sender=sender(frame=2, topURL="https://shop.example/"), options=text)
    assert "shop.example" in vault.asked[-1]["SETDESC"]
    options, text = creation("eve")
    page = sender(frame=2, url="about:srcdoc")
    made(options, host.call("browser.passkeys.create", sender=page, options=text, agreed=True))


@pytest.mark.parametrize("missing", ["url", "origin", "tab", "frame", "topURL", "isPrivate"])
def test_a_sender_has_all_its_members(host, missing):
    page = sender()
    del page[missing]
    code, message = host.refusal("browser.passkeys.list", sender=page, options=request()[1])
    assert code == "invalid_request" and missing in message


# Who may speak


def test_without_the_persons_yes_a_browser_gets_nothing(vault, start, browser):
    host = start(browser)
    options = {"sender": sender(), "options": request()[1]}
    for method, params in {
        "passkeys.list": options, "passkeys.get": options, "passkeys.create": options, "entries": {"sender": sender()},
        "passkeys.signal": {**options, "kind": "unknownCredential"}, "fill": {"sender": sender(), "entry": "x"}, "lock": {}, "unlock": {},
    }.items():  # fmt: skip
        assert host.refusal(f"browser.{method}", **params)[0] == "not_paired", method
    assert vault.asked == [] and not vault.status()["isLocked"]


def test_a_second_extension_of_the_browser_is_refused(vault, host, start, browser, tmp_path):
    other = start(browser, extension="a" * 32)
    asked = len(vault.asked)
    code, message = other.refusal("browser.pair")
    assert code == "not_paired" and "ward browser forget" in message and len(vault.asked) == asked
    assert other.refusal("browser.lock")[0] == "not_paired"
    # Another program is another browser, also with the same extension.
    elsewhere = start(build_browser(tmp_path / "elsewhere"))
    assert not elsewhere.call("browser.state")["isPaired"]
    listed = vault.json("browser", "status")["connected"]
    assert [(one["name"], one["path"], one["extensionID"]) for one in listed] == [("Chromium", str(browser), EXTENSION)]
    assert "Disconnected Chromium" in vault.ok("browser", "forget", "chromium")
    assert host.refusal("browser.lock")[0] == "not_paired"
    other.pair()
    assert vault.run("browser", "forget", "netscape").returncode == 4


def test_the_connected_browsers_are_in_a_file_of_the_persons(vault, host, start, browser):
    path = vault.home / "config/ward/browsers.json"
    assert path.stat().st_mode & 0o777 == 0o600
    path.chmod(0o644)
    assert host.refusal("browser.lock")[0] == "failed"
    path.chmod(0o600)
    for text in ["", "[]", '{"browsers": [{"path": "x", "extension": "y"}]}', '{"browsers": 1}']:
        path.write_text(text)
        assert host.refusal("browser.lock")[0] == "failed" and not host.call("browser.state")["isPaired"]


def test_only_ward_browser_speaks_for_browsers(vault, tmp_path, browser):
    # A program of the manager's, an app, and an unknown program at either socket.
    wire = Wire(vault)
    wire.hello()
    assert wire.call("browser.state")["error"]["data"]["code"] == "app_unknown"
    assert "error" not in wire.call("status")
    program = build_app(tmp_path / "apps", "stranger")
    for path in (vault.socket, vault.app_socket):
        with App(vault, program, socket=path) as app:
            app.hello()
            assert app.refusal("browser.state")[0] == "app_unknown"
            assert app.refusal("browser.pair")[0] == "app_unknown"
    # A copy of ward-browser is another program.
    copy = build_app(tmp_path / "copy", "ward-browser")
    copy.write_bytes(vault.binary.with_name("ward-browser").read_bytes())
    process = subprocess.Popen(
        [browser, "-c", BROWSER, copy, f"chrome-extension://{EXTENSION}/"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, env={**vault.environment, "PYTHONHOME": sys.base_prefix},
    )  # fmt: skip
    raw = b'{"jsonrpc":"2.0","id":1,"method":"browser.state","params":{}}'
    assert process.stdin is not None and process.stdout is not None
    process.stdin.write(len(raw).to_bytes(4, sys.byteorder) + raw)
    process.stdin.flush()
    length = int.from_bytes(process.stdout.read(4), sys.byteorder)
    error = json.loads(process.stdout.read(length))["error"]
    assert error["data"]["code"] == "app_unknown" and "interpreter" not in error["message"], error
    process.stdin.close()
    assert process.wait(timeout=60) == 0
    process.stdout.close()


def test_an_interpreter_is_no_browser(start):
    host = start(sys.executable)
    code, message = host.refusal("browser.state")
    assert code == "app_unknown" and "interpreter" in message


def test_a_browser_with_a_view_of_the_machine_of_its_own_is_none(vault, start, browser):
    start(browser).pair()
    vault.prefix = unshared("--mount")
    host = start(browser)
    vault.prefix = []
    assert host.refusal("browser.state")[0] == "app_unknown"


def test_ward_browser_passes_on_methods_for_browsers_alone(host):
    for method in ["status", "items.list", "vault.lock", "hello", "app.authorize", "Browser.state", "browsers.list", ""]:
        assert host.refusal(method)[0] == "unknown_method", method
    assert host.refusal("browser.everything")[0] == "unknown_method"


# What an extension writes


def test_garbage_is_answered_and_the_next_request_works(host):
    line = b'{"jsonrpc":"2.0","id":7,"method":"browser.state","params":{}}'
    for raw in [
        b"", b"\x00", b"[]", b"null", b'"browser.state"', b"{", line[:-1], line + b"\n", b" " + line, line.replace(b":", b":\n", 1),
        line.replace(b"2.0", b"1.0"), line.replace(b"7", b"null"), line.replace(b"7", b'"' + b"x" * 100 + b'"'), line.replace(b"7", b"[1]"),
        b'{"jsonrpc":"2.0","method":"browser.state","params":{}}', b"\xff" * 100, b"{" * 100_000, os.urandom(4096),
    ]:  # fmt: skip
        host.write(raw)
        answer = host.next()
        assert answer is not None and answer["error"]["data"]["code"] == "invalid_request", (raw[:80], answer)
    host.write(line.replace(b"{}", b"[]"))
    answer = host.next()
    assert answer is not None and answer["id"] == 7 and "error" in answer or "result" in answer
    assert host.call("browser.state")["isPaired"]


def test_a_message_that_is_too_long_is_skipped(host):
    host.write(b"x" * ((1 << 20) + 1))
    answer = host.next()
    assert answer is not None and answer["error"]["data"]["code"] == "invalid_request"
    # The agent takes less than ward-browser: it closes the connection, and the next request makes a new one.
    host.write(b'{"jsonrpc":"2.0","id":70,"method":"browser.state","params":{"x":"' + b"x" * 900_000 + b'"}}')
    assert host.wait(70)["error"]["data"]["code"] == "unavailable"
    assert host.call("browser.state")["isPaired"]


def test_a_message_in_pieces_is_one_message(host):
    raw = b'{"jsonrpc":"2.0","id":71,"method":"browser.state","params":{}}'
    for byte in len(raw).to_bytes(4, sys.byteorder) + raw:
        host.bytes(bytes([byte]))
    assert host.wait(71)["result"]["isPaired"]


def test_a_flood_of_requests_is_answered(vault, host):
    make(host)
    _, text = request()
    numbers = [host.send("browser.passkeys.list", sender=sender(tab=number), options=text) for number in range(1000)]
    assert all(len(host.wait(number)["result"]["accounts"]) == 1 for number in numbers)
    # Pages that ask without end get three prompts, and the rest hears the same without one.
    asked = len(vault.asked)
    vault.answers(*["cancel"] * 100)
    numbers = [host.send("browser.passkeys.get", sender=sender(tab=number), options=text) for number in range(1000)]
    codes = [host.wait(number)["error"]["data"] for number in numbers]
    assert {code.get("name") or code["code"] for code in codes} <= {"NotAllowedError", "busy"}
    assert len(vault.asked) == asked + 3
    assert host.call("browser.state")["isPaired"] and vault.status()["passkeys"] == 1


def test_a_page_that_was_refused_three_times_waits_and_others_do_not(vault, host):
    make(host)
    make(host, page=sender("https://other.example"), rp_id="other.example")
    _, text = request()
    asked = len(vault.asked)
    vault.answers(*["cancel"] * 5)
    for _ in range(5):
        assert host.exception("browser.passkeys.get", sender=sender(), options=text) == "NotAllowedError"
    assert len(vault.asked) == asked + 3
    vault.answers("ok")
    _, other = request(rp_id="other.example")
    assert "response" in host.call("browser.passkeys.get", sender=sender("https://other.example"), options=other)
    # A click in the extension's window needs no prompt of the agent's.
    (account,) = host.call("browser.passkeys.list", sender=sender(), options=text)["accounts"]
    assert "response" in host.call("browser.passkeys.get", sender=sender(), options=text, picked=account["id"])


def test_a_withdrawn_request_withdraws_its_prompt(vault, host):
    make(host)
    vault.answers("wait")
    asked = len(vault.asked)
    number = host.send("browser.passkeys.get", sender=sender(), options=request()[1])
    deadline = time.monotonic() + 60
    while len(vault.asked) == asked and time.monotonic() < deadline:
        time.sleep(0.05)
    host.call("browser.cancel", request=number)
    assert host.wait(number)["error"]["data"]["name"] == "AbortError"
    assert host.call("browser.cancel", request="another") == {}
    # The next one is asked at once.
    vault.answers("ok")
    assert "response" in host.call("browser.passkeys.get", sender=sender(), options=request()[1])


def test_a_tab_has_two_requests_at_once_and_leaves_room(vault, host):
    make(host)
    vault.answers("wait")
    _, text = request()
    waiting = set()

    def ask(tabs, busy):
        """Sends a request of each tab; so many are refused at once, whichever they are, and the rest waits."""
        waiting.update(host.send("browser.passkeys.get", sender=sender(tab=tab), options=text) for tab in tabs)
        for _ in range(busy):
            answer = host.next()
            assert answer is not None and answer["error"]["data"]["code"] == "busy", answer
            waiting.remove(answer["id"])

    ask([1] * 5, busy=3)
    ask(range(2, 13), busy=5)
    assert len(waiting) == 8 and host.call("browser.state")["isPaired"]
    for number in waiting:
        host.call("browser.cancel", request=number)
        assert host.wait(number)["error"]["data"]["name"] == "AbortError"


# The vault


def test_a_locked_vault_is_unlocked_by_the_agents_prompt(vault, host):
    record = make(host)
    host.call("browser.lock")
    assert vault.status()["isLocked"] and host.call("browser.state")["isLocked"]
    options, text = request()
    assert host.call("browser.passkeys.list", sender=sender(), options=text) == {"isLocked": True, "accounts": []}
    assert host.call("browser.entries", sender=sender()) == {"isLocked": True, "entries": [], "menuIsOff": False}
    vault.answers(PASSPHRASE)
    asked = len(vault.asked)
    signed_in(options, host.call("browser.passkeys.get", sender=sender(), options=text), record, is_verified=True)
    assert len(vault.asked) == asked + 1 and "example.com" in vault.asked[-1]["SETDESC"]
    host.call("browser.lock")
    vault.answers("cancel")
    assert host.refusal("browser.unlock")[0] == "denied"
    time.sleep(3)  # After a no the browser waits.
    vault.answers(PASSPHRASE)
    host.call("browser.unlock")
    assert not vault.status()["isLocked"]


def test_switched_off_passkeys_are_an_error_of_their_own(vault, host):
    vault.ok("passkeys", "off")
    assert not host.call("browser.state")["passkeysAreOn"]
    more = {"sender": sender(), "options": request()[1]}
    for method in ("list", "get", "create"):
        assert host.refusal(f"browser.passkeys.{method}", **more)[0] == "passkeys_off"


def test_a_signal_hides_a_passkey_and_says_nothing_of_the_vault(host):
    record = make(host)
    signal = {"rpId": RP_ID, "credentialId": webauthn.helpers.bytes_to_base64url(record.credential_id)}
    _, text = request()

    def count():
        return len(host.call("browser.passkeys.list", sender=sender(), options=text)["accounts"])

    # The browser would refuse that too.
    evil = {"sender": sender("https://evil.example"), "kind": "unknownCredential", "options": json.dumps(signal)}
    assert host.exception("browser.passkeys.signal", **evil) == "SecurityError" and count() == 1
    for page, kind, options in [
        (sender(origin="null"), "unknownCredential", signal),
        (sender(), "unknownCredential", {"rpId": RP_ID}),
        (sender(), "unusedPassword", {"rpId": RP_ID, "name": "ada"}),
    ]:
        assert host.call("browser.passkeys.signal", sender=page, kind=kind, options=json.dumps(options)) == {}
        assert count() == 1
    assert host.call("browser.passkeys.signal", sender=sender(), kind="unknownCredential", options=json.dumps(signal)) == {}
    assert count() == 0


# The program itself


def test_it_ends_with_the_browser_and_writes_nothing_else(host):
    pid = host.pid
    assert host.close() == 0 and host.next() is None
    assert not Path(f"/proc/{pid}/exe").exists()
    assert host.process.stderr is not None and host.process.stderr.read() == b""


def test_a_killed_browser_takes_its_prompt_along(vault, host, start, browser):
    make(host)
    vault.answers("wait")
    asked = len(vault.asked)
    host.send("browser.passkeys.get", sender=sender(), options=request()[1])
    deadline = time.monotonic() + 60
    while len(vault.asked) == asked and time.monotonic() < deadline:
        time.sleep(0.05)
    pid = host.pid
    host.kill()
    while Path(f"/proc/{pid}/exe").exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not Path(f"/proc/{pid}/exe").exists()
    # The same browser is connected when it is back, and is asked at once.
    vault.answers("ok")
    assert "response" in start(browser).call("browser.passkeys.get", sender=sender(), options=request()[1])


def test_version_help_and_wrong_arguments(vault):
    program = vault.binary.with_name("ward-browser")

    def run(*words):
        return subprocess.run([program, *words], capture_output=True, text=True, timeout=60, env=vault.environment, input="")

    assert run("--version").stdout.strip() == vault.ok("--version").strip()
    assert "ward browser install" in run("--help").stdout
    for words in [[], ["chrome-extension://"], ["chrome-extension:///"], ["chrome-extension://a b/"], ["/x.json"], ["x", "y"], ["/x", "a/b"]]:
        done = run(*words)
        assert done.returncode == 64 and done.stdout == "" and "ward browser install" in done.stderr, words


def test_firefox_gives_the_id_after_its_manifest(vault, start, tmp_path):
    program = build_browser(tmp_path / "programs", "firefox")
    host = start(program, words=["/usr/lib/mozilla/native-messaging-hosts/org.ward.browser.json", "browser@ward.example"])
    host.pair()
    assert "Firefox" in vault.asked[-1]["SETDESC"] and "browser@ward.example" in vault.asked[-1]["SETDESC"]


def test_other_programs_do_not_read_its_memory(host):
    if os.getuid() == 0:
        status = Path(f"/proc/{host.pid}/mem").stat()
        assert status.st_uid == 0
    limits = Path(f"/proc/{host.pid}/limits").read_text()
    assert "Max core file size        0                    0" in limits
    host.call("browser.state")
    # A process that cannot be dumped belongs to root, whatever its user is.
    assert Path(f"/proc/{host.pid}/coredump_filter").read_text().strip() == "00000000"


def test_the_agent_is_started_again_after_it_was_killed(vault, host):
    make(host)
    vault.answers("wait")
    asked = len(vault.asked)
    number = host.send("browser.passkeys.get", sender=sender(), options=request()[1])
    deadline = time.monotonic() + 60
    while len(vault.asked) == asked and time.monotonic() < deadline:
        time.sleep(0.05)
    pid = vault.status()["pid"]
    vault.kill()
    assert host.wait(number)["error"]["data"]["code"] == "unavailable"
    state = host.call("browser.state")
    assert state["isPaired"] and state["isLocked"]
    assert vault.status()["pid"] != pid


def test_without_a_vault_no_agent_is_started(manager, browser):
    host = Host(manager, browser)
    state = host.call("browser.state")
    assert state == {**state, "isPaired": False, "hasVault": False, "isLocked": False, "passkeysAreOn": False}
    assert host.refusal("browser.pair")[0] == "unavailable"
    assert not manager.socket.exists()
    # As soon as there is one, it is used.
    manager.init()
    assert host.call("browser.state")["hasVault"]
    host.kill()


def test_a_browser_that_becomes_another_program_gets_nothing(vault, start, browser, tmp_path):
    start(browser).pair()
    # The same process, with the host as its child, runs another program from now on.
    script = (
        "import os, subprocess, sys; subprocess.Popen(sys.argv[3:]); os.read(int(sys.argv[1]), 1);"
        "os.execv(sys.argv[2], [sys.argv[2], '-c', 'import os; os.wait()'])"
    )
    reader, writer = os.pipe()
    other = build_browser(tmp_path / "other", "vivaldi")
    process = subprocess.Popen(
        [browser, "-c", script, str(reader), other, vault.binary.with_name("ward-browser"), f"chrome-extension://{EXTENSION}/"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, env={**vault.environment, "PYTHONHOME": sys.base_prefix}, pass_fds=[reader],
    )  # fmt: skip
    assert process.stdin is not None and process.stdout is not None

    def state():
        raw = b'{"jsonrpc":"2.0","id":1,"method":"browser.state","params":{}}'
        process.stdin.write(len(raw).to_bytes(4, sys.byteorder) + raw)
        process.stdin.flush()
        return json.loads(process.stdout.read(int.from_bytes(process.stdout.read(4), sys.byteorder)))

    assert state()["result"]["isPaired"]
    os.write(writer, b"x")
    deadline = time.monotonic() + 60
    while Path(f"/proc/{process.pid}/exe").readlink() != other and time.monotonic() < deadline:
        time.sleep(0.05)
    assert state()["error"]["data"]["code"] == "app_unknown"
    process.stdin.close()
    process.wait(timeout=60)
    process.stdout.close()
    os.close(reader)
    os.close(writer)
