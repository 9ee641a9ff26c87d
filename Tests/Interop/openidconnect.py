"""A provider of OpenID Connect with its clients, and a person whose browser goes from a client to it and back."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

import requests
from proxies import wait_for
from wardserver import Person, Server, environment, find_binary

CALLBACK = "https://wiki.example/callback"


def command(server: Server, *words: str) -> subprocess.CompletedProcess[str]:
    """A command of the operator over the service's database."""
    return subprocess.run(
        [str(find_binary()), *words, "--database", str(server.database)],
        cwd=server.folder,
        env=environment(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
    )


@dataclass
class Registered:
    """What the operator gives to the people of a client."""

    client_id: str
    client_secret: str | None


def add_client(server: Server, name: str, *words: str) -> Registered:
    shown = command(server, "clients", "add", name, "--json", *words)
    assert shown.returncode == 0, shown.stderr
    found = json.loads(shown.stdout)
    return Registered(found["client_id"], found.get("client_secret"))


def begin_device(server: Server, client: Registered, scope: str = "openid profile offline_access") -> dict:
    """What a public client's device is told: its device code, and what it shows to people."""
    answer = requests.post(
        f"{server.url}/oidc/device_authorization", data={"client_id": client.client_id, "scope": scope}, timeout=60
    )
    assert answer.status_code == 200, answer.text
    return answer.json()


def send(person: Person, address: str, **changes: str) -> requests.Response:
    """A person's browser opens an address of the service."""
    assert address.startswith(person.server.origin), address
    url = person.server.url + address.removeprefix(person.server.origin)
    if changes:
        url += "&" + "&".join(f"{name}={value}" for name, value in changes.items())
    return person.http.get(url, allow_redirects=False, timeout=60)


def code_from(person: Person, address: str) -> str:
    """The address, at the client, that the browser of a person who is signed in is sent back to."""
    answer = send(person, address)
    assert answer.status_code == 303, (answer.status_code, answer.text)
    return answer.headers["Location"]


def fields(address: str) -> dict[str, str]:
    return dict(parse_qsl(urlsplit(address).query, strict_parsing=True))


class Apache:
    """Debian's Apache with mod_auth_openidc, which says in header fields who the person is. It has no pages."""

    SHOWN = {"Who": "expr=%{REMOTE_USER}", "Issuer": "%{OIDC_CLAIM_iss}e", "Context": "%{OIDC_CLAIM_acr}e"}

    def __init__(self, folder: Path, port: int, *, provider: str, client: Registered, algorithm: str) -> None:
        program = shutil.which("apache2", path="/usr/sbin:/usr/bin")
        assert program, "there is no apache2: Scripts/packages/test lists libapache2-mod-auth-openidc"
        self.origin, self.port = f"http://localhost:{port}", port
        modules = "mpm_event authn_core authz_core authz_user headers auth_openidc".split()
        lines = [
            f"ServerRoot {folder}",
            f"ServerName localhost:{port}",
            f"Listen 127.0.0.1:{port}",
            f"PidFile {folder}/apache.pid",
            f"ErrorLog {folder}/error.log",
            "LogLevel warn",
            *(f"LoadModule {name}_module /usr/lib/apache2/modules/mod_{name}.so" for name in modules),
            # Root must say who the server is.
            *(["User nobody", "Group nogroup"] if os.geteuid() == 0 else []),
            f"DefaultRuntimeDir {folder}",
            f"OIDCProviderMetadataURL {provider}/.well-known/openid-configuration",
            f"OIDCClientID {client.client_id}",
            f"OIDCClientSecret {client.client_secret}",
            f"OIDCRedirectURI {self.origin}/callback",
            "OIDCCryptoPassphrase a-passphrase-of-the-test",
            "OIDCPKCEMethod S256",
            f"OIDCIDTokenSignedResponseAlg {algorithm}",
            'OIDCScope "openid profile"',
            "OIDCRemoteUserClaim preferred_username",
            "OIDCSSLValidateServer Off",
            f"OIDCDefaultLoggedOutURL {self.origin}/bye",
            *(f'Header always set {name} "{value}"' for name, value in self.SHOWN.items()),
            "<Location />",
            "  AuthType openid-connect",
            "  Require valid-user",
            "</Location>",
        ]
        self.configuration = folder / "apache.conf"
        self.configuration.write_text("\n".join(lines) + "\n")
        self.log = folder / "apache.log"
        words = [program, "-d", str(folder), "-f", str(self.configuration), "-DFOREGROUND"]
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(words, cwd=folder, stdout=log, stderr=log)

    def wait(self) -> None:
        try:
            wait_for(self.port)
        except OSError as error:
            raise RuntimeError(f"apache2 does not listen:\n{self.logs()}") from error

    def logs(self) -> str:
        return "".join(path.read_text() for path in self.log.parent.glob("*.log"))

    def stop(self) -> None:
        self.process.terminate()
        try:
            self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait(30)
