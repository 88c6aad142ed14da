"""What the eyes make of pictures whose truth is known."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from cozmo_driver.media.printed_markers import SIDES
from cozmo_driver.perception.detection.camera import Camera
from cozmo_driver.perception.detection.learning import LearningError, learn
from cozmo_driver.perception.detection.markers import Marker, MarkerDetector, as_gray
from cozmo_driver.perception.detection.poses import marker_poses, resolve_ambiguity
from cozmo_driver.perception.detection.templates import Template

from .scenes import (
    CX,
    CY,
    FX,
    FY,
    Conditions,
    Gray,
    Scene,
    Truth,
    cube_before,
    cube_facing,
    render,
)

CAMERA = Camera(FX, FY, CX, CY)
PITCH = math.radians(4.0)
UP = np.array([0.0, -math.cos(PITCH), -math.sin(PITCH)])
"""Of the ground in the optical frame, head level."""
_TURNING_BLUR = 1.7
"""Pixels at 20 degrees/s and 16 ms."""
_LEDS = 16
_PRINTS = 3
_DIM = 80.0
_APART = 0.065
"""m between the middles of two cubes."""


@dataclass(frozen=True, slots=True)
class Sighting:
    """A side of a cube before the camera, and what was found of it."""

    truth: Truth
    conditions: Conditions
    is_found: bool
    name: str | None
    distance_error: float
    """A share of the distance."""
    sideways_error: float
    """m, across the line of sight."""
    angle_error: float
    """rad, between the true and the found direction that the side looks to."""
    picture: int

    @property
    def is_right(self) -> bool:
        return self.name == f"cube_{self.truth.cube}"


@dataclass(slots=True)
class Result:
    """Of many pictures."""

    sightings: list[Sighting]
    false: int
    """Markers found where there is none."""
    wrong: int
    """Markers with another cube's name, also hidden and oblique ones."""
    seconds: list[float]
    """CPU time of each picture."""


def conditions(random: np.random.Generator) -> Conditions:
    """Return light, noise and blur as they come; gain goes up in the dark."""
    light = random.uniform(20.0, 250.0)
    return Conditions(
        light=light,
        noise=random.uniform(4.0, 8.0),
        blur=random.uniform(0.6, 1.1),
        motion=random.uniform(0.0, _TURNING_BLUR),
        shadow=random.uniform(0.2, 0.7) if random.random() < 0.15 else 0.0,
        bands=random.uniform(0.0, 0.3) if random.random() < 0.15 else 0.0,
        slope=random.uniform(0.0, 0.4),
        way=random.uniform(-math.pi, math.pi),
        pool=random.uniform(-0.2, 0.2),
        glare=random.uniform(0.0, 60.0) if random.random() < 0.3 else 0.0,
        gain=random.uniform(1.0, 2.0) if light < _DIM else 1.0,
        color=bool(random.random() < 0.15),
    )


def scenes(
    count: int, seed: int, kinds: Sequence[int], **fixed: float
) -> Iterator[tuple[Scene, Conditions, int]]:
    """Yield pictures of one cube or two, with the set of drawings that is on them.

    ``fixed`` are conditions that do not vary.
    """
    for number in range(count):
        random = np.random.default_rng([seed, number])
        kind = kinds[number % len(kinds)]
        first = int(random.integers(1, 4))
        numbers = [first] if random.random() < 0.6 else [first, first % 3 + 1]
        cubes = [
            cube_before(
                cube,
                random.uniform(0.08, 0.62),
                random.uniform(-0.4, 0.4),
                random.uniform(-math.pi, math.pi),
                int(random.integers(24)),
                pitch=PITCH,
                kind=kind,
                lit=int(random.integers(_LEDS)) if random.random() < 0.2 else 0,
                print_=1 + int(random.integers(_PRINTS)) if kind == 0 else 1,
            )
            for cube in numbers
        ]
        how = replace(conditions(random), **fixed)
        if len(cubes) == 2 and np.linalg.norm(cubes[0].place - cubes[1].place) < _APART:
            cubes.pop()
        yield render(cubes, how, random), how, kind


def learnt(kind: int, seed: int) -> list[Template]:
    """Return what is learnt from one clear picture of each side of the three cubes."""
    known: list[Template] = []
    for cube in (1, 2, 3):
        for number, side in enumerate(SIDES):
            random = np.random.default_rng([seed, kind, cube, number])
            turn, roll = random.uniform(-0.3, 0.3), random.uniform(-math.pi, math.pi)
            one = cube_facing(
                cube, side, random.uniform(0.09, 0.16), turn, roll, kind=kind, print_=1
            )
            scene = render([one], Conditions(light=random.uniform(90, 200)), random)
            try:
                known, _ = learn(known, cube, as_gray(scene.picture))
            except LearningError as error:
                print(f"drawings {kind}, cube {cube}, {side}: {error}")
    return known


def measure(
    pictures: Iterator[tuple[Scene, Conditions, int]], detectors: dict[int, MarkerDetector]
) -> Result:
    """Look at pictures, each with the detector of its set of drawings."""
    result = Result([], 0, 0, [])
    for number, (scene, how, kind) in enumerate(pictures):
        gray = as_gray(scene.picture)
        start = time.thread_time()
        markers = detectors[kind].detect(gray)
        result.seconds.append(time.thread_time() - start)
        left = list(markers)
        for truth in sorted(scene.truths, key=lambda truth: truth.is_hidden):
            marker = _at(truth, left)
            if marker is not None:
                left.remove(marker)
                if marker.name not in (None, f"cube_{truth.cube}"):
                    result.wrong += 1
            if not truth.is_hidden:
                result.sightings.append(_sighting(truth, how, marker, number))
        result.false += len(left)
    return result


def false_markers(pictures: Iterator[Gray], detector: MarkerDetector) -> tuple[int, list[float]]:
    """Return how many markers are found in pictures without any, and the CPU time of each."""
    found, seconds = 0, []
    for picture in pictures:
        gray = as_gray(picture)
        start = time.thread_time()
        found += len(detector.detect(gray))
        seconds.append(time.thread_time() - start)
    return found, seconds


def _at(truth: Truth, markers: list[Marker]) -> Marker | None:
    middle = truth.corners.mean(axis=0)
    for marker in markers:
        is_near = np.abs(marker.corners.mean(axis=0) - middle).max() < 0.15 * truth.size + 1.0
        if is_near and 0.7 < marker.pixels / truth.size < 1.4:
            return marker
    return None


def _sighting(truth: Truth, how: Conditions, marker: Marker | None, picture: int) -> Sighting:
    if marker is None:
        return Sighting(truth, how, False, None, math.nan, math.nan, math.nan, picture)
    poses = marker_poses(marker.own_corners, marker.size, CAMERA)
    if not poses:
        return Sighting(truth, how, True, marker.name, math.nan, math.nan, math.nan, picture)
    pose = resolve_ambiguity(poses, UP)
    place = pose.matrix[:3, 3]
    ahead = truth.center / truth.distance
    off = place - truth.center
    across = float(np.linalg.norm(off - ahead * (off @ ahead)))
    angle = math.acos(min(float(-pose.matrix[:3, 1] @ truth.normal), 1.0))
    error = pose.distance / truth.distance - 1.0
    return Sighting(truth, how, True, marker.name, error, across, angle, picture)
