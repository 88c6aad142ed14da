"""Whole programs against an emulated robot, as ``cozmo run`` runs them."""

from __future__ import annotations

import math
import threading
from pathlib import Path

import pytest
from PIL import Image

from benchmarks.old_program_examples import EXAMPLES
from benchmarks.old_programs import Check, Example, Run, at, got, lacks, moved, run, says, world
from benchmarks.vision.people import drawn_face
from cozmo_driver.emulator import RunningEmulator

FEW = (
    "sdk/tutorials/06_actions/01_parallel_actions.py",
    "sdk/multi_robot/multi_robot_unified.py",
    "pycozmo/extremes.py",
)


def check(example: Example) -> None:
    result = run(example)
    assert not result.problems, f"{result.problems}\n{result.output}"


@pytest.mark.parametrize("path", FEW)
def test_an_example_ends_as_it_should(path: str) -> None:
    [example] = [one for one in EXAMPLES if one.path == path]
    if not example.file.is_file():
        pytest.skip("the examples are not beside this checkout")
    check(example)


def program(tmp_path: Path, text: str, *checks: Check, **more: object) -> Example:
    file = tmp_path / "program.py"
    file.write_text(text)
    return Example(str(file), list(checks), **more)  # type: ignore[arg-type]


def test_a_program_that_blocks_within_a_coroutine_keeps_its_robot(tmp_path: Path) -> None:
    text = """
import time, cozmo
async def main(robot):
    await robot.drive_wheels(50, 50)
    time.sleep(8)
    robot.stop_all_motors()
    await robot.turn_in_place(cozmo.util.degrees(90)).wait_for_completed()
    print("turned to", round(robot.pose_angle.degrees))
cozmo.run_program(main)
"""
    check(
        program(tmp_path, text, says("turned to 9|turned to 8[89]"), says("program.py:5 blocked"))
    )


def test_wheels_stop_when_a_program_returns_or_raises(tmp_path: Path) -> None:
    text = """
import cozmo
def main(robot):
    robot.drive_wheels(50, 50)
    robot.wait_for(cozmo.robot.EvtRobotStateUpdated)
    raise RuntimeError("somewhere")
cozmo.run_program(main)
"""
    check(program(tmp_path, text, says("in main"), says("RuntimeError: somewhere"), code=1))


def stands(run: Run) -> str | None:
    """The robot notices that its program has gone, and stands."""
    run.emulators[0].wait_for(lambda now: not now.connected and now.left_speed == 0)
    return None


@pytest.mark.parametrize(("name", "code"), [("SIGKILL", -9), ("SIGTERM", 143)])
def test_the_robot_of_a_killed_program_stands(tmp_path: Path, name: str, code: int) -> None:
    text = f"""
import os, signal, cozmo
def main(robot):
    robot.drive_wheels(50, 50)
    while robot.left_wheel_speed.speed_mmps < 40:
        robot.wait_for(cozmo.robot.EvtRobotStateUpdated)
    os.kill(os.getpid(), signal.{name})
    robot.wait_for(cozmo.objects.EvtObjectTapped, timeout=None)
cozmo.run_program(main)
"""
    check(program(tmp_path, text, stands, code=code))


@pytest.mark.parametrize(
    ("ends", "code"),
    [
        ("sys.exit(3)", 3),
        ("os.kill(os.getpid(), signal.SIGTERM)", 143),
        ("os.kill(os.getpid(), signal.SIGINT)", 0),
    ],
)
def test_a_coroutine_that_exits_or_is_signalled_ends_the_program(
    tmp_path: Path, ends: str, code: int
) -> None:
    text = f"""
import os, signal, sys, cozmo
async def main(robot):
    await robot.drive_wheels(50, 50)
    {ends}
cozmo.run_program(main)
"""
    check(program(tmp_path, text, got("DriveWheels"), code=code, timeout=60))


def test_threads_that_a_program_leaves_are_told_and_ended_by_ctrl_c(tmp_path: Path) -> None:
    text = """
import threading, cozmo
from concurrent.futures import ThreadPoolExecutor
ThreadPoolExecutor().submit(print, "in a pool")
threading.Thread(target=threading.Event().wait, name="listener").start()
cozmo.run_program(lambda robot: robot.drive_wheels(50, 50))
"""
    told = "program's thread listener goes on"
    check(program(tmp_path, text, says("in a pool"), code=130, begun=told, stop_after=0))


def test_ctrl_c_ends_a_program_that_never_ends_with_0(tmp_path: Path) -> None:
    text = """
import cozmo
def main(robot):
    robot.drive_wheels(50, 50)
    print("for ever", flush=True)
    while True:
        pass
cozmo.run_program(main)
"""
    check(
        program(
            tmp_path,
            text,
            says("Exit requested by user"),
            got("DriveWheels"),
            begun="for ever",
            stop_after=2,
        )
    )


def test_ctrl_c_while_an_action_is_awaited_ends_with_0(tmp_path: Path) -> None:
    text = """
import cozmo
def main(robot):
    print("drives", flush=True)
    distance, speed = cozmo.util.distance_mm(2000), cozmo.util.speed_mmps(20)
    robot.drive_straight(distance, speed).wait_for_completed()
cozmo.run_program(main)
"""
    check(
        program(
            tmp_path,
            text,
            says("Exit requested by user"),
            lacks("Traceback|never retrieved"),
            begun="drives",
            stop_after=2,
        )
    )


def test_an_action_begins_while_an_aborted_one_ends(tmp_path: Path) -> None:
    text = """
import cozmo
from cozmo.util import degrees, distance_mm, speed_mmps
async def main(robot):
    drive = robot.drive_straight(distance_mm(2000), speed_mmps(50))
    while robot.left_wheel_speed.speed_mmps < 40:
        await robot.wait_for(cozmo.robot.EvtRobotStateUpdated)
    drive.abort()
    turn = robot.turn_in_place(degrees(-90))
    robot.abort_all_actions()
    print("in progress:", robot.has_in_progress_actions)
    again = robot.turn_in_place(degrees(90), in_parallel=True)
    for action in drive, turn, again:
        await action.wait_for_completed()
        print(type(action).__name__, action.state, action.failure_reason[0])
cozmo.run_program(main)
"""
    checks = (
        says("in progress: False"),
        says("DriveStraight action_failed cancelled"),
        says("TurnInPlace action_failed cancelled"),
        says("TurnInPlace action_succeeded None"),
    )
    check(program(tmp_path, text, *checks))


def test_cubes_are_there_from_the_start_for_a_program_of_several_files(tmp_path: Path) -> None:
    (tmp_path / "game.py").write_text(
        "def main(robot):\n    print('connected:', robot.world.get_light_cube(1).is_connected)\n"
    )
    text = "import cozmo, game\ncozmo.run_program(game.main)\n"
    here = world((0.3, 0.0), (0.3, 0.2), (0.3, -0.2))
    check(program(tmp_path, text, says("connected: True"), world=here))


def test_cubes_that_were_let_go_are_connected_again(tmp_path: Path) -> None:
    text = """
import cozmo
def main(robot):
    def connected():
        return len(list(robot.world.connected_light_cubes))
    print("at first:", connected())
    robot.world.disconnect_from_cubes()
    while connected():
        robot.wait_for(cozmo.robot.EvtRobotStateUpdated)
    print("again:", robot.world.connect_to_cubes(), connected())
cozmo.run_program(main)
"""
    here = world((0.3, 0.0), (0.3, 0.2), (0.3, -0.2))
    check(program(tmp_path, text, says("at first: 3"), says("again: True 3"), world=here))


def test_a_face_is_seen_named_turned_to_and_known_when_it_comes_back(tmp_path: Path) -> None:
    Image.fromarray(drawn_face(256)).save(tmp_path / "person.png")
    here = {
        "name": "visit",
        "floor": [{"rectangle": [-1, -1, 1, 1]}],
        "pictures": [
            {"file": str(tmp_path / "person.png"), "x": 0.5, "y": 0.12, "z": 0.1, "width": 0.21}
        ],
    }
    text = """
import cozmo
from cozmo_driver.perception.detection import face_tracker
face_tracker.FORGETTING = 2.0
def main(robot):
    robot.set_head_angle(cozmo.util.degrees(20)).wait_for_completed()
    [face] = robot.world.wait_until_observe_num_objects(1, cozmo.faces.Face, timeout=60)
    assert face is robot.world.wait_for_observed_face(timeout=60)
    place = face.pose.position
    print("at", round(place.x, -2), round(place.y, -2), round(place.z, -2))
    face.name_face("Ann").wait_for_completed()
    print("named", face.name, face.face_id)
    turn = robot.turn_in_place(cozmo.util.degrees(120))
    face.wait_for(cozmo.faces.EvtFaceDisappeared, timeout=60)
    turn.wait_for_completed()
    robot.turn_in_place(cozmo.util.degrees(-120)).wait_for_completed()
    again = robot.world.wait_for_observed_face(timeout=60)
    print("again", again is face, again.face_id)
    robot.turn_towards_face(face).wait_for_completed()
cozmo.run_program(main)
"""
    towards = math.degrees(math.atan2(0.12, 0.5))
    checks = (
        says("at 500.0 100.0 200.0"),
        says("named Ann 1"),
        says("again True 1"),
        at(0, 0, towards),
    )
    check(program(tmp_path, text, *checks, world=here))


def test_threads_of_a_program_call_at_once(tmp_path: Path) -> None:
    text = """
import threading, cozmo
from cozmo.util import degrees, distance_mm, speed_mmps
def main(robot):
    def head():
        robot.set_head_angle(degrees(20), in_parallel=True).wait_for_completed()
    def lift():
        robot.set_lift_height(1.0, in_parallel=True).wait_for_completed()
    threads = [threading.Thread(target=one) for one in (head, lift) * 3]
    action = robot.drive_straight(distance_mm(100), speed_mmps(100), in_parallel=True)
    for one in threads: one.start()
    for one in threads: one.join()
    print(action.wait_for_completed().state)
    print(robot.play_anim("anim_launch_yes_01").wait_for_completed().state)
    try:
        robot.play_anim("of nobody")
    except ValueError as error:
        print(error)
cozmo.run_program(main)
"""
    check(program(tmp_path, text, moved(0.1, 0, 0), says("action_succeeded", 2), says("of nobody")))


def has_called(robot: RunningEmulator, over: threading.Event, volume: float) -> None:
    """Wait until the program has set a volume: so it tells how far it is."""

    def is_set() -> bool:
        message = robot.state().last_received.get("SetAudioVolume")
        return message is not None and abs(message.volume / 65535 - volume) < 0.01

    while not is_set() and not over.wait(0.05):
        pass


def test_a_robot_that_is_gone_ends_what_waits(tmp_path: Path) -> None:
    text = """
import cozmo
def main(robot):
    robot.set_robot_volume(0.5)
    try:
        robot.world.wait_for(cozmo.objects.EvtObjectTapped, timeout=None)
    except cozmo.exceptions.ConnectionAborted:
        print("aborted")
        raise
cozmo.run_program(main)
"""

    def switch_off(robot: RunningEmulator, over: threading.Event) -> None:
        has_called(robot, over, 0.5)
        robot.kill()

    checks = says("aborted"), says("A connection error occurred: the link to the robot was lost")
    check(program(tmp_path, text, *checks, code=1, meanwhile=switch_off, timeout=60))


def test_a_robot_that_is_lifted_fails_the_action_and_counts_from_a_new_origin(
    tmp_path: Path,
) -> None:
    text = """
import cozmo
from cozmo.util import degrees, distance_mm, speed_mmps
def main(robot):
    before = robot.pose
    action = robot.drive_straight(distance_mm(1000), speed_mmps(50))
    action.wait_for_completed()
    print(action.result, action.failure_reason[0], robot.is_picked_up)
    robot.set_robot_volume(0.5)
    while robot.is_picked_up:
        robot.wait_for(cozmo.robot.EvtRobotStateUpdated)
    print("comparable:", robot.pose.is_comparable(before))
cozmo.run_program(main)
"""

    def lift_it(robot: RunningEmulator, over: threading.Event) -> None:
        robot.wait_for(lambda state: state.left_speed > 20)
        robot.call(lambda firmware: firmware.handling.pick_up())
        has_called(robot, over, 0.5)
        robot.call(lambda firmware: firmware.handling.put_down(None))

    checks = says("INVALID_OFF_TREADS_STATE aborted True"), says("comparable: False")
    check(program(tmp_path, text, *checks, meanwhile=lift_it))


def test_without_a_robot_a_program_ends_with_1_and_says_why(tmp_path: Path) -> None:
    text = """
import cozmo
def main(robot):
    print("the only one")
    cozmo.run_program(print)
cozmo.run_program(main)
"""
    checks = says("the only one"), says("A connection error occurred: every robot is taken")
    check(program(tmp_path, text, *checks, code=1))
