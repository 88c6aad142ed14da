"""The three needs and how urgent one is."""

from __future__ import annotations

from enum import Enum, IntEnum


class Need(Enum):
    """By the names of the app's files."""

    REPAIR = "Repair"
    ENERGY = "Energy"
    PLAY = "Play"


class Bracket(IntEnum):
    """How urgent a need is; values of ``cozmo_interfaces/msg/Needs``."""

    FULL = 0
    NORMAL = 1
    WARNING = 2
    CRITICAL = 3

    @property
    def file_name(self) -> str:
        """The name in the app's files."""
        return self.name.capitalize()


BRACKETS = {bracket.file_name: bracket for bracket in Bracket}
"""By name."""
