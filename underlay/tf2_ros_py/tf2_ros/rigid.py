"""Rigid transforms as plain tuples: quaternions are (x, y, z, w), vectors (x, y, z) in metres."""

from __future__ import annotations

import math
from typing import NamedTuple

Vector = tuple[float, float, float]
Quaternion = tuple[float, float, float, float]


class Rigid(NamedTuple):
    """Takes a point of the child frame to the parent frame: rotation first, then translation."""

    translation: Vector
    rotation: Quaternion


IDENTITY = Rigid((0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0))


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


def rotated(q: Quaternion, v: Vector) -> Vector:
    """`v` turned by the unit quaternion `q`."""
    x, y, z, w = q
    # v + 2w(u x v) + 2u x (u x v), with u the vector part of q
    tx = 2.0 * (y * v[2] - z * v[1])
    ty = 2.0 * (z * v[0] - x * v[2])
    tz = 2.0 * (x * v[1] - y * v[0])
    return (
        v[0] + w * tx + y * tz - z * ty,
        v[1] + w * ty + z * tx - x * tz,
        v[2] + w * tz + x * ty - y * tx,
    )


def composed(outer: Rigid, inner: Rigid) -> Rigid:
    """`inner`, then `outer`."""
    x, y, z = rotated(outer.rotation, inner.translation)
    dx, dy, dz = outer.translation
    return Rigid((x + dx, y + dy, z + dz), multiplied(outer.rotation, inner.rotation))


def inverted(a: Rigid) -> Rigid:
    """The way back."""
    x, y, z, w = a.rotation
    back = (-x, -y, -z, w)
    tx, ty, tz = rotated(back, a.translation)
    return Rigid((-tx, -ty, -tz), back)


def normalised(q: Quaternion) -> Quaternion:
    """`q` with length 1; ValueError where it has none."""
    length = math.sqrt(sum(part * part for part in q))
    if not math.isfinite(length) or length < 1e-9:
        raise ValueError(f"{q} is no rotation")
    x, y, z, w = q
    return (x / length, y / length, z / length, w / length)


def between(a: Rigid, b: Rigid, share: float) -> Rigid:
    """`a` at share 0, `b` at share 1: translation on the line, rotation on the shorter arc."""
    ax, ay, az = a.translation
    bx, by, bz = b.translation
    translation = (
        ax + (bx - ax) * share,
        ay + (by - ay) * share,
        az + (bz - az) * share,
    )
    return Rigid(translation, _slerp(a.rotation, b.rotation, share))


def _slerp(a: Quaternion, b: Quaternion, share: float) -> Quaternion:
    cosine = sum(p * q for p, q in zip(a, b, strict=True))
    # q and -q are the same rotation: take the one that is nearer.
    sign = -1.0 if cosine < 0.0 else 1.0
    angle = math.acos(min(1.0, abs(cosine)))
    if angle < 1e-6:
        first, second = 1.0 - share, share
    else:
        first = math.sin((1.0 - share) * angle) / math.sin(angle)
        second = math.sin(share * angle) / math.sin(angle)
    ax, ay, az, aw = a
    bx, by, bz, bw = b
    second *= sign
    return normalised(
        (
            first * ax + second * bx,
            first * ay + second * by,
            first * az + second * bz,
            first * aw + second * bw,
        )
    )
