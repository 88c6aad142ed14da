"""``pycozmo.conn``: packets to and from the robot (spec 21 §10).

The session is ours: it connects, starts the robot and keeps the link; packets go through it.
Handlers are called on one thread, as PyCozmo's are.
"""

from __future__ import annotations

import queue
import threading
from typing import Any

from ...protocol import ConnectionLost, NotConnected, SendQueueFull, all_specs
from ...robot import Phase, RobotError
from ..engine import Engine
from ..settings import settings
from . import logs, protocol_encoder
from .event import Dispatcher, named
from .exception import ConnectionTimeout, InvalidOperation
from .protocol_encoder import Packet

ROBOT_ADDR = ("172.31.1.1", 5551)
IDLE, CONNECTING, CONNECTED = 1, 2, 3


class Connection(Dispatcher):
    """A link to one robot."""

    IDLE, CONNECTING, CONNECTED = IDLE, CONNECTING, CONNECTED

    def __init__(
        self,
        robot_addr: tuple[str, int] | None = None,
        protocol_log_messages: Any = None,
        server: bool = False,
        **_: Any,
    ) -> None:
        super().__init__()
        if server:
            raise NotImplementedError(
                "a connection that is a robot itself is not here: run cozmo emulator instead"
            )
        self.robot_addr = robot_addr
        self._taken: tuple[str, int] | None = None
        self._engine: Engine | None = None
        self._events: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        self.client: Any = self

    @property
    def state(self) -> int:
        engine = self._engine
        if engine is None:
            return IDLE
        return CONNECTED if engine.is_open else CONNECTING

    @property
    def engine(self) -> Engine:
        if self._engine is None or not self._engine.is_open:
            raise InvalidOperation("there is no connection: call connect first")
        return self._engine

    # -- its life

    def start(self) -> None:
        """Begin to call handlers."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="pycozmo", daemon=True)
            self._thread.start()

    def connect(self) -> None:
        """Connect. Raises ``ConnectionTimeout``."""
        address = self.robot_addr
        if address is None:
            address = self._taken = settings.take()
        if address is None:
            raise ConnectionTimeout("every robot is taken: name another one with --robot")
        engine = self._engine = Engine(*address)
        try:
            # Cubes are the program's to connect.
            engine.submit(engine.open(cubes=())).result()
        except (RobotError, ValueError, OSError) as error:
            self._engine = None
            self._give_back()
            raise ConnectionTimeout(f"{address[0]}:{address[1]}: {error}") from None
        engine.submit(self._listen(engine)).result()

    async def _listen(self, engine: Engine) -> None:
        robot = engine.robot
        for spec in all_specs():
            if spec.direction.value == "robot to engine":
                robot.session.on(spec.cls, lambda message, _: self._events.put(message))
        robot.on_image.connect(self._events.put)
        robot.on_session.connect(self._on_session)

    def _on_session(self, state: Any) -> None:
        if state.phase is Phase.CONNECTED:
            return
        logs.logger.debug("the link: %s", state.text)

    def disconnect(self) -> None:
        """End the connection; the robot stands."""
        engine, self._engine = self._engine, None
        if engine is not None:
            engine.submit(engine.close()).result()
        self._give_back()

    def _give_back(self) -> None:
        if self._taken is not None:
            settings.give_back(self._taken)
            self._taken = None

    def stop(self) -> None:
        """End calling handlers."""
        if self._thread is not None:
            self._events.put(None)
            if threading.current_thread() is not self._thread:
                self._thread.join(5.0)
            self._thread = None

    # -- packets and events

    def send(self, packet: Packet) -> None:
        """Send a packet. Raises ``ValueError`` for one that is never sent."""
        engine = self.engine
        if self._send_specially(engine, packet):
            return
        message = protocol_encoder.to_message(packet)
        engine.post(_sent, engine, message)

    def _send_specially(self, engine: Engine, packet: Packet) -> bool:
        """Carry out by our own means what these keep an eye on."""
        name, robot = type(packet).__name__, engine.robot
        if name == "ObjectConnect":
            engine.submit(_connect(engine, packet))
        elif name == "EnableCamera":
            is_on = bool(protocol_encoder._plain(packet.image_send_mode))  # type: ignore[attr-defined]
            engine.post(engine.stream, is_on)
        elif name == "EnableColorImages":
            engine.post(robot.camera.set_color, bool(packet.enable))  # type: ignore[attr-defined]
        elif name in ("Enable", "EnableAnimationState"):
            # The session has done it.
            pass
        else:
            return False
        return True

    def post_event(self, event: Any, *values: Any) -> None:
        """Dispatch an event on the thread of the handlers."""
        self._events.put((event, values))

    def _run(self) -> None:
        while (item := self._events.get()) is not None:
            try:
                self._tell(item)
            except Exception:
                logs.logger.exception("An event was lost")

    def _tell(self, item: Any) -> None:
        if type(item) is tuple:
            event, values = item
            self.dispatch(event, self.client, *values)
            return
        if hasattr(item, "jpeg"):
            if self.client is not self:
                self.client._on_image(item)
            return
        packet = protocol_encoder.from_message(item)
        if packet is not None:
            if self.client is not self:
                self.client._before(packet)
            self.dispatch(type(packet), self.client, packet)
            self.dispatch(named("EvtPacketReceived"), self.client, packet)
            if self.client is not self:
                self.client._after(packet)


def _sent(engine: Engine, message: Any) -> None:
    try:
        engine.robot.session.send(message)
    except (ConnectionLost, NotConnected, SendQueueFull, ValueError) as error:
        logs.logger.warning("%s was not sent: %s", type(message).__name__, error)


async def _connect(engine: Engine, packet: Any) -> None:
    """Connect a cube or charger by its factory id, or let go of it."""
    cubes = engine.robot.cubes
    try:
        if packet.connect:
            await cubes.connect(factory_id=packet.factory_id)
        else:
            await cubes.disconnect(factory_id=packet.factory_id)
    except RobotError as error:
        logs.logger.warning("%s", error)
