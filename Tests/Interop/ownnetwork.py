"""A machine whose network has only a few domains, all of them served by a test, and which trusts the test's authority alone."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from apps import unshared
from certificates import certificates, trusting
from manager import Manager

SERVE = r'''
import http.server, ssl, sys
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        host = self.headers["Host"].split(":")[0]
        with open(sys.argv[2], "a") as log:
            log.write(host + " " + self.path + "\n")
        status, kind, body, extra = answer(host, self.path)
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        for name, value in extra.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)
    def log_message(self, *words): pass
server = http.server.ThreadingHTTPServer(("127.0.0.1", 443), Handler)
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(sys.argv[1])
server.socket = context.wrap_socket(server.socket, server_side=True)
print("serving", flush=True)
server.serve_forever()
'''


@contextmanager
def own_network(manager: Manager, folder: Path, answer: str, names: Iterable[str], untrusted: Iterable[str] = ()) -> Iterator[None]:
    """Runs the person's commands and agent on this machine.

    They are as they are shipped: the machine around them is another one. Domains are asked over HTTPS at port 443. `answer` is
    the source of a function in Python that gives the status, the content type, the body and further headers for a host and a path.
    """
    words = unshared("--mount", "--net", "--kill-child", "--fork")
    authority, server = certificates(folder, *names)
    hosts, script = folder / "hosts", folder / "serve.py"
    hosts.write_text("127.0.0.1 localhost " + " ".join([*names, *untrusted]) + "\n")
    script.write_text(answer + SERVE)
    trusted = trusting(authority)
    mounts = " && ".join([f"mount --bind '{hosts}' /etc/hosts", *trusted])
    command = f"{{ ip link set lo up || ifconfig lo up; }} && {mounts} && exec '{sys.executable}' '{script}' '{server}' '{folder}/seen'"
    inside = subprocess.Popen([*words, "bash", "-c", command], stdout=subprocess.PIPE, text=True)
    assert inside.stdout is not None
    try:
        if inside.stdout.readline() != "serving\n" or not trusted:
            pytest.skip("this machine lets nobody have a network of their own")
        pid = Path(f"/proc/{inside.pid}/task/{inside.pid}/children").read_text().split()[0]
        manager.prefix = ["nsenter", "--target", pid, "--user", "--mount", "--net", "--preserve-credentials"]
        yield
        manager.stop()
    finally:
        inside.kill()
        inside.communicate(timeout=30)
        manager.prefix = []


def seen(folder: Path) -> list[str]:
    """The hosts and paths that were asked."""
    path = folder / "seen"
    return path.read_text().splitlines() if path.exists() else []
