"""The robot layer against the emulator over UDP, without ROS."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import itertools

from cozmo_driver.emulator import Identity, running_emulator
from cozmo_driver.emulator.hardware import DEFAULT_HARDWARE, HARDWARE
from cozmo_driver.emulator.wifi import Wifi, WifiOptions
from cozmo_driver.link import Backoff
from cozmo_driver.protocol import NotConnected, SendQueueFull, messages
from cozmo_driver.robot import CameraOptions, Cause, Phase, Reason, Refused, Robot, RobotOptions

from .hands import fails, outcome, truth, with_robot
from .virtual import in_virtual_time, record

TIMEOUT = 30.0


def robot_at(emulator, **options):
    """Yield a robot that connects to the emulator, and stop it at the end."""
    return robot_on(emulator.port, **options)


@contextlib.asynccontextmanager
async def robot_on(port, **options):
    """Yield a robot that connects to a port of this computer, and stop it at the end."""
    options.setdefault("camera", CameraOptions(enabled=False))
    options.setdefault("backoff", Backoff(0.1, 2.0, 1.0))
    robot = Robot(RobotOptions("127.0.0.1", port, **options))
    await robot.start()
    try:
        yield robot
    finally:
        await robot.stop()


async def until(signal, condition):
    """Wait for a value of the signal that fulfils the condition; return it."""
    found = asyncio.get_running_loop().create_future()

    def check(value):
        if not found.done() and condition(value):
            found.set_result(value)

    disconnect = signal.connect(check)
    try:
        return await asyncio.wait_for(found, TIMEOUT)
    finally:
        disconnect()


async def connected(robot):
    if robot.session_state.phase is not Phase.CONNECTED:
        await until(robot.on_session, lambda s: s.phase is Phase.CONNECTED)


async def in_thread(function, *args):
    return await asyncio.get_running_loop().run_in_executor(None, function, *args)


def run(scenario, **emulator_options):
    emulator_options.setdefault("calibration_time", 0.0)
    with running_emulator(**emulator_options) as emulator:
        asyncio.run(scenario(emulator))
        return emulator.state()


def test_a_session_goes_through_its_phases_and_knows_the_robot():
    phases = []

    async def scenario(emulator):
        async with robot_at(emulator) as robot:
            robot.on_session.connect(lambda s: phases.append(s.phase))
            await connected(robot)
            identity = robot.identity
            expected = Identity()
            assert identity.head_serial == expected.head_serial
            assert identity.body_serial == expected.body_serial
            assert identity.body_hardware == HARDWARE[DEFAULT_HARDWARE].body_version
            assert identity.firmware_version == expected.firmware_version
            assert identity.wifi_flash_id == expected.wifi_flash_id

    run(scenario)
    assert phases == [
        Phase.CONNECTING,
        Phase.INITIALIZING,
        Phase.CONNECTED,
        Phase.DISCONNECTING,
        Phase.DISCONNECTED,
    ]


@in_virtual_time()
async def test_connecting_during_the_goodbye_begins_after_it(world):
    robot, phases = world.robot, []
    robot.on_session.connect(lambda state: phases.append(state.phase))
    closing = asyncio.ensure_future(robot.session.close())
    await world.until(lambda: Phase.DISCONNECTING in phases)
    robot.session.open()
    await closing
    await world.connected()
    assert phases[:3] == [Phase.DISCONNECTING, Phase.DISCONNECTED, Phase.CONNECTING]
    assert world.firmware.core.sessions == 2


@in_virtual_time(backoff=Backoff(600.0, 1.0, 600.0))
async def test_connecting_during_a_long_wait_for_the_next_attempt_begins_at_once(world):
    robot, wire = world.robot, world.wire
    wire.is_cut = True
    await world.until(lambda: robot.session_state.phase is Phase.WAITING)
    assert robot.session_state.next_attempt == 600.0
    await robot.start()
    await world.until(lambda: robot.session_state.phase is Phase.CONNECTING, 1.0)
    await world.until(lambda: robot.session_state.phase is Phase.WAITING, 10.0)
    wire.is_cut = False
    await world.pass_time(20.0)
    await robot.start()
    await world.until(lambda: robot.session_state.phase is Phase.CONNECTED, 10.0)
    # A wish of before the wait does not end it.
    await robot.start()
    wire.is_cut = True
    await world.until(lambda: robot.session_state.phase is Phase.WAITING)
    await world.pass_time(500.0)
    assert robot.session_state.phase is Phase.WAITING


@in_virtual_time()
async def test_a_robot_that_falls_silent_does_not_hold_up_the_goodbye(world, caplog):
    world.wire.is_cut = True
    begun = world.loop.time()
    await world.robot.stop()
    assert world.loop.time() - begun < 1.5
    assert world.robot.session_state.phase is Phase.DISCONNECTED
    assert "did not acknowledge its stop (nothing came for 1 s)" in caplog.text


@in_virtual_time({"calibration_time": 0.0})
async def test_another_address_of_the_computer_costs_one_reconnection(world):
    """As a router gives it: the robot waits for the old one until its 5 s are over."""
    wifi = WifiOptions(address_changes=1440.0)
    # It changes late in the first minute and early in the second one.
    world.wire.wifi = Wifi(wifi, seed=30, start=world.loop.time() - 50.0)
    lost = []
    for _ in range(2):
        await world.until(lambda: world.robot.session_state.phase is not Phase.CONNECTED)
        begun, sessions = world.loop.time(), world.firmware.core.sessions
        await world.connected()
        lost.append(world.loop.time() - begun)
        assert world.firmware.core.sessions == sessions + 1
    assert max(lost) < 10.0


@in_virtual_time({"calibration_time": 0.0})
async def test_a_socket_that_cannot_send_is_replaced_for_the_next_attempt(world):
    """As where this computer's own address was changed."""
    wire, sendto = world.wire, world.wire.sendto

    def refuse(datagram, address):
        raise OSError(errno.EINVAL, "Invalid argument")

    def close():
        wire.sendto, wire.is_cut = sendto, False

    wire.sendto, wire.close, wire.is_cut = refuse, close, True
    await world.until(lambda: world.robot.session_state.phase is not Phase.CONNECTED)
    begun = world.loop.time()
    await world.connected()
    assert world.loop.time() - begun < 2.0


def test_movements_are_refused_until_the_robot_is_ready():
    async def scenario(emulator):
        async with robot_at(emulator) as robot:
            with fails(Reason.NOT_CONNECTED, Refused):
                robot.motion.drive(0.1, 0.0)
            robot.motion.drive(0.0, 0.0)
            await connected(robot)

    run(scenario)


def test_factory_firmware_is_refused_with_a_clear_word():
    async def scenario(emulator):
        async with robot_at(emulator) as robot:
            refused = await until(robot.on_session, lambda s: s.phase is Phase.WAITING)
            assert refused.cause is Cause.FIRMWARE
            assert "factory firmware" in refused.text

    state = run(scenario, identity=Identity(build="FACTORY", firmware_version=10700))
    assert "SyncTime" not in state.received


def test_of_a_robot_in_another_programs_hands_it_says_so():
    async def scenario(emulator):
        async with robot_at(emulator) as first:
            await connected(first)
            async with robot_at(emulator) as second:
                waiting = await until(second.on_session, lambda s: s.phase is Phase.WAITING)
                assert waiting.cause is Cause.NO_ANSWER
                assert "no other program connected" in waiting.text

    run(scenario)


def test_states_come_stamped_in_order_and_not_in_the_future():
    states = []

    async def scenario(emulator):
        async with robot_at(emulator) as robot:
            robot.on_state.connect(states.append)
            await until(robot.on_state, lambda _: len(states) >= 60)

    run(scenario, loss=0.1, reorder=0.1, duplicate=0.1, seed=2)
    assert all(a.time < b.time <= b.received_at for a, b in itertools.pairwise(states))
    assert all(a.robot_time < b.robot_time for a, b in itertools.pairwise(states))


def test_a_fault_in_what_keeps_the_robot_safe_is_a_failure_and_a_bad_link_is_none():
    failures = []

    async def scenario(emulator):
        async with robot_at(emulator) as robot:
            await connected(robot)
            robot.session.on_failure.connect(failures.append)

            def fail(error):
                raise error

            guarded = robot.session.guarded("what is tried", fail)
            guarded(SendQueueFull("the queue is full"))
            guarded(NotConnected("there is no robot"))
            assert failures == []
            robot.motion.drive(0.05, 0.0)
            await until(robot.on_state, lambda state: state.left_wheel_speed > 0)
            guarded(KeyError("a fault"))
            await until(robot.on_state, lambda state: state.left_wheel_speed == 0)

    run(scenario)
    assert failures == ["what is tried"]


def silence(world, cls):
    """Let the emulated robot send no message of this class any more."""
    core = world.firmware.core
    send = core.send
    core.send = lambda message, **how: isinstance(message, cls) or send(message, **how)


@with_robot()
async def test_a_robot_that_never_acknowledges_the_clock_is_used_and_its_states_count(world):
    robot = world.robot
    assert robot.session.clock_acknowledged
    silence(world, messages.SyncTimeAck)
    states, before = robot.state_tracker.received, robot.odometry.time
    await world.reconnect()
    assert robot.session.clock_acknowledged is False
    await world.until(lambda: robot.state_tracker.received > states + 30)
    # Stamps follow the arrival, as with an acknowledged clock.
    assert before < robot.odometry.time <= world.loop.time() < robot.odometry.time + 0.1
    robot.motion.drive(0.1, 0.0)
    await world.until(lambda: robot.odometry.pose.x > 0.1)
    assert abs(truth(world).x - robot.odometry.pose.x) < 0.01


@with_robot()
async def test_without_acknowledgement_and_states_the_robot_is_not_ready(world):
    robot = world.robot
    silence(world, (messages.SyncTimeAck, messages.RobotState))
    seen = record(robot.on_session)
    world.wire.is_cut = True
    await world.until(lambda: robot.session_state.phase is not Phase.CONNECTED)
    await world.until(lambda: not world.firmware.connected)
    world.wire.is_cut = False
    await world.until(lambda: any("sent no state" in state.text for state in seen))
    assert Phase.CONNECTED not in [state.phase for state in seen]


@with_robot()
async def test_a_stop_that_is_cancelled_at_once_is_cancelled(world):
    stop = asyncio.ensure_future(world.robot.stop())
    # It now waits for the acknowledgement of its goodbye.
    await asyncio.sleep(0)
    stop.cancel()
    assert isinstance(await outcome(stop), asyncio.CancelledError)
    check_left(world)
    await world.until(lambda: world.wire.received(messages.StopAllMotors))


@with_robot()
async def test_a_goodbye_that_is_cancelled_ends_the_connection(world):
    world.wire.is_cut = True
    stop = asyncio.ensure_future(world.robot.stop())
    await world.pass_time(0.2)
    stop.cancel()
    assert isinstance(await outcome(stop), asyncio.CancelledError)
    check_left(world)
    world.wire.is_cut = False
    world.robot.session.open()
    await world.connected()


def check_left(world):
    assert not world.robot.session.link.is_connected
    assert world.robot.session_state.phase is Phase.DISCONNECTED
