"""The table of parameters, what it refuses, and the file that explains it."""

from __future__ import annotations

import math
import statistics
from pathlib import Path
from typing import Any

import pytest
import yaml
from rclpy.parameter import parameter_dict_from_yaml_file

from cozmo_driver.driver.parameters import PARAMETERS
from cozmo_driver.ros.parameter_set import ParameterSpec

from ..each import for_each
from ..robot.hands import with_robot
from .explanations import explanation_of

CONFIG = Path(__file__).parents[2] / "config" / "cozmo.yaml"
BY_NAME = {spec.name: spec for spec in PARAMETERS}


def plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


def test_the_file_holds_every_parameter_with_its_default_in_the_order_of_the_table() -> None:
    content = yaml.safe_load(CONFIG.read_text())["/**"]["ros__parameters"]
    assert content == {spec.name: plain(spec.default) for spec in PARAMETERS}
    assert list(content) == [spec.name for spec in PARAMETERS]
    for name, value in content.items():
        assert type(value) is type(plain(BY_NAME[name].default)), name


def test_ros_reads_the_file() -> None:
    assert set(parameter_dict_from_yaml_file(str(CONFIG), use_wildcard=True)) == set(BY_NAME)


@for_each("name", BY_NAME)
def test_the_file_explains_each_parameter_and_says_what_may_change(name: str) -> None:
    text, spec = explanation_of(name, CONFIG), BY_NAME[name]
    assert len(text.split()) >= 4
    assert ("[running]" in text) == (not spec.fixed)
    is_array = isinstance(spec.default, tuple)
    if spec.low is not None and spec.high is not None and not is_array:
        assert f"{spec.low:g}" in text
        assert f"{spec.high:.0f}" in text or f"{spec.high:g}" in text


@for_each("name", BY_NAME)
def test_every_default_passes_its_own_check_and_has_a_description(name: str) -> None:
    spec = BY_NAME[name]
    assert spec.refusal(spec.default) == ""
    descriptor = spec.descriptor()
    assert descriptor.description
    assert descriptor.read_only == spec.fixed
    if spec.fixed:
        assert "fixed while the node runs" in descriptor.additional_constraints


def test_ranges_reach_the_descriptors() -> None:
    [port] = BY_NAME["robot_port"].descriptor().integer_range
    assert (port.from_value, port.to_value) == (1, 65535)
    [timeout] = BY_NAME["cmd_vel_timeout"].descriptor().floating_point_range
    assert (timeout.from_value, timeout.to_value) == (0.05, 10.0)


@pytest.mark.parametrize(
    ("name", "value", "reason"),
    [
        ("robot_address", "172.31.1", "is not an IPv4 address"),
        ("odom_frame", "", "a frame needs a name"),
        ("base_frame", "my base", "holds a space"),
        ("frame_prefix", "/x/", "starts with a slash"),
        ("cmd_vel_timeout", 0.0, "must be between 0.05 and 10 s, not 0"),
        ("cmd_vel_timeout", math.nan, "not nan"),
        ("pose_covariance_diagonal", [1.0] * 5, "needs 6 numbers, not 5"),
        ("pose_covariance_diagonal", [1.0, 1.0, 1.0, 1.0, math.inf, 1.0], "not inf"),
        ("angular_velocity_covariance_diagonal", [0.0, 0.0, -1.0], "at least 0"),
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
@pytest.mark.parametrize(
    ("name", "field"),
    [
        ("linear_acceleration_covariance_diagonal", "acceleration"),
        ("angular_velocity_covariance_diagonal", "angular_velocity"),
    ],
)
def test_the_imu_covariances_are_those_of_a_standing_robot(
    hardware: str, name: str, field: str
) -> None:
    (parameter,) = (p for p in PARAMETERS if p.name == name)
    samples = []

    def on_state(state: Any) -> None:
        vector = getattr(state, field)
        samples.append((vector.x, vector.y, vector.z))

    @with_robot({"hardware": hardware})
    async def stand(world: Any) -> None:
        await world.pass_time(1.0)
        world.robot.on_state.connect(on_state)
        await world.pass_time(10.0)

    stand()
    variances = [statistics.variance(axis) for axis in zip(*samples, strict=True)]
    assert max(variances) == pytest.approx(max(parameter.default), rel=0.35)
    assert all(v < 1.35 * p for v, p in zip(variances, parameter.default, strict=True))
