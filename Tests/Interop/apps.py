"""What the tests of apps share: how an app is registered, and the sandboxes that it runs in."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from manager import Manager

SHINY, OTHER = "com.example.shiny", "com.example.other"
INFO = f"[Application]\nname={SHINY}\nruntime=runtime/org.example.Platform/x86_64/1\n\n[Instance]\ninstance-id=4711\n"


def add(manager: Manager, path: Path, identifier: str = SHINY, name: str = "Shiny", *more: str) -> dict:
    return manager.json("apps", "add", str(path), "--id", identifier, "--name", name, "--yes", *more)


def signal(domain: str) -> dict[str, str]:
    """A signal that changes nothing, but needs the right to speak for a domain."""
    return {"kind": "unusedPassword", "options": json.dumps({"rpId": domain, "name": "nobody"})}


def unshared(*flags: str) -> list[str]:
    """A command in a view of the machine of its own, or a skip."""
    words = ["unshare", "--map-root-user", *flags]
    if shutil.which("unshare") is None or subprocess.run([*words, "true"], capture_output=True, check=False).returncode:
        pytest.skip("this machine lets nobody make a view of its own")
    return words


def sandbox(tmp_path: Path, manager: Manager, info: str | None) -> tuple[Path, str]:
    """A root of its own with the machine's programs in it, as bubblewrap makes one, and the script that enters it."""
    root = tmp_path / "root"
    script = []
    for path in sorted({"/usr", "/etc", "/proc", "/tmp", "/dev", "/var", sys.base_prefix, str(manager.folder), str(tmp_path / "bin")}):
        target = root / path.lstrip("/")
        if path not in ("/tmp",) and not path.startswith("/usr/"):
            script.append(f"mkdir -p '{target}' && mount --rbind '{path}' '{target}'")
    for link in ("/bin", "/lib", "/lib64", "/sbin"):
        if os.path.islink(link):
            root.mkdir(exist_ok=True)
            (root / link.lstrip("/")).symlink_to(os.readlink(link))
        elif os.path.isdir(link):
            script.append(f"mkdir -p '{root}{link}' && mount --rbind '{link}' '{root}{link}'")
    root.mkdir(exist_ok=True)
    if info is not None:
        (root / ".flatpak-info").write_text(info)
    path = tmp_path / "enter"
    path.write_text("\n".join(["#!/bin/bash", "set -e", *script, f'exec chroot "{root}" "$@"', ""]))
    path.chmod(0o755)
    return path, str(root)


def bubblewrap(manager: Manager, *folders: str) -> list[str]:
    """A sandbox as Flatpak makes one, into which these folders of the runtime folder are let, read-only."""
    words = ["bwrap", "--die-with-parent", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--unshare-pid"]
    words += ["--tmpfs", str(manager.runtime)]
    for folder in folders:
        words += ["--ro-bind", str(manager.runtime / folder), str(manager.runtime / folder)]
    if shutil.which("bwrap") is None or subprocess.run([*words, "true"], capture_output=True, check=False).returncode:
        pytest.skip("bubblewrap makes no sandbox on this machine")
    return words
