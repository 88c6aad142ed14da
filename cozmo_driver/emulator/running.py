"""An emulator in a thread of its own, for tests and for programs without asyncio."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from ..media import DisplayImage
from .animation import PlayedKeyframe, PlayedSound
from .firmware import EmulatorState, Firmware
from .ground_truth import GroundTruth
from .options import EmulatorOptions, ImpairmentOptions
from .server import EmulatorServer
from .wifi import WIFI
from .world import World

_Result = TypeVar("_Result")
_RECHECK = 0.02
"""Seconds between two checks of a condition while nothing happens on the wire."""


class RunningEmulator:
    """Handle of an emulator that runs in another thread; every method may be called from any."""

    def __init__(self, server: EmulatorServer) -> None:
        """Start the thread and the server. Raises what ``EmulatorServer.start`` raises."""
        self._server = server
        self._changed = asyncio.Event()
        server.on_change = self._changed.set
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(
            target=self._loop.run_forever, name="cozmo-emulator", daemon=True
        )
        self._thread.start()
        try:
            self._run(server.start())
        except BaseException:
            self.close()
            raise
        self.host, self.port = server.host, server.port

    def state(self) -> EmulatorState:
        return self.call(lambda _: self._server.state())

    def lost_time(self) -> float:
        """Return the robot's seconds that passed without it: this computer was too busy."""
        return self.call(lambda _: self._server.lost_time)

    def truth(self) -> GroundTruth:
        """Return where everything really is now, in m and rad."""
        return self.call(lambda _: self._server.truth())

    def call(self, function: Callable[[Firmware], _Result]) -> _Result:
        """Run ``function(firmware)`` in the emulator's thread; return its result.

        For what no message does: ``lambda f: f.battery.put_on_charger(True)``.
        """

        async def work() -> _Result:
            return function(self._server.firmware)

        return self._run(work())

    def played_audio(self) -> list[PlayedSound]:
        """Return what the loudspeaker played, in unbroken pieces; the last ten minutes."""
        return self.call(lambda firmware: firmware.animation.recording.sounds())

    def shown_picture(self) -> DisplayImage:
        """Return what the face shows now: 64 rows of 128 pixels, 0 or 1."""
        return self.call(lambda firmware: firmware.display.picture)

    def played_pictures(self) -> list[tuple[float, DisplayImage]]:
        """Return the pictures that the face showed, with their times in s."""
        return self.call(lambda firmware: firmware.animation.recording.pictures())

    def played_keyframes(self) -> list[PlayedKeyframe]:
        """Return the keyframes that came up, executed or not, but for sounds."""
        return self.call(lambda firmware: list(firmware.animation.recording.keyframes))

    def wait_for(
        self, condition: Callable[[EmulatorState], bool], timeout: float = 60.0
    ) -> EmulatorState:
        """Wait until the condition holds; return the state it held in. Raises ``TimeoutError``."""

        async def wait() -> EmulatorState:
            end = self._loop.time() + timeout
            while not condition(state := self._server.state()):
                if self._loop.time() > end:
                    raise TimeoutError(f"not within {timeout} s; the emulator's state is {state}")
                self._changed.clear()
                recheck = self._loop.call_later(_RECHECK, self._changed.set)
                await self._changed.wait()
                recheck.cancel()
            return state

        return self._run(wait())

    def kill(self) -> None:
        """Switch the robot off in the middle of everything: silence, no goodbye, port closed."""
        self._run(self._server.stop())

    def restart(self) -> None:
        """Switch the robot on again (or off and on) on the same port; it has forgotten all."""

        async def again() -> None:
            await self._server.stop()
            await self._server.start()

        self._run(again())

    def close(self) -> None:
        """Switch the robot off and end the thread; may be called twice."""
        if self._loop.is_closed():
            return
        self.kill()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def _run(self, work: Coroutine[Any, Any, _Result]) -> _Result:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()


@contextmanager
def running_emulator(
    *,
    host: str = "127.0.0.1",
    port: int = 0,
    loss: float = 0.0,
    duplicate: float = 0.0,
    reorder: float = 0.0,
    latency: float = 0.0,
    uplink: ImpairmentOptions | None = None,
    downlink: ImpairmentOptions | None = None,
    wifi: str = "",
    world: World | None = None,
    speed: float = 1.0,
    **robot: Any,
) -> Iterator[RunningEmulator]:
    """Run an emulator for the time of a ``with`` block, by default on a free loopback port.

    ``loss``, ``duplicate``, ``reorder`` (shares) and ``latency`` (seconds) hold for both
    directions unless ``uplink`` or ``downlink`` is given; ``wifi`` names a profile of ``WIFI``
    and comes on top; ``world`` is where the robot is
    and ``speed`` how fast its time passes; everything else is a field of ``EmulatorOptions``.
    """
    both = ImpairmentOptions(loss=loss, duplicate=duplicate, reorder=reorder, latency=latency)
    emulator = RunningEmulator(
        EmulatorServer(
            EmulatorOptions(**robot),
            host=host,
            port=port,
            uplink=uplink or both,
            downlink=downlink or both,
            wifi=WIFI[wifi] if wifi else None,
            world=world,
            speed=speed,
        )
    )
    try:
        yield emulator
    finally:
        emulator.close()
