"""The message bus of a desktop, and the programs on it that ask the agent for passkeys: portals, browsers, and others."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import jeepney
from manager import Manager

NAME = "xyz.iinuwa.credentialsd.Credentials"
PATH = "/org/freedesktop/portal/desktop"
HANDLER = "org.freedesktop.handler.portal.experimental.Credential"
PORTAL = "org.freedesktop.portal.experimental.Credential"
PORTAL_NAME = "org.freedesktop.portal.Desktop"
SITE_PACKAGES = str(Path(jeepney.__file__).parents[1])

def packages(manager: Manager) -> str:
    """A folder with the client alone, which sandboxes and other users can read too."""
    folder = manager.folder / "packages"
    if not folder.exists():
        shutil.copytree(Path(jeepney.__file__).parent, folder / "jeepney")
    return str(folder)


# What a program runs: each line of its input is a command. It uses jeepney, without anything of these tests.
RELAY = r"""
import itertools, json, os, random, socket, sys
from jeepney import DBusAddress, MatchRule, Message, new_method_call, new_signal, message_bus
from jeepney.io.blocking import DBusConnection, DBusConnectionBase, open_dbus_connection
from jeepney.io.common import MessageFilters
from jeepney.low_level import HeaderFields, MessageFlag

def plain(value):
    if isinstance(value, tuple): return [plain(it) for it in value]
    if isinstance(value, list): return [plain(it) for it in value]
    if isinstance(value, dict): return {key: plain(it) for key, it in value.items()}
    return value

def body(value):
    return tuple(tuple_or(it) for it in value)

def tuple_or(value):
    # A variant is [signature, value].
    if isinstance(value, dict): return {key: (it[0], tuple_or(it[1])) for key, it in value.items()}
    return value

def say(value):
    print(json.dumps(value), flush=True)

if len(sys.argv) > 3:
    # Another program, with the connection of the one before.
    bus = DBusConnection.__new__(DBusConnection)
    DBusConnectionBase.__init__(bus, socket.socket(fileno=int(sys.argv[2])))
    bus._filters = MessageFilters()
    bus.unique_name, serial = sys.argv[3].split(",")
    bus.outgoing_serial = itertools.count(int(serial))
else:
    bus = open_dbus_connection(bus=sys.argv[1], auth_timeout=60)
say({"name": bus.unique_name})
for line in sys.stdin:
    command = json.loads(line)
    what = command.pop("what")
    if what in ("call", "send"):
        address = DBusAddress(command["path"], bus_name=command["to"], interface=command["interface"])
        message = new_method_call(address, command["member"], command["signature"], body(command["body"]))
        if command.get("no_reply"): message.header.flags |= MessageFlag.no_reply_expected
        if what == "send":
            bus.send(message)
            say({})
            continue
        reply = bus.send_and_get_reply(message, timeout=120)
        if reply.header.message_type.name == "error":
            say({"error": reply.header.fields[HeaderFields.error_name], "text": plain(reply.body)})
        else:
            say({"ok": plain(reply.body)})
    elif what == "portal":
        # A request of the portal: the handle comes at once, the result as a signal.
        token = command["token"]
        sender = bus.unique_name[1:].replace(".", "_")
        expected = command["path"] + "/request/" + sender + "/" + token
        rule = MatchRule(type="signal", interface="org.freedesktop.portal.Request", member="Response", path=expected)
        bus.send_and_get_reply(message_bus.AddMatch(rule), timeout=60)
        with bus.filter(rule) as queue:
            address = DBusAddress(command["path"], bus_name=command["to"], interface=command["interface"])
            reply = bus.send_and_get_reply(new_method_call(address, command["member"], command["signature"], body(command["body"])), timeout=60)
            if reply.header.message_type.name == "error":
                say({"error": reply.header.fields[HeaderFields.error_name], "text": plain(reply.body)})
                continue
            assert reply.body == (expected,), reply.body
            say({"handle": expected})
            if not command.get("close"):
                say({"ok": plain(bus.recv_until_filtered(queue, timeout=120).body)})
    elif what == "session":
        # A session: made by a call, started by another one, and over with a signal.
        def ask(path, interface, member, signature="", values=()):
            return bus.send_and_get_reply(new_method_call(DBusAddress(path, bus_name=command["to"], interface=interface), member, signature, values), timeout=60)
        made = ask(command["path"], command["interface"], command["member"], command["signature"], body(command["body"]))
        if made.header.message_type.name == "error":
            say({"error": made.header.fields[HeaderFields.error_name], "text": plain(made.body)})
            continue
        (path,) = made.body
        rule = MatchRule(type="signal", interface=command["session"], path=path)
        bus.send_and_get_reply(message_bus.AddMatch(rule), timeout=60)
        with bus.filter(rule) as queue:
            say({"session": path, "properties": plain(ask(path, "org.freedesktop.DBus.Properties", "GetAll", "s", (command["session"],)).body)})
            if command.get("idle"): continue
            started = ask(path, command["session"], "Start")
            ended = bus.recv_until_filtered(queue, timeout=120)
            say({"started": started.header.message_type.name, "member": ended.header.fields[HeaderFields.member], "body": plain(ended.body)})
    elif what == "signal":
        # A lie: a signal as the bus would send it, to one connection.
        address = DBusAddress(command["path"], interface=command["interface"])
        message = new_signal(address, command["member"], command["signature"], tuple(command["body"]))
        message.header.fields[HeaderFields.destination] = command["to"]
        bus.send(message)
        say({})
    elif what == "own":
        say({"ok": plain(bus.send_and_get_reply(message_bus.RequestName(command["name"], 4), timeout=60).body)})
    elif what == "exec":
        os.set_inheritable(bus.sock.fileno(), True)
        path = command["path"]
        serial = next(bus.outgoing_serial)
        os.execv(path, [path, "-c", os.environ["RELAY"], sys.argv[1], str(bus.sock.fileno()), f"{bus.unique_name},{serial}"])
    elif what == "window":
        # A window of this program, with the process that it says it belongs to.
        import struct
        x = socket.socket(socket.AF_UNIX)
        x.connect("/tmp/.X11-unix/X" + command["display"])
        def read(count):
            got = b""
            while len(got) < count: got += x.recv(count - len(got))
            return got
        x.sendall(struct.pack("<cxHHHHxx", b"l", 11, 0, 0, 0))
        setup = read(struct.unpack("<xxxxxxH", read(8))[0] * 4)
        number, vendor, formats = struct.unpack_from("<I", setup, 4)[0], struct.unpack_from("<H", setup, 16)[0], setup[21]
        root = struct.unpack_from("<I", setup, 32 + (vendor + 3) // 4 * 4 + 8 * formats)[0]
        x.sendall(struct.pack("<BBHIIhhHHHHII", 1, 0, 8, number, root, 0, 0, 50, 50, 0, 1, 0, 0))
        x.sendall(struct.pack("<BBHHxx11sx", 16, 0, 5, 11, b"_NET_WM_PID"))
        atom = struct.unpack_from("<I", read(32), 8)[0]
        x.sendall(struct.pack("<BBHIIIBxxxII", 18, 0, 7, number, atom, 6, 32, 1, command["pid"] or os.getpid()))
        # The answer to a last question comes after the window.
        x.sendall(struct.pack("<BBHHxx11sx", 16, 0, 5, 11, b"_NET_WM_PID"))
        read(32)
        windows = globals().setdefault("windows", [])
        windows.append(x)
        say({"handle": f"x11:{number:x}", "number": number})
    elif what == "chroot":
        os.chroot(command["path"])
        say({})
    elif what == "receive":
        # The next reply, to a request of the program before.
        while True:
            message = bus.receive(timeout=120)
            if message.header.message_type.name in ("method_return", "error"): break
        if message.header.message_type.name == "error":
            say({"error": message.header.fields[HeaderFields.error_name], "text": plain(message.body)})
        else:
            say({"ok": plain(message.body)})
    elif what == "child":
        # Another program inherits the connection, and this one ends.
        os.set_inheritable(bus.sock.fileno(), True)
        parent = os.getpid()
        if os.fork() == 0:
            os.setsid()
            path, serial = command["path"], next(bus.outgoing_serial)
            import time
            while os.getppid() == parent: time.sleep(0.01)
            os.execv(path, [path, "-c", os.environ["RELAY"], sys.argv[1], str(bus.sock.fileno()), f"{bus.unique_name},{serial}"])
        os._exit(0)
    elif what == "fuzz":
        # Random calls of every shape. No origin among them may have passkeys, so none asks the person.
        chance = random.Random(command["seed"])
        def text():
            kind = chance.randrange(6)
            if kind == 0: return "".join(chr(chance.choice([1, 10, 34, 0x7f, 0x202e, 0xe9, 0x1f600])) for _ in range(chance.randrange(40)))
            if kind == 1: return "x" * chance.choice([0, 1, 64, 255, 256, 512, 1025, 65537])
            if kind == 2: return chance.choice(["https://org", "http://example.org", "null", "file:///", "https://[::1]", "https://a.b:0"])
            if kind == 3: return chance.choice(["[" * 100, "{}", '{"publicKey":{}}', "null", '{"challenge":"AA","rpId":"example.org"}'])
            whole = command["options"]
            at = chance.randrange(len(whole))
            return whole[:at] + chance.choice(["", "\"", "{", "9" * 30, "\u0000"[:0], "-"]) + whole[at + chance.randrange(3):]
        def variant():
            return chance.choice([lambda: ("s", text()), lambda: ("u", chance.getrandbits(32)), lambda: ("b", True), lambda: ("as", [text()]),
                                  lambda: ("v", ("s", text())), lambda: ("a{sv}", {text()[:9]: ("v", ("u", 1))}), lambda: ("(ss)", (text(), text())), lambda: ("d", 1.5)])()
        names = ["public_key", "public_key", "top_origin", "mediation", "handle_token", "activation_token", "later"]
        shapes = ["sss", "sa{sv}", "sssa{sv}", "sssa{sv}s", "ssa{sv}s", "sssa{sv}", "ssa{sv}", "s", "ss", "ssv", "", "a{sv}", "av", "ssss"]
        def fill(signature):
            values, rest = [], signature
            while rest:
                if rest.startswith("a{sv}"):
                    values.append({chance.choice(names): chance.choice([variant, lambda: ("s", text())])() for _ in range(chance.randrange(6))})
                    rest = rest[5:]
                elif rest.startswith("av"):
                    values.append([variant() for _ in range(3)])
                    rest = rest[2:]
                elif rest[0] == "v":
                    values.append(variant())
                    rest = rest[1:]
                else:
                    # The origin of a call is never one that may have passkeys.
                    values.append(chance.choice(["http://example.org", "", "null", "x" * 600]) if len(values) == 1 else text())
                    rest = rest[1:]
            return tuple(values)
        members = ["CreateCredential", "GetCredential", "Get", "GetAll", "Set", "Introspect", "Close", "Register", "Other",
                   "CreatePublicKeyCredential", "Start", "EnterClientPin", "ListCandidates", "Unlock", "Signal", "Cancel"]
        counts = {}
        for number in range(command["count"]):
            interface = chance.choice(command["interfaces"])
            path = chance.choice([command["path"], command["path"], *command.get("paths", []), command["path"] + "/request/1_1/t", "/", "/org"])
            signature = chance.choice(shapes)
            member, values = chance.choice(members), fill(signature)
            if number % 8 == 0:
                # The right shape, with text that is nearly right.
                member, interface, path = "CreateCredential", command["interfaces"][0], command["path"]
                values = ("", chance.choice(["http://example.org", "null", "file:///"]), "publicKey", {"public_key": ("s", text()), "later": variant()}, "")
                signature = "sssa{sv}s"
            message = new_method_call(DBusAddress(path, bus_name=command["to"], interface=interface), member, signature, values)
            if number % 4:
                message.header.flags |= MessageFlag.no_reply_expected
                bus.send(message)
                continue
            reply = bus.send_and_get_reply(message, timeout=120)
            name = reply.header.message_type.name
            counts[name] = counts.get(name, 0) + 1
        say(counts)
    elif what == "leave":
        bus.close()
        say({})
"""


class Bus:
    """A session bus of the test's own."""

    CONFIGURATION = (
        '<busconfig><type>session</type><listen>unix:path={path}</listen><standard_session_servicedirs/>'
        '<policy context="default"><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/>'
        '<allow own="*"/><allow user="*"/></policy></busconfig>'
    )

    def __init__(self, manager: Manager) -> None:
        self.socket = manager.runtime / "bus"
        self.address = f"unix:path={self.socket}"
        configuration = manager.folder / "bus.conf"
        # The bus watches the folders that are there when it starts.
        (manager.home / "data/dbus-1/services").mkdir(parents=True, exist_ok=True)
        configuration.write_text(self.CONFIGURATION.format(path=self.socket))
        self.process = subprocess.Popen(
            [*manager.prefix, "dbus-daemon", f"--config-file={configuration}", "--nofork", "--nopidfile"],
            env=manager.environment, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        deadline = time.monotonic() + 60
        while not self.socket.exists():
            assert time.monotonic() < deadline and self.process.poll() is None, "dbus-daemon does not start"
            time.sleep(0.02)

    def close(self) -> None:
        self.process.terminate()
        self.process.wait(timeout=60)
        self.socket.unlink(missing_ok=True)


class Program:
    """A running program on the bus."""

    def __init__(
        self, manager: Manager, path: Path | str, *, prefix: list[str] | None = None, environment: dict[str, str] | None = None
    ) -> None:
        self.process = subprocess.Popen(
            [*(manager.prefix if prefix is None else prefix), str(path), "-c", RELAY, f"unix:path={manager.runtime}/bus"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            # What a program says of itself is worth nothing.
            env={**manager.environment, "RELAY": RELAY, "PYTHONHOME": sys.base_prefix, "PYTHONPATH": packages(manager),
                 "WARD_PORTALS": str(path), **(environment or {})},
        )  # fmt: skip
        self.name = self.read()["name"]

    def become(self, path: Path | str, *, how: str = "exec") -> None:
        """Runs another program, which inherits the connection."""
        self.say(how, path=str(path))
        assert self.read()["name"] == self.name

    def read(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line, "the program ended"
        return json.loads(line)

    def say(self, what: str, **values: Any) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps({"what": what, **values}) + "\n")
        self.process.stdin.flush()

    def do(self, what: str, **values: Any) -> dict[str, Any]:
        self.say(what, **values)
        return self.read()

    @staticmethod
    def handler(kind: str, origin: str, options: Any, app: str = "", window: str = "", **more: Any) -> dict[str, Any]:
        """A call of the handler's interface."""
        text = options if isinstance(options, str) else json.dumps(options)
        values: dict[str, Any] = {"public_key": ["s", text], **{name: ["s", value] if isinstance(value, str) else value for name, value in more.items()}}
        words = [window, origin, *(["publicKey"] if kind == "CreateCredential" else []), values, app]
        signature = "sssa{sv}s" if kind == "CreateCredential" else "ssa{sv}s"
        return {"to": NAME, "path": PATH, "interface": HANDLER, "member": kind, "signature": signature, "body": words}

    def ask(self, kind: str, origin: str, options: Any, **more: Any) -> tuple[int, dict[str, Any]]:
        """Asks as a portal does; the answer's number and dictionary."""
        self.say("call", **self.handler(kind, origin, options, **more))
        return self.answer()

    def answer(self) -> tuple[int, dict[str, Any]]:
        answer = self.read()
        assert "ok" in answer, answer
        number, values = answer["ok"]
        return number, {name: value[1] for name, value in values.items()}

    def credential(self, kind: str, origin: str, options: Any, **more: Any) -> dict[str, Any]:
        """The response of a request that succeeds."""
        return response(*self.ask(kind, origin, options, **more))

    def refusal(self, kind: str, origin: str, options: Any, **more: Any) -> str:
        """The name of the exception of a request that fails."""
        number, values = self.ask(kind, origin, options, **more)
        assert number == 2 and set(values) == {"error"}, (number, values)
        return exception(values)

    def properties(self, interface: str = HANDLER) -> dict[str, Any]:
        answer = self.do("call", to=NAME, path=PATH, interface="org.freedesktop.DBus.Properties", member="GetAll",
                         signature="s", body=[interface])  # fmt: skip
        return {name: value[1] for name, value in answer["ok"][0].items()}

    def __enter__(self) -> Program:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self.process.kill()
        self.process.communicate(timeout=60)


def exception(values: dict[str, Any]) -> str:
    prefix = "xyz.iinuwa.credentialsd."
    assert values["error"].startswith(prefix), values
    return values["error"].removeprefix(prefix)


def response(number: int, values: dict[str, Any]) -> dict[str, Any]:
    assert number == 0 and set(values) == {"type", "public_key"} and values["type"] == "publicKey", (number, values)
    ((name, (kind, text)),) = values["public_key"].items()
    assert kind == "s" and name in ("registration_response_json", "authentication_response_json")
    return json.loads(text)
