"""The terminal as a person sees it: real pinentry, real keys, a screen of 80 columns in tmux."""

import itertools
import os
import re
import shlex
import shutil
import subprocess
import time

import pytest
from manager import PASSPHRASE

_numbers = itertools.count()


class Screen:
    """A terminal with a shell in it."""

    def __init__(self, manager, columns=80, lines=24, **environment):
        self.server = f"ward-{os.getpid()}-{next(_numbers)}"
        settings = {**manager.environment, "TERM": "tmux-256color", "PS1": "$ ", **environment}
        settings.pop("NO_COLOR", None)
        settings["PATH"] = f"{manager.binary.parent}:{settings['PATH']}"
        words = " ".join(f"{name}={shlex.quote(value)}" for name, value in settings.items())
        self.tmux(
            "-f", "/dev/null", "new-session", "-d", "-x", str(columns), "-y", str(lines),
            f"cd {manager.home} && exec env -i {words} bash --norc --noprofile",
        )  # fmt: skip
        self.wait_for(r"^\$ *$")

    def tmux(self, *words):
        done = subprocess.run(["tmux", "-L", self.server, *words], capture_output=True, text=True, timeout=20)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def type(self, text, enter=True):
        if text:
            self.tmux("send-keys", "-l", "--", text)
        if enter:
            self.tmux("send-keys", "Enter")

    def run_on_empty(self, command):
        """Runs a command on an empty screen, where nothing of the command before it can be taken for its own output."""
        self.tmux("send-keys", "-R")
        self.type(command)

    def key(self, name):
        self.tmux("send-keys", name)

    def text(self):
        return self.tmux("capture-pane", "-p").rstrip()

    @staticmethod
    def sentences(text):
        """A box's text without its frame and its line breaks, which depend on how long a path is."""
        return " ".join(line.strip("│ ") for line in text.splitlines())

    def coloured(self):
        return self.tmux("capture-pane", "-p", "-e")

    def wait_for(self, pattern, seconds=30):
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            shown = self.text()
            if re.search(pattern, shown, re.MULTILINE):
                return shown
            time.sleep(0.05)
        raise AssertionError(f"{pattern!r} did not appear in:\n{self.text()}")

    def close(self):
        subprocess.run(["tmux", "-L", self.server, "kill-server"], capture_output=True, timeout=20)


@pytest.fixture
def screen(manager):
    # The real one, for the agent too.
    manager.settings["WARD_PINENTRY"] = shutil.which("pinentry-curses") or "pinentry-curses"
    one = Screen(manager)
    yield one
    one.close()


def test_a_first_day_at_the_terminal(manager, screen):
    screen.type("ward init")
    screen.wait_for("Passphrase:")
    screen.type("password")
    screen.wait_for("Too weak")
    screen.wait_for("Passphrase: *$")
    screen.type(PASSPHRASE)
    screen.wait_for("Again:")
    assert PASSPHRASE not in screen.text()
    screen.type(PASSPHRASE)
    shown = screen.wait_for("Type it back")
    key = re.search(r"([0-9A-Z]{4}-){4,}[0-9A-Z]{4}", shown).group()
    screen.type(key[:-1] + ("A" if key[-1] != "A" else "B"))
    screen.wait_for("is wrong: compare")
    screen.type(key)
    screen.wait_for("typed the recovery key back")
    assert max(map(len, screen.text().splitlines())) <= 80

    screen.run_on_empty("ward add Example --site https://example.com --username alice --generate")
    screen.wait_for("Added Example")
    screen.run_on_empty("ward list; ward show Example")
    shown = screen.wait_for("Changed")
    assert "••••••••" in shown and re.search(r"Example +alice +example\.com +password", shown)


def test_a_locked_vault_asks_in_pinentrys_own_screen(manager, screen):
    manager.init()
    manager.ok("add", "Example", "--otpauth", "-", text="otpauth://totp/Bank:ada?secret=JBSWY3DPEHPK3PXP&issuer=Bank")
    manager.ok("lock")
    screen.type("ward code example")
    shown = screen.sentences(screen.wait_for("Passphrase"))
    assert "Your vault is locked." in shown and "read a verification code" in shown and "<Unlock>" in shown
    screen.type("wrong")
    screen.wait_for("1 of 3 tries")
    screen.type(PASSPHRASE)
    screen.wait_for(r"\d{3} \d{3}  ▰+▱* \d+ s  Example, ada")


def test_the_prompt_for_a_passkey_names_site_account_and_caller(manager, screen):
    import json

    manager.init()
    options = manager.home / "options.json"
    options.write_text(json.dumps({
        "rp": {"id": "example.com", "name": "Totally Your Bank"}, "user": {"id": "dXNlcg", "name": "ada", "displayName": "Ada"},
        "challenge": "Y2hhbGxlbmdlLWNoYWxsZW5nZQ", "pubKeyCredParams": [{"type": "public-key", "alg": -7}],
        "authenticatorSelection": {"userVerification": "required"},
    }))  # fmt: skip
    screen.type("ward passkey create --origin https://example.com < options.json > response.json && echo made")
    shown = screen.sentences(screen.wait_for("<Make passkey>"))
    assert "Make a passkey for ada at example.com?" in shown and 'ward" (' in shown
    assert "Totally" not in shown, "the site's own name for itself proves nothing"
    screen.type(PASSPHRASE)
    screen.wait_for("^made$")
    screen.run_on_empty("ward passkey create --origin https://example.com < options.json")
    screen.wait_for("<Make passkey>")
    for name in ("Tab", "Tab", "Enter"):
        screen.key(name)
        time.sleep(0.2)
    screen.wait_for("NotAllowedError")


def test_tables_fit_the_terminal_and_colour_obeys_no_color(manager):
    manager.init()
    manager.ok("add", "A very long title that goes on and on and does not want to end", "--username", "someone.with.a.long.name@example.com", "--site", "https://a-rather-long-host-name.example.com")
    manager.ok("add", "日本語のとても長い題名がここにあります", "--username", "アリス", "--favorite")
    for columns in (40, 80, 120):
        screen = Screen(manager, columns=columns)
        try:
            screen.type("ward list")
            shown = screen.wait_for("★")
            rows = [line for line in shown.splitlines() if "★" in line or "A very" in line or line.startswith("Title")]
            assert len(rows) == 3, shown
            assert "\x1b[" in screen.coloured()
        finally:
            screen.close()
    plain = Screen(manager, NO_COLOR="1")
    try:
        plain.tmux("send-keys", "-l", "export NO_COLOR=1; clear; ward list")
        plain.tmux("send-keys", "Enter")
        plain.wait_for("★")
        assert "\x1b[2m" not in plain.coloured()
    finally:
        plain.close()


def test_ctrl_c_at_a_question_puts_the_terminal_back(manager, screen):
    screen.type("ward init")
    screen.wait_for("Passphrase:")
    screen.key("C-c")
    screen.wait_for("Cancelled")
    screen.type("stty -a | grep -o ' echo '")
    screen.wait_for("^ ?echo")
    assert not manager.vault.exists()


def test_ctrl_c_at_a_prompt_gives_the_terminal_back_before_the_shell(manager, screen):
    manager.init()
    manager.ok("lock")
    for _ in range(3):
        screen.run_on_empty("ward list; echo status=$? echo=$(stty -a </dev/tty | grep -c ' echo ')")
        screen.wait_for("Passphrase")
        screen.key("C-c")
        shown = screen.wait_for(r"^status=\d+ echo=1")
        assert "Your vault is locked" not in shown and re.search(r"status=(130|5) ", shown), shown
