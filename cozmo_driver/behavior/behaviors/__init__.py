"""Every class of behaviour there is, by the names that the files use (spec 12 §6)."""

from __future__ import annotations

from ..behavior import BehaviorClass
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
    play_bouncer,
    play_guard_dog,
    play_keepaway,
    play_memory_match,
    play_quick_tap,
    request_game,
)

_MODULES = (
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
    play_bouncer,
    play_guard_dog,
    play_keepaway,
    play_memory_match,
    play_quick_tap,
    request_game,
)
CLASSES = {
    one.name: one
    for module in _MODULES
    for one in vars(module).values()
    if isinstance(one, BehaviorClass)
}
