"""The built-in sounds as a source of sounds."""

from __future__ import annotations

import random

from ...media.audio_codec import Samples
from ...media.synthesis import finished
from .builtin.catalog import SCORES, Score
from .sounds import Sound

_BY_NAME = {score.name: score for score in SCORES}
_BY_ID = {score.event_id: score for score in SCORES}


class BuiltinSounds:
    """Sounds by name or event id; each is made when it is first wanted, and kept."""

    def __init__(self) -> None:
        """Make none yet."""
        self._made: dict[int, Sound] = {}

    def names(self) -> list[str]:
        """Return the names in the order of their numbers."""
        return list(_BY_NAME)

    def describe(self, name: str) -> str:
        """Return in a few words what the sound is. Raises ``KeyError``."""
        return _score(name).text

    def event_id(self, name: str) -> int:
        """Return what a RobotAudio keyframe gives for the sound. Raises ``KeyError``."""
        return _score(name).event_id

    def sound(self, name: str) -> Sound:
        """Return a sound. Raises ``KeyError``."""
        return self._sound(_score(name))

    def knows(self, event_id: int) -> bool:
        """Tell whether the event is a built-in sound."""
        return event_id in _BY_ID

    def sound_for(self, event_id: int, rng: random.Random) -> Sound | None:
        """Return the sound of the event, always the same; None for another event."""
        score = _BY_ID.get(event_id)
        return None if score is None else self._sound(score)

    def stopped_by(self, event_id: int) -> frozenset[int]:
        """Return nothing: built-in events end no sound."""
        return frozenset()

    def _sound(self, score: Score) -> Sound:
        if score.number not in self._made:
            samples: Samples = finished(score.make(), score.peak)
            samples.flags.writeable = False
            self._made[score.number] = Sound(score.event_id, samples)
        return self._made[score.number]


def _score(name: str) -> Score:
    if name not in _BY_NAME:
        raise KeyError(f"there is no built-in sound {name!r}")
    return _BY_NAME[name]
