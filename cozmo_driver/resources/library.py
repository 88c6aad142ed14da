"""Everything there is to express: the user's assets and this package's own, together.

Of two things with one name the user's counts. For clips, whose names are unique over all files
(spec 06 §3), the other one is mentioned in the warnings.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from .clip_library import ClipLibrary
from .errors import LoadWarning, ResourceError
from .groups import AnimationGroup, read_group, read_trigger_map
from .light_patterns import (
    BackpackPattern,
    CubeLightAnimation,
    read_backpack_patterns,
    read_cube_lights,
)
from .locations import ANIMATIONS, find_own_tree, find_user_tree
from .views import MOST_FILES, View, merge, usable, views_in

_LIGHTS = "config/engine/lights"

T = TypeVar("T")
Read = Callable[[View, list[LoadWarning]], dict[str, T]]


@dataclass(frozen=True, slots=True)
class Library:
    """All assets by name. Names are case-sensitive."""

    trees: tuple[Path, ...]
    """Where they are from; what is in an earlier one goes before."""
    clips: ClipLibrary
    groups: Mapping[str, AnimationGroup]
    triggers: Mapping[str, str]
    """Name of the group for each trigger."""
    cube_triggers: Mapping[str, str]
    """Name of the cube's light animation for each trigger."""
    cube_lights: Mapping[str, CubeLightAnimation]
    backpack_patterns: Mapping[str, BackpackPattern]
    face_animations: Mapping[str, Path]
    """Folder of pictures for each name."""
    sound_directories: tuple[Path, ...]
    warnings: tuple[LoadWarning, ...]
    """What was left out."""

    def face_pictures(self, name: str) -> tuple[Path, ...]:
        """Return the pictures of a face animation, one for each frame; none for unknown names."""
        folder = self.face_animations.get(name)
        return () if folder is None else tuple(sorted(folder.glob("*.png"))[:MOST_FILES])


def load_library(resource_dir: str | Path = "") -> Library:
    """Return the user's assets and this package's; a bad ``resource_dir`` is a warning."""
    warnings = []
    user = None
    try:
        user = find_user_tree(resource_dir)
    except ResourceError as error:
        warnings.append(LoadWarning.of(resource_dir, error))
    trees = [tree for tree in (user, find_own_tree()) if tree is not None]
    return library_of(trees, warnings)


def library_of(trees: Sequence[Path], warnings: Iterable[LoadWarning] = ()) -> Library:
    """Return the assets of some trees; what is in an earlier one goes before."""
    found = list(warnings)
    clips = ClipLibrary(tree / ANIMATIONS for tree in trees)
    found += clips.warnings
    return Library(
        trees=tuple(trees),
        clips=clips,
        groups=_merged(trees, "assets/animationGroups", read_group, found),
        triggers=_merged(trees, "assets/animationGroupMaps", read_trigger_map, found),
        cube_triggers=_merged(trees, "assets/cubeAnimationGroupMaps", read_trigger_map, found),
        cube_lights=_merged(trees, f"{_LIGHTS}/cubeLights", read_cube_lights, found),
        backpack_patterns=_merged(
            trees, f"{_LIGHTS}/backpackLights", read_backpack_patterns, found
        ),
        face_animations=_face_folders(trees),
        sound_directories=tuple(tree / "sound" for tree in trees if (tree / "sound").is_dir()),
        warnings=tuple(found),
    )


def _merged(
    trees: Iterable[Path], folder: str, read: Read[T], warnings: list[LoadWarning]
) -> dict[str, T]:
    """Return what all JSON files of a folder of the trees name, the first of each name."""
    everything: dict[str, T] = {}
    for tree in trees:
        files = usable(
            views_in(tree / folder, warnings),
            lambda view: (view.source, read(view, warnings)),
            warnings,
        )
        found = ((name, source, one) for source, of in files for name, one in of.items())
        # The maps of triggers repeat one another.
        merge(everything, found, [] if read is read_trigger_map else warnings)
    return everything


def _face_folders(trees: Iterable[Path]) -> dict[str, Path]:
    folders: dict[str, Path] = {}
    for tree in trees:
        for path in sorted((tree / "assets" / "faceAnimations").glob("*")):
            if path.is_dir():
                folders.setdefault(path.name, path)
    return folders
