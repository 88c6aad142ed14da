from __future__ import annotations

import math

import pytest

from benchmarks.vision.emulated import DIM, sightings
from benchmarks.vision.measure import learnt, measure, scenes
from cozmo_driver.perception.detection.markers import MarkerDetector


@pytest.mark.parametrize(("kind", "least"), [(0, 0.95), (1, 0.85)])
def test_near_cubes_are_named_and_none_wrongly(kind: int, least: float) -> None:
    known = learnt(kind, 1) if kind else []
    result = measure(scenes(60, 3, (kind,)), {kind: MarkerDetector(known)})
    near = [
        s
        for s in result.sightings
        if 0.08 <= s.truth.distance < 0.3 and s.truth.angle < math.radians(45.0)
    ]
    assert len(near) > 20
    assert sum(s.is_right for s in near) >= least * len(near)
    assert result.wrong == 0
    errors = sorted(abs(s.distance_error) for s in near if s.is_right)
    assert errors[len(errors) // 2] < 0.01


def test_cubes_and_chargers_are_seen_as_an_emulated_robot_sends_them() -> None:
    seen = sightings(24, 3)
    near = [s for s in seen.markers if s.light > DIM and s.distance < 0.3]
    found = [s for s in near if s.found == s.name]
    assert {s.name[:4] for s in near} == {"cube", "char"}
    assert len(found) >= 0.8 * len(near)
    assert all(s.found in (None, "", s.name) for s in seen.markers)
    assert sorted(s.corner_error for s in found)[len(found) // 2] < 1.5
    assert seen.false == 0
