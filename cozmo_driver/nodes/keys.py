"""What keys mean for driving by hand, and how a terminal gives them one by one."""

from __future__ import annotations

import contextlib
import os
import select
import sys
import termios
import tty
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TextIO

HELP = (
    "w s or arrows: forward, back    a d or arrows: turn    e q: faster, slower",
    "r f: head up, down    t g: lift up, down    space: stop    x: end",
    "Hold a key to go on: without one the robot stops.",
)
HOLD = 0.75
"""A key counts for this time, s: longer than X waits before it repeats one, 0.66 s."""
_STEP = 1.25
_GEARS = range(-6, 5)
_ARROWS = {"\x1b[A": "w", "\x1b[B": "s", "\x1b[C": "d", "\x1b[D": "a"}
# Velocity, and its share of the speed.
_MOVES = {
    "w": ("linear", 1.0),
    "s": ("linear", -1.0),
    "a": ("angular", 1.0),
    "d": ("angular", -1.0),
    "r": ("head", 1.0),
    "f": ("head", -1.0),
    "t": ("lift", 1.0),
    "g": ("lift", -1.0),
}
LINEAR, ANGULAR = 0.08, 1.5
"""In the middle gear, m/s and rad/s."""
_JOINTS = 0.8
"""Head and lift, rad/s."""
_GEARED = frozenset({"linear", "angular"})


@dataclass(slots=True)
class Keys:
    """Turns keys into velocities; time is a parameter, s. The speeds are the middle gear's."""

    linear: float = LINEAR
    angular: float = ANGULAR
    gear: int = 0
    is_ended: bool = False
    _until: dict[str, float] = field(default_factory=dict)
    _share: dict[str, float] = field(default_factory=dict)

    def press(self, key: str, now: float) -> None:
        """Take a key; unknown ones stop the robot."""
        if key == "x":
            self.is_ended = True
        elif key in ("e", "q"):
            gear = self.gear + (1 if key == "e" else -1)
            self.gear = min(max(gear, _GEARS.start), _GEARS.stop - 1)
        elif key in _MOVES:
            name, self._share[name] = _MOVES[key][0], _MOVES[key][1]
            self._until[name] = now + HOLD
        else:
            self._until.clear()

    def velocity(self, name: str, now: float) -> float:
        """Return what is wished of ``linear`` (m/s), ``angular``, ``head``, ``lift`` (rad/s)."""
        if now >= self._until.get(name, now):
            return 0.0
        if name not in _GEARED:
            return self._share[name] * _JOINTS
        full = self.linear if name == "linear" else self.angular
        return self._share[name] * full * _STEP**self.gear


def split(text: str) -> list[str]:
    """Return the keys in what a terminal sent; the arrows are named by their letters."""
    keys = []
    while text:
        for code, key in _ARROWS.items():
            if text.startswith(code):
                keys.append(key)
                text = text[len(code) :]
                break
        else:
            keys.append(text[0])
            text = text[1:]
    return keys


@contextlib.contextmanager
def key_by_key(stream: TextIO = sys.stdin) -> Iterator[int]:
    """Let the terminal give each key at once for the time of a ``with`` block; yield its number.

    Raises ``OSError`` where there is no terminal.
    """
    if not stream.isatty():
        raise OSError("there is no terminal to take keys from")
    number = stream.fileno()
    before = termios.tcgetattr(number)
    try:
        tty.setcbreak(number)
        yield number
    finally:
        termios.tcsetattr(number, termios.TCSADRAIN, before)


def read_keys(number: int, timeout: float) -> list[str]:
    """Return the keys pressed within ``timeout`` s. Raises ``EOFError`` when the terminal left."""
    ready, _, _ = select.select([number], [], [], timeout)
    if not ready:
        return []
    text = os.read(number, 256).decode(errors="replace")
    if not text:
        raise EOFError
    return split(text)
