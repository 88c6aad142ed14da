"""What the documents tell people to type is there: names, types, fields, arguments, options."""

from __future__ import annotations

import ast
import re
from importlib import import_module
from itertools import pairwise
from typing import Any

import pytest
import yaml

from cozmo_driver.cli.main import COMMANDS, parser_for

from .commands import ROOT, Command, commands_of, pages

_ROW = re.compile(r"^\| `/?([^`]+)` \| (\w+/\w+) \|", re.MULTILINE)
_PARAMETER = re.compile(r"^\| `([^`]+)` \| (?:bool|int|double|string|double\[\]) \|", re.MULTILINE)
FOREIGN = {
    "tf_static": "tf2_msgs/TFMessage",
    "image_rect": "sensor_msgs/Image",
    "drive_distance/_action/cancel_goal": "action_msgs/CancelGoal",
}
"""Topics and services the documents speak of that others offer: other nodes, ROS 2 itself."""
_VALUED = {"--qos-profile", "-r", "--rate", "--times", "-t", "-w", "--field"}


def all_commands(program: str) -> list[Command]:
    found = [x for page in pages() for x in commands_of(page) if x.words[0] == program]
    return list({x.words: x for x in found}.values())


def ros2(*verbs: str) -> list[Command]:
    return [x for x in all_commands("ros2") if x.words[1 : len(verbs) + 1] == verbs]


@pytest.fixture(scope="module")
def interface() -> str:
    return (ROOT / "docs" / "interface.md").read_text(encoding="utf-8")


def plain(words: tuple[str, ...]) -> list[str]:
    """Words that are neither options nor their values."""
    kept, skip = [], False
    for word in words:
        if skip:
            skip = False
        elif word in _VALUED:
            skip = True
        elif not word.startswith("-"):
            kept.append(word)
    return kept


def message_class(kind: str) -> Any:
    package, group, name = kind.split("/")
    return getattr(import_module(f"{package}.{group}"), name)


def fill(message: Any, values: dict[str, Any]) -> None:
    """Set fields as ``ros2`` does. Raises where there is no such field or the type is wrong."""
    fields = message.get_fields_and_field_types()
    for name, value in values.items():
        assert name in fields, f"{type(message).__name__} has no field {name}"
        kind = fields[name]
        inner = re.match(r"sequence<(.+?)>|(.+)\[\d+\]$", kind)
        element = next(filter(None, inner.groups())) if inner else kind
        if "/" not in element:
            setattr(message, name, value)
            continue
        package, of = element.split("/")
        for part in value if inner else [value]:
            made = message_class(f"{package}/msg/{of}")()
            fill(made, part)


@pytest.mark.parametrize(
    ("verbs", "attribute"),
    [(("topic", "pub"), ""), (("service", "call"), "Request"), (("action", "send_goal"), "Goal")],
    ids=["topics", "services", "actions"],
)
def test_what_is_sent_has_the_right_type_and_fields(
    verbs: tuple[str, ...], attribute: str, interface: str
) -> None:
    types = {**dict(_ROW.findall(interface)), **FOREIGN}
    commands = ros2(*verbs)
    assert len(commands) > 3
    for command in commands:
        name, kind, *values = plain(command.words[3:])
        assert types.get(name.removeprefix("/")) == re.sub("/(msg|srv|action)/", "/", kind), command
        made = message_class(kind)
        content = yaml.safe_load(values[0]) if values else {}
        fill((getattr(made, attribute) if attribute else made)(), content)


@pytest.mark.parametrize("verb", ["echo", "hz", "bw"])
def test_topics_that_are_looked_at_are_there(verb: str, interface: str) -> None:
    types = {**dict(_ROW.findall(interface)), **FOREIGN}
    for command in ros2("topic", verb):
        assert plain(command.words[3:])[0].removeprefix("/") in types, command
    for command in ros2("bag", "record"):
        names = [word.removeprefix("/") for word in command.words if word.startswith("/")]
        assert set(names) <= set(types), command


def test_parameters_that_are_set_are_there(interface: str) -> None:
    known = set(_PARAMETER.findall(interface)) | {"use_sim_time"}
    for command in ros2("param", "set"):
        assert command.words[4] in known, command
    for command in ros2("run", "cozmo_driver"):
        given = [word for before, word in pairwise(command.words) if before == "-p"]
        assert {word.split(":=")[0] for word in given} <= known, command


def test_programs_that_are_run_are_installed() -> None:
    setup = (ROOT / "setup.py").read_text()
    scripts = {"cozmo", *re.findall(r'^    "(\w+)",$', setup, re.MULTILINE)}
    assert "driver_node" in scripts
    for command in ros2("run", "cozmo_driver"):
        assert command.words[3] in scripts, command


def test_launch_files_have_the_arguments_that_they_are_given() -> None:
    commands = [x for x in ros2("launch") if x.words[2] == "cozmo_driver"]
    assert commands
    for command in commands:
        tree = ast.parse((ROOT / "launch" / command.words[3]).read_text())
        calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
        known = {
            call.args[0].value
            for call in calls
            if getattr(call.func, "id", "") in ("argument", "choice")
            and isinstance(call.args[0], ast.Constant)
        }
        given = {word.split(":=")[0] for word in command.words[4:] if ":=" in word}
        assert given <= known, command


def test_make_has_the_targets() -> None:
    makefile = (ROOT / "Makefile").read_text()
    targets = set(re.findall(r"^([a-z]+):", makefile, re.MULTILINE))
    variables = set(re.findall(r"^([A-Z]+) \??:?=", makefile, re.MULTILINE))
    for command in all_commands("make"):
        for word in command.words[1:]:
            name, is_variable, _ = word.partition("=")
            assert name in (variables if is_variable else targets), command


def test_the_command_understands_its_options() -> None:
    commands = [x for x in all_commands("cozmo") if len(x.words) > 1]
    assert {command.words[1] for command in commands} > {"anim", "face", "emulator"}
    for command in commands:
        if command.words[1] in COMMANDS and "--help" not in command.words:
            try:
                parser_for(command.words[1:]).parse_args(command.words[1:])
            except SystemExit:
                pytest.fail(f"not understood: {command}")
        else:
            assert command.words[1] in {*COMMANDS, "--help", "--version"}, command
