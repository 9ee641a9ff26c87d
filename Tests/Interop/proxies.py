"""An app behind a proxy, with the published configurations and Debian's nginx and Caddy; and a browser there."""

from __future__ import annotations

import http.client
import shutil
import socket
import subprocess
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from wardserver import ROOT, Server

EXAMPLE = ROOT / "Examples" / "BehindProxy"
PROXIES = ("nginx", "caddy")


class RecordingApp:
    """An app that keeps every byte it receives."""

    def __init__(self) -> None:
        self.received: list[str] = []
        recorded = self.received

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def answer(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
                recorded.append(f"{self.requestline}\n{self.headers}{body}")
                answer = f"app: {self.command} {self.path} {body}".encode()
                self.send_response(200)
                self.send_header("Content-Length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

            do_GET = do_POST = answer

            def log_message(self, *_: object) -> None:
                """Nothing."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def fields(self) -> dict[str, list[str]]:
        """The header fields of the last request, their names as programs compare them: in small letters, `_` as `-`."""
        found: dict[str, list[str]] = {}
        for line in self.received[-1].split("\n\n")[0].splitlines()[1:]:
            name, _, value = line.partition(": ")
            found.setdefault(name.lower().replace("_", "-"), []).append(value)
        return found

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()


class Proxy:
    """A proxy with a published configuration, in which only addresses are replaced."""

    def __init__(self, kind: str, folder: Path, *, server: Server, app: int, port: int) -> None:
        file = folder / ("nginx.conf" if kind == "nginx" else "Caddyfile")
        text = (EXAMPLE / file.name).read_text()
        listening = "listen 127.0.0.1:8081" if kind == "nginx" else "http://app.localhost:8081 {"
        for published, used in (
            (listening, listening.replace("8081", str(port))),
            ("127.0.0.1:8080", f"127.0.0.1:{server.port}"),
            ("127.0.0.1:3000", f"127.0.0.1:{app}"),
        ):
            assert published in text
            text = text.replace(published, used)
        if kind == "nginx":
            assert "X-Forwarded-Host app.localhost:8081" in text
            text = text.replace("X-Forwarded-Host app.localhost:8081", f"X-Forwarded-Host app.localhost:{port}")
        file.write_text(text)
        program = shutil.which(kind, path="/usr/sbin:/usr/bin")
        assert program, f"there is no {kind}: Scripts/packages/test lists it"
        command = (
            [program, "-p", str(folder), "-c", str(file)]
            if kind == "nginx"
            else [program, "run", "--adapter", "caddyfile", "--config", str(file)]
        )
        self.start(kind, command, folder, port)

    def start(self, kind: str, command: list[str], folder: Path, port: int) -> None:
        self.log = folder / f"{kind}.log"
        environment = {"HOME": str(folder), "XDG_DATA_HOME": str(folder), "XDG_CONFIG_HOME": str(folder), "PATH": "/usr/bin"}
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(command, cwd=folder, env=environment, stdout=log, stderr=log)
        self.port = port
        try:
            wait_for(port)
        except OSError as error:
            self.stop()
            raise RuntimeError(f"{kind} does not listen:\n{self.log.read_text()}") from error

    def stop(self) -> None:
        self.process.terminate()
        try:
            self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait(30)


class TLSProxy(Proxy):
    """nginx that serves the service over https, with the certificate of a test's own."""

    def __init__(self, folder: Path, *, server: Server, certificate: Path, port: int) -> None:
        file = folder / "tls.conf"
        file.write_text(
            f"""daemon off; error_log stderr; pid {folder}/nginx.pid; events {{}}
            http {{
              access_log off; client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy;
              fastcgi_temp_path {folder}/fastcgi; uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
              server {{
                listen 127.0.0.1:{port} ssl;
                ssl_certificate {certificate}; ssl_certificate_key {certificate};
                location / {{ proxy_pass http://127.0.0.1:{server.port}; proxy_set_header Host $http_host; }}
              }}
            }}
            """
        )
        program = shutil.which("nginx", path="/usr/sbin:/usr/bin")
        assert program, "there is no nginx: Scripts/packages/test lists it"
        self.start("nginx", [program, "-p", str(folder), "-c", str(file)], folder, port)


def wait_for(port: int, seconds: float = 60) -> None:
    """Waits until a program listens."""
    end = time.monotonic() + seconds
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), 5).close()
            return
        except OSError:
            if time.monotonic() > end:
                raise
            time.sleep(0.05)


class AtApp:
    """A browser at the app's host: cookies of that host, the page's headers."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.host = f"app.localhost:{port}"
        self.cookies: dict[str, str] = {}

    def get(self, path: str, *more: tuple[str, str]) -> Answer:
        return self.send("GET", path, *more)

    def send(self, method: str, path: str, *more: tuple[str, str], body: bytes | None = None) -> Answer:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
        connection.putheader("Host", self.host)
        given = {name.lower() for name, _ in more}
        if "accept" not in given:
            connection.putheader("Accept", "text/html,*/*;q=0.8")
        own = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        connection.putheader("Cookie", f"theme=dark; {own}; lang=en" if own else "theme=dark; lang=en")
        for name, value in more:
            connection.putheader(name, value)
        if body is not None or method == "POST":
            connection.putheader("Content-Length", str(len(body or b"")))
        connection.endheaders(body)
        response = connection.getresponse()
        for cookie in response.headers.get_all("Set-Cookie", []):
            name, _, value = cookie.partition(";")[0].partition("=")
            self.cookies.pop(name, None)
            if value:
                self.cookies[name] = value
        answer = Answer(response.status, response.headers, response.read().decode())
        connection.close()
        return answer


class Answer:
    def __init__(self, status: int, headers: http.client.HTTPMessage, text: str) -> None:
        self.status = status
        self.location = headers.get("Location", "")
        self.text = text
