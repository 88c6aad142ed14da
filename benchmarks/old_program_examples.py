"""What each example of the SDK is to end with (spec 21 §9)."""

from __future__ import annotations

import contextlib
import json
import math
import threading
from collections.abc import Callable
from typing import Any
from urllib.request import Request, urlopen

import yaml

from cozmo_driver.emulator import RunningEmulator, find_world

from .old_programs import (
    Example,
    Run,
    at,
    before_cube,
    cube,
    got,
    head,
    lacks,
    lift,
    moved,
    says,
    stacked,
    takes,
    upright,
    world,
)

_B, _F, _V = "sdk/tutorials/01_basics/", "sdk/tutorials/02_cozmo_face/", "sdk/tutorials/03_vision/"
_C, _A = "sdk/tutorials/04_cubes_and_objects/", "sdk/tutorials/05_async_python/"
_T, _M, _P = "sdk/tools/cubes/", "sdk/multi_robot/", "sdk/apps/"
_I = "sdk/if_this_then_that/"
_ONE, _TWO = world((0.28, 0.0)), world((0.28, 0.06), (0.28, -0.08))
_THREE = world((0.20, 0.0), (0.30, 0.12), (0.45, -0.10))
_SIDE = world((0.28, 0.0, 90.0))
_CHARGER = world(charger={"x": 0.45, "y": 0.0, "yaw": 0})
_ON_CHARGER = world(charger={"x": 0.3, "y": 0.0, "yaw": 180}, robots=[{"on_charger": True}])
_TAGGED = world(
    boxes=[
        {
            "x": 0.2,
            "y": 0.0,
            "yaw": 0,
            "size": [0.044, 0.044, 0.044],
            "tags": [{"tag": "36h11:4", "side": "front", "size": 0.03}],
        }
    ]
)


def _visit(degrees: float) -> dict[str, Any]:
    """Return the world ``visit`` whose person stands, for a head that looks up, to one side."""
    file = find_world("visit")
    visit: dict[str, Any] = yaml.safe_load(file.read_text())
    [person] = visit["pictures"]
    angle = math.radians(degrees)
    place = {"x": 0.8 * math.cos(angle), "y": 0.8 * math.sin(angle), "yaw": degrees, "z": 0.38}
    visit["pictures"] = [{**person, **place, "file": str(file.parent / person["file"])}]
    return visit


def _taps(robot: RunningEmulator, over: threading.Event) -> None:
    """Tap a cube now and then, once somebody is connected."""
    while not over.wait(2.0):
        robot.call(lambda firmware: firmware.handling.tap(1, 97))


def _player_taps(robot: RunningEmulator, over: threading.Event) -> None:
    """Tap the player's cube as a player does who is never patient."""
    while not over.wait(2.0):
        robot.call(lambda firmware: firmware.handling.tap(2, 97))


def _pushes(robot: RunningEmulator, over: threading.Event) -> None:
    """Turn a cube over now and then."""
    from cozmo_driver.emulator.commands import AXES

    ups = ["x+", "z+"]
    while not over.wait(3.0):
        robot.call(lambda firmware: firmware.handling.flip_cube(1, AXES[ups[0]]))
        ups.reverse()


def _carried(number: int) -> object:
    return cube(number, lambda one: one.z > 0.06, "carried")


def _pose_of(index: int, degrees: float) -> object:
    def check(run: Run) -> str | None:
        yaw = math.degrees(run.emulators[index].truth().pose.yaw)
        return None if abs(yaw - degrees) < 3 else f"robot {index + 1} at {yaw:.1f} deg"

    return check


def _posts(path: str, body: dict[str, str]) -> Callable[[RunningEmulator, threading.Event], None]:
    """Ask the program's server for what it does, once it listens."""

    def post(robot: RunningEmulator, over: threading.Event) -> None:
        url, data = f"http://127.0.0.1:8080/{path}", json.dumps(body).encode()
        request = Request(url, data, {"Content-Type": "application/json"})
        while not over.wait(1.0):
            with contextlib.suppress(OSError), urlopen(request, timeout=5) as answer:
                answer.read()
                return

    return post


def _handles(robot: RunningEmulator, over: threading.Event) -> None:
    """Poke the robot, lift it and put it down again."""
    over.wait(6.0)
    robot.call(lambda firmware: firmware.handling.poke())
    over.wait(1.0)
    robot.call(lambda firmware: firmware.handling.pick_up())
    over.wait(2.0)
    robot.call(lambda firmware: firmware.handling.put_down(None))


def _before_charger(run: Run) -> str | None:
    pose, charger = run.truth.pose, run.truth.charger
    away = math.hypot(charger.x - pose.x, charger.y - pose.y)
    return None if abs(away - 0.065) < 0.02 else f"{1000 * away:.0f} mm from the charger"


def _on_back(run: Run) -> str | None:
    posture = run.truth.posture
    return None if posture == "back" else f"the robot lies: {posture}"


_IFTTT = [got("AudioSample", 20), got("FaceImage", 3)]
EXAMPLES = [
    Example(_B + "01_hello_world.py", [at(0, 0, 0)]),
    Example(_B + "02_drive_and_turn.py", [moved(0.15, 0, 90)]),
    Example(_B + "03_count.py", [at(0, 0, 0)]),
    Example(_B + "04_drive_square.py", [at(0, 0, 0, way=0.6)]),
    Example(
        _B + "05_motors.py",
        [head(44.5), lift(92), got("MoveHead"), got("MoveLift", 2), got("DriveWheels", 2)],
    ),
    Example(_B + "06_sing_scales.py", [at(0, 0, 0)]),
    Example(_B + "07_backpack_lights.py", [takes(10, 25), got("BackpackLightsMiddle", 5)]),
    Example(_B + "08_animation.py", []),
    Example(_B + "09_cube_lights.py", [takes(10, 30), got("CubeLights", 3)], world=_THREE),
    Example(_B + "10_play_sound.py", [takes(13, 30)]),
    Example(_B + "11_play_song.py", [takes(5, 40)]),
    Example(_B + "12_random_animation.py", [says("Playing", 5)], timeout=240),
    Example(_F + "01_cozmo_face_image.py", [takes(38, 80), head(44.5), got("FaceImage", 15)]),
    Example(_F + "02_cozmo_face_mirror.py", [got("FaceImage", 15)], stop_after=12),
    Example(_F + "03_alarm_clock.py", [got("FaceImage", 3), head(44.5)], stop_after=12),
    # Without a face both end after 30 s.
    Example(
        _V + "01_light_when_face.py",
        [lacks("Didn't find"), got("BackpackLightsMiddle", 2), head(44.5)],
        world=_visit(0.0),
        begun="Press CTRL-C",
        stop_after=35,
    ),
    Example(
        _V + "02_face_follower.py",
        [lacks("Didn't find"), at(0, 0, 15)],
        world=_visit(15.0),
        begun="Press CTRL-C",
        stop_after=35,
    ),
    Example(_V + "03_annotate.py", [takes(114, 150)], timeout=180),
    Example(_V + "04_exposure.py", [takes(35, 90)]),
    Example(_C + "01_go_to_pose_test.py", [at(0.1, 0.1, 45)]),
    Example(_C + "02_create_wall.py", [at(0.2, 0, 0)]),
    Example(_C + "03_go_to_object_test.py", [before_cube(1, 0.07)], world=_ONE),
    Example(_C + "04_stack_or_roll.py", [stacked], world=_TWO, timeout=240),
    Example(_C + "04_stack_or_roll.py", [cube(1, upright, "upright")], world=_SIDE, timeout=240),
    Example(_C + "04_stack_or_roll.py", [takes(5, 40)]),
    Example(_C + "05_cube_stack.py", [stacked], world=_TWO, timeout=180),
    Example(_C + "06_pickup_furthest.py", [_carried(3)], world=_THREE, timeout=180),
    Example(_C + "07_lookaround.py", [at(0, 0, None, way=12)], world=_ONE, timeout=180),
    Example(_C + "08_drive_to_charger_test.py", [_before_charger], world=_CHARGER, timeout=180),
    Example(
        _C + "09_custom_objects.py",
        [says("All objects defined"), says("started seeing")],
        world=_TAGGED,
        stop_after=15,
    ),
    Example(
        _C + "10_object_moved.py",
        [says("started moving"), says("is moving"), says("stopped moving")],
        world=_ONE,
        stop_after=20,
        meanwhile=_pushes,
    ),
    Example(_C + "11_dock_with_cube.py", [says("SUCCESS|succeeded")], world=_ONE, timeout=180),
    Example(
        _C + "12_roll_cube.py",
        [cube(1, lambda one: abs(one.pitch) > 1, "rolled")],
        world=_SIDE,
        timeout=180,
    ),
    Example(_C + "13_pop_a_wheelie.py", [_on_back], world=_ONE, timeout=180),
    Example(_A + "01_cube_blinker_sync.py", [got("CubeLights", 20)], world=_ONE, timeout=90),
    Example(
        _A + "01_cube_blinker_sync.py",
        [says("Cube tapped")],
        world=_ONE,
        timeout=90,
        meanwhile=_taps,
    ),
    Example(_A + "02_cube_blinker.py", [got("CubeLights", 20)], world=_ONE, timeout=90),
    Example(
        "sdk/tutorials/06_actions/01_parallel_actions.py",
        [at(0.17, 0, 0), says("tracks_locked"), says("CANCELLED_WHILE_RUNNING", 7)],
    ),
    Example(_T + "connect_cubes.py", [got("SetPropSlot")], world=_THREE),
    Example(_T + "disconnect_cubes.py", [], world=_THREE),
    Example(_T + "auto_cube_disconnect.py", [], world=_THREE, arguments=("-e",)),
    Example(_T + "auto_cube_disconnect.py", [], world=_THREE, arguments=("-d",)),
    Example(_T + "log_cube_battery_levels.py", [says("battery = .*%", 3)], world=_THREE),
    Example(_M + "multi_robot_independent.py", [_pose_of(0, 90), _pose_of(1, -90)], robots=2),
    Example(_M + "multi_robot_unified.py", [_pose_of(0, 0), _pose_of(1, 0)], robots=2),
    Example(_P + "3d_viewer.py", [], stop_after=10),
    Example(_P + "cli.py", [says("All IPython commands")], timeout=60, needs="IPython"),
    Example(_P + "color_finder.py", [got("EnableColorImages"), lacks("failed")], stop_after=20),
    Example(_P + "desk_security_guard.py", [says("OWNER_FACE")], code=1, timeout=30),
    Example(
        _P + "quick_tap.py", [lacks("Traceback")], world=_THREE, timeout=300, meanwhile=_player_taps
    ),
    Example(_P + "quizmaster_cozmo.py", [], world=_THREE, timeout=400, meanwhile=_taps),
    Example(_P + "remote_control_cozmo.py", [says("Serving Flask")], stop_after=20, needs="flask"),
    *(
        Example(
            _I + f"ifttt_{what}.py",
            [lambda run: None if run.truth.on_charger else "not on the charger", *_IFTTT],
            world=_ON_CHARGER,
            stop_after=45,
            needs="aiohttp",
            meanwhile=_posts(path, body),
        )
        for what, path, body in (
            ("gmail", "iftttGmail", {"FromAddress": "who.ever@example.org"}),
            ("sports", "iftttSports", {"AlertBody": "They won"}),
            ("stocks", "iftttStocks", {"StockName": "ABC", "PercentageChange": "1.5"}),
        )
    ),
    Example(_I + "ifttt_sports_flask.py", [says("Serving Flask")], stop_after=20, needs="flask"),
    # -- PyCozmo's
    Example("pycozmo/minimal.py", [], stop_after=8),
    Example("pycozmo/imu.py", [says(r"\t-", 20)], stop_after=8),
    Example(
        "pycozmo/events.py",
        [says("Battery level"), says("Picked up"), says("Robot poked")],
        stop_after=14,
        meanwhile=_handles,
    ),
    Example("pycozmo/extremes.py", [head(-25), lift(32)]),
    Example("pycozmo/go_to_pose.py", [at(0.2, 0.1, 0)]),
    Example("pycozmo/path.py", [says("PATH_COMPLETED"), at(0, 0, 0, way=0.6)]),
    Example("pycozmo/backpack_lights.py", [got("BackpackLightsMiddle", 5), takes(10, 25)]),
    Example("pycozmo/cube_lights.py", [got("CubeLights", 4)], world=_THREE),
    Example("pycozmo/cube_light_animation.py", [got("CubeLights", 1)], world=_THREE),
    Example("pycozmo/charger_lights.py", [got("CubeLights", 4)], world=_CHARGER, timeout=60),
    Example("pycozmo/camera.py", [got("ImageRequest")]),
    Example("pycozmo/video.py", [got("FaceImage", 20)], stop_after=10),
    Example("pycozmo/display_image.py", [got("FaceImage")]),
    Example("pycozmo/display_lines.py", [got("FaceImage", 60)], stop_after=10),
    Example("pycozmo/procedural_face.py", [got("FaceImage")]),
    Example("pycozmo/procedural_face_expressions.py", [says("Excitement"), got("FaceImage", 200)]),
    Example("pycozmo/audio.py", [got("SetAudioVolume"), got("AudioSample", 20)]),
    Example("pycozmo/anim.py", [says("no animation named")], code=1),
    Example("pycozmo/nvram.py", [says("NV_OKAY"), takes(0, 20)]),
    Example("pycozmo/client.py", [got("SetAudioVolume", 100)], stop_after=8, port=5551),
    Example("pycozmo/server.py", [says("cozmo emulator")], code=1),
    Example("pycozmo/procedural_face_show.py", []),
    Example("pycozmo/rc.py", [says("evdev|gamepad|Gamepad|No module")], code=1),
]
