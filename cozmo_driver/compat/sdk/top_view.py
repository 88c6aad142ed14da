"""The robot's surroundings from above: what the 3D viewer's window shows here."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from PIL import Image, ImageDraw

if TYPE_CHECKING:
    from .world import World

_SIDE, _REACH = 480, 600.0
"""Pixels, and mm from the robot to the edge."""
_SCALE = _SIDE / (2 * _REACH)
_FLOOR, _CLEAR = (40, 40, 44), (66, 70, 76)
_CONTENTS = {"ClearOfObstacle": _CLEAR, "ClearOfCliff": _CLEAR, "Cliff": (150, 40, 40)}
_ROBOT, _CUBE, _CHARGER, _OTHER = (230, 230, 230), (90, 160, 230), (230, 190, 90), (150, 190, 120)
_AHEAD, _BACK, _HALF = 28.0, 60.0, 29.0
"""mm, of the robot's outline about its front axle."""


def top_view(world: World) -> Image.Image:
    """Draw the map, objects and robot, who is in the middle and looks along its heading."""
    picture = Image.new("RGB", (_SIDE, _SIDE), _FLOOR)
    draw = ImageDraw.Draw(picture)
    here = world._robot.pose
    left, top = here.position.x - _REACH, here.position.y + _REACH

    def pixel(x: float, y: float) -> tuple[float, float]:
        return (x - left) * _SCALE, (top - y) * _SCALE

    def outline(pose: Any, ahead: float, back: float, half: float, color: Any) -> None:
        yaw, place = pose.rotation.angle_z.radians, pose.position
        c, s = math.cos(yaw), math.sin(yaw)
        corners = ((ahead, half), (ahead, -half), (-back, -half), (-back, half))
        draw.polygon(
            [pixel(place.x + x * c - y * s, place.y + x * s + y * c) for x, y in corners],
            outline=color,
            width=2,
        )

    grid = world.nav_memory_map
    for node in [] if grid is None else _leaves(grid.root_node):
        color, half = _CONTENTS.get(node.content.name), node.size / 2
        if color is not None:
            corner, other = (
                pixel(node.center.x + side * half, node.center.y - side * half) for side in (-1, 1)
            )
            draw.rectangle([*corner, *other], fill=color)
    for one in [*world.light_cubes.values(), *world._objects.values()]:
        if one.pose is not None and one.pose.is_comparable(here):
            half, across = one.x_size_mm / 2, one.y_size_mm / 2
            kind = type(one).__name__
            color = _CHARGER if kind == "Charger" else _CUBE if "Cube" in kind else _OTHER
            outline(one.pose, half, half, across, color)
    outline(here, _AHEAD, _BACK, _HALF, _ROBOT)
    draw.line(
        [
            pixel(here.position.x, here.position.y),
            pixel(
                here.position.x + _AHEAD * math.cos(here.rotation.angle_z.radians),
                here.position.y + _AHEAD * math.sin(here.rotation.angle_z.radians),
            ),
        ],
        fill=_ROBOT,
        width=2,
    )
    return picture


def _leaves(node: Any) -> list[Any]:
    if node.children is None:
        return [node]
    return [leaf for child in node.children for leaf in _leaves(child)]
