"""The sessions of the next draft of the portal: made, started, and over with one signal."""

from __future__ import annotations

import json
import time
from typing import Any

from portals import NAME
from test_desktop_portal import ORIGIN, QUIET, RP_ID, desk, register, sign_in  # noqa: F401
from test_manager_passkeys import creation, request

LIMITS = "org.freedesktop.DBus.Error.LimitsExceeded"
PATH, MANAGER, SESSION = "/xyz/iinuwa/credentialsd/Manager", "xyz.iinuwa.credentialsd.Manager", "xyz.iinuwa.credentialsd.Session"


def wanted(kind: str, options: Any, origin: str = ORIGIN, top: str = "") -> dict[str, Any]:
    text = options if isinstance(options, str) else json.dumps(options)
    if kind == "create":
        return {"member": "CreatePublicKeyCredential", "signature": "sss", "body": [text, origin, top]}
    return {"member": "GetCredential", "signature": "ssa{sv}", "body": [origin, top, {"public_key": ["s", text]}]}


def session(program, call: dict[str, Any], **more: Any) -> dict[str, Any]:
    """What a session says of itself."""
    return program.do("session", to=NAME, path=PATH, interface=MANAGER, session=SESSION, **call, **more)


def completed(program, kind: str):
    def ask(options: str) -> dict[str, Any]:
        told = session(program, wanted(kind, options))
        ((values,), path) = told["properties"], told["session"]
        assert values == {"RpId": ["s", RP_ID], "Devices": ["as", ["platform"]]} and path.startswith(PATH + "/session/")
        ended = program.read()
        assert (ended["started"], ended["member"]) == ("method_return", "CeremonyCompleted"), ended
        return json.loads(ended["body"][0])

    return ask


def test_passkeys_are_made_and_used_in_sessions_and_errors_are_numbers(desk):  # noqa: F811
    portal = desk.start()
    for number in range(2):
        desk.manager.answers("ok", "ok")
        sign_in(completed(portal, "get"), register(completed(portal, "create"), f"ada{number}"))
    desk.manager.answers("cancel")
    for call, number in [
        (wanted("create", creation(**QUIET), "https://example.com"), 5), (wanted("create", creation(**QUIET), "file:///"), 5),
        (wanted("create", "{"), 7), (wanted("get", request(userVerification="discouraged")), 6),
    ]:  # fmt: skip
        assert "session" in session(portal, call)
        ended = portal.read()
        assert (ended["member"], ended["body"]) == ("ErrorOccurred", [number])


def test_nothing_happens_before_a_start_and_only_the_owner_starts_and_closes(desk):  # noqa: F811
    portal, other = desk.start(), desk.start()
    made = session(portal, wanted("create", creation(**QUIET)), idle=True)["session"]
    address = {"to": NAME, "path": made, "interface": SESSION, "signature": "", "body": []}
    for member in ("Start", "Close"):
        assert other.do("call", **address, member=member)["error"] == "org.freedesktop.DBus.Error.AccessDenied"
    for member in ("EnterClientPin", "SelectCredential", "GetHybridInvocationData"):
        assert portal.do("call", **address, member=member)["error"] == "org.freedesktop.DBus.Error.NotSupported"
    assert desk.manager.asked == []
    desk.manager.answers("wait", "ok")
    assert portal.do("call", **address, member="Start") == {"ok": []}
    desk.prompts(1)
    assert portal.do("call", **address, member="Start")["error"] == "org.freedesktop.DBus.Error.InvalidArgs"
    assert portal.do("call", **address, member="Close") == {"ok": []}
    assert "error" in portal.do("call", **address, member="Close")
    # There is one prompt at a time: this one comes only because the first is gone.
    register(completed(other, "create"), "ada")


def test_a_program_has_eight_sessions_and_leaves_none_behind(desk):  # noqa: F811
    call = {"to": NAME, "path": PATH, "interface": MANAGER, **wanted("get", request())}
    # Without the end of the first four, the fifth would have no room.
    for _ in range(5):
        program = desk.start()
        answer = program.do("call", **call)
        deadline = time.monotonic() + 60
        while answer.get("error") == LIMITS:
            # The bus has not yet told the agent that the one before left.
            assert time.monotonic() < deadline
            time.sleep(0.02)
            answer = program.do("call", **call)
        paths = [answer["ok"][0], *(program.do("call", **call)["ok"][0] for _ in range(7))]
        assert len(set(paths)) == 8 and program.do("call", **call)["error"] == LIMITS
        program.close()


def test_an_app_gets_sessions_for_its_own_domains_alone(desk):  # noqa: F811
    app = desk.start("/usr/bin/python3", environment={"PYTHONHOME": ""})
    assert "session" in session(app, wanted("create", creation(**QUIET)))
    assert (app.read()["body"], desk.manager.asked) == ([5], [])
