"""A package such as .build-mutants: the sources with a switch at each check, the tests, and the programs that Python tests run."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from mutant_checks import ROOT, SWITCH, Group, Mutant, with_mutants

TREE = ROOT / ".build-mutants"
# The tests read it. It is there only after the build, because the package manager would build what is in it.
SNIPPETS = "Snippets"
# What the tests in Tests/Interop start.
PROGRAMS = ["ward", "ward-reader", "ward-browser", "ward-server", "SmallManager", "ExtensionManager"]


@dataclass(frozen=True)
class Reach:
    """A suite of Swift tests or a Python test, with the mutants that it reaches."""

    seconds: float
    numbers: set[int]

    @property
    def order(self) -> tuple[bool, int, float]:
        """Slow ones last; before them those first that reach little else, because they are about the check; then the quick ones."""
        return self.seconds > 10, len(self.numbers), self.seconds


def manifest(names: list[str], is_optimized: bool = False) -> str:
    """The package with these targets and what they depend on, warnings allowed: a check that always holds earns some.

    What is tested can be optimized although the build is for debugging: then tests run several times faster, and build as fast.
    """
    # The manifest is read only, so there is no need to wait for a build that runs.
    command = ["swift", "package", "--ignore-lock", "dump-package"]
    told = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    package = json.loads(told.stdout)
    every = {target["name"]: target for target in package["targets"]}
    wanted, used, lines = list(names), set(), []
    for name in wanted:  # grows while it is read
        target, dependencies = every[name], []
        if target["type"] == "system":
            library = f', pkgConfig: "{target["pkgConfig"]}"' if target.get("pkgConfig") else ""
            lines.append(f'.systemLibrary(name: "{name}"{library})')
            continue
        for dependency in target["dependencies"]:
            if "product" in dependency:
                product, source = dependency["product"][:2]
                used.add(source.lower())
                dependencies.append(f'.product(name: "{product}", package: "{source}")')
            else:
                other = (dependency.get("byName") or dependency["target"])[0]
                dependencies.append(f'"{other}"')
                if other not in wanted:
                    wanted.append(other)
        kind = {"test": "testTarget", "executable": "executableTarget"}.get(target["type"], "target")
        path = f', path: "{target["path"]}"' if target.get("path") else ""
        resources = ", ".join(f'.copy("{resource["path"]}")' for resource in target.get("resources", []))
        resources = f", resources: [{resources}]" if resources else ""
        libraries = [s["kind"]["linkedLibrary"]["_0"] for s in target.get("settings", []) if "linkedLibrary" in s["kind"]]
        linked = ", ".join(f'.linkedLibrary("{library}")' for library in libraries)
        linked = f", linkerSettings: [{linked}]" if linked else ""
        swift = 'settings + [.unsafeFlags(["-O"])]' if is_optimized and kind == "target" else "settings"
        lines.append(
            f'.{kind}(name: "{name}", dependencies: [{", ".join(dependencies)}]{path}{resources}, swiftSettings: {swift}{linked})'
        )
    packages = []
    for entry in package["dependencies"]:
        control = entry["sourceControl"][0]
        if control["identity"] in used:
            url = control["location"]["remote"][0]["urlString"]
            packages.append(f'.package(url: "{url}", from: "{control["requirement"]["range"][0]["lowerBound"]}")')
    features = re.findall(r'\.enableUpcomingFeature\("\w+"\)', (ROOT / "Package.swift").read_text())
    traits = [f'.define("{trait["name"]}")' for trait in package["traits"] if trait["name"] != "default"]
    return (
        "// swift-tools-version: 6.2\nimport PackageDescription\n"
        f"let settings: [SwiftSetting] = [{', '.join(features + traits)}, .strictMemorySafety()]\n"
        f'let package = Package(name: "Mutants", dependencies: [{", ".join(packages)}], targets: [\n    '
        + ",\n    ".join(lines)
        + "\n], swiftLanguageModes: [.v6])\n"
    )


class Copy:
    """A package with all mutants behind the switch, and the tests that should notice."""

    def __init__(
        self, mutants: dict[int, Mutant], groups: list[Group], tree: Path = TREE, is_optimized: bool = False
    ) -> None:
        self.mutants = mutants
        self.tree = tree
        self.snippets = tree / SNIPPETS
        self.is_optimized = is_optimized
        # One byte for each mutant. The name is this run's own: the programs that it started are known by it.
        self.reached_file = tree / f"reached.{os.getpid()}"
        # Files keep their times, so that only what changed since the last run is built anew.
        for folder in ["Sources", "Tests"]:
            shutil.rmtree(tree / folder, ignore_errors=True)
            shutil.copytree(ROOT / folder, tree / folder)
        # Only read: the corpus that the tests replay, the documents that they compare with, the examples that they start.
        for path in ROOT.iterdir():
            is_built = path.name.startswith((".", "Package.")) or path.name in ("Benchmarks", SNIPPETS)
            if not is_built and not (tree / path.name).exists():
                (tree / path.name).symlink_to(path)
        targets = list(dict.fromkeys(test for group in groups for test in group.tests))
        if any(group.interop for group in groups):
            targets += PROGRAMS
        (tree / "Package.swift").write_text(manifest(targets, is_optimized))
        self.asked: dict[tuple[str, ...], dict[str, Reach]] = {}
        self.originals = {mutant.file: mutant.file.read_text() for mutant in mutants.values()}
        for module in {mutant.file.relative_to(ROOT).parts[1] for mutant in mutants.values()}:
            (tree / "Sources" / module / "MutantSwitch.swift").write_text(SWITCH)

    def run(self, command: list[str], limit: float, number: int = 0, **variables: str) -> tuple[int, str]:
        """Runs a command with a mutant on; the status is -1 when it does not end within `limit` seconds."""
        # A mutant may trap, and a backtrace of a debug build takes most of a minute.
        environment = {**os.environ, "SWIFT_BACKTRACE": "enable=no", "MUTANT": str(number), **variables}
        with subprocess.Popen(
            command, cwd=self.tree, env=environment, text=True, errors="replace", start_new_session=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        ) as process:  # fmt: skip
            try:
                output, _ = process.communicate(timeout=limit)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                output, _ = process.communicate()
                return -1, output
        return process.returncode, output

    def with_mutants(self, original: str, mutants: dict[int, Mutant]) -> str:
        """The source of one file with these mutants of it in place."""
        return with_mutants(original, mutants)

    def build(self) -> set[int]:
        """Builds, without the mutants that do not compile: their numbers come back."""
        unbuilt: set[int] = set()
        self.snippets.unlink(missing_ok=True)
        while True:
            for file, original in self.originals.items():
                rest = {n: m for n, m in self.mutants.items() if m.file == file and n not in unbuilt}
                copy, text = self.tree / file.relative_to(ROOT), self.with_mutants(original, rest)
                # What stays as it is keeps its time, and is not built again.
                if copy.read_text() != text:
                    copy.write_text(text)
            faster = ["-Xcc", "-O2"] if self.is_optimized else []
            status, output = self.run(["swift", "build", "--build-tests", "--disable-xctest", *faster], 2 * 3600)
            if status == 0:
                self.snippets.symlink_to(ROOT / SNIPPETS)
                return unbuilt
            wrong = {(path, int(line)) for path, line in re.findall(r"^\S*?(Sources/\S+\.swift):(\d+):\d+: error", output, re.M)}
            found = {
                number
                for number, mutant in self.mutants.items()
                for path, line in wrong
                if str(mutant.file.relative_to(ROOT)) == path
                and mutant.line <= line <= mutant.line + self.originals[mutant.file][mutant.start : mutant.end].count("\n")
            }
            if found <= unbuilt:
                sys.exit(f"{output[-3000:]}\nerror: the copy does not build")
            unbuilt |= found

    # Swift

    def test(self, suites: list[str], limit: float, number: int = 0, **variables: str) -> tuple[int, str]:
        """Runs these suites with this mutant on; the status is 0 when they pass, and -1 when they do not end in time."""
        # Not by `swift test`, which plans a build first.
        command = [".build/debug/MutantsPackageTests.xctest", "--testing-library", "swift-testing"]
        for suite in suites:
            command += ["--filter", f"^{re.escape(suite)}/"]
        return self.run(command, limit, number, **variables)

    def suites(self, tests: list[str]) -> dict[str, Reach]:
        """The suites of these targets; all pass while no mutant is on. The empty name stands for all of them in one process."""
        names = self.names(tests)
        found: dict[str, Reach] = {}
        for suite in [*names, ""]:
            status, output, found[suite] = self.reach([suite] if suite else names)
            if status != 0:
                sys.exit(f"{output[-3000:]}\nerror: the tests fail before anything was removed")
        return found

    def names(self, tests: list[str]) -> list[str]:
        """The suites of these targets."""
        binary = [".build/debug/MutantsPackageTests.xctest", "--testing-library", "swift-testing", "--list-tests"]
        # One line a test: Target.Suite/test().
        lines = self.run(binary, 600)[1].splitlines()
        return list(dict.fromkeys(line.partition("/")[0] for line in lines if line.partition(".")[0] in tests))

    def reach(self, suites: list[str]) -> tuple[int, str, Reach]:
        """Runs suites without a mutant: their status and output, and the mutants that they reach."""
        self.forget_reached()
        begun = time.monotonic()
        status, output = self.test(suites, 1800, MUTANTS_REACHED=str(self.reached_file))
        numbers = {number for number, byte in enumerate(self.reached_file.read_bytes()) if byte}
        return status, output, Reach(time.monotonic() - begun, numbers)

    def failing(self, suites: dict[str, Reach], number: int, confirms: bool = False) -> tuple[int, str] | None:
        """How the first run of suites that reach this mutant and fail with it ends; the quick ones run first, few at a time.

        With `confirms` the same suites must pass again without it, or the machine may be at fault.
        """
        near = {suite: reach for suite, reach in suites.items() if suite and number in reach.numbers}
        rest = sorted(near, key=lambda suite: near[suite].order)
        size = 2
        if not near and "" in suites and number in suites[""].numbers:
            # Perhaps a suite gets there only at times: then all are asked.
            near = {suite: reach for suite, reach in suites.items() if suite}
            rest, size = list(near), len(near)
        while rest:
            some, rest, size = rest[:size], rest[size:], 3 * size
            # A mutant that makes the tests wait for what never comes is noticed as well.
            limit = 60 + 10 * sum(near[suite].seconds for suite in some)
            status, output = self.test(some, limit, number)
            if status != 0 and not (confirms and self.test(some, limit)[0] != 0):
                return status, output
        return None

    def forget_reached(self) -> None:
        self.reached_file.write_bytes(bytes(max(self.mutants) + 1))
        # Some tests start programs as another user.
        self.reached_file.chmod(0o666)

    # Python

    def pytest(self, tests: Iterable[str], number: int = 0, *options: str) -> dict[str, dict]:
        """What became of these tests, or files of tests, with this mutant on; `late` is the outcome of one that ran out of time."""
        file = self.reached_file.with_name(f"tests.{os.getpid()}")
        file.unlink(missing_ok=True)
        command = [
            # A test that takes too long is stopped from within: it then stops its programs.
            str(ROOT / ".venv/bin/python"), "-m", "pytest", "-q", "-p", "mutant_tests",
            "-o", "timeout_method=signal", *options, *tests,
        ]  # fmt: skip
        variables = {
            "PYTHONPATH": str(ROOT / "Scripts"),
            "WARD_SERVER_BIN": str(self.tree / ".build/debug/ward-server"),
            "MUTANT_TESTS": str(file),
            "MUTANTS_REACHED": str(self.reached_file),
        }
        self.forget_reached()
        status, output = self.run(command, 4 * 3600, number, **variables)
        self.end_programs()
        lines = [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []
        if status not in (0, 1) or not lines:
            sys.exit(f"{output[-3000:]}\nerror: pytest ended with {status}")
        # A test that began and did not end took pytest with it.
        return {line["test"]: {"outcome": "failed", "seconds": 0, "reached": [], **line} for line in lines}

    def end_programs(self) -> None:
        """Ends what a test left behind: programs with the name of this run's file in their environment."""
        mark = f"MUTANTS_REACHED={self.reached_file}\0".encode()
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                if mark in (folder / "environ").read_bytes():
                    os.kill(int(folder.name), signal.SIGKILL)
            except OSError:
                continue

    def interop(self, patterns: tuple[str, ...]) -> dict[str, Reach]:
        """The Python tests in these files that pass while no mutant is on; they run once, also for more than one group."""
        if patterns in self.asked:
            return self.asked[patterns]
        files = sorted({str(path.relative_to(self.tree)) for pattern in patterns for path in self.tree.glob(f"Tests/Interop/{pattern}")})
        print(f"running the Python tests in {len(files)} files once", flush=True)
        found = self.asked[patterns] = {}
        for test, ended in self.pytest(files).items():
            if ended["outcome"] == "passed":
                found[test] = Reach(ended["seconds"], set(ended["reached"]))
            elif ended["outcome"] != "skipped":
                print(f"left out, because it fails before anything was removed: {test}", flush=True)
        return found

    def noticed(self, tests: list[str], number: int) -> str | None:
        """The first of these Python tests that fails with this mutant on, and not without; with a note if it ran out of time."""
        while tests:
            ended = self.pytest(tests, number, "-x")
            failed = [test for test, line in ended.items() if line["outcome"] in ("failed", "late")]
            if not failed:
                return None
            if all(line["outcome"] == "passed" for line in self.pytest(failed).values()):
                return failed[0] + (", out of time" if ended[failed[0]]["outcome"] == "late" else "")
            tests = [test for test in tests if test not in ended]
        return None
