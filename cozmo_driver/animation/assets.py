"""All clips, sounds and light patterns there are, and how a name is looked up (spec 06 §6)."""

from __future__ import annotations

import difflib
import random
from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum
from fnmatch import fnmatchcase
from pathlib import Path

from ..resources import (
    DEFAULT_MOOD,
    AnimationGroup,
    BackpackPattern,
    BankSounds,
    BuiltinSounds,
    ClipNotFound,
    Cooldowns,
    CubeLightStep,
    Library,
    PatternLight,
    SoundSource,
    SoundSources,
    choose,
    library_of,
    load_library,
)
from ..robot import (
    LONGEST_LIGHT,
    LONGEST_LIGHT_OFFSET,
    BackpackLights,
    Color,
    CubeLights,
    LightState,
)


@dataclass(frozen=True, slots=True)
class Assets:
    """What a ``Player`` plays from."""

    library: Library
    sounds: SoundSource
    warnings: tuple[str, ...] = ()
    """What was left out."""


NO_ASSETS = Assets(library_of([]), SoundSources([]))


def load_assets(resource_dir: str | Path = "") -> Assets:
    """Read what there is; takes as long as the files take.

    ``resource_dir`` as in ``find_user_tree``; one without assets is among the warnings.
    """
    library = load_library(resource_dir)
    banks = [BankSounds(folder) for folder in library.sound_directories]
    problems = [str(warning) for bank in banks for warning in bank.warnings]
    return Assets(
        library,
        SoundSources([*banks, BuiltinSounds()]),
        (*map(str, library.warnings), *problems),
    )


class Kind(IntEnum):
    """How a name is looked up; values of ``PlayAnimation`` and ``ListAnimations``."""

    ANY = 0
    """As trigger, then as group, then as clip."""
    CLIP = 1
    GROUP = 2
    TRIGGER = 3


@dataclass(frozen=True, slots=True)
class Names:
    """Names that can be played, sorted."""

    clips: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    triggers: tuple[str, ...] = ()


class Selection:
    """Finds what a name means, and draws the clips of groups."""

    def __init__(self, library: Library, rng: random.Random) -> None:
        self.library = library
        self.mood = DEFAULT_MOOD
        """Members of a group with another one are not drawn, unless none has it."""
        self._rng = rng
        self._cooldowns: Cooldowns = {}

    def find(self, name: str, kind: Kind = Kind.ANY) -> AnimationGroup | str:
        """Return a clip's name, or a group of what exists. Raises ``ClipNotFound``."""
        library = self.library
        if kind in (Kind.ANY, Kind.TRIGGER) and name in library.triggers:
            target = library.triggers[name]
            if target in library.groups:
                return self._playable(library.groups[target])
            if kind is Kind.TRIGGER:
                text = f"the trigger {name!r} leads to the group {target!r}, which does not exist"
                raise ClipNotFound(text)
        if kind in (Kind.ANY, Kind.GROUP) and name in library.groups:
            return self._playable(library.groups[name])
        if kind in (Kind.ANY, Kind.CLIP) and name in library.clips:
            return name
        raise ClipNotFound(self._unknown(name, kind))

    def clip_of(self, target: AnimationGroup | str, now: float, head_angle: float) -> str:
        """Return the clip to play, of a group by its rules; ``now`` in s, the angle in rad."""
        if isinstance(target, str):
            return target
        member = choose(
            target, self._cooldowns, self._rng, now, mood=self.mood, head_angle=head_angle
        )
        return member.clip

    def names(self, pattern: str = "", kind: Kind = Kind.ANY) -> Names:
        """Return the names that a shell pattern fits, case-sensitively; empty for all."""

        def fitting(of: Kind, names: Iterable[str]) -> tuple[str, ...]:
            if kind not in (Kind.ANY, of):
                return ()
            return tuple(sorted(n for n in names if not pattern or fnmatchcase(n, pattern)))

        return Names(
            fitting(Kind.CLIP, self.library.clips.names),
            fitting(Kind.GROUP, self.library.groups),
            fitting(Kind.TRIGGER, self.library.triggers),
        )

    def _playable(self, group: AnimationGroup) -> AnimationGroup:
        members = tuple(member for member in group.members if member.clip in self.library.clips)
        if not members:
            raise ClipNotFound(f"no clip of the group {group.name!r} is there")
        return AnimationGroup(group.name, members)

    def _unknown(self, name: str, kind: Kind) -> str:
        known = self.names("", kind)
        every = (*known.triggers, *known.groups, *known.clips)
        what = "animation" if kind is Kind.ANY else kind.name.lower()
        if not every:
            return f"there is no {what} {name!r}: none is installed"
        near = difflib.get_close_matches(name, every, 3)
        hint = f"did you mean {', '.join(near)}?" if near else "list_animations has the names"
        return f"there is no {what} {name!r}; {hint}"


def light_of(light: PatternLight) -> LightState:
    """Return one light. Durations that none can hold, as "for ever", become the longest."""
    return LightState(
        on_color=Color(*light.on_color),
        off_color=Color(*light.off_color),
        on_duration=_seconds(light.on_ms),
        off_duration=_seconds(light.off_ms),
        fade_in=_seconds(light.fade_in_ms),
        fade_out=_seconds(light.fade_out_ms),
        offset=max(-LONGEST_LIGHT_OFFSET, min(LONGEST_LIGHT_OFFSET, light.offset_ms / 1000)),
    )


def cube_lights_of(step: CubeLightStep) -> CubeLights:
    first, second, third, fourth = map(light_of, step.lights)
    return CubeLights((first, second, third, fourth), _seconds(step.rotation_period_ms))


def backpack_lights_of(pattern: BackpackPattern) -> BackpackLights:
    """Return the five lights by their places (spec 08 §2)."""
    left, front, middle, rear, right = map(light_of, pattern)
    return BackpackLights(front=front, middle=middle, rear=rear, left=left, right=right)


def _seconds(ms: int) -> float:
    return min(ms / 1000, LONGEST_LIGHT)
