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


def measure(ward: Path, folder: Path) -> dict[str, list[tuple[float, float]]]:
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


def rounds(folder: Path, environment: dict[str, str]) -> dict[str, list[tuple[float, float]]]:
    """Each figure's rounds: what was measured, and the limit in the same round."""
    bus = open_dbus_connection(bus=environment["DBUS_SESSION_BUS_ADDRESS"])
    quiet = {"userVerification": "discouraged"}
    took: dict[str, list[tuple[float, float]]] = {}

    def ask(member: str, signature: str, *words) -> tuple[int, int]:
        message = new_method_call(HANDLER, member, signature, words)
        before = time.monotonic_ns()
        reply = bus.send_and_get_reply(message, timeout=60)
        after = time.monotonic_ns()
        assert reply.body[0] == 0, reply.body
        return before, after

    def asked() -> tuple[int, int]:
        """When the pinentry was asked, and when it answered."""
        first, second = map(int, (folder / "times").read_text().split())
        return first, second

    for number in range(ROUNDS):
        before = time.monotonic_ns()
        bus.send_and_get_reply(new_method_call(PEER, "Ping"), timeout=60)
        trip = (time.monotonic_ns() - before) / 1e6
        # The pinentry alone, from its start to the question.
        before = time.monotonic_ns()
        subprocess.run([folder / "pinentry"], input=b"CONFIRM\n", stdout=subprocess.DEVNULL, check=True)
        start = (asked()[0] - before) / 1e6
        calls = {}
        if number % 10 == 0:
            options = {
                "rp": {"id": "example.org", "name": "Example"}, "challenge": b64(os.urandom(32)), "authenticatorSelection": quiet,
                "user": {"id": b64(b"user"), "name": "ada", "displayName": "Ada"}, "pubKeyCredParams": [{"type": "public-key", "alg": -7}],
            }  # fmt: skip
            calls["create"] = ("CreateCredential", "sssa{sv}s", "", "https://example.org", "publicKey", {"public_key": ("s", json.dumps(options))}, "")
        options = {"rpId": "example.org", "challenge": b64(os.urandom(32)), **quiet}
        calls["get"] = ("GetCredential", "ssa{sv}s", "", "https://example.org", {"public_key": ("s", json.dumps(options))}, "")
        for name, call in calls.items():
            before, after = ask(*call)
            question, answer = asked()
            took.setdefault(name + "-question", []).append(((question - before) / 1e6, trip + start))
            took.setdefault(name + "-answer", []).append(((after - answer) / 1e6, trip / 2))
    return took


FIGURES = {
    "get-question": ("D-Bus: a request to use a passkey, until pinentry is asked", 5),
    "get-answer": ("D-Bus: from pinentry's answer to the response, passkey used", 1),
    "create-question": ("D-Bus: a request to make a passkey, until pinentry is asked", 5),
    "create-answer": ("D-Bus: from pinentry's answer to the response, passkey made and stored", None),
}


def main() -> None:
    is_json, ward = "--json" in sys.argv, Path(sys.argv[-1]).resolve()
    with tempfile.TemporaryDirectory(prefix="ward-bench-") as folder:
        took = measure(ward, Path(folder))
    for name, (title, promised) in FIGURES.items():
        ours, limits = ([one[index] for one in took[name]] for index in (0, 1))
        ratio = statistics.median(one / limit for one, limit in took[name])
        if is_json:
            value = {"name": f"desktop-{name}", "value": round(min(ours), 3), "unit": "ms", "limit": round(min(limits), 3), "ratio": round(ratio, 3)}
            print(json.dumps(value, separators=(",", ":")), flush=True)
            continue
        kind = "a bare round trip on the same bus, and this pinentry's start" if name.endswith("question") else "half a bare round trip on the same bus"
        print(title)
        print(f"  ours   {min(ours):.2f} ms best, {statistics.median(ours):.2f} ms median of {len(ours)}" + (f"  (promised: at most {promised} ms, on a machine that is free)" if promised else ""))
        print(f"  limit  {min(limits):.2f} ms best, {statistics.median(limits):.2f} ms median  ({kind})")
        print(f"  ratio  {ratio:.2f}, median of the rounds", flush=True)


main()
