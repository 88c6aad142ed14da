"""An emulator in the world ``room`` that is handled through its control socket."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager

from cozmo_driver.emulator import (
    ControlServer,
    EmulatorServer,
    World,
    find_world,
    load_layout,
    socket_path,
)
from cozmo_driver.link import LoopThread

from ..waiting import TIMEOUT


@asynccontextmanager
async def controlled_room() -> AsyncIterator[EmulatorServer]:
    async with AsyncExitStack() as stack:
        server = EmulatorServer(world=World(load_layout(find_world("room"))))
        await server.start()
        stack.push_async_callback(server.stop)
        control = ControlServer(server.control, socket_path(server.host, server.port))
        await control.start()
        stack.push_async_callback(control.stop)
        yield server


@contextmanager
def controlled_room_in_thread() -> Iterator[tuple[EmulatorServer, LoopThread]]:
    thread, stack = LoopThread("emulator"), AsyncExitStack()
    try:
        yield thread.run(stack.enter_async_context(controlled_room()), TIMEOUT), thread
    finally:
        thread.run(stack.aclose(), TIMEOUT)
        thread.stop()
