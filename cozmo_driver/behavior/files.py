"""Everything there is to live by: the user's files and the driver's own, read together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from ..resources.errors import LoadWarning
from ..resources.locations import find_own_tree, find_user_tree
from .behavior import Behavior, BehaviorClass
from .extension import load_classes, with_behaviors
from .system import BehaviorSystem, load_behavior_system


@dataclass(frozen=True, slots=True)
class Files:
    """What the files say; of ``trees`` the earlier one counts."""

    trees: tuple[Path, ...]
    system: BehaviorSystem
    classes: Mapping[str, BehaviorClass]
    warnings: tuple[LoadWarning, ...]
    """What was left out."""

    def behaviors(self) -> dict[str, Behavior]:
        """Return every behaviour by its id, as nothing has happened yet."""
        return {
            name: Behavior(config, self.classes.get(config.class_name))
            for name, config in self.system.behaviors.items()
        }


def load_files(resource_dir: str = "", python_files: Iterable[Path] = ()) -> Files:
    """Read everything. Raises ``ResourceError``, and ``ConfigError`` where no life is left."""
    found = (find_user_tree(resource_dir), find_own_tree())
    trees = tuple(tree for tree in found if tree is not None)
    system = load_behavior_system(trees)
    classes, added, of_user = load_classes(python_files)
    system = replace(system, behaviors=with_behaviors(system.behaviors, added))
    return Files(trees, system, classes, (*system.warnings, *of_user))
