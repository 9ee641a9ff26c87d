"""The door of the desktop: programs on the message bus create and use passkeys. Clients are by others, and so is the judge."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import webauthn
from agentwire import build_app
from manager import PASSPHRASE, Manager
from portals import HANDLER, NAME, PATH, PORTAL, PORTAL_NAME, SITE_PACKAGES, Bus, Program, exception, response
from test_manager_passkeys import b64, creation, request, unb64
from webauthn.helpers import structs

RP_ID, ORIGIN = "example.org", "https://login.example.org"
CREATE, GET = "CreateCredential", "GetCredential"
QUIET = {"authenticatorSelection": {"userVerification": "discouraged"}}


class Desk:
    """A person's desktop: a vault that is open, a bus, and a portal."""

    def __init__(self, manager: Manager) -> None:
        self.manager = manager
        self.portal = build_app(manager.folder / "bin", "portal", "one")
        manager.settings.update(
            DBUS_SESSION_BUS_ADDRESS=f"unix:path={manager.runtime}/bus", WARD_PORTALS=str(self.portal), WARD_PORTAL_NAME=PORTAL_NAME
        )
        self.bus = Bus(manager)
        self.programs: list[Program] = []

    def start(self, path: Path | str | None = None, **more) -> Program:
        program = Program(self.manager, path or self.portal, **more)
        self.programs.append(program)
        return program

    def prompts(self, count: int) -> None:
        """Waits until so many prompts have appeared in all."""
        deadline = time.monotonic() + 60
        while len(self.manager.asked) < count:
            assert time.monotonic() < deadline, self.manager.asked
            time.sleep(0.02)

    def close(self) -> None:
        for program in self.programs:
            program.close()
        self.manager.stop()
        self.bus.close()


@pytest.fixture
def desk() -> Iterator[Desk]:
    with tempfile.TemporaryDirectory(prefix="ward-") as folder:
        manager = Manager(Path(folder))
        made = Desk(manager)
        try:
            manager.init()
            assert manager.json("desktop", "portal", "on")["state"] == "serving"
            yield made
        finally:
            made.close()


def register(ask: Callable[[str], dict], name: str, *, verified: bool = False):
    """A registration that py_webauthn verifies, and its key."""
    requirement = structs.UserVerificationRequirement.REQUIRED if verified else structs.UserVerificationRequirement.DISCOURAGED
    options = webauthn.generate_registration_options(
        rp_id=RP_ID, rp_name="Example", user_name=name, user_id=os.urandom(16),
        authenticator_selection=structs.AuthenticatorSelectionCriteria(
            authenticator_attachment=structs.AuthenticatorAttachment.PLATFORM,
            resident_key=structs.ResidentKeyRequirement.REQUIRED, user_verification=requirement,
        ),
    )  # fmt: skip
    made = ask(webauthn.options_to_json(options))
    return webauthn.verify_registration_response(
        credential=made, expected_challenge=options.challenge, expected_rp_id=RP_ID, expected_origin=ORIGIN,
        require_user_verification=verified,
    )  # fmt: skip


def sign_in(ask: Callable[[str], dict], passkey, *, verified: bool = False) -> None:
    requirement = structs.UserVerificationRequirement.REQUIRED if verified else structs.UserVerificationRequirement.DISCOURAGED
    options = webauthn.generate_authentication_options(
        rp_id=RP_ID, allow_credentials=[structs.PublicKeyCredentialDescriptor(id=passkey.credential_id)], user_verification=requirement
    )
    used = ask(webauthn.options_to_json(options))
    webauthn.verify_authentication_response(
        credential=used, expected_challenge=options.challenge, expected_rp_id=RP_ID, expected_origin=ORIGIN,
        credential_public_key=passkey.credential_public_key, credential_current_sign_count=0, require_user_verification=verified,
    )  # fmt: skip


# MARK: What works


def test_twenty_passkeys_of_a_portal_are_made_and_used_and_py_webauthn_verifies_all(desk):
    portal = desk.start()
    for number in range(20):
        desk.manager.answers("ok", "ok")
        passkey = register(lambda options: portal.credential(CREATE, ORIGIN, options, app="org.example.Browser"), f"ada{number}")
        sign_in(lambda options: portal.credential(GET, ORIGIN, options), passkey)
    assert len(desk.manager.json("passkey", "list")) == 20
    # The prompt names the app for which the portal asks, and the portal.
    assert "org.example.Browser" in desk.manager.asked[0]["SETDESC"] and str(desk.portal) in desk.manager.asked[0]["SETDESC"]
    assert "example.org" in desk.manager.asked[0]["SETDESC"] and "ada0" in desk.manager.asked[0]["SETDESC"]


def test_a_passkey_of_the_desktop_joins_the_entry_with_the_password(desk):
    desk.manager.ok("add", "Login", "--site", f"https://{RP_ID}", "--username", "Ada", secrets={"--password-fd": "a secret 1"})
    portal = desk.start()
    desk.manager.answers("ok")
    register(lambda options: portal.credential(CREATE, ORIGIN, options, app="org.example.Browser"), "ada")
    assert [(one["title"], one["passkeys"], one["hasPassword"]) for one in desk.manager.json("list")] == [("Login", 1, True)]


DBUS_FAST = r"""
import asyncio, json, sys
from dbus_fast import BusType, Variant
from dbus_fast.aio import MessageBus
async def main():
    bus = await MessageBus(bus_address=sys.argv[1]).connect()
    name, path = sys.argv[2:4]
    described = await bus.introspect(name, path)
    handler = bus.get_proxy_object(name, path, described).get_interface(sys.argv[4])
    print(json.dumps({"version": await handler.get_version(), "passkeys": await handler.get_passkey_platform_authenticator()}), flush=True)
    for line in sys.stdin:
        kind, origin, options = json.loads(line)
        values = {"public_key": Variant("s", options), "activation_token": Variant("s", "x"), "later": Variant("a{sv}", {"x": Variant("u", 1)})}
        if kind == "CreateCredential":
            number, answer = await handler.call_create_credential("", origin, "publicKey", values, "")
        else:
            number, answer = await handler.call_get_credential("", origin, values, "")
        text = next(iter(answer["public_key"].value.values())).value if number == 0 else answer["error"].value
        print(json.dumps([number, text]), flush=True)
asyncio.run(main())
"""


def test_another_client_that_reads_the_description_makes_and_uses_passkeys(desk):
    """dbus-fast calls only what the object says of itself."""
    environment = {**desk.manager.environment, "PYTHONPATH": SITE_PACKAGES, "PYTHONHOME": str(Path(os.__file__).parents[2])}
    client = subprocess.Popen(
        [desk.portal, "-c", DBUS_FAST, desk.bus.address, NAME, PATH, HANDLER],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment,
    )  # fmt: skip
    try:
        assert json.loads(client.stdout.readline()) == {"version": 1, "passkeys": True}

        def ask(kind: str) -> Callable[[str], dict]:
            def call(options: str) -> dict:
                client.stdin.write(json.dumps([kind, ORIGIN, options]) + "\n")
                client.stdin.flush()
                number, text = json.loads(client.stdout.readline())
                assert number == 0, text
                return json.loads(text)

            return call

        for number in range(3):
            desk.manager.answers("ok", "ok")
            sign_in(ask(GET), register(ask(CREATE), f"ada{number}"))
    finally:
        client.kill()
        client.communicate(timeout=60)


def test_the_interface_of_programs_answers_with_a_request_and_its_signal(desk):
    program = desk.start()

    def ask(kind: str, token: str) -> Callable[[str], dict]:
        def call(options: str) -> dict:
            wanted = program.handler(kind, ORIGIN, options, handle_token=token)
            wanted |= {"to": PORTAL_NAME, "interface": PORTAL, "signature": wanted["signature"][:-1], "body": wanted["body"][:-1]}
            assert program.do("portal", token=token, **wanted)["handle"].endswith("/" + token)
            return response(*program.answer())

        return call

    registry = {"to": PORTAL_NAME, "path": PATH, "interface": "org.freedesktop.host.portal.Registry", "member": "Register"}
    assert program.do("call", **registry, signature="sa{sv}", body=["org.example.Browser", {}]) == {"ok": []}
    for number in range(3):
        desk.manager.answers("ok", "ok")
        passkey = register(ask(CREATE, f"one{number}"), f"ada{number}")
        sign_in(ask(GET, f"two{number}"), passkey)
    assert program.properties(PORTAL)["version"] == 1


def test_a_request_that_is_closed_takes_its_prompt_with_it_and_only_its_owner_closes_it(desk):
    program, other = desk.start(), desk.start()
    desk.manager.answers("wait", "ok")
    wanted = program.handler(CREATE, ORIGIN, creation(**QUIET), handle_token="mine")
    wanted |= {"to": PORTAL_NAME, "interface": PORTAL, "signature": wanted["signature"][:-1], "body": wanted["body"][:-1]}
    handle = program.do("portal", token="mine", close=True, **wanted)["handle"]
    desk.prompts(1)
    close = {"to": PORTAL_NAME, "path": handle, "interface": "org.freedesktop.portal.Request", "member": "Close", "signature": "", "body": []}
    assert other.do("call", **close)["error"] == "org.freedesktop.DBus.Error.AccessDenied"
    assert program.do("call", **close) == {"ok": []}
    # There is one prompt at a time: the next one comes only because the first is gone.
    other.credential(CREATE, ORIGIN, creation(**QUIET))
    assert "error" in program.do("call", **close)


# MARK: What it says of itself


def test_each_property_is_true_only_where_it_works(desk):
    portal = desk.start()
    told = portal.properties()
    assert told == {
        "ConditionalCreate": False, "ConditionalGet": False, "HybridTransport": False, "PasskeyPlatformAuthenticator": True,
        "UserVerifyingPlatformAuthenticator": True, "RelatedOrigins": True, "SignalAllAcceptedCredentials": False,
        "SignalCurrentUserDetails": False, "SignalUnknownCredential": False, "version": 1,
    }  # fmt: skip
    # PasskeyPlatformAuthenticator and UserVerifyingPlatformAuthenticator: a discoverable passkey of the platform, verified.
    desk.manager.answers(PASSPHRASE, PASSPHRASE)
    passkey = register(lambda options: portal.credential(CREATE, ORIGIN, options), "ada", verified=True)
    sign_in(lambda options: portal.credential(GET, ORIGIN, options), passkey, verified=True)
    # Without passkeys nothing of that is left, and an attempt fails.
    desk.manager.ok("passkeys", "off")
    assert [name for name, value in portal.properties().items() if value is True] == []
    assert portal.refusal(CREATE, ORIGIN, creation(**QUIET)) == "NotAllowedError"
    desk.manager.ok("passkeys", "on")
    assert portal.properties() == told


@pytest.mark.parametrize(
    ("kind", "mediation", "said"),
    [(GET, "conditional", "NotSupportedError"), (CREATE, "conditional", "NotSupportedError"), (GET, "silent", "NotSupportedError"),
     (GET, "whatever", "TypeError")],
)  # fmt: skip
def test_a_mediation_that_does_not_work_is_refused_without_a_prompt(desk, kind, mediation, said):
    options = creation(**QUIET) if kind == CREATE else request(userVerification="discouraged")
    assert desk.start().refusal(kind, ORIGIN, options, mediation=mediation) == said
    assert desk.manager.asked == []


# MARK: The person's setting


def test_it_is_off_until_the_person_switches_it_on_and_lasts(desk):
    manager = desk.manager
    portal = desk.start()
    called = {"path": PATH, "interface": "org.freedesktop.DBus.Properties", "member": "GetAll", "signature": "s", "body": [HANDLER]}
    assert "Desktop   the portal is on" in manager.ok("status")
    manager.stop()
    # The next agent has it again.
    manager.ok("status")
    deadline = time.monotonic() + 60
    while manager.json("desktop", "portal", "status")["state"] != "serving":
        assert time.monotonic() < deadline
    assert portal.properties()["version"] == 1
    assert manager.json("desktop", "portal", "off") == {"isOn": False, "name": NAME, "state": "off"}
    assert portal.do("call", to=NAME, **called)["error"] == "org.freedesktop.DBus.Error.ServiceUnknown"
    manager.stop()
    assert manager.json("desktop", "portal", "status")["state"] == "off"
    assert "Desktop" not in manager.ok("status")
    assert portal.do("call", to=NAME, **called)["error"] == "org.freedesktop.DBus.Error.ServiceUnknown"


def test_nothing_is_served_without_a_word_of_the_person(manager):
    manager.settings["DBUS_SESSION_BUS_ADDRESS"] = f"unix:path={manager.runtime}/bus"
    assert manager.init() and manager.json("desktop", "portal", "status")["state"] == "off"
    assert manager.json("desktop", "portal", "on")["state"] == "no_bus"
    bus = Bus(manager)
    try:
        assert manager.json("desktop", "portal", "status")["state"] == "free"
        assert manager.json("desktop", "portal", "on")["state"] == "serving"
        # A bus that ends and comes again is another one.
        bus.close()
        deadline = time.monotonic() + 60
        while manager.json("desktop", "portal", "status")["state"] != "no_bus":
            assert time.monotonic() < deadline
        bus = Bus(manager)
        assert manager.json("desktop", "portal", "on")["state"] == "serving"
    finally:
        manager.stop()
        bus.close()


def test_a_name_of_somebody_else_is_left_there_and_status_says_whose(desk):
    manager = desk.manager
    manager.ok("desktop", "portal", "off")
    other = desk.start()
    assert other.do("own", name=NAME) == {"ok": [1]}
    told = manager.json("desktop", "portal", "on")
    assert (told["state"], told["pid"], told["program"]) == ("taken", other.process.pid, str(desk.portal))
    line = manager.ok("desktop", "portal", "status")
    assert f"{desk.portal} (process {other.process.pid}) has the name {NAME}" in line
    assert f"{desk.portal} (process {other.process.pid})" in manager.ok("status")
    other.close()
    # It was not queued for.
    assert manager.json("desktop", "portal", "status")["state"] == "free"
    assert manager.json("desktop", "portal", "on")["state"] == "serving"


def test_a_call_starts_the_agent(desk):
    manager = desk.manager
    portal = desk.start()
    first = manager.status()["pid"]
    manager.stop()
    manager.answers(PASSPHRASE)
    # The vault is locked: one prompt opens it, and agrees.
    portal.credential(CREATE, ORIGIN, creation())
    assert manager.status()["pid"] != first
    assert [asked["kind"] for asked in manager.asked] == ["GETPIN"]


def test_somebody_elses_file_for_the_bus_is_left_alone(desk):
    manager = desk.manager
    file = manager.home / "data/dbus-1/services" / f"{NAME}.service"
    assert "agent --quiet" in file.read_text()
    manager.ok("desktop", "portal", "off")
    assert not file.exists()
    theirs = f"[D-BUS Service]\nName={NAME}\nExec=/bin/false\n"
    file.write_text(theirs)
    done = manager.run("desktop", "portal", "on")
    assert done.returncode == 1 and str(file) in done.stderr, done.stderr
    manager.ok("desktop", "portal", "off")
    assert file.read_text() == theirs


# MARK: The person's answer


def test_a_locked_vault_is_one_prompt_that_names_the_site(desk):
    portal = desk.start()
    desk.manager.ok("lock")
    desk.manager.answers(PASSPHRASE)
    made = portal.credential(CREATE, ORIGIN, creation())
    assert unb64(json.loads(unb64(made["response"]["clientDataJSON"]))["challenge"])
    (asked,) = desk.manager.asked
    assert asked["kind"] == "GETPIN" and "example.org" in asked["SETDESC"]


@pytest.mark.parametrize("said", ["cancel", "no", "timeout", "die"])
def test_whatever_goes_wrong_with_the_prompt_the_page_hears_the_same(desk, said):
    portal = desk.start()
    desk.manager.answers("ok")
    portal.credential(CREATE, ORIGIN, creation(**QUIET))
    absent = request(allowCredentials=[{"type": "public-key", "id": b64(b"x" * 32)}], userVerification="discouraged")
    for options in (request(userVerification="discouraged"), absent):
        desk.manager.answers(said)
        assert portal.ask(GET, ORIGIN, options) == (2, {"error": "xyz.iinuwa.credentialsd.NotAllowedError"})
    assert len(desk.manager.asked) == 3


def test_an_excluded_passkey_is_told_only_after_consent(desk):
    portal = desk.start()
    desk.manager.answers("ok", "no", "ok")
    made = portal.credential(CREATE, ORIGIN, creation(**QUIET))
    again = creation(excludeCredentials=[{"type": "public-key", "id": made["id"]}], **QUIET)
    assert portal.refusal(CREATE, ORIGIN, again) == "NotAllowedError"
    assert portal.refusal(CREATE, ORIGIN, again) == "InvalidStateError"


def test_a_program_that_leaves_takes_its_prompts_with_it(desk):
    gone, stays = desk.start(), desk.start()
    desk.manager.answers("wait", "ok")
    gone.say("call", **gone.handler(CREATE, ORIGIN, creation(**QUIET)))
    desk.prompts(1)
    gone.close()
    # There is one prompt at a time: this one comes only because the first is gone.
    stays.credential(CREATE, ORIGIN, creation(**QUIET))


def test_a_portal_that_is_switched_off_answers_what_it_began(desk):
    portal = desk.start()
    desk.manager.answers("wait")
    portal.say("call", **portal.handler(CREATE, ORIGIN, creation(**QUIET)))
    desk.prompts(1)
    desk.manager.ok("desktop", "portal", "off")
    assert portal.answer() == (1, {"error": "xyz.iinuwa.credentialsd.AbortError"})
    assert desk.manager.json("desktop", "portal", "on")["state"] == "serving"
    desk.manager.answers("ok")
    portal.credential(CREATE, ORIGIN, creation(**QUIET))


# MARK: Bounds


def test_one_program_has_eight_requests_and_all_together_thirty_two(desk):
    desk.manager.answers("wait")
    programs = [desk.start() for _ in range(5)]
    for program in programs[:4]:
        for _ in range(8):
            assert program.do("send", **program.handler(CREATE, ORIGIN, creation(**QUIET))) == {}
        program.say("call", **program.handler(CREATE, ORIGIN, creation(**QUIET)))
        assert program.read()["error"] == "org.freedesktop.DBus.Error.LimitsExceeded"
    programs[4].say("call", **programs[4].handler(CREATE, ORIGIN, creation(**QUIET)))
    assert programs[4].read()["error"] == "org.freedesktop.DBus.Error.LimitsExceeded"


def test_programs_that_leave_together_leave_the_prompt_to_the_next(desk):
    # The first prompt waits; to each later one the person agrees, also to one whose program is about to leave.
    desk.manager.answers("wait", *["ok"] * 64)
    *leaving, stays = [desk.start() for _ in range(5)]
    for program in leaving:
        for _ in range(8):
            assert program.do("send", **program.handler(CREATE, ORIGIN, creation(**QUIET))) == {}
    desk.prompts(1)
    for program in leaving:
        program.process.kill()
    wanted = stays.handler(CREATE, ORIGIN, creation(**QUIET))
    deadline = time.monotonic() + 60
    stays.say("call", **wanted)
    while (answer := stays.read()).get("error") == "org.freedesktop.DBus.Error.LimitsExceeded":
        # The bus has not yet told the agent that the others left.
        assert time.monotonic() < deadline
        time.sleep(0.02)
        stays.say("call", **wanted)
    assert answer["ok"][0] == 0, answer


# Of each seed: `make fuzz` sends more.
MESSAGES = int(os.environ.get("FUZZ_MESSAGES", "5000"))
INVALID = "org.freedesktop.DBus.Error.InvalidArgs"


@pytest.mark.parametrize(
    "spoil",
    [
        {"signature": "sssa{sv}", "body": lambda it: it[:-1]},
        {"signature": "ssa{sv}s", "body": lambda it: it[:2] + it[3:]},
        {"signature": "ossa{sv}s", "body": lambda it: ["/", *it[1:]]},
        {"signature": "sssa{ss}s", "body": lambda it: [*it[:3], {}, it[4]]},
        {"body": lambda it: [*it[:3], {}, it[4]]},
        {"body": lambda it: [*it[:3], {"public_key": ["u", 1]}, it[4]]},
        {"body": lambda it: [*it[:3], {**it[3], "top_origin": ["u", 1]}, it[4]]},
        {"body": lambda it: [*it[:3], {**it[3], "mediation": ["as", ["conditional"]]}, it[4]]},
        {"body": lambda it: [*it[:3], {"public_key": ["s", " " * 65_537]}, it[4]]},
        {"body": lambda it: [*it[:3], {**it[3], **{f"x{number}": ["u", 1] for number in range(64)}}, it[4]]},
        {"body": lambda it: [*it[:3], {**it[3], "y" * 256: ["u", 1]}, it[4]]},
        {"body": lambda it: [*it[:3], {**it[3], "activation_token": ["s", "y" * 1025]}, it[4]]},
        {"body": lambda it: ["w" * 1025, *it[1:]]},
        {"body": lambda it: [it[0], "https://" + "o" * 512, *it[2:]]},
        {"body": lambda it: [*it[:2], "t" * 65, *it[3:]]},
        {"body": lambda it: [*it[:4], "a" * 256]},
    ],
)
def test_a_malformed_call_is_an_error_and_no_prompt(desk_of_all, spoil):
    desk = desk_of_all
    program = desk.start()
    wanted = program.handler(CREATE, ORIGIN, creation(**QUIET))
    wanted |= {"signature": spoil.get("signature", wanted["signature"]), "body": spoil["body"](wanted["body"])}
    program.say("call", **wanted)
    assert program.read().get("error") == INVALID
    assert desk.manager.asked == []


@pytest.mark.parametrize("options", ["", "{", "[]", "null", "{}", '{"publicKey":1}', '{"challenge":1}', "\u0001", '{"a":' * 4000])
def test_options_that_are_none_are_a_type_error(desk_of_all, options):
    assert desk_of_all.start().refusal(CREATE, ORIGIN, options) == "TypeError"


def test_another_kind_of_credential_is_not_supported(desk_of_all):
    program = desk_of_all.start()
    wanted = program.handler(CREATE, ORIGIN, creation(**QUIET))
    wanted["body"][2] = "password"
    program.say("call", **wanted)
    number, values = program.answer()
    assert number == 2 and exception(values) == "NotSupportedError"


@pytest.fixture(scope="module")
def desk_of_all() -> Iterator[Desk]:
    """For tests that change nothing."""
    with tempfile.TemporaryDirectory(prefix="ward-") as folder:
        # A million messages take longer than the time after which an unused vault locks.
        made = Desk(Manager(Path(folder), WARD_IDLE_LOCK="0"))
        try:
            made.manager.init()
            assert made.manager.json("desktop", "portal", "on")["state"] == "serving"
            yield made
        finally:
            made.close()


@pytest.mark.parametrize("seed", [1, 2])
def test_ten_thousand_random_messages_leave_the_agent_answering(desk_of_all, seed):
    """Each message that wants a reply gets one; afterwards the agent is the same process, and asks the person as before."""
    desk = desk_of_all
    program, agent = desk.start(), desk.manager.status()["pid"]
    before = len(desk.manager.asked)
    interfaces = [HANDLER, HANDLER, HANDLER, PORTAL, "org.freedesktop.DBus.Properties", "org.freedesktop.DBus.Introspectable",
                  "org.freedesktop.portal.Request", "org.freedesktop.host.portal.Registry", "org.example.Other",
                  "xyz.iinuwa.credentialsd.Manager", "xyz.iinuwa.credentialsd.Session",
                  "org.freedesktop.impl.portal.experimental.CredentialProvider"]  # fmt: skip
    paths = ["/xyz/iinuwa/credentialsd/Manager", "/xyz/iinuwa/credentialsd/Manager/session/1", "/org/freedesktop/portal/credential_provider"]
    counts = program.do("fuzz", seed=seed, count=MESSAGES, interfaces=interfaces, to=NAME, path=PATH, paths=paths, options=json.dumps(creation(**QUIET)))
    assert sum(counts.values()) == MESSAGES // 4 and counts["error"] > 100 and counts["method_return"] > 100, counts
    assert len(desk.manager.asked) == before
    assert desk.manager.status()["pid"] == agent
    desk.manager.answers("no")
    assert program.refusal(CREATE, ORIGIN, creation(**QUIET)) == "NotAllowedError"
    assert len(desk.manager.asked) == before + 1
    (desk.manager.folder / "asked.jsonl").unlink()
