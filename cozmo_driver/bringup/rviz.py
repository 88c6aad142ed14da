"""RViz with a view of the robot, filled in with its frames."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import yaml

from ..ros.errors import StartError
from ..ros.file_urls import DESCRIPTION, shared_file
from .processes import Process, existing, write_yaml

_NAVIGATION, _LOCALIZATION = "Navigation", "Localization"
_FAR, _STEEP = 1.5, 1.2
"""From where navigation is looked at: distance to the robot, m, and angle to the floor, rad."""


def rviz(
    namespace: str,
    frame_prefix: str,
    *,
    use_sim_time: bool,
    navigates: bool = False,
    localizes: bool = False,
) -> Process:
    """Return RViz; ``navigates`` shows Nav2's map, costmaps and paths, ``localizes`` the tags.

    Raises ``StartError``.
    """
    file = existing(shared_file(DESCRIPTION, "rviz/cozmo.rviz"), "the view of RViz")
    if frame_prefix or navigates or localizes:
        view = yaml.safe_load(Path(file).read_text(encoding="utf-8"))
        shown = rviz_view(view, frame_prefix, navigates=navigates, localizes=localizes)
        file = str(write_yaml(shown, ".rviz"))
    return Process(
        "rviz",
        "rviz2",
        "rviz2",
        ("-d", file),
        is_vital=False,
        namespace=namespace,
        parameters={"use_sim_time": use_sim_time},
    )


def rviz_view(
    view: dict[str, Any], frame_prefix: str, *, navigates: bool = False, localizes: bool = False
) -> dict[str, Any]:
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
    is_on_map = navigates or localizes
    options["Fixed Frame"] = "map" if is_on_map else frame_prefix + options["Fixed Frame"]
    for display in manager["Displays"]:
        if "TF Prefix" in display:
            display["TF Prefix"] = frame_prefix.removesuffix("/")
        if display["Name"] == _NAVIGATION:
            display["Enabled"] = navigates
        if display["Name"] == _LOCALIZATION:
            display["Enabled"] = localizes
    current = manager["Views"]["Current"]
    current["Target Frame"] = frame_prefix + current["Target Frame"]
    if is_on_map:
        current |= {"Distance": _FAR, "Pitch": _STEEP}
    return view
