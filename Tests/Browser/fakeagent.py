"""The other end of the extension's native messaging host, played by the test's own process.

The browser starts a small relay; what the extension says arrives here, so a test sets the vault's state and reads what it was asked.
"""

from __future__ import annotations

import json
import socket
import stat
import sys
import threading
from hashlib import sha256
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from authenticator import BE, BS, UP, UV, Authenticator, Browser, NotAllowed, b64, unb64

HOST_NAME = "org.ward.browser"
CHROMIUM_ID = "einjclakeijnedfmbahodbjcjdiomohj"
FIREFOX_ID = "browser@ward.example"

# Copies messages between the browser and the test's socket. A browser gives lengths in the machine's order.
RELAY = """#!{python}
import socket, struct, sys, threading, os
connection = socket.socket(socket.AF_UNIX)
connection.connect({path!r})
def outward():
    with connection.makefile("rb") as lines:
        for line in lines:
            sys.stdout.buffer.write(struct.pack("=I", len(line)) + line)
            sys.stdout.buffer.flush()
    os._exit(0)
threading.Thread(target=outward, daemon=True).start()
while head := sys.stdin.buffer.read(4):
    connection.sendall(sys.stdin.buffer.read(struct.unpack("=I", head)[0]) + b"\\n")
"""


class Refused(Exception):
    """An error of the protocol."""

    def __init__(self, code: str, name: str | None = None) -> None:
        super().__init__(code)
        self.data = {"code": code, **({"name": name} if name else {})}


def host_manifest(program: Path) -> dict[str, Any]:
    """What the browser reads, without who may use it."""
    return {"name": HOST_NAME, "description": "Ward", "path": str(program), "type": "stdio"}


class FakeAgent:
    """A vault with passkeys, which is paired and unlocked until a test says otherwise."""

    def __init__(self, folder: Path) -> None:
        self.state = {"isPaired": True, "hasVault": True, "isLocked": False, "passkeysAreOn": True, "version": "test"}
        self.authenticator = Authenticator(backup_eligible=True, backed_up=True)
        self.passwords: list[dict[str, Any]] = []
        # What `browser.fill` gave out: the tab, the frame and the user name.
        self.filled: set[tuple[int, int, str]] = set()
        self.asked: list[tuple[str, dict[str, Any]]] = []
        self.refusals: dict[str, Refused] = {}
        # A method whose name is here is answered only after its event is set.
        self.delays: dict[str, threading.Event] = {}
        self.cancelled: list[int] = []
        # Passwords that were typed and not saved yet, by ID.
        self.captures: dict[str, dict[str, Any]] = {}
        self.sites: dict[str, dict[str, Any]] = {}
        self.settings = {"upgrades": True}
        self.upgrades: list[dict[str, str]] = []
        self.program = folder / "relay"
        path = folder / "relay.sock"
        self.program.write_text(RELAY.format(python=sys.executable, path=str(path)))
        self.program.chmod(self.program.stat().st_mode | stat.S_IXUSR)
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(str(path))
        self.listener.listen()
        threading.Thread(target=self._accept, daemon=True).start()

    def reset(self) -> None:
        """As it was at the beginning."""
        self.state |= {"isPaired": True, "hasVault": True, "isLocked": False, "passkeysAreOn": True}
        self.authenticator.credentials.clear()
        for event in self.delays.values():
            event.set()
        self.settings["upgrades"] = True
        for kept in (
            self.passwords, self.filled, self.asked, self.refusals, self.delays, self.cancelled, self.captures, self.sites, self.upgrades,
        ):
            kept.clear()

    def close(self) -> None:
        self.listener.close()

    def calls(self, method: str) -> list[dict[str, Any]]:
        """The parameters of each call so far."""
        return [params for called, params in self.asked if called == method]

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        lock = threading.Lock()
        with connection, connection.makefile("rb") as lines:
            for line in lines:
                request = json.loads(line)
                threading.Thread(target=self._answer, args=(connection, lock, request), daemon=True).start()

    def _answer(self, connection: socket.socket, lock: threading.Lock, request: dict[str, Any]) -> None:
        method, params = request["method"], request.get("params", {})
        self.asked.append((method, params))
        if event := self.delays.get(method):
            event.wait(60)
        try:
            if refusal := self.refusals.get(method):
                raise refusal
            result = getattr(self, "_" + method.removeprefix("browser.").replace(".", "_"))(params)
            answer = {"jsonrpc": "2.0", "id": request["id"], "result": result}
        except Refused as refusal:
            answer = {"id": request["id"], "error": {"code": -32000, "message": "refused", "data": refusal.data}}
        try:
            with lock:
                connection.sendall(json.dumps(answer).encode() + b"\n")
        except OSError:
            pass  # The browser has ended the host.

    # The methods

    def _hold(self, _: dict[str, Any]) -> dict[str, Any]:
        return {"seconds": 45}

    def _state(self, _: dict[str, Any]) -> dict[str, Any]:
        return dict(self.state)

    def _pair(self, _: dict[str, Any]) -> dict[str, Any]:
        self.state["isPaired"] = True
        return {}

    def _unlock(self, _: dict[str, Any]) -> dict[str, Any]:
        self.state["isLocked"] = False
        return {}

    def _lock(self, _: dict[str, Any]) -> dict[str, Any]:
        self.state["isLocked"] = True
        return {}

    def _cancel(self, params: dict[str, Any]) -> dict[str, Any]:
        self.cancelled.append(params["request"])
        return {}

    def _passkeys_signal(self, params: dict[str, Any]) -> dict[str, Any]:
        host, rp_id = urlsplit(params["sender"]["origin"]).hostname or "", json.loads(params["options"])["rpId"]
        if f".{host}".endswith(f".{rp_id}") and (rp_id != "localhost" or host == rp_id):
            return {}
        raise Refused("ceremony_failed", "SecurityError")

    def _matching(self, sender: dict[str, Any], options: dict[str, Any]):
        rp_id = options.get("rpId", urlsplit(sender["origin"]).hostname)
        allowed = [unb64(each["id"]) for each in options.get("allowCredentials", [])]
        return rp_id, self.authenticator.matching(rp_id, allowed)

    def _passkeys_list(self, params: dict[str, Any]) -> dict[str, Any]:
        if self.state["isLocked"]:
            return {"isLocked": True, "accounts": []}
        _, found = self._matching(params["sender"], json.loads(params["options"]))
        accounts = [
            {
                "id": credential.id.hex(),
                "user": credential.user.get("name", ""),
                "displayName": credential.user.get("displayName", ""),
                "provider": "Ward",
            }
            for credential in found
        ]
        return {"isLocked": False, "accounts": accounts}

    def _passkeys_get(self, params: dict[str, Any]) -> dict[str, Any]:
        self._unlocked()
        options, sender = json.loads(params["options"]), params["sender"]
        rp_id, found = self._matching(sender, options)
        picked = [credential for credential in found if credential.id.hex() == params.get("picked")]
        if not picked:
            raise Refused("ceremony_failed", "NotAllowedError")
        allowed = [{"id": b64(picked[0].id), "type": "public-key"}]
        return {
            "response": json.dumps(
                self._browser(sender).get(
                    {**options, "rpId": rp_id, "allowCredentials": allowed}, client_data=self._cross(sender)
                )
            )
        }

    def _passkeys_create(self, params: dict[str, Any]) -> dict[str, Any]:
        self._unlocked()
        options, sender = json.loads(params["options"]), params["sender"]
        flags = UP | UV | BE | BS
        if params.get("mediation") == "conditional":
            if (sender["tab"], sender["frame"], options["user"]["name"]) not in self.filled:
                raise Refused("ceremony_failed", "NotAllowedError")
            flags = BE | BS
        elif not params.get("agreed"):
            raise Refused("ceremony_failed", "NotAllowedError")
        options["rp"].setdefault("id", urlsplit(sender["origin"]).hostname)
        try:
            response = self._browser(sender).create(options, client_data=self._cross(sender), flags=flags)
        except NotAllowed as error:
            raise Refused("ceremony_failed", str(error).split(":")[0]) from error
        if (extensions := options.get("extensions", {})).get("credProps"):
            response["clientExtensionResults"]["credProps"] = {"rk": True}
        if first := extensions.get("prf", {}).get("eval", {}).get("first"):
            results = {"enabled": True, "results": {"first": b64(sha256(unb64(first)).digest())}}
            response["clientExtensionResults"]["prf"] = results
        made = self.authenticator.credentials[unb64(response["id"])]
        key = made.key.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
        response["response"]["publicKey"] = b64(key)
        return {"response": json.dumps(response)}

    def _entries(self, params: dict[str, Any]) -> dict[str, Any]:
        if self.state["isLocked"]:
            return {"isLocked": True, "entries": []}
        host = urlsplit(params["sender"]["origin"]).hostname
        entries = [
            {"id": f"p{index}", "kind": "password", "user": each["user"], "domain": host, "title": host, "provider": "Ward"}
            for index, each in enumerate(self.passwords)
            if each["host"] == host
        ]
        passkeys = [
            {"id": c.id.hex(), "kind": "passkey", "user": c.user.get("name", ""), "domain": host, "title": host, "provider": "Ward"}
            for c in self.authenticator.matching(host or "", None)
        ]
        codes = [
            {"id": f"c{index}", "kind": "oneTimeCode", "user": each["user"], "domain": host, "title": host, "provider": "Ward"}
            for index, each in enumerate(self.passwords)
            if each["host"] == host and "code" in each
        ]
        menu = self.sites.get(host or "", {}).get("menu", True)
        return {"isLocked": False, "entries": passkeys + entries + codes, "menuIsOff": not menu}

    # Saving

    def _suggest(self, params: dict[str, Any]) -> dict[str, Any]:
        return {"password": "generated-7-Password", "isDraft": True}

    def _outcome(self, capture: dict[str, Any]) -> dict[str, Any]:
        host = urlsplit(capture["sender"]["origin"]).hostname
        answer = {"site": host, "user": capture["user"], "title": "", "replaces": False}
        if not self.sites.get(host or "", {}).get("saves", True):
            return {**answer, "outcome": "never"}
        if self.state["isLocked"]:
            return {**answer, "outcome": "locked"}
        for each in self.passwords:
            if each["host"] == host and each["user"] == capture["user"]:
                if each["password"] == capture["password"]:
                    return {**answer, "outcome": "same", "title": "Login"}
                return {**answer, "outcome": "update", "title": "Login", "replaces": True}
        return {**answer, "outcome": "new"}

    def _capture(self, params: dict[str, Any]) -> dict[str, Any]:
        answer = self._outcome(params)
        if answer["outcome"] not in ("same", "never"):
            answer["id"] = f"capture {len(self.asked)}"
            self.captures[answer["id"]] = params
        return answer

    def _captured(self, params: dict[str, Any]) -> dict[str, Any]:
        capture = self._known(params)
        if urlsplit(capture["sender"]["origin"]).hostname != urlsplit(params["sender"]["origin"]).hostname:
            raise Refused("denied")
        return {**self._outcome(capture), "id": params["capture"]}

    def _save(self, params: dict[str, Any]) -> dict[str, Any]:
        self.state["isLocked"] = False
        capture = {**self._known(params), **{name: params[name] for name in ("user",) if name in params}}
        answer = self._outcome(capture)
        host = urlsplit(capture["sender"]["origin"]).hostname
        self.passwords = [each for each in self.passwords if (each["host"], each["user"]) != (host, capture["user"])]
        self.passwords.append({"host": host or "", "user": capture["user"], "password": capture["password"]})
        del self.captures[params["capture"]]
        return answer

    def _discard(self, params: dict[str, Any]) -> dict[str, Any]:
        self.captures.pop(params["capture"], None)
        return {}

    def _known(self, params: dict[str, Any]) -> dict[str, Any]:
        if params["capture"] not in self.captures:
            raise Refused("item_missing")
        return self.captures[params["capture"]]

    def _settings(self, params: dict[str, Any]) -> dict[str, Any]:
        usual = {"saves": True, "upgrades": True, "menu": True}
        sites = [{"site": site, **usual, **changed} for site, changed in self.sites.items()]
        if "sender" not in params:
            return {**self.settings, "sites": sites}
        host = urlsplit(params["sender"]["origin"]).hostname or ""
        return {**self.settings, "sites": sites, "site": {"site": host, **usual, **self.sites.get(host, {})}}

    def _settings_change(self, params: dict[str, Any]) -> dict[str, Any]:
        changed = {name: value for name, value in params.items() if name != "site"}
        (self.sites.setdefault(params["site"], {}) if "site" in params else self.settings).update(changed)
        return self._settings({})

    def _search(self, params: dict[str, Any]) -> dict[str, Any]:
        entries = [
            {"id": f"p{index}", "kind": "password", "user": each["user"], "domain": each["host"], "title": each["host"], "provider": "Ward"}
            | {name: each[name] for name in ("siteName", "icon") if name in each}
            for index, each in enumerate(self.passwords)
            if params["query"] in each["host"] + each["user"]
        ]
        return {"isLocked": False, "entries": entries, "menuIsOff": False}

    def _reveal(self, params: dict[str, Any]) -> dict[str, Any]:
        password = self.passwords[int(params["entry"][1:])]
        return {"user": password["user"], "password": password["password"]}

    def _upgrades(self, _: dict[str, Any]) -> dict[str, Any]:
        return {"upgrades": self.upgrades}

    def _upgrades_undo(self, params: dict[str, Any]) -> dict[str, Any]:
        self.upgrades = [each for each in self.upgrades if each["id"] != params["upgrade"]]
        return {}

    def _fill(self, params: dict[str, Any]) -> dict[str, Any]:
        sender, password = params["sender"], self.passwords[int(params["entry"][1:])]
        if password["host"] != urlsplit(sender["origin"]).hostname:
            raise Refused("denied")
        if params["entry"].startswith("c"):
            return {"code": password["code"], "secondsLeft": password.get("left", 20), "period": 30}
        self.filled.add((sender["tab"], sender["frame"], password["user"]))
        return {"user": password["user"], "password": password["password"]}

    def _unlocked(self) -> None:
        if self.state["isLocked"]:
            raise Refused("locked")

    def _browser(self, sender: dict[str, Any]) -> Browser:
        return Browser(sender["origin"], self.authenticator)

    def _cross(self, sender: dict[str, Any]) -> dict[str, Any]:
        top = "{0.scheme}://{0.netloc}".format(urlsplit(sender["topURL"]))
        return {"crossOrigin": True, "topOrigin": top} if top != sender["origin"] else {}
