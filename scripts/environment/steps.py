"""Running one step of the set-up, and telling how it goes."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

TAIL = 40  # lines of a failed step that are shown


class SetupError(Exception):
    """A set-up that cannot go on; the text says what happened and what to do."""


def say(text: str) -> None:
    """Tell the user, on stderr: stdout belongs to the command that is run afterwards."""
    print(text, file=sys.stderr, flush=True)


def run(
    title: str,
    command: Sequence[str | Path],
    log: Path,
    env: Mapping[str, str] | None = None,
    shown: Callable[[str], bool] = lambda line: False,
) -> None:
    """Run a step with its output in `log`; SetupError with the end of it when it fails.

    Lines that `shown` picks are shown as they come; on a terminal the last of any kind, too.
    """
    say(f"-- {title}")
    started = time.monotonic()
    log.parent.mkdir(parents=True, exist_ok=True)
    words = [str(word) for word in command]
    tail: list[str] = []
    with log.open("w") as file:
        file.write(shlex.join(words) + "\n")
        try:
            process = subprocess.Popen(
                words,
                env=env,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                errors="replace",
            )
        except OSError as error:
            raise SetupError(f"{title}: cannot run {words[0]}: {error.strerror}") from None
        assert process.stdout is not None
        try:
            for line in process.stdout:
                file.write(line)
                tail = [*tail[1 - TAIL :], line.rstrip()]
                show_line(line.rstrip(), lasting=shown(line))
        except BaseException:
            process.terminate()
            raise
        finally:
            process.wait()
            show_line("", lasting=False)
    if process.returncode:
        say("\n".join(tail))
        raise SetupError(
            f"{title}: failed with code {process.returncode}; its whole output is in {log}"
        )
    say(f"   {time.monotonic() - started:.0f} s")


def show_line(line: str, *, lasting: bool) -> None:
    """Show a line of output below the step's title, in place of the passing one before it."""
    if sys.stderr.isatty():
        width = os.get_terminal_size(sys.stderr.fileno()).columns or 80
        end = "\n" if lasting else ""
        sys.stderr.write(f"\r\x1b[K{('   ' + line)[: width - 1] if line else ''}{end}")
        sys.stderr.flush()
    elif lasting:
        say(f"   {line}")
