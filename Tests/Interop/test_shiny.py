"""Shiny, the sample app: its terminal as a person sees it, and its walk with the real agent and the real service."""

import os
import re
import signal
import subprocess
import time
from pathlib import Path

import pytest
from manager import PASSPHRASE
from test_manager_terminal import Screen
from wardserver import find_binary, free_port



def shiny():
    return str(find_binary().with_name("Shiny"))


@pytest.fixture
def nobody():
    """An address where no service is."""
    return f"http://localhost:{free_port()}"


@pytest.fixture
def terminal(manager, nobody):
    """Shiny at a terminal, with neither agent nor service."""
    manager.settings["PATH"] = f"{Path(shiny()).parent}:{os.environ['PATH']}"
    screen = Screen(manager)
    screen.type(f"Shiny {nobody}")
    screen.wait_for(r"Choose: *$")
    yield screen
    screen.close()


def test_an_app_links_neither_the_vault_s_libraries_nor_the_list_of_public_suffixes():
    linked = subprocess.run(["ldd", shiny()], capture_output=True, text=True, timeout=60, check=True).stdout
    assert "libc.so" in linked
    assert not re.findall(r"lib(?:psl|sodium|sqlite3|zbar|gd)\.so", linked), linked


# What is typed and not in the menu comes back in a sentence, which shows what the line held.


@pytest.mark.parametrize(
    "keys, line",
    [
        (["héllo", "Left", "Left", "BSpace", "L"], "héllo"),
        (["ab日本cd", "Home", "DC", "End", "BSpace"], "b日本c"),
        (["one two three", "C-w", "C-a", "C-Right", "!"], "one! two"),
        (["secret", "C-u", "🦊🦊", "Left", "x"], "🦊x🦊"),
        (["abc", "C-a", "C-k", "d", "C-e", "e"], "de"),
        (["x", "Escape", "y"], "xy"),
        (["a", "Up", "Down", "Tab", "BTab", "F5", "PPage", "b"], "ab"),
        (["long " * 30], " ".join(["long"] * 30)),
    ],
    ids=lambda value: None if isinstance(value, list) else value[:20],
)
def test_a_line_is_edited_with_the_usual_keys(terminal, keys, line):
    names = {"Left", "Right", "Up", "Down", "Home", "End", "BSpace", "DC", "Tab", "BTab", "Escape", "F5", "PPage", "C-Right"}
    for key in keys:
        if key in names or re.fullmatch("C-[a-z]", key):
            terminal.key(key)
        else:
            terminal.tmux("send-keys", "-l", key)
        if key == "Escape":
            # Escape and a letter in one go are another key.
            terminal.wait_for("Choose: x")
    terminal.key("Enter")
    shown = terminal.wait_for("There is no ")
    assert f"There is no {line.lower()} here." in " ".join(shown.split()), shown


def test_a_paste_with_line_breaks_enters_nothing(terminal):
    terminal.tmux("set-buffer", "two\nlines")
    terminal.tmux("paste-buffer", "-p")
    terminal.wait_for("Choose: two lines$")
    terminal.key("Enter")
    terminal.wait_for("There is no two lines here")


@pytest.mark.parametrize("columns", [40, 80, 120])
def test_it_fits_the_terminal_and_obeys_no_color(manager, nobody, columns):
    screen = Screen(manager, columns=columns)
    try:
        screen.type(f"{shiny()} {nobody}")
        screen.wait_for("Choose:")
        # Nothing goes on in the next line: the menu has one line for each choice.
        assert len(re.findall(r"^   [1-6q]  ", screen.text(), re.MULTILINE)) == 7
        assert all(line.startswith("  ") for line in screen.text().splitlines() if line)
        assert "\x1b[1m" in screen.coloured()
        # No colour is named, so that it reads on light and dark ground alike.
        assert not re.search(r"\x1b\[(3|4|9|10)[0-8]", screen.coloured())
        screen.type("q")
        screen.wait_for(r"^\$ *$")
        screen.type("export NO_COLOR=1; clear")
        screen.wait_for(r"\A\$ *$")
        screen.type(f"{shiny()} {nobody}")
        screen.wait_for("Choose:")
        assert "\x1b[1m" not in screen.coloured()
    finally:
        screen.close()


def test_without_a_service_it_says_so(terminal, nobody):
    terminal.type("3")
    assert f"Nobody answers at {nobody}" in " ".join(terminal.wait_for("✗").split())


def settings_of(screen):
    """How the terminal is set, read by somebody else."""
    screen.run_on_empty("stty -a | tr ' ' '\\n' | grep -E '^-?(echo|icanon|isig|icrnl|iexten);?$' | tr -d ';' | sort | xargs echo modes:")
    return re.search(r"^modes: (.*)$", screen.wait_for(r"^modes: "), re.MULTILINE).group(1)


@pytest.mark.parametrize("ending", ["C-c", "C-d", "q", signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGQUIT])
def test_the_terminal_is_put_back_however_it_ends(manager, nobody, ending):
    screen = Screen(manager)
    try:
        before = settings_of(screen)
        assert before == "echo icanon icrnl iexten isig"
        # Without the Swift runtime's own questions after a signal that asks for a core.
        screen.run_on_empty(f"SWIFT_BACKTRACE=enable=no {shiny()} {nobody}")
        screen.wait_for("Choose:")
        if ending == "q":
            screen.type("q")
        elif isinstance(ending, str):
            screen.key(ending)
        else:
            found = subprocess.run(["pgrep", "-f", f"{shiny()} {nobody}"], capture_output=True, text=True, timeout=20)
            for pid in found.stdout.split():
                if os.readlink(f"/proc/{pid}/exe") == os.path.realpath(shiny()):
                    os.kill(int(pid), ending)
        screen.wait_for(r"^\$ *$")
        assert settings_of(screen) == before
    finally:
        screen.close()


def test_ctrl_z_leaves_it_for_the_shell_and_fg_comes_back(manager, nobody):
    screen = Screen(manager)
    try:
        screen.type(f"set -m; clear; {shiny()} {nobody}")
        screen.wait_for("Choose:")
        screen.tmux("send-keys", "-l", "abc")
        screen.wait_for("Choose: abc")
        screen.key("C-z")
        screen.wait_for("Stopped")
        assert settings_of(screen) == "echo icanon icrnl iexten isig"
        screen.type("fg")
        screen.wait_for("Choose: abc")
        screen.type("d")
        screen.wait_for("There is no abcd here")
    finally:
        screen.close()


def test_where_there_is_no_terminal_lines_are_read_as_they_are(manager, nobody):
    done = subprocess.run(
        [shiny(), nobody], input="nothing\nq\n", capture_output=True, text=True, timeout=60, env=manager.environment, start_new_session=True
    )
    assert done.returncode == 0, done
    assert "There is no nothing here." in done.stdout and "\x1b" not in done.stdout
    ended = subprocess.run(
        [shiny(), nobody], input="", capture_output=True, text=True, timeout=60, env=manager.environment, start_new_session=True
    )
    assert ended.returncode == 0, ended


def test_what_is_no_address_is_refused(manager):
    done = subprocess.run([shiny(), "localhost"], capture_output=True, text=True, timeout=60, env=manager.environment)
    assert done.returncode == 2 and done.stderr.startswith("usage: Shiny")


# The walk: the real agent, the real service, a pinentry that answers as it is told.

PASSWORD = "correct horse battery"


class Walk:
    """Somebody with a vault in front of Shiny."""

    def __init__(self, manager, server):
        self.manager, self.server = manager, server
        self.screen = Screen(manager)
        self.screen.type(f"{shiny()} {server.url}")
        self.screen.wait_for("signed out")

    def choose(self, number, *lines, answers=()):
        """A choice of the menu, with what is typed at the questions that follow."""
        self.manager.answers(*answers)
        self.screen.wait_for("Choose: *$")
        self.screen.type(number)
        for prompt, text in lines:
            self.screen.wait_for(f"{prompt}: *$")
            self.screen.type(text)

    def sees(self, pattern):
        return self.screen.wait_for(pattern)

    def sign_out(self):
        self.choose("4")
        self.sees("Signed out.")

    def asked(self):
        return [question["SETDESC"] for question in self.manager.asked]


@pytest.fixture
def walk(manager, start):
    manager.init()
    one = Walk(manager, start(arguments=("--origin", "https://localhost")))
    yield one
    one.screen.close()


def test_an_account_with_a_passkey_and_every_way_to_sign_in_with_it(walk):
    walk.choose("5", ("User name", "ada"), answers=[PASSPHRASE])
    walk.sees("The account is made")
    assert "Hello, ada." in walk.screen.text()
    assert "Make a passkey for ada at localhost?" in walk.asked()[0]
    walk.sign_out()

    # What is on this computer comes without a form.
    walk.choose("1", answers=[PASSPHRASE])
    walk.sees("Signed in with a passkey")
    walk.sign_out()

    # The bar under the user name; nobody is asked before something is picked.
    before = len(walk.asked())
    walk.choose("2")
    walk.sees(r"⌨  ada · passkey +Tab chooses$")
    assert len(walk.asked()) == before
    walk.manager.answers(PASSPHRASE)
    walk.screen.key("Tab")
    walk.sees(r"⌨ \[ada · passkey\]")
    walk.screen.key("Enter")
    walk.sees("Signed in with a passkey")
    walk.sign_out()

    # The passkeys of one account; somebody else's are not offered.
    walk.choose("4", ("User name", "ada"), answers=[PASSPHRASE])
    walk.sees("Signed in with a passkey")
    walk.sign_out()
    walk.choose("4", ("User name", "nobody"), answers=[PASSPHRASE])
    walk.sees("Nothing was done|✗")
    assert "Hello" not in walk.screen.text()


def test_with_nothing_on_this_computer_the_form_comes_without_a_word(walk):
    walk.choose("1")
    walk.sees("User name: *$")
    assert walk.asked() == []
    walk.screen.key("C-c")
    walk.sees("Nothing was done")


def test_who_closes_the_prompt_after_a_pick_is_back_in_the_field(walk):
    walk.choose("5", ("User name", "ada"), answers=[PASSPHRASE])
    walk.sees("The account is made")
    walk.sign_out()
    walk.choose("2", answers=["cancel"])
    for key in ("Tab", "Enter"):
        walk.sees("ada · passkey")
        walk.screen.key(key)
    walk.sees(r"User name: *\n +⌨  ada · passkey +Tab chooses$")
    # For two seconds after a no the app is refused without a prompt.
    time.sleep(2.5)
    walk.manager.answers(PASSPHRASE)
    for key in ("Tab", "Enter"):
        walk.screen.key(key)
    walk.sees("Signed in with a passkey")


def test_a_password_that_was_filled_becomes_a_passkey_by_itself(walk):
    walk.choose("6", ("User name", "grace"), ("New password", PASSWORD))
    walk.sees("Sign in without a password next time")
    walk.screen.type("n")
    walk.sees("Passkeys  none")
    walk.sign_out()

    # Typed, the password upgrades nothing: there is an offer instead.
    walk.choose("2", ("User name", "grace"), ("Password", PASSWORD))
    walk.sees("Sign in without a password next time")
    walk.screen.type("n")
    walk.sees("Signed in with a password")
    walk.sign_out()

    walk.manager.ok(
        "add", "Service", "--site", "http://localhost", "--username", "grace", secrets={"--password-fd": PASSWORD}
    )
    walk.choose("2", answers=["ok"])
    walk.sees("grace · password")
    before = len(walk.asked())
    for key in ("Tab", "Enter"):
        walk.screen.key(key)
    walk.sees("A passkey was added")
    assert len(walk.asked()) == before + 1, "the password is asked for, and the passkey is not"
    assert PASSWORD not in walk.screen.text()
    walk.sign_out()

    # Now a sheet has both: the passkey first, the password for who wants another.
    walk.choose("3", answers=["ok", PASSPHRASE])
    walk.sees("Signed in with a passkey")
    walk.sign_out()
    walk.choose("3", answers=["no", "ok"])
    walk.sees("Signed in with a password")

    # A password alone takes nothing from an account that has a passkey.
    walk.choose("3")
    walk.sees("A password alone is not enough")
    walk.sign_out()
    walk.choose("3", answers=["ok", PASSPHRASE])
    walk.sees("Signed in with a passkey")
    # Something must lead back in when the passkey is lost.
    walk.choose("3", answers=[PASSPHRASE])
    walk.sees("nothing leads back")
    walk.choose("5")
    walk.sees("Press Return when you have them")
    assert len(re.findall(r"^ {3}\S+-\S+$", walk.screen.text(), re.MULTILINE)) == 10
    walk.screen.type("")
    walk.sees("The recovery codes are made")
    walk.choose("3")
    walk.sees("The password is removed")
    assert "Password  none" in walk.screen.text()


def test_the_offer_makes_a_passkey_and_it_can_be_deleted(walk):
    walk.choose("6", ("User name", "grace"), ("New password", PASSWORD), answers=[PASSPHRASE])
    walk.sees("Sign in without a password next time")
    walk.screen.type("")
    walk.sees("The passkey is added")
    walk.sign_out()
    walk.choose("1", answers=[PASSPHRASE])
    walk.sees("Signed in with a passkey")
    # The vault has one for this account already; the service says so after it has seen who asks.
    walk.choose("1", answers=[PASSPHRASE, "ok"])
    walk.sees("✗")
    assert "A password alone" not in walk.screen.text()
    walk.sign_out()
    walk.choose("1", answers=["ok"])
    walk.sees("Signed in with a passkey")
    # The sign-in needed no passphrase while the vault was open; this does.
    walk.choose("2", ("Which", "1"), answers=[PASSPHRASE])
    walk.sees("The passkey is deleted")
    # The manager was told: it offers the passkey no more.
    walk.choose("1")
    walk.sees("User name: *$")


def test_a_strong_password_is_made_kept_and_upgraded_at_once(walk):
    walk.choose("6", ("User name", "grace"), answers=["ok"])
    walk.sees("strong password")
    before = len(walk.asked())
    for key in ("Tab", "Enter"):
        walk.screen.key(key)
    walk.sees("A passkey was added")
    walk.sees("Hello, grace")
    assert len(walk.asked()) == before + 1, "for the password alone"
    (kept,) = walk.manager.json("list")
    assert (kept["username"], kept["passkeys"]) == ("grace", 1), "the manager keeps what it made, in one place"
