"""Measures the agent's door on the message bus beside the bus itself: what `make bench` does for the figures `desktop-*`.

    desktop.py [--json] WARD

A person's home of its own, a bus of its own, and a pinentry that agrees at once and writes down when it was asked.
"""

from __future__ import annotations

import base64
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from jeepney import DBusAddress, new_method_call
from jeepney.io.blocking import open_dbus_connection

ROUNDS = 200
NAME, PATH = "xyz.iinuwa.credentialsd.Credentials", "/org/freedesktop/portal/desktop"
HANDLER = DBusAddress(PATH, bus_name=NAME, interface="org.freedesktop.handler.portal.experimental.Credential")
PEER = DBusAddress(PATH, bus_name=NAME, interface="org.freedesktop.DBus.Peer")
BUS = (
    '<busconfig><type>session</type><listen>unix:path={path}</listen><policy context="default">'
    '<allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/><allow user="*"/></policy></busconfig>'
)

# A pinentry that does nothing but agree: a program in C, so that its own start is a small part of what is measured.
PINENTRY = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
static long long now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec * 1000000000LL + t.tv_nsec; }
int main(void) {
    char line[4096];
    puts("OK"); fflush(stdout);
    while (fgets(line, sizeof line, stdin)) {
        if (!strncmp(line, "CONFIRM", 7)) {
            long long asked = now();
            FILE *times = fopen(TIMES, "w");
            fprintf(times, "%lld %lld\n", asked, now());
            fclose(times);
        }
        puts("OK"); fflush(stdout);
    }
}
"""


def b64(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def wait(what: str, ready) -> None:
    deadline = time.monotonic() + 60
    while not ready():
        assert time.monotonic() < deadline, f"{what} does not start"
        time.sleep(0.01)


def measure(ward: Path, folder: Path) -> dict[str, list[float]]:
    run = folder / "run"
    run.mkdir(mode=0o700)
    (folder / "bus.conf").write_text(BUS.format(path=run / "bus"))
    (folder / "pinentry.c").write_text(f'#define TIMES "{folder}/times"\n{PINENTRY}')
    subprocess.run(["cc", "-O2", "-o", folder / "pinentry", folder / "pinentry.c"], check=True)
    environment = {
        "PATH": os.environ["PATH"], "HOME": str(folder), "XDG_RUNTIME_DIR": str(run), "LC_ALL": "C.UTF-8",
        "WARD_PINENTRY": str(folder / "pinentry"), "DBUS_SESSION_BUS_ADDRESS": f"unix:path={run}/bus",
        # This program is the portal.
        "WARD_PORTALS": os.path.realpath(sys.executable),
    }  # fmt: skip
    daemon = subprocess.Popen(["dbus-daemon", f"--config-file={folder}/bus.conf", "--nofork", "--nopidfile"], stderr=subprocess.DEVNULL)

    def say(*words: str, **more) -> None:
        subprocess.run([ward, *words], env=environment, check=True, stdout=subprocess.DEVNULL, **more)

    try:
        wait("the bus", (run / "bus").exists)
        reader, writer = os.pipe()
        os.write(writer, b"correct horse battery staple\n")
        os.close(writer)
        say("init", "--json", "--passphrase-fd", str(reader), pass_fds=[reader])
        say("desktop", "portal", "on")
        return rounds(folder, environment)
    finally:
        subprocess.run([ward, "agent", "--stop"], env=environment, check=False, stdout=subprocess.DEVNULL)
        daemon.terminate()
        daemon.wait()


def rounds(folder: Path, environment: dict[str, str]) -> dict[str, list[float]]:
    bus = open_dbus_connection(bus=environment["DBUS_SESSION_BUS_ADDRESS"])
    quiet = {"userVerification": "discouraged"}
    took: dict[str, list[float]] = {name: [] for name in ("ping", "start", "create question", "create answer", "get question", "get answer")}

    def ask(member: str, signature: str, *words) -> tuple[int, int]:
        message = new_method_call(HANDLER, member, signature, words)
        before = time.monotonic_ns()
        reply = bus.send_and_get_reply(message, timeout=60)
        after = time.monotonic_ns()
        assert reply.body[0] == 0, reply.body
        return before, after

    def note(name: str, times: tuple[int, int]) -> None:
        asked, answered = map(int, (folder / "times").read_text().split())
        took[name + " question"].append((asked - times[0]) / 1e6)
        took[name + " answer"].append((times[1] - answered) / 1e6)

    for number in range(ROUNDS):
        before = time.monotonic_ns()
        bus.send_and_get_reply(new_method_call(PEER, "Ping"), timeout=60)
        took["ping"].append((time.monotonic_ns() - before) / 1e6)
        # The pinentry alone, from its start to the question.
        before = time.monotonic_ns()
        pinentry = subprocess.Popen([folder / "pinentry"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        pinentry.communicate(b"CONFIRM\n")
        took["start"].append((int((folder / "times").read_text().split()[0]) - before) / 1e6)
        if number % 10 == 0:
            options = {
                "rp": {"id": "example.org", "name": "Example"}, "challenge": b64(os.urandom(32)), "authenticatorSelection": quiet,
                "user": {"id": b64(b"user"), "name": "ada", "displayName": "Ada"}, "pubKeyCredParams": [{"type": "public-key", "alg": -7}],
            }  # fmt: skip
            note("create", ask("CreateCredential", "sssa{sv}s", "", "https://example.org", "publicKey", {"public_key": ("s", json.dumps(options))}, ""))
        options = {"rpId": "example.org", "challenge": b64(os.urandom(32)), **quiet}
        note("get", ask("GetCredential", "ssa{sv}s", "", "https://example.org", {"public_key": ("s", json.dumps(options))}, ""))
    return took


def main() -> None:
    is_json, ward = "--json" in sys.argv, Path(sys.argv[-1]).resolve()
    with tempfile.TemporaryDirectory(prefix="ward-bench-") as folder:
        took = measure(ward, Path(folder))
    middle = {name: statistics.median(values) for name, values in took.items()}
    figures = [
        ("desktop-get-question", "D-Bus: a request to use a passkey, until pinentry is asked", "get question", middle["ping"] + middle["start"], 5.0),
        ("desktop-get-answer", "D-Bus: from pinentry's answer to the response, passkey used", "get answer", middle["ping"] / 2, 1.0),
        ("desktop-create-question", "D-Bus: a request to make a passkey, until pinentry is asked", "create question", middle["ping"] + middle["start"], 5.0),
        ("desktop-create-answer", "D-Bus: from pinentry's answer to the response, passkey made", "create answer", middle["ping"] / 2, None),
    ]
    for name, title, key, limit, promised in figures:
        value = middle[key]
        if is_json:
            print(json.dumps({"name": name, "value": round(value, 3), "unit": "ms", "limit": round(limit, 3), "ratio": round(value / limit, 3)}))
            continue
        kind = "a bare round trip on the same bus, and the start of this pinentry" if key.endswith("question") else "half a bare round trip on the same bus"
        print(title)
        print(f"  ours   {min(took[key]):.2f} ms best, {value:.2f} ms median of {len(took[key])}" + (f"  (promised: at most {promised:g} ms)" if promised else ""))
        print(f"  limit  {limit:.2f} ms median  ({kind})")


main()
