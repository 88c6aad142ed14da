"""Every class of behaviour there is, by the names that the files use (spec 12 §6)."""

from __future__ import annotations

from ..behavior import BehaviorClass, Life
from . import (
    charger,
    clips,
    cube_handling,
    cube_play,
    cube_projects,
    cube_sights,
    driving,
    exploring,
    face_games,
    faces,
    feeding,
    handling,
    meeting,
    motion,
    object_tricks,
    play_guard_dog,
    play_keepaway,
    play_memory_match,
    play_quick_tap,
    request_game,
)

_MISSING = {
    "the display, and how a face leans": "Bouncer",
}
"""Classes of the app that wait for senses or skills that are not there."""


async def _never(life: Life) -> None:
    raise AssertionError(f"{life.config.id} is never chosen")


def _classes() -> dict[str, BehaviorClass]:
    found = [
        one
        for module in (
            clips,
            handling,
            charger,
            driving,
            cube_handling,
            cube_play,
            meeting,
            cube_projects,
            cube_sights,
            exploring,
            face_games,
            faces,
            feeding,
            motion,
            object_tricks,
            play_quick_tap,
            play_memory_match,
            play_guard_dog,
            play_keepaway,
            request_game,
        )
        for one in vars(module).values()
        if isinstance(one, BehaviorClass)
    ]
    found += [
        BehaviorClass(name, _never, waits_for=what)
        for what, names in _MISSING.items()
        for name in names.split()
    ]
    return {one.name: one for one in found}


CLASSES = _classes()
