"""What happens to the robot, the link and the person in the middle of a checkup."""

from __future__ import annotations

import asyncio
import contextlib
import math
from dataclasses import replace

import pytest

from benchmarks.calibration import emulated as table
from cozmo_driver.checkup import (
    STEPS,
    Checkup,
    Choice,
    Motion,
    Nobody,
    Result,
    Step,
    Verdict,
    chosen_steps,
    measured_of,
    steps_calibration,
)
from cozmo_driver.emulator.body import Pose2D
from cozmo_driver.robot import LIGHT_CUBES, Reason, RobotError, StorageOptions

from ..robot.hands import act
from ..robot.virtual import in_virtual_time
from .desk import Helper, emulated

TREADS = chosen_steps(STEPS, ["treads"])


class PuttingDown(Nobody):
    """Puts the robot down when asked."""

    def __init__(self, world):
        self.lines, self.requests = [], []
        super().__init__(self.lines.append)
        self._world = world

    async def agrees(self, request):
        self.requests.append(request)
        if "Put the robot down" in request:
            self._world.firmware.handling.put_down()
            self._world.wire.wake()
        return True


class Choosing(Nobody):
    def __init__(self, *choices):
        super().__init__()
        self.choices, self.asked = list(choices), []

    async def choose(self, step, *, can_repeat):
        self.asked.append((step.name, can_repeat))
        return self.choices.pop(0)


class Again(Nobody):
    """Repeats the last step once."""

    asked = 0

    async def again(self, step):
        self.asked += 1
        return self.asked == 1


class Away(Nobody):
    """Begins a step, and is asked for it again before they are back."""

    def __init__(self):
        super().__init__()
        self.asked, self.back = [], asyncio.Event()

    async def choose(self, step, *, can_repeat):
        self.asked.append(step.name)
        if len(self.asked) > 1:
            await self.back.wait()
        return Choice.GO


@contextlib.asynccontextmanager
async def driving(world, steps=TREADS, person=None):
    """Run a checkup; the block begins while the treads turn."""
    checkup = Checkup(world.robot, person or Nobody(), steps)
    task = asyncio.ensure_future(checkup.run())
    await world.until(lambda: world.robot.state.left_wheel_speed > 0.02)
    yield checkup
    await task


def outcome(checkup, name="treads"):
    found = checkup.outcomes[name]
    return found.result.verdict, found.result.sentence


async def stands(world):
    """Wait until the treads stand, which takes a moment; fail if they go on."""
    await world.until(lambda: not world.firmware.wheels.moving, 1.0)


@in_virtual_time(emulated())
async def test_lifted_while_it_drives_it_stops_and_goes_on_once_it_is_put_down(world):
    person = PuttingDown(world)
    steps = [*TREADS, *chosen_steps(STEPS, ["sensors"])]
    async with driving(world, steps, person) as checkup:
        world.firmware.handling.pick_up()
        world.wire.wake()
        await world.until(lambda: "treads" in checkup.outcomes)
        assert outcome(checkup) == (
            Verdict.SKIPPED,
            "interrupted: the robot was lifted off the ground",
        )
        await stands(world)

    assert outcome(checkup, "sensors")[0] is Verdict.PASSED
    assert any("Put the robot down" in request for request in person.requests)
    assert any("lifted" in line for line in person.lines)


@in_virtual_time(emulated())
async def test_an_edge_ends_a_step_and_the_robot_stays_on_the_table(world):
    firmware = world.firmware
    firmware.handling.put(firmware.handling.posture, Pose2D(770.0, 0.0, 0.0))
    async with driving(world) as checkup:
        pass

    verdict, sentence = outcome(checkup)
    assert verdict is Verdict.SKIPPED
    assert "edge" in sentence
    await stands(world)
    assert not world.robot.state.is_off_ground
    assert world.robot.cliff.is_active


@in_virtual_time(emulated())
async def test_a_robot_that_is_held_stops_and_says_so(world):
    async def turn(bench):
        await bench.drive(0.0, 0.8, 20.0)
        return Result(Verdict.PASSED, "it turned")

    turning = Step("turning", "Turning", "", turn, motion=Motion.TREADS)
    checkup = Checkup(world.robot, Nobody(), [turning])
    task = asyncio.ensure_future(checkup.run())
    await world.until(lambda: abs(world.robot.state.yaw_rate) > 0.5)
    world.firmware.body.is_held = True
    await task

    verdict, sentence = outcome(checkup, "turning")
    assert verdict is Verdict.SKIPPED
    assert "does not move as its treads do" in sentence
    await stands(world)


@in_virtual_time({**emulated(), "battery_voltage": 3.42})
async def test_with_a_low_battery_it_does_not_drive_and_says_so(world):
    await world.until(lambda: world.robot.battery.is_low)
    checkup = Checkup(world.robot, Nobody(), chosen_steps(STEPS, ["battery", "treads"]))
    await checkup.run()

    assert outcome(checkup) == (Verdict.SKIPPED, "the battery is low")
    assert outcome(checkup, "battery")[0] is Verdict.UNUSUAL
    assert world.firmware.body.world_pose.x == pytest.approx(0.0, abs=0.1)


@in_virtual_time(emulated())
async def test_a_link_that_is_lost_comes_back_and_the_step_is_repeated(world):
    async with driving(world) as checkup, world.without_link():
        assert "treads" not in checkup.outcomes

    assert outcome(checkup)[0] is Verdict.PASSED
    assert checkup.outcomes["treads"].attempts == 2


@in_virtual_time(emulated())
async def test_a_camera_is_as_it_was_after_a_step_in_which_the_link_was_lost(world):
    camera = world.robot.camera
    before = camera.exposure_control.requested
    checkup = Checkup(world.robot, Nobody(), chosen_steps(STEPS, ["camera"]))
    task = asyncio.ensure_future(checkup.run())
    await world.until(lambda: camera.exposure_control.current.exposure_ms == 66)
    await world.reconnect()
    await task

    assert checkup.outcomes["camera"].attempts == 2
    assert (camera.exposure_control.requested, camera.is_enabled) == (before, False)


@pytest.mark.parametrize(
    ("stalls", "verdict", "attempts"), [(1, Verdict.PASSED, 2), (2, Verdict.SKIPPED, 2)]
)
@in_virtual_time(emulated())
async def test_a_link_that_stalls_while_it_drives_tells_nothing_of_the_robot(
    world, stalls, verdict, attempts
):
    async with driving(world) as checkup:
        for stall in range(stalls):
            if stall:
                await world.until(lambda: not checkup.bench.silence)
                await world.until(lambda: world.robot.state.left_wheel_speed > 0.02)
            world.wire.is_cut = True
            await world.pass_time(1.0)
            world.wire.is_cut = False
            await world.until(lambda: checkup.bench.silence)

    assert outcome(checkup)[0] is verdict
    assert checkup.outcomes["treads"].attempts == attempts
    assert world.robot.session_state.connections == 1
    await stands(world)


@pytest.mark.parametrize(
    ("stalls", "verdict", "attempts"), [(1, Verdict.PASSED, 2), (2, Verdict.SKIPPED, 2)]
)
@in_virtual_time(emulated())
async def test_a_link_that_stalls_while_frames_play_tells_nothing_of_the_robot(
    world, stalls, verdict, attempts
):
    lines = []
    steps = chosen_steps(STEPS, ["animation"])
    checkup = Checkup(world.robot, Nobody(lines.append), steps)
    task = asyncio.ensure_future(checkup.run())
    for stall in range(stalls):
        await world.until(lambda stall=stall: len(lines) == stall and world.robot.frames.ahead)
        await world.pass_time(2.0)
        await world.stall(0.3, is_lost=True)
        await world.until(lambda: lines)
    await task

    assert outcome(checkup, "animation")[0] is verdict
    assert checkup.outcomes["animation"].attempts == attempts


@in_virtual_time(emulated())
async def test_a_robot_that_does_not_come_back_ends_it_with_what_was_found(world):
    steps = chosen_steps(STEPS, ["identity", "treads", "turns"])
    async with driving(world, steps) as checkup:
        world.wire.is_cut = True

    assert outcome(checkup, "identity")[0] is Verdict.PASSED
    assert outcome(checkup)[0] is Verdict.SKIPPED
    assert "turns" not in checkup.outcomes
    assert "did not come back" in checkup.ended
    world.wire.is_cut = False


@in_virtual_time(emulated())
async def test_another_robot_at_the_same_address_ends_it_and_gets_none_of_the_findings(world):
    steps = chosen_steps(STEPS, ["identity", "treads", "turns"])
    first = world.robot.identity
    async with driving(world, steps) as checkup, world.without_link():
        session = world.firmware.session
        session._identity = replace(session._identity, head_serial=first.head_serial + 1)

    assert world.robot.identity.head_serial == first.head_serial + 1
    assert checkup.identity == first
    assert outcome(checkup)[0] is Verdict.SKIPPED
    assert "turns" not in checkup.outcomes
    assert "another robot answers" in checkup.ended
    await stands(world)


@in_virtual_time(emulated())
async def test_a_robot_that_is_exchanged_before_a_step_ends_it_and_is_not_measured(world):
    first = world.robot.identity

    class Exchanging(Nobody):
        async def choose(self, step, *, can_repeat):
            if step.name == "sensors":
                async with world.without_link():
                    session, other = world.firmware.session, first.head_serial + 1
                    session._identity = replace(session._identity, head_serial=other)
            return Choice.GO

    steps = chosen_steps(STEPS, ["identity", "sensors"])
    checkup = Checkup(world.robot, Exchanging(), steps)
    await checkup.run()

    assert outcome(checkup, "identity")[0] is Verdict.PASSED
    assert "sensors" not in checkup.outcomes
    assert "another robot answers" in checkup.ended


@in_virtual_time(emulated())
async def test_a_link_that_is_lost_before_a_step_comes_back_and_the_step_is_done(world):
    class Losing(PuttingDown):
        async def agrees(self, request):
            if "Put the robot down" in request and not self.requests:
                world.wire.is_cut = True
                world.loop.call_later(4.0, setattr, world.wire, "is_cut", False)
            return await super().agrees(request)

    person = Losing(world)
    world.firmware.handling.pick_up()
    world.wire.wake()
    await world.until(lambda: world.robot.state.is_off_ground)
    checkup = Checkup(world.robot, person, chosen_steps(STEPS, ["sensors"]))
    await checkup.run()

    assert outcome(checkup, "sensors")[0] is Verdict.PASSED
    assert checkup.outcomes["sensors"].attempts == 1
    assert checkup.ended == ""
    assert any("the link was lost" in line and "head and lift" in line for line in person.lines)


async def comes_back_aloud(world, lines):
    """Let the robot come back once it was told that it does; fail if neither is told."""
    await world.until(lambda: lines and "Fingers away" in lines[-1])
    world.wire.is_cut = False
    await world.until(lambda: lines[-1] == "the robot is back")
    assert world.robot.session.is_ready


@in_virtual_time(emulated())
async def test_a_link_that_is_lost_while_somebody_reads_is_waited_for_aloud(world):
    class Reading(Nobody):
        async def choose(self, step, *, can_repeat):
            if step.name == "sensors":
                world.wire.is_cut = True
                await world.until(lambda: not world.robot.session.is_ready)
            return Choice.GO

    lines = []
    steps = chosen_steps(STEPS, ["identity", "sensors"])
    checkup = Checkup(world.robot, Reading(lines.append), steps)
    task = asyncio.ensure_future(checkup.run())
    await comes_back_aloud(world, lines)
    await task

    assert outcome(checkup, "sensors")[0] is Verdict.PASSED
    assert checkup.outcomes["sensors"].attempts == 1


@in_virtual_time(emulated())
async def test_a_link_that_is_lost_after_it_stalled_is_waited_for_aloud(world):
    lines = []
    async with driving(world, person=Nobody(lines.append)) as checkup:
        world.wire.is_cut = True
        await world.pass_time(1.0)
        world.wire.is_cut = False
        await world.until(lambda: checkup.bench.silence)
        world.wire.is_cut = True
        await comes_back_aloud(world, lines)

    assert outcome(checkup)[0] is Verdict.PASSED
    assert checkup.outcomes["treads"].attempts == 2


@in_virtual_time()
async def test_whatever_ends_it_is_told(world):
    class Absent(Nobody):
        async def choose(self, step, *, can_repeat):
            raise OSError("the terminal is gone")

    checkup = Checkup(world.robot, Absent(), TREADS)
    with pytest.raises(OSError, match="gone"):
        await checkup.run()
    assert "the terminal is gone" in checkup.ended


@in_virtual_time(emulated())
async def test_a_robot_that_is_pushed_at_rest_has_no_figures_of_its_sensors(world):
    checkup = Checkup(world.robot, Nobody(), chosen_steps(STEPS, ["sensors"]))
    task = asyncio.ensure_future(checkup.run())
    await world.pass_time(2.0)
    # In place of a hand.
    world.robot.motion.drive(0.0, 1.0)
    await world.until(lambda: world.firmware.body.world_pose.angle > math.radians(5.0))
    world.robot.motion.drive(0.0, 0.0)
    await task

    assert outcome(checkup, "sensors") == (Verdict.SKIPPED, "the robot or its table was moved")
    assert measured_of({"sensors": checkup.outcomes["sensors"].result}) == {}


@in_virtual_time(emulated())
async def test_a_cube_that_does_not_connect_has_no_time_in_which_it_did(world, monkeypatch):
    async def connect(kind, *, timeout):
        raise RobotError(Reason.TIMEOUT, "no answer")

    monkeypatch.setattr(world.robot.cubes, "connect", connect)
    checkup = Checkup(world.robot, Nobody(), chosen_steps(STEPS, ["radio"]))
    await checkup.run()

    assert "did not connect" in outcome(checkup, "radio")[1]
    assert "cube_1_connected_after" not in checkup.outcomes["radio"].result.values


@in_virtual_time()
async def test_the_last_step_is_repeated_where_it_did_not_work(world):
    results = [Result(Verdict.SKIPPED, "nothing seen"), Result(Verdict.PASSED, "seen")]

    async def look(bench):
        return results.pop(0)

    person = Again()
    checkup = Checkup(world.robot, person, [Step("look", "", "", look)])
    await checkup.run()

    assert outcome(checkup, "look")[0] is Verdict.PASSED
    assert checkup.outcomes["look"].attempts == 2
    assert person.asked == 1


@in_virtual_time(emulated())
async def test_without_anybody_it_stands_and_waits_and_does_the_step_again(world):
    person = Away()
    async with driving(world, person=person) as checkup:
        checkup.watch(False)
        await stands(world)
        await world.pass_time(10.0)
        assert person.asked == ["treads", "treads"]
        assert outcome(checkup) == (Verdict.SKIPPED, "interrupted: nobody watched the robot")
        checkup.watch(True)
        person.back.set()

    assert outcome(checkup)[0] is Verdict.PASSED
    assert checkup.outcomes["treads"].attempts == 2


@in_virtual_time()
async def test_a_person_leaves_out_repeats_and_ends(world):
    count = 0

    async def counted(bench):
        nonlocal count
        count += 1
        return Result(Verdict.PASSED, f"time {count}")

    steps = [Step(name, name, "", counted) for name in "abcd"]
    person = Choosing(Choice.GO, Choice.REPEAT, Choice.SKIP, Choice.STOP)
    checkup = Checkup(world.robot, person, steps)
    await checkup.run()

    assert person.asked == [("a", False), ("b", True), ("b", True), ("c", True)]
    assert outcome(checkup, "a") == (Verdict.PASSED, "time 2")
    assert checkup.outcomes["a"].attempts == 2
    assert outcome(checkup, "b")[0] is Verdict.SKIPPED
    assert set(checkup.outcomes) == {"a", "b"}
    assert "person" in checkup.ended


@in_virtual_time()
async def test_a_step_that_nobody_foresaw_to_fail_costs_no_other(world):
    def raising(error):
        async def run(bench):
            raise error

        return run

    async def fine(bench):
        return Result(Verdict.PASSED, "fine")

    steps = [
        Step("odd", "", "", raising(ValueError("too few frames"))),
        Step("full", "", "", raising(OSError("no space left"))),
        Step("broken", "", "", raising(RobotError(Reason.TIMEOUT, "no answer"))),
        Step("held", "", "", raising(RobotError(Reason.BLOCKED, "something holds it"))),
        Step("fine", "", "", fine),
    ]
    checkup = Checkup(world.robot, Nobody(), steps)
    await checkup.run()

    found = {name: one.result.verdict for name, one in checkup.outcomes.items()}
    assert found == {
        "odd": Verdict.SKIPPED,
        "full": Verdict.SKIPPED,
        "broken": Verdict.FAILED,
        "held": Verdict.SKIPPED,
        "fine": Verdict.PASSED,
    }
    assert "too few frames" in checkup.outcomes["odd"].result.sentence


@in_virtual_time()
async def test_a_backup_that_cannot_be_written_is_the_computer_s_fault(world, tmp_path):
    (tmp_path / "file").touch()
    world.robot.storage.options = StorageOptions(backup_directory=tmp_path / "file" / "backups")
    checkup = Checkup(world.robot, Nobody(), chosen_steps(STEPS, ["storage"]))
    await checkup.run()

    expected = Verdict.SKIPPED, "the backup could not be written: Not a directory"
    assert outcome(checkup, "storage") == expected
    assert "XDG_DATA_HOME" in checkup.outcomes["storage"].result.advice


@in_virtual_time()
async def test_a_link_that_is_lost_while_the_storage_is_read_is_no_matter_of_the_disk(world):
    checkup = Checkup(world.robot, Nobody(), chosen_steps(STEPS, ["storage"]))
    reading = asyncio.ensure_future(world.robot.on_state.next())
    task = asyncio.ensure_future(checkup.run())
    await reading
    await world.reconnect()
    await task

    assert outcome(checkup, "storage")[0] is not Verdict.SKIPPED
    assert checkup.outcomes["storage"].attempts == 2


@in_virtual_time()
async def test_without_a_free_place_nothing_drives(world):
    class Cramped(Nobody):
        async def agrees(self, request):
            return False

    checkup = Checkup(world.robot, Cramped(), chosen_steps(STEPS, ["treads", "turns"]))
    await checkup.run()

    assert outcome(checkup)[0] is outcome(checkup, "turns")[0] is Verdict.SKIPPED
    assert world.firmware.body.world_pose.x == 0.0


@in_virtual_time(emulated())
async def test_from_its_charger_it_drives_off_before_it_drives(world):
    world.firmware.handling.put_on_charger(True)
    await world.until(lambda: world.robot.state.is_on_charger)
    checkup = Checkup(world.robot, Nobody(), chosen_steps(STEPS, ["battery", "treads"]))
    await checkup.run()

    assert "charger_voltage" in checkup.outcomes["battery"].result.values
    assert outcome(checkup)[0] is Verdict.PASSED
    assert not world.robot.state.is_on_charger
    assert world.robot.cliff.is_active


@in_virtual_time(emulated())
async def test_without_anybody_while_it_leaves_its_charger_the_step_is_asked_for_again(world):
    world.firmware.handling.put_on_charger(True)
    await world.until(lambda: world.robot.state.is_on_charger)
    person = Away()
    async with driving(world, person=person) as checkup:
        checkup.watch(False)
        await stands(world)
        await world.until(lambda: "treads" in checkup.outcomes)
        assert outcome(checkup) == (Verdict.SKIPPED, "interrupted: nobody watched the robot")
        checkup.watch(True)
        person.back.set()

    assert person.asked == ["treads", "treads"]
    assert outcome(checkup)[0] is Verdict.PASSED, outcome(checkup)


@in_virtual_time(emulated())
async def test_a_robot_that_is_held_on_its_way_to_the_cube_is_unusual(world):
    checkup = Checkup(world.robot, Helper(world), chosen_steps(STEPS, ["cube"]))
    task = asyncio.ensure_future(checkup.run())
    await world.until(lambda: world.firmware.wheels.moving)
    act(world, BEFALLING["held"])
    await task
    result = checkup.outcomes["cube"].result
    assert (result.verdict, "nothing holds" in result.advice) == (Verdict.UNUSUAL, True), result


@pytest.mark.parametrize("drives", [1, 2])
@in_virtual_time(emulated())
async def test_a_cube_that_is_lost_after_a_drive_says_nothing_of_that_drive(world, drives):
    checkup = Checkup(world.robot, Helper(world), chosen_steps(STEPS, ["cube"]))
    task = asyncio.ensure_future(checkup.run())
    for _ in range(drives):
        await world.until(lambda: not world.firmware.wheels.moving)
        await world.until(lambda: world.firmware.wheels.moving)
    act(world, lambda f: f.place.world.move_cube(1, Pose2D(-600.0, -600.0, 0.0)))
    await task
    result = checkup.outcomes["cube"].result
    assert result.verdict is Verdict.PASSED, result
    seen = result.values.get("seen_per_driven")
    assert (seen and seen.value) == (None if drives == 1 else pytest.approx(1.0, abs=0.1))


@in_virtual_time(emulated())
async def test_cancelled_it_stands_still_and_says_that_it_was_interrupted(world):
    checkup = Checkup(world.robot, Nobody(), TREADS)
    task = asyncio.ensure_future(checkup.run())
    await world.until(lambda: world.robot.state.left_wheel_speed > 0.02)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task

    await stands(world)
    assert "interrupted" in checkup.ended


@in_virtual_time(emulated())
async def test_a_head_that_is_calibrated_by_itself_while_people_read_is_waited_for(world):
    class Reading(Nobody):
        async def choose(self, step, *, can_repeat):
            act(world, BEFALLING["calibrating"])
            await world.until(lambda: world.robot.session.calibration.is_running)
            return Choice.GO

    checkup = Checkup(world.robot, Reading(), chosen_steps(STEPS, ["head", "treads"]))
    await checkup.run()

    assert outcome(checkup, "head")[0] is outcome(checkup)[0] is Verdict.PASSED


@in_virtual_time(emulated())
async def test_a_head_that_is_calibrated_by_itself_does_not_fail_its_step(world):
    checkup = Checkup(world.robot, Nobody(), chosen_steps(STEPS, ["head"]))
    task = asyncio.ensure_future(checkup.run())
    await world.until(lambda: world.firmware.joints.head.moving)
    act(world, BEFALLING["calibrating"])
    await task

    assert outcome(checkup, "head") == (
        Verdict.SKIPPED,
        "interrupted: the robot calibrates the head motor by itself",
    )


def test_a_step_that_there_is_not_is_named():
    with pytest.raises(ValueError, match="no step wings; there are network, identity"):
        chosen_steps(STEPS, ["wings"])


BEFALLING = {
    "lifted": lambda firmware: firmware.handling.pick_up(),
    "held": lambda firmware: firmware.ground.hold(True),
    "at an edge": lambda firmware: firmware.ground.set_edge(True),
    "empty": lambda firmware: firmware.battery.set_charge(3.3),
    "calibrating": lambda firmware: firmware.joints.calibrate_head(),
}


BEFALLEN = [
    ("start", "lifted"),
    ("treads", "lifted"),
    ("shaking", "empty"),
    ("treads", "calibrating"),
    ("turns", "held"),
    ("turns", "calibrating"),
    ("slope", "at an edge"),
    ("latency", "lifted"),
    ("cube", "lifted"),
    ("calibrate", "at an edge"),
    ("calibrate", "gone"),
    ("bump", "at an edge"),
    ("edge", "lifted"),
    ("docking", "lifted"),
]
assert {name for name, _ in BEFALLEN} == {step.name for step in STEPS if step.drives}


@pytest.mark.parametrize(("name", "thing"), BEFALLEN)
def test_whatever_befalls_a_step_that_drives_it_stands_and_keeps_nothing(
    name, thing, tmp_path, monkeypatch
):
    monkeypatch.setattr(steps_calibration, "data_directory", lambda: tmp_path)
    is_calibrated = name == "calibrate"
    cubes = LIGHT_CUBES if is_calibrated else ()

    @in_virtual_time(table(77) if is_calibrated else emulated(), cubes=cubes)
    async def befall(world):
        person = Nobody() if is_calibrated else Helper(world)
        checkup = Checkup(world.robot, person, chosen_steps(STEPS, [name]))
        task = asyncio.ensure_future(checkup.run())
        await world.until(lambda: world.firmware.wheels.moving)
        if thing == "gone":
            world.wire.is_cut = True
        else:
            act(world, BEFALLING[thing])
        await task

        result = checkup.outcomes[name].result
        assert result.verdict is Verdict.SKIPPED, result.sentence
        assert measured_of({name: result}) == {}
        assert list(tmp_path.iterdir()) == []
        await stands(world)
        if thing == "gone":
            assert "did not come back" in checkup.ended
            world.wire.is_cut = False
        else:
            assert not world.robot.camera.is_enabled

    befall()
