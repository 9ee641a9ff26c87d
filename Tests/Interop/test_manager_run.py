"""`ward run`: secrets in the environment of one program."""

import os
import signal
import subprocess
import time

import pytest


@pytest.fixture
def filled(vault):
    vault.ok("add", "Data base", "--username", "app", "--field", "a/b=x y", "--otpauth", "-", text="otpauth://totp/x?secret=JBSWY3DPEHPK3PXP", secrets={"--password-fd": "s3cret-Value"})
    vault.settings.update(DB="ward://default/Data%20base/password", WHO="ward:///Data%20base/username", ODD="ward:///Data%20base/a%2Fb")
    return vault


def test_a_program_gets_values_and_its_output_is_masked(filled):
    done = filled.run("run", "--", "sh", "-c", 'test "$DB" = s3cret-Value && test "$WHO" = app && test "$ODD" = "x y" && echo "ok $DB" && echo "no $DB" >&2; exit 7')
    assert done.returncode == 7 and done.stdout == "ok ********\n" and done.stderr == "no ********\n"
    # A secret that comes in pieces, twice, and at the end without a line feed.
    done = filled.run("run", "--", "sh", "-c", "printf s3cr; sleep 0.2; printf et-Values3cret-Value; printf s3cret-Val")
    assert done.stdout == "****************s3cret-Val"
    assert filled.run("run", "--no-mask", "--", "sh", "-c", "echo $DB; umask").stdout.split() == ["s3cret-Value", f"{os.umask(0o22) or 0o22:04o}"]


def test_the_secret_is_in_the_environment_of_the_program_alone(filled):
    child = subprocess.Popen(
        [filled.binary, "run", "--", "sh", "-c", "echo $$; sleep 30 & wait"], env=filled.environment, stdout=subprocess.PIPE, text=True
    )
    assert child.stdout is not None
    inner = int(child.stdout.readline())
    assert "s3cret-Value" in open(f"/proc/{inner}/environ").read()
    for pid in (child.pid, filled.status()["pid"]):
        for name in ("environ", "cmdline"):
            assert "s3cret-Value" not in open(f"/proc/{pid}/{name}").read()
    child.send_signal(signal.SIGTERM)
    assert child.wait(timeout=30) == 143
    deadline = time.monotonic() + 10
    while os.path.exists(f"/proc/{inner}") and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not os.path.exists(f"/proc/{inner}")


def test_what_nohup_ignores_is_ignored_by_the_program_too(filled):
    command = [filled.binary, "run", "--", "sh", "-c", "kill -HUP $$; sleep 0.2; echo lived $DB"]
    for prefix, wanted in (([], ""), (["nohup"], "lived ********\n")):
        done = subprocess.run(
            [*prefix, *command], env=filled.environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60
        )
        assert done.stdout == wanted and (done.returncode == 0) is bool(prefix), done


def test_a_file_brings_variables_and_a_code_is_a_value(filled, tmp_path):
    file = tmp_path / "deploy.env"
    file.write_text("# a comment\nPLAIN=some = text\nCODE=ward:///Data%20base/code\n\n")
    done = filled.run("run", "--env-file", str(file), "--", "sh", "-c", 'echo "$PLAIN"; test ${#CODE} = 6 && echo six; echo $CODE')
    assert done.stdout == "some = text\nsix\n********\n"
    file.write_text("nonsense\n")
    refused = filled.run("run", "--env-file", str(file), "--", "true")
    assert refused.returncode == 2 and "Line 1" in refused.stderr


@pytest.mark.parametrize(
    ("reference", "status"),
    [
        ("ward://x", 2), ("ward:///Data base", 2), ("ward:////password", 2), ("ward:///Nothing/password", 4), ("ward:///Data%20base/nothing", 4),
        ("ward://other/Data%20base/password", 4), ("ward:///Data/password", 4),
    ],
)  # fmt: skip
def test_a_reference_that_is_wrong_is_named_and_nothing_runs(filled, tmp_path, reference, status):
    filled.settings["WRONG"] = reference
    done = filled.run("run", "--", "touch", str(tmp_path / "ran"))
    assert done.returncode == status and "WRONG" in done.stderr and not (tmp_path / "ran").exists()


def test_a_program_that_is_not_there_or_leaves_one_behind(filled):
    assert filled.run("run", "--", "no-such-program").returncode == 4
    assert filled.run("run").returncode == 2
    started = time.monotonic()
    assert filled.run("run", "--", "sh", "-c", "sleep 100 & echo $DB; kill -9 $$").returncode == 137
    assert time.monotonic() - started < 60
    filled.ok("lock")
    assert filled.run("run", "--no-prompt", "--", "true").returncode == 3
