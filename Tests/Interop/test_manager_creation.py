"""Vaults that several programs make at the same moment: one wins, with everything that belongs to it."""

import json
import os
import signal
import subprocess
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from manager import PASSPHRASE, Manager

TOGETHER = 4
ROUNDS = 2


def machines(manager: Manager, runtimes: int) -> list[Manager]:
    """Programs of one person with one vault; each runtime folder has an agent of its own."""
    shared = {"XDG_DATA_HOME": str(manager.home / "data"), "XDG_STATE_HOME": str(manager.home / "state")}
    made = [Manager(manager.folder / f"r{number}", **shared) for number in range(runtimes)]
    return [made[number % runtimes] for number in range(TOGETHER)]


@pytest.mark.parametrize("runtimes", [1, TOGETHER], ids=["one agent", "an agent each"])
def test_of_several_that_make_a_vault_at_once_one_wins_and_its_keys_open_it(runtimes):
    for round_number in range(ROUNDS):
        with tempfile.TemporaryDirectory(prefix="ward-") as folder:
            manager = Manager(Path(folder))
            together = machines(manager, runtimes)
            words = [f"{PASSPHRASE} {number}" for number in range(TOGETHER)]
            try:
                with ThreadPoolExecutor(TOGETHER) as pool:
                    results = list(pool.map(lambda pair: pair[0].run("init", "--json", passphrase=pair[1]), zip(together, words)))
                winners = [number for number, done in enumerate(results) if done.returncode == 0]
                assert len(winners) == 1, (round_number, [(done.returncode, done.stdout, done.stderr) for done in results])
                (winner,) = winners
                for number, done in enumerate(results):
                    if number != winner:
                        assert json.loads(done.stdout)["error"]["code"] == "vault_exists", done
                for one in together:
                    one.stop()
                owner = together[winner]
                owner.ok("unlock", passphrase=words[winner])
                owner.ok("add", "Mine")
                owner.ok("log", "verify")
                owner.ok("lock")
                key = json.loads(results[winner].stdout)["recoveryKey"]
                owner.ok("unlock", passphrase="a new one for better days", secrets={"--recovery-key-fd": key})
                assert [item["title"] for item in owner.json("list")] == ["Mine"]
                left = sorted(path.name for path in manager.vault.parent.iterdir() if ".new" in path.name or ".old" in path.name)
                assert left == [], left
            finally:
                for one in together:
                    one.stop()


def test_a_program_that_is_killed_while_it_makes_a_vault_stands_in_nobodys_way(manager):
    for delay in (0.02, 0.05, 0.1, 0.2):
        done = subprocess.Popen(
            [manager.binary, "init", "--json", "--passphrase-fd", "0"],
            env=manager.environment, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        done.stdin.write(PASSPHRASE.encode() + b"\n")
        done.stdin.close()
        time.sleep(delay)
        # The agent, where it is up by now, is what makes the vault.
        state = manager.run("status", "--json")
        if state.returncode == 0:
            os.kill(json.loads(state.stdout)["pid"], signal.SIGKILL)
        done.kill()
        done.wait()
        if manager.vault.exists():
            break
    if not manager.vault.exists():
        manager.init()
    manager.ok("unlock", passphrase=PASSPHRASE)
    manager.ok("log", "verify")
