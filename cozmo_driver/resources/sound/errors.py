"""What is wrong with a file of sounds, told for people."""

from __future__ import annotations

from collections import Counter
from enum import Enum

from ..errors import Damaged, LoadWarning


class SoundBankError(Damaged):
    """A sound file is damaged."""


class SoundUnsupported(SoundBankError):
    """The file is well but of a kind that is not read here; the text says what to do."""


class Problem(Enum):
    """Why an event makes no sound, or not all of it."""

    DAMAGED = "damaged"
    UNSUPPORTED = "unsupported"
    NO_OBJECT = "object in no bank"
    NO_MEDIA = "no media file"
    MUSIC = "music"
    NOT_CARRIED_OUT = "action not carried out"
    TOO_MUCH = "too much"
    NO_LIBRARY = "library missing"


class Problems:
    """Counts what went wrong and keeps the first text of each cause."""

    MOST_WARNINGS = 200

    def __init__(self) -> None:
        """Start with none."""
        self.counts: Counter[Problem] = Counter()
        self._warnings: dict[tuple[str, str], LoadWarning] = {}

    @property
    def warnings(self) -> tuple[LoadWarning, ...]:
        """Every cause once, in the order in which they were met; not more than 200."""
        return tuple(self._warnings.values())

    def note(self, problem: Problem, source: str, text: str) -> None:
        """Count a problem; a cause told before is not told again."""
        self.counts[problem] += 1
        key = (source, text)
        if key not in self._warnings and len(self._warnings) < self.MOST_WARNINGS:
            self._warnings[key] = LoadWarning(source, text)
