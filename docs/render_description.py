#!/usr/bin/env python3
"""Draw the pictures of the robot model: `render_description.py [FOLDER] [--picture NAME ...]`.

Reads cozmo_description's xacro files and draws them without a screen. Needs numpy, Pillow,
xacro, yourdfpy and pyvista.
"""

from __future__ import annotations

import argparse
import io
import math
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pyvista as pv
import xacro
import yourdfpy
from PIL import Image

REPOSITORY = Path(__file__).resolve().parent.parent
DESCRIPTION = REPOSITORY / "cozmo_description"
OUTPUT = REPOSITORY / "docs" / "images"
SIZE = (1000, 750)

HEAD_UP, HEAD_LOW = 0.7767, -0.4363
LIFT_HIGH, LIFT_LOW = 0.7925, -0.1983
CARRIED_CUBE_FROM_WRIST = (0.026, 0.0, -0.0125)
GLOWING = ("cozmo_eyes", "cozmo_light_on", "cozmo_light_red", "light_blue", "light_amber")


@dataclass(frozen=True, slots=True)
class Placed:
    """A model in a picture: xacro file, its arguments, joint positions (rad), place (m, rad).

    Turned by roll, pitch and yaw about the fixed axes, in this order.
    """

    model: str
    arguments: dict[str, str] = field(default_factory=dict)
    joints: dict[str, float] = field(default_factory=dict)
    xyz: tuple[float, float, float] = (0.0, 0.0, 0.0)
    yaw: float = 0.0
    pitch: float = 0.0
    roll: float = 0.0


@dataclass(frozen=True, slots=True)
class Picture:
    """What stands in a picture, and from where (m) it is seen."""

    models: tuple[Placed, ...]
    eye: tuple[float, float, float]
    target: tuple[float, float, float]
    view_angle: float = 18.0


def load_model(model: str, arguments: dict[str, str]) -> yourdfpy.URDF:
    """Expand a xacro file of cozmo_description and parse the result.

    Meshes stay unread: `draw` reads those it shows.
    """
    mappings = {"mesh_root": str(DESCRIPTION / "meshes"), **arguments}
    path = DESCRIPTION / "urdf" / f"{model}.urdf.xacro"
    document = xacro.process_file(str(path), mappings=mappings)
    text = io.BytesIO(document.toxml().encode())
    return yourdfpy.URDF.load(text, load_meshes=False, build_scene_graph=True)


def placement(placed: Placed) -> np.ndarray:
    """The 4x4 transform of where a model stands."""
    matrix = np.eye(4)
    for axis, angle in enumerate((placed.roll, placed.pitch, placed.yaw)):
        turn, (i, j) = np.eye(4), ((1, 2), (2, 0), (0, 1))[axis]
        turn[i, i] = turn[j, j] = math.cos(angle)
        turn[j, i] = math.sin(angle)
        turn[i, j] = -turn[j, i]
        matrix = turn @ matrix
    matrix[:3, 3] = placed.xyz
    return matrix


def surface(geometry: yourdfpy.urdf.Geometry) -> pv.PolyData:
    """The shape of a URDF geometry in its own frame.

    Raises:
        ValueError: the geometry is of a kind the model does not use.
    """
    if geometry.mesh is not None:
        return pv.read(geometry.mesh.filename)
    if geometry.box is not None:
        x, y, z = geometry.box.size
        return pv.Cube(x_length=x, y_length=y, z_length=z)
    if geometry.cylinder is not None:
        cylinder = geometry.cylinder
        return pv.Cylinder(
            direction=(0, 0, 1), radius=cylinder.radius, height=cylinder.length, resolution=48
        )
    raise ValueError(f"no drawing for geometry {geometry}: use a mesh, a box or a cylinder")


def draw(plotter: pv.Plotter, placed: Placed) -> None:
    """Add a model, link by link, to a picture."""
    urdf = load_model(placed.model, placed.arguments)
    urdf.update_cfg({name: placed.joints.get(name, 0.0) for name in urdf.actuated_joint_names})
    colours = {
        material.name: material.color.rgba
        for material in urdf.robot.materials
        if material.color is not None
    }
    world = placement(placed)
    for name, link in urdf.link_map.items():
        for visual in link.visuals:
            origin = np.eye(4) if visual.origin is None else visual.origin
            mesh = surface(visual.geometry)
            mesh = mesh.transform(world @ urdf.get_transform(name) @ origin, inplace=False)
            red, green, blue, opacity = colours[visual.material.name]
            glows = visual.material.name in GLOWING
            plotter.add_mesh(
                mesh,
                color=(red, green, blue),
                opacity=opacity,
                smooth_shading=True,
                split_sharp_edges=True,
                feature_angle=32,
                ambient=0.9 if glows else 0.34,
                diffuse=0.15 if glows else 0.8,
                specular=0.0 if glows else 0.25,
                specular_power=25,
            )


def render(picture: Picture, size: tuple[int, int]) -> Image.Image:
    """Draw a picture."""
    plotter = pv.Plotter(off_screen=True, window_size=size, lighting="none")
    plotter.set_background("#dfe3e7")
    table = pv.Plane(center=(0, 0, -0.0002), i_size=12.0, j_size=12.0)
    plotter.add_mesh(table, color="#d9dee3", ambient=0.75, diffuse=0.35, specular=0.0)
    for placed in picture.models:
        draw(plotter, placed)
    for position, intensity in (
        ((0.5, 0.35, 0.9), 0.62),
        ((0.6, -0.6, 0.35), 0.42),
        ((-0.6, 0.2, 0.6), 0.42),
    ):
        light = pv.Light(position=position, focal_point=picture.target, intensity=intensity)
        plotter.add_light(light)
    plotter.camera_position = [picture.eye, picture.target, (0, 0, 1)]
    plotter.camera.view_angle = picture.view_angle
    plotter.enable_ssao(radius=0.02, bias=0.0008, kernel_size=96, blur=True)
    plotter.enable_anti_aliasing("ssaa")
    pixels = plotter.screenshot(return_img=True)
    plotter.close()
    return Image.fromarray(pixels)


def pose(head: float, lift: float) -> dict[str, float]:
    """Joint positions (rad) of the robot; mimic joints follow by themselves."""
    return {"head_joint": head, "lift_joint": lift}


def carried_cube(number: int, lift: float) -> Placed:
    """A cube on the lift's fork of a robot that stands at the origin."""
    x = -0.041 + 0.066 * math.cos(lift) + CARRIED_CUBE_FROM_WRIST[0]
    z = 0.045 + 0.066 * math.sin(lift) + CARRIED_CUBE_FROM_WRIST[2]
    return Placed("cube", {"number": str(number)}, xyz=(x, 0.0, z))


PICTURES = {
    "cozmo_model": Picture(
        (Placed("cozmo", joints=pose(0.12, LIFT_LOW)),),
        eye=(0.31, 0.17, 0.12),
        target=(-0.014, 0.0, 0.031),
    ),
    "cozmo_model_raised": Picture(
        (Placed("cozmo", joints=pose(0.3, LIFT_HIGH)), carried_cube(1, LIFT_HIGH)),
        eye=(0.17, -0.33, 0.07),
        target=(-0.002, 0.0, 0.050),
        view_angle=20.0,
    ),
    "cozmo_model_back": Picture(
        (Placed("cozmo", joints=pose(HEAD_LOW, 0.2)),),
        eye=(-0.28, 0.19, 0.19),
        target=(-0.018, 0.0, 0.036),
    ),
    "cozmo_model_scene": Picture(
        (
            Placed("cozmo", joints=pose(HEAD_UP, LIFT_LOW)),
            Placed("cube", {"number": "1"}, xyz=(0.05, 0.085, 0.022), yaw=0.5),
            Placed("cube", {"number": "2"}, xyz=(0.01, -0.085, 0.022), yaw=-0.3),
            Placed("cube", {"number": "3"}, xyz=(0.01, -0.085, 0.066), yaw=0.1),
            Placed("charger", xyz=(-0.12, 0.075, 0.0), yaw=2.75),
        ),
        eye=(0.46, 0.17, 0.24),
        target=(-0.035, 0.016, 0.012),
        view_angle=25.0,
    ),
}


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=OUTPUT)
    parser.add_argument("--picture", action="append", choices=sorted(PICTURES))
    parser.add_argument("--width", type=int, default=SIZE[0], help="pixels; the height follows")
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    size = (arguments.width, arguments.width * SIZE[1] // SIZE[0])
    for name in arguments.picture or PICTURES:
        path = arguments.folder / f"{name}.png"
        render(PICTURES[name], size).save(path, optimize=True)
        print(path)


if __name__ == "__main__":
    main()
