"""Expressions for the face node: those of behaviours, and the mood while none shows any."""

from __future__ import annotations

import math

from cozmo_interfaces.msg import Expression

from ...behavior.mood import Affect
from ..context import NodeContext
from ..topics import COMMAND

NEUTRAL = "Neutral"
_MOODS = {
    NEUTRAL: Affect(0.0, 0.0),
    "Happiness": Affect(0.5, 0.1),
    "Excitement": Affect(0.5, 0.6),
    "Annoyance": Affect(-0.4, 0.4),
    "Sadness": Affect(-0.5, -0.3),
    "Boredom": Affect(-0.2, -0.7),
}
_HYSTERESIS = 0.1
_BLEND_TIME = 0.4


def expression_of(affect: Affect, before: str = NEUTRAL) -> str:
    """Return the expression that is nearest to a mood; the one ``before`` stays in doubt."""

    def distance(name: str) -> float:
        mood = _MOODS[name]
        far = math.hypot(affect.valence - mood.valence, affect.arousal - mood.arousal)
        return far - (_HYSTERESIS if name == before else 0.0)

    return min(_MOODS, key=distance)


class Face:
    """Tells ``face/expression`` what changes. In the loop."""

    def __init__(self, context: NodeContext) -> None:
        """Offer the topic; the face is neutral and nobody's until ``wake``."""
        self._publisher = context.node.create_publisher(Expression, "face/expression", COMMAND)
        self._is_awake = False
        self._shows_mood = True
        self._asked = ""
        self._mood = self._shown = NEUTRAL

    def show(self, name: str) -> None:
        """Show an expression for a behaviour until told otherwise; empty for no more."""
        self._asked = name
        self._tell()

    def feel(self, affect: Affect, is_shown: bool) -> None:
        """Take the mood, and whether it is to be seen."""
        self._mood, self._shows_mood = expression_of(affect, self._mood), is_shown
        self._tell()

    def wake(self, on: bool) -> None:
        """Take the face, or leave it, neutral, to others."""
        self._is_awake = on
        self._tell()

    def _tell(self) -> None:
        mood = self._mood if self._shows_mood else NEUTRAL
        wanted = (self._asked or mood) if self._is_awake else NEUTRAL
        if wanted != self._shown:
            self._shown = wanted
            self._publisher.publish(Expression(name=wanted, blend_time=_BLEND_TIME))
