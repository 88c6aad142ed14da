"""The table of parameters, what it refuses, and the file that explains it."""

from __future__ import annotations

import math
import statistics
from typing import Any

import pytest

from cozmo_driver.driver.parameters import PARAMETERS
from cozmo_driver.ros.parameter_set import ParameterSpec

from ..robot.hands import with_robot

BY_NAME = {spec.name: spec for spec in PARAMETERS}


def test_ranges_reach_the_descriptors() -> None:
    [port] = BY_NAME["robot_port"].descriptor().integer_range
    assert (port.from_value, port.to_value) == (1, 65535)
    [timeout] = BY_NAME["cmd_vel_timeout"].descriptor().floating_point_range
    assert (timeout.from_value, timeout.to_value) == (0.05, 10.0)


@pytest.mark.parametrize(
    ("name", "value", "reason"),
    [
        ("robot_address", "172.31.1", "is not an IPv4 address"),
        ("frame_prefix", "/x/", "starts with a slash"),
        ("after_pickup", "stay", "continue, hold, hold_until_localized"),
        ("cmd_vel_timeout", 0.0, "must be between 0.05 and 10 s, not 0"),
        ("pose_covariance_diagonal", [1.0] * 5, "needs 6 numbers, not 5"),
        ("pose_covariance_diagonal", [1.0, 1.0, 1.0, 1.0, math.inf, 1.0], "not inf"),
        ("camera_info_url", "http://example.org/a.yaml", "only file:// and package://"),
    ],
)
def test_bad_values_are_refused_with_a_reason(name: str, value: Any, reason: str) -> None:
    assert reason in BY_NAME[name].refusal(value)


def test_zero_below_the_range_is_refused() -> None:
    assert ParameterSpec("x", 1.0, "", low=0.5).refusal(0.0) == "x must be at least 0.5, not 0"
    assert ParameterSpec("x", 1.0, "", high=-0.5).refusal(0.0) == "x must be at most -0.5, not 0"
    assert ParameterSpec("x", 1.0, "").refusal(math.inf) == "x must be finite, not inf"


@pytest.mark.parametrize("hardware", ["1.0", "1.5"])
def test_the_imu_covariances_are_those_of_a_standing_robot(hardware: str) -> None:
    samples: list[tuple[Any, Any]] = []

    @with_robot({"hardware": hardware})
    async def stand(world: Any) -> None:
        await world.pass_time(1.0)
        world.robot.on_state.connect(
            lambda state: samples.append((state.acceleration, state.angular_velocity))
        )
        await world.pass_time(10.0)

    stand()
    for name, vectors in zip(
        ("linear_acceleration", "angular_velocity"), zip(*samples, strict=True), strict=True
    ):
        default = BY_NAME[f"{name}_covariance_diagonal"].default
        axes = zip(*((v.x, v.y, v.z) for v in vectors), strict=True)
        variances = [statistics.variance(axis) for axis in axes]
        assert max(variances) == pytest.approx(max(default), rel=0.35), name
        assert all(v < 1.35 * p for v, p in zip(variances, default, strict=True)), name
