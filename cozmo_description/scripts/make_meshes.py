#!/usr/bin/env python3
"""Write the model's meshes: `make_meshes.py [FOLDER]` (default: ../meshes).

Needs numpy, OpenCV, manifold3d and cozmo_driver. The results are committed, so a build needs none.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import partial
from pathlib import Path

import prop_shapes
import robot_shapes
from manifold3d import Manifold
from shapes import write_stl

MESHES: dict[str, Callable[[], Manifold]] = {
    "body_shell": robot_shapes.body_shell,
    "body_accents": robot_shapes.body_accents,
    "chassis": robot_shapes.chassis,
    "backpack_panel": robot_shapes.backpack_panel,
    "head_shell": robot_shapes.head_shell,
    "head_bezel": robot_shapes.head_bezel,
    "head_sides": robot_shapes.head_sides,
    "display_glass": robot_shapes.display_glass,
    "display_screen": robot_shapes.display_screen,
    "display_eyes": robot_shapes.display_eyes,
    "camera_ring": robot_shapes.camera_ring,
    "camera_lens": robot_shapes.camera_lens,
    "tread_belt": robot_shapes.tread_belt,
    "tread_frame": robot_shapes.tread_frame,
    "front_wheel_rim": partial(robot_shapes.wheel_rim, 12.2, 6),
    "front_wheel_hub": partial(robot_shapes.wheel_hub, 12.2),
    "rear_wheel_rim": partial(robot_shapes.wheel_rim, 8.1, 5),
    "rear_wheel_hub": partial(robot_shapes.wheel_hub, 8.1),
    "lift_arm": robot_shapes.lift_arm,
    "lift_upper_arm": robot_shapes.lift_upper_arm,
    "lift_pins": robot_shapes.lift_pins,
    "lift_carriage": robot_shapes.lift_carriage,
    "lift_fork": robot_shapes.lift_fork,
    "cube_body": prop_shapes.cube_body,
    "cube_top_corners": partial(prop_shapes.cube_corners, True),
    "cube_bottom_corners": partial(prop_shapes.cube_corners, False),
    "cube_stickers": prop_shapes.cube_stickers,
    "cube_marker_1": partial(prop_shapes.cube_marker, 1),
    "cube_marker_2": partial(prop_shapes.cube_marker, 2),
    "cube_marker_3": partial(prop_shapes.cube_marker, 3),
    "charger_base": prop_shapes.charger_base,
    "charger_tongue": prop_shapes.charger_tongue,
    "charger_contacts": prop_shapes.charger_contacts,
    "charger_marker_plate": prop_shapes.charger_marker_plate,
    "charger_sticker": prop_shapes.charger_sticker,
    "charger_marker": prop_shapes.charger_marker,
}


def make_meshes(folder: Path) -> None:
    """Write every mesh into a folder, which is made when missing."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, shape in MESHES.items():
        write_stl(shape(), folder / f"{name}.stl")


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    default = Path(__file__).resolve().parent.parent / "meshes"
    parser.add_argument("folder", nargs="?", type=Path, default=default)
    folder = parser.parse_args().folder
    make_meshes(folder)
    print(f"{len(MESHES)} meshes written to {folder}")


if __name__ == "__main__":
    main()
