"""Groups of clips for one occasion, of which one is drawn, and their triggers (spec 06 §6, 11 §4).

Nothing here reads a clock or has randomness of its own: time and generator are given.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from .errors import LoadWarning, ResourceError
from .files import checked_number

DEFAULT_MOOD = "Default"
HEAD_TOLERANCE = 0.05
"""How far outside of its window the head may be where no member is free, rad."""

_MEMBERS = "Animations"
_NAME, _WEIGHT, _MOOD, _COOLDOWN = "Name", "Weight", "Mood", "CooldownTime_Sec"
_USE_HEAD, _HEAD_LOW, _HEAD_HIGH = "UseHeadAngle", "HeadAngleMin_Deg", "HeadAngleMax_Deg"
_LIMIT = 1e9
"""Greater numbers are mistakes."""


@dataclass(frozen=True, slots=True)
class GroupMember:
    """A clip of a group. The head window is in degrees, as in the file; None: any angle."""

    clip: str
    weight: float = 1.0
    mood: str = DEFAULT_MOOD
    cooldown_s: float = 0.0
    head_window_deg: tuple[float, float] | None = None

    def fits(self, head_angle: float, tolerance: float = 0.0) -> bool:
        """Tell whether the head's angle is in the window, give or take a tolerance, both rad."""
        if self.head_window_deg is None:
            return True
        low, high = map(math.radians, self.head_window_deg)
        return low - tolerance <= head_angle <= high + tolerance


@dataclass(frozen=True, slots=True)
class AnimationGroup:
    """A name and the clips to draw from, at least one."""

    name: str
    members: tuple[GroupMember, ...]


Cooldowns = dict[str, float]
"""When each clip may be drawn again, whatever the group; in s of the caller's clock."""


def choose(
    group: AnimationGroup,
    cooldowns: Cooldowns,
    rng: random.Random,
    now: float,
    *,
    mood: str = DEFAULT_MOOD,
    head_angle: float = 0.0,
) -> GroupMember:
    """Return the member to play and start its cooldown; ``now`` in s, ``head_angle`` in rad.

    Members of the mood, else of the default mood, in whose window the head is and which are free,
    by their weights. Where none is: of the members of these moods the one that is free first, with
    a tolerance for the head; else the group's first (spec 06 §6).
    """
    moods = (mood,) if mood == DEFAULT_MOOD else (mood, DEFAULT_MOOD)
    for requested in moods:
        free = [
            member
            for member in group.members
            if member.mood == requested
            and member.fits(head_angle)
            and cooldowns.get(member.clip, -math.inf) <= now
        ]
        if free:
            chosen = _draw(free, rng)
            break
    else:
        near = [
            member
            for member in group.members
            if member.mood in moods and member.fits(head_angle, HEAD_TOLERANCE)
        ]
        chosen = min(
            near or group.members[:1],
            key=lambda member: cooldowns.get(member.clip, -math.inf),
        )
    if chosen.cooldown_s > 0.0:
        cooldowns[chosen.clip] = now + chosen.cooldown_s
    return chosen


def read_group(name: str, content: Any, source: str) -> tuple[AnimationGroup, list[LoadWarning]]:
    """Return the group of a parsed file and what was left out. Raises ``ResourceError``."""
    listed = content.get(_MEMBERS) if isinstance(content, dict) else None
    if not isinstance(listed, list):
        raise ResourceError(f"{source}: a group is an object with a list {_MEMBERS!r}")
    members = []
    warnings = []
    for number, given in enumerate(listed):
        try:
            members.append(_read_member(given))
        except (TypeError, ValueError) as error:
            warnings.append(LoadWarning(source, f"member {number} is left out: {error}"))
    if not members:
        raise ResourceError(f"{source}: the group has no member that can be used")
    return AnimationGroup(name, tuple(members)), warnings


def _draw(members: Sequence[GroupMember], rng: random.Random) -> GroupMember:
    weights = [member.weight for member in members]
    return rng.choices(members, weights if any(weights) else None)[0]


def _read_member(content: Any) -> GroupMember:
    if not isinstance(content, dict):
        raise ValueError("it is no object")
    name = content.get(_NAME)
    if not isinstance(name, str) or not name:
        raise ValueError(f"it has no {_NAME!r}")
    mood = content.get(_MOOD, DEFAULT_MOOD)
    if not isinstance(mood, str):
        raise ValueError(f"{_MOOD!r} is no text")
    window = None
    if content.get(_USE_HEAD, False):
        low = checked_number(content.get(_HEAD_LOW), -_LIMIT, _LIMIT, repr(_HEAD_LOW))
        window = low, checked_number(content.get(_HEAD_HIGH), low, _LIMIT, repr(_HEAD_HIGH))
    return GroupMember(
        clip=name,
        weight=checked_number(content.get(_WEIGHT, 1.0), 0.0, _LIMIT, repr(_WEIGHT)),
        mood=mood,
        cooldown_s=checked_number(content.get(_COOLDOWN, 0.0), 0.0, _LIMIT, repr(_COOLDOWN)),
        head_window_deg=window,
    )


_PAIRS, _TRIGGER, _TARGET = "Pairs", "CladEvent", "AnimName"


def read_trigger_map(content: Any, source: str) -> tuple[dict[str, str], list[LoadWarning]]:
    """Return the name for each trigger of a parsed file, and what was left out.

    The first pair of a trigger counts. Raises ``ResourceError``.
    """
    pairs = content.get(_PAIRS) if isinstance(content, dict) else None
    if not isinstance(pairs, list):
        raise ResourceError(f"{source}: a trigger map is an object with a list {_PAIRS!r}")
    names: dict[str, str] = {}
    warnings = []
    for number, pair in enumerate(pairs):
        trigger = pair.get(_TRIGGER) if isinstance(pair, dict) else None
        target = pair.get(_TARGET) if isinstance(pair, dict) else None
        if not isinstance(trigger, str) or not isinstance(target, str) or not trigger:
            text = f"pair {number} is left out: it has no {_TRIGGER!r} and {_TARGET!r}"
            warnings.append(LoadWarning(source, text))
        elif target:
            names.setdefault(trigger, target)
    return names, warnings
