"""What the robot feels (spec 12 §2)."""

from __future__ import annotations

from .affect import Affect, affect_of, simple_mood_of
from .causes import emotion_event_of
from .config import EmotionEvent, MoodConfig, load_mood_config
from .emotions import Emotion
from .mood import Mood

__all__ = [
    "Affect",
    "Emotion",
    "EmotionEvent",
    "Mood",
    "MoodConfig",
    "affect_of",
    "emotion_event_of",
    "load_mood_config",
    "simple_mood_of",
]
