"""Parameters declared from a table, checked with readable reasons, readable from any thread."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any

from rcl_interfaces.msg import (
    FloatingPointRange,
    IntegerRange,
    ParameterDescriptor,
    SetParametersResult,
)
from rclpy.exceptions import InvalidParameterTypeException, ParameterException
from rclpy.node import Node
from rclpy.parameter import Parameter

from .errors import StartError

Value = bool | int | float | str | tuple[float, ...]
Check = Callable[[Any], str]
"""Takes a value; returns why it is refused, or an empty text."""


def checked_by(read: Callable[[str], object], error: type[Exception]) -> Check:
    """Return the check that refuses what ``read`` raises ``error`` for."""

    def check(value: str) -> str:
        try:
            read(value)
        except error as reason:
            return str(reason)
        return ""

    return check


def optional(check: Check) -> Check:
    return lambda value: check(value) if value else ""


class ParameterError(StartError):
    """A parameter the node cannot start with; the text says which, why and what to do."""


@dataclass(frozen=True, slots=True)
class ParameterSpec:
    """One parameter: its type is that of ``default``; a tuple is an array of numbers.

    ``low`` and ``high`` bound numbers and each number of an array, both inclusive. ``fixed``
    parameters keep the value they were started with.
    """

    name: str
    default: Value
    text: str
    unit: str = ""
    low: float | None = None
    high: float | None = None
    fixed: bool = False
    check: Check | None = None
    rule: str = ""
    """The check in words."""

    def refusal(self, value: Any) -> str:
        """Return why ``value`` cannot be taken, or an empty text."""
        if isinstance(self.default, float | tuple):
            numbers = tuple(value) if isinstance(self.default, tuple) else (value,)
            if isinstance(self.default, tuple) and len(numbers) != len(self.default):
                return f"{self.name} needs {len(self.default)} numbers, not {len(numbers)}"
            for number in numbers:
                if not self._is_within(number):
                    return f"{self.name} must be {self.range_in_words()}, not {number:g}"
        reason = self.check(value) if self.check else ""
        return f"{self.name}: {reason}" if reason else ""

    def _is_within(self, number: float) -> bool:
        low = -math.inf if self.low is None else self.low
        high = math.inf if self.high is None else self.high
        return math.isfinite(number) and low <= number <= high

    def range_in_words(self) -> str:
        unit = f" {self.unit}" if self.unit else ""
        match self.low, self.high:
            case None, None:
                return "finite"
            case low, None:
                return f"at least {low:g}{unit}"
            case None, high:
                return f"at most {high:g}{unit}"
            case _:
                return f"between {self.low:g} and {self.high:g}{unit}"

    def descriptor(self) -> ParameterDescriptor:
        unit = f" [{self.unit}]" if self.unit else ""
        rules = [self.rule, "fixed while the node runs" if self.fixed else ""]
        descriptor = ParameterDescriptor(
            description=self.text + unit,
            read_only=self.fixed,
            additional_constraints="; ".join(rule for rule in rules if rule),
        )
        if self.low is None or self.high is None:
            return descriptor
        if isinstance(self.default, float):
            limits = FloatingPointRange(from_value=float(self.low), to_value=float(self.high))
            descriptor.floating_point_range = [limits]
        elif isinstance(self.default, int):
            limits = IntegerRange(from_value=int(self.low), to_value=int(self.high), step=1)
            descriptor.integer_range = [limits]
        return descriptor


FixedSpec = partial(ParameterSpec, fixed=True)
"""A parameter that holds from the start on."""


class ParameterSet:
    """The parameters of a node. Values can be read in every thread: ``parameters["name"]``."""

    def __init__(self, node: Node, specs: Iterable[ParameterSpec]) -> None:
        """Declare every parameter on ``node``. Raises ``ParameterError``."""
        self._specs = {spec.name: spec for spec in specs}
        self._values: dict[str, Any] = {}
        self._changed: dict[str, list[Callable[[Any], object]]] = {}
        node.add_on_set_parameters_callback(self._refuse_bad)
        for spec in self._specs.values():
            self._values[spec.name] = _plain(_declare(node, spec))
        node.add_post_set_parameters_callback(self._on_set)

    def __getitem__(self, name: str) -> Any:
        """Return the value of a parameter; arrays are tuples."""
        return self._values[name]

    def on_change(self, name: str, callback: Callable[[Any], object]) -> None:
        """Call ``callback`` with every later value, in the executor's thread."""
        self._changed.setdefault(self._specs[name].name, []).append(callback)

    def _refuse_bad(self, parameters: list[Parameter]) -> SetParametersResult:
        for parameter in parameters:
            spec = self._specs.get(parameter.name)
            reason = spec.refusal(parameter.value) if spec else ""
            if reason:
                return SetParametersResult(successful=False, reason=reason)
        return SetParametersResult(successful=True)

    def _on_set(self, parameters: list[Parameter]) -> None:
        for parameter in parameters:
            if parameter.name in self._specs:
                value = self._values[parameter.name] = _plain(parameter)
                for callback in self._changed.get(parameter.name, ()):
                    callback(value)


def _declare(node: Node, spec: ParameterSpec) -> Parameter:
    default = list(spec.default) if isinstance(spec.default, tuple) else spec.default
    try:
        return node.declare_parameter(spec.name, default, spec.descriptor())
    except InvalidParameterTypeException as error:
        kind = "numbers with a decimal point" if isinstance(spec.default, tuple) else ""
        kind = kind or {
            bool: "true or false",
            int: "a whole number",
            float: "a number with a decimal point",
            str: "a text",
        }.get(type(spec.default), "")
        raise ParameterError(f"the parameter {spec.name} must be {kind} ({error})") from error
    except ParameterException as error:
        raise ParameterError(f"the parameter {spec.name} is refused: {error}") from error


def _plain(parameter: Parameter) -> Any:
    is_array = parameter.type_ is Parameter.Type.DOUBLE_ARRAY
    return tuple(parameter.value) if is_array else parameter.value


def is_frame(value: str) -> str:
    if not value:
        return "a frame needs a name"
    if value.startswith("/") or re.search(r"\s", value):
        return f"'{value}' starts with a slash or holds a space, which tf2 does not take"
    return ""


FRAME_PREFIX = FixedSpec(
    "frame_prefix",
    "",
    "put before every frame name, e.g. cozmo1/, for several robots in one tree",
    check=optional(is_frame),
)
