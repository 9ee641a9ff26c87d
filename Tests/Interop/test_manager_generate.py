"""`ward generate`, and passphrases of words at `ward init`."""

import json
import os
import re
from pathlib import Path

import passwordrules
import pytest
from manager import PASSPHRASE
from test_manager_terminal import screen  # noqa: F401


def test_passwords_are_generated_without_an_item_and_without_a_vault(manager):
    one, other = manager.ok("generate").rstrip("\n"), manager.ok("generate").rstrip("\n")
    assert len(one) == len(other) == 20 and one != other
    plain = manager.ok("generate", "--length", "64", "--no-symbols").rstrip("\n")
    assert re.fullmatch(r"[0-9A-Za-z]{64}", plain)
    words = manager.json("generate", "--words", "6")
    assert len(words["value"].split(" ")) == 6 and words["bits"] == 77
    assert len(manager.ok("generate", "--words", "5", "--separator", "_").split("_")) == 5
    assert not manager.vault.exists() and not manager.socket.exists()


@pytest.mark.parametrize(
    "words",
    [
        ("--length", "7"), ("--length", "129"), ("--words", "3"), ("--words", "6", "--length", "20"), ("--separator", "-"), ("--copy", "--json"),
        ("--rules", "minlength: 9; maxlength: 8"), ("--rules", "size: 3"), ("--rules", "required: [abc"), ("--rules", "", "--length", "129"),
        ("--rules", "digits", "--readable"), ("--readable", "--length", "20"), ("--user-name", "--no-symbols"), ("--count", "0"),
        ("--count", "1001"), ("--count", "2", "--copy"),
    ],
)
def test_what_makes_no_sense_is_refused(manager, words):
    refused = manager.run("generate", *words)
    assert refused.returncode == 2 and refused.stdout in ("", refused.stdout if "--json" in words else "")


RULES = Path(os.environ.get("WARD_VECTORS", Path(__file__).parents[2].parent / "shared/vectors"), "password-manager-resources/password-rules.json")


@pytest.mark.skipif(not RULES.exists(), reason="the folder of published answers is absent")
@pytest.mark.timeout(600)
def test_passwords_for_the_rules_of_known_sites_keep_them(manager):
    sites = {site: value["password-rules"] for site, value in json.loads(RULES.read_text()).items()}
    assert len(sites) >= 434
    # Each site takes a process. Many have the same rules, and without WARD_THOROUGH a fifth of the rest stands for all.
    different = {rules: site for site, rules in sites.items()}
    for rules, site in list(different.items())[:: 1 if "WARD_THOROUGH" in os.environ else 5]:
        made = manager.json("generate", "--count", "50", "--rules", rules)
        assert len(made) == 50
        for one in made:
            assert passwordrules.problem(one["value"], rules) is None, (site, rules, one)
        # Only rules that leave few passwords make one twice.
        assert len({one["value"] for one in made}) == 50 or made[0]["bits"] < 40, (site, rules)


def test_readable_passwords_and_user_names(manager):
    readable = manager.json("generate", "--readable")
    assert re.fullmatch("[A-Za-z2-9]{6}(-[A-Za-z2-9]{6}){2}", readable["value"]) and readable["bits"] == 71
    names = manager.ok("generate", "--user-name", "--count", "20").split()
    assert len(set(names)) == 20 and all(re.fullmatch(r"[a-z]{4,20}\d\d", name) for name in names)
    assert manager.ok("generate", "--rules", "allowed: digit", "--length", "5").strip().isdecimal()


def test_a_weak_passphrase_is_refused_unless_it_is_wanted(manager):
    for weak in ("password", "Passw0rd1", "aaaaaaaaaaaa"):
        refused = manager.run("init", passphrase=weak)
        assert refused.returncode == 2 and "--weak" in refused.stderr and weak not in refused.stderr
    assert not manager.vault.exists()
    manager.ok("init", "--weak", passphrase="password")
    refused = manager.run("passphrase", passphrase="password", secrets={"--new-passphrase-fd": "passw0rd"})
    assert refused.returncode == 2 and "--weak" in refused.stderr
    manager.ok("passphrase", passphrase="password", secrets={"--new-passphrase-fd": PASSPHRASE})


def test_init_offers_six_words_which_leave_nothing_on_the_screen(manager, screen):  # noqa: F811
    screen.type("ward init")
    screen.wait_for("press Enter for 6 random words")
    screen.type("")
    shown = screen.wait_for("Press Enter, then type it")
    words = next(line.strip() for line in shown.splitlines() if re.fullmatch(r" {4}[a-z-]+( [a-z-]+){5}", line))
    screen.type("")
    screen.wait_for("^Passphrase: $|Passphrase:$")
    screen.type("not these words")
    screen.wait_for("not the passphrase")
    screen.type("")
    screen.wait_for("Press Enter, then type it")
    screen.type("")
    screen.wait_for("Passphrase:$")
    screen.type(words)
    key = re.search(r"([0-9A-Z]{4}-){4,}[0-9A-Z]{4}", screen.wait_for("Type it back")).group()
    screen.type("")
    screen.wait_for("The vault is open")
    history = screen.tmux("capture-pane", "-p", "-S", "-")
    assert words not in history and key not in history
    manager.ok("lock")
    manager.ok("unlock", passphrase=words)
