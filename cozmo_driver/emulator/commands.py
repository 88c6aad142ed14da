"""Commands to a running emulator, ``cozmo emulator ctl``.

A request is a mapping with the command under ``do`` and its values by name, in metres and degrees;
everything in it is checked, and what is wrong is refused with a reason.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from ..protocol import UpAxis
from .body import Pose2D, Posture
from .docking import DockingFaults
from .firmware import Firmware
from .ground_truth import ground_truth, rounded
from .hardware import EMPTY, FULL

_MM = 1000.0
_FAR = 100.0
_LYING = ("back", "face", "left", "right", "slope")
AXES = dict(zip(("x-", "x+", "y-", "y+", "z-", "z+"), UpAxis, strict=False))


class CommandRefused(ValueError):
    """Why a request is not carried out; one line."""


@dataclass(frozen=True, slots=True)
class Value:
    """A value of a command: a number within limits, a whole number, or one of ``choices``."""

    name: str
    meaning: str
    low: float = -_FAR
    high: float = _FAR
    default: float | str | None = None
    """None for one that must be given, unless it is ``optional``."""
    optional: bool = False
    whole: bool = False
    choices: tuple[str, ...] = ()

    def check(self, value: object) -> Any:
        if self.choices:
            if value in self.choices:
                return value
            raise self._refusal(value, f"choose one of: {', '.join(self.choices)}")
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise self._refusal(value, "give a number")
        # Nor is NaN within limits; whole numbers may be greater than any float.
        if not self.low <= value <= self.high:
            raise self._refusal(value, f"give a number from {self.low:g} to {self.high:g}")
        if self.whole and value != int(value):
            raise self._refusal(value, "give a whole number")
        return int(value) if self.whole else float(value)

    def _refusal(self, value: object, expected: str) -> CommandRefused:
        shown = repr(value)
        return CommandRefused(f"{self.name} is {shown[:40]}: {expected}")


@dataclass(frozen=True, slots=True)
class Command:
    meaning: str
    values: tuple[Value, ...]
    perform: Callable[[Firmware, dict[str, Any]], Mapping[str, Any] | None]


def perform(firmware: Firmware, request: object) -> dict[str, Any]:
    """Carry out a request; return its answer, often nothing. Raises ``CommandRefused``."""
    if not isinstance(request, dict):
        raise CommandRefused("a request is a mapping with the command under do")
    name = request.get("do")
    if not isinstance(name, str) or name not in COMMANDS:
        raise CommandRefused(
            f"there is no command {str(name)[:40]!r}; there are: {', '.join(COMMANDS)}"
        )
    command = COMMANDS[name]
    values = _values(command, {key: value for key, value in request.items() if key != "do"})
    try:
        answer = command.perform(firmware, values)
    except ValueError as error:
        raise CommandRefused(str(error)) from error
    return dict(answer or {})


def _values(command: Command, given: dict[object, object]) -> dict[str, Any]:
    known = {value.name: value for value in command.values}
    for name in given:
        if name not in known:
            raise CommandRefused(f"{str(name)[:40]!r} is not known; known here: {', '.join(known)}")
    values: dict[str, Any] = {}
    for name, value in known.items():
        if name in given and given[name] is not None:
            values[name] = value.check(given[name])
        elif value.default is None and not value.optional:
            raise CommandRefused(f"{name} is missing: give {value.meaning}")
        else:
            values[name] = value.default
    return values


def _pose(values: dict[str, Any]) -> Pose2D:
    return Pose2D(values["x"] * _MM, values["y"] * _MM, math.radians(values["yaw"]))


def _shown(pose: Pose2D) -> dict[str, float]:
    return {
        "x": round(pose.x / _MM, 4),
        "y": round(pose.y / _MM, 4),
        "yaw": round(math.degrees(pose.angle), 2),
    }


def _put_down(firmware: Firmware, values: dict[str, Any]) -> None:
    if (values["x"] is None) != (values["y"] is None):
        raise CommandRefused("give both x and y, or neither to put it down where it is")
    firmware.handling.put_down(None if values["x"] is None else _pose(values))


def _layout(firmware: Firmware, _: dict[str, Any]) -> dict[str, Any]:
    layout = firmware.place.world.layout
    return {
        "name": layout.name,
        "floors": [
            {"corners": _corners(floor.corners), "gray": floor.gray, "tint": floor.tint.value}
            for floor in layout.floors
        ],
        "holes": [_corners(hole) for hole in layout.holes],
        "solids": [
            {
                "corners": _corners(solid.shape.corners),
                "height": solid.height / _MM,
                "gray": solid.gray,
                "tint": solid.tint.value,
            }
            for solid in layout.solids
        ],
    }


def _corners(points: Iterable[tuple[float, float]]) -> list[list[float]]:
    return [[round(x / _MM, 4), round(y / _MM, 4)] for x, y in points]


def _light(firmware: Firmware, values: dict[str, Any]) -> None:
    firmware.camera.light = values["level"]


def _set_faults(firmware: Firmware, values: dict[str, Any]) -> None:
    firmware.docking.faults = DockingFaults(values["aside"] * _MM, values["delay"])
    firmware.place.fork.is_sticky = values["lift"] == "sticky"


def _status(firmware: Firmware, _: dict[str, Any]) -> dict[str, Any]:
    state, world = firmware.snapshot(firmware.core.now), firmware.place.world
    truth = ground_truth(firmware)
    return {
        "world": world.layout.name,
        "connected": state.connected,
        "clock_ms": truth.stamp,
        "pose": _shown(state.pose),
        "believed_pose": _shown(state.reported_pose),
        "speed": round(truth.speed, 4) + 0.0,
        "turn_rate": round(math.degrees(truth.turn_rate), 2) + 0.0,
        "cubes": {
            str(number): _shown(cube.pose)
            | ({} if cube.place.on is None else {"on": cube.place.on})
            | ({"fallen": True} if cube.is_down else {})
            | ({"held": True} if cube.holder is not None else {})
            for number, cube in world.cubes.items()
        },
        "charger": None if world.charger is None else _shown(world.charger),
        "posture": truth.posture,
        "off_treads": truth.is_off_treads,
        "fallen": truth.is_fallen,
        "cliff": firmware.ground.is_cliff,
        "treads_mm_s": [round(state.left_speed, 1), round(state.right_speed, 1)],
        "head_degrees": round(math.degrees(state.head_angle), 1),
        "lift_mm": round(state.lift_height, 1),
        "on_charger": state.on_charger,
        "charging": firmware.battery.is_charging,
        "battery_volts": round(state.battery_voltage, 3),
        "slope_degrees": round(math.degrees(world.slope), 2),
        "variation": rounded(asdict(firmware.variation)),
    }


_X = Value("x", "x in the world, m")
_Y = Value("y", "y in the world, m")
_YAW = Value("yaw", "heading, degrees counter-clockwise", -360.0, 360.0, 0.0)
_CUBE = Value("cube", "number of the cube", 1, 3, whole=True)

COMMANDS = {
    "status": Command("tell what is really the case, in metres and degrees", (), _status),
    "pickup": Command("lift the robot", (), lambda f, _: f.handling.pick_up()),
    "putdown": Command(
        "set the robot on its treads, here or elsewhere",
        (replace(_X, optional=True), replace(_Y, optional=True), _YAW),
        _put_down,
    ),
    "shake": Command(
        "shake the robot",
        (Value("seconds", "how long", 0.1, 60.0, 2.0),),
        lambda f, values: f.handling.shake(values["seconds"]),
    ),
    "push": Command(
        "push the robot over the floor, as far as nothing is in its way; cubes give way",
        (_X, _Y),
        lambda f, values: f.handling.push(values["x"] * _MM, values["y"] * _MM),
    ),
    "poke": Command("nudge the robot", (), lambda f, _: f.handling.poke()),
    "turn-over": Command(
        "lay the robot on its back, face or side",
        (Value("posture", "how it lies", default="back", choices=_LYING),),
        lambda f, values: f.handling.put(Posture[values["posture"].upper()]),
    ),
    "fall": Command(
        "drop the robot",
        (Value("impact", "how hard it lands", 0.0, 1e5, 1500.0),),
        lambda f, values: f.handling.fall(values["impact"], Posture.FACE),
    ),
    "button": Command(
        "press the button on the robot's back", (), lambda f, _: f.handling.press_button()
    ),
    "tap": Command(
        "tap a cube",
        (_CUBE, Value("intensity", "how hard", 0, 255, 97, whole=True)),
        lambda f, values: {"told": f.handling.tap(values["cube"], values["intensity"])},
    ),
    "move-cube": Command(
        "put a cube elsewhere",
        (_CUBE, _X, _Y, _YAW),
        lambda f, values: f.place.world.move_cube(values["cube"], _pose(values)),
    ),
    "stack-cube": Command(
        "put a cube on another one",
        (_CUBE, Value("on", "number of the lower one", 1, 3, whole=True), _YAW),
        lambda f, v: f.place.world.stack_cube(v["cube"], v["on"], math.radians(v["yaw"])),
    ),
    "docking-faults": Command(
        "let dockings go wrong; without values they do not",
        (
            Value("aside", "m to the left of where it should be", -0.1, 0.1, 0.0),
            Value("delay", "s that docking errors take through the robot", 0.0, 5.0, 0.0),
            Value(
                "lift", "whether it lets go of cubes", default="good", choices=("good", "sticky")
            ),
        ),
        _set_faults,
    ),
    "flip-cube": Command(
        "turn a cube over",
        (_CUBE, Value("up", "its axis that points up", choices=tuple(AXES))),
        lambda f, values: {"told": f.handling.flip_cube(values["cube"], AXES[values["up"]])},
    ),
    "charger": Command(
        "put the robot on the charger or off it",
        (Value("state", "where the robot goes", choices=("on", "off")),),
        lambda f, values: f.handling.put_on_charger(values["state"] == "on"),
    ),
    "battery": Command(
        "put in a cell",
        (Value("volts", "its voltage at rest", EMPTY, FULL),),
        lambda f, values: f.battery.set_charge(values["volts"]),
    ),
    "light": Command(
        "set the brightness around the robot",
        (Value("level", "1 is usual", 0.0, 10.0),),
        _light,
    ),
    "layout": Command("tell what floors, walls and boxes the world has, in m", (), _layout),
    "truth": Command(
        "tell where everything is as --truth does, in m, rad, m/s and rad/s",
        (),
        lambda f, _: ground_truth(f).as_json(),
    ),
}
"""Every command by its name."""
