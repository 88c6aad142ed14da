from __future__ import annotations

import math

import numpy as np

from benchmarks.vision.scenes import Scene, cube_facing
from cozmo_driver.media.printed_markers import SIDE_AXES, SIDES
from cozmo_driver.perception.detection.learning import CubeLearner, turns_of
from cozmo_driver.perception.detection.rings import find_rings
from cozmo_driver.perception.detection.templates import TemplateBook, cut_out

from .pictures import seen


def side_along(axis: np.ndarray) -> str:
    return next(side for side in SIDES if (np.array(SIDE_AXES[side][0]) == axis).all())


class Person:
    """Somebody who rolls a cube as the learner asks for, and knows how it lies."""

    def __init__(self, facing: str, up: str) -> None:
        self.facing, self.up = facing, up
        self.asked: list[str] = []

    def roll(self, request: str) -> None:
        self.asked.append(request)
        facing, up = (np.array(SIDE_AXES[side][0]) for side in (self.facing, self.up))
        if "towards" in request:
            self.facing, self.up = self.up, side_along(-facing)
        else:
            assert "left or right" in request
            self.up = side_along(np.cross(up, facing))

    def show(self) -> Scene:
        turns = turns_of(self.facing, self.up)
        cube = cube_facing(2, self.facing, 0.14, 0.1, turns * math.pi / 2)
        return seen(cube, seed=len(self.asked))


def test_a_cube_is_learnt_side_by_side_as_it_is_rolled() -> None:
    learner, person = CubeLearner([], 2), Person("left", "back")
    assert "in front of the camera" in learner.request
    while not learner.is_done:
        assert len(person.asked) < 12
        learner.on_up(person.up)
        for _ in range(5):
            learner.on_image(person.show().picture)
        if not learner.is_done:
            person.roll(learner.request)
    assert {template.side for template in learner.templates} == set(SIDES)
    book = TemplateBook(learner.templates)
    for side in SIDES:
        for quarter in range(4):
            picture = seen(cube_facing(2, side, 0.2, -0.3, quarter * math.pi / 2)).picture
            ring = find_rings(picture)[0]
            match = book.find(cut_out(picture, ring), ring.size)
            assert match is not None
            assert match.is_sure
            assert (match.template.side, match.turns) == (side, quarter)


def test_a_marker_that_moves_or_is_not_there_is_not_learnt() -> None:
    learner = CubeLearner([], 1)
    learner.on_up("top")
    learner.on_up("back")
    empty = np.full((240, 320), 150, np.uint8)
    assert all(learner.on_image(empty) is None for _ in range(5))
    for step in range(5):
        scene = seen(cube_facing(1, "top", 0.12 + 0.01 * step))
        assert learner.on_image(scene.picture) is None
    assert "hold it still" in learner.request
