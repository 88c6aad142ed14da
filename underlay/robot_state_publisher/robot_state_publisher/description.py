"""The kinematic tree of a URDF document."""

from __future__ import annotations

import math
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass

Vector = tuple[float, float, float]
Quaternion = tuple[float, float, float, float]
Pose = tuple[Vector, Quaternion]

TURNING = frozenset({"revolute", "continuous"})
FREE = frozenset({"floating", "planar"})
KINDS = TURNING | FREE | {"fixed", "prismatic"}


@dataclass(frozen=True, slots=True)
class Mimic:
    """A joint that follows another: position * multiplier + offset (rad or m)."""

    joint: str
    multiplier: float
    offset: float


@dataclass(frozen=True, slots=True)
class Joint:
    """A joint between two links; `axis` has length 1 and is in the joint's frame."""

    name: str
    kind: str
    parent: str
    child: str
    origin: Pose
    axis: Vector
    mimic: Mimic | None

    def pose(self, position: float) -> Pose:
        """Pose of the child link in the parent link at a position in rad or m."""
        translation, rotation = self.origin
        if self.kind in TURNING:
            half = position / 2.0
            x, y, z = (math.sin(half) * part for part in self.axis)
            return translation, multiplied(rotation, (x, y, z, math.cos(half)))
        if self.kind == "prismatic":
            x, y, z = self.axis
            # The vector part of q (v, 0) q* is v, turned.
            back = (-rotation[0], -rotation[1], -rotation[2], rotation[3])
            turned = multiplied(multiplied(rotation, (x, y, z, 0.0)), back)
            at_x, at_y, at_z = translation
            moved = (
                at_x + turned[0] * position,
                at_y + turned[1] * position,
                at_z + turned[2] * position,
            )
            return moved, rotation
        return translation, rotation


def multiplied(a: Quaternion, b: Quaternion) -> Quaternion:
    """Rotation by `b`, then by `a`."""
    ax, ay, az, aw = a
    bx, by, bz, bw = b
    return (
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
        aw * bw - ax * bx - ay * by - az * bz,
    )


def from_roll_pitch_yaw(roll: float, pitch: float, yaw: float) -> Quaternion:
    """Rotation about the fixed axes x, then y, then z, in rad."""
    turns = [(math.sin(angle / 2.0), math.cos(angle / 2.0)) for angle in (roll, pitch, yaw)]
    (sx, cx), (sy, cy), (sz, cz) = turns
    return multiplied((0.0, 0.0, sz, cz), multiplied((0.0, sy, 0.0, cy), (sx, 0.0, 0.0, cx)))


def parse(urdf: str) -> dict[str, Joint]:
    """The joints by name; ValueError says what is wrong with the description."""
    try:
        robot = ElementTree.fromstring(urdf)
    except ElementTree.ParseError as error:
        raise ValueError(f"robot_description is no XML: {error}") from None
    if robot.tag != "robot":
        raise ValueError(f"robot_description is a <{robot.tag}>, not a <robot>")
    links = {_attribute(link, "name") for link in robot.findall("link")}
    joints = [_joint(element) for element in robot.findall("joint")]
    by_name = {joint.name: joint for joint in joints}
    if len(by_name) < len(joints):
        raise ValueError("two joints have the same name")
    _check_tree(links, joints)
    for joint in joints:
        if joint.mimic is not None and joint.mimic.joint not in by_name:
            raise ValueError(
                f"joint {joint.name!r} mimics {joint.mimic.joint!r}, which does not exist"
            )
    return by_name


def _check_tree(links: set[str], joints: list[Joint]) -> None:
    parents: dict[str, str] = {}
    for joint in joints:
        for link in (joint.parent, joint.child):
            if link not in links:
                raise ValueError(
                    f"joint {joint.name!r} names the link {link!r}, which does not exist"
                )
        if joint.child in parents:
            raise ValueError(f"link {joint.child!r} has two parents")
        parents[joint.child] = joint.parent
    roots = sorted(links - parents.keys())
    if len(roots) != 1:
        raise ValueError(f"the links are no tree: roots {roots}")
    for link in links:
        seen = {link}
        while link in parents:
            link = parents[link]
            if link in seen:
                raise ValueError(f"the links above {link!r} are a loop")
            seen.add(link)


def _joint(element: ElementTree.Element) -> Joint:
    name = _attribute(element, "name")
    kind = _attribute(element, "type")
    if kind not in KINDS:
        raise ValueError(f"joint {name!r} has the unknown type {kind!r}")
    origin = element.find("origin")
    xyz, rpy = "0 0 0", "0 0 0"
    if origin is not None:
        xyz, rpy = origin.get("xyz", xyz), origin.get("rpy", rpy)
    axis = element.find("axis")
    return Joint(
        name=name,
        kind=kind,
        parent=_link(element, "parent"),
        child=_link(element, "child"),
        origin=(_vector(xyz, name), from_roll_pitch_yaw(*_vector(rpy, name))),
        axis=_unit(
            _vector("1 0 0" if axis is None else axis.get("xyz", "1 0 0"), name), name, kind
        ),
        mimic=_mimic(element, name),
    )


def _mimic(element: ElementTree.Element, name: str) -> Mimic | None:
    mimic = element.find("mimic")
    if mimic is None:
        return None
    try:
        factors = float(mimic.get("multiplier", "1")), float(mimic.get("offset", "0"))
    except ValueError:
        raise ValueError(f"joint {name!r} mimics with something that is no number") from None
    return Mimic(_attribute(mimic, "joint"), *factors)


def _attribute(element: ElementTree.Element, name: str) -> str:
    value = element.get(name)
    if not value:
        raise ValueError(f"a <{element.tag}> has no {name}")
    return value


def _link(element: ElementTree.Element, role: str) -> str:
    found = element.find(role)
    if found is None:
        raise ValueError(f"joint {element.get('name')!r} has no <{role}>")
    return _attribute(found, "link")


def _vector(text: str, name: str) -> Vector:
    try:
        x, y, z = (float(part) for part in text.split())
    except ValueError:
        raise ValueError(f"joint {name!r}: {text!r} is not three numbers") from None
    if not all(map(math.isfinite, (x, y, z))):
        raise ValueError(f"joint {name!r}: {text!r} is not finite")
    return x, y, z


def _unit(axis: Vector, name: str, kind: str) -> Vector:
    length = math.hypot(*axis)
    if length > 0.0:
        return axis[0] / length, axis[1] / length, axis[2] / length
    if kind in TURNING or kind == "prismatic":
        raise ValueError(f"joint {name!r} moves about an axis of length 0")
    return axis
