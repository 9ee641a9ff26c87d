"""Completion of item titles in real shells."""

import pytest
from test_manager_terminal import Screen

START = {
    "bash": ("PS1='bash> ' exec bash --norc --noprofile", "^bash> *$"),
    "zsh": ("PS1='zsh> ' exec zsh -f", "^zsh> *$|[#%] *$"),
    "fish": ("exec fish --no-config --private", "> *$|# *$"),
}
LOAD = {
    "bash": "PS1='% '; source ~/complete",
    "zsh": "PS1='%% '; autoload -U compinit; mkdir -p ~/f; cp ~/complete ~/f/_ward; fpath=(~/f $fpath); compinit -u -D",
    "fish": "function fish_prompt; echo '% '; end; source ~/complete",
}


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_titles_are_completed(vault, shell):
    vault.ok("add", "Bank of Ada", "--username", "ada")
    vault.ok("add", "Zebra", "--username", "zoe")
    vault.ok("add", "$(touch ran) `touch ran`; x", "--username", "eve")
    (vault.home / "complete").write_text(vault.ok("--generate-completion-script", shell))
    screen = Screen(vault, columns=100)
    try:
        command, prompt = START[shell]
        screen.run_on_empty(command)
        screen.wait_for(prompt)
        screen.type(LOAD[shell])
        screen.wait_for("^% *$")
        screen.type("ward show Zeb", enter=False)
        screen.key("Tab")
        screen.wait_for("show Zebra")
        screen.type("--field username")
        screen.wait_for("^zoe$")
        screen.type("ward edit Ba", enter=False)
        screen.key("Tab")
        screen.wait_for(r"edit Bank\\? of\\? Ada|edit 'Bank of Ada'")
        screen.type("--username bob")
        screen.wait_for("Changed Bank of Ada")
        screen.type("ward show ", enter=False)
        screen.key("Tab")
        screen.key("Tab")
        screen.wait_for("Zebra *$|Zebra  ")
        screen.key("C-c")
        assert not (vault.home / "ran").exists()
    finally:
        screen.close()


def words(vault, *line):
    """What a shell is told."""
    index = len(line) - 1
    return vault.ok("---completion", "show", "--", "item.item", str(index), str(len(line[-1])), *line).splitlines()


def test_restore_completes_titles_of_the_trash(vault):
    vault.ok("add", "Bank")
    vault.ok("add", "Bakery")
    vault.ok("remove", "Bakery")
    assert vault.ok("---completion", "restore", "--", "item", "2", "2", "ward", "restore", "Ba").split() == ["Bakery"]


def test_nothing_is_asked_and_nothing_starts_for_a_completion(vault):
    vault.ok("add", "Bank")
    assert "Bank" in words(vault, "ward", "show", "B")
    vault.ok("lock")
    asked = len(vault.asked)
    assert "Bank" not in words(vault, "ward", "show", "B")
    vault.stop()
    assert "Bank" not in words(vault, "ward", "show", "B") and not vault.socket.exists()
    assert len(vault.asked) == asked


def test_a_title_that_a_shell_acts_on_is_offered_by_its_id(vault):
    item = vault.json("add", "$(touch ran)")
    assert words(vault, "ward", "show", "") == [item["id"][:8]]
