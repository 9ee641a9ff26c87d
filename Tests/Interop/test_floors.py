"""Scripts/floors: the package stands as Scripts/floors.toml says, and each planted fault is found."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DATA = """
[[floor]]
name = "low"
may = []
[floor.modules]
Low = []
Beside = ["Low"]

[[floor]]
name = "high"
may = ["low"]
[floor.modules]
High = []

[libraries]
Database = ["Low"]
"""
ROOF = """
[[floor]]
name = "roof"
may = []
[floor.modules]
Roof = []
"""


def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([ROOT / "Scripts/floors", *arguments], capture_output=True, text=True, timeout=120, check=False)


@dataclass
class PackageFixture:
    """A package of two floors that has no fault."""

    root: Path
    data: str = DATA
    dependencies: dict[str, list[str]] = field(default_factory=lambda: {"Low": [], "High": ["Low"]})
    products: dict[str, list[str]] = field(default_factory=dict)

    def write(self, path: str, text: str) -> None:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def check(self, *more: str | Path) -> subprocess.CompletedProcess[str]:
        self.write("Scripts/floors.toml", self.data)
        packages = sorted({f"{name.lower()}-package" for names in self.products.values() for name in names})
        targets = [
            {
                "name": name,
                "type": "regular",
                "dependencies": [
                    *({"byName": [other, None]} for other in names),
                    *({"product": [other, f"{other.lower()}-package"]} for other in self.products.get(name, [])),
                ],
            }
            for name, names in self.dependencies.items()
        ]
        manifest = {"targets": targets, "dependencies": [{"sourceControl": [{"identity": name}]} for name in packages]}
        self.write("manifest.json", json.dumps(manifest))
        return run("--root", self.root, "--manifest", self.root / "manifest.json", *more)


@pytest.fixture
def package(tmp_path: Path) -> PackageFixture:
    made = PackageFixture(tmp_path)
    made.write("Sources/Low/Shapes/Square.swift", "public struct Square {\n    public init() {}\n}\n")
    made.write("Sources/Low/Colors/Red.swift", "struct Red { let square = Square() }\n")
    made.write("Sources/High/Room.swift", "public import Low\n\npublic struct Room { let floor: Square }\n")
    return made


def test_a_package_in_order_passes(package: PackageFixture) -> None:
    answer = package.check()
    assert answer.returncode == 0, answer.stderr
    assert answer.stderr == ""


def import_that_runs_up(package: PackageFixture) -> str:
    package.write("Sources/Low/Shapes/Circle.swift", "internal import High\n")
    package.dependencies["Low"] = ["High"]
    return "Sources/Low/Shapes/Circle.swift:1: Low (low) may not import High (high)"


def import_beside_that_no_line_allows(package: PackageFixture) -> str:
    package.data = DATA.replace('Beside = ["Low"]', "Beside = []")
    package.write("Sources/Beside/Thing.swift", "import Low\n")
    package.dependencies["Beside"] = ["Low"]
    return "Sources/Beside/Thing.swift:1: Beside (low) may not import Low (low)"


def data_that_allow_an_arrow_up(package: PackageFixture) -> str:
    package.data = DATA.replace("Low = []", 'Low = ["Roof"]').replace("[libraries]", ROOF + "[libraries]")
    return "floors.toml: Low (low) may import Roof (roof): that runs up"


def data_that_allow_a_circle(package: PackageFixture) -> str:
    package.data = DATA.replace("Low = []", 'Low = ["Beside"]')
    return "floors.toml: these modules may import each other in a circle: Beside, Low"


def module_on_no_floor(package: PackageFixture) -> str:
    package.write("Sources/Other/Other.swift", "struct Other {}\n")
    package.dependencies["Other"] = []
    return "Other stands on no floor"


def library_in_the_wrong_module(package: PackageFixture) -> str:
    package.write("Sources/High/Query.swift", "import Database\n")
    package.products["High"] = ["Database"]
    return "Sources/High/Query.swift:1: High may not import Database; only Low may"


def folders_in_a_circle(package: PackageFixture) -> str:
    package.write("Sources/Low/Shapes/Paint.swift", "extension Red {}\n")
    return "Sources/Low: these folders use each other in a circle: Colors, Shapes"


def known_circle_that_is_gone(package: PackageFixture) -> str:
    package.data = DATA + '[[circle]]\nmodule = "Low"\nfolders = ["Colors", "Shapes"]\nreason = "None."\n'
    return "the circle of Low (Colors, Shapes) is gone"


def public_types_of_one_name(package: PackageFixture) -> str:
    package.write("Sources/High/Square.swift", "/// public struct Room\n@frozen public final class Square {}\n")
    return "Sources/High/Square.swift:2 (High): public types with the same name Square: rename one"


def two_commands_in_a_file(package: PackageFixture) -> str:
    package.write(
        "Sources/High/Open.swift",
        "struct Open: ParsableCommand {}\n\nextension Open {\n    struct Wide: Sendable, AsyncParsableCommand {}\n}\n",
    )
    return "Sources/High/Open.swift:4: Wide is not the first command of the file"


def code_in_another_case(package: PackageFixture) -> str:
    codes = '    static let late = Self(name: "too_late")\n    static let early = Self(name: "tooEarly")\n'
    package.write("Sources/High/Fault.swift", f"struct Fault: Sendable, ErrorCode {{\n{codes}}}\n")
    return "Sources/High/Fault.swift:3: the error code tooEarly is not in snake case"


def module_that_nobody_imports(package: PackageFixture) -> str:
    package.write("Sources/High/Room.swift", "public struct Room {}\n")
    return "Package.swift: no file of High imports Low"


def product_that_nobody_imports(package: PackageFixture) -> str:
    package.products["Low"] = ["Database"]
    return "Package.swift: no file of Low imports Database"


def import_without_dependency(package: PackageFixture) -> str:
    package.dependencies["High"] = []
    return "Package.swift: High imports Low and does not name it as a dependency"


@pytest.mark.parametrize(
    "plant",
    [
        import_that_runs_up, import_beside_that_no_line_allows, data_that_allow_an_arrow_up, data_that_allow_a_circle,
        module_on_no_floor, library_in_the_wrong_module, folders_in_a_circle, known_circle_that_is_gone,
        public_types_of_one_name, two_commands_in_a_file, code_in_another_case, module_that_nobody_imports,
        product_that_nobody_imports, import_without_dependency,
    ],
    ids=lambda plant: plant.__name__,
)  # fmt: skip
def test_a_planted_fault_is_found(package: PackageFixture, plant: Callable[[PackageFixture], str]) -> None:
    expected = plant(package)
    answer = package.check()
    assert answer.returncode == 1
    assert expected in answer.stderr
    assert answer.stderr.count("error:") == 1, answer.stderr


@pytest.mark.parametrize(
    ("room", "fault"),
    [
        ("public import Low\n\npublic struct Room { let floor: Square }\n", None),
        ("internal import Low\n\npublic struct Room {}\n", "Sources/High/Room.swift:1: Low is imported and not used"),
    ],
    ids=["used", "unused"],
)
def test_an_import_that_is_not_used_is_found(package: PackageFixture, room: str, fault: str | None) -> None:
    package.write("Sources/High/Room.swift", room)
    index = package.root / "index"
    for module in ("Low", "High"):
        files = sorted((package.root / "Sources" / module).rglob("*.swift"))
        subprocess.run(
            ["swiftc", "-parse-as-library", "-module-name", module, "-index-store-path", index, "-emit-module", "-c", "-I", ".",
             *files],
            cwd=package.root, check=True, timeout=120,
        )  # fmt: skip
    answer = package.check("--index", index, "--built")
    if fault is None:
        assert answer.returncode == 0, answer.stderr
    else:
        assert answer.returncode == 1
        assert fault in answer.stderr
        assert answer.stderr.count("error:") == 1, answer.stderr


def test_a_file_that_changed_since_it_was_built_is_an_error_after_a_build(package: PackageFixture) -> None:
    (package.root / "index").mkdir()
    answer = package.check("--index", package.root / "index", "--built")
    assert answer.returncode == 1
    assert "Sources/High/Room.swift: changed since it was built" in answer.stderr


@pytest.mark.skipif(shutil.which("swiftc") is None, reason="swiftc is not on PATH")
def test_this_package_has_no_fault() -> None:
    if not (ROOT / ".build/debug/index/store").is_dir():
        pytest.skip("nothing is built here: run swift build --build-tests")
    answer = run("--built")
    assert answer.returncode == 0, answer.stderr
