"""Programs that end with the one that started them."""

from __future__ import annotations

import subprocess
import sys

from cozmo_driver.bringup.child import ending_with_this

from ..waiting import TIMEOUT

_PARENT = """
import subprocess
from cozmo_driver.bringup.child import ending_with_this
subprocess.run(ending_with_this(["sh", "-c", "echo here; exec sleep 600"]))
"""


def test_a_child_ends_with_its_parent_however_that_dies() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", _PARENT], stdout=subprocess.PIPE, text=True
    ) as parent:
        assert parent.stdout
        assert parent.stdout.readline() == "here\n"
        parent.kill()
        # Its output ends when nobody is left who could write to it.
        assert parent.communicate(timeout=TIMEOUT) == ("", None)


def test_a_child_whose_parent_died_before_never_runs() -> None:
    # The shell is its parent, and not this process.
    words = ["sh", "-c", '"$@"; exit', "sh", *ending_with_this(["echo", "here"])]
    done = subprocess.run(words, stdout=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "")


def test_a_command_is_run_as_it_is() -> None:
    done = subprocess.run(ending_with_this(["sh", "-c", 'exit "$0"', "7"]), check=False)
    assert done.returncode == 7
