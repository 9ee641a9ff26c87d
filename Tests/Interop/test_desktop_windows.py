"""The window that a program of the desktop names: prompts belong to it, and it never chooses the display."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from desktop import Desktop
from manager import Manager
from test_desktop_portal import CREATE, GET, ORIGIN, QUIET, Desk
from test_manager_passkeys import creation, request

WANTED = request(userVerification="discouraged")


class Room(Desk):
    """A desk whose agent shows prompts on a display, beside which there is another one."""

    def __init__(self, manager: Manager) -> None:
        self.screen, self.other = Desktop(), Desktop()
        manager.settings["DISPLAY"] = self.screen.display
        super().__init__(manager)
        # The pinentry also writes down where it was told to appear.
        told = manager.pinentry.with_name("pinentry-told")
        manager.pinentry.rename(told)
        manager.pinentry.write_text(f'#!/bin/sh\necho "$DISPLAY $@" >> {manager.folder}/displays\nexec {told} "$@"\n')
        manager.pinentry.chmod(0o755)

    def shown(self, program, window: str) -> list[str]:
        """The options of the prompt for a request with a window; the prompt is on the agent's own display."""
        self.manager.answers("ok")
        (self.manager.folder / "displays").write_text("")
        before = len(self.manager.asked)
        program.credential(GET, ORIGIN, WANTED, window=window)
        assert len(self.manager.asked) == before + 1
        assert (self.manager.folder / "displays").read_text() == f"{self.screen.display} --display {self.screen.display}\n"
        return [option for option in self.manager.asked[-1]["options"] if option.startswith("parent-wid")]

    def close(self) -> None:
        super().close()
        self.screen.close()
        self.other.close()


@pytest.fixture(scope="module")
def room() -> Iterator[Room]:
    if shutil.which("Xvfb") is None:
        pytest.skip("there is no Xvfb")
    with tempfile.TemporaryDirectory(prefix="ward-") as folder:
        made = Room(Manager(Path(folder)))
        try:
            made.manager.init()
            assert made.manager.json("desktop", "portal", "on")["state"] == "serving"
            made.manager.answers("ok")
            made.start().credential(CREATE, ORIGIN, creation(**QUIET))
            yield made
        finally:
            made.close()


def window(program, display: str, pid: int = 0) -> dict:
    return program.do("window", display=display.removeprefix(":"), pid=pid)


def test_prompts_belong_to_the_programs_own_window(room):
    program = room.start()
    made = window(program, room.screen.display)
    assert room.shown(program, made["handle"]) == [f"parent-wid={made['number']}"]
    # What a window says of itself does not count, also not against it.
    made = window(program, room.screen.display, pid=1)
    assert room.shown(program, made["handle"]) == [f"parent-wid={made['number']}"]


def test_a_window_of_another_program_is_dropped_whatever_it_says_of_itself(room):
    program, other = room.start(), room.start()
    for pid in (0, program.process.pid):
        made = window(other, room.screen.display, pid)
        said = subprocess.run(
            ["xprop", "-id", hex(made["number"]), "_NET_WM_PID"], env={**os.environ, "DISPLAY": room.screen.display},
            capture_output=True, text=True, check=True,
        ).stdout  # fmt: skip
        assert str(pid or other.process.pid) in said
        assert room.shown(program, made["handle"]) == []


def test_a_window_on_another_display_chooses_no_display(room):
    program = room.start()
    assert room.shown(program, window(program, room.other.display)["handle"]) == []


def test_a_number_of_the_program_without_a_window_is_dropped(room):
    program = room.start()
    made = window(program, room.screen.display)
    assert room.shown(program, f"x11:{made['number'] + 1:x}") == []


@pytest.mark.parametrize("handle", ["", "x11:", "x11:0", "x11:+1", "x11:0x20", "x11:100200001", "wayland:1-2-3", "x11:1;DISPLAY=:0", "1"])
def test_other_handles_are_dropped(room, handle):
    assert room.shown(room.start(), handle) == []


def test_an_app_has_its_own_window_too(room):
    """A program that is no portal."""
    app = room.start("/usr/bin/python3", environment={"PYTHONHOME": ""})
    made = window(app, room.screen.display)
    local = creation(**QUIET) | {"rp": {"id": "localhost", "name": "x"}}
    room.manager.answers("ok")
    app.credential(CREATE, "http://localhost:8080", local, window=made["handle"])
    assert f"parent-wid={made['number']}" in room.manager.asked[-1]["options"]
