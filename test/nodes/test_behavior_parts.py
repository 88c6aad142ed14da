"""Parts of the personality's node by themselves: services, trace and lights."""

from __future__ import annotations

import asyncio
import random
import time
from types import SimpleNamespace
from typing import Any
from unittest.mock import MagicMock

import pytest
from builtin_interfaces.msg import Time
from nav_msgs.msg import Odometry

from cozmo_driver.behavior import ros_senses
from cozmo_driver.behavior.body import EventLog, PatternLights
from cozmo_driver.behavior.inner_state import InnerState
from cozmo_driver.behavior.needs import Needs, NeedsSnapshot
from cozmo_driver.behavior.needs_config import Need
from cozmo_driver.behavior.ros_publishers import Publishers
from cozmo_driver.behavior.ros_services import Services
from cozmo_driver.behavior.trace import Trace
from cozmo_driver.robot import Color, CubeLights, RobotError, steady, uniform_lights
from cozmo_driver.virtual_time import run_in_virtual_time
from cozmo_interfaces.msg import RobotStatus
from cozmo_interfaces.srv import ApplyNeedAction

from ..behavior.trees import OWN


def test_a_need_that_is_served_on_request_is_felt() -> None:
    async def serve() -> str:
        loop = asyncio.get_running_loop()
        assert OWN is not None
        inner = InnerState((OWN,), EventLog(), loop.time, random.Random(1))
        inner.needs.set_level(Need.ENERGY, 0.0, loop.time())
        made: Any = SimpleNamespace(_inner=inner, _context=SimpleNamespace(stamp_now=Time))
        request = ApplyNeedAction.Request(action="Feed")
        await Services._apply(made, request, ApplyNeedAction.Response())
        return str(inner.mood.last_event)

    assert run_in_virtual_time(serve()) == "NeedsSatisfied"


def test_neglect_is_felt_by_the_needs_that_a_robot_comes_with(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now, felt = [0.0], []
    assert OWN is not None
    inner = InnerState((OWN,), EventLog(), lambda: now[0], random.Random(1))
    monkeypatch.setattr(inner.mood, "event", lambda name, at: felt.append((name, at)))

    def come_with(levels: float) -> None:
        """Live for 25 min as a robot of which the needs were kept."""
        kept = NeedsSnapshot(dict.fromkeys(Need, levels))
        inner.needs = Needs(inner.needs.config, now[0], random.Random(1), kept)
        for _ in range(1500):
            now[0] += 1.0
            inner.clear()

    come_with(0.0)
    assert felt == [("NeedsNeglected", at) for at in (1.0, 601.0, 1201.0)]
    come_with(0.9)
    assert len(felt) == 3
    come_with(0.0)
    assert [at for _, at in felt[3:]] == [3001.0, 3601.0, 4201.0]


@pytest.mark.parametrize(
    ("stall", "is_lost"), [(0.6, False), (1.1, False), (2.0, False), (5.0, True)]
)
def test_only_a_silence_that_is_longer_than_a_stall_of_the_wifi_is_a_lost_robot(
    monkeypatch: pytest.MonkeyPatch, stall: float, is_lost: bool
) -> None:
    monkeypatch.setattr(
        ros_senses, "LatestMessage", lambda *_: MagicMock(**{"take.return_value": None})
    )

    async def feel() -> list[bool]:
        senses = ros_senses.RosSenses(MagicMock())
        senses.is_linked = senses.is_known = True
        felt = []
        for step in range(200):
            is_heard = not 2.0 <= step * 0.05 < 2.0 + stall
            taken: Any = (RobotStatus(), Odometry()) if is_heard else (None, None)
            for topic, message in zip((senses._status, senses._odometry), taken, strict=True):
                topic.take.return_value = message  # type: ignore[attr-defined]
            felt.append(senses.now.is_connected)
            await asyncio.sleep(0.05)
        return felt

    felt = run_in_virtual_time(feel())
    assert all(felt) is not is_lost
    assert felt[-1]


def test_a_trace_has_the_computers_time_also_after_it_was_set(monkeypatch: Any) -> None:
    written: list[float] = []
    file: Any = SimpleNamespace(append=lambda _, started_at: written.append(started_at))
    trace = Trace()
    publishers = Publishers(MagicMock(), MagicMock(), file)
    real = time.time
    for step in (0.0, 3600.0):
        monkeypatch.setattr(time, "time", lambda step=step: real() + step)
        trace.add(time.monotonic(), "behavior", f"after {step}", "")
        publishers.report_decisions(MagicMock(engine=MagicMock(trace=trace)))
    assert written[1] - written[0] == pytest.approx(3600.0, abs=60.0)


def test_a_cubes_lights_are_given_back_also_after_unknown_ones() -> None:
    shown: list[CubeLights | None] = []
    library: Any = SimpleNamespace(cube_lights={}, cube_triggers={})
    lights = PatternLights(library, lambda _: None, lambda _, lights: shown.append(lights))
    red = uniform_lights(steady(Color(1.0, 0.0, 0.0)))
    lights.light_cube(7, red)
    with pytest.raises(RobotError, match="no cube lights for 'nonsense'"):
        lights.light_cube(7, "nonsense")
    lights.release()
    assert shown == [red, None]
