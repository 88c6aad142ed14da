"""The robot's own meshes, each in the frame of the link that shows it (millimetres).

Sizes follow `spec 13 §2` and `§3`; where that is silent the shape is a free likeness.
"""

from __future__ import annotations

import math
from itertools import pairwise

from manifold3d import CrossSection, Manifold
from shapes import (
    both_sides,
    box,
    disc,
    front,
    grow,
    hull,
    pitched,
    polygon,
    rounded_rectangle,
    side,
    soft_side,
    union,
)

FACE_PITCH = 0.0698
SCREEN_CENTRE = (18.6, 3.0)

NECK = (-13.0, 49.0)
LIFT_PIVOT = (-41.0, 45.0)
UPPER_PIN_HEIGHT = 9.0
LIFT_ARM_LENGTH = 66.0

TREAD_CENTRE = (-20.6, 14.5)
FRONT_WHEEL = (0.0, 14.5)
REAR_WHEEL = (-47.0, 10.4)
FRONT_BELT_RADIUS = 14.5
REAR_BELT_RADIUS = 10.4
TREAD_WIDTH = 11.7
BELT_THICKNESS = 1.4


def body_shell() -> Manifold:
    """White rear hull with its sloping back, and the side plates that carry head and lift."""
    hull_section = grow(
        polygon([(-53.9, 28.5), (-53.9, 30.5), (-38.8, 47.9), (-37.5, 48), (-37.5, 28.5)]), 1.9
    )
    rear = soft_side(hull_section, -21, 21, 1.6)
    plate_section = hull(
        disc(*NECK, 8.5), disc(-41.5, 51.5, 6.0), disc(-49, 32, 3), disc(-19, 33, 3)
    )
    plate = soft_side(plate_section, 17.6, 21.6, 1.2)
    nose = soft_side(
        grow(polygon([(-4, 24.5), (6.5, 24.5), (11.5, 20), (12.5, 15), (10, 11), (-4, 11)]), 1.5),
        -16.8,
        16.8,
        1.5,
    )
    return union(rear, both_sides(plate), nose)


def chassis() -> Manifold:
    """Dark hull between the treads, with the cliff sensor's socket under the nose."""
    section = grow(
        polygon([(-53.5, 13), (-50, 10.5), (4, 10.5), (4, 22), (-37, 27), (-53.5, 27)]),
        1.5,
    )
    lower = soft_side(section, -16.6, 16.6, 1.0)
    neck = side(grow(polygon([(-34, 26), (-34, 34), (-20, 29), (-8, 25)]), 1.0), -16.6, 16.6)
    socket = Manifold.cylinder(4.0, 4.5, 4.5, 32).translate((5, 0, 6.0))
    return union(lower, neck, socket)


def body_accents() -> Manifold:
    """Red: neck discs and the pins of the lift's four-bar."""
    neck = soft_side(disc(*NECK, 4.6), 20.5, 22.3, 0.5)
    pins = [
        side(disc(LIFT_PIVOT[0], LIFT_PIVOT[1] + height, 2.4), 20.5, 25.2)
        for height in (0.0, UPPER_PIN_HEIGHT)
    ]
    return both_sides(union(neck, *pins))


def backpack_panel() -> Manifold:
    """Dark panel on the sloping back, in backpack_link; its outer face is local z = 0.8."""
    return rounded_rectangle(23, 15, 3).extrude(1.6).translate((0, 0, -0.8))


def head_shell() -> Manifold:
    """White head block 36.6 x 34.3 x 36.1, its front open for the face."""
    section = hull(
        disc(-11.3, 11.05, 7.0),
        disc(-9.3, -9.05, 9.0),
        disc(12.6, 13.05, 5.0),
        disc(12.2, -14.05, 4.0),
    )
    block = soft_side(section, -17.15, 17.15, 4.0)
    opening = front(rounded_rectangle(30.0, 30.4, 5.0), 15.2, 30)
    return block - pitched(opening.translate((0, 0, 0.2)), FACE_PITCH, SCREEN_CENTRE)


def head_bezel() -> Manifold:
    """Dark face: a plate with bevelled edges around the glass."""
    outer = front(rounded_rectangle(30.0, 30.4, 5.0), 10.0, 16.4).translate((0, 0, 0.2))
    lip = Manifold.batch_hull(
        [
            front(rounded_rectangle(29.4, 29.8, 4.8), 16.0, 16.6).translate((0, 0, 0.2)),
            front(rounded_rectangle(27.4, 27.6, 4.2), 16.0, 18.2).translate((0, 0, 0.2)),
        ]
    )
    return pitched(union(outer, lip), FACE_PITCH, SCREEN_CENTRE)


def camera_ring() -> Manifold:
    """Light ring around the camera, in camera_link (x along the optical axis)."""
    return front(disc(0, 0, 3.5) - disc(0, 0, 2.5), -0.5, 1.0)


def head_sides() -> Manifold:
    """Light grey panels let into the sides, the top and the back of the head."""
    section = grow(hull(disc(-9, 9, 2), disc(9, 11, 2), disc(9, -11, 2), disc(-7, -8, 2)), 1.0)
    top = rounded_rectangle(14, 22, 3).extrude(2.0).translate((-1, 0, 16.3))
    back = front(rounded_rectangle(22, 12, 3).translate((0, 2)), -18.6, -16)
    return union(both_sides(soft_side(section, 15.5, 17.4, 0.4)), top, back)


def display_glass() -> Manifold:
    """Black glass around the screen, in display_link (x points out of the screen)."""
    return front(rounded_rectangle(27.0, 17.0, 3.0), -1.2, -0.1).translate((0, 0, 1.0))


def display_screen() -> Manifold:
    """The screen's visible area, 26 x 13, in display_link."""
    return front(rounded_rectangle(26.0, 13.0, 0.8), -0.5, 0.0)


def display_eyes() -> Manifold:
    """Two eyes as the robot shows them at rest, in display_link."""
    eye = front(rounded_rectangle(6.6, 8.6, 2.1), -0.3, 0.15)
    return both_sides(eye.translate((0, 5.6, 0)))


def camera_lens() -> Manifold:
    """Black lens barrel and lens, in camera_link."""
    barrel = front(disc(0, 0, 2.6) - disc(0, 0, 1.7), -0.5, 1.4)
    lens = Manifold.sphere(2.2, 32).translate((-0.9, 0, 0))
    return union(barrel, lens)


def _belt_section(inset: float) -> CrossSection:
    return hull(
        disc(FRONT_WHEEL[0], FRONT_WHEEL[1], FRONT_BELT_RADIUS - inset),
        disc(REAR_WHEEL[0], REAR_WHEEL[1], REAR_BELT_RADIUS - inset),
    ).translate((-TREAD_CENTRE[0], -TREAD_CENTRE[1]))


def _outline_points(section: CrossSection, pitch: float) -> list[tuple[float, float, float]]:
    """Points (x, z, direction in rad) spaced evenly, near `pitch`, along a section's outline."""
    ring = section.to_polygons()[0]
    closed = [*ring, ring[0]]
    lengths = [math.dist(a, b) for a, b in pairwise(closed)]
    count = round(sum(lengths) / pitch)
    step = sum(lengths) / count
    points: list[tuple[float, float, float]] = []
    travelled = 0.0
    for (start, end), length in zip(pairwise(closed), lengths, strict=True):
        direction = math.atan2(end[1] - start[1], end[0] - start[0])
        while len(points) < count and len(points) * step <= travelled + length:
            part = (len(points) * step - travelled) / length
            x = start[0] + part * (end[0] - start[0])
            z = start[1] + part * (end[1] - start[1])
            points.append((x, z, direction))
        travelled += length
    return points


def tread_belt() -> Manifold:
    """Rubber belt around both wheels, 72 x 11.7 x 29, with cleats; in a tread link."""
    cleat_height = 0.9
    band = _belt_section(cleat_height) - _belt_section(cleat_height + BELT_THICKNESS)
    half = TREAD_WIDTH / 2
    cleat = CrossSection.square((1.9, 2.2), center=True)
    envelope = _belt_section(0.0)
    cleats = CrossSection.compose([])
    for x, z, direction in _outline_points(_belt_section(cleat_height), 3.6):
        cleats += cleat.rotate(math.degrees(direction)).translate((x, z))
    cleats = (cleats ^ envelope) - _belt_section(cleat_height + 0.3)
    return union(side(band, -half, half), side(cleats, -half, half))


def tread_frame() -> Manifold:
    """Grey plate that carries the wheels inside the belt; in a tread link."""
    plate = side(_belt_section(2.6), -2.2, 2.2)
    window = hull(disc(-2, -1, 4.0), disc(-12, -2.8, 3.0))
    return plate - side(window, 1.2, 5) - side(window, -5, -1.2)


def wheel_rim(radius: float, spokes: int) -> Manifold:
    """A wheel with pockets between its spokes, about its axle (y)."""
    wheel = soft_side(disc(0, 0, radius), -5.2, 5.2, 0.8)
    bowl = disc(0, 0, radius - 1.8) - disc(0, 0, radius * 0.40)
    spoke = CrossSection.square((2 * radius, 2.2), center=True).translate((radius, 0))
    web = CrossSection.compose([])
    for index in range(spokes):
        web += spoke.rotate(360 / spokes * index)
    pockets = both_sides(side(bowl - web, 2.6, 6)) + both_sides(side(bowl, 4.4, 6))
    return wheel - pockets


def wheel_hub(radius: float) -> Manifold:
    """Red cap over a wheel's axle on both of its faces."""
    return both_sides(soft_side(disc(0, 0, radius * 0.40), 4.2, 5.6, 0.4))


def lift_arm() -> Manifold:
    """Lower bars of the lift's four-bar, 66 long, 8 high, in lift_arm_link."""
    bar = hull(disc(0, 0, 4.0), disc(LIFT_ARM_LENGTH, 0, 4.0))
    groove = hull(disc(9, 0, 1.7), disc(LIFT_ARM_LENGTH - 9, 0, 1.7))
    arm = soft_side(bar, 25.0, 29.0, 0.6) - side(groove, 28.2, 30)
    return both_sides(arm)


def lift_upper_arm() -> Manifold:
    """Upper bars of the four-bar, parallel to the lower ones, in lift_upper_arm_link."""
    rod = soft_side(hull(disc(0, 0, 1.6), disc(LIFT_ARM_LENGTH, 0, 1.6)), 25.4, 28.4, 0.4)
    ends = [soft_side(disc(x, 0, 2.7), 25.2, 28.8, 0.4) for x in (0.0, LIFT_ARM_LENGTH)]
    return both_sides(union(rod, *ends))


def lift_pins() -> Manifold:
    """Red pins at both ends of the lower bars, in lift_arm_link."""
    pins = [soft_side(disc(x, 0, 2.2), 28.0, 29.25, 0.4) for x in (0.0, LIFT_ARM_LENGTH)]
    return both_sides(union(*pins))


def lift_carriage() -> Manifold:
    """White upright frame at the arms' front ends, 58.5 wide, in lift_carriage_link."""
    upright_section = hull(
        disc(0, UPPER_PIN_HEIGHT, 3.0), disc(0, 0, 4.2), disc(1, -14, 2.0), disc(1, -26.5, 2.0)
    )
    upright = soft_side(upright_section, 20.6, 24.8, 0.8)
    pins = union(side(disc(0, 0, 2.6), 23, 26), side(disc(0, UPPER_PIN_HEIGHT, 1.8), 23, 28.9))
    flare = soft_side(
        grow(polygon([(0, -27.5), (2, -27.5), (2, -13), (0, -10)]), 1.0), 20.6, 29.25, 0.9
    )
    bar = box((-0.8, 3.0), (-29.25, 29.25), (-28.3, -20.2), 0.9)
    return union(both_sides(union(upright, pins, flare)), bar)


def lift_fork() -> Manifold:
    """Dark crossbar, 30 wide and 8.5 high, with the two hooks that take a cube."""
    bar = box((-1.0, 4.0), (-15.0, 15.0), (-28.5, -20.0), 0.6)
    hook_section = polygon([(3, -28.5), (8.4, -28.0), (8.4, -26.0), (6.8, -25.2), (3, -22.5)])
    hook = side(hook_section, 7.0, 11.5)
    return union(bar, both_sides(hook))
