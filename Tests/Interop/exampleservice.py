"""A Hummingbird example, running."""

import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager

import requests
from wardserver import find_binary, free_port


@contextmanager
def running_example(program: str = "HummingbirdPasskeys") -> Iterator[str]:
    """Starts the example and gives its address."""
    port = free_port()
    process = subprocess.Popen([find_binary().with_name(program), str(port)])
    try:
        deadline = time.monotonic() + 60
        while True:
            try:
                requests.get(f"http://localhost:{port}/", timeout=60)
                break
            except requests.ConnectionError:
                assert process.poll() is None and time.monotonic() < deadline
                time.sleep(0.1)
        yield f"http://localhost:{port}"
    finally:
        process.terminate()
        assert process.wait(60) == 0
