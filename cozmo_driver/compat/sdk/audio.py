"""``cozmo.audio``: sounds that the tablet played; here some on the robot (spec 21 §8)."""

from __future__ import annotations

from typing import NamedTuple

from .names import named_values


class _AudioEvent(NamedTuple):
    name: str
    id: int


class AudioEvents:
    """The sounds by name."""


for _name, _id in named_values("audio_events").items():
    setattr(AudioEvents, _name, _AudioEvent(_name, _id))

_WORDS = {
    "Win": "Success",
    "Success": "Success",
    "Positive": "Success",
    "Lose": "Failure",
    "Error": "No",
    "Negative": "No",
    "Countdown": "AskToPlay",
    "Timer": "AskToPlay",
}


def clip_for(event: str) -> str | None:
    """Return the trigger whose sound comes nearest to an effect; None for music and stops."""
    if event.startswith("Music") or event.endswith("Stop"):
        return None
    return next((clip for word, clip in _WORDS.items() if word in event), None)
