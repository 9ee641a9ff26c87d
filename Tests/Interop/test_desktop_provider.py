"""The provider protocol over D-Bus, written from Documentation/formats/provider-dbus.md: two portals, and a second provider.

One portal uses jeepney, the other dbus-fast; the second provider is a program of this file. None has anything of the agent's.
"""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from agentwire import build_app
from manager import PASSPHRASE
from portals import NAME, SITE_PACKAGES, exception
from test_desktop_portal import CREATE, GET, ORIGIN, QUIET, RP_ID, Desk, desk, register, sign_in  # noqa: F401
from test_manager_passkeys import creation, request

PREFIX = "org.freedesktop.impl.portal.experimental.CredentialProvider"
WARD = PREFIX + ".ward"
PROVIDER_PATH = "/org/freedesktop/portal/credential_provider"


class JeepneyPortal:
    """The portal's half with jeepney: each message is built by hand from the page's signatures."""

    SIGNATURES = {"ListCandidates": "sa{sv}", "Unlock": "sa{sv}", "CreateCredential": "sssa{sv}s", "GetCredential": "ssa{sv}s",
                  "Signal": "sssa{sv}", "Cancel": "s"}  # fmt: skip

    def __init__(self, desk: Desk, path: Path | None = None) -> None:  # noqa: F811
        self.program = desk.start(path)

    def say(self, name: str, member: str, *body: Any) -> None:
        self.program.say("call", to=name, path=PROVIDER_PATH, interface=PREFIX, member=member, signature=self.SIGNATURES[member], body=list(body))

    def read(self) -> tuple[int, dict[str, Any]]:
        answer = self.program.read()
        assert "ok" in answer, answer
        number, values = answer["ok"]
        return number, {key: value[1] for key, value in values.items()}

    def call(self, name: str, member: str, *body: Any) -> tuple[int, dict[str, Any]]:
        self.say(name, member, *body)
        return self.read()

    def providers(self) -> set[str]:
        names: set[str] = set()
        for member in ("ListNames", "ListActivatableNames"):
            answer = self.program.do("call", to="org.freedesktop.DBus", path="/org/freedesktop/DBus", interface="org.freedesktop.DBus",
                                     member=member, signature="", body=[])  # fmt: skip
            names |= set(answer["ok"][0])
        return {name for name in names if name.startswith(PREFIX + ".")}

    def properties(self, name: str) -> dict[str, Any]:
        answer = self.program.do("call", to=name, path=PROVIDER_PATH, interface="org.freedesktop.DBus.Properties", member="GetAll",
                                 signature="s", body=[PREFIX])  # fmt: skip
        return {key: value[1] for key, value in answer["ok"][0].items()}

    def candidates(self, name: str, rp_id: str = RP_ID) -> list[dict[str, Any]]:
        number, values = self.call(name, "ListCandidates", rp_id, {})
        assert number == 0, values
        return [{key: value[1] for key, value in it.items()} for it in values["candidates"]]


# The portal's half with dbus-fast, which calls what the object says of itself.
FAST_PORTAL = r"""
import asyncio, json, sys
from dbus_fast import Variant
from dbus_fast.aio import MessageBus
def plain(value):
    if isinstance(value, Variant): return plain(value.value)
    if isinstance(value, dict): return {key: plain(it) for key, it in value.items()}
    return [plain(it) for it in value] if isinstance(value, list) else value
async def main():
    bus = await MessageBus(bus_address=sys.argv[1]).connect()
    name, path, interface = sys.argv[2:5]
    provider = bus.get_proxy_object(name, path, await bus.introspect(name, path)).get_interface(interface)
    print(json.dumps([await provider.get_version(), await provider.get_types(), await provider.get_verifies_user()]), flush=True)
    loop = asyncio.get_running_loop()
    while line := await loop.run_in_executor(None, sys.stdin.readline):
        method, *values = json.loads(line)
        values = [{key: Variant("s", it) for key, it in value.items()} if isinstance(value, dict) else value for value in values]
        print(json.dumps(plain(await getattr(provider, "call_" + method)(*values))), flush=True)
asyncio.run(main())
"""

# The provider's half with dbus-fast: one passkey that never signs.
FAST_PROVIDER = r"""
import asyncio, sys
from dbus_fast import Variant, PropertyAccess
from dbus_fast.aio import MessageBus
from dbus_fast.service import ServiceInterface, dbus_property, method
PREFIX = sys.argv[2]
class Provider(ServiceInterface):
    def __init__(self):
        super().__init__(PREFIX)
        self.waiting = {}
    @dbus_property(access=PropertyAccess.READ)
    def version(self) -> "u": return 1
    @dbus_property(access=PropertyAccess.READ)
    def Name(self) -> "s": return "Small"
    @dbus_property(access=PropertyAccess.READ)
    def Types(self) -> "as": return ["publicKey"]
    @dbus_property(access=PropertyAccess.READ)
    def VerifiesUser(self) -> "b": return True
    @method()
    def ListCandidates(self, rp_id: "s", options: "a{sv}") -> "ua{sv}":
        one = {"type": "publicKey", "reference": "1", "credential_id": "AAAA", "user_handle": "BBBB", "user_name": "bob"}
        found = [{key: Variant("s", value) for key, value in one.items()}] if rp_id == "example.org" else []
        return [0, {"is_locked": Variant("b", False), "candidates": Variant("aa{sv}", found)}]
    @method()
    def Unlock(self, parent_window: "s", options: "a{sv}") -> "ua{sv}": return [0, {}]
    @method()
    async def GetCredential(self, parent_window: "s", origin: "s", options: "a{sv}", app_id: "s") -> "ua{sv}":
        token = options["handle_token"].value if "handle_token" in options else ""
        self.waiting[token] = asyncio.get_running_loop().create_future()
        await self.waiting[token]
        return [1, {"error": Variant("s", "xyz.iinuwa.credentialsd.AbortError")}]
    @method()
    def CreateCredential(self, parent_window: "s", origin: "s", type: "s", options: "a{sv}", app_id: "s") -> "ua{sv}":
        return [2, {"error": Variant("s", "xyz.iinuwa.credentialsd.NotAllowedError")}]
    @method()
    def Signal(self, origin: "s", kind: "s", json: "s", options: "a{sv}") -> "ua{sv}": return [0, {}]
    @method()
    def Cancel(self, token: "s"): self.waiting.pop(token).set_result(None)
async def main():
    bus = await MessageBus(bus_address=sys.argv[1]).connect()
    bus.export("/org/freedesktop/portal/credential_provider", Provider())
    await bus.request_name(PREFIX + ".small")
    print("ready", flush=True)
    await asyncio.get_running_loop().create_future()
asyncio.run(main())
"""


def fast(desk: Desk, program: Path, text: str, *words: str) -> subprocess.Popen[str]:  # noqa: F811
    environment = {**desk.manager.environment, "PYTHONPATH": SITE_PACKAGES, "PYTHONHOME": str(Path(os.__file__).parents[2])}
    return subprocess.Popen([program, "-c", text, desk.bus.address, *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment)


@pytest.fixture
def fast_portal(desk) -> Iterator[Callable[..., Any]]:  # noqa: F811
    portal = fast(desk, desk.portal, FAST_PORTAL, WARD, PROVIDER_PATH, PREFIX)
    assert portal.stdin is not None and portal.stdout is not None
    assert json.loads(portal.stdout.readline()) == [1, ["publicKey"], True]

    def call(*values: Any) -> Any:
        portal.stdin.write(json.dumps(values) + "\n")
        portal.stdin.flush()
        return json.loads(portal.stdout.readline())

    yield call
    portal.kill()
    portal.communicate(timeout=60)


def options(text: str, **more: str) -> dict[str, list[str]]:
    return {"public_key": ["s", text], **{key: ["s", value] for key, value in more.items()}}


def credential(number: int, values: dict[str, Any]) -> dict[str, Any]:
    assert number == 0 and values["type"] == "publicKey", (number, values)
    ((_, value),) = values["public_key"].items()
    return json.loads(value[1] if isinstance(value, list) else value)


def test_two_portals_list_make_and_use_passkeys_of_two_providers(desk, fast_portal):  # noqa: F811
    portal, manager = JeepneyPortal(desk), desk.manager
    small = fast(desk, build_app(manager.folder / "bin", "small", "two"), FAST_PROVIDER, PREFIX)
    try:
        assert small.stdout is not None and small.stdout.readline() == "ready\n"
        assert portal.providers() == {WARD, PREFIX + ".small"}
        assert portal.properties(WARD) == {"version": 1, "Name": "Ward", "Types": ["publicKey"], "VerifiesUser": True}
        assert portal.candidates(WARD) == []
        manager.answers(*["ok"] * 5)
        one = register(lambda text: credential(*portal.call(WARD, CREATE, "", ORIGIN, "publicKey", options(text), "org.example.Browser")), "ada")
        two = register(lambda text: credential(*fast_portal("create_credential", "", ORIGIN, "publicKey", {"public_key": text}, "")), "eve")
        assert "org.example.Browser" in manager.asked[0]["SETDESC"]
        # Both portals see both, each with its name, and no key.
        listed = {it["user_name"]: it for it in portal.candidates(WARD)}
        assert set(listed) == {"ada", "eve"} and set(listed["ada"]) == {"type", "reference", "credential_id", "user_handle", "user_name", "last_used"}
        number, values = fast_portal("list_candidates", RP_ID, {})
        assert (number, values["is_locked"]) == (0, False)
        assert {it["credential_id"] for it in values["candidates"]} == {it["credential_id"] for it in listed.values()}
        assert portal.candidates(WARD, "example.com") == []
        # The picked one is used, and no prompt asks which.
        sign_in(lambda text: credential(*portal.call(WARD, GET, "", ORIGIN, options(text, reference=listed["ada"]["reference"]), "")), one)
        sign_in(lambda text: credential(*fast_portal("get_credential", "", ORIGIN, {"public_key": text, "reference": listed["eve"]["reference"]}, "")), two)
        wanted = json.dumps(request(userVerification="discouraged"))
        used = credential(*portal.call(WARD, GET, "", ORIGIN, options(wanted, reference=listed["eve"]["reference"]), ""))
        assert used["id"] == listed["eve"]["credential_id"] and used["response"]["userHandle"] == listed["eve"]["user_handle"]
        assert len(manager.asked) == 5
        # The other provider is spoken to in the same way.
        (bob,) = portal.candidates(PREFIX + ".small")
        assert (bob["user_name"], portal.properties(PREFIX + ".small")["Name"]) == ("bob", "Small")
        canceller = portal
        canceller.say(PREFIX + ".small", GET, "", ORIGIN, options(wanted, handle_token="mine"), "")
        other = JeepneyPortal(desk)
        other.program.say("call", to=PREFIX + ".small", path=PROVIDER_PATH, interface=PREFIX, member="Cancel", signature="s", body=["mine"])
        assert other.program.read() == {"ok": []}
        assert canceller.read() == (1, {"error": "xyz.iinuwa.credentialsd.AbortError"})
    finally:
        small.kill()
        small.communicate(timeout=60)


def test_a_picked_passkey_must_be_allowed_and_there(desk):  # noqa: F811
    portal, manager = JeepneyPortal(desk), desk.manager
    manager.answers("ok")
    made = credential(*portal.call(WARD, CREATE, "", ORIGIN, "publicKey", options(json.dumps(creation(**QUIET))), ""))
    (one,) = portal.candidates(WARD)
    assert one["credential_id"] == made["id"]
    elsewhere = json.dumps(request(userVerification="discouraged", allowCredentials=[{"type": "public-key", "id": "AAAA"}]))
    for text, reference in ((elsewhere, one["reference"]), (json.dumps(request(userVerification="discouraged")), "!")):
        number, values = portal.call(WARD, GET, "", ORIGIN, options(text, reference=reference), "")
        assert number == 2 and exception(values) == "NotAllowedError"
    assert len(manager.asked) == 1


def test_a_locked_provider_says_so_and_opens_for_the_person(desk):  # noqa: F811
    portal, manager = JeepneyPortal(desk), desk.manager
    manager.answers("ok")
    portal.call(WARD, CREATE, "", ORIGIN, "publicKey", options(json.dumps(creation(**QUIET))), "")
    manager.ok("lock")
    assert portal.call(WARD, "ListCandidates", RP_ID, {}) == (0, {"is_locked": True, "candidates": []})
    manager.answers("cancel", PASSPHRASE)
    number, values = portal.call(WARD, "Unlock", "", {})
    assert number == 2 and exception(values) == "NotAllowedError"
    assert portal.call(WARD, "Unlock", "", {}) == (0, {})
    # Once it is open, it answers at once.
    assert portal.call(WARD, "Unlock", "", {}) == (0, {}) and len(portal.candidates(WARD)) == 1
    assert len(manager.asked) == 3
    manager.ok("passkeys", "off")
    assert portal.properties(WARD)["Types"] == []
    number, values = portal.call(WARD, "ListCandidates", RP_ID, {})
    assert number == 2 and exception(values) == "NotAllowedError"


def test_a_request_is_cancelled_by_its_own_connection(desk):  # noqa: F811
    portal, other = JeepneyPortal(desk), JeepneyPortal(desk)
    desk.manager.answers("wait", "ok")
    wanted = {**portal.program.handler(CREATE, ORIGIN, creation(**QUIET), handle_token="mine"), "to": WARD, "path": PROVIDER_PATH, "interface": PREFIX}
    assert portal.program.do("send", **wanted) == {}
    desk.prompts(1)
    cancel = {"to": WARD, "path": PROVIDER_PATH, "interface": PREFIX, "member": "Cancel", "signature": "s", "body": ["mine"]}
    assert other.program.do("call", **cancel)["error"] == "org.freedesktop.DBus.Error.InvalidArgs"
    assert portal.program.do("call", **wanted)["error"] == "org.freedesktop.DBus.Error.InvalidArgs"
    assert portal.program.do("send", **cancel) == {}
    assert portal.program.do("receive") == {"ok": [1, {"error": ["s", "xyz.iinuwa.credentialsd.AbortError"]}]}
    # There is one prompt at a time: this one comes only because the first is gone.
    credential(*other.call(WARD, CREATE, "", ORIGIN, "publicKey", options(json.dumps(creation(**QUIET))), ""))


def test_signals_of_a_site_are_noted_for_its_own_passkeys_alone(desk):  # noqa: F811
    portal = JeepneyPortal(desk)
    desk.manager.answers("ok")
    made = credential(*portal.call(WARD, CREATE, "", ORIGIN, "publicKey", options(json.dumps(creation(**QUIET))), ""))
    gone = json.dumps({"rpId": RP_ID, "credentialId": made["id"]})
    for origin, kind, text in (("https://example.com", "unknownCredential", gone), (ORIGIN, "unusedPassword", gone), (ORIGIN, "unknownCredential", "{")):
        assert portal.call(WARD, "Signal", origin, kind, text, {}) == (0, {})
        assert len(portal.candidates(WARD)) == 1
    assert portal.call(WARD, "Signal", ORIGIN, "unknownCredential", gone, {}) == (0, {})
    assert portal.candidates(WARD) == []


def test_only_a_portal_is_answered(desk, tmp_path):  # noqa: F811
    evil = JeepneyPortal(desk, build_app(tmp_path, "evil", "evil"))
    wanted = json.dumps(request(userVerification="discouraged"))
    local = json.dumps(creation(**QUIET) | {"rp": {"id": "localhost", "name": "x"}})
    calls = [("ListCandidates", RP_ID, {}), ("Unlock", "", {}), (GET, "", ORIGIN, options(wanted), ""), ("Signal", ORIGIN, "unknownCredential", "{}", {}),
             (CREATE, "", "http://localhost:8080", "publicKey", options(local), "")]  # fmt: skip
    for member, *body in calls:
        number, values = evil.call(WARD, member, *body)
        assert number == 2 and exception(values) == "SecurityError", member
    assert desk.manager.asked == []


def test_a_name_of_another_provider_is_left_there_and_status_says_whose(desk):  # noqa: F811
    manager = desk.manager
    manager.ok("desktop", "portal", "off")
    other = desk.start()
    assert other.do("own", name=WARD) == {"ok": [1]}
    told = manager.json("desktop", "portal", "on")
    assert (told["state"], told["name"], told["pid"]) == ("taken", WARD, other.process.pid)
    assert f"(process {other.process.pid}) has the name {WARD}" in manager.ok("status")
    # The other names are not kept without it.
    portal = JeepneyPortal(desk)
    owner = {"to": "org.freedesktop.DBus", "path": "/org/freedesktop/DBus", "interface": "org.freedesktop.DBus", "member": "NameHasOwner"}
    assert portal.program.do("call", **owner, signature="s", body=[NAME]) == {"ok": [False]}


def test_a_portal_finds_and_starts_a_provider_that_does_not_run(desk):  # noqa: F811
    portal = JeepneyPortal(desk)
    desk.manager.stop()
    assert portal.providers() == {WARD}
    # The vault is locked, and nothing asks the person.
    assert portal.call(WARD, "ListCandidates", RP_ID, {}) == (0, {"is_locked": True, "candidates": []})
    desk.manager.ok("desktop", "portal", "off")
    deadline = time.monotonic() + 60
    while portal.providers():
        # The bus has not yet seen that the file is gone.
        assert time.monotonic() < deadline
        time.sleep(0.02)
    assert desk.manager.asked == []
