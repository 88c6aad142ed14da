"""Eyes that rest on what the camera sees."""

from __future__ import annotations

from random import Random

import pytest

from cozmo_driver.face import FaceEngine
from cozmo_driver.face.gaze import IdleOptions

FRAME = 1 / 30


def engine(**options: bool) -> FaceEngine:
    return FaceEngine(Random(3), IdleOptions(blinks=False, **options))


def centers(eyes: FaceEngine, start: float, end: float) -> list[tuple[float, float]]:
    """Return where the eyes are in each frame of a time."""
    count = round((end - start) / FRAME)
    faces = [eyes.parameters_at(start + FRAME * index) for index in range(count)]
    return [(face.center_x, face.center_y) for face in faces]


@pytest.mark.parametrize(
    ("place", "looks"),
    [((-1.0, 0.0), (14.0, 0.0)), ((1.0, 0.0), (-14.0, 0.0)), ((0.0, 1.0), (0.0, 8.0))],
)
def test_the_eyes_dart_to_a_place_and_rest_there(
    place: tuple[float, float], looks: tuple[float, float]
) -> None:
    eyes = engine()
    centers(eyes, 0.0, 5.0)
    eyes.attend(*place, 5.0)
    seen = centers(eyes, 5.0, 5.95)
    # The robot's left is the display's right; two frames are on the way.
    assert seen[2:] == [pytest.approx(looks)] * len(seen[2:])


def test_the_eyes_go_with_what_moves_on_and_wander_once_it_is_gone() -> None:
    eyes = engine()
    for step in range(20):
        now = 1.0 + 0.1 * step
        eyes.attend(-0.5 + 0.05 * step, 0.0, now)
        centers(eyes, now, now + 0.1)
    assert eyes.parameters_at(3.0).center_x == pytest.approx(-14.0 * 0.45, abs=1.5)
    assert len(set(centers(eyes, 4.1, 8.0))) > 10
    assert max(abs(x) for x, _ in centers(eyes, 5.5, 8.0)) <= 5.0


def test_eyes_that_never_dart_by_themselves_look_too_and_back() -> None:
    eyes = engine(saccades=False)
    eyes.attend(-1.0, 0.0, 1.0)
    assert eyes.parameters_at(1.1).center_x == pytest.approx(14.0)
    assert eyes.next_change(1.1) == pytest.approx(2.0)
    assert eyes.parameters_at(2.01).center_x == 0.0


def test_a_place_beyond_the_image_is_its_edge_and_time_may_jump() -> None:
    eyes = engine()
    eyes.attend(-9.0, 9.0, 1000.0)
    assert eyes.parameters_at(1000.1).center_x == pytest.approx(14.0)
    assert eyes.parameters_at(1000.1).center_y == pytest.approx(8.0)
