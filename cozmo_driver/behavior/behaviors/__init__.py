"""Every class of behaviour there is, by the names that the files use (spec 12 §6)."""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules

from ..behavior import BehaviorClass

CLASSES = {
    one.name: one
    for module in iter_modules(__path__)
    for one in vars(import_module(f"{__name__}.{module.name}")).values()
    if isinstance(one, BehaviorClass)
}
