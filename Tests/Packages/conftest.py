"""A new Debian with both packages and what they depend on, and nothing else."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parents[2] / ".build-deb"


class Root:
    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def command(self, *words: str, user: str = "root") -> list[str]:
        # The programs ask /proc which file they are. The mounts are gone when the command ends.
        mounts = f"mount --bind /proc {self.folder}/proc && mount --rbind /dev {self.folder}/dev"
        # A new environment: the machine's own variables would change what is tested.
        clean = ["env", "-i", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "HOME=/tmp", "LANG=C.UTF-8"]
        inside = ["chroot", f"--userspec={user}", str(self.folder), *clean, *words]
        return ["unshare", "--mount", "sh", "-c", f'{mounts} && exec "$@"', "sh", *inside]

    def run(self, *words: str, user: str = "root", text: str = "", status: int = 0) -> str:
        done = subprocess.run(self.command(*words, user=user), input=text, capture_output=True, text=True, timeout=300, check=False)
        assert done.returncode == status, (words, done.returncode, done.stdout, done.stderr)
        return done.stdout

    def read(self, path: str) -> str:
        return (self.folder / path.lstrip("/")).read_text()


@pytest.fixture(scope="session")
def packages() -> list[Path]:
    found = sorted(FOLDER.glob("ward*.deb"))
    found = [path for path in found if "dbgsym" not in path.name]
    assert len(found) == 2, f"run Scripts/deb first: {found}"
    return found


@pytest.fixture(scope="session")
def root(packages: list[Path]):
    assert os.geteuid() == 0, "a new Debian needs root: sudo Scripts/deb --check"
    folder = FOLDER / "root"
    shutil.rmtree(folder, ignore_errors=True)
    command = ["mmdebstrap", "--variant=minbase", "--aptopt=Apt::Install-Recommends false"]
    command += [f"--include={path}" for path in packages]
    # The packages are copied in before they are installed.
    for path in packages:
        command += [f"--setup-hook=mkdir -p \"$1\"{path.parent} && cp {path} \"$1\"{path.parent}/"]
    done = subprocess.run([*command, "bookworm", str(folder)], capture_output=True, text=True, timeout=1800)
    assert done.returncode == 0, done.stderr[-4000:]
    yield Root(folder)
    shutil.rmtree(folder, ignore_errors=True)
