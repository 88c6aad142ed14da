from __future__ import annotations

import numpy as np
import pytest

from benchmarks.vision.people import room
from cozmo_driver.perception.detection.face_tracker import Face
from cozmo_driver.perception.detection.motion import Motion
from cozmo_driver.perception.detection.overlay import draw_faces, draw_markers, draw_motion

GRAY = room()


def changed(drawn: np.ndarray) -> np.ndarray:
    return (drawn != draw_markers(GRAY, [])).any(axis=2)


@pytest.mark.parametrize("name", ["", "Ann", "B\u00e9la"])
def test_a_face_has_a_box_around_it(name: str) -> None:
    drawn = draw_markers(GRAY, [])
    draw_faces(drawn, [Face(1, name, 0.9, (100.0, 60.0, 50.0, 50.0), (0.5, 0.0, 0.2), 0.5)])
    rows, columns = np.nonzero(changed(drawn)[118:])
    assert (columns.min(), columns.max()) == pytest.approx((200, 300), abs=2)
    assert rows.max() + 118 == pytest.approx(220, abs=2)
    assert not changed(drawn)[125:215, 205:295].any()


def test_motion_has_a_circle_and_bars_at_its_edges() -> None:
    drawn = draw_markers(GRAY, [])
    draw_motion(drawn, Motion(0.05, 100.0, 150.0, 0.0, None, 0.5, 0.0, 1.0))
    marks = changed(drawn)
    assert marks[:6].all()
    assert marks[130:350, 0].all()
    assert not marks[:100, 0][10:].any()
    assert not marks[20:, 639].any()
    assert not marks[300, 200]


def test_what_reaches_beyond_the_picture_is_drawn_as_far_as_it_goes() -> None:
    drawn = draw_markers(GRAY, [])
    draw_faces(drawn, [Face(-1, "", 0.9, (-40.0, -30.0, 400.0, 300.0), (0.2, 0.0, 0.1), 0.2)])
    draw_motion(drawn, Motion(1.0, 0.0, 0.0, 1.0, (0.1, 0.0), 1.0, 1.0, 1.0))
    assert drawn.shape == (480, 640, 3)
