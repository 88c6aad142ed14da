"""Events as they come over the wire, with the emulated robot at the other end."""

from __future__ import annotations

import math

import pytest

from cozmo_driver.emulator import Posture
from cozmo_driver.emulator.handling import FALL_TIME
from cozmo_driver.protocol import messages
from cozmo_driver.protocol.enums import MotorID
from cozmo_driver.robot import Movement, OffTreads, RobotEventType, Side
from cozmo_driver.robot import RobotEventType as Type

from .hands import act, constants, with_robot


class Log:
    """Every event from now on."""

    def __init__(self, world):
        self.world = world
        self.events = []
        world.robot.on_event.connect(self.events.append)

    @property
    def types(self):
        return [event.type for event in self.events]

    async def until(self, kind):
        """Wait for an event of a type; return the first."""
        await self.world.until(lambda: kind in self.types)
        return next(event for event in self.events if event.type is kind)


def tell(world, message):
    """Let the robot send a message that nothing in the emulator sends by itself."""
    act(world, lambda f: f.core.send(message))


def test_types_movements_and_sides_are_those_of_the_message():
    defined = constants("RobotEvent")
    for kind in RobotEventType:
        assert defined.pop(kind.name) == kind.value
    for motor in MotorID:
        assert motor is MotorID.COUNT or defined.pop(f"MOTOR_{motor.name}") == motor.value
    for side in Side:
        assert defined.pop(f"SIDE_{side.name}") == side.value
    for movement in Movement:
        name = "MOVEMENT_NONE" if movement is Movement.NONE else movement.name
        assert defined.pop(name) == movement.value
    assert set(defined) == {"NO_MOTOR"}


def test_postures_are_those_of_the_status_message():
    assert {p.name: p.value for p in OffTreads}.items() <= constants("RobotStatus").items()


# -- messages


@pytest.mark.parametrize(
    ("message", "kind", "fields"),
    [
        (messages.BackpackButton(True), Type.BUTTON_PRESSED, {}),
        (messages.BackpackButton(False), Type.BUTTON_RELEASED, {}),
        (messages.RobotPoked(), Type.POKED, {}),
        (messages.PotentialCliff(), Type.POTENTIAL_CLIFF, {}),
        (messages.RobotStopped(3), Type.ROBOT_STOPPED, {"code": 3, "has_stopped": True}),
        (messages.MotorAutoEnabled(2, False), Type.MOTOR_STALLED, {"motor": MotorID.LIFT}),
        (messages.MotorAutoEnabled(3, True), Type.MOTOR_RECOVERED, {"motor": MotorID.HEAD}),
        (messages.MotorAutoEnabled(77, False), Type.MOTOR_STALLED, {"motor": None}),
        (
            messages.MotorCalibration(3, True, True),
            Type.MOTOR_CALIBRATION_STARTED,
            {"motor": MotorID.HEAD, "is_automatic": True},
        ),
        (
            messages.MotorCalibration(2, False, False),
            Type.MOTOR_CALIBRATED,
            {"motor": MotorID.LIFT, "is_automatic": False},
        ),
        (messages.LiftLoad(True), Type.LIFT_LOADED, {}),
        (messages.LiftLoad(False), Type.LIFT_UNLOADED, {}),
        (messages.RobotErrorReport(5, True), Type.ROBOT_ERROR, {"code": 5, "is_fatal": True}),
        (messages.RobotErrorReport(0xFFFFFFFF, False), Type.ROBOT_ERROR, {"code": -1}),
        (
            messages.AnimationEvent(0, 2, 1),
            Type.ANIMATION_EVENT,
            {"code": 2, "name": "tapped_block"},
        ),
        (messages.AnimationEvent(0, 99, 1), Type.ANIMATION_EVENT, {"code": 99, "name": "99"}),
    ],
)
@with_robot()
async def test_what_the_robot_says_becomes_one_event(world, message, kind, fields):
    log = Log(world)
    before = world.loop.time()
    tell(world, message)
    event = await log.until(kind)
    assert {name: getattr(event, name) for name in fields} == fields
    assert before < event.time <= world.loop.time()
    assert event.description
    await world.pass_time(1.0)
    assert log.types == [kind]


@with_robot()
async def test_an_edge_is_told_with_the_time_at_which_the_robot_saw_it(world):
    log = Log(world)
    world.robot.motion.drive(0.1, 0.0)
    await world.until(lambda: world.robot.odometry.pose.x > 0.06)
    act(world, lambda f: f.ground.set_edge(True))
    event = await log.until(Type.CLIFF_DETECTED)
    assert event.has_stopped
    act(world, lambda f: f.ground.set_edge(False))
    await log.until(Type.CLIFF_CLEARED)
    assert log.types == [Type.ROBOT_STOPPED, Type.CLIFF_DETECTED, Type.CLIFF_CLEARED]


@with_robot()
async def test_stamps_that_make_no_sense_are_replaced_by_the_arrival(world):
    log = Log(world)
    for stamp in (0xFFFFFFFF, 0):
        # The robot has been on for longer than a stamp of 0 may be true.
        await world.pass_time(11.0)
        tell(world, messages.FallingStarted(stamp))
        await world.until(lambda: log.events)
        assert log.events.pop().time == pytest.approx(world.loop.time(), abs=0.05)


@with_robot()
async def test_an_impact_that_is_no_number_is_not_measured(world):
    log = Log(world)
    tell(world, messages.FallingStopped(0, 300, math.inf))
    assert math.isnan((await log.until(Type.FALLING_STOPPED)).impact)


@with_robot()
async def test_clips_are_named_by_whoever_plays_them(world):
    log = Log(world)
    world.robot.events.name_clip = lambda tag: {7: "anim_bored_01", 255: "idle"}.get(tag, "")
    for tag in (8, 255, 7):
        tell(world, messages.AnimationStarted(tag))
        tell(world, messages.AnimationEnded(tag))
    await log.until(Type.ANIMATION_ENDED)
    assert [(event.type, event.name) for event in log.events] == [
        (Type.ANIMATION_STARTED, "anim_bored_01"),
        (Type.ANIMATION_ENDED, "anim_bored_01"),
    ]


# -- hands


@with_robot()
async def test_lifting_and_putting_down_are_told_once_each(world):
    log = Log(world)
    act(world, lambda f: f.handling.put(Posture.HELD))
    lifted = await log.until(Type.PICKED_UP)
    assert lifted.off_treads is OffTreads.IN_AIR
    assert world.robot.state.off_treads is OffTreads.IN_AIR
    act(world, lambda f: f.handling.put(Posture.FLAT))
    await log.until(Type.PUT_DOWN)
    await world.pass_time(2.0)
    # The sensor sees ground again, which the robot tells in its own way.
    assert [kind for kind in log.types if kind is not Type.CLIFF_CLEARED] == [
        Type.OFF_TREADS_CHANGED,
        Type.PICKED_UP,
        Type.DELOCALIZED,
        Type.OFF_TREADS_CHANGED,
        Type.PUT_DOWN,
    ]


@with_robot()
async def test_a_fall_is_told_from_its_begin_to_the_calibration_after_it(world):
    log = Log(world)
    robot = world.robot
    begun = world.loop.time()
    act(world, lambda f: f.handling.fall(impact=1700.0))
    await world.until(lambda: robot.state.off_treads is OffTreads.FALLING)
    calibrated = await log.until(Type.MOTOR_CALIBRATED)
    assert (calibrated.motor, calibrated.is_automatic) == (MotorID.HEAD, True)
    await log.until(Type.PUT_DOWN)
    started = await log.until(Type.FALLING_STARTED)
    stopped = await log.until(Type.FALLING_STOPPED)
    assert started.time == pytest.approx(begun, abs=0.035)
    # Each is reported with the next tick of the link, 33 ms.
    assert stopped.time - started.time == pytest.approx(FALL_TIME, abs=0.034)
    assert (stopped.duration, stopped.impact) == (FALL_TIME, 1700.0)
    assert "hard" in stopped.description


@with_robot()
async def test_shaking_is_told_with_how_long_and_how_hard(world):
    log = Log(world)
    act(world, lambda f: f.handling.shake(3.0))
    started = await log.until(Type.SHAKEN_STARTED)
    stopped = await log.until(Type.SHAKEN_STOPPED)
    assert 16.0 < started.acceleration < stopped.acceleration < 21.0
    assert 2.5 < stopped.duration < 4.0
    assert stopped.time - started.time == pytest.approx(stopped.duration, abs=0.005)
    assert "thoroughly" in stopped.description


@with_robot({"ideal": True})
async def test_a_robot_put_on_a_slope_is_told(world):
    log = Log(world)
    act(world, lambda f: f.handling.put(Posture.HELD))
    await log.until(Type.PICKED_UP)
    act(world, lambda f: f.handling.put(Posture.SLOPE))
    event = await log.until(Type.PLACED_ON_SLOPE)
    assert event.off_treads is OffTreads.ON_TREADS
    # What the robot measures: its accelerometer is not level.
    assert "21 deg" in event.description


@with_robot({"on_charger": True})
async def test_the_charger_is_told_by_its_bits_and_the_first_state_tells_nothing(world):
    log = Log(world)
    await world.pass_time(1.0)
    assert log.types == []
    act(world, lambda f: f.battery.put_on_charger(False))
    await log.until(Type.CHARGING_STOPPED)
    act(world, lambda f: f.battery.put_on_charger(True))
    await log.until(Type.CHARGING_STARTED)
    assert log.types == [
        Type.LEFT_CHARGER,
        Type.CHARGING_STOPPED,
        Type.PLACED_ON_CHARGER,
        Type.CHARGING_STARTED,
    ]


@with_robot()
async def test_the_emergency_stop_is_told(world):
    log = Log(world)
    world.robot.motion.emergency_stop()
    world.robot.motion.release_stop()
    assert log.types == [Type.EMERGENCY_STOPPED, Type.EMERGENCY_STOP_RELEASED]
    assert log.events[0].time == world.loop.time()


@with_robot()
async def test_a_robot_that_counts_elsewhere_is_delocalized(world):
    log = Log(world)
    act(world, lambda f: setattr(f.body, "origin_id", 77))
    await log.until(Type.DELOCALIZED)


@with_robot()
async def test_a_lost_link_neither_repeats_a_lift_nor_forgets_it(world):
    log = Log(world)
    act(world, lambda f: f.handling.put(Posture.HELD))
    await log.until(Type.PICKED_UP)
    await world.reconnect()
    await world.until(lambda: world.robot.state.off_treads is OffTreads.IN_AIR)
    act(world, lambda f: f.handling.put(Posture.FLAT))
    await log.until(Type.PUT_DOWN)
    assert log.types.count(Type.PICKED_UP) == log.types.count(Type.PUT_DOWN) == 1
