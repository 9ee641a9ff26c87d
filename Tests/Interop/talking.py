"""Commands that print one JSON object after the other while they run."""

from __future__ import annotations

import json
import os
import subprocess

from manager import PASSPHRASE, Manager


class Talking:
    """A command of `ward` in the background, with the passphrase."""

    def __init__(self, manager: Manager, *words: str) -> None:
        reader, writer = os.pipe()
        os.write(writer, PASSPHRASE.encode() + b"\n")
        os.close(writer)
        self.process = subprocess.Popen(
            [str(manager.binary), *words, "--json", "--passphrase-fd", str(reader)],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, pass_fds=[reader], env=manager.environment, text=True,
        )
        os.close(reader)
        self.first = self.read()

    def read(self) -> dict:
        """The next JSON object, which may take several lines."""
        text = ""
        while True:
            line = self.process.stdout.readline()
            assert line, (text, self.process.stderr.read())
            text += line
            try:
                return json.loads(text)
            except json.JSONDecodeError:
                continue

    def end(self) -> tuple[int, str, str]:
        """Waits for the end: the exit status, and the rest of what was printed."""
        out, err = self.process.communicate(timeout=60)
        return self.process.returncode, out, err
