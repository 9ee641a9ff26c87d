"""The benchmarks are a package of their own that no other test builds: their sources must compile against the libraries."""

import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILT = ROOT / ".build" / "debug"


def test_the_benchmarks_compile():
    assert (BUILT / "Modules").is_dir(), "the package is not built: run make test, or swift build"
    sources = sorted((ROOT / "Benchmarks" / "Sources" / "WardBenchmarks").rglob("*.swift"))
    maps = sorted((ROOT / ".build" / "checkouts").glob("*/Sources/*/include/module.modulemap"))
    maps += sorted(BUILT.glob("*.build/module.modulemap"))
    roots = (ROOT, ROOT / "Benchmarks", *sorted((ROOT / ".build" / "checkouts").iterdir()))
    folders = [path.parent for root in roots for path in sorted(root.glob("Sources/*/module.modulemap"))]
    arguments = ["-swift-version", "6", "-I", BUILT / "Modules"]
    for folder in folders:
        arguments += ["-I", folder]
    for path in maps:
        arguments += ["-Xcc", f"-fmodule-map-file={path}"]
    command = ["swiftc", "-typecheck", "-module-name", "WardBenchmarks", "-package-name", "benchmarks"]
    done = subprocess.run([*command, *map(str, arguments), *map(str, sources)], capture_output=True, text=True)
    assert done.returncode == 0, "\n".join(line for line in done.stderr.splitlines() if "error:" in line)
