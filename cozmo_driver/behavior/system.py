"""All behaviours and activities of some trees of files, and what was left out (spec 11 §8)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from ..resources.errors import LoadWarning, ResourceError
from ..resources.json_dialect import read_json
from .config import (
    ActivityConfig,
    BehaviorConfig,
    ConfigError,
    read_activities,
    read_behavior,
)

FOLDER = Path("config", "engine", "behaviorSystem")
FREEPLAY = "Freeplay"
_FEATURES = Path("config", "features.json")
_MOST_FILES = 5000

T = TypeVar("T", BehaviorConfig, ActivityConfig)


@dataclass(frozen=True, slots=True)
class BehaviorSystem:
    """What there is to live by. ``root`` is the activity of everyday life."""

    behaviors: Mapping[str, BehaviorConfig]
    activities: Mapping[str, ActivityConfig]
    root: str
    features: Mapping[str, bool]
    warnings: tuple[LoadWarning, ...] = ()


def load_behavior_system(trees: Sequence[Path]) -> BehaviorSystem:
    """Read the trees; of two things with one id the one of the earlier tree counts.

    A file or entry that makes no sense is left out and told in the warnings. Raises
    ``ConfigError`` where no everyday life is left.
    """
    warnings: list[LoadWarning] = []
    behaviors: dict[str, BehaviorConfig] = {}
    activities: dict[str, ActivityConfig] = {}
    features: dict[str, bool] = {}
    for tree in trees:
        folder = tree / FOLDER
        _take(behaviors, _behaviors_of(folder, warnings), warnings)
        _take(activities, _activities_of(folder, warnings), warnings)
        for name, on in _features_of(tree / _FEATURES, warnings):
            features.setdefault(name, on)
    warnings += _dangling(behaviors, activities)
    if FREEPLAY not in activities:
        raise ConfigError(
            f"no activity {FREEPLAY!r} in {', '.join(map(str, trees)) or 'no tree at all'}"
        )
    return BehaviorSystem(behaviors, activities, FREEPLAY, features, tuple(warnings))


def _behaviors_of(folder: Path, warnings: list[LoadWarning]) -> Iterator[BehaviorConfig]:
    for path, content in _contents(folder / "behaviors", warnings):
        yield from _read(path, lambda c, p: [read_behavior(c, p)], content, warnings)


def _activities_of(folder: Path, warnings: list[LoadWarning]) -> Iterator[ActivityConfig]:
    for name in ("behavior_system_config.json", "activities_config.json"):
        path = folder / name
        if not path.is_file():
            continue
        content = _content(path, warnings)
        for one in content if isinstance(content, list) else [content]:
            if isinstance(one, dict) and ("activityID" in one or "highLevelID" in one):
                yield from _read(path, read_activities, one, warnings)
    for path, content in _contents(folder / "activities", warnings):
        yield from _read(path, read_activities, content, warnings)


def _features_of(path: Path, warnings: list[LoadWarning]) -> Iterator[tuple[str, bool]]:
    content = _content(path, warnings) if path.is_file() else []
    for one in content if isinstance(content, list) else []:
        name = one.get("feature", one.get("name")) if isinstance(one, dict) else None
        if isinstance(name, str):
            yield name, one.get("enabled") is not False


def _take(known: dict[str, T], found: Iterator[T], warnings: list[LoadWarning]) -> None:
    of_tree: set[str] = set()
    for one in found:
        if one.id in of_tree:
            text = f"{one.id!r} is left out: an earlier file has one of that name"
            warnings.append(LoadWarning(one.source, text))
        of_tree.add(one.id)
        known.setdefault(one.id, one)


def _read(
    path: Path,
    read: Callable[[Any, str], list[T]],
    content: Any,
    warnings: list[LoadWarning],
) -> list[T]:
    try:
        return read(content, str(path))
    except ConfigError as error:
        warnings.append(LoadWarning(str(path), str(error)))
        return []


def _contents(folder: Path, warnings: list[LoadWarning]) -> Iterator[tuple[Path, Any]]:
    for count, path in enumerate(sorted(folder.rglob("*.json"))):
        if count >= _MOST_FILES:
            return
        content = _content(path, warnings)
        if content is not None:
            yield path, content


def _content(path: Path, warnings: list[LoadWarning]) -> Any:
    try:
        return read_json(path)
    except ResourceError as error:
        warnings.append(LoadWarning.of(path, error))
        return None


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
