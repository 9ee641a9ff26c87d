"""The lines of README that people copy."""

import os
import re
import subprocess

from wardserver import ROOT

README = (ROOT / "README.md").read_text()


def line(pattern):
    found = re.findall(pattern, README, re.MULTILINE)
    assert len(found) == 1, found
    return found[0]


def test_its_lines_for_a_package_manifest_work_in_a_new_package(tmp_path):
    package = line(r"^\.package\(.*\)$")
    assert package.count('url: "https://…/ward", branch: "main"') == 1
    package = package.replace('url: "https://…/ward", branch: "main"', f'name: "ward", path: "{ROOT}"')
    product = line(r"^\.product\(.*\)$")
    (tmp_path / "Package.swift").write_text(
        f"""// swift-tools-version: 6.2
        import PackageDescription
        let package = Package(
            name: "App", dependencies: [{package}],
            targets: [.executableTarget(name: "App", dependencies: [{product}], path: ".")]
        )
        """
    )
    (tmp_path / "main.swift").write_text("import WardRelyingParty")
    # Reads the manifests, fetches what this product needs, and fails for a product that is not there.
    command = ["swift", "package", "show-dependencies", "--format", "json"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr
    assert "swift-crypto" in done.stdout and "hummingbird" not in done.stdout


def test_its_first_lines_clone_what_make_understands(tmp_path):
    clone = line(r"^\$ (git clone .* && cd ward)$").replace("https://…/ward", f"{ROOT} ward")
    # The checkout may belong to another user, such as the one who fetched it.
    (tmp_path / "gitconfig").write_text("[safe]\n\tdirectory = *\n")
    environment = {**os.environ, "GIT_CONFIG_GLOBAL": str(tmp_path / "gitconfig")}
    done = subprocess.run(
        ["bash", "-ec", f"{clone} && make help"],
        cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    for target in re.findall(r"^\$ make ([a-z-]+)", README, re.MULTILINE):
        assert re.search(rf"^  make {target}\b", done.stdout, re.MULTILINE), target
