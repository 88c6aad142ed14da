"""The emulator on a real socket."""

from __future__ import annotations

import socket
import threading
import time

import pytest

from cozmo_driver.emulator import EmulatorServer, Firmware, RunningEmulator, running_emulator
from cozmo_driver.emulator.camera import Camera
from cozmo_driver.protocol import State
from cozmo_driver.protocol.frames import Frame, FrameType, build_frame, parse_frame
from cozmo_driver.protocol.messages import DriveWheels, ImageRequest, RobotState

from .udp_engine import UdpEngine


def test_while_connected_other_sources_are_ignored_and_counted() -> None:
    with (
        running_emulator(calibration_time=0.0) as emulator,
        UdpEngine(emulator.port) as engine,
        UdpEngine(emulator.port) as stranger,
    ):
        engine.start()
        stranger.send_raw(bytes.fromhex("434f5a03524501 01 0100 0100 0000"))
        stranger.send_raw(b"what?")
        engine.run_until(lambda: emulator.state().foreign_datagrams == 2)
        engine.run_until(lambda: len(engine.got(RobotState)) > 3)
        assert emulator.state().sessions == 1
        engine.disconnect()
        emulator.wait_for(lambda s: not s.connected)
        stranger.connect()
        assert stranger.connection.state is State.CONNECTED
        assert emulator.state().foreign_datagrams == 2


def test_what_was_for_an_engine_that_has_gone_never_reaches_the_next_one() -> None:
    with (
        running_emulator(calibration_time=0.0) as emulator,
        UdpEngine(emulator.port) as engine,
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as following,
    ):
        following.settimeout(60.0)
        engine.start()
        engine.run_until(lambda: len(engine.got(RobotState)) > 3)
        engine.connection.disconnect(time.monotonic())
        [goodbye] = engine.connection.datagrams_to_send(time.monotonic())

        def busy(_: Firmware) -> None:
            # A state is due, and both come before the robot has sent it.
            time.sleep(0.07)
            engine.send_raw(goodbye)
            request = Frame(FrameType.CONNECTION_REQUEST, 1, 1, 0)
            following.sendto(build_frame(request), (emulator.host, emulator.port))

        emulator.call(busy)
        [first, *_] = parse_frame(following.recv(2048)).sub_messages()
        assert first.type == FrameType.CONNECTION_RESPONSE


def test_a_robot_does_not_run_away_while_its_computer_is_busy() -> None:
    with running_emulator(calibration_time=0.0) as emulator, UdpEngine(emulator.port) as engine:
        engine.start()
        engine.send(DriveWheels(100, 100))
        engine.run_until(lambda: emulator.state().left_speed > 90)

        def busy(firmware: Firmware) -> tuple[float, float]:
            time.sleep(1.0)
            return firmware.body.world_pose.x, firmware.core.now

        # By its own time: the computer may be busy otherwise, too.
        before, began = emulator.call(busy)
        after, ended = emulator.call(lambda f: (f.body.world_pose.x, f.core.now))
        assert after - before <= 101.0 * (ended - began) + 1.0
        assert emulator.lost_time() > 0.85


def test_what_has_come_is_read_at_once_where_drawing_pictures_fills_the_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    drawn = []

    def slowly(camera: Camera) -> bytes:
        drawn.append(camera)
        time.sleep(0.15)
        return b""

    monkeypatch.setattr(Camera, "take_picture", slowly)
    with (
        running_emulator(calibration_time=0.0) as emulator,
        UdpEngine(emulator.port) as engine,
        UdpEngine(emulator.port) as stranger,
    ):
        engine.start()
        engine.send(ImageRequest())
        engine.run_until(lambda: len(drawn) > 1)

        def busy(_: Firmware) -> int:
            for _ in range(60):
                stranger.send_raw(b"what?")
            return len(drawn)

        before = emulator.call(busy)
        emulator.wait_for(lambda state: state.foreign_datagrams == 60)
        assert len(drawn) - before < 20


def test_a_killed_emulator_falls_silent_and_comes_back_on_its_port() -> None:
    with running_emulator(calibration_time=0.0) as emulator, UdpEngine(emulator.port) as engine:
        engine.start()
        engine.run_until(lambda: bool(engine.got(RobotState)))
        port = emulator.port
        emulator.kill()
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            probe.bind(("127.0.0.1", port))
        assert emulator.state().connected
        emulator.restart()
        assert emulator.port == port
        assert not emulator.state().connected
        engine.connection.disconnect(0.0)
        engine.connect()
        assert engine.connection.state is State.CONNECTED
        assert emulator.state().sessions == 1


def test_a_port_in_use_is_named() -> None:
    with (
        running_emulator() as emulator,
        pytest.raises(OSError, match=str(emulator.port)),
        running_emulator(port=emulator.port),
    ):
        pass


def test_waiting_in_vain_ends_with_the_state() -> None:
    with running_emulator() as emulator, pytest.raises(TimeoutError, match="EmulatorState"):
        emulator.wait_for(lambda s: s.connected, timeout=0.05)


def test_an_emulator_leaves_no_thread_behind() -> None:
    before = threading.active_count()
    emulator = RunningEmulator(EmulatorServer())
    assert threading.active_count() == before + 1
    emulator.close()
    emulator.close()
    assert threading.active_count() == before


def test_a_robot_without_an_engine_sleeps() -> None:
    """No timer is set while nobody is connected."""
    with running_emulator() as emulator:
        assert emulator.call(lambda f: f.next_timer()) is None
