"""The examples for ROS, with everything that the launch file starts."""

from __future__ import annotations

import importlib.util
import math
import os
import pty
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("rclpy", reason="no ROS 2 here")

import rclpy
from geometry_msgs.msg import PointStamped
from nav_msgs.msg import Odometry
from sensor_msgs.msg import Image
from std_msgs.msg import Float64

from cozmo_driver.bringup import processes
from cozmo_driver.emulator import Identity, Pose2D, RunningEmulator, running_emulator
from cozmo_driver.emulator.world import World, load_layout
from cozmo_driver.face import find, render
from cozmo_driver.robot import Pose2D as Pose
from cozmo_driver.ros.geometry import plane_pose
from cozmo_interfaces.msg import CubeArray, Reason, RobotStatus

from ..media.engines import beeper
from ..nodes.graph import LATCHED, Graph, running_graph, running_node
from ..nodes.test_avoidance import cube_seen
from ..programs import running_program
from ..waiting import wait_until
from .programs import Watch, program, program_on, run, shades, started

TABLE = """
name: dark table with a white spot
floor:
  - {rectangle: [-0.4, -0.4, 0.4, 0.4], pattern: plain, gray: 60}
  - {rectangle: [0.19, 0.03, 0.21, 0.05], pattern: plain, gray: 255}
cubes:
  - {number: 1, x: -0.3, y: 0.3}
"""
SPOT = (0.20, 0.04)
(CUBE, _), *_ = Identity().cubes


@dataclass(frozen=True)
class Launched:
    """A robot on its table, and the driver's graph."""

    emulator: RunningEmulator
    graph: Graph

    @property
    def words(self) -> list[str]:
        """Arguments that bring an example into the namespace of the driver."""
        return ["--ros-args", "-r", f"__ns:={self.graph.namespace}"]

    def put(self, x: float, y: float, yaw: float = 0.0) -> None:
        """Carry the robot elsewhere and wait until the driver knows that it stands."""
        status = self.graph.listen(RobotStatus, "status")
        self.emulator.call(lambda robot: robot.handling.pick_up())
        status.wait_for(lambda now: now.off_treads_state == RobotStatus.IN_AIR)
        where = Pose2D(x * 1000, y * 1000, yaw)
        self.emulator.call(lambda robot: robot.handling.put_down(where))
        status.wait_for_new(lambda now: now.off_treads_state == RobotStatus.ON_TREADS)

    def turn_head(self, angle: float) -> None:
        self.graph.publisher(Float64, "cmd_head").publish(Float64(data=angle))
        self.emulator.wait_for(lambda state: abs(state.head_angle - angle) < 0.02)

    def place(self) -> tuple[float, float, float]:
        """Return where the robot is on its table, m and rad."""
        pose = self.emulator.truth().pose
        return pose.x, pose.y, pose.yaw


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Launched]:
    """Return a connected robot with the programs that ``cozmo.launch.py`` starts."""
    folder = tmp_path_factory.mktemp("world")
    (folder / "table.yaml").write_text(TABLE)
    table = World(load_layout(folder / "table.yaml"))
    with ExitStack() as stack:
        emulator = stack.enter_context(running_emulator(calibration_time=0.0, world=table))
        graph = stack.enter_context(running_graph())
        options = processes.Options(emulator.host, emulator.port, namespace=graph.namespace)
        for process in (
            processes.own_node("driver", options),
            processes.robot_state_publisher(options),
            processes.own_node("face", options),
        ):
            stack.enter_context(program(processes.command(process, folder)))
        graph.connected()
        yield Launched(emulator, graph)


@pytest.fixture(autouse=True)
def leave_topics(world: Launched) -> Iterator[None]:
    """Take no more part in the topics of a test when it is over."""
    yield
    world.graph.clear()


COLORS = ("r", "g", "b", "rg")


def test_cube_lights_on_tap_gives_the_next_color(world: Launched) -> None:
    with started("ros/cube_lights_on_tap.py", *world.words) as example:
        cubes = world.graph.listen(CubeArray, "cubes", LATCHED)
        cubes.wait_for(lambda now: any(c.factory_id == CUBE and c.is_connected for c in now.cubes))

        def taps() -> int:
            return sum("tap" in line for line in example.lines)

        tapped = 0.0

        def is_lit(before: int) -> bool:
            # Until driver and example have discovered each other, taps and colors are lost.
            nonlocal tapped
            if time.monotonic() > tapped + 2.0:
                tapped = time.monotonic()
                world.emulator.call(lambda robot: robot.handling.tap(1))
            colors = world.emulator.call(lambda robot: robot.cubes.colors(CUBE))
            return taps() > before and shades(colors) == (COLORS[(taps() - 1) % 4],) * 4

        for _ in range(2):
            before = taps()
            wait_until(lambda before=before: is_lit(before), "it has not the color of its taps")


def test_drive_square_comes_back_by_four_corners(world: Launched) -> None:
    world.put(0.0, 0.0)
    side = 0.05
    with Watch(world.emulator, lambda emulator: world.place()) as way:
        run("ros/drive_square.py", *world.words, "-p", f"side:={side}")
    x, y, yaw = world.place()
    assert math.hypot(x, y) < 0.03
    assert yaw == pytest.approx(0.0, abs=0.25)
    assert max(point[0] for point in way) > side - 0.01
    assert max(point[1] for point in way) > side - 0.01


def test_follow_path_drives_a_bow(world: Launched) -> None:
    world.put(-0.2, -0.1)
    with Watch(world.emulator, lambda emulator: world.place()) as way:
        run("ros/follow_path.py", *world.words, "-p", "length:=0.16")
    x, y, yaw = world.place()
    assert math.dist((x, y), (-0.04, -0.1)) < 0.02
    assert yaw == pytest.approx(0.0, abs=0.15)
    assert max(point[1] for point in way) == pytest.approx(-0.1 + 0.04, abs=0.015)


def test_drive_around_keeps_off_a_cube(world: Launched) -> None:
    world.put(-0.2, 0.1)
    # As after a start.
    world.turn_head(-0.43)
    here = plane_pose(world.graph.listen(Odometry, "odom").collect(1)[0].pose.pose)
    ahead = here.compose(Pose(0.15))
    with running_node("manipulation_node", world.graph.namespace), cube_seen(world.graph) as eyes:
        eyes.put(here.x, here.y)
        eyes.wait_until_reason(Reason.NO_PATH)
        eyes.put(ahead.x, ahead.y)
        eyes.wait_until_reason(Reason.NONE)
        with Watch(world.emulator, lambda emulator: world.place()) as way:
            run("ros/drive_around.py", *world.words, "-p", "x:=0.3")
    x, y, _ = world.place()
    assert math.dist((x, y), (0.1, 0.1)) < 0.05
    assert max(abs(point[1] - 0.1) for point in way) > 0.04
    assert world.emulator.state().head_angle > -0.2


def test_dock_charger_tells_why_not_and_when_it_is_there(world: Launched, tmp_path: Path) -> None:
    def ending() -> str:
        try:
            run("ros/dock_charger.py", *world.words)
        except SystemExit as ended:
            return str(ended.code)
        finally:
            rclpy.try_shutdown()
        return ""

    with running_node("manipulation_node", world.graph.namespace, state_dir=str(tmp_path)):
        # The node may not have heard of the robot yet.
        wait_until(lambda: "put the robot on it once" in ending(), "it does not say why")
        world.emulator.call(lambda robot: robot.battery.put_on_charger(True))
        try:
            wait_until(lambda: ending() == "", "it does not notice its charger")
        finally:
            world.emulator.call(lambda robot: robot.battery.put_on_charger(False))


def test_the_program_of_the_tutorial_ends_where_the_robot_may_not_turn(
    world: Launched, tmp_path: Path
) -> None:
    command = [sys.executable, str(program_on("docs/tutorials/find_a_cube.md", tmp_path))]
    world.emulator.call(lambda robot: robot.battery.put_on_charger(True))
    try:
        with running_program([*command, *world.words], merged=True) as turning:
            turning.wait_for("the robot stands on its charger")
            assert turning.end()[0] == 1
    finally:
        world.emulator.call(lambda robot: robot.battery.put_on_charger(False))


def test_place_bright_spot_finds_it_on_the_table(world: Launched) -> None:
    world.put(0.05, -0.02, 0.2)
    world.turn_head(-0.2)
    odometry = world.graph.listen(Odometry, "odom")
    with started("ros/place_bright_spot.py", *world.words):
        spots = world.graph.listen(PointStamped, "bright_spot")
        spot = spots.collect(6)[-1]
    assert spot.header.frame_id == "odom"
    here = plane_pose(odometry.messages[-1].pose.pose)
    local = here.inverse().compose(Pose(spot.point.x, spot.point.y, 0.0))
    found = Pose(*world.place()).compose(Pose(-0.02, 0.0, 0.0)).compose(local)
    # A camera that nobody has calibrated looks up to 3 degrees elsewhere.
    assert math.dist((found.x, found.y), SPOT) < 0.04


@pytest.mark.skipif(
    importlib.util.find_spec("cv_bridge") is None, reason="cv_bridge is not installed here"
)
def test_camera_opencv_outlines_what_is_bright(world: Launched) -> None:
    world.put(0.05, -0.02, 0.2)
    world.turn_head(0.0)
    with started("ros/camera_opencv.py", *world.words):
        outlined = world.graph.listen(Image, "camera/outlined").collect(3)[-1]
    assert (outlined.encoding, outlined.width, outlined.height) == ("rgb8", 320, 240)
    pixels = np.asarray(outlined.data).reshape(240, 320, 3).astype(int)
    # The spot is in the upper half; farther down, the lift is bright.
    rows, columns = np.nonzero((pixels[:120] > 200).all(axis=2))
    assert rows.size > 20
    (top, left), (bottom, right) = np.min((rows, columns), axis=1), np.max((rows, columns), axis=1)
    around = pixels[top - 3 : bottom + 4, left - 3 : right + 4]
    assert (around == (255, 0, 0)).all(axis=2).sum() > (bottom - top) + (right - left)


def test_face_expressions_are_seen_on_the_face(world: Launched) -> None:
    # A far glance of 1 s would hide an expression's outline: 8 of 300 did.
    assert not world.graph.set("cozmo_face", saccades=False)
    world.emulator.call(lambda robot: robot.animation.recording.clear())
    names = ["Anger", "Amazement"]
    faces = [render(find(name).face, parity=None) for name in names]

    def are_seen() -> bool:
        # A busy computer may pass over one.
        run("ros/face_expressions.py", *world.words, "-p", f"names:={names}", "-p", "seconds:=1.0")
        pictures = [np.asarray(picture) for _, picture in world.emulator.played_pictures()]
        return all(any(covers(face, picture) for picture in pictures) for face in faces)

    wait_until(are_seen, "not every expression is seen")


def covers(whole: np.ndarray, picture: np.ndarray) -> bool:
    """Tell whether a picture is this face, wherever its eyes look, in every second row."""
    lit = int(whole.sum()) / 2
    rows, columns = np.nonzero(picture)
    if not rows.size:
        return False
    size = (np.ptp(rows), np.ptp(columns))
    wanted = (np.ptp(np.nonzero(whole)[0]), np.ptp(np.nonzero(whole)[1]))
    near = all(abs(a - b) <= 3 for a, b in zip(size, wanted, strict=True))
    return near and abs(rows.size - lit) < 0.08 * lit


def test_say_and_play_speaks_and_then_plays(world: Launched, tmp_path: Path) -> None:
    assert not world.graph.set(speech_command=beeper(tmp_path))
    world.emulator.call(lambda robot: robot.animation.recording.clear())
    run("ros/say_and_play.py", *world.words, "-p", "text:=one two", "-p", "animation:=Nod")
    heard = [one for one in world.emulator.played_audio() if one.samples.any()]
    nods = [
        one
        for one in world.emulator.played_keyframes()
        if type(one.message).__name__ == "HeadAngle"
    ]
    assert heard
    assert nods
    assert heard[0].start < nods[0].time


def test_wander_turns_back_at_the_edge(world: Launched) -> None:
    world.put(0.34, 0.2)
    with started("ros/wander.py", *world.words, "-p", "speed:=0.06") as program:
        world.emulator.wait_for(lambda state: state.pose.x > 350)
        program.wait_for("no ground")
        wait_until(lambda: abs(math.remainder(world.place()[2], math.tau)) > 2.0, "did not turn")
        x = world.place()[0]
        wait_until(lambda: world.place()[0] < x - 0.03, "did not go away")
    assert not world.emulator.truth().is_fallen
    world.emulator.wait_for(lambda state: state.left_speed == state.right_speed == 0)


def test_teleop_drives_by_keys(world: Launched) -> None:
    world.put(0.0, 0.0)
    keyboard, terminal = pty.openpty()
    try:
        with started("ros/teleop.py", *world.words, stdin=terminal) as program:
            program.wait_for("w a s d")

            def drives(key: bytes, left: int, right: int) -> bool:
                os.write(keyboard, key)
                state = world.emulator.state()
                return state.left_speed * left > 0 and state.right_speed * right > 0

            wait_until(lambda: drives(b"w", 1, 1), "does not drive ahead")
            wait_until(lambda: drives(b"d", 1, -1), "does not turn to the right")
            os.write(keyboard, b"q")
            program.end()
        world.emulator.wait_for(lambda state: state.left_speed == state.right_speed == 0)
    finally:
        os.close(keyboard)
        os.close(terminal)
