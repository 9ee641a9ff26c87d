"""Real Git, with ward as its credential helper."""

import base64
import os
import subprocess
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest


@pytest.fixture
def git(vault):
    folder = vault.folder / "bin"
    folder.mkdir()
    (folder / "git-credential-ward").symlink_to(vault.binary)
    vault.settings.update(
        PATH=f"{folder}:{os.environ['PATH']}", GIT_TERMINAL_PROMPT="0", GIT_CONFIG_NOSYSTEM="1", GIT_ASKPASS="", SSH_ASKPASS="",
        GIT_CONFIG_GLOBAL=str(vault.home / "gitconfig"),
    )  # fmt: skip
    (vault.home / "gitconfig").write_text("[credential]\n\thelper = ward\n")

    def run(*words, text="", status=0):
        done = subprocess.run(["git", *words], input=text, capture_output=True, text=True, env=vault.environment, timeout=60, cwd=vault.home)
        assert done.returncode == status, (done.stdout, done.stderr)
        return done

    vault.git = run
    return vault


def fill(git, text, **options):
    return dict(line.split("=", 1) for line in git.git("credential", "fill", text=text, **options).stdout.splitlines())


def test_git_gets_the_password_of_the_site_and_of_no_other(git):
    git.ok("add", "Forge", "--site", "https://forge.example", "--username", "ada", secrets={"--password-fd": "p w=1"})
    found = fill(git, "protocol=https\nhost=forge.example\n\n")
    assert (found["username"], found["password"]) == ("ada", "p w=1")
    assert fill(git, "protocol=https\nhost=git.forge.example\npath=x.git\n\n")["password"] == "p w=1"
    for other in ("protocol=http\nhost=forge.example\n\n", "protocol=https\nhost=evil-forge.example\n\n", "protocol=https\nhost=forge.example\nusername=bob\n\n", "protocol=ssh\nhost=forge.example\n\n"):
        refused = git.git("credential", "fill", text=other, status=128)
        assert "p w=1" not in refused.stdout + refused.stderr
    git.ok("add", "Forge of work", "--site", "https://forge.example", "--username", "bob", secrets={"--password-fd": "other"})
    several = git.git("credential", "fill", text="protocol=https\nhost=forge.example\n\n", status=128)
    assert "several accounts" in several.stderr
    assert fill(git, "protocol=https\nhost=forge.example\nusername=bob\n\n")["password"] == "other"


def test_what_a_server_accepted_is_saved_and_what_it_refused_is_kept(git):
    said = "protocol=https\nhost=new.example\nusername=ada\npassword=one\n\n"
    git.git("credential", "approve", text=said)
    (item,) = git.json("list")
    assert (item["title"], item["username"], item["sites"]) == ("new.example", "ada", ["https://new.example"])
    git.git("credential", "approve", text=said)
    assert len(git.json("history", "new.example")["revisions"]) == 1
    git.git("credential", "approve", text=said.replace("=one", "=two"))
    assert git.ok("show", "new.example", "--field", "password") == "two\n"
    refused = git.git("credential", "reject", text=said.replace("=one", "=two"))
    assert "refused the password" in refused.stderr and git.ok("show", "new.example", "--field", "password") == "two\n"


class Forge(BaseHTTPRequestHandler):
    """A server of one empty repository, for those who know the password."""

    def do_GET(self):
        if self.headers.get("Authorization") != "Basic " + base64.b64encode(b"ada:let me in").decode():
            self.send_response(401)
            self.send_header("WWW-Authenticate", 'Basic realm="forge"')
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        flush = b"001e# service=git-upload-pack\n0000"
        refs = b"0" * 40 + b" capabilities^{}\0agent=test\n"
        body = flush + f"{len(refs) + 4:04x}".encode() + refs + b"0000"
        self.send_response(200)
        self.send_header("Content-Type", "application/x-git-upload-pack-advertisement")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format, *args):
        pass


def test_git_signs_in_at_a_server(git):
    server = ThreadingHTTPServer(("127.0.0.1", 0), Forge)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        address = f"http://127.0.0.1:{server.server_port}/repository.git"
        assert "could not read Username" in git.git("ls-remote", address, status=128).stderr
        git.ok("add", "Local", "--site", f"http://127.0.0.1:{server.server_port}", "--username", "ada", secrets={"--password-fd": "let me in"})
        git.git("ls-remote", address)
    finally:
        server.shutdown()
