"""``cozmo.anim``: clips by name and by trigger (spec 21 §7, §8)."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from ...animation import Kind
from ...protocol import AnimTrackFlag as Track
from . import logs
from .action import Action, EvtActionCompleted
from .event import Event, Filter
from .names import named_values
from .nearest_clip import nearest_trigger

if TYPE_CHECKING:
    from ..engine import Engine


class _AnimTrigger(NamedTuple):
    name: str
    id: int


class Triggers:
    """Every trigger of the app."""

    trigger_list: ClassVar[list[_AnimTrigger]] = []


for _name, _id in named_values("triggers").items():
    setattr(Triggers, _name, _AnimTrigger(_name, _id))
    Triggers.trigger_list.append(_AnimTrigger(_name, _id))
NO_TRIGGER = "Count"
"""Means that nothing is played."""


class EvtAnimationsLoaded(Event):
    """Triggered when the names of the clips are known."""


class EvtAnimationCompleted(EvtActionCompleted):
    """Triggered when a clip has ended."""

    animation_name = "The name of the clip or trigger"


class Animation(Action):
    """A clip that plays."""

    def __init__(
        self,
        anim_name: str,
        loop_count: int = 1,
        ignore_body_track: bool = False,
        ignore_head_track: bool = False,
        ignore_lift_track: bool = False,
        **named: Any,
    ) -> None:
        super().__init__(**named)
        self.anim_name, self.loop_count = anim_name, loop_count
        ignored = (ignore_body_track, ignore_head_track, ignore_lift_track)
        tracks = ("body", "head", "lift")
        kept = {track for track, is_left in zip(tracks, ignored, strict=True) if not is_left}
        self._tracks = frozenset({"face", "audio", *kept})

    def _repr_values(self) -> str:
        return f"anim_name={self.anim_name} loop_count={self.loop_count}"

    def _event(self, **values: Any) -> Event:
        return EvtAnimationCompleted(animation_name=self.anim_name, **values)

    def _excluded(self) -> Track:
        flags = {"body": Track.BODY, "head": Track.HEAD, "lift": Track.LIFT}
        excluded = Track(0)
        for name, flag in flags.items():
            if name not in self._tracks:
                excluded |= flag
        return excluded

    async def _do(self, engine: Engine) -> None:
        await play_nearest(engine, self.anim_name, self.loop_count, self._excluded())


class AnimationTrigger(Animation):
    """A clip of a trigger that plays."""

    def __init__(self, trigger: _AnimTrigger, loop_count: int = 1, **named: Any) -> None:
        use_lift_safe = named.pop("use_lift_safe", False)
        super().__init__(trigger.name, loop_count, **named)
        self.trigger, self.use_lift_safe = trigger, use_lift_safe

    def _repr_values(self) -> str:
        return f"trigger={self.trigger.name} loop_count={self.loop_count}"


def animation_completed_filter() -> Filter:
    """Return a filter for the ends of clips."""
    return Filter(EvtAnimationCompleted)


@lru_cache(1)
def known_clips() -> frozenset[str]:
    """Return the names of clips that programs of the app's time know."""
    return frozenset(named_values("clips_used"))


def is_of_app(name: str) -> bool:
    """Whether it has the form of the app's clips: it had a thousand, and nobody has their list."""
    return re.fullmatch(r"(anim|id|ID)_\w+", name) is not None


async def play_nearest(engine: Engine, name: str, loops: int, excluded: Track) -> None:
    """Play what the name means here: itself if it is there, else the nearest own clip."""
    if name == NO_TRIGGER:
        return
    library = engine.player.library
    kind = Kind.ANY
    if name not in library.triggers and name not in library.clips:
        nearest = nearest_trigger(name, library.triggers)
        logs.note(f"the clip {name} is the app's: {nearest} was played in its place")
        name, kind = nearest, Kind.TRIGGER
    await engine.player.play(name, kind, excluded_tracks=excluded, loops=loops)
