"""Behaviours of the user: from a Python file, or from installed packages (docs/behavior.md)."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterable, Mapping
from importlib.metadata import entry_points
from pathlib import Path
from types import ModuleType

from ..resources.errors import LoadWarning
from .behavior import BehaviorClass
from .behaviors import CLASSES
from .config import BehaviorConfig, ConfigError, read_behavior

ENTRY_POINTS = "cozmo_driver.behaviors"
CONFIGS = "BEHAVIORS"
"""Name of the optional list of a module with behaviours in the files' format."""


def load_classes(
    files: Iterable[Path] = (), *, group: str = ENTRY_POINTS
) -> tuple[dict[str, BehaviorClass], list[BehaviorConfig], list[LoadWarning]]:
    """Return the built-in classes with the user's, his behaviours, and what was left out.

    A user's class takes the place of the built-in one of its name. A class without a behaviour of
    its own in ``BEHAVIORS`` gets one of the same name.
    """
    classes = dict(CLASSES)
    configs: list[BehaviorConfig] = []
    warnings: list[LoadWarning] = []
    for source, module in _modules(files, group, warnings):
        found = {k.name: k for k in vars(module).values() if isinstance(k, BehaviorClass)}
        if not found:
            warnings.append(LoadWarning(source, "there is no @behavior in it"))
        classes.update(found)
        named = []
        for content in getattr(module, CONFIGS, ()):
            try:
                named.append(read_behavior(content, source))
            except ConfigError as error:
                warnings.append(LoadWarning(source, str(error)))
        has_own = {config.class_name for config in named}
        configs += named
        configs += [BehaviorConfig(n, n, source) for n in found if n not in has_own]
    return classes, configs, warnings


def with_behaviors(
    known: Mapping[str, BehaviorConfig], added: Iterable[BehaviorConfig]
) -> dict[str, BehaviorConfig]:
    """Return the behaviours of the files with the user's own, which go before."""
    return {**known, **{config.id: config for config in added}}


def _modules(
    files: Iterable[Path], group: str, warnings: list[LoadWarning]
) -> Iterable[tuple[str, ModuleType]]:
    for path in files:
        try:
            yield str(path), _import(path)
        except Exception as error:  # whatever a user's file raises: it is told, and left out
            warnings.append(LoadWarning(str(path), f"cannot be loaded: {error!r}"))
    for point in entry_points(group=group):
        try:
            yield point.value, point.load()
        except Exception as error:
            warnings.append(LoadWarning(point.value, f"cannot be loaded: {error!r}"))


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
