"""A desktop of the test's own: an X server without a screen, and the hands of a person in front of it."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Callable


class Desktop:
    """Xvfb, with what a person sees and presses."""

    def __init__(self) -> None:
        reader, writer = os.pipe()
        # Without -noreset it starts anew whenever its last client leaves, and refuses the next one meanwhile.
        self.process = subprocess.Popen(
            ["Xvfb", "-displayfd", str(writer), "-screen", "0", "800x600x24", "-nolisten", "tcp", "-noreset"],
            pass_fds=[writer], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        os.close(writer)
        with os.fdopen(reader) as numbers:
            self.display = f":{int(numbers.readline())}"

    def xdotool(self, *words: str) -> str:
        done = subprocess.run(
            ["xdotool", *words], env={**os.environ, "DISPLAY": self.display}, capture_output=True, text=True, timeout=30, check=False
        )
        return done.stdout

    def window(self) -> str | None:
        """A window that is shown."""
        return next(iter(self.xdotool("search", "--onlyvisible", "--name", ".").split()), None)

    def press(self, *keys: str, unless: Callable[[], bool] = lambda: False, seconds: float = 60) -> bool:
        """Waits for a window, presses keys in it, and waits until it went away; whether there was one."""
        deadline = time.monotonic() + seconds
        seen = False
        while time.monotonic() < deadline:
            window = self.window()
            if window is None:
                if seen or unless():
                    return seen
                time.sleep(0.05)
                continue
            if not seen:
                # It is drawn before it listens to keys.
                time.sleep(0.5)
                # There is no window manager: the keys go to where the pointer is.
                self.xdotool("mousemove", "--window", window, "20", "20", "key", "--delay", "100", *keys)
            seen = True
            time.sleep(0.05)
        raise AssertionError("no window came, or it did not go away")

    def close(self) -> None:
        self.process.terminate()
        self.process.wait(timeout=30)
