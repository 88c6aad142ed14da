"""Storage of a real session with the emulated robot, in virtual time."""

from __future__ import annotations

import asyncio
import json
import random
from dataclasses import replace

import pytest

from cozmo_driver.protocol import ConnectionLost
from cozmo_driver.protocol.enums import NVEntryTag, NVOperation, NVResult
from cozmo_driver.protocol.messages import NVCommand, NVOpResult
from cozmo_driver.robot import (
    USER_ENTRIES,
    Reason,
    Refused,
    RobotError,
    StorageError,
    StorageOptions,
    load_backup,
)
from cozmo_driver.robot.storage.rules import entry_image

from .hands import fails, keep_commands
from .virtual import in_virtual_time

GAMES, ALBUM = NVEntryTag.GAME_UNLOCKS, NVEntryTag.FACE_ALBUM_DATA
NEEDS, LABS = NVEntryTag.NURTURE_GAME_DATA, NVEntryTag.LAB_ASSIGNMENTS
QUICK = {"calibration_time": 0.0}
CONFIRM = f"{int(GAMES):#x}"
CONFIRM_ALBUM = f"{int(ALBUM):#x}"
SERIAL = "0x45a1b2c3"
WRITABLE = StorageOptions(allow_write=True)


@pytest.fixture(autouse=True)
def _own_directories(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def storage_of(world, tmp_path, **options):
    """Return the storage of a connected robot whose start is over."""
    storage = world.robot.storage
    storage.options = replace(storage.options, backup_directory=tmp_path / "backups", **options)
    return storage


def commands(world, *operations):
    return [m for m in world.wire.received(NVCommand) if not operations or m.op in operations]


async def quiet(world):
    """Wait until the start has read what it wants; forget it."""
    await world.until(lambda: world.robot.camera.calibration is not None)
    world.wire.log.clear()


def data_of(size, seed=0):
    return random.Random(seed).randbytes(size)


# -- reading


@in_virtual_time(QUICK)
async def test_a_factory_record_is_read_as_one_entry(world, tmp_path):
    await quiet(world)
    storage = storage_of(world, tmp_path)
    world.firmware.storage.factory[NVEntryTag.IMU_INFO] = b"\x01\x02\x03\x04"
    assert await storage.read(NVEntryTag.IMU_INFO) == b"\x01\x02\x03\x04"
    assert commands(world) == [NVCommand(0x80000006, 1, NVOperation.READ, 0, b"")]


@in_virtual_time(QUICK)
async def test_an_empty_entry_is_none_however_the_robot_says_so(world, tmp_path):
    storage = storage_of(world, tmp_path)
    assert await storage.read(GAMES) is None
    assert await storage.read(NVEntryTag.BIRTH_CERTIFICATE) is None
    assert await storage.read(NVEntryTag.CALIB_IMAGE1) is None
    world.firmware.storage.faults.erased_is_data = True
    assert await storage.read(GAMES) is None


@pytest.mark.parametrize("size", [0, 4, 1000, 1008, 1011, 1012, 4080])
@in_virtual_time(QUICK)
async def test_an_entry_of_any_size_is_read_whole(world, size, tmp_path):
    await quiet(world)
    world.firmware.storage.put(GAMES, data_of(size))
    assert await storage_of(world, tmp_path).read(GAMES) == data_of(size)
    lengths = [command.length for command in commands(world)]
    assert lengths == ([0x400] if size <= 1008 else [0x400, -(-size // 4) * 4 + 16])


@in_virtual_time(QUICK)
async def test_a_factory_image_is_read_over_many_records(world, tmp_path):
    await quiet(world)
    blobs = [data_of(1024, seed) for seed in range(5)] + [data_of(300, 9)]
    for number, blob in enumerate(blobs):
        world.firmware.storage.factory[0x80010000 + number] = blob
    assert await storage_of(world, tmp_path).read(0x80010000) == b"".join(blobs)
    assert [command.length for command in commands(world)] == [0xFFFF]


@in_virtual_time(QUICK)
async def test_blocks_out_of_order_and_twice_make_the_same_entry(world, tmp_path):
    content = data_of(20_000)
    world.firmware.storage.put(ALBUM, content)
    world.firmware.storage.faults.is_reversed = True
    world.firmware.storage.faults.is_doubled = True
    assert await storage_of(world, tmp_path).read(ALBUM) == content


@in_virtual_time(QUICK)
async def test_blocks_at_impossible_places_are_ignored(world, tmp_path):
    await quiet(world)
    world.firmware.storage.faults.silent = 1
    reading = asyncio.ensure_future(storage_of(world, tmp_path).read(GAMES))
    await world.until(lambda: commands(world))
    for block in (-1, -(2**31), 256, 2**31 - 1):
        forged = NVOpResult(GAMES, block, NVOperation.READ, NVResult.MORE, b"xxxx")
        world.firmware.core.send(forged)
    image = entry_image(b"data", None)
    world.firmware.core.send(NVOpResult(GAMES, 0, NVOperation.READ, NVResult.OKAY, image))
    assert await reading == b"data"


@pytest.mark.parametrize("block", [0, 3, 19])
@in_virtual_time(QUICK)
async def test_a_dropped_block_is_read_again(world, block, tmp_path):
    content = data_of(20_000)
    world.firmware.storage.put(ALBUM, content)
    world.firmware.storage.faults.dropped = {block}
    assert await storage_of(world, tmp_path).read(ALBUM) == content
    assert world.firmware.storage.faults.dropped == set()


@in_virtual_time(QUICK)
async def test_a_block_that_never_comes_is_an_error(world, tmp_path):
    world.firmware.storage.put(ALBUM, data_of(20_000))

    class Always(set):
        def discard(self, _):
            pass

    world.firmware.storage.faults.dropped = Always({7})
    with fails(Reason.CORRUPT, StorageError):
        await storage_of(world, tmp_path).read(ALBUM)


@in_virtual_time(QUICK)
async def test_garbage_without_a_header_counts_as_empty(world, tmp_path, caplog):
    world.firmware.storage.put_image(GAMES, data_of(0x1000))
    assert await storage_of(world, tmp_path).read(GAMES) is None
    assert "no valid header" in caplog.text


@in_virtual_time(QUICK)
async def test_a_busy_robot_is_asked_again_but_not_for_ever(world, tmp_path):
    await quiet(world)
    storage, faults = storage_of(world, tmp_path), world.firmware.storage.faults
    world.firmware.storage.put(GAMES, b"data")
    faults.busy = 8
    assert await storage.read(GAMES) == b"data"
    assert len(commands(world)) == 9
    faults.busy = 9
    with pytest.raises(StorageError, match=r"BUSY \(-5\)") as failure:
        await storage.read(GAMES)
    assert failure.value.result == NVResult.BUSY
    assert failure.value.reason is Reason.ROBOT_ERROR


@pytest.mark.parametrize("result", [NVResult.ERROR, NVResult.BAD_ARGS, NVResult.CORRUPT, -77])
@in_virtual_time(QUICK)
async def test_lasting_and_unknown_troubles_are_errors_at_once(world, tmp_path, result):
    await quiet(world)
    world.firmware.storage.faults.answers.append(result)
    with pytest.raises(StorageError) as failure:
        await storage_of(world, tmp_path).read(GAMES)
    assert failure.value.result == result
    assert len(commands(world)) == 1


@in_virtual_time(QUICK)
async def test_silence_is_an_error_after_five_seconds_and_not_retried(world, tmp_path):
    await quiet(world)
    storage = storage_of(world, tmp_path)
    world.firmware.storage.faults.silent = 1
    began = world.loop.time()
    with fails(Reason.TIMEOUT, StorageError):
        await storage.read(GAMES)
    assert 5.0 <= world.loop.time() - began < 5.1
    assert len(commands(world)) == 1
    assert await storage.read(GAMES) is None


@in_virtual_time(QUICK)
async def test_operations_wait_for_their_turn(world, tmp_path):
    storage = storage_of(world, tmp_path)
    tags = [GAMES, NEEDS, LABS, ALBUM]
    for tag in tags:
        world.firmware.storage.put(tag, data_of(3000, int(tag)))
    answers = await asyncio.gather(*(storage.read(tag) for tag in tags))
    assert answers == [data_of(3000, int(tag)) for tag in tags]


@in_virtual_time(QUICK)
async def test_replies_to_something_else_are_ignored(world, tmp_path):
    await quiet(world)
    image = entry_image(b"somebody else's", None)
    strays = (
        NVOpResult(NEEDS, 0, NVOperation.READ, NVResult.OKAY, image),
        NVOpResult(GAMES, 0, NVOperation.WRITE, NVResult.OKAY, image),
        NVOpResult(0x80000001, 0, NVOperation.READ, NVResult.NOT_FOUND, b""),
    )
    core = world.firmware.core
    core.handle(NVCommand, lambda _: [core.send(stray) for stray in strays])
    world.firmware.storage.put(GAMES, b"data")
    assert await storage_of(world, tmp_path).read(GAMES) == b"data"


@in_virtual_time(QUICK)
async def test_a_lost_link_ends_what_waits(world, tmp_path):
    world.firmware.storage.put(ALBUM, data_of(0xFFF0))
    reading = asyncio.ensure_future(storage_of(world, tmp_path, timeout=60.0).read(ALBUM))
    await world.pass_time(0.1)
    await world.reconnect()
    with pytest.raises(ConnectionLost):
        await reading
    assert await world.robot.storage.read(ALBUM) == data_of(0xFFF0)


# -- changing


@in_virtual_time(QUICK, storage=WRITABLE)
@pytest.mark.parametrize("tag", [0x80000001, 0xDE000, 0x1C0000, 0x1FD000, 0x198000, 0x180400])
async def test_a_protected_range_is_refused_before_a_byte_is_sent(world, tmp_path, tag):
    await quiet(world)
    storage = storage_of(world, tmp_path)
    with fails(Reason.NOT_ALLOWED, Refused):
        await storage.write(tag, b"evil", f"{tag:#x}")
    with fails(Reason.NOT_ALLOWED, Refused):
        await storage.erase(tag, f"{tag:#x}")
    await world.pass_time(1.0)
    assert commands(world) == []
    assert not (tmp_path / "backups").exists()


@pytest.mark.parametrize("size", [0, 1, 4, 1007, 1008, 1009, 4080])
@in_virtual_time(QUICK, storage=WRITABLE)
async def test_what_is_written_is_read_back(world, size, tmp_path):
    await quiet(world)
    storage = storage_of(world, tmp_path)
    change = await storage.write(GAMES, data_of(size), CONFIRM)
    assert change.changed
    assert change.backup_file is None
    padded = data_of(size) + bytes(-size % 4)
    assert world.firmware.storage.get(GAMES) == padded
    assert await storage.read(GAMES) == padded
    erase, *writes = commands(world, NVOperation.ERASE, NVOperation.WRITE)
    assert erase == NVCommand(GAMES, 0x1000, NVOperation.ERASE, 0, b"")
    assert [w.tag for w in writes] == [GAMES + 1024 * i for i in range(len(writes))]
    assert all(w.length == len(w.data) <= 1024 and len(w.data) % 4 == 0 for w in writes)


@in_virtual_time(QUICK, storage=WRITABLE)
async def test_the_old_content_is_on_disk_before_anything_is_erased(world, tmp_path):
    world.firmware.storage.put(GAMES, b"old!", second=7, fourth=9)
    saved = []
    flash = world.firmware.storage.put_image

    def erase(address, image):
        saved.extend((tmp_path / "backups").glob("*"))
        flash(address, image)

    world.firmware.storage.put_image = erase
    change = await storage_of(world, tmp_path).write(GAMES, b"new!", CONFIRM)
    assert saved == [change.backup_file]
    assert change.backup_file.stat().st_mode & 0o777 == 0o600
    backup = load_backup(change.backup_file)
    assert backup.head_serial == int(SERIAL, 16)
    assert list(backup.images) == [GAMES]
    assert backup.images[GAMES].endswith(b"old!")
    # The header's unknown words live on.
    assert world.firmware.storage.image(GAMES, 16)[4:8] == b"\x07\0\0\0"
    assert world.firmware.storage.image(GAMES, 16)[12:16] == b"\x09\0\0\0"


@in_virtual_time(QUICK, storage=WRITABLE)
async def test_every_change_gets_a_backup_file_of_its_own(world, tmp_path):
    storage = storage_of(world, tmp_path)
    changes = [await storage.write(GAMES, data_of(8, n), CONFIRM) for n in range(4)]
    files = [change.backup_file for change in changes[1:]]
    assert len(set(files)) == 3
    assert [load_backup(file).images[GAMES][16:] for file in files] == [
        data_of(8, n) for n in range(3)
    ]


@in_virtual_time(QUICK, storage=WRITABLE)
async def test_what_is_there_already_is_not_written_again(world, tmp_path):
    await quiet(world)
    world.firmware.storage.put(GAMES, b"same")
    change = await storage_of(world, tmp_path).write(GAMES, b"same", CONFIRM)
    assert not change.changed
    assert commands(world, NVOperation.ERASE, NVOperation.WRITE) == []
    assert not (await storage_of(world, tmp_path).erase(NEEDS, f"{int(NEEDS):#x}")).changed


@in_virtual_time(QUICK, storage=WRITABLE)
async def test_nothing_is_erased_when_the_old_content_cannot_be_saved(world, tmp_path):
    await quiet(world)
    world.firmware.storage.put(GAMES, b"old!")
    (tmp_path / "backups").write_text("a file where a directory should be")
    with fails(Reason.NOT_ALLOWED, Refused):
        await storage_of(world, tmp_path).write(GAMES, b"new!", CONFIRM)
    assert commands(world, NVOperation.ERASE, NVOperation.WRITE) == []
    assert world.firmware.storage.get(GAMES) == b"old!"


@in_virtual_time(QUICK, storage=WRITABLE)
async def test_flash_that_does_not_hold_what_was_written_is_noticed(world, tmp_path):
    world.firmware.storage.put(GAMES, b"old!")
    world.firmware.storage.faults.bad_bits = 1
    with pytest.raises(StorageError) as failure:
        await storage_of(world, tmp_path).write(GAMES, data_of(2000), CONFIRM)
    assert failure.value.reason is Reason.CORRUPT
    assert str(failure.value.backup_file) in str(failure.value)
    assert load_backup(failure.value.backup_file).images[GAMES].endswith(b"old!")


@in_virtual_time(QUICK, storage=WRITABLE)
async def test_a_write_that_the_robot_refuses_names_the_backup(world, tmp_path):
    world.firmware.storage.put(GAMES, b"old!")
    # One answer for the read, one for the erase would be used up: refuse from the write on.
    storage = storage_of(world, tmp_path)
    perform = storage._erase

    async def erase(tag):
        await perform(tag)
        world.firmware.storage.faults.answers.append(NVResult.NO_ROOM)

    storage._erase = erase
    with pytest.raises(StorageError, match=r"NO_ROOM \(-2\) to write") as failure:
        await storage.write(GAMES, b"new!", CONFIRM)
    assert failure.value.result == NVResult.NO_ROOM
    assert failure.value.backup_file is not None


@in_virtual_time(QUICK, storage=WRITABLE)
async def test_a_queue_that_is_full_for_a_while_leaves_no_entry_half_written(world, tmp_path):
    world.firmware.storage.put(GAMES, b"old!")
    storage = storage_of(world, tmp_path)
    perform = storage._erase

    async def erase(tag):
        await perform(tag)
        await keep_commands(world)
        world.loop.call_later(1.0, delattr, world.wire, "_reach_robot")

    storage._erase = erase
    await storage.write(GAMES, b"new!", CONFIRM)
    assert world.firmware.storage.get(GAMES) == b"new!"


@in_virtual_time(QUICK, storage=WRITABLE)
async def test_a_link_lost_in_the_middle_of_a_write_names_the_backup(world, tmp_path):
    storage = storage_of(world, tmp_path, timeout=60.0)
    world.firmware.storage.put(ALBUM, b"old album...")
    writing = asyncio.ensure_future(storage.write(ALBUM, data_of(0xFFF0), CONFIRM_ALBUM))
    await world.until(lambda: world.firmware.storage.written_blocks >= 3)
    await world.reconnect()
    with pytest.raises(StorageError, match="old content is in") as failure:
        await writing
    file = next((tmp_path / "backups").iterdir())
    assert (failure.value.reason, failure.value.backup_file) == (Reason.LINK_LOST, file)
    assert str(file) in str(failure.value)
    await storage.restore(file, SERIAL)
    assert await storage.read(ALBUM) == b"old album..."


@in_virtual_time(QUICK, storage=WRITABLE)
async def test_a_change_that_has_begun_is_finished_though_its_caller_gives_up(world, tmp_path):
    storage = storage_of(world, tmp_path)
    content = data_of(0xFFF0)
    writing = asyncio.ensure_future(storage.write(ALBUM, content, CONFIRM_ALBUM))
    await world.until(lambda: world.firmware.storage.erased_sectors >= 1)
    writing.cancel()
    await world.pass_time(0.05)
    writing.cancel()
    # What comes next waits for it.
    assert await storage.read(GAMES) is None
    assert writing.done()
    with pytest.raises(asyncio.CancelledError):
        await writing
    assert world.firmware.storage.get(ALBUM) == content


@in_virtual_time(QUICK, storage=WRITABLE)
async def test_a_caller_that_gives_up_before_the_change_changes_nothing(world, tmp_path):
    storage = storage_of(world, tmp_path)
    world.firmware.storage.put(GAMES, b"games...")
    world.firmware.storage.faults.silent = 1
    writing = asyncio.ensure_future(storage.write(GAMES, b"new", CONFIRM))
    await world.pass_time(0.5)
    writing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await writing
    assert world.firmware.storage.get(GAMES) == b"games..."
    assert not (tmp_path / "backups").exists()
    assert (await storage.write(GAMES, b"new", CONFIRM)).changed


# -- backup and restore


def fill(world):
    contents = {GAMES: data_of(100), ALBUM: data_of(30_000), NEEDS: data_of(0x74)}
    for tag, content in contents.items():
        world.firmware.storage.put(tag, content, second=int(tag))
    return contents


@in_virtual_time(QUICK, storage=WRITABLE)
async def test_a_backup_brings_every_entry_back(world, tmp_path):
    storage, file = storage_of(world, tmp_path), tmp_path / "robot.json"
    contents = fill(world)
    backup = await storage.backup(file)
    assert list(backup.images) == list(USER_ENTRIES)
    before = bytes(world.firmware.storage.flash)
    world.firmware.storage.put_image(GAMES, b"\xff" * 0x1000)
    world.firmware.storage.put(LABS, b"was empty before")
    world.firmware.storage.put(ALBUM, b"something else, shorter.")
    changes = await storage.restore(file, SERIAL)
    assert {change.tag for change in changes if change.changed} == {GAMES, ALBUM, LABS}
    assert bytes(world.firmware.storage.flash) == before
    for tag, content in contents.items():
        assert await storage.read(tag) == content


@in_virtual_time(QUICK, storage=WRITABLE)
async def test_entries_without_a_header_come_back_bit_by_bit(world, tmp_path):
    storage, file = storage_of(world, tmp_path), tmp_path / "robot.json"
    world.firmware.storage.put_image(GAMES, data_of(0x1000))
    await storage.backup(file)
    await storage.erase(GAMES, CONFIRM)
    await storage.restore(file, SERIAL)
    assert world.firmware.storage.image(GAMES, 0x1000) == data_of(0x1000)


@in_virtual_time(QUICK)
async def test_a_backup_needs_no_permission_and_overwrites_nothing(world, tmp_path):
    storage, file = storage_of(world, tmp_path), tmp_path / "robot.json"
    await storage.backup(file)
    before = file.read_bytes()
    with pytest.raises(FileExistsError):
        await storage.backup(file)
    assert file.read_bytes() == before
    with fails(Reason.NOT_ALLOWED, Refused):
        await storage.restore(file, SERIAL)


@in_virtual_time(QUICK, storage=WRITABLE)
async def test_a_backup_of_another_robot_is_refused(world, tmp_path):
    await quiet(world)
    storage, file = storage_of(world, tmp_path), tmp_path / "robot.json"
    fill(world)
    await storage.backup(file)
    document = json.loads(file.read_text())
    document["head_serial"] = "0x1234"
    other = tmp_path / "other.json"
    other.write_text(json.dumps(document))
    with fails(Reason.INVALID):
        await storage.restore(other, "0x1234")
    with fails(Reason.NOT_ALLOWED, Refused):
        await storage.restore(file, "yes")
    assert commands(world, NVOperation.ERASE, NVOperation.WRITE) == []


def spoiled(document):
    """Yield copies of a backup that must not be restored, and what is said about each."""
    entry = next(e for e in document["entries"] if "image" in e)

    def with_entry(**changes):
        return document | {"entries": [entry | changes]}

    yield document | {"format": "something"}, "format"
    yield document | {"version": 2}, "version"
    yield document | {"entries": []}, "no entries"
    yield document | {"entries": 7}, "no entries"
    yield document | {"entries": [5]}, ""
    yield document | {"entries": [entry, entry]}, "twice"
    yield document | {"head_serial": 5}, "not a number"
    yield {k: v for k, v in document.items() if k != "head_serial"}, "head_serial"
    yield with_entry(tag="0x80000001"), "may be restored"
    yield with_entry(tag="0x184400"), "may be restored"
    yield with_entry(tag="-0x1"), "not a number"
    yield with_entry(image="????"), "base64"
    yield with_entry(image=5), ""
    yield with_entry(image="AAAA"), "none of an entry"
    yield with_entry(sha256="0" * 64), "hash"
    yield with_entry(size=1), "hash"
    yield with_entry(tag="0x195000", image="/" * 5461 + "w=="), "none of an entry"
    yield [document], "format"
    yield "text", "format"


@in_virtual_time(QUICK, storage=WRITABLE)
async def test_a_spoiled_backup_is_refused_with_the_reason(world, tmp_path):
    await quiet(world)
    storage, file = storage_of(world, tmp_path), tmp_path / "robot.json"
    fill(world)
    await storage.backup(file)
    for number, (document, reason) in enumerate(spoiled(json.loads(file.read_text()))):
        bad = tmp_path / f"bad-{number}.json"
        bad.write_text(json.dumps(document))
        with pytest.raises(RobotError, match=reason):
            await storage.restore(bad, SERIAL)
    for number, raw in enumerate([b"", b"\xff\xfe\x00", b"[" * 100_000, b" " * (2 << 20)]):
        bad = tmp_path / f"raw-{number}.json"
        bad.write_bytes(raw)
        with pytest.raises(RobotError):
            await storage.restore(bad, SERIAL)
    with fails(Reason.NOT_FOUND):
        await storage.restore(tmp_path / "missing.json", SERIAL)
    assert commands(world, NVOperation.ERASE, NVOperation.WRITE) == []
