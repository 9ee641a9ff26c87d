"""Credential managers for the tests: people without a vault, with one, and with apps."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from agentwire import App
from manager import Manager


@pytest.fixture
def manager(tmp_path: Path) -> Iterator[Manager]:
    """Somebody without a vault."""
    # Sockets have short paths.
    with tempfile.TemporaryDirectory(prefix="ward-") as folder:
        one = Manager(Path(folder))
        yield one
        one.stop()


@pytest.fixture
def vault(manager: Manager) -> Manager:
    """Somebody with an open vault."""
    manager.init()
    return manager


@pytest.fixture
def run(vault: Manager) -> Iterator[Callable[..., App]]:
    """Starts apps and leaves none behind."""
    started: list[App] = []

    def start(path: Path | str, **options) -> App:
        app = App(vault, path, **options).hello()
        started.append(app)
        return app

    yield start
    for app in started:
        app.close()
