"""Whatever goes wrong with a sync has an exit status of its kind, and a row in the manual."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

# What needs the person, and how the manual calls it.
NEEDS = {
    "device_copied": "restored from an old copy, or its disk was copied",
    "not_in_circle": "this device was removed",
    "vault_incomplete": "this copy is older than what this device had",
    "circle_frozen": "two devices removed each other",
    "key_not_clean": "a removed device may have the vault's key",
    "recovery_key_incomplete": "the recovery key does not open the newest key",
    "passphrase_again": "the last change of the passphrase is not in force",
    "removal_void": "removals do not count",
    "device_broke_rules": "a device broke a rule",
    "device_lacks_key": "a device lacks the newest key",
    "clock_ahead": "the clock of a device is ahead",
    "needs_secret_key": "another device replaced the Secret Key",
    "server_two_orders": "the server showed two different orders",
    "server_almost_full": "little room is left on the server",
    "vault_moved": "another device moved the vault",
    "entries_withheld": "changes of other devices are missing",
    "device_not_admitted": "somebody outside the circle wrote into the folder",
}


def source(name: str) -> str:
    [path] = (ROOT / "Sources").rglob(name)
    return path.read_text()


def with_status() -> set[str]:
    """The codes for which `ward` has an exit status."""
    failure = source("Failure.swift")
    body = failure[failure.index("private static let statuses") :]
    names = dict(re.findall(r'static let (\w+) = Self\(name: "(\w+)"\)', source("VaultError.swift")))
    symbols = {names[symbol] for symbol in re.findall(r"\.(\w+)", body) if symbol in names}
    return symbols | set(re.findall(r'"(\w+)"', body))


def test_every_code_of_a_folder_has_an_exit_status():
    codes = set(re.findall(r'Self\(name: "(\w+)"\)', source("FolderError.swift")))
    assert len(codes) >= 10
    assert codes <= with_status(), codes - with_status()


def test_every_code_of_a_server_and_of_a_meeting_has_an_exit_status():
    server = source("ServerErrorCode.swift")
    known = server[server.index("enum Known") : server.index("func sentence(for purpose")]
    codes = set(re.findall(r'case \w+ = "(\w+)"', known))
    for name in ("MeetingError.swift", "PairingFault.swift"):
        codes |= set(re.findall(r'Self\(name: "(\w+)"\)', source(name)))
    # The agent and the vault have these codes too.
    agent = {"busy", "unavailable", "vault_exists", "unknown_version"}
    assert len(codes) >= 45 and codes - agent <= with_status(), codes - agent - with_status()


def test_what_needs_the_person_is_in_the_manual():
    notices = source("SyncNotices.swift")
    codes = set(re.findall(r'case \w+ = "(\w+)"', notices[notices.index("enum Need") :]))
    assert codes == set(NEEDS)
    warnings = (ROOT / "Documentation/sync.md").read_text().split("\n## Warnings\n")[1].split("\n## ")[0]
    rows = re.findall(r"^\| \*\*(.+?)\*\* \| (.+?) \| (.+?) \|$", warnings, re.MULTILINE)
    assert all(means.strip() and todo.strip() for _, means, todo in rows)
    for code, title in NEEDS.items():
        assert title in [row[0] for row in rows], code


def test_every_code_is_in_the_page_of_the_agent():
    page = (ROOT / "Documentation/formats/agent.md").read_text().split("\n## Errors\n")[1]
    codes = with_status() | set(NEEDS)
    assert len(codes) >= 95 and codes <= set(re.findall(r"`(\w+)`", page)), codes - set(re.findall(r"`(\w+)`", page))


def test_what_was_left_out_and_what_waits_are_in_the_manual_too():
    warnings = (ROOT / "Documentation/sync.md").read_text().split("\n## Warnings\n")[1].split("\n## ")[0]
    for title in ("waits for entries", "left out"):
        assert f"**{title}**" in warnings
