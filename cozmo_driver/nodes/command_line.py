"""Command lines: what is meant for ROS put aside, the rest checked, help for people."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Sequence
from typing import NoReturn

from rclpy.utilities import remove_ros_args

from .parameter_set import ParameterSpec, Value

_USAGE_ERROR = 2
_ROS_USAGE = "[--ros-args -p NAME:=VALUE -r NAME:=NEW ...]"


def parser(name: str, description: str) -> argparse.ArgumentParser:
    """Return a parser that ends with 0 after ``--help`` and with 2 for what it does not know."""
    return argparse.ArgumentParser(
        prog=name,
        description=description,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )


def node_parser(
    name: str, description: str, parameters: Iterable[ParameterSpec]
) -> argparse.ArgumentParser:
    """Return the parser of a node that takes nothing but ROS arguments."""
    made = parser(name, description)
    made.usage = f"{name} [-h] {_ROS_USAGE}"
    rows = "\n".join(f"  {parameter_text(spec)}" for spec in parameters)
    made.epilog = (
        "set parameters:\n"
        f"  {name} --ros-args -p NAME:=VALUE ...\n"
        f"  {name} --ros-args --params-file FILE.yaml\n"
        "rename topics, move them into a namespace:\n"
        f"  {name} --ros-args -r cmd_vel:=other -r __ns:=/cozmo1\n"
        "\nparameters, with what holds without them (* fixed while the node runs):\n" + rows
    )
    return made


def parse(of: argparse.ArgumentParser, words: Sequence[str]) -> argparse.Namespace:
    """Return what ``words``, program first, say besides the ROS arguments.

    Ends the program where help is asked for (0) or something is wrong (2, with a sentence).
    """
    return of.parse_args(_without_ros(of, words))


def _without_ros(of: argparse.ArgumentParser, words: Sequence[str]) -> list[str]:
    try:
        return list(remove_ros_args(list(words))[1:])
    except Exception as error:  # rclpy raises what its C layer says, of several classes
        _refuse(of, f"the ROS arguments cannot be read: {error}")


def _refuse(of: argparse.ArgumentParser, text: str) -> NoReturn:
    print(f"{of.prog}: {text}", file=sys.stderr)
    raise SystemExit(_USAGE_ERROR)


def parameter_text(spec: ParameterSpec) -> str:
    """Return name, default, range and meaning of a parameter."""
    unit = f" {spec.unit}" if spec.unit else ""
    limits = "" if spec.low is None and spec.high is None else f", {spec.range_in_words()}"
    rule = f", {spec.rule}" if spec.rule else ""
    mark = "*" if spec.fixed else ""
    return f"{spec.name}{mark}: {_value_text(spec.default)}{unit}{limits}{rule}\n      {spec.text}"


def _value_text(value: Value) -> str:
    """Return a value as ``-p`` takes it."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return value or "''"
    if isinstance(value, tuple):
        return f"[{', '.join(map(str, value))}]"
    return str(value)
