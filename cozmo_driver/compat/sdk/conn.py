"""``cozmo.conn``: the connection of a program with a robot (spec 21 §2)."""

from __future__ import annotations

import asyncio
from typing import Any

from ...robot import Cause, Phase, RobotError, SessionState
from ..engine import Engine
from ..settings import settings
from . import logs
from .anim import EvtAnimationsLoaded, Triggers, known_clips
from .event import Dispatcher, Event, _abort_futures
from .exceptions import ConnectionAborted, ConnectionError, NotPossibleHere, SDKShutdown
from .robot import EvtRobotReady, Robot
from .sync import Side


class EvtRobotFound(Event):
    """Triggered when the robot of a connection has answered."""

    robot = "The robot"


class EvtConnected(Event):
    """Triggered when there is a connection."""

    conn = "The connection"


class EvtConnectionClosed(Event):
    """Triggered when the connection has ended."""

    exc = "Why, None for a wanted end"


class CozmoConnection(Dispatcher):
    """A connection; plain programs call it, too."""

    robot_factory: Any = Robot

    def __init__(self, side: Side, address: tuple[str, int], connector: Any = None) -> None:
        super().__init__(side=side)
        self._engine = Engine(*address)
        self._address, self.connector = address, connector
        self._robot: Robot | None = None
        self._making = asyncio.Lock()
        self.anim_names: set[str] = set()
        self.is_closed = False

    # -- its life, in the program's loop

    async def _open(self) -> None:
        """Connect. Raises ``ConnectionError``."""
        try:
            await asyncio.wrap_future(self._engine.submit(self._engine.open()))
        except (RobotError, ValueError, OSError) as error:
            settings.give_back(self._address)
            host, port = self._address
            raise ConnectionError(f"{host}:{port}: {error}") from error
        library = self._engine.player.library
        self.anim_names = {*library.clips.names, *known_clips()}
        self._engine.post(self._watch)
        self._engine.post(self._engine.rest)
        self.dispatch_event(EvtConnected(conn=self))

    def _watch(self) -> None:
        side = self._side
        assert side is not None
        self._engine.robot.on_session.connect(lambda state: side.post(self._on_session, state))

    def _on_session(self, state: SessionState) -> None:
        if state.has_ended and not self.is_closed and state.cause is not Cause.REQUESTED:
            text = state.text or state.cause.value
            self._ended(ConnectionAborted(f"the link to the robot was lost: {text}"))

    def _ended(self, error: BaseException) -> None:
        """Let everything that waits, and what comes later, raise ``error``."""
        side = self._side
        assert side is not None
        if side.ended is None:
            side.end(error)
            is_wanted = isinstance(error, SDKShutdown)
            # Now: with the waiting the handlers end, too.
            self._deliver(EvtConnectionClosed(exc=None if is_wanted else error))
        _abort_futures(error, side)

    async def shutdown(self) -> None:
        """End the connection: everything stops."""
        if self.is_closed:
            return
        self.is_closed = True
        if self._robot is not None and self._robot.current_behavior is not None:
            self._robot.current_behavior.stop()
        self._ended(SDKShutdown("the program has ended"))
        await asyncio.wrap_future(self._engine.submit(self._engine.close()))
        settings.give_back(self._address)

    def abort(self, exc: BaseException) -> None:
        """End the connection with an error."""
        self._ended(exc)

    @property
    def is_connected(self) -> bool:
        return not self.is_closed and self._engine.session.phase is Phase.CONNECTED

    # -- the robot

    async def wait_for_robot(self, timeout: float = 5) -> Any:
        """Return the robot, off its charger unless the class ``Robot`` says otherwise."""
        self._raise_ended()
        async with self._making:
            if self._robot is None:
                await self._make_robot()
        robot = self._robot
        assert robot is not None
        if type(robot).drive_off_charger_on_connect:
            await robot.drive_off_charger_contacts(in_parallel=True).wait_for_completed()
        return robot

    async def _make_robot(self) -> None:
        engine = self._engine
        robot = self.robot_factory(self, 1, is_primary=True)
        if not isinstance(robot, Robot):
            raise TypeError("robot_factory makes a cozmo.robot.Robot")
        self._robot = robot
        self._dispatch_children.append(robot)
        self.dispatch_event(EvtRobotFound(robot=robot))

        async def listen() -> None:
            robot._listen()
            if settings.looks_early:
                engine.look()
                await engine.look_ahead()
            if settings.looks_for_faces:
                engine.look_for_faces()
            if settings.wants_cubes:
                await engine.connect_cubes()
            engine.darken_cubes()
            if settings.wants_images:
                await engine.warm_up()

        await asyncio.wrap_future(engine.submit(listen()))
        robot.world._on_cubes(engine.robot.cubes.all)
        robot._is_ready = True
        self.dispatch_event(EvtAnimationsLoaded())
        robot.dispatch_event(EvtRobotReady(robot=robot))

    @property
    def anim_triggers(self) -> Any:
        return Triggers.trigger_list

    def send_msg(self, *_: Any, **__: Any) -> None:
        """Raises ``NotPossibleHere``: there is no app that would understand it."""
        raise NotPossibleHere(
            "messages to the phone's app have no receiver: use what robot and world offer, or "
            "cozmo_driver.robot for the robot's own messages"
        )

    def configure_crash_reporter(self, *_: Any, **__: Any) -> None:
        logs.logger.debug("there is no crash reporter")
