"""The personality of one robot: everything of ``behavior/`` put together, by the parameters."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from ..resources import ResourceError
from ..ros.errors import StartError
from ..ros.parameter_set import ParameterSet
from .behavior import Behavior
from .constraints import Permissions
from .engine import Engine
from .executor import Snapshot
from .ros_body import RosBody
from .system import BehaviorSystem
from .system import load_files as read_files

PERMISSIONS = {
    "allow_motion": "motion",
    "allow_leaving_charger": "leaving_charger",
    "allow_going_home": "going_home",
    "quiet_time": "quiet_time",
    "low_battery": "low_battery",
    "charged_battery": "charged_battery",
}
"""Parameters and what they set."""


def load_files(resource_dir: str, behavior_files: str) -> BehaviorSystem:
    """Read everything there is to live by. Raises ``StartError``."""
    paths = [Path(one).expanduser() for one in behavior_files.split(":") if one]
    try:
        return read_files(resource_dir, paths)
    except ResourceError as error:
        raise StartError(f"there is nothing to live by: {error}") from error


def permissions_of(parameters: ParameterSet) -> Permissions:
    start, end = parameters["quiet_hours"]
    others = {field: parameters[name] for name, field in PERMISSIONS.items()}
    return Permissions(quiet_hours=None if start == end else (start, end), **others)


def text_of_quiet_hours(permissions: Permissions) -> str:
    """Tell the quiet hours with the time that they go by: a container's may be another zone's."""
    if permissions.quiet_hours is None:
        return "no quiet hours"
    start, end = permissions.quiet_hours
    return f"quiet hours {start:g} to {end:g}, it is {time.strftime('%H:%M (%Z)')}"


def hour_of_day() -> float:
    now = time.localtime()
    return now.tm_hour + now.tm_min / 60 + now.tm_sec / 3600


class Personality:
    """Engine, mood, needs and reactions, with the body they live in. Made and used in the loop."""

    def __init__(
        self,
        system: BehaviorSystem,
        body: RosBody,
        parameters: ParameterSet,
        on_change: Callable[[Snapshot], object],
    ) -> None:
        self.body = body
        self.rng = random.Random(parameters["seed"] or None)
        self.engine = Engine(
            body,
            system,
            rng=self.rng,
            permissions=permissions_of(parameters),
            hour=hour_of_day,
            on_change=on_change,
        )
        self.inner = self.engine.inner
        self.warnings = (
            *map(str, system.warnings),
            *map(str, self.inner.mood.config.warnings),
            *map(str, self.inner.needs.config.warnings),
            *self.inner.reactions.warnings,
        )
        """What was left out, for people."""

    @property
    def unsupported(self) -> Sequence[Behavior]:
        """Behaviours that are never chosen: their class or a strategy is not there."""
        return [one for one in self.engine.behaviors.values() if one.missing]

    def missing_clips(self, behavior: Behavior) -> tuple[str, ...]:
        """Return the animation triggers of a behaviour that the driver has no clips for."""
        return tuple(one for one in behavior.triggers if not self.body.has_clip(one))

    def why_unsupported(self, behavior: Behavior) -> str:
        """Say why a behaviour can never run here; empty where it can."""
        missing = self.missing_clips(behavior)
        if missing and len(missing) == len(behavior.triggers):
            return f"there are no clips for {', '.join(missing)}"
        return behavior.missing

    def set_permissions(self, permissions: Permissions) -> None:
        """Live by other rules from now on; what they no longer allow ends at once."""
        constraints = self.engine.constraints
        before, constraints.permissions = constraints.permissions, permissions
        withdrawn = any(
            getattr(before, one) and not getattr(permissions, one)
            for one in ("motion", "leaving_charger", "going_home")
        )
        if withdrawn or before.quiet_hours != permissions.quiet_hours:
            self.engine.touch("a changed parameter")
