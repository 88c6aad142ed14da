"""RViz with the view of the description, for a robot with a frame prefix and with Nav2."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import yaml

from .errors import StartError
from .processes import DESCRIPTION, Process, existing, shared_file, write_yaml

_NAVIGATION = "Navigation"
_FAR, _STEEP = 1.5, 1.2
"""From where navigation is looked at: distance to the robot, m, and angle to the floor, rad."""

View = dict[str, Any]


def rviz(
    namespace: str, frame_prefix: str, *, use_sim_time: bool, navigates: bool = False
) -> Process:
    """Return RViz; ``navigates`` shows Nav2's map, costmaps and paths. Raises ``StartError``."""
    file = existing(shared_file(DESCRIPTION, "rviz/cozmo.rviz"), "the view of RViz")
    if frame_prefix or navigates:
        view = yaml.safe_load(Path(file).read_text(encoding="utf-8"))
        file = str(write_yaml(adapted(view, frame_prefix, navigates=navigates), ".rviz"))
    return Process(
        "rviz",
        "rviz2",
        "rviz2",
        ("-d", file),
        is_vital=False,
        namespace=namespace,
        parameters={"use_sim_time": use_sim_time},
    )


def adapted(view: View, frame_prefix: str, *, navigates: bool = False) -> View:
    """Return the view with the prefix before its frames; the map has none, robots share it.

    Raises ``StartError`` for a prefix without a slash at its end: RViz's model puts one there.
    """
    if frame_prefix and not frame_prefix.endswith("/"):
        raise StartError(
            f"RViz cannot show frames that begin with '{frame_prefix}': let frame_prefix end in /"
        )
    view = copy.deepcopy(view)
    manager = view["Visualization Manager"]
    options = manager["Global Options"]
    options["Fixed Frame"] = "map" if navigates else frame_prefix + options["Fixed Frame"]
    for display in manager["Displays"]:
        if "TF Prefix" in display:
            display["TF Prefix"] = frame_prefix.removesuffix("/")
        if display["Name"] == _NAVIGATION:
            display["Enabled"] = navigates
    current = manager["Views"]["Current"]
    current["Target Frame"] = frame_prefix + current["Target Frame"]
    if navigates:
        current |= {"Distance": _FAR, "Pitch": _STEEP}
    return view
