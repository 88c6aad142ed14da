"""Every class of behaviour there is, by the names that the files use."""

from __future__ import annotations

from ..behavior import BehaviorClass
from . import charger, clips, cubes, handling, needs, roaming, surprises, waiting

MODULES = (clips, handling, surprises, charger, roaming, cubes, needs, waiting)

CLASSES: dict[str, BehaviorClass] = {
    kind.name: kind for module in MODULES for kind in module.CLASSES
}
