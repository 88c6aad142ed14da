"""What was learnt of how robots' cameras are mounted, over sessions: a file for each head."""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import Callable
from pathlib import Path

from ..robot_bounds import MOUNT_BOUND
from ..whole_files import DAMAGED, read_document, write_document
from .kept_prints import load_prints, prints_path
from .world.frames import Mount
from .world.mounting import PRIOR, LearntMount, Mounting
from .world.objects import PrintedCube

_log = logging.getLogger(__name__)

_PERIOD = 10.0
"""s between two writings of the file."""
_FORMAT = "cozmo_driver camera mount"
_MOST_BYTES = 4096
_ANGLES = ("pitch", "roll", "yaw")


_Stamp = tuple[int, int]
"""When a file was written, ns, and its number: another writing has another one."""


class KeptMount:
    """Fetches what was learnt when it is known which robot it is, and keeps what is added.

    What another program has put into the file meanwhile, as a calibration, comes first. Everything
    in the loop; files are read and written in another thread.
    """

    def __init__(
        self,
        mounting: Mounting,
        directory: Path,
        on_prints: Callable[[dict[str, PrintedCube]], object],
    ) -> None:
        """``on_prints`` takes how the robot's cubes were printed, which is measured with it."""
        self._mounting, self._directory, self._on_prints = mounting, directory, on_prints
        self._serial = 0
        self._kept = 0
        """Sightings in the file."""
        self._stamp: _Stamp | None = None
        """Of the file as it was read or written here; None for no file."""
        self._prints: tuple[int, _Stamp | None] = 0, None
        """Serial number and file of the prints that were read last."""
        self._written_at = -math.inf
        self._work: asyncio.Task[None] | None = None

    def on_serial(self, serial: int) -> None:
        """Accept which robot it is, in each session."""
        if serial:
            self._work = asyncio.ensure_future(self._accept(serial, self._work))

    def update(self) -> None:
        """Write, if there is something new and the last time is a while ago."""
        now = asyncio.get_running_loop().time()
        is_busy = self._work is not None and not self._work.done()
        is_news = self._mounting.sightings != self._kept
        if is_news and not is_busy and now - self._written_at >= _PERIOD:
            self._written_at = now
            self._work = asyncio.ensure_future(self._sync())

    async def end(self) -> None:
        """Write what is new."""
        if self._work is not None:
            await asyncio.wait([self._work])
        await self._sync()

    async def _accept(self, serial: int, before: asyncio.Task[None] | None) -> None:
        if before is not None:
            await asyncio.wait([before])
        await self._sync()
        if serial != self._serial:
            await self._load(serial)
        prints = await asyncio.to_thread(_stamp_of, prints_path(self._directory, serial))
        if (serial, prints) != self._prints:
            self._prints = serial, prints
            self._on_prints(await asyncio.to_thread(load_prints, self._directory, serial))

    async def _load(self, serial: int) -> None:
        path = mount_path(self._directory, serial)
        self._stamp = await asyncio.to_thread(_stamp_of, path)
        learnt = await asyncio.to_thread(load_mount, self._directory, serial)
        # What was seen of the first robot before it told its number is its own.
        if learnt is not None or self._serial:
            self._mounting.restore(learnt)
        self._serial, self._kept = serial, learnt.sightings if learnt else 0

    async def _sync(self) -> None:
        """Write what is new, or take the file where another program has changed it."""
        if not self._serial:
            return
        path = mount_path(self._directory, self._serial)
        if await asyncio.to_thread(_stamp_of, path) != self._stamp:
            await self._load(self._serial)
            return
        learnt = self._mounting.learnt
        if learnt.sightings == self._kept:
            return
        self._kept = learnt.sightings
        try:
            await asyncio.to_thread(save_mount, self._directory, self._serial, learnt)
        except OSError as error:
            _log.warning("what was learnt of the camera is not kept: %s", error)
        self._stamp = await asyncio.to_thread(_stamp_of, path)


def _stamp_of(path: Path) -> _Stamp | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_ino


def mount_path(directory: Path, serial: int) -> Path:
    return directory / f"camera_mount-{serial:08x}.json"


def check_mount(learnt: LearntMount) -> None:
    """Raise ``ValueError`` for what no robot has, which is not used."""
    for name, deviation in zip(_ANGLES, learnt.deviations, strict=True):
        angle = getattr(learnt.mount, name)
        if not abs(angle) <= MOUNT_BOUND:
            raise ValueError(
                f"the camera's {name} is {math.degrees(angle):.1f} degrees; robots have "
                f"{math.degrees(MOUNT_BOUND):.0f} at most"
            )
        if not 0.0 < deviation <= 2 * max(PRIOR):
            raise ValueError(f"the camera's {name} cannot be known to {deviation:g} rad")
    if learnt.sightings < 0:
        raise ValueError(f"there are {learnt.sightings} sightings")


def load_mount(directory: Path, serial: int) -> LearntMount | None:
    """Return what was learnt of a robot; None for no file, or one that makes no sense."""
    path = mount_path(directory, serial)
    try:
        document = read_document(path, _FORMAT, serial, _MOST_BYTES)
        angles = [float(document[name]) for name in _ANGLES]
        pitch, roll, yaw = (float(document["deviations"][name]) for name in _ANGLES)
        learnt = LearntMount(Mount(*angles), (pitch, roll, yaw), int(document["sightings"]))
        check_mount(learnt)
    except FileNotFoundError:
        return None
    except DAMAGED as error:
        _log.warning("what was learnt of the camera in %s is not used: %s", path, error)
        return None
    return learnt


def forget_mount(directory: Path, serial: int) -> None:
    """Take away what was learnt of a robot. Raises ``OSError``."""
    mount_path(directory, serial).unlink(missing_ok=True)


def save_mount(directory: Path, serial: int, learnt: LearntMount) -> None:
    """Write the file in one step. Raises ``OSError``."""
    content = {
        **{name: round(getattr(learnt.mount, name), 6) for name in _ANGLES},
        "deviations": {
            name: round(value, 6) for name, value in zip(_ANGLES, learnt.deviations, strict=True)
        },
        "sightings": learnt.sightings,
    }
    write_document(mount_path(directory, serial), _FORMAT, serial, content)
