"""Running one step of the set-up, and showing how it goes."""

from __future__ import annotations

import os
import queue
import re
import shlex
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO

TAIL = 40  # lines of a failed step that are shown
WIDTH = 24  # of the progress bar


class SetupError(Exception):
    """A set-up that cannot go on; the text says what happened and what to do."""


def say(text: str) -> None:
    """Print for the user, on stderr: stdout belongs to the command that is run afterwards."""
    print(text, file=sys.stderr, flush=True)


def run(
    title: str,
    command: Sequence[str | Path],
    log: Path,
    env: Mapping[str, str] | None = None,
    seconds: float = 30.0,
    cwd: Path | None = None,
) -> None:
    """Run a step with its output in `log`; SetupError with the end of it when it fails.

    Progress is what the step prints ("40% compiling"), else the part of its usual `seconds`.
    """
    say(f"-- {title}")
    started = time.monotonic()
    log.parent.mkdir(parents=True, exist_ok=True)
    words = [str(word) for word in command]
    tail = [""]
    fraction = 0.0
    with log.open("w") as file:
        file.write(shlex.join(words) + "\n")
        try:
            process = subprocess.Popen(
                words,
                env=env,
                cwd=cwd,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                errors="replace",
            )
        except OSError as error:
            raise SetupError(f"{title}: cannot run {words[0]}: {error.strerror}") from None
        assert process.stdout is not None
        lines: queue.Queue[str | None] = queue.Queue()
        threading.Thread(target=read, args=(process.stdout, lines), daemon=True).start()
        try:
            while (line := next_line(lines)) is not None:
                file.write(line)
                if line.strip():
                    tail = [*tail[1 - TAIL :], line.rstrip()]
                elapsed = time.monotonic() - started
                if percent := re.match(r"(\d+)% ", tail[-1]):
                    fraction = int(percent[1]) / 100
                else:
                    fraction = max(fraction, min(0.95, elapsed / seconds))
                show_progress(fraction, elapsed, tail[-1])
        except BaseException:
            process.terminate()
            raise
        finally:
            process.wait()
            clear_line()
    if process.returncode:
        say("\n".join(tail))
        raise SetupError(
            f"{title}: failed with code {process.returncode}; its whole output is in {log}"
        )
    say(f"   {time.monotonic() - started:.0f} s")


def read(stream: IO[str], lines: queue.Queue[str | None]) -> None:
    """Put every line into the queue, then None."""
    for line in stream:
        lines.put(line)
    lines.put(None)


def next_line(lines: queue.Queue[str | None]) -> str | None:
    """The next line, "" when there is none for half a second, None at the end."""
    try:
        return lines.get(timeout=0.5)
    except queue.Empty:
        return ""


def show_progress(fraction: float, elapsed: float, text: str) -> None:
    """On a terminal, draw a bar below the step's title, in place of the one before."""
    if sys.stderr.isatty():
        width = os.get_terminal_size(sys.stderr.fileno()).columns or 80
        bar = ("#" * round(fraction * WIDTH)).ljust(WIDTH, "-")
        line = f"   [{bar}] {elapsed:3.0f} s  {text}"
        sys.stderr.write(f"\r\x1b[K{line[: width - 1]}")
        sys.stderr.flush()


def clear_line() -> None:
    """Remove the bar."""
    if sys.stderr.isatty():
        sys.stderr.write("\r\x1b[K")
        sys.stderr.flush()
