"""The ``cozmo`` command itself: help, version, errors."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import cozmo_driver
from cozmo_driver.cli import main as cli

from .command import CAPTURES, COMMAND, DEADLINE, ROOT, cozmo, cozmo_program, environment


def test_help_names_every_command_and_what_it_does() -> None:
    result = cozmo_program("--help")
    assert result.returncode == 0
    for name in cli.COMMANDS:
        assert name in result.stdout
    assert "show recorded traffic" in result.stdout
    assert result.stderr == ""


def test_the_version_is_that_of_the_package() -> None:
    result = cozmo("--version")
    assert result.returncode == 0
    assert result.stdout == f"cozmo_driver {cozmo_driver.__version__}\n"
    assert f"<version>{cozmo_driver.__version__}</version>" in (ROOT / "package.xml").read_text()


@pytest.mark.parametrize("arguments", [(), ("fly",), ("decode",), ("decode", "--fast", "x")])
def test_a_wrong_call_ends_with_2_and_says_how_to_call(arguments: tuple[str, ...]) -> None:
    result = cozmo(*arguments)
    assert result.returncode == 2
    assert "usage: cozmo" in result.stderr
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize(
    ("words", "unloaded"),
    [
        (["--version"], "{'numpy', 'asyncio', 'argcomplete', 'tqdm'} | commands"),
        (["--help"], "{'numpy', 'asyncio', 'argcomplete', 'tqdm'} | commands"),
        (["decode", str(CAPTURES / "image_gray_1.log")], "{'numpy', 'PIL', 'asyncio', 'rclpy'}"),
    ],
    ids=["version", "help", "decode"],
)
def test_nothing_is_loaded_that_is_not_needed(words: list[str], unloaded: str) -> None:
    code = (
        "import sys, contextlib; from cozmo_driver.cli import main as cli\n"
        f"with contextlib.suppress(SystemExit): assert cli.main({words!r}) == 0\n"
        "commands = {'cozmo_driver.cli.' + name for name in cli.COMMANDS}\n"
        f"loaded = ({unloaded}) & set(sys.modules)\n"
        "sys.exit(f'loaded: {loaded}' if loaded else 0)"
    )
    result = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        env=environment(),
        timeout=DEADLINE,
        check=False,
    )
    assert result.returncode == 0, result.stderr


def test_a_reader_that_goes_away_ends_the_command_quietly(tmp_path: Path) -> None:
    long = tmp_path / "long.log"
    long.write_text((CAPTURES / "session_fw2457_start.log").read_text() * 30)
    process = subprocess.Popen(
        [*COMMAND, "decode", str(long)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(),
    )
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.readline()
    process.stdout.close()
    errors = process.stderr.read()
    process.stderr.close()
    assert process.wait(DEADLINE) == 141
    assert errors == b""


def test_an_output_that_is_closed_is_no_failure() -> None:
    result = subprocess.run(
        ["sh", "-c", 'exec "$@" >&-', "sh", *COMMAND, "face", "list"],
        capture_output=True,
        text=True,
        env=environment(),
        timeout=DEADLINE,
        check=False,
    )
    assert (result.returncode, result.stderr) == (0, "")


def test_an_interrupt_ends_with_130(monkeypatch: pytest.MonkeyPatch) -> None:
    from cozmo_driver.cli import decode

    def interrupted(arguments: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(decode, "run", interrupted)
    assert cli.main(["decode", "x"]) == 130
