"""Feedback of what plays, at a pace that people and programs can follow."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..media.audio_codec import FRAME_TIME
from ..robot import SoundProgress
from .action_bridge import Goal

_PERIOD = 0.1
"""s of what plays between two feedbacks."""


class Pace:
    """Says of positions in what plays, s, which are due for a feedback."""

    def __init__(self) -> None:
        """Start before the beginning."""
        self._told = -_PERIOD

    def is_due(self, position: float, duration: float) -> bool:
        """Tell whether to publish; always at the end, and where it begins anew."""
        is_end = position >= duration - FRAME_TIME / 2
        is_again = position < self._told
        if not (is_end or is_again or position - self._told > _PERIOD - FRAME_TIME / 2):
            return False
        self._told = position
        return True


def sound_feedback(goal: Goal, feedback: type) -> Callable[[SoundProgress], None]:
    """Return what publishes the progress of a sound and keeps it in the goal's result."""
    pace = Pace()

    def report(progress: SoundProgress) -> None:
        goal.result.position = progress.position
        if pace.is_due(progress.position, progress.duration):
            told: Any = feedback(position=progress.position, duration=progress.duration)
            goal.publish(told)

    return report
