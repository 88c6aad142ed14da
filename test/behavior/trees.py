"""Trees of files as tests make them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from cozmo_driver.behavior.system import BehaviorSystem, load_behavior_system
from cozmo_driver.resources.locations import find_own_tree
from cozmo_driver.resources.views import ENGINE

OWN = find_own_tree()
assert OWN is not None


def tree_with(root: Path, files: dict[str, Any]) -> Path:
    """A tree with engine files; a text is written as it is."""
    for name, content in files.items():
        path = root / ENGINE / name
        path.parent.mkdir(parents=True, exist_ok=True)
        text = content if isinstance(content, str) else json.dumps(content)
        path.write_text(text, encoding="utf-8")
    return root


def only_activity(root: Path, *behaviors: dict[str, Any], **keys: Any) -> BehaviorSystem:
    """A system in which all there is to do is the activity ``Only``, and these behaviours."""
    folder = "behaviorSystem"
    files: dict[str, Any] = {
        f"{folder}/activities_config.json": [
            {"activityID": "Freeplay", "subActivities": [{"activityID": "Only"}]}
        ],
        f"{folder}/activities/only.json": {"activityID": "Only", **keys},
    }
    for one in behaviors:
        files[f"{folder}/behaviors/{one['behaviorID']}.json"] = one
    return load_behavior_system([tree_with(root, files), OWN])
