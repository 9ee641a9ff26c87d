"""Names, links, files and servers that try to drive the terminal: every byte that reaches one is looked at."""

from __future__ import annotations

import json
import re
import subprocess
from urllib.parse import quote

from manager import PASSPHRASE, Manager, Pty

# Sets the clipboard, clears the screen, colours, C1 as UTF-8, DEL, turns the direction around, breaks the line.
EVIL = "\x1b]52;c;ZXZpbA==\x07\x1b[2J\x1b[1;1H\x1b[8m\u009b2J\x7f\u202eon\u2066\u2069\u200e\u200f\u061c\u2028\u2029\r\nError: all is well"
ACTS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u200e\u200f\u061c\u2028\u2029]")


def shown(vault: Manager, *words: str, colour: bool = False) -> str:
    """What a command writes to a terminal; only its own styles may be anything but characters."""
    settings = dict(vault.settings)
    if colour:
        vault.settings["NO_COLOR"] = ""
    terminal = Pty(vault, *words)
    terminal.end()
    terminal.close()
    vault.settings = settings
    text = terminal.got.decode()
    # The terminal itself makes a carriage return of each line feed.
    rest = re.sub(r"\x1b\[(0|1|2|31|32|33)m", "", text).replace("\r\n", "\n")
    assert not ACTS.search(rest), (words, text)
    return rest


def options(name: str, rp_id: str = "example.com") -> str:
    return json.dumps({
        "rp": {"id": rp_id, "name": name}, "user": {"id": "dXNlcg", "name": "ada" + EVIL, "displayName": "Ada" + EVIL},
        "challenge": "Y2hhbGxlbmdlLWNoYWxsZW5nZQ", "pubKeyCredParams": [{"type": "public-key", "alg": -7}],
    })  # fmt: skip


def test_a_sites_name_becomes_a_title_in_which_nothing_acts(vault):
    vault.answers(PASSPHRASE)
    vault.ok("passkey", "create", "--origin", "https://example.com", text=options("Bank" + EVIL + "👩\u200d💻"))
    (item,) = vault.json("list")
    assert item["title"] == "Bank]52;c;ZXZpbA==[2J[1;1H[8m2Jon" + "    " + "Error: all is well👩\u200d💻"
    for words in (("list",), ("show", item["id"]), ("show", item["id"], "--reveal"), ("passkey", "list"), ("history", item["id"])):
        for colour in (False, True):
            shown(vault, *words, colour=colour)
    assert json.loads(shown(vault, "show", item["id"], "--json"))["username"] == "ada" + EVIL
    vault.answers(PASSPHRASE)
    vault.ok("passkey", "create", "--origin", "https://example.org", text=options(EVIL[:1], "example.org"))
    assert "example.org" in [item["title"] for item in vault.json("list")], "a name that is empty after cleaning is not used"


def test_links_and_titles_of_a_persons_own(vault):
    link = vault.home / "link"
    link.write_text(f"otpauth://totp/{quote('Bank' + EVIL)}:{quote('ada' + EVIL)}?secret=JBSWY3DPEHPK3PXP&issuer={quote('Bank' + EVIL)}")
    assert "Added Bank" in shown(vault, "add", "--codes", str(link))
    assert not ACTS.search(vault.json("list")[0]["title"])
    for words in (("code", "bank"), ("show", "bank", "--reveal"), ("edit", "bank", "--username", EVIL), ("remove", "bank")):
        shown(vault, *words)
    assert "Added Own" in shown(vault, "add", "Own" + EVIL, "--username", EVIL, "--tag", EVIL, "--field", f"{EVIL}={EVIL}")
    shown(vault, "show", "Own", "--reveal", colour=True)
    assert vault.run("add", "\x1b\x07").returncode == 2, "nothing is left of the title"


def test_words_and_paths_come_back_in_errors_without_acting(vault):
    for words in (
        ("show", EVIL), ("add", "X", "--otpauth", EVIL), ("add", "X", "--notes", "/" + EVIL), ("add", "X", "--kind", EVIL),
        (EVIL,), ("list", "--" + EVIL), ("list", "--kind", EVIL), ("inspect", "registration", EVIL), ("inspect", "options", EVIL),
        ("inspect", "cbor", "--" + EVIL), ("inspect", "certificate", "/" + EVIL), ("apps", "add", "/" + EVIL, "--id", EVIL),
        ("providers", "enable", EVIL), ("passkey", "remove", EVIL), ("agent", "--log-level", EVIL), ("help", EVIL),
        ("list", "--no-prompt", "--json", "--" + EVIL),
    ):  # fmt: skip
        assert shown(vault, *words)


def test_what_others_send_is_inspected_without_acting(vault):
    folder = vault.home
    for name, text in {
        "options": options("Bank" + EVIL),
        "registration": json.dumps({"id": EVIL, "rawId": "AA", "type": EVIL, "response": {"clientDataJSON": "e30", "attestationObject": "oA"}}),
        "cbor": "a1" + "78" + f"{len(EVIL.encode()):02x}" + EVIL.encode().hex() + "01",
    }.items():
        (folder / name).write_text(text)
        for flags in ((), ("--json",), ("--json", "--full")):
            assert shown(vault, "inspect", name, str(folder / name), *flags)
    # What a server asks is refused with its own words.
    (folder / "bad").write_text(options("Bank", "evil" + EVIL))
    terminal = Pty(vault, "passkey", "create", "--origin", "https://example.com" + EVIL)
    terminal.type(options("Bank", "evil" + EVIL) + "\n\x04\x04")
    assert terminal.end() != 0
    assert not ACTS.search(terminal.got.split(b"Error")[-1].decode().replace("\r\n", "\n"))
    terminal.close()


def test_a_question_shows_its_label_and_what_is_typed_without_acting(vault):
    terminal = Pty(vault, "add", "X", "--secret-field", "PIN" + EVIL)
    terminal.wait_for(b": ")
    terminal.type("1234\r")
    assert terminal.end() == 0
    terminal.close()
    text = terminal.got.decode().replace("\r\n", "\n")
    assert "PIN" in text and not ACTS.search(text), text


def test_a_value_goes_into_a_pipe_byte_for_byte_and_to_a_terminal_as_it_can_be_shown(vault):
    secret = "päss\x1b]52;c;ZXZpbA==\x07\u009b\u202ewörd\t!"
    vault.ok("add", "Example", secrets={"--password-fd": secret})
    assert vault.ok("show", "Example", "--field", "password") == secret + "\n"
    text = shown(vault, "show", "Example", "--field", "password")
    assert "päss\ufffd]52" in text and "wörd\t!" in text and "cannot be shown here" in text
    plain = shown(vault, "show", "Example", "--field", "title")
    assert plain == "Example\n", "nothing is said where nothing was left out"


def test_the_agents_log_names_programs_without_acting(vault):
    vault.stop()
    program = vault.folder / "ward\x1b]52;c;ZXZpbA==\x07\u009b2J\u202e"
    program.write_bytes(vault.binary.read_bytes())
    program.chmod(0o755)
    vault.settings["WARD_MANAGERS"] = str(program)
    agent = Pty(vault, "agent")
    agent.wait_for(b"listening")
    add = [program, "apps", "add", "/bin/true", "--id", "com.example.true", "--yes"]
    done = subprocess.run(add, env=vault.environment, capture_output=True, timeout=60)
    assert done.returncode == 0, done
    agent.wait_for(b"52;c;")
    vault.stop()
    agent.end()
    agent.close()
    assert not ACTS.search(agent.got.decode().replace("\r\n", "\n"))
