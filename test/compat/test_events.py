"""Events, handlers and waiting on the loop's thread and from others (spec 21 §6)."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from cozmo_driver.compat import engine
from cozmo_driver.compat.sdk.behavior import Behavior, BehaviorTypes
from cozmo_driver.compat.sdk.conn import CozmoConnection, EvtConnectionClosed
from cozmo_driver.compat.sdk.event import Dispatcher, Event, Filter, filter_handler, oneshot
from cozmo_driver.compat.sdk.exceptions import ConnectionAborted, StopPropogation
from cozmo_driver.compat.sdk.robot import Robot
from cozmo_driver.compat.sdk.sync import Side
from cozmo_driver.link import LoopThread


class EvtSomething(Event):
    """Triggered by these tests."""

    what = "What it is about"
    more = "More of it"


class EvtMore(EvtSomething):
    """Triggered by these tests, too."""


@pytest.fixture
def side():
    thread = LoopThread("test")
    yield Side(thread.loop, thread.ident)
    thread.loop.call_soon_threadsafe(thread.loop.stop)


def family(side: Side) -> tuple[Dispatcher, Dispatcher]:
    parent = Dispatcher(side=side)
    return parent, Dispatcher(dispatch_parent=parent)


def test_handlers_of_an_object_and_of_its_parents_get_all_parameters_by_name(side: Side) -> None:
    parent, child = family(side)
    got: list[Any] = []
    parent.add_event_handler(EvtSomething, lambda evt, **kw: got.append(("parent", evt.what, kw)))
    child.add_event_handler(EvtSomething, lambda evt, what=None, **_: got.append(("child", what)))

    child.dispatch_event(EvtMore, what=5)
    _turn(side)

    assert got == [("child", 5), ("parent", 5, {"what": 5, "more": None})]


@contextmanager
def dispatching(dispatcher: Dispatcher, *whats: int) -> Iterator[None]:
    """Dispatch events again and again: nobody knows when a wait begins."""
    over = threading.Event()

    def dispatch() -> None:
        while not over.wait(0.01):
            for what in whats:
                dispatcher.dispatch_event(EvtSomething, what=what)

    thread = threading.Thread(target=dispatch)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def _turn(side: Side) -> None:
    """Let the loop do what is due."""

    async def turn() -> None:
        for _ in range(3):
            await asyncio.sleep(0)

    side.call(turn)


def test_a_thread_waits_for_an_event_that_a_coroutine_awaits(side: Side) -> None:
    parent, child = family(side)
    with dispatching(child, 1):
        assert parent.wait_for(EvtSomething, timeout=30).what == 1  # type: ignore[attr-defined]
    with pytest.raises(asyncio.TimeoutError):
        parent.wait_for(EvtSomething, timeout=0.01)


def test_once_and_filtered_and_stopped(side: Side) -> None:
    parent, child = family(side)
    got: list[Any] = []

    @oneshot
    def once(evt: Any, **_: Any) -> None:
        got.append("once")

    @filter_handler(EvtSomething, what=lambda what: what > 1)
    def large(evt: Any, **_: Any) -> None:
        got.append(evt.what)

    def stop(evt: Any, **_: Any) -> None:
        raise StopPropogation

    child.add_event_handler(EvtSomething, once)
    child.add_event_handler(EvtSomething, large)
    parent.add_event_handler(EvtSomething, lambda *_, **__: got.append("parent"))
    for what in (1, 2):
        child.dispatch_event(EvtSomething, what=what)
        _turn(side)
    child.add_event_handler(EvtSomething, stop)
    child.dispatch_event(EvtSomething, what=3)
    _turn(side)

    assert got == ["once", "parent", 2, "parent", 3]


def test_a_handler_may_be_filtered_and_called_once(side: Side) -> None:
    parent, _ = family(side)
    got: list[tuple[str, int]] = []
    first, second = oneshot, filter_handler(EvtSomething, what=lambda what: what > 1)
    for name, outer, inner in (("once", first, second), ("filtered", second, first)):
        parent.add_event_handler(
            EvtSomething, outer(inner(lambda evt, name=name, **_: got.append((name, evt.what))))
        )
    for what in (1, 2, 3):
        parent.dispatch_event(EvtSomething, what=what)
        _turn(side)

    assert got == [("once", 2), ("filtered", 2)]


def test_a_filter_is_waited_for(side: Side) -> None:
    parent, child = family(side)
    with dispatching(child, 1, 2):
        event = parent.wait_for(Filter(EvtSomething, what=2), timeout=30)

    assert event.what == 2  # type: ignore[attr-defined]


def test_a_lost_robot_ends_what_waits_for_any_part_of_it_and_is_told() -> None:
    closed: list[Any] = []
    lost = ConnectionAborted("the link was lost")

    async def lose() -> list[Any]:
        conn = CozmoConnection(Side(asyncio.get_running_loop()), ("127.0.0.1", 1))
        robot = Robot(conn, 1, is_primary=True)
        behavior = Behavior(robot, BehaviorTypes.RollBlock, dispatch_parent=robot)  # type: ignore[attr-defined]
        conn.add_event_handler(EvtConnectionClosed, lambda evt, exc=None, **_: closed.append(exc))
        waits = [
            asyncio.ensure_future(wait)
            for wait in (
                robot.camera.wait_for(EvtSomething, timeout=None),
                robot.world._make_charger().wait_for(EvtSomething, timeout=None),
                behavior.wait_for_started(None),
                behavior.wait_for_completed(),
            )
        ]
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        conn.abort(lost)
        done, _ = await asyncio.wait(waits, timeout=10.0)
        for late in (robot.world.wait_for_observed_charger(), robot.world.wait_for_observed_face()):
            with pytest.raises(ConnectionAborted):
                await asyncio.wait_for(late, 10.0)
        return [wait.exception() if wait in done else "waits" for wait in waits]

    assert asyncio.run(lose()) == [lost] * 4
    assert closed == [lost]


def test_a_failing_handler_harms_no_other(side: Side, caplog: pytest.LogCaptureFixture) -> None:
    parent, child = family(side)
    got: list[Any] = []
    child.add_event_handler(EvtSomething, lambda evt, **_: 1 / 0)
    parent.add_event_handler(EvtSomething, lambda evt, **_: got.append(1))
    child.dispatch_event(EvtSomething)
    _turn(side)

    assert got == [1]
    assert "EvtSomething" in caplog.text


def test_an_event_of_a_program_needs_a_name_and_a_docstring() -> None:
    with pytest.raises(ValueError, match="Evt"):
        type("Wrong", (Event,), {"__doc__": "x"})
    with pytest.raises(ValueError, match="docstring"):
        type("EvtWithout", (Event,), {})


def test_commands_without_end_wait_for_their_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "_HELD_UP", 60.0)
    robot = engine.Engine("127.0.0.1", 1)
    robot.is_open = True
    go_on, done = threading.Event(), []
    robot.post(go_on.wait)
    flood = threading.Thread(target=lambda: [robot.post(done.append, i) for i in range(150)])
    flood.start()
    flood.join(0.2)
    is_held_up = flood.is_alive()
    go_on.set()
    flood.join()
    robot.thread.run(asyncio.sleep(0))

    assert is_held_up
    assert done == list(range(150))


def test_a_command_waits_for_the_start_of_the_actions_before_it() -> None:
    robot = engine.Engine("127.0.0.1", 1)
    robot.is_open = True
    go_on, done = threading.Event(), []

    async def act() -> None:
        done.append("action")

    robot.post(go_on.wait)
    robot.submit(act())
    robot.post(done.append, "stop")
    go_on.set()
    robot.thread.run(asyncio.sleep(0))

    assert done == ["action", "stop"]
