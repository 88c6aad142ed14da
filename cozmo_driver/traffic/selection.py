"""Which frames and messages of the traffic are shown."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fnmatch import fnmatchcase

from .dissect import ECHO, PING, DissectedFrame, Item

STREAMS = ("RobotState", "AnimationState", "ImageChunk", "ImageImuData", "ObjectAccel", PING)
"""What comes many times a second."""


@dataclass(frozen=True, slots=True)
class Selection:
    """What is shown; names are patterns like ``Set*``, times s since the first frame.

    With names, a frame is shown with those of its messages only, or under its own type's name.
    """

    only: tuple[str, ...] = ()
    hidden: tuple[str, ...] = ()
    to_robot: bool | None = None
    after: float | None = None
    before: float | None = None

    def apply(self, dissected: DissectedFrame) -> DissectedFrame | None:
        """Return what is to be shown of a frame; None for nothing."""
        recorded = dissected.recorded
        if self.to_robot is not None and recorded.to_robot is not self.to_robot:
            return None
        if self.after is not None and recorded.seconds < self.after:
            return None
        if self.before is not None and recorded.seconds > self.before:
            return None
        if not self.only and not self.hidden:
            return dissected
        if not dissected.items:
            # Without names to look for, only acknowledgements of what is hidden are left out.
            shown = self._shows(dissected.name) and (self.only or not dissected.is_container)
            return dissected if shown else None
        items = [item for item in dissected.items if self._shows(_name(item))]
        return replace(dissected, items=items) if items else None

    def _shows(self, name: str) -> bool:
        if any(fnmatchcase(name, pattern) for pattern in self.hidden):
            return False
        return not self.only or any(fnmatchcase(name, pattern) for pattern in self.only)


def _name(item: Item) -> str:
    return PING if item.name == ECHO else item.name
