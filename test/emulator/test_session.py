"""How a session begins, compared with the recorded one of a real robot."""

from __future__ import annotations

import json

import pytest

from cozmo_driver.emulator import EmulatorOptions, Firmware, Identity
from cozmo_driver.protocol import DisconnectReason, State
from cozmo_driver.protocol.messages import (
    DriveWheels,
    FirmwareVersion,
    GetManufacturingInfo,
    ImageRequest,
    MotorActionAck,
    MotorCalibration,
    PrintTrace,
    RobotAvailable,
    RobotState,
    SetBodyRadioMode,
    SetHeadAngle,
    SyncTime,
    SyncTimeAck,
    TurnInPlaceAtSpeed,
    WiFiFlashID,
)

from .bench import Bench

_ACC_MODE = 0x10


def test_the_robot_says_who_it_is_about_33_ms_after_connecting() -> None:
    bench = Bench(EmulatorOptions(identity=Identity(head_serial=0x11223344)))
    bench.connect()
    names = [type(message) for _, message in bench.received]
    assert names[:2] == [RobotAvailable, FirmwareVersion]
    # The first session after power on has no trace of the MAC address.
    assert names[2:7] == [PrintTrace] * 3 + [WiFiFlashID, PrintTrace]
    assert bench.times_of(RobotAvailable) == [pytest.approx(0.033, abs=0.002)]
    assert bench.got(RobotAvailable) == [RobotAvailable(0x11223344, 5)]
    version = bench.got(FirmwareVersion)[0]
    assert version.robot_id == 0x3344
    assert json.loads(version.json)["version"] == 2457


def test_calibration_follows_sync_time_in_the_recorded_order_and_time() -> None:
    bench = Bench()
    bench.connect()
    bench.forget()
    synced_at = bench.time
    bench.send(GetManufacturingInfo(), SyncTime())
    bench.run(2.0)
    kinds = (SyncTimeAck, MotorCalibration)
    times, story = zip(*((t, m) for t, m in bench.received if isinstance(m, kinds)), strict=True)
    assert story == (
        SyncTimeAck(),
        MotorCalibration(2, True, False),
        MotorCalibration(3, True, False),
        MotorCalibration(2, False, False),
        MotorCalibration(3, False, False),
    )
    ack, start, _, lift_end, head_end = times
    assert ack - synced_at <= 0.034
    assert 0.015 <= start - ack <= 0.040
    assert lift_end - start == pytest.approx(0.78, abs=0.034)
    assert head_end - start == pytest.approx(1.25, abs=0.034)
    assert bench.times_of(RobotState)[0] == head_end
    assert bench.got(RobotState)[0].timestamp == pytest.approx(1290, abs=40)


def test_a_second_sync_time_sets_the_clock_and_is_not_acknowledged(bench: Bench) -> None:
    bench.send(SyncTime(1_000_000))
    bench.run(1.0)
    assert not bench.got(SyncTimeAck)
    assert not bench.got(MotorCalibration)
    assert 1_000_900 <= bench.last_state().timestamp <= 1_001_000


def test_the_body_radio_is_in_accessory_mode_after_sync_time_until_told_otherwise(
    bench: Bench,
) -> None:
    bench.run(0.1)
    assert bench.last_state().status & _ACC_MODE
    bench.send(SetBodyRadioMode(0, 0))
    bench.run(0.1)
    assert not bench.last_state().status & _ACC_MODE
    bench.send(SetBodyRadioMode(1, 0))
    bench.run(0.1)
    assert bench.last_state().status & _ACC_MODE


def test_a_disconnect_silences_the_robot_and_stops_it(bench: Bench) -> None:
    bench.send(DriveWheels(100, 100), ImageRequest())
    bench.run(1.0)
    assert bench.state.left_speed > 90
    bench.engine.disconnect(bench.now)
    bench.run(0.001)
    bench.frames.clear()
    bench.run(10.0)
    assert not bench.frames
    state = bench.state
    assert not state.connected
    assert state.last_disconnect is DisconnectReason.REMOTE
    assert (state.left_speed, state.right_speed) == (0, 0)
    assert not bench.firmware.joints.calibrated
    assert not state.camera_streaming


def test_five_seconds_of_silence_stop_the_motors(bench: Bench) -> None:
    bench.send(DriveWheels(100, 100))
    bench.run(0.5)
    last_heard = bench.now
    firmware = bench.firmware
    assert firmware.snapshot(last_heard + 4.9).left_speed > 90
    assert firmware.connected
    state = firmware.snapshot(last_heard + 5.2)
    assert not state.connected
    assert state.last_disconnect is DisconnectReason.TIMEOUT
    assert state.left_speed == 0
    assert not firmware.joints.calibrated


def test_a_request_in_a_running_session_ends_it_and_the_next_one_begins_another(
    bench: Bench,
) -> None:
    request = bytes.fromhex("434f5a03524501 01 0100 0100 0000")
    bench.firmware.receive(request, bench.now)
    assert bench.state.last_disconnect is DisconnectReason.NEW_ENGINE
    bench.firmware.receive(request, bench.now + 0.5)
    assert bench.firmware.snapshot(bench.now + 0.5).sessions == 2


def test_a_message_right_before_the_disconnect_in_one_frame_does_no_harm(bench: Bench) -> None:
    body = bytes.fromhex("04120037cdcccc3e00002041000020410000000001 030000".replace(" ", ""))
    seq = 5
    header = b"COZ\x03RE\x01\x07" + seq.to_bytes(2, "little") * 2 + b"\0\0"
    bench.firmware.receive(header + body, bench.now)
    assert not bench.firmware.connected
    assert bench.state.received["SetHeadAngle"] == 1


def test_values_that_are_not_numbers_are_refused_and_counted(bench: Bench) -> None:
    bench.send(DriveWheels(float("nan"), 100), SetHeadAngle(float("inf"), action_id=3))
    bench.run(0.5)
    assert bench.firmware.core.refused == {"DriveWheels": 1, "SetHeadAngle": 1}
    assert bench.state.right_speed == 0
    assert not bench.got(MotorActionAck)


def test_an_impossible_drive_centre_ends_no_states(bench: Bench) -> None:
    bench.send(SyncTime(0, 3e38), TurnInPlaceAtSpeed(4.0, 0.0))
    bench.run(2.0)
    assert len(bench.got(RobotState)) > 60


def test_the_same_datagrams_have_the_same_effect_however_often_the_robot_is_asked() -> None:
    """Polled every millisecond or only when a datagram arrives: the same frames go out."""
    request = bytes.fromhex("434f5a03524501 01 0100 0100 0000")
    start = bytes.fromhex(
        "434f5a03524501 07 0200 0400 0000 040100 25 040900 4b 00000000 0000a0c1"
        "041100 32 00004842 00002042 00000000 00000000"
    )

    def live(polls: list[float]) -> list[bytes]:
        firmware = Firmware(EmulatorOptions(seed=3), 0.0)
        firmware.receive(request, 0.0)
        sent = firmware.datagrams_to_send(0.0)
        for poll in polls:
            if poll == 0.2:
                firmware.receive(start, 0.2)
            firmware.handle_timer(poll)
            sent += firmware.datagrams_to_send(poll)
        return sent

    often = live([i / 1000 for i in range(1, 4001)])
    seldom = live([0.2, 4.0])
    assert often == seldom
    assert len(often) > 80


def test_nothing_a_stranger_sends_raises() -> None:
    firmware = Firmware()
    for length in range(64):
        firmware.receive(b"COZ\x03RE\x01" + bytes(range(length)), length / 10)
    assert firmware.core.connection.state in (State.IDLE, State.CONNECTED)
