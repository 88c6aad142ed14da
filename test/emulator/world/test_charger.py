"""Backing onto the charger: rails, ramp and contacts."""

from __future__ import annotations

import pytest

from cozmo_driver.emulator.hardware import CHARGER_TILT
from cozmo_driver.protocol.messages import DriveWheels, EnableStopOnCliff

from ..bench import Bench
from .worlds import ROOM, bench_in

_LIP = 200.0
"""x of the charger's entrance in the world, mm."""


def backing_in(aside: float, askew: float) -> Bench:
    """Return a robot that has backed in from 120 mm before the lip, mm and degrees beside."""
    bench = bench_in(
        ROOM,
        charger={"x": _LIP / 1000, "y": 0.0, "yaw": 0.0},
        robots=[{"x": 0.08, "y": aside / 1000, "yaw": 180.0 + askew}],
    )
    bench.send(DriveWheels(-40, -40))
    bench.run(4.5)
    return bench


@pytest.mark.parametrize(("aside", "askew"), [(0.0, 0.0), (8.0, 0.0), (-9.0, 2.0), (3.0, -6.0)])
def test_rails_lead_a_robot_to_the_contacts(aside: float, askew: float) -> None:
    bench = backing_in(aside, askew)
    assert bench.state.on_charger
    assert bench.state.pose.y == pytest.approx(0.0, abs=1.0)
    assert bench.firmware.body.ramp() == CHARGER_TILT


@pytest.mark.parametrize(("aside", "askew"), [(14.0, 0.0), (-30.0, 0.0), (0.0, 12.0)])
def test_a_robot_that_comes_too_far_beside_stops_at_the_lip(aside: float, askew: float) -> None:
    bench = backing_in(aside, askew)
    assert not bench.state.on_charger
    assert bench.state.pose.x == pytest.approx(_LIP - 55.9, abs=1.5)
    bench.send(DriveWheels(40, 40))
    bench.run(1.0)
    assert bench.state.pose.x < _LIP - 75.0


def test_the_rear_climbs_the_ramp() -> None:
    bench = backing_in(0.0, 0.0)
    pitches = []
    bench.send(EnableStopOnCliff(False), DriveWheels(40, 40))
    for _ in range(40):
        bench.run(0.1)
        pitches.append(bench.firmware.body.ramp())
    assert min(pitches) == pytest.approx(CHARGER_TILT)
    assert any(CHARGER_TILT < pitch < 0.0 for pitch in pitches)
    assert pitches[-1] == 0.0
