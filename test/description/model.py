"""The models under test, read as a consumer reads them, and their forward kinematics."""

from __future__ import annotations

import struct
from functools import cache
from pathlib import Path

import numpy as np
import xacro
from urdf_parser_py.urdf import URDF, Joint, Mesh, Visual

REPOSITORY = Path(__file__).resolve().parents[2]
DESCRIPTION = REPOSITORY / "cozmo_description"
MESHES = DESCRIPTION / "meshes"
MESH_URI = "package://cozmo_description/meshes/"

STL_TRIANGLE = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])


@cache
def expand(name: str, *arguments: tuple[str, str]) -> str:
    """The URDF text of urdf/<name>.urdf.xacro, expanded with xacro arguments."""
    path = DESCRIPTION / "urdf" / f"{name}.urdf.xacro"
    return str(xacro.process_file(str(path), mappings=dict(arguments)).toxml())


def load(name: str, **arguments: str) -> URDF:
    """A parsed model."""
    return URDF.from_xml_string(expand(name, *sorted(arguments.items())).encode())


def rotation(axis: np.ndarray, angle: float) -> np.ndarray:
    """3x3 rotation about a unit axis (Rodrigues)."""
    x, y, z = axis
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.eye(3) + np.sin(angle) * cross + (1.0 - np.cos(angle)) * (cross @ cross)


def origin(pose: object | None) -> np.ndarray:
    """4x4 transform of a URDF origin (fixed-axis roll, pitch, yaw)."""
    matrix = np.eye(4)
    if pose is not None:
        roll, pitch, yaw = pose.rpy or (0.0, 0.0, 0.0)  # type: ignore[attr-defined]
        matrix[:3, :3] = (
            rotation(np.array([0.0, 0.0, 1.0]), yaw)
            @ rotation(np.array([0.0, 1.0, 0.0]), pitch)
            @ rotation(np.array([1.0, 0.0, 0.0]), roll)
        )
        matrix[:3, 3] = pose.xyz or (0.0, 0.0, 0.0)  # type: ignore[attr-defined]
    return matrix


def position_of(joint: Joint, positions: dict[str, float]) -> float:
    """A joint's position (rad); a mimic joint follows its master."""
    if joint.mimic is not None:
        master = positions.get(joint.mimic.joint, 0.0)
        return float((joint.mimic.multiplier or 0.0) * master + (joint.mimic.offset or 0.0))
    return positions.get(joint.name, 0.0)


def transform(model: URDF, link: str, positions: dict[str, float]) -> np.ndarray:
    """4x4 pose of a link in the model's root; a robot's is its own origin, as in spec 13."""
    matrix = np.eye(4)
    while link in model.parent_map and link != "origin_link":
        name, parent = model.parent_map[link]
        joint = model.joint_map[name]
        step = origin(joint.origin)
        if joint.type in ("revolute", "continuous"):
            turn = np.eye(4)
            turn[:3, :3] = rotation(np.array(joint.axis), position_of(joint, positions))
            step = step @ turn
        matrix = step @ matrix
        link = parent
    return matrix


def mesh_path(geometry: Mesh) -> Path:
    """The file a mesh geometry names; it must be one of this package."""
    assert geometry.filename.startswith(MESH_URI)
    return MESHES / geometry.filename.removeprefix(MESH_URI)


def mesh_triangles(path: Path) -> np.ndarray:
    """Corners of a binary STL's triangles, shape (n, 3, 3), in metres."""
    data = path.read_bytes()
    (count,) = struct.unpack_from("<I", data, 80)
    assert len(data) == 84 + 50 * count
    records = np.frombuffer(data, dtype=STL_TRIANGLE, count=count, offset=84)
    return records["corners"].astype(float)


def mesh_visuals(model: URDF) -> list[tuple[str, Visual]]:
    """(link, visual) for every visual that is a mesh."""
    return [
        (link.name, visual)
        for link in model.links
        for visual in link.visuals
        if isinstance(visual.geometry, Mesh)
    ]


def extent(model: URDF, positions: dict[str, float]) -> tuple[np.ndarray, np.ndarray]:
    """Lowest and highest corner (m) of everything drawn as a mesh, in the root frame."""
    clouds = []
    for link, visual in mesh_visuals(model):
        points = mesh_triangles(mesh_path(visual.geometry)).reshape(-1, 3)
        pose = transform(model, link, positions) @ origin(visual.origin)
        clouds.append(points @ pose[:3, :3].T + pose[:3, 3])
    cloud = np.concatenate(clouds)
    return cloud.min(axis=0), cloud.max(axis=0)
