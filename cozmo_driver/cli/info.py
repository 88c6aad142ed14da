"""``cozmo info``: who a robot is and how it is."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import math
from dataclasses import asdict
from typing import Any

from ..perception import load_mount, load_prints
from ..protocol import BodyColor
from ..robot import (
    NEWEST_KNOWN_FIRMWARE,
    OLDEST_KNOWN_FIRMWARE,
    Battery,
    CameraCalibration,
    Charge,
    Cube,
    Identity,
    Robot,
    cube_name,
    data_directory,
)
from . import one_robot
from .common import add_examples, add_number, print_result

_KNOWN_FIRMWARE = {
    2381: "the last one of the maker",
    2457: "the community's",
}
_COLORS = {
    BodyColor.WHITE_V10: "white",
    BodyColor.WHITE_V15: "white",
    BodyColor.CE_LM_V15: "collector's edition",
    BodyColor.LE_BL_V16: "blue",
    BodyColor.DEV: "for developers",
}
_YEARS = {4: "2016", 5: "2017", 6: "2018", 7: "2019"}
_FIRST_WITH_BUTTON = 5
_SCALES = "turn_scale", "distance_scale"
_PINGS = 5
"""Enough of them for a round trip that means something."""
_TIMEOUT = 5.0
"""s for the calibration and the pings."""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print JSON for programs")
    add_number(parser, "--listen", 2.0, "how long to listen for cubes", "SECONDS", low=0.0)
    one_robot.add_arguments(parser, with_volume=False)
    add_examples(
        parser,
        "cozmo info  # the robot moves head and lift, as it does at every start",
        "cozmo info --json --listen 0",
        "cozmo info --robot 172.31.1.1 --network-interface lo",
    )


def run(arguments: argparse.Namespace) -> int:
    return one_robot.run_with_robot(arguments, lambda robot: _print(robot, arguments))


async def _print(robot: Robot, arguments: argparse.Namespace) -> int:
    loop = asyncio.get_running_loop()
    begin = loop.time()

    def is_measured() -> bool:
        return robot.camera.calibration is not None and robot.statistics.pings_answered >= _PINGS

    with contextlib.suppress(TimeoutError):
        await robot.session.until(is_measured, _TIMEOUT)
    await asyncio.sleep(begin + arguments.listen - loop.time())
    content = _content_of(robot)
    print_result(arguments, content, _lines_of(content))
    return 0


def _content_of(robot: Robot) -> dict[str, Any]:
    """Return everything in SI units; None for what is not known."""
    statistics = robot.statistics
    return {
        **_identity(robot.identity),
        "battery": _battery(robot.battery),
        "camera": _camera(robot.camera.calibration),
        "camera_mount": _mount(robot.identity.head_serial),
        "cube_prints": _prints(robot.identity.head_serial),
        "calibration": {
            name: asdict(one) for name, one in sorted(robot.calibration.measured.items())
        },
        "link": {
            "round_trip": statistics.round_trip_smoothed,
            "round_trip_best": statistics.round_trip_min,
            "pings_answered": statistics.pings_answered,
            "pings_lost": statistics.pings_lost,
            "resends": statistics.resends,
            "states_missed": robot.state_tracker.missed,
        },
        "cubes": [_cube(cube) for cube in robot.cubes.all if cube.is_available],
    }


def _identity(identity: Identity) -> dict[str, Any]:
    hardware = identity.body_hardware
    return {
        "address": identity.address,
        "port": identity.port,
        "head": {
            "serial": f"{identity.head_serial:08x}",
            "revision": f"1.{identity.head_revision}",
        },
        "body": {
            "serial": f"{identity.body_serial:08x}",
            "hardware": hardware or None,
            "year": _YEARS.get(hardware),
            "has_button": hardware >= _FIRST_WITH_BUTTON if hardware else None,
            "color": _COLORS.get(BodyColor(identity.body_color))
            if identity.body_color in set(BodyColor)
            else None,
        },
        "firmware": {
            "version": identity.firmware_version,
            "build": identity.firmware_build,
            "date": identity.firmware_date,
            "meaning": _meaning_of(identity.firmware_version),
        },
    }


def _meaning_of(version: int) -> str:
    if version in _KNOWN_FIRMWARE:
        return f"{_KNOWN_FIRMWARE[version]}; this driver is made for it"
    if version < OLDEST_KNOWN_FIRMWARE:
        return (
            f"older than what this driver is made for ({OLDEST_KNOWN_FIRMWARE} and "
            f"{NEWEST_KNOWN_FIRMWARE}); update it, see cozmo update --help"
        )
    if version > NEWEST_KNOWN_FIRMWARE:
        return f"newer than what this driver is made for, up to {NEWEST_KNOWN_FIRMWARE}"
    return (
        f"between the versions this driver is made for, {OLDEST_KNOWN_FIRMWARE} and "
        f"{NEWEST_KNOWN_FIRMWARE}; it should work"
    )


def _battery(battery: Battery | None) -> dict[str, Any] | None:
    if battery is None:
        return None
    return {
        "voltage": round(battery.voltage, 3),
        "level": None if math.isnan(battery.level) else round(battery.level, 3),
        "is_on_charger": battery.is_on_charger,
        "charge": battery.charge.value,
    }


def _camera(calibration: CameraCalibration | None) -> dict[str, Any] | None:
    if calibration is None:
        return None
    return {
        "focal_lengths": [round(calibration.fx, 3), round(calibration.fy, 3)],
        "centre": [round(calibration.cx, 3), round(calibration.cy, 3)],
        "distortion": list(calibration.distortion),
        "source": calibration.source.value,
    }


def _mount(serial: int) -> dict[str, Any] | None:
    """Return what was learnt of how this robot's camera is turned; None where nothing was."""
    learnt = load_mount(data_directory(), serial)
    if learnt is None:
        return None
    return {
        **asdict(learnt.mount),
        "deviations": list(learnt.deviations),
        "sightings": learnt.sightings,
    }


def _prints(serial: int) -> dict[str, Any]:
    """Return how the markers of this robot's cubes were printed, as far as that was measured."""
    return {name: asdict(cube) for name, cube in load_prints(data_directory(), serial).items()}


def _cube(cube: Cube) -> dict[str, Any]:
    return {
        "kind": cube.kind.name.lower(),
        "factory_id": f"{cube.factory_id:08x}",
        "signal": cube.rssi,
        "name": cube_name(cube.kind, cube.factory_id),
    }


# -- for people


def _lines_of(content: dict[str, Any]) -> list[str]:
    head, body, firmware = content["head"], content["body"], content["firmware"]
    hardware = [f"serial {body['serial']}"]
    if body["hardware"]:
        year = f" of {body['year']}" if body["year"] else ""
        button = "with a button" if body["has_button"] else "without a button"
        hardware += [f"hardware {body['hardware']}{year}", button]
    hardware.append(body["color"] or "colour unknown")
    made = " ".join(filter(None, [firmware["build"], firmware["date"]]))
    return [
        f"robot     {head['serial']} at {content['address']}:{content['port']}, head "
        f"{head['revision']}",
        f"body      {', '.join(hardware)}",
        f"firmware  {firmware['version']}{f' ({made})' if made else ''}: {firmware['meaning']}",
        f"battery   {_battery_line(content['battery'])}",
        *_camera_lines(content["camera"]),
        *_mount_lines(content["camera_mount"]),
        *_prints_lines(content["cube_prints"]),
        f"odometry  {_odometry_line(content['calibration'])}",
        *_calibration_lines(content["calibration"]),
        f"link      {_link_line(content['link'])}",
        *_cube_lines(content["cubes"]),
    ]


def _battery_line(battery: dict[str, Any] | None) -> str:
    if battery is None:
        return "unknown"
    words = [f"{battery['voltage']:.2f} V"]
    if battery["level"] is not None:
        words.append(f"{battery['level']:.0%}")
    if not battery["is_on_charger"]:
        words.append("not on the charger")
    elif battery["charge"] == Charge.DISCHARGING.value:
        words.append("on the charger")
    else:
        words.append(f"on the charger: {battery['charge']}")
    return ", ".join(words)


def _camera_lines(camera: dict[str, Any] | None) -> list[str]:
    if camera is None:
        return ["camera    its calibration could not be read"]
    (fx, fy), (cx, cy) = camera["focal_lengths"], camera["centre"]
    lines = [
        f"camera    {camera['source']}: focal lengths {fx:.1f} and {fy:.1f} pixels, "
        f"centre ({cx:.1f}, {cy:.1f})"
    ]
    if any(camera["distortion"]):
        values = ", ".join(f"{value:.4g}" for value in camera["distortion"])
        lines.append(f"          distortion {values}")
    return lines


def _mount_lines(mount: dict[str, Any] | None) -> list[str]:
    if mount is None:
        return []
    angles = ", ".join(
        f"{name} {math.degrees(mount[name]):+.1f} ± {math.degrees(deviation):.1f}"
        for name, deviation in zip(("pitch", "roll", "yaw"), mount["deviations"], strict=True)
    )
    return [f"          mounted by (learnt from {mount['sightings']} places) {angles} degrees"]


def _prints_lines(prints: dict[str, Any]) -> list[str]:
    return [
        f"          knows how {len(cube['sides'])} markers of {name} were printed"
        for name, cube in prints.items()
    ]


def _calibration_lines(calibration: dict[str, Any]) -> list[str]:
    """Return what else was measured of the robot, and where it is from."""
    lines = [
        f"{name.replace('_', ' ')} {one['value']:.4g} ± {one['deviation']:.2g} ({one['source']})"
        for name, one in calibration.items()
        if name not in _SCALES
    ]
    return [f"{'measured' if not index else '':8}  {line}" for index, line in enumerate(lines)]


def _odometry_line(calibration: dict[str, Any]) -> str:
    """Return what corrects the odometry, and where it is from."""
    words = []
    for name in _SCALES:
        one, known = calibration.get(name), "not measured"
        if one is not None:
            known = f"{one['value']:.4f} ± {one['deviation']:.4f} ({one['source']})"
        words.append(f"{name.replace('_', ' ')} {known}")
    return ", ".join(words)


def _link_line(link: dict[str, Any]) -> str:
    pings = link["pings_answered"] + link["pings_lost"]
    if link["round_trip"] is None:
        return f"none of {pings} pings was answered"
    return (
        f"round trip {link['round_trip'] * 1000:.1f} ms, {link['round_trip_best'] * 1000:.1f} ms "
        f"at best; {link['pings_lost']} of {pings} pings lost"
    )


def _cube_lines(cubes: list[dict[str, Any]]) -> list[str]:
    if not cubes:
        return ["cubes     none in range; a tap wakes a sleeping cube"]
    lines = [f"{cube['name']}, signal {cube['signal']} (smaller is nearer)" for cube in cubes]
    return [f"{'cubes' if not index else '':8}  {line}" for index, line in enumerate(lines)]
