"""Updates of the emulated robot's firmware, in virtual time, with every way to fail."""

from __future__ import annotations

import asyncio
import itertools
import json

import pytest

from cozmo_driver.emulator import Identity
from cozmo_driver.emulator.firmware_update import END
from cozmo_driver.protocol import DisconnectReason
from cozmo_driver.protocol.enums import NVEntryTag
from cozmo_driver.protocol.messages import OtaAck, OtaWrite, SyncTime
from cozmo_driver.robot import (
    Cause,
    FirmwareOptions,
    Phase,
    Reason,
    Refused,
    StorageOptions,
    UpdateFailed,
    UpdatePhase,
)

from . import firmware_files
from .hands import fails
from .virtual import in_virtual_time, record

CHARGED = {"on_charger": True, "calibration_time": 0.0}
ALLOWED = FirmwareOptions(allow_update=True)
OLD, NEW = 2457, 2381
BODY = 20_000
CHUNKS = 21


@pytest.fixture
def file(tmp_path):
    return firmware_files.write(tmp_path / "cozmo.safe", BODY)


async def update(world, file, confirmation=str(NEW), *, dry_run=False):
    """Update, with what was sent before forgotten."""
    await world.until(lambda: world.robot.state)
    world.wire.log.clear()
    return await world.robot.firmware.update(file, confirmation, dry_run=dry_run)


def sent(world):
    return world.wire.received(OtaWrite)


def messages(world):
    return [message for _, message in world.wire.log]


def others(world):
    """Return what the robot received between the first and the last chunk beside chunks."""
    log = messages(world)
    numbers = [i for i, message in enumerate(log) if isinstance(message, OtaWrite)]
    return [m for m in log[numbers[0] : numbers[-1]] if not isinstance(m, OtaWrite)]


# -- an update that goes well


@pytest.mark.parametrize("body", [1024, 1025, 3 * 1024, BODY])
@in_virtual_time(CHARGED, firmware=ALLOWED)
async def test_the_whole_file_arrives_and_the_robot_runs_it(world, tmp_path, body):
    file = firmware_files.write(tmp_path / "cozmo.safe", body)
    report = await update(world, file)
    assert (report.old_version, report.new_version) == (OLD, NEW)
    content = firmware_files.content(body)
    assert world.firmware.update.received[: len(content)] == content
    numbers = [chunk.packet_number for chunk in sent(world)]
    assert numbers == [*range(len(numbers) - 1), END]
    assert sent(world)[-1].data == bytes(1024)


@in_virtual_time(CHARGED, firmware=ALLOWED)
async def test_the_session_makes_way_and_comes_back(world, file):
    phases = []
    world.robot.on_session.connect(lambda s: phases.append((s.phase, s.text)))
    await update(world, file)
    assert phases[:2] == [
        (Phase.DISCONNECTING, "disconnecting"),
        (Phase.DISCONNECTED, "the firmware is being updated to 2381"),
    ]
    assert {phase for phase, _ in phases[2:]} <= {Phase.CONNECTING, Phase.INITIALIZING}
    await world.connected()
    assert world.robot.identity.firmware_version == NEW


@in_virtual_time(CHARGED, firmware=ALLOWED)
async def test_no_states_are_asked_for_and_nothing_but_chunks_is_sent(world, file):
    asyncio.get_running_loop().call_later(1.0, world.robot.camera.enable, True)
    asyncio.get_running_loop().call_later(0.5, world.robot.motion.emergency_stop)
    await update(world, file)
    assert world.firmware.update.began_with_states is False
    assert others(world) == []
    goodbye = itertools.takewhile(lambda m: not isinstance(m, OtaWrite), messages(world))
    assert not any(isinstance(message, SyncTime) for message in goodbye)


@in_virtual_time(CHARGED, firmware=ALLOWED)
async def test_progress_rises_through_every_phase(world, file):
    steps = record(world.robot.firmware.on_progress)
    await update(world, file)
    assert list(dict.fromkeys(step.phase for step in steps)) == list(UpdatePhase)
    assert all(a.progress <= b.progress for a, b in itertools.pairwise(steps))
    assert all(a.bytes_sent <= b.bytes_sent for a, b in itertools.pairwise(steps))
    assert steps[-1].bytes_sent == steps[-1].bytes_total == 1024 + BODY
    assert all(0.0 <= step.progress < 1.0 for step in steps)
    assert sum(step.phase is UpdatePhase.SENDING for step in steps) == 1 + (CHUNKS - 1) // 2


@in_virtual_time(CHARGED, firmware=ALLOWED)
async def test_a_robot_that_answers_every_chunk_is_updated_too(world, file):
    def answer_the_others(message):
        if message.packet_number % 2 == 1 and message.packet_number != END:
            world.firmware.core.send(OtaAck(0, message.packet_number, 0))

    world.firmware.core.handle(OtaWrite, answer_the_others)
    assert (await update(world, file)).new_version == NEW


@pytest.mark.parametrize(("until_restart", "restart"), [(14.0, 40.0), (30.0, None)])
@in_virtual_time(CHARGED, firmware=ALLOWED)
async def test_a_robot_that_is_long_away_is_waited_for(world, file, until_restart, restart):
    times = world.firmware.update.times
    times.until_restart, times.restart = until_restart, restart or times.restart
    assert (await update(world, file)).new_version == NEW


async def reached(world, phase):
    """Wait for the next time that the session enters a phase, some of which last for ms."""
    entered = asyncio.Event()
    leave = world.robot.on_session.connect(lambda state: state.phase is phase and entered.set())
    await entered.wait()
    leave()


@in_virtual_time(
    CHARGED | {"identity": Identity(build="FACTORY", firmware_version=10700)}, firmware=ALLOWED
)
async def _recover(world, file, phase):
    await reached(world, phase)
    report = await world.robot.firmware.update(file, str(NEW), dry_run=False)
    assert (report.old_version, report.new_version) == (10700, NEW)
    await world.connected()


@pytest.mark.parametrize("phase", [Phase.WAITING, Phase.CONNECTING, Phase.INITIALIZING])
def test_a_robot_in_its_recovery_image_is_brought_back(file, phase, monkeypatch):
    from . import virtual

    async def connected(self):
        await self.until(
            lambda: (
                self.robot.session_state.phase is Phase.CONNECTED
                or self.robot.session_state.cause is Cause.FIRMWARE
            )
        )

    monkeypatch.setattr(virtual.World, "connected", connected)
    _recover(file=file, phase=phase)


@in_virtual_time(CHARGED, firmware=ALLOWED)
async def test_other_signatures_than_the_files_are_mentioned(world, file):
    other = firmware_files.DESCRIPTION | {"wifiSig": "d4" * 20}
    world.firmware.update.faults.starts = json.dumps(other)
    assert "other signatures" in (await update(world, file)).text


# -- what is refused, with nothing sent


async def refused(world, file, confirmation=str(NEW), *, dry_run=False):
    """Return why an update is refused; the robot must hear nothing and stay connected."""
    with pytest.raises(Refused) as refusal:
        await update(world, file, confirmation, dry_run=dry_run)
    assert world.wire.log == []
    assert world.robot.session_state.phase is Phase.CONNECTED
    return refusal.value.reason


async def calm(world):
    """Let everything that a start sends be sent."""
    await world.pass_time(2.0)


@in_virtual_time(CHARGED)
async def test_updating_is_switched_off_by_default_and_trying_is_the_default(world, file):
    await calm(world)
    assert await refused(world, file) is Reason.NOT_ALLOWED
    world.wire.log.clear()
    report = await world.robot.firmware.update(file, "")
    assert (report.old_version, report.new_version) == (OLD, 0)
    assert "storage" in report.text
    await calm(world)
    assert sent(world) == []
    assert world.robot.session_state.connections == 1


@in_virtual_time(CHARGED, firmware=ALLOWED)
async def test_the_version_must_be_typed_again(world, file):
    await calm(world)
    for wrong in ("", "yes", "2457", "2381.0", "0x94d"):
        assert await refused(world, file, wrong) is Reason.NOT_ALLOWED


@in_virtual_time(firmware=ALLOWED)
async def test_off_the_charger_it_is_refused(world, file):
    await calm(world)
    assert await refused(world, file) is Reason.OFF_CHARGER
    assert await refused(world, file, dry_run=True) is Reason.OFF_CHARGER


@in_virtual_time(CHARGED, firmware=ALLOWED)
async def test_firmware_that_could_not_be_driven_is_refused(world, tmp_path):
    await calm(world)
    old = firmware_files.write(tmp_path / "old.safe", version=2213)
    assert await refused(world, old, "2213") is Reason.UNSUPPORTED
    factory = firmware_files.write(tmp_path / "factory.safe", version=10700, build="FACTORY")
    assert await refused(world, factory, "10700") is Reason.UNSUPPORTED
    oldest = firmware_files.write(tmp_path / "oldest.safe", version=2214)
    await update(world, oldest, "2214", dry_run=True)
    assert world.robot.firmware.file_version == 2214


@in_virtual_time(CHARGED, firmware=ALLOWED)
async def test_without_a_robot_it_is_refused(world, file):
    await world.robot.stop()
    with fails(Reason.NOT_CONNECTED, Refused):
        await world.robot.firmware.update(file, str(NEW), dry_run=False)


@in_virtual_time(CHARGED, firmware=ALLOWED)
async def test_a_second_update_at_the_same_time_is_refused(world, file):
    first = asyncio.ensure_future(update(world, file))
    await world.until(lambda: sent(world))
    assert world.robot.firmware.is_running
    with fails(Reason.BUSY, Refused):
        await world.robot.firmware.update(file, str(NEW), dry_run=False)
    assert (await first).new_version == NEW
    assert not world.robot.firmware.is_running


@in_virtual_time(CHARGED, firmware=ALLOWED)
async def test_another_robot_at_the_same_address_is_not_touched(world, file):
    def swap(state):
        if state.phase is Phase.DISCONNECTED:
            world.wire.options["identity"] = Identity(head_serial=0x66)
            world.wire.restart()

    disconnect = world.robot.on_session.connect(swap)
    with fails(Reason.NOT_CONNECTED, Refused):
        await update(world, file)
    disconnect()
    assert sent(world) == []
    await world.connected()


@in_virtual_time(CHARGED, firmware=ALLOWED)
async def test_a_robot_that_does_not_answer_a_second_time_was_sent_nothing(world, file):
    def cut(state):
        world.wire.is_cut = state.phase is Phase.DISCONNECTED

    disconnect = world.robot.on_session.connect(cut)
    with fails(Reason.NOT_CONNECTED, Refused):
        await update(world, file)
    disconnect()
    world.wire.is_cut = False
    await world.connected()


@in_virtual_time(CHARGED, firmware=ALLOWED, storage=StorageOptions(allow_write=True))
async def test_an_entry_that_is_being_changed_is_changed_to_the_end_first(world, file):
    album, content = NVEntryTag.FACE_ALBUM_DATA, bytes(range(256)) * 255
    await world.until(lambda: world.robot.state)
    writing = asyncio.ensure_future(world.robot.storage.write(album, content, f"{int(album):#x}"))
    await world.until(lambda: world.firmware.storage.written_blocks >= 3)
    updating = asyncio.ensure_future(update(world, file))
    assert (await writing).changed
    assert sent(world) == []
    assert (await updating).new_version == NEW
    assert world.firmware.storage.get(album) == content


@in_virtual_time(CHARGED, firmware=ALLOWED)
async def test_while_it_runs_storage_and_movements_are_refused(world, file):
    updating = asyncio.ensure_future(update(world, file))
    await world.until(lambda: sent(world))
    assert world.robot.firmware.is_writing
    with fails(Reason.NOT_CONNECTED, Refused):
        await world.robot.storage.read(NVEntryTag.GAME_UNLOCKS)
    with fails(Reason.NOT_CONNECTED, Refused):
        world.robot.motion.drive(0.1, 0.0)
    assert (await updating).new_version == NEW
    assert not world.robot.firmware.is_writing
    assert others(world) == []


# -- every way to fail; nothing is ever sent after a failure


async def failed(world, file, advice="never resumed"):
    """Return how an update fails, with what advice; it must not go on afterwards."""
    with pytest.raises(UpdateFailed, match=advice) as failure:
        await update(world, file)
    count = len(sent(world))
    await world.pass_time(5.0)
    assert len(sent(world)) == count
    return failure.value


@pytest.mark.parametrize(
    ("number", "status"), [(0, 1), (1, 255), (2, 11), (7, 1), (CHUNKS - 1, 255), (END, 11)]
)
@in_virtual_time(CHARGED, firmware=ALLOWED)
async def test_any_bad_status_stops_it(world, file, number, status):
    world.firmware.update.faults.status[number] = status
    failure = await failed(world, file)
    assert failure.reason is Reason.ROBOT_ERROR
    assert f"status {status}" in str(failure)
    # The pair in which it happened is out already; no later one may follow.
    allowed = CHUNKS + 1 if number == END else number + number % 2 + 1
    assert len(sent(world)) <= allowed
    assert failure.bytes_sent <= 1024 + BODY
    await world.connected()
    assert world.robot.identity.firmware_version == OLD


@pytest.mark.parametrize(
    ("number", "timeout", "what"),
    [(0, 30.0, "erase"), (1, 5.0, "chunk 2"), (8, 5.0, "chunk 8"), (END, 10.0, "verify")],
)
@in_virtual_time(CHARGED, firmware=ALLOWED)
async def test_silence_stops_it_after_the_timeout_of_the_step(world, file, number, timeout, what):
    world.firmware.update.faults.silent_from = number
    failure = await failed(world, file)
    assert failure.reason is Reason.TIMEOUT
    assert what in str(failure)
    last = [time for time, m in world.wire.log if isinstance(m, OtaWrite)][-1]
    ended = world.firmware.core.last_disconnect
    assert ended is DisconnectReason.REMOTE
    assert world.loop.time() - 5.0 - last == pytest.approx(timeout, abs=0.2)


@pytest.mark.parametrize("number", [0, 5, END])
@in_virtual_time(CHARGED, firmware=ALLOWED)
async def test_a_robot_that_restarts_in_the_middle_is_a_failure(world, file, number):
    world.firmware.update.faults.vanishes_at = number
    failure = await failed(world, file)
    assert failure.reason in (Reason.TIMEOUT, Reason.LINK_LOST)
    await world.connected()
    assert world.robot.identity.firmware_version == OLD


@in_virtual_time(CHARGED, firmware=ALLOWED)
async def test_a_robot_that_keeps_its_old_firmware_is_a_failure(world, file):
    world.firmware.update.faults.keeps_old = True
    failure = await failed(world, file)
    assert failure.reason is Reason.TIMEOUT
    assert "still runs firmware 2457" in str(failure)


@in_virtual_time(CHARGED, firmware=ALLOWED)
async def test_a_robot_that_starts_its_recovery_image_is_a_failure(world, file):
    world.firmware.update.faults.starts = json.dumps({"version": 10700, "build": "FACTORY"})
    failure = await failed(world, file)
    assert failure.reason is Reason.ROBOT_ERROR
    assert "recovery image 10700" in str(failure)


@in_virtual_time(CHARGED, firmware=ALLOWED)
async def test_a_robot_that_never_comes_back_is_a_failure(world, file):
    world.firmware.update.faults.never_returns = True
    began = world.loop.time()
    failure = await failed(world, file, "probably runs it.* join its Wi-Fi again")
    assert failure.reason is Reason.TIMEOUT
    assert "60 s" in str(failure)
    assert "keeps its old firmware" not in str(failure)
    assert 75.0 < world.loop.time() - began < 90.0


# -- cancelling


@in_virtual_time(CHARGED, firmware=ALLOWED)
async def test_while_an_attempt_to_connect_is_awaited_it_can_be_cancelled(world, file):
    world.wire.is_cut = True
    await reached(world, Phase.CONNECTING)
    updating = asyncio.ensure_future(world.robot.firmware.update(file, str(NEW), dry_run=False))
    await world.pass_time(1.0)
    assert not updating.done()
    world.robot.firmware.abort()
    with fails(Reason.CANCELED, Refused):
        await updating
    assert world.robot.session_state.phase is Phase.CONNECTING


@in_virtual_time(CHARGED, firmware=ALLOWED)
async def test_before_the_first_chunk_it_can_be_cancelled(world, file):
    updating = asyncio.ensure_future(update(world, file))
    await world.until(lambda: world.robot.firmware.is_running)
    assert sent(world) == []
    world.robot.firmware.abort()
    with fails(Reason.CANCELED, Refused):
        await updating
    assert sent(world) == []
    await world.connected()
    assert (await update(world, file)).new_version == NEW


@pytest.mark.parametrize("chunks", [1, 8, CHUNKS + 1])
@in_virtual_time(CHARGED, firmware=ALLOWED)
async def test_stopping_the_robot_breaks_it_off_and_nothing_is_sent_afterwards(world, file, chunks):
    updating = asyncio.ensure_future(update(world, file))
    await world.until(lambda: len(sent(world)) >= chunks)
    await world.robot.stop()
    # What was sent before the goodbye is still on its way.
    await world.pass_time(0.01)
    count = len(world.wire.log)
    assert not world.firmware.connected
    with fails(Reason.CANCELED, UpdateFailed):
        await updating
    await world.pass_time(20.0)
    assert len(world.wire.log) == count
    assert world.robot.session_state.phase is Phase.DISCONNECTED


@in_virtual_time(CHARGED, firmware=ALLOWED)
async def test_a_cancelled_task_leaves_no_connection_behind(world, file):
    updating = asyncio.ensure_future(update(world, file))
    await world.until(lambda: len(sent(world)) >= 6)
    updating.cancel()
    with pytest.raises(asyncio.CancelledError):
        await updating
    assert not world.robot.firmware.is_running
    await world.connected()
    assert world.robot.identity.firmware_version == OLD


@in_virtual_time(CHARGED, firmware=ALLOWED)
async def test_opening_and_closing_the_session_meanwhile_is_a_wish_for_afterwards(world, file):
    updating = asyncio.ensure_future(update(world, file))
    await world.until(lambda: sent(world))
    await world.robot.start()
    await world.robot.session.close()
    assert (await updating).new_version == NEW
    await world.pass_time(5.0)
    assert world.robot.session_state.phase is Phase.DISCONNECTED
    assert not world.firmware.connected
