"""See: the scene, the picture to point in, how the robot is, curves."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import nicegui.elements.scene  # noqa: F401  # its three.js, by name, for the page's own modules
from nicegui import ui
from nicegui.events import GenericEventArguments

from ..perception import AS_DRAWN, Mount, load_mount
from ..robot import data_directory
from .hands import Hands
from .pointing import Lens, NoFloor, Pose, floor_point
from .pursuit import Goal
from .robot_port import Answer
from .view import View

_NOT_YET = "the robot has not told yet where it is: wait until it is connected"


def build(view: View) -> None:
    """Fill the tab. What it shows comes by the page's channel; here are the goals."""

    async def on_point(event: GenericEventArguments) -> None:
        try:
            pose, goal = _pose(view), _goal(view, event.args["detail"])
        except (KeyError, TypeError, ValueError) as error:
            view.notify(Answer(False, str(error)))
        else:
            await view.pursue(goal, pose)

    with ui.element("div").classes("cz-see").on("point", on_point, args=["detail"]):
        with ui.element("div").classes("cz-see-main"):
            scene = ui.element("cozmo-scene")
            if "world" in view.robot.feeds:
                _add_world(view, scene)
        with ui.element("section").classes("cz-see-side").props('aria-label="Picture and state"'):
            ui.element("cozmo-eye")
            if not view.read_only:
                pointing = ui.element("cozmo-pointing").classes("cz-controls")
                pointing.on("cancel-goal", view.hub.pursuit.cancel, args=[])
                Hands(view)
            ui.element("cozmo-health").classes("cz-controls")
            ui.element("cozmo-plots")


def _add_world(view: View, scene: ui.element) -> None:
    """Add the emulator's world, in the place of the scene when it is chosen."""

    async def on_hand(event: GenericEventArguments) -> None:
        values = dict(event.args["detail"])
        is_quiet, command = values.pop("is_quiet", False), values.pop("do", "")
        # A push goes on while the pointer moves: what refuses one of its steps is no news.
        call = view.robot.call if is_quiet and not view.read_only else view.call
        await call("emulator", command=command, values=values)

    world = ui.element("cozmo-world").on("hand", on_hand, args=["detail"])
    world.set_visibility(False)

    def on_choice(chosen: str) -> None:
        scene.set_visibility(chosen == "scene")
        world.set_visibility(chosen == "world")

    choices = {"scene": "Scene", "world": "Emulator's world from above"}
    toggle = ui.toggle(choices, value="scene", on_change=lambda event: on_choice(event.value))
    toggle.props("no-caps unelevated").move(target_index=0)


def _pose(view: View) -> Pose:
    """Raises ``NoFloor``."""
    odom = view.hub.latest("odom")
    if odom is None:
        raise NoFloor(_NOT_YET)
    return Pose(odom["x"], odom["y"], odom["yaw"])


def _goal(view: View, detail: Mapping[str, Any]) -> Goal:
    """Return what was tapped: a place, or a pixel of the picture. Raises ``NoFloor``."""
    if "u" not in detail:
        return Goal(detail["kind"], float(detail["x"]), float(detail["y"]))
    u, v = float(detail["u"]), float(detail["v"])
    info, joints = view.hub.latest("camera_info"), view.hub.latest("joints")
    if info is None or joints is None or not (math.isfinite(u) and math.isfinite(v)):
        raise NoFloor("the camera's calibration has not come yet: wait for a picture")
    point = floor_point(Lens(**info), joints["head"], u, v, _mount(view))
    return Goal(detail["kind"], *_pose(view).place(*point))


def _mount(view: View) -> Mount:
    """Return what the eyes have learnt of this robot's camera, if they run on this computer."""
    serial = (view.hub.latest("info") or {}).get("serial")
    learnt = load_mount(data_directory(), int(serial, 16)) if serial else None
    return learnt.mount if learnt else AS_DRAWN
