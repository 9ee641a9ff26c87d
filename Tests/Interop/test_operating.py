"""What an administrator does with `ward-server` beside serving."""

import subprocess
from pathlib import Path

import pytest
from wardserver import environment, find_binary


def run(folder: Path, *words: str, env: dict | None = None, seconds: float = 60) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(find_binary()), *words],
        cwd=folder,
        env=environment(**(env or {})),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=seconds,
    )


def test_both_programs_have_one_version(tmp_path):
    server = run(tmp_path, "--version")
    assert server.returncode == 0, server.stderr
    ward = subprocess.run(
        [str(find_binary().with_name("ward")), "--version"], capture_output=True, text=True, timeout=60, check=True
    )
    assert server.stdout == ward.stdout and server.stdout.strip()


@pytest.mark.parametrize("words", [(), ("--help",), ("help",)])
def test_without_a_command_it_prints_help_and_serves_nothing(tmp_path, words):
    shown = run(tmp_path, *words)
    assert shown.returncode == 0, shown.stderr
    assert "USAGE: ward-server <subcommand>" in shown.stdout and "serve" in shown.stdout
    assert list(tmp_path.iterdir()) == []


def test_settings_without_a_command_are_refused(tmp_path):
    shown = run(tmp_path, "--rp-id", "localhost")
    assert shown.returncode == 64 and "--rp-id" in shown.stderr
