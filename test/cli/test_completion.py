"""The Tab key: the real command asked as a shell asks it (argcomplete's protocol)."""

from __future__ import annotations

import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from .command import COMMAND, DEADLINE, cozmo, environment
from .programs import on_path

SHELLS = ("bash", "zsh", "fish")


def completions(line: str, folder: Path, program: list[str] = COMMAND) -> list[str]:
    """Return what is offered at the end of a line."""
    # Answers come through file descriptor 8.
    result = subprocess.run(
        ["bash", "-c", f"exec {shlex.join(program)} 8>&1 9>&2 >/dev/null"],
        capture_output=True,
        text=True,
        cwd=folder,
        env={
            **environment(),
            "HOME": str(folder),
            "_ARGCOMPLETE": "1",
            "_ARGCOMPLETE_SHELL": "bash",
            "_ARGCOMPLETE_IFS": "\n",
            "_ARGCOMPLETE_SUPPRESS_SPACE": "1",
            "COMP_LINE": line,
            "COMP_POINT": str(len(line)),
        },
        timeout=DEADLINE,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    return result.stdout.split()


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("cozmo nv re", ["read", "restore"]),
        ("cozmo face show Hap", ["Happiness"]),
        ("cozmo anim play Greet", ["Greeting"]),
        ("cozmo emulator --world ma", ["maze"]),
        ("cozmo emulator ctl ta", ["tap"]),
        ("cozmo dump --only SetHeadA", ["SetHeadAngle"]),
        ("cozmo nv read camera", ["camera_calib"]),
        ("cozmo update fi", ["firmware.safe"]),
        ("cozmo linktest --count fi", []),
    ],
)
def test_what_may_follow_is_offered(line, offered, tmp_path):
    (tmp_path / "firmware.safe").touch()
    assert [word.rstrip() for word in completions(line, tmp_path)] == offered


@pytest.mark.parametrize("shell", SHELLS)
def test_a_script_is_printed_for_the_shell(shell):
    result = cozmo("completion", shell)
    assert (result.returncode, result.stderr) == (0, "")
    assert "_ARGCOMPLETE" in result.stdout
    program = shutil.which(shell)
    if program is not None:
        checked = subprocess.run(
            [program, "-n"], input=result.stdout, capture_output=True, text=True, check=False
        )
        assert (checked.returncode, checked.stderr) == (0, "")


def test_the_script_makes_bash_complete(tmp_path, monkeypatch):
    on_path(monkeypatch, tmp_path, cozmo=f'#!/bin/sh\nexec {shlex.join(COMMAND)} "$@"\n')
    script = (
        "source <(cozmo completion bash); COMP_LINE='cozmo resources st'; COMP_POINT=18; "
        "COMP_TYPE=9; COMP_WORDS=(cozmo resources st); COMP_CWORD=2; "
        "function=$(complete -p cozmo | grep -o '_python_argcomplete[^ ]*'); "
        '$function cozmo st resources; echo "${COMPREPLY[@]}"'
    )
    result = subprocess.run(
        ["bash", "-c", script],
        capture_output=True,
        text=True,
        env=environment(),
        timeout=DEADLINE,
        check=False,
    )
    assert result.stdout.strip() == "status", result.stderr
