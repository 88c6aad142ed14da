"""The table of the behaviour node's parameters, and the file that explains it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from rclpy.parameter import parameter_dict_from_yaml_file

from cozmo_driver.behavior.ros_parameters import BEHAVIOR_PARAMETERS

from .explanations import explanation_of

CONFIG = Path(__file__).parents[2] / "config" / "behavior.yaml"


def plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


def test_the_file_holds_every_parameter_with_its_default_in_the_order_of_the_table() -> None:
    content = yaml.safe_load(CONFIG.read_text())["/**"]["ros__parameters"]
    expected = [(spec.name, plain(spec.default)) for spec in BEHAVIOR_PARAMETERS]
    assert list(content.items()) == expected
    for name, default in expected:
        assert type(content[name]) is type(default), name
    names = set(parameter_dict_from_yaml_file(str(CONFIG), use_wildcard=True))
    assert names == {spec.name for spec in BEHAVIOR_PARAMETERS}


def too_great(spec: Any) -> Any:
    value = spec.high + 1
    return (value,) * len(spec.default) if isinstance(spec.default, tuple) else value


@pytest.mark.parametrize("spec", BEHAVIOR_PARAMETERS, ids=lambda spec: spec.name)
def test_the_file_explains_each_parameter_and_says_what_may_change(spec: Any) -> None:
    assert spec.refusal(spec.default) == ""
    text = explanation_of(spec.name, CONFIG)
    assert len(text.split()) >= 4
    assert ("[running]" in text) == (not spec.fixed)
    if isinstance(spec.default, bool | str):
        return
    assert spec.low is not None, "every number has a range"
    assert spec.high is not None
    assert f"{spec.low:g}" in text
    assert f"{spec.high:.10g}" in text
    assert spec.descriptor().integer_range or spec.refusal(too_great(spec))
