"""The parameter files explain every parameter of their node, with its default."""

from __future__ import annotations

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

from .explanations import explanation_of

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
