"""The folder of a sync read by another program, which knows the pages in Documentation/formats and nothing of ours."""

from __future__ import annotations

import importlib.util
import json
import shutil
import sys
from pathlib import Path

import pytest
from test_vault_format import REFUSALS, VECTOR

FOLDER = Path(__file__).resolve().parents[2] / "Tests/TestVectors/sync"

_specification = importlib.util.spec_from_file_location("read_folder", FOLDER / "read_folder.py")
read_folder = importlib.util.module_from_spec(_specification)
sys.modules["read_folder"] = read_folder
_specification.loader.exec_module(read_folder)

REFUSALS = (*REFUSALS, read_folder.Refused)


@pytest.fixture
def folder(tmp_path):
    shutil.copytree(FOLDER / "ward", tmp_path / "ward")
    return tmp_path


def read(folder):
    vault = read_folder.Vault(VECTOR, folder)
    vault.recover(json.loads((VECTOR / "expected.json").read_text(encoding="utf-8"))["recoveryKey"])
    return read_folder.read_vault.read(vault)


def test_every_item_is_what_the_devices_show(folder):
    expected = json.loads((FOLDER / "expected.json").read_text(encoding="utf-8"))
    found = read(folder)
    assert found["entries"] == expected["entries"]
    titles = {item["item"]: item["value"]["title"] for item in found["items"]}
    assert expected["titles"].items() <= titles.items()


def test_a_changed_byte_is_refused_or_changes_nothing(folder):
    found = read(folder)
    for path in sorted(folder.glob("ward/*/*/*.seg")):
        whole = path.read_bytes()
        for place in range(0, len(whole), 23):
            changed = bytearray(whole)
            changed[place] ^= 1
            path.write_bytes(changed)
            try:
                assert read(folder) == found, (path.name, place)
            except REFUSALS:
                pass
        path.write_bytes(whole)


def test_a_file_that_is_missing_or_copied_is_noticed_or_does_nothing(folder):
    found = read(folder)
    first, last, other = sorted(folder.glob("ward/*/*/*.seg"))
    shutil.copy(first, first.with_name("x.sync-conflict-20261126-120000-ABCDEFG.seg"))
    assert read(folder) == found
    # The last entry of the first device is one that nobody else names, and it names what the other device wrote.
    last.rename(folder / "last")
    assert read(folder)["entries"] == found["entries"] - 1
    (folder / "last").rename(last)
    other.unlink()
    with pytest.raises(REFUSALS):
        read(folder)
