"""A network between browser and cockpit that can freeze: nothing arrives, nothing is closed."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from cozmo_driver.link import LoopThread


class Network:
    """Forwards TCP to a port of this computer; what is sent while it is frozen arrives later."""

    def __init__(self, port: int) -> None:
        self._server_port = port
        self._thread = LoopThread("network")
        self._flows = asyncio.Event()
        self._tasks: set[asyncio.Task[None]] = set()
        self._server = self._thread.submit(self._listen()).result()
        self.port: int = self._server.sockets[0].getsockname()[1]

    async def _listen(self) -> asyncio.Server:
        self._flows.set()
        return await asyncio.start_server(self._on_client, "127.0.0.1", 0)

    def freeze(self) -> None:
        self._thread.post(self._flows.clear)

    def thaw(self) -> None:
        self._thread.post(self._flows.set)

    def close(self) -> None:
        self._thread.submit(self._end()).result()
        self._thread.stop()

    async def _end(self) -> None:
        self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _on_client(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        with suppress(OSError, asyncio.CancelledError):
            await self._flows.wait()
            far_reader, far_writer = await asyncio.open_connection("127.0.0.1", self._server_port)
            await asyncio.gather(
                self._forward(reader, far_writer), self._forward(far_reader, writer)
            )

    async def _forward(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while data := await reader.read(65536):
                await self._flows.wait()
                writer.write(data)
                await writer.drain()
            await self._flows.wait()
        except OSError:
            await self._flows.wait()
        finally:
            writer.close()


@contextmanager
def running_network(port: int) -> Iterator[Network]:
    network = Network(port)
    try:
        yield network
    finally:
        network.thaw()
        network.close()
