"""Servers and people for the tests: one server for all that only use it, fresh ones for those that stop, kill or configure it."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from wardserver import Person, Server

_numbers = itertools.count(1)


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server shared by the whole run; names have to be new in each test."""
    running = Server(tmp_path_factory.mktemp("server")).start()
    yield running
    code = running.stop()
    assert code == 0, f"the server ended with {code}:\n{running.log_text()[-4000:]}"


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[..., Server]]:
    """Starts servers of the test's own and leaves none behind."""
    started: list[Server] = []

    def make(**settings: Any) -> Server:
        folder = tmp_path / f"server-{len(started)}"
        folder.mkdir(mode=0o700)
        running = Server(folder, **settings)
        started.append(running)
        return running.start()

    yield make
    for running in started:
        if running.process is not None:
            running.kill()


@pytest.fixture
def name() -> str:
    """A name nobody has yet."""
    return f"person{next(_numbers)}"


@pytest.fixture
def person(server: Server, name: str) -> Person:
    """Someone without an account."""
    return server.person(name)


@pytest.fixture
def member(person: Person) -> Person:
    """Someone with an account, signed in."""
    answer = person.register()
    assert answer.status_code == 201, (answer.status_code, answer.text)
    return person
