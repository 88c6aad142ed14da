"""The table of parameters, what it refuses, and the file that explains it."""

from __future__ import annotations

import math
import statistics
from pathlib import Path
from typing import Any

import pytest
import yaml
from rclpy.parameter import parameter_dict_from_yaml_file

from cozmo_driver.behavior.ros_parameters import BEHAVIOR_PARAMETERS
from cozmo_driver.driver.parameters import PARAMETERS
from cozmo_driver.face.node import FACE_PARAMETERS
from cozmo_driver.perception.ros_parameters import VISION_PARAMETERS
from cozmo_driver.ros.parameter_set import ParameterSpec

from ..robot.hands import with_robot
from .explanations import explanation_of

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


# -- the parameter files explain every parameter of their node, with its default


CONFIG = Path(__file__).parents[2] / "config"
TABLES: dict[str, tuple[ParameterSpec, ...]] = {
    "cozmo.yaml": PARAMETERS,
    "face.yaml": FACE_PARAMETERS,
    "behavior.yaml": BEHAVIOR_PARAMETERS,
    "vision_node.yaml": VISION_PARAMETERS,
}
each_file = pytest.mark.parametrize("file", TABLES)


def plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


@each_file
def test_the_file_holds_every_parameter_with_its_default_in_the_order_of_the_table(
    file: str,
) -> None:
    content = yaml.safe_load((CONFIG / file).read_text())["/**"]["ros__parameters"]
    expected = [(spec.name, plain(spec.default)) for spec in TABLES[file]]
    assert list(content.items()) == expected
    assert [type(content[name]) for name, _ in expected] == [type(one) for _, one in expected]
    names = set(parameter_dict_from_yaml_file(str(CONFIG / file), use_wildcard=True))
    assert names == {spec.name for spec in TABLES[file]}


@each_file
def test_the_file_explains_each_parameter_and_says_what_may_change(file: str) -> None:
    for spec in TABLES[file]:
        text = explanation_of(spec.name, CONFIG / file)
        assert len(text.split()) >= 4, spec.name
        assert ("[running]" in text) == (not spec.fixed), spec.name
        if None not in (spec.low, spec.high) and not isinstance(spec.default, tuple):
            assert f"{spec.low:g}" in text, spec.name
            assert f"{spec.high:.0f}" in text or f"{spec.high:g}" in text, spec.name


@each_file
def test_every_default_passes_its_own_check_and_has_a_description(file: str) -> None:
    for spec in TABLES[file]:
        assert spec.refusal(spec.default) == "", spec.name
        descriptor = spec.descriptor()
        assert descriptor.description, spec.name
        assert descriptor.read_only == spec.fixed, spec.name
        assert not spec.fixed or "fixed while the node runs" in descriptor.additional_constraints
