"""The built-in sounds, which ``scores/`` has made: a source of sounds."""

from __future__ import annotations

import random
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from ...media import audio_codec
from .sounds import Sound

FIRST_EVENT_ID = 10_000_000_000
"""Ids of built-in sounds are this and the number of the sound: above 32 bits, where no bank is."""
FILE = Path(__file__).with_name("builtin_sounds.npz")
"""The codes of each sound by its name, in the order of their numbers, from 1."""


@cache
def _file() -> Any:
    return np.load(FILE)


@cache
def _sound(name: str) -> Sound:
    samples = audio_codec.decode(_file()[name].tobytes())
    samples.flags.writeable = False
    return Sound(FIRST_EVENT_ID + 1 + _file().files.index(name), samples)


def _name(event_id: int) -> str | None:
    names, index = _file().files, event_id - FIRST_EVENT_ID - 1
    return names[index] if 0 <= index < len(names) else None


def sound_name(event_id: int) -> str:
    """Return the name of a built-in sound, for any other one its number."""
    return _name(event_id) or str(event_id)


class BuiltinSounds:
    """Sounds by name or event id; each is read when it is first asked for, and kept."""

    def names(self) -> list[str]:
        return list(_file().files)

    def event_id(self, name: str) -> int:
        """Return what a RobotAudio keyframe gives for the sound. Raises ``KeyError``."""
        return self.sound(name).event_id

    def sound(self, name: str) -> Sound:
        """Return a sound. Raises ``KeyError``."""
        if name not in _file():
            raise KeyError(f"there is no built-in sound {name!r}")
        return _sound(name)

    def has(self, event_id: int) -> bool:
        return _name(event_id) is not None

    def sound_for(self, event_id: int, rng: random.Random) -> Sound | None:
        """Return the sound of the event, always the same; None for another event."""
        name = _name(event_id)
        return None if name is None else _sound(name)

    def stopped_by(self, event_id: int) -> frozenset[int]:
        return frozenset()
