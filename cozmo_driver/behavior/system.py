"""All behaviours, activities and classes: of the user's files and the driver's own (spec 11 §8)."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from importlib.metadata import entry_points
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar

from ..resources import (
    ENGINE,
    ConfigError,
    LoadWarning,
    View,
    find_own_tree,
    find_user_tree,
    merge,
    read_view,
    usable,
    views_in,
)
from .behavior import Behavior, BehaviorClass
from .behaviors import CLASSES
from .config import ActivityConfig, BehaviorConfig, read_activities, read_behavior

_FOLDER = ENGINE / "behaviorSystem"
FREEPLAY = "Freeplay"
"""The root of all activities."""
ENTRY_POINTS = "cozmo_driver.behaviors"
CONFIGS = "BEHAVIORS"
"""Name of the optional list of a module with behaviours in the files' format."""
_FEATURES = Path("config", "features.json")

T = TypeVar("T", BehaviorConfig, ActivityConfig)


@dataclass(frozen=True, slots=True)
class BehaviorSystem:
    """What the files say, and the classes of behaviours; of ``trees`` the earlier one counts."""

    trees: tuple[Path, ...]
    behaviors: Mapping[str, BehaviorConfig]
    activities: Mapping[str, ActivityConfig]
    features: Mapping[str, bool]
    classes: Mapping[str, BehaviorClass]
    warnings: tuple[LoadWarning, ...] = ()
    """What was left out."""

    @property
    def sparks(self) -> list[str]:
        return sorted({one.spark.name for one in self.activities.values() if one.spark})

    def make_behaviors(self) -> dict[str, Behavior]:
        """Return every behaviour by its id, as nothing has happened yet."""
        return {
            name: Behavior(config, self.classes.get(config.class_name))
            for name, config in self.behaviors.items()
        }


def load_files(resource_dir: str = "", python_files: Iterable[Path] = ()) -> BehaviorSystem:
    """Read all files. Raises ``ResourceError``, ``ConfigError`` without the root activity."""
    found = (find_user_tree(resource_dir), find_own_tree())
    system = load_behavior_system([tree for tree in found if tree is not None])
    classes, added, warnings = load_classes(python_files)
    return replace(
        system,
        behaviors={**system.behaviors, **{config.id: config for config in added}},
        classes=classes,
        warnings=(*system.warnings, *warnings),
    )


def load_behavior_system(trees: Sequence[Path]) -> BehaviorSystem:
    """Read the trees; of two things with one id the one of the earlier tree counts.

    A file or entry that makes no sense is left out, with a warning. Raises ``ConfigError`` where
    the root activity is missing.
    """
    warnings: list[LoadWarning] = []
    behaviors: dict[str, BehaviorConfig] = {}
    activities: dict[str, ActivityConfig] = {}
    features: dict[str, bool] = {}
    for tree in trees:
        views = views_in(tree / _FOLDER / "behaviors", warnings)
        merge(behaviors, _by_id(usable(views, read_behavior, warnings)), warnings)
        merge(activities, _by_id(_activities_of(tree, warnings)), warnings)
        for view in read_view(tree / _FEATURES, warnings):
            features = {**dict(_features_of(view.value)), **features}
    warnings += _dangling(behaviors, activities)
    if FREEPLAY not in activities:
        raise ConfigError(
            f"no activity {FREEPLAY!r} in {', '.join(map(str, trees)) or 'no tree at all'}"
        )
    return BehaviorSystem(tuple(trees), behaviors, activities, features, CLASSES, tuple(warnings))


def load_classes(
    files: Iterable[Path],
) -> tuple[dict[str, BehaviorClass], list[BehaviorConfig], list[LoadWarning]]:
    """Return the built-in classes with the user's, his behaviours, and what was left out.

    A user's class takes the place of the built-in one of its name. A class without a behaviour of
    its own in ``BEHAVIORS`` gets one of the same name.
    """
    classes = dict(CLASSES)
    configs: list[BehaviorConfig] = []
    warnings: list[LoadWarning] = []
    for source, module in _modules(files, warnings):
        found = {k.name: k for k in vars(module).values() if isinstance(k, BehaviorClass)}
        if not found:
            warnings.append(LoadWarning(source, "there is no @behavior in it"))
        classes.update(found)
        named = []
        for content in getattr(module, CONFIGS, ()):
            try:
                named.append(read_behavior(View(content, source)))
            except ConfigError as error:
                warnings.append(LoadWarning(source, str(error)))
        has_own = {config.class_name for config in named}
        configs += named
        configs += [BehaviorConfig(n, n, source) for n in found if n not in has_own]
    return classes, configs, warnings


def _modules(
    files: Iterable[Path], warnings: list[LoadWarning]
) -> Iterator[tuple[str, ModuleType]]:
    sources: list[tuple[str, Callable[[], ModuleType]]] = [
        *((str(path), partial(_import, path)) for path in files),
        *((point.value, point.load) for point in entry_points(group=ENTRY_POINTS)),
    ]
    for source, load in sources:
        try:
            yield source, load()
        except Exception as error:  # whatever a user's file raises: it is left out, and said
            warnings.append(LoadWarning(source, f"cannot be loaded: {error!r}"))


def _import(path: Path) -> ModuleType:
    if not path.is_file():
        raise FileNotFoundError("there is no such file")
    name = f"cozmo_behavior_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ImportError("it is no Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


# -- files of the trees


def _activities_of(tree: Path, warnings: list[LoadWarning]) -> Iterator[ActivityConfig]:
    views = []
    for name in ("behavior_system_config.json", "activities_config.json"):
        for view in read_view(tree / _FOLDER / name, warnings):
            listed = view.items() if isinstance(view.value, list) else [view]
            views += [one for one in listed if _is_activity(one.value)]
    views += views_in(tree / _FOLDER / "activities", warnings)
    for found in usable(views, read_activities, warnings):
        yield from found


def _is_activity(value: Any) -> bool:
    return isinstance(value, dict) and ("activityID" in value or "highLevelID" in value)


def _features_of(content: Any) -> Iterator[tuple[str, bool]]:
    for one in content if isinstance(content, list) else []:
        name = one.get("feature", one.get("name")) if isinstance(one, dict) else None
        if isinstance(name, str):
            yield name, one.get("enabled") is not False


def _by_id(found: Iterable[T]) -> Iterator[tuple[str, str, T]]:
    return ((one.id, one.source, one) for one in found)


def _dangling(
    behaviors: Mapping[str, BehaviorConfig], activities: Mapping[str, ActivityConfig]
) -> Iterator[LoadWarning]:
    """Names that lead nowhere: what has them goes on without."""
    for activity in activities.values():
        for child in activity.children:
            if child not in activities:
                yield LoadWarning(activity.source, f"{activity.id}: no activity {child!r}")
        for chooser in (activity.chooser, activity.interlude):
            for name, _ in chooser.behaviors if chooser else ():
                if name not in behaviors:
                    yield LoadWarning(activity.source, f"{activity.id}: no behaviour {name!r}")
