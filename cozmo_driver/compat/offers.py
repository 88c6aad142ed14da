"""What the façade of the SDK offers, by the names that programs use."""

from __future__ import annotations

import inspect
import re
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from typing import Any

from ..plain_yaml import load_yaml
from .modules import FACADES

_FOLDER = Path(__file__).parent / "sdk"
_MODULES = tuple(
    sorted(path.stem for path in _FOLDER.glob("*.py") if not path.stem.startswith("_"))
)


@lru_cache(1)
def differences() -> dict[str, str]:
    """Return the names that do something else than the SDK's, and what."""
    text = (_FOLDER / "differences.yaml").read_text(encoding="utf-8")
    return {str(name): str(what) for name, what in load_yaml(text).items()}


def module_of(path: str) -> Any:
    """Return ``cozmo``, ``pycozmo`` or a module of them. Raises ``ImportError``."""
    root, dot, rest = path.partition(".")
    if root not in FACADES:
        raise ImportError(f"{root} is no façade")
    return import_module(FACADES[root] + dot + rest)


def has_attribute(owner: Any, name: str) -> bool:
    """Whether an object has an attribute, or a class gives it to its instances."""
    if hasattr(owner, name):
        return True
    if not inspect.isclass(owner):
        return False
    return name in _instance_names(owner)  # type: ignore[arg-type]


@lru_cache(None)
def _instance_names(owner: type) -> frozenset[str]:
    names: set[str] = set()
    for one in owner.__mro__:
        if (one.__module__ or "").startswith(__package__ or ""):
            source = inspect.getsource(one)
            names |= set(re.findall(r"self\.(\w+)(?:: [^=\n]+)? =", source))
            for several in re.findall(r"^ +((?:self\.\w+, )+self\.\w+) =", source, re.MULTILINE):
                names |= set(re.findall(r"self\.(\w+)", several))
            names |= set(vars(one).get("__annotations__", {}))
            names |= set(getattr(one, "_parameters", ()))
    return frozenset(names)


@lru_cache(1)
def classes() -> dict[str, type]:
    """Return the classes of the façade by their names."""
    found: dict[str, type] = {}
    for name in _MODULES:
        for value in vars(module_of(f"cozmo.{name}")).values():
            if inspect.isclass(value) and value.__module__.startswith(__package__ or ""):
                found.setdefault(value.__name__, value)
    return found


def offered(name: str) -> bool:
    """Whether a name of the list, as ``Robot.say_text`` or ``util.degrees``, is there."""
    owner_name, *parts = name.split(".")
    if owner_name in ("cozmo", "__init__"):
        owner: Any = module_of("cozmo")
    elif owner_name in _MODULES:
        owner = module_of(f"cozmo.{owner_name}")
    elif owner_name in classes():
        owner = classes()[owner_name]
    else:
        return False
    for part in parts:
        if not has_attribute(owner, part):
            return False
        owner = getattr(owner, part, None)
    return True
