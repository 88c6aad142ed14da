"""The emotions by the names of the app's files."""

from __future__ import annotations

from enum import Enum


class Emotion(Enum):
    """Each from -1 to 1; 0 is at rest. In the order of ``cozmo_interfaces/msg/Mood``."""

    HAPPY = "Happy"
    CALM = "Calm"
    BRAVE = "Brave"
    CONFIDENT = "Confident"
    EXCITED = "Excited"
    SOCIAL = "Social"
    WANT_TO_PLAY = "WantToPlay"
    CHARGED = "Charged"
    WINNING = "Winning"


EMOTIONS = {emotion.value: emotion for emotion in Emotion}
"""By name."""
