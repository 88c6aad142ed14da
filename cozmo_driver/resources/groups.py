"""Groups of clips for one occasion, of which one is drawn, and their triggers (spec 06 §6, 11 §4).

Nothing here reads a clock or has randomness of its own: time and generator are given.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from .errors import LoadWarning
from .views import View, key, number, usable

DEFAULT_MOOD = "Default"
HEAD_TOLERANCE = 0.05
"""How far outside of its window the head may be where no member is free, rad."""

_LIMIT = 1e9
"""Greater numbers are mistakes."""


@dataclass(frozen=True, slots=True)
class GroupMember:
    """A clip of a group. The head window is in degrees, as in the file; None: any angle."""

    clip: str = key("Name", View.text)
    weight: float = key("Weight", number(0.0, _LIMIT), 1.0)
    mood: str = key("Mood", View.text, DEFAULT_MOOD)
    cooldown_s: float = key("CooldownTime_Sec", number(0.0, _LIMIT), 0.0)
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


def read_group(view: View, warnings: list[LoadWarning]) -> dict[str, AnimationGroup]:
    """Return the group of a file by its name, which is the file's. Raises ``BadEntry``."""
    members = tuple(usable(view.at("Animations").items(), _read_member, warnings))
    if not members:
        view.refuse("has no member that can be used")
    name = Path(view.source).stem
    return {name: AnimationGroup(name, members)}


def _draw(members: Sequence[GroupMember], rng: random.Random) -> GroupMember:
    weights = [member.weight for member in members]
    return rng.choices(members, weights if any(weights) else None)[0]


def _read_member(view: View) -> GroupMember:
    window = None
    if view.flag_at("UseHeadAngle", False):
        low = view.at("HeadAngleMin_Deg").number(-_LIMIT, _LIMIT)
        window = low, view.at("HeadAngleMax_Deg").number(low, _LIMIT)
    return view.read(GroupMember, head_window_deg=window)


def read_trigger_map(view: View, warnings: list[LoadWarning]) -> dict[str, str]:
    """Return the name for each trigger of a file, of its first pair. Raises ``BadEntry``."""
    names: dict[str, str] = {}
    for trigger, target in usable(view.at("Pairs").items(), _read_pair, warnings):
        if target:
            names.setdefault(trigger, target)
    return names


def _read_pair(view: View) -> tuple[str, str]:
    target = view.at("AnimName")
    return view.at("CladEvent").text(), "" if target.value == "" else target.text()
