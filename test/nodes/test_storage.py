"""Storage of the robot on the graph."""

from __future__ import annotations

import contextlib
from array import array
from collections.abc import Iterator
from pathlib import Path

import pytest
from geometry_msgs.msg import Twist
from rclpy.task import Future
from std_srvs.srv import Trigger

from cozmo_driver.protocol.enums import NVEntryTag
from cozmo_driver.robot import load_backup
from cozmo_interfaces.msg import ConnectionState, Reason
from cozmo_interfaces.srv import NvErase, NvRead, NvWrite

from ..waiting import TIMEOUT, wait_until
from .conftest import World, running_world, stands
from .graph import LATCHED, twist

GAMES, ALBUM = int(NVEntryTag.GAME_UNLOCKS), int(NVEntryTag.FACE_ALBUM_DATA)
CALIBRATION, FACTORY_LOCK = int(NVEntryTag.CAMERA_CALIB), int(NVEntryTag.FACTORY_LOCK)
CONFIRM = "0x182000"
LONG = bytes(range(256)) * 20


@pytest.fixture(scope="module")
def backups(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder that the driver saves old content to; it makes it itself."""
    return tmp_path_factory.mktemp("storage") / "of" / "cozmo"


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder that the driver keeps in what it has read."""
    return tmp_path_factory.mktemp("cache") / "of" / "cozmo"


@pytest.fixture(scope="module")
def world(backups: Path, cache: Path) -> Iterator[World]:
    """Return a driver whose robot has told its calibration, so that nothing is read any more."""
    with running_world(backup_directory=backups, cache_directory=cache) as world:
        wait_until(lambda: list(cache.glob("**/*45a1b2c3*")), "the calibration is not read")
        yield world


@pytest.fixture(autouse=True)
def _clean(world: World) -> Iterator[None]:
    """Leave every entry empty and the storage healthy."""
    yield
    world.emulator.call(lambda firmware: firmware.storage.put_image(0x180000, b"\xff" * 0x18000))


def commands(world: World) -> int:
    """Return how many commands about its storage the robot received."""
    return world.emulator.state().received.get("NVCommand", 0)


def put(world: World, tag: int, data: bytes) -> None:
    world.emulator.call(lambda firmware: firmware.storage.put(tag, data))


def content(world: World, tag: int) -> bytes | None:
    """Return an entry as it lies in the robot."""
    return world.emulator.call(lambda firmware: firmware.storage.get(tag))


@contextlib.contextmanager
def writable(world: World) -> Iterator[None]:
    """Allow changes for the time of a ``with`` block."""
    assert not world.graph.set(allow_nv_write=True)
    yield
    assert not world.graph.set(allow_nv_write=False)


def read(world: World, tag: int) -> NvRead.Response:
    return world.graph.call(NvRead, "nv_read", NvRead.Request(tag=tag))


def write(world: World, tag: int, data: bytes, confirmation: str) -> NvWrite.Response:
    request = NvWrite.Request(tag=tag, data=array("B", data), confirmation=confirmation)
    return world.graph.call(NvWrite, "nv_write", request)


def erase(world: World, tag: int, confirmation: str) -> NvErase.Response:
    request = NvErase.Request(tag=tag, confirmation=confirmation)
    return world.graph.call(NvErase, "nv_erase", request)


# -- reading


@pytest.mark.covers("cache_directory")
def test_the_calibration_is_read_once_and_kept_where_the_parameter_says(
    world: World, cache: Path
) -> None:
    [file] = [path for path in cache.glob("**/*") if path.is_file()]
    assert "45a1b2c3" in file.name
    before = commands(world)
    assert before > 0
    states = world.graph.listen(ConnectionState, "connection_state", LATCHED)
    for service in ("disconnect", "connect"):
        assert world.graph.call(Trigger, service).success
    states.wait_for(lambda m: m.connections == 2 and m.state == ConnectionState.CONNECTED)
    assert read(world, GAMES).success
    assert commands(world) == before + 1


# -- changing


@pytest.mark.covers("nv_write", "nv_erase", "allow_nv_write")
def test_by_default_nothing_is_changed_and_nothing_is_sent(world: World) -> None:
    put(world, GAMES, b"games...")
    before = commands(world)
    for response in (write(world, GAMES, b"new", CONFIRM), erase(world, GAMES, CONFIRM)):
        assert (response.success, response.reason) == (False, Reason.NOT_ALLOWED)
        assert "allow_nv_write" in response.message
        assert response.backup_file == ""
    assert commands(world) == before
    assert content(world, GAMES) == b"games..."


@pytest.mark.covers("nv_write", "nv_erase")
def test_a_change_must_be_confirmed_with_the_tag(world: World) -> None:
    put(world, GAMES, b"games...")
    before = commands(world)
    with writable(world):
        for response in (write(world, GAMES, b"", "0x181000"), erase(world, GAMES, "yes")):
            assert (response.success, response.reason) == (False, Reason.NOT_ALLOWED)
            assert f"'{CONFIRM}'" in response.message
    assert commands(world) == before
    assert content(world, GAMES) == b"games..."


@pytest.mark.covers("nv_write", "nv_read", "nv_erase", "allow_nv_write", "backup_directory")
def test_an_entry_is_written_read_back_and_erased_and_its_old_content_saved(
    world: World, backups: Path
) -> None:
    with writable(world):
        first = write(world, ALBUM, LONG, "0x184000")
        assert (first.success, first.reason, first.backup_file) == (True, Reason.NONE, "")
        assert content(world, ALBUM) == LONG
        response = read(world, ALBUM)
        assert (response.success, response.reason, response.result_raw) == (True, Reason.NONE, 0)
        assert bytes(response.data) == LONG
        assert read(world, 0).reason == Reason.NOT_FOUND

        again = write(world, ALBUM, LONG, "0x184000")
        assert again.success
        assert "nothing was written" in again.message

        erased = erase(world, ALBUM, "0x184000")
        assert erased.success, erased.message
        assert "is empty now" in erased.message
    file = Path(erased.backup_file)
    assert file.parent == backups
    assert str(file) in erased.message
    saved = load_backup(file)
    assert saved.head_serial == 0x45A1B2C3
    assert saved.images[ALBUM][16:] == LONG
    assert content(world, ALBUM) is None
    assert len(read(world, ALBUM).data) == 0


# -- without a robot, and at the end


def begin_change(world: World, data: bytes) -> Future:
    """Return the answer to come of a change that goes on."""
    emulator, graph = world.emulator, world.graph
    client = graph.in_executor(lambda: graph.node.create_client(NvWrite, "nv_write"))
    assert client.wait_for_service(TIMEOUT)
    request = NvWrite.Request(tag=ALBUM, data=array("B", data), confirmation="0x184000")
    before = emulator.call(lambda firmware: firmware.storage.written_blocks)
    writing = graph.in_executor(lambda: client.call_async(request))
    wait_until(
        lambda: emulator.call(lambda firmware: firmware.storage.written_blocks) > before,
        "nothing is written",
    )
    return writing


@contextlib.contextmanager
def changing(world: World, data: bytes) -> Iterator[Future]:
    """Yield the answer to come of a change that goes on."""
    with writable(world):
        writing = begin_change(world, data)
        yield writing
        wait_until(writing.done, "the service does not answer")


@contextlib.contextmanager
def driving(world: World) -> Iterator[None]:
    """Command a speed again and again; begin when the robot drives."""
    graph = world.graph
    publisher = graph.publisher(Twist, "cmd_vel")
    timer = graph.in_executor(
        lambda: graph.node.create_timer(0.05, lambda: publisher.publish(twist(0.05)))
    )
    try:
        wait_until(lambda: not stands(world.emulator.state()), "it does not drive")
        yield
    finally:
        graph.in_executor(lambda: graph.node.destroy_timer(timer))


@pytest.mark.covers("nv_write", "disconnect")
def test_a_change_that_has_begun_is_finished_before_the_driver_disconnects(world: World) -> None:
    graph, data = world.graph, LONG * 12
    states = graph.listen(ConnectionState, "connection_state", LATCHED)
    with changing(world, data) as writing:
        assert graph.call(Trigger, "disconnect").success
    assert writing.result().success, writing.result().message
    assert content(world, ALBUM) == data
    states.wait_for(lambda m: m.state == ConnectionState.DISCONNECTED)
    assert graph.call(Trigger, "connect").success
    states.wait_for_latest(lambda m: m.state == ConnectionState.CONNECTED)


@pytest.mark.covers("connect", "disconnect")
def test_while_a_change_is_finished_the_robot_stands_and_connect_takes_disconnect_back(
    world: World,
) -> None:
    graph, data = world.graph, LONG * 12
    states = graph.listen(ConnectionState, "connection_state", LATCHED)
    client = graph.in_executor(lambda: graph.node.create_client(Trigger, "disconnect"))
    assert client.wait_for_service(TIMEOUT)
    connections = states.wait_for_latest(lambda m: m.state == ConnectionState.CONNECTED).connections
    with driving(world), changing(world, data) as writing:
        leaving = graph.in_executor(lambda: client.call_async(Trigger.Request()))
        wait_until(lambda: stands(world.emulator.state()), "it drives on")
        assert graph.call(Trigger, "connect").success
        assert stands(world.emulator.state())
        assert not writing.done()
    assert writing.result().success, writing.result().message
    assert content(world, ALBUM) == data
    wait_until(leaving.done, "disconnect does not answer")
    states.wait_for(lambda m: m.state == ConnectionState.CONNECTED and m.connections > connections)


@pytest.mark.covers("nv_write")
def test_a_driver_that_is_told_to_end_finishes_the_change_that_has_begun() -> None:
    data = LONG * 2
    with running_world(allow_nv_write=True) as world:
        writing = begin_change(world, data)
        assert world.driver.stop() == 0
        wait_until(writing.done, "the service does not answer")
        response = writing.result()
        assert (response.success, response.reason) == (False, Reason.SHUTDOWN)
        assert "was changed although its caller gave up" in world.driver.log
        assert content(world, ALBUM) == data
