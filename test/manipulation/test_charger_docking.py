"""Home onto the charger from memory, and what becomes of it when that fails (spec 16 §4, §7)."""

from __future__ import annotations

import asyncio
import contextlib
import math
from dataclasses import replace

import pytest

from cozmo_driver.emulator.hardware import CHARGER_TILT
from cozmo_driver.manipulation.charger_docking import dock_charger
from cozmo_driver.manipulation.charger_memory import DOCKED, TURN_SCALES, ChargerMemory
from cozmo_driver.manipulation.manipulator import ManipulatorState
from cozmo_driver.manipulation.obstacle_avoidance import distance_between
from cozmo_driver.manipulation.robot_manipulator import RobotManipulator
from cozmo_driver.perception import RobotPerception
from cozmo_driver.perception.world.frames import pose
from cozmo_driver.perception.world.objects import PoseState
from cozmo_driver.planning import Box
from cozmo_driver.robot import DRIVE_CENTER, CameraOptions, Pose2D, Reason, RobotError

from ..perception.scene import CHARGER
from ..perception.test_memory_map import thing
from ..robot.virtual import in_virtual_time
from .home import Home, emulated

ASIDE = Pose2D(-0.25, -0.15, math.pi)


@in_virtual_time(emulator=emulated(1))
async def test_it_docks_from_aside_with_treads_and_gyro_that_err(world):
    home = Home(world)
    await home.undock()
    await home.go(ASIDE)

    assert await dock_charger(home.body, home.memory, home.on_phase) == 1
    assert home.is_docked
    assert not home.body.state.is_moving
    await world.until(lambda: home.stops_at_cliffs)
    assert home.phases == [("looking", 1), ("driving", 1), ("docking", 1)]


def test_it_docks_as_well_once_the_driver_has_learnt_how_far_it_turns(tmp_path) -> None:
    scales = []

    @in_virtual_time(emulator=emulated(2), calibration_directory=tmp_path)
    async def docks(world):
        home, (x, y) = Home(world), (-0.45, 0.30)
        for lap in range(3):
            await home.undock()
            await home.go(Pose2D(x, y if lap % 2 else -y, 1.0 + 2.0 * lap))
            assert await dock_charger(home.body, home.memory, home.on_phase) == 1
            assert home.is_docked
            await world.pass_time(0.5)
            scales.append(home.memory.turn_scale)
        assert world.robot.calibration.turn_scale == pytest.approx(TURN_SCALES[0], abs=0.003)

    docks()
    # What the odometry has in it is not corrected twice.
    assert (scales[0], scales[-1]) == (TURN_SCALES[0], 1.0)


@in_virtual_time(emulator=emulated(ideal=True))
async def test_a_robot_on_its_charger_is_home_and_remembers_it_also_while_its_head_moves(world):
    home, memory = Home(world), ChargerMemory()
    await world.until(lambda: home.body.state.is_on_charger)
    nodding = asyncio.ensure_future(home.body.move_head(0.5))
    await world.until(lambda: home.body.state.is_moving)

    assert await dock_charger(home.body, memory) == 0
    assert memory.pose(home.body.state)
    await nodding


@in_virtual_time()
async def test_without_eyes_and_memory_it_fails_at_once(world):
    home = Home(world)
    begun = world.loop.time()
    with pytest.raises(RobotError, match="put the robot on it once") as caught:
        await dock_charger(home.body, home.memory)

    assert caught.value.reason is Reason.NOT_SEEN
    assert world.loop.time() - begun < 2.0
    assert home.is_still


@in_virtual_time(emulator=emulated(ideal=True))
async def test_a_robot_that_was_carried_does_not_know_its_charger_any_more(world):
    home = Home(world)
    await home.undock()
    world.firmware.handling.pick_up()
    await world.until(lambda: home.body.state.is_off_ground)
    with pytest.raises(RobotError) as lifted:
        await dock_charger(home.body, home.memory)
    world.firmware.handling.put_down()
    await world.until(lambda: not home.body.state.is_off_ground)
    await world.until(lambda: home.memory.pose(home.body.state) is None)
    with pytest.raises(RobotError) as forgotten:
        await dock_charger(home.body, home.memory)

    assert lifted.value.reason is Reason.PICKED_UP
    assert forgotten.value.reason is Reason.NOT_SEEN


@in_virtual_time(emulator=emulated(ideal=True))
async def test_a_robot_that_is_told_where_it_is_does_not_know_its_charger_any_more(world):
    home = Home(world)
    await home.undock()
    world.robot.localization.set_odometry(Pose2D(1.0, 0.5, 1.57))
    assert home.memory.pose(home.body.state) is None


@in_virtual_time(emulator=emulated(ideal=True))
async def test_a_charger_that_was_taken_away_is_missed_each_time(world):
    home = Home(world)
    await home.undock()
    world.firmware.battery.put_on_charger(False)
    world.firmware.place.world.solids, world.firmware.place.world.charger = (), None
    with pytest.raises(RobotError, match="no power") as caught:
        await dock_charger(home.body, home.memory, home.on_phase)

    assert caught.value.reason is Reason.MISSED
    assert [attempt for phase, attempt in home.phases if phase == "docking"] == [1, 2, 3, 4]
    await world.until(lambda: home.is_still)
    await world.until(lambda: home.stops_at_cliffs)


@in_virtual_time(emulator=emulated(ideal=True))
async def test_a_charger_without_power_is_found_each_time(world):
    home, tilts = Home(world), []
    await home.undock()
    world.firmware.battery.put_on_charger(False)

    def on_phase(phase, _):
        if phase == "retreating":
            tilts.append(world.firmware.place.pitch)

    for _ in range(2):
        with pytest.raises(RobotError, match="no power"):
            await dock_charger(home.body, home.memory, on_phase)
    assert tilts == pytest.approx([CHARGER_TILT] * 8)


@in_virtual_time(emulator=emulated(ideal=True))
async def test_a_robot_that_climbs_the_edge_gives_up_at_once_and_comes_down(world):
    home = Home(world)
    await home.undock()
    began, lasted = [], []

    def on_phase(phase, attempt):
        # Its rear is on the edge while it backs up.
        is_up = phase == "docking"
        world.firmware.body.pitch = -math.radians(22.0) if is_up else 0.0
        if is_up:
            began.append(world.loop.time())
        elif phase == "retreating":
            lasted.append(world.loop.time() - began[-1])

    with pytest.raises(RobotError, match="climbed") as caught:
        await dock_charger(home.body, home.memory, on_phase)

    assert caught.value.reason is Reason.MISSED
    assert len(lasted) >= 2
    assert max(lasted) < 3.0
    await world.until(lambda: home.stops_at_cliffs)


@in_virtual_time(emulator=emulated(1), camera=CameraOptions(enabled=True))
async def test_a_charger_that_was_moved_is_searched_for_and_not_backed_into_unseen(world):
    async with RobotPerception(world.robot) as eyes:
        home, begun_at = Home(world, eyes), []

        def on_phase(phase, attempt):
            home.on_phase(phase, attempt)
            if phase == "docking":
                here = world.firmware.body.world_pose
                begun_at.append(math.dist((here.x, here.y), (old.x, old.y)))

        await home.undock()
        old = world.firmware.place.world.charger
        home.move_charger(-150.0, 250.0, math.pi)
        with pytest.raises(RobotError) as caught:
            await dock_charger(home.body, home.memory, on_phase, is_search_forbidden=True)
        assert caught.value.reason is Reason.NOT_SEEN
        assert home.stops_at_cliffs
        # Turned to where the robot can see its marker.
        home.move_charger(0.0, 0.0, math.radians(-140.0))
        assert await dock_charger(home.body, home.memory, on_phase) <= 3
        assert home.is_docked
        # So far from where it was nothing is backed into there.
        assert all(away > 250.0 for away in begun_at)
        assert home.stops_at_cliffs


@pytest.mark.parametrize("phase", ["driving", "docking", "retreating"])
@in_virtual_time(emulator=emulated(ideal=True))
async def test_cancelled_it_stands_still_and_stops_at_edges_again(world, phase):
    home = Home(world)
    await home.undock()
    await home.go(ASIDE)
    if phase == "retreating":
        world.firmware.battery.put_on_charger(False)
    docking = asyncio.ensure_future(dock_charger(home.body, home.memory, home.on_phase))
    await world.until(lambda: home.phases and home.phases[-1][0] == phase)
    await world.until(lambda: not home.is_still)
    docking.cancel()
    await asyncio.wait([docking])

    assert docking.cancelled()
    await world.until(lambda: home.is_still and home.stops_at_cliffs)
    assert world.robot.cliff.is_active


@in_virtual_time(emulator=emulated(ideal=True))
async def test_picked_up_on_the_way_it_fails_with_that_reason_and_stands(world):
    home = Home(world)
    await home.undock()
    await home.go(ASIDE)
    docking = asyncio.ensure_future(dock_charger(home.body, home.memory, home.on_phase))
    await world.until(lambda: home.phases and not home.is_still)
    world.firmware.handling.pick_up()
    lifted_at = world.loop.time()
    await asyncio.wait([docking])

    assert docking.exception().reason is Reason.PICKED_UP
    assert world.loop.time() - lifted_at < 2.0
    await world.until(lambda: home.is_still)


@in_virtual_time(emulator=emulated(ideal=True))
async def test_it_drives_around_what_comes_into_its_way(world):
    home = Home(world)
    charger = await home.undock()
    await home.go(Pose2D(-0.7, 0.0, 0.0))
    blocks = []

    class Watchful(type(home.body)):
        obstacles = property(lambda self: blocks)

    body = Watchful(world.robot)
    docking = asyncio.ensure_future(dock_charger(body, home.memory))
    await world.until(lambda: not home.is_still)
    middle = charger.compose(Pose2D(-0.42))
    blocks.append(Box(middle.x, middle.y, 0.0, 0.044, 0.044, "cube_2"))
    nearest = math.inf
    while not docking.done():
        here = world.robot.localization.drive_center
        nearest = min(nearest, math.hypot(here.x - middle.x, here.y - middle.y))
        await asyncio.sleep(0.03)

    assert await docking == 1
    assert home.is_docked
    assert nearest > 0.022 + 0.030


class Eyed(RobotManipulator):
    """Sees the charger as a test has it."""

    has_vision = True

    def __init__(self, world, see):
        super().__init__(world.robot)
        self._see = see

    @property
    def objects(self):
        return {"charger": self._see(self.state)}


@contextlib.asynccontextmanager
async def docking_of(body, memory=None):
    """Yield the phases of a docking that is cancelled in the end."""
    phases = []
    docking = asyncio.ensure_future(
        dock_charger(body, memory or ChargerMemory(), lambda *phase: phases.append(phase))
    )
    try:
        yield phases
    finally:
        docking.cancel()
        await asyncio.wait([docking])


class Beset(Eyed):
    """Sees the charger ahead, among other things."""

    def __init__(self, world, *things, see=lambda _: thing(CHARGER, pose(0.4, 0.0))):
        super().__init__(world, see)
        self._things = things

    obstacles = property(lambda self: self._things)


BESIDE = [Box(0.279, y, 0.0, 0.044, 0.044, "cube_2") for y in (0.140, -0.140)]


@pytest.mark.parametrize("boxes", [BESIDE[:1], BESIDE[1:], BESIDE], ids=["left", "right", "both"])
@in_virtual_time()
async def test_what_stands_where_it_would_look_from_aside_keeps_it_from_nothing(world, boxes):
    body = Beset(world, *boxes)
    async with docking_of(body):
        await world.until(lambda: is_before(body.state.pose), 60.0)


def is_before(here):
    return 0.19 < here.x < 0.23 and abs(here.y) < 0.012 and abs(here.yaw) < 0.1


@in_virtual_time()
async def test_a_charger_that_is_out_of_sight_and_cannot_be_reached_is_looked_for(world):
    def see(robot):
        """It was moved to behind the robot."""
        is_seen = abs(robot.pose.yaw) > 1.0
        there = pose(-0.4, 0.0, yaw=math.pi) if is_seen else pose(0.4, 0.0)
        return thing(CHARGER, there, is_visible=is_seen, last_seen=1.0 + is_seen)

    body = Beset(world, *BESIDE, Box(0.2, 0.0, 0.0, 0.1, 0.1, "cube_1"), see=see)
    memory = ChargerMemory()
    async with docking_of(body, memory):
        await world.until(lambda: memory.pose(body.state) and memory.pose(body.state).x < 0.0, 60.0)


@pytest.mark.parametrize("bearing", [math.pi / 7, math.pi / 8, -math.pi / 8])
@in_virtual_time()
async def test_wherever_a_charger_is_near_one_picture_shows_its_whole_marker(world, bearing):
    place = pose(0.2 * math.cos(bearing), 0.2 * math.sin(bearing), 0.0, bearing)
    half_picture, half_marker = math.atan(160 / 292), math.atan(0.015 / 0.2)

    def see(robot):
        off = math.remainder(robot.pose.yaw - bearing, 2 * math.pi)
        is_seen = not robot.is_moving and abs(off) < half_picture - half_marker
        state = PoseState.KNOWN if is_seen else PoseState.UNKNOWN
        return thing(CHARGER, place, state=state, is_visible=is_seen)

    body = Eyed(world, see)
    async with docking_of(body) as phases:
        await world.until(lambda: ("driving", 1) in phases)
        here = body.state.pose
    assert math.hypot(here.x - DRIVE_CENTER.x, here.y - DRIVE_CENTER.y) < 0.02


@in_virtual_time()
async def test_it_looks_on_where_one_picture_showed_the_charger(world):
    """From afar not every image does, and one alone does not place it."""
    begun = world.loop.time()

    def see(_):
        now = world.loop.time() - begun
        is_placed, is_unconfirmed = now > 2.0, now > 1.0
        state = PoseState.KNOWN if is_placed else PoseState.UNKNOWN
        seen = {"state": state, "is_visible": is_placed, "last_seen": float(is_unconfirmed)}
        return thing(CHARGER, pose(0.4, 0.0), **seen)

    body = Eyed(world, see)
    async with docking_of(body) as phases:
        await world.until(lambda: ("driving", 1) in phases)
        yaw = body.state.pose.yaw
    assert abs(yaw) < 0.1


@in_virtual_time()
async def test_it_gets_nearer_to_what_a_picture_from_before_the_turn_showed(world):
    seen = {"last_seen": 0.0}

    def see(robot):
        if robot.pose.yaw > 0.2:
            seen["last_seen"] = 1.0
        return thing(CHARGER, None, state=PoseState.UNKNOWN, **seen)

    body = Eyed(world, see)
    async with docking_of(body):
        await world.until(lambda: math.hypot(body.state.pose.x, body.state.pose.y) > 0.1)
        assert abs(body.state.pose.yaw) < 0.1


@in_virtual_time()
async def test_a_charger_that_is_not_seen_from_before_it_is_searched_for_again(world):
    """First where it is if it seemed turned to the wrong side; nothing is docked with unseen."""

    def see(robot):
        is_near = robot.pose.x > 0.1
        return thing(CHARGER, pose(0.4, 0.0, yaw=0.9), is_visible=not is_near, last_seen=1.0)

    body = Eyed(world, see)
    async with docking_of(body) as phases:
        await world.until(lambda: ("driving", 2) in phases)
        await world.until(lambda: body.state.pose.yaw < -0.55 and body.state.pose.y > 0.05)
        await world.until(lambda: ("looking", 3) in phases)
        await world.pass_time(5.0)
    assert [phase for phase, _ in phases] == ["looking", "driving"] * 2 + ["looking"]


@in_virtual_time()
async def test_a_charger_is_where_it_was_seen_last_however_shortly(world):
    """It may be out of sight again before the robot has looked long enough."""
    near: list[float] = []

    def see(_):
        is_visible = not near or world.loop.time() < near[0] + 0.4
        place = pose(0.4, 0.0, yaw=-0.9 if near else 0.9)
        return thing(CHARGER, place, is_visible=is_visible, last_seen=1.0)

    body, memory = Eyed(world, see), ChargerMemory()
    async with docking_of(body, memory):
        await world.until(lambda: body.state.pose.yaw > 0.85 and not body.state.is_moving)
        near.append(world.loop.time())
        await world.pass_time(2.0)
        charger = memory.pose(body.state)
    assert charger.yaw == pytest.approx(-0.9, abs=0.02)


@in_virtual_time()
async def test_who_drives_meanwhile_ends_the_search(world):
    nowhere = thing(CHARGER, None, state=PoseState.UNKNOWN)
    body = Eyed(world, lambda _: nowhere)
    start = body.state.pose
    docking = asyncio.ensure_future(dock_charger(body, ChargerMemory()))
    await world.until(lambda: distance_between(start, body.state.pose) > 0.05)
    world.robot.motion.drive(0.02, 0.0)
    world.robot.motion.drive(0.0, 0.0)
    await asyncio.wait([docking], timeout=0.5)
    assert docking.exception().reason is Reason.SUPERSEDED
    await world.until(lambda: not body.state.is_moving)
    stopped = body.state.pose
    await world.pass_time(3.0)
    assert distance_between(stopped, body.state.pose) < 0.001


def test_it_learns_where_the_charger_is_from_where_it_sees_it(tmp_path) -> None:
    file = tmp_path / "charger.json"
    memory = ChargerMemory(file)
    charger, beside = Pose2D(1.0, 0.5, 0.7), Pose2D(0.004, 0.012, 0.03)
    before = ManipulatorState(charger.compose(Pose2D(-0.2, 0.0, math.pi)), is_connected=True)
    docked = ManipulatorState(charger.compose(DOCKED), is_connected=True, is_on_charger=True)
    seen = charger.compose(beside.inverse())
    for _ in range(12):
        memory.on_seen(before, seen)
        memory.update(docked)
    again = ChargerMemory(file)
    again.on_seen(before, seen)
    learned = again.pose(before)

    assert math.hypot(learned.x - charger.x, learned.y - charger.y) < 0.001
    assert abs(learned.yaw - charger.yaw) < 0.002


def test_what_odometry_errs_by_on_a_long_way_is_not_learned() -> None:
    memory = ChargerMemory()
    start = ManipulatorState(is_connected=True, has_measured_turns=True)
    memory.on_seen(start, Pose2D(0.3))
    for x in (-2.0, 0.0):
        memory.update(replace(start, pose=Pose2D(x)))
    place = Pose2D(0.3).compose(DOCKED).compose(Pose2D(0.0, 0.03, 0.17))
    memory.update(replace(start, pose=place, is_on_charger=True))

    assert not memory.has_learned_offset


@pytest.mark.parametrize(("turn", "aside"), [(0.17, 0.0), (-0.17, 0.05), (0.6, 0.0), (0.17, 0.3)])
def test_how_a_charger_is_turned_is_known_from_standing_on_it_until_it_is_moved(
    turn, aside
) -> None:
    memory, charger = ChargerMemory(), Pose2D(1.0, 0.5, 0.7)
    memory.update(ManipulatorState(charger.compose(DOCKED), is_connected=True, is_on_charger=True))
    before = ManipulatorState(charger.compose(Pose2D(-0.2, 0.0, math.pi)), is_connected=True)
    marker = Pose2D(0.086)
    there = charger.compose(marker).compose(Pose2D(0.0, aside, turn))
    seen = there.compose(marker.inverse())
    memory.on_seen(before, seen)

    was_moved = turn > 0.3 or aside > 0.1
    expected = seen if was_moved else there.compose(Pose2D(yaw=-turn)).compose(marker.inverse())
    believed = memory.pose(before)
    assert math.dist((believed.x, believed.y), (expected.x, expected.y)) < 0.001
    assert believed.yaw == pytest.approx(expected.yaw, abs=0.001)


def test_a_charger_out_of_sight_is_where_the_true_turns_put_it() -> None:
    """By a turn scale of its own, or by odometry that has the measured one in it: once only."""
    for has_measured_turns in (False, True):
        memory = ChargerMemory()

        def state(pose, has_measured_turns=has_measured_turns, **changes):
            changes |= {"is_connected": True, "has_measured_turns": has_measured_turns}
            return ManipulatorState(pose, **changes)

        memory.update(state(DOCKED, is_on_charger=True))
        # It drives off, turns round and back on, all as the odometry has it.
        for yaw in (math.pi, 1.5 * math.pi, 2.0 * math.pi):
            memory.update(state(Pose2D(-0.2, 0.0, yaw)))

        charger = memory.pose(state(Pose2D(-0.2, 0.0, 0.0)))
        # It stands turned by so much more, and so sees the charger to its right.
        more = 0.0 if has_measured_turns else math.pi * (TURN_SCALES[0] - 1.0)
        assert charger.yaw == pytest.approx(-more, abs=1e-6)
        assert charger.y == pytest.approx(-0.2 * math.sin(more), abs=1e-6)
        assert memory.turn_scale == (1.0 if has_measured_turns else TURN_SCALES[0])


def test_a_scale_that_is_measured_on_the_way_is_believed_from_there_on() -> None:
    memory = ChargerMemory()
    memory.update(ManipulatorState(DOCKED, is_connected=True, is_on_charger=True))
    out = Pose2D(-0.2, 0.0, math.pi)
    memory.update(ManipulatorState(out, is_connected=True))
    before = memory.pose(ManipulatorState(out, is_connected=True))
    after = memory.pose(ManipulatorState(out, is_connected=True, has_measured_turns=True))

    assert memory.knows_turns
    assert after == before
    assert not ChargerMemory().knows_turns


def test_a_file_of_before_with_a_turn_scale_in_it_still_loads(tmp_path) -> None:
    file = tmp_path / "charger.json"
    file.write_text('{"x": 0.004, "y": 0.012, "yaw": 0.03, "turn_scale": 1.02}')

    memory = ChargerMemory(file)
    assert memory.offset == Pose2D(0.004, 0.012, 0.03)
    assert memory.turn_scale == TURN_SCALES[0]


@pytest.mark.parametrize("content", ["", "[]", '{"x": "a"}', '{"x": 1}'])
def test_a_file_without_a_sensible_offset_is_not_used(tmp_path, content: str) -> None:
    file = tmp_path / "charger.json"
    file.write_text(content)

    memory = ChargerMemory(file)
    assert (memory.offset, memory.has_learned_offset) == (Pose2D(), False)
