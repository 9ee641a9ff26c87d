"""Prompts on real terminals: the real pinentry-curses, narrow and wide, in the languages of the prompts."""

import json
import re
import shutil
import tempfile
from pathlib import Path

import pytest
from manager import PASSPHRASE, Manager
from test_manager_passkeys import answer, create, creation, request
from test_manager_terminal import Screen

PIN = "2580"
USE, MAKE = (f"ward passkey {word} --origin https://login.example.org < {word}.json > answer.json" for word in ("get", "create"))


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """A home with a vault, with a passkey in it, and with a PIN."""
    with tempfile.TemporaryDirectory(prefix="ward-") as place:
        one = Manager(Path(place))
        one.init()
        answer(create(one, creation()))
        done = one.run("pin", "set", passphrase=PASSPHRASE, secrets={"--pin-fd": PIN})
        assert done.returncode == 0, done.stderr
        return one.keep(tmp_path_factory.mktemp("homes") / "pinned")


@pytest.fixture
def asked(manager, home):
    """An open vault with a passkey and a PIN; returns a way to run a command on a terminal of a size, in a language."""
    if not (program := shutil.which("pinentry-curses")) or not shutil.which("tmux"):
        pytest.skip("needs pinentry-curses and tmux")
    manager.settings["WARD_PINENTRY"] = program
    manager.begin(home)
    manager.ok("unlock", passphrase=PASSPHRASE)
    (manager.home / "get.json").write_text(json.dumps(request(userVerification="required")))
    (manager.home / "create.json").write_text(json.dumps(creation(user=b"user-2", name="bob")))
    screens = []

    def begin(command, columns=80, lines=24, language="en_GB"):
        # The characters of every language can be shown, and none has to be installed.
        words = {"LC_ALL": "", "LC_CTYPE": "C.UTF-8", "LC_MESSAGES": f"{language}.UTF-8"}
        screens.append(Screen(manager, columns=columns, lines=lines, **words))
        screens[-1].type(f"{command}; echo ended $?")
        return screens[-1]

    yield begin
    for screen in screens:
        screen.close()


def sentences(shown):
    """What is in the box, without its frame and breaks."""
    return "".join(re.sub(r"[│┌┐└┘─\s]", "", line) for line in shown.splitlines())


@pytest.mark.parametrize(
    ("columns", "language", "empty", "wrong", "unlocked"),
    [
        (80, "en_GB", "Leaveitemptytotypeyourpassphraseinstead.", "WrongPIN:4triesareleft.", "Typeyourpassphrasetoshowthatitisyou."),
        (40, "ja_JP", "空のまま進むと、代わりにパスフレーズを入力できます。", "PINが違います（残り4回）。", "本人確認のため、パスフレーズを入力してください。"),
        (40, "ko_KR", "비워두면대신암호구문을입력할수있습니다.", "PIN이틀렸습니다(4회남음).", "본인확인을위해암호구문을입력하세요."),
        (40, "zh_CN", "留空则改为输入密码短语。", "PIN错误（还可以试4次）。", "请输入密码短语，以确认是您本人。"),
    ],
)
def test_a_pin_may_be_left_empty_and_what_was_wrong_is_shown_whole(asked, columns, language, empty, wrong, unlocked):
    screen = asked(USE, columns, 30, language)
    shown = screen.wait_for("PIN _")
    assert empty in sentences(shown) and wrong not in sentences(shown)
    screen.type("1111")
    while wrong not in sentences(shown):
        shown = screen.wait_for("PIN _")
    screen.type("")
    while unlocked not in sentences(shown):
        shown = screen.wait_for("└")
    screen.type(PASSPHRASE)
    screen.wait_for("ended 0")


@pytest.mark.parametrize(
    ("language", "columns", "agree", "short"),
    [
        ("en_GB", 40, "<Make passkey>", "<Yes>"), ("ja_JP", 60, "<パスキーを作成>", "<はい>"),
        ("ko_KR", 48, "<패스키 만들기>", "<예>"), ("zh_CN", 48, "<创建通行密钥>", "<是>"),
    ],
)  # fmt: skip
def test_on_a_narrow_terminal_the_buttons_have_short_words(asked, language, columns, agree, short):
    wide = asked(MAKE, 100, 24, language)
    assert agree in wide.wait_for("└─")
    wide.type(PIN)
    wide.wait_for("ended 0")
    narrow = asked(MAKE, columns, 34, language)
    assert short in narrow.wait_for("└─")
    narrow.type(PIN)
    narrow.wait_for("ended 0")


def test_a_terminal_on_which_nothing_fits_is_an_error_that_says_so(asked, manager):
    manager.ok("lock")
    screen = asked("ward list", 40, 8)
    screen.wait_for("ended [1-9]")
    assert "Your terminal is too small" in " ".join(screen.text().split())
