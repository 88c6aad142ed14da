"""The robot's flash storage: read, and with permission write and erase (spec 09 §2-3).

Backup files are read and written in a thread: a slow disk delays nothing but the operation.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections import deque
from collections.abc import AsyncIterator, Callable, Set
from dataclasses import dataclass, field
from pathlib import Path

from ...installation import data_directory
from ...protocol import ConnectionLost, NotConnected, NVOperation, NVResult, messages
from ..errors import Reason, Refused, RobotError
from ..session import Session
from .backup import StorageBackup, load_backup, save_backup
from .rules import (
    BLOCK,
    ENTRY_HEADER_SIZE,
    MAX_BLOCKS,
    MAX_RETRIES,
    RETRIED_RESULTS,
    USER_ENTRIES,
    base_tag,
    check_change,
    check_read,
    entry_image,
    entry_name,
    first_read_length,
    is_erased,
    is_factory,
    join_blocks,
    parse_header,
    write_blocks,
)

_log = logging.getLogger(__name__)

_RETRY_PAUSE = 0.05
_PENDING = frozenset({NVResult.MORE, NVResult.SCHEDULED})


class StorageError(RobotError):
    """An operation that failed, at the robot or on the way; ``reason`` is for programs.

    ``result`` is the robot's own code where it gave one, else 0; ``backup_file`` holds the content
    from before the operation.
    """

    def __init__(
        self, reason: Reason, text: str, result: int = 0, backup_file: Path | None = None
    ) -> None:
        super().__init__(reason, text)
        self.result, self.backup_file = result, backup_file


@dataclass(frozen=True, slots=True)
class StorageOptions:
    allow_write: bool = False
    """Writing and erasing need this and a confirmation with every call."""
    backup_directory: Path = field(default_factory=lambda: data_directory() / "backups")
    """Where the old content goes before anything is erased."""
    timeout: float = 5.0
    """Without a reply for so long an operation has failed, s."""


@dataclass(frozen=True, slots=True)
class StorageChange:
    tag: int
    changed: bool
    """False when the entry held this already; nothing was erased or written then."""
    backup_file: Path | None
    """The content from before; None when there was none."""


@dataclass(frozen=True, slots=True)
class StorageDifference:
    """An entry in the robot and in a file, as each lies in flash; None for an empty one."""

    tag: int
    robot: bytes | None
    file: bytes | None


OnProgress = Callable[[int, int], object]
"""Called with the entries that are done and with how many there are."""


class Storage:
    """One operation at a time; the others wait. Lives in the session's loop."""

    def __init__(self, session: Session, options: StorageOptions) -> None:
        self.options = options
        self._session = session
        self._turn = asyncio.Lock()
        self._expected: messages.NVCommand | None = None
        self._replies: deque[messages.NVOpResult] = deque()
        session.on(messages.NVOpResult, self._on_reply)

    # -- what a program does with it

    async def read(self, tag: int) -> bytes | None:
        """Return the data of an entry without its header; None when it is empty.

        A user entry's data is padded with zeros to whole words. Raises ``Refused``,
        ``StorageError`` and ``ConnectionLost``.
        """
        check_read(tag)
        self._session.check_ready()
        async with self._operation():
            image = await self._read_image(tag)
        if image is None or is_factory(tag):
            return image
        header = parse_header(image, tag)
        if header is None:
            _log.warning("%s has no valid header and counts as empty", entry_name(tag))
            return None
        return image[ENTRY_HEADER_SIZE : ENTRY_HEADER_SIZE + header.size]

    async def write(self, tag: int, data: bytes, confirmation: str) -> StorageChange:
        """Replace the data of a user entry, after saving the old one, and read it back.

        ``confirmation`` is the tag as text, e.g. ``0x182000``. Raises as ``read``; a refusal comes
        before anything is sent.
        """
        self._check(NVOperation.WRITE, tag, confirmation, len(data))
        async with self._operation():
            old = await self._read_image(tag)
            header = parse_header(old, tag) if old is not None else None
            return await self._replace(tag, old, entry_image(data, header))

    async def erase(self, tag: int, confirmation: str) -> StorageChange:
        """Empty a user entry, after saving its content, and read it back. Raises as ``write``."""
        self._check(NVOperation.ERASE, tag, confirmation, 0)
        async with self._operation():
            return await self._replace(tag, await self._read_image(tag), None)

    async def backup(self, path: Path, on_progress: OnProgress = lambda *_: None) -> StorageBackup:
        """Save every user entry to a new file. Raises as ``read``, and ``OSError``."""
        async with self._operation():
            images: dict[int, bytes | None] = {}
            for done, tag in enumerate(USER_ENTRIES, 1):
                images[tag] = await self._read_image(tag)
                on_progress(done, len(USER_ENTRIES))
        return await asyncio.to_thread(save_backup, path, self._session.identity, images)

    async def compare(
        self, path: Path, *, of_another: bool = False, on_progress: OnProgress = lambda *_: None
    ) -> list[StorageDifference]:
        """Return every entry of a backup beside the robot's own; nothing is changed.

        ``of_another`` takes a file of another robot. Raises as ``read``, and ``RobotError``.
        """
        saved = await self._load(path, of_another)
        found: list[StorageDifference] = []
        async with self._operation():
            for tag, image in saved.images.items():
                found.append(StorageDifference(tag, await self._read_image(tag), image))
                on_progress(len(found), len(saved.images))
        return found

    async def restore(
        self,
        path: Path,
        confirmation: str,
        *,
        of_another: bool = False,
        on_progress: OnProgress = lambda *_: None,
    ) -> list[StorageChange]:
        """Put every entry back as it is in a file that ``backup`` or a change wrote.

        The file must be of this robot, unless ``of_another``, and ``confirmation`` the serial
        number of this robot's head in hexadecimal, e.g. ``0x45a1b2c3``. Raises as ``write``, and
        ``RobotError``.
        """
        saved = await self._load(path, of_another)
        self._check_restore(saved, confirmation)
        changes: list[StorageChange] = []
        async with self._operation():
            for tag, image in saved.images.items():
                changes.append(await self._replace(tag, await self._read_image(tag), image))
                on_progress(len(changes), len(saved.images))
        return changes

    @contextlib.asynccontextmanager
    async def paused(self) -> AsyncIterator[None]:
        """Let the running operation end and start no other while the block runs."""
        async with self._turn:
            yield

    async def settled(self) -> None:
        """Wait for the end of the running operation."""
        async with self.paused():
            pass

    # -- refusals

    def _check(self, operation: NVOperation, tag: int, confirmation: str, size: int) -> None:
        allowed = self.options.allow_write
        check_change(operation, tag, allowed=allowed, confirmation=confirmation, size=size)
        self._session.check_ready()

    async def _load(self, path: Path, of_another: bool) -> StorageBackup:
        saved = await asyncio.to_thread(load_backup, path)
        self._session.check_ready()
        serial = self._session.identity.head_serial
        if saved.head_serial != serial and not of_another:
            raise RobotError(
                Reason.INVALID,
                f"{path} is of the robot {saved.head_serial:#x}, this one is {serial:#x}",
            )
        return saved

    def _check_restore(self, saved: StorageBackup, confirmation: str) -> None:
        for tag in saved.images:
            self._check(NVOperation.WRITE, tag, f"{tag:#x}", 0)
        serial = self._session.identity.head_serial
        if confirmation.strip().lower() != f"{serial:#x}":
            raise Refused(
                Reason.NOT_ALLOWED,
                f"confirm with the serial number of the head as text, '{serial:#x}'",
            )

    @contextlib.asynccontextmanager
    async def _operation(self) -> AsyncIterator[None]:
        async with self._turn:
            self._session.check_ready()
            yield

    # -- one entry

    async def _replace(self, tag: int, old: bytes | None, new: bytes | None) -> StorageChange:
        """Make an entry equal to ``new``. A caller that is cancelled waits for the end of it."""
        if old == new:
            return StorageChange(tag, False, None)
        backup = None if old is None else await self._save(tag, old)
        change = asyncio.ensure_future(self._change(tag, new, backup))
        given_up: asyncio.CancelledError | None = None
        while not change.done():
            try:
                await asyncio.wait({change})
            except asyncio.CancelledError as cancelled:
                # Half a change would be worse than one whose caller is gone.
                given_up = cancelled
        if given_up is not None:
            error = None if change.cancelled() else change.exception()
            if error is None:
                _log.warning("%s was changed although its caller gave up", entry_name(tag))
            else:
                _log.error("%s", error)
            raise given_up
        change.result()
        return StorageChange(tag, True, backup)

    async def _change(self, tag: int, new: bytes | None, backup: Path | None) -> None:
        saved = f"; the old content is in {backup}" if backup else ""
        try:
            await self._erase(tag)
            for address, block in write_blocks(tag, new or b""):
                await self._write_block(tag, address, block)
            if await self._read_image(tag) != new:
                raise StorageError(
                    Reason.CORRUPT, f"{entry_name(tag)} does not read back as it was written"
                )
        except StorageError as error:
            raise StorageError(error.reason, f"{error}{saved}", error.result, backup) from error
        except ConnectionLost as error:
            text = f"the connection broke while {entry_name(tag)} was changed{saved}"
            raise StorageError(Reason.LINK_LOST, text, backup_file=backup) from error

    async def _save(self, tag: int, image: bytes) -> Path:
        identity = self._session.identity
        path = self.options.backup_directory / f"{identity.head_serial:08x}-{tag:06x}.json"
        try:
            saved = await asyncio.to_thread(
                save_backup, path, identity, {tag: image}, numbered=True
            )
        except OSError as error:
            raise Refused(
                Reason.NOT_ALLOWED,
                f"nothing was changed: the old content of {entry_name(tag)} cannot be saved to "
                f"{path}: {error.strerror}",
            ) from error
        self._session.check_ready()
        if self._session.identity.head_serial != identity.head_serial:
            raise Refused(
                Reason.NOT_CONNECTED, "nothing was changed: another robot has connected meanwhile"
            )
        return saved.path

    async def _read_image(self, tag: int) -> bytes | None:
        """Return an entry as it lies in flash, header included; None when it is empty.

        What has no valid header is returned whole, up to the end of the entry.
        """
        header_size = 0 if is_factory(tag) else ENTRY_HEADER_SIZE
        content = await self._read(tag, first_read_length(tag), header_size)
        if content is None or is_factory(tag):
            return content
        if is_erased(content):
            return None
        header = parse_header(content, tag)
        size = USER_ENTRIES[tag] if header is None else header.image_size
        if len(content) < size:
            content = await self._read(tag, size, size)
        return None if content is None else content[:size]

    # -- one command

    async def _read(self, tag: int, length: int, at_least: int) -> bytes | None:
        """Read once, again where a block is missing; None for an entry that is not there."""
        command = messages.NVCommand(tag, length, NVOperation.READ, 0, b"")
        for _ in range(1 + MAX_RETRIES):
            result, blocks = await self._perform(command, {NVResult.OKAY, NVResult.NOT_FOUND})
            if result == NVResult.NOT_FOUND:
                return None
            content = join_blocks(tag, blocks)
            if content is not None and len(content) >= at_least:
                return content
            _log.info("a block of %s is missing; reading it again", entry_name(tag))
        raise StorageError(Reason.CORRUPT, f"the robot leaves out blocks of {entry_name(tag)}")

    async def _erase(self, tag: int) -> None:
        command = messages.NVCommand(tag, USER_ENTRIES[tag], NVOperation.ERASE, 0, b"")
        # The last two are of an entry that is empty already.
        await self._perform(command, {NVResult.OKAY, NVResult.NOT_FOUND, NVResult.NO_DO})

    async def _write_block(self, tag: int, address: int, block: bytes) -> None:
        check_change(NVOperation.WRITE, tag, allowed=True, confirmation=f"{tag:#x}")
        command = messages.NVCommand(address, len(block), NVOperation.WRITE, 0, block)
        await self._perform(command, {NVResult.OKAY, NVResult.MORE})

    async def _perform(
        self, command: messages.NVCommand, accepted: Set[int]
    ) -> tuple[int, dict[int, bytes]]:
        """Send a command, again while the robot has neither time nor memory for it.

        Returns its result and the data that came, by block. Raises ``StorageError`` for a result
        that is not ``accepted``.
        """
        for attempt in range(1 + MAX_RETRIES):
            if attempt:
                await asyncio.sleep(_RETRY_PAUSE)
            result, blocks = await self._perform_once(command)
            if result in accepted:
                return result, blocks
            if result not in RETRIED_RESULTS:
                break
        try:
            name = f"{NVResult(result).name} ({result})"
        except ValueError:
            name = str(result)
        what = f"{NVOperation(command.op).name.lower()} {entry_name(command.tag)}"
        raise StorageError(Reason.ROBOT_ERROR, f"the robot answered {name} to {what}", result)

    async def _perform_once(self, command: messages.NVCommand) -> tuple[int, dict[int, bytes]]:
        blocks: dict[int, bytes] = {}
        self._expected = command
        self._replies.clear()
        pending = _PENDING if command.op != NVOperation.WRITE else {NVResult.SCHEDULED}
        session = self._session
        try:
            # A full queue must not end a change half-way.
            await session.until(lambda: session.link.room > 0, self.options.timeout)
            session.send(command)
            while True:
                await session.until(lambda: bool(self._replies), self.options.timeout)
                reply = self._replies.popleft()
                if reply.data and 0 <= reply.block < MAX_BLOCKS:
                    blocks[reply.block] = reply.data[:BLOCK]
                if reply.result not in pending:
                    return reply.result, blocks
        except NotConnected as error:
            raise ConnectionLost(str(error)) from error
        except TimeoutError:
            raise StorageError(
                Reason.TIMEOUT,
                f"the robot did not answer about {entry_name(command.tag)} for "
                f"{self.options.timeout:g} s",
            ) from None
        finally:
            self._expected = None

    def _on_reply(self, reply: messages.NVOpResult, now: float) -> None:
        """Keep replies to what was asked; late ones of an earlier operation are dropped."""
        command = self._expected
        if command is None or reply.op != command.op:
            return
        if base_tag(reply.tag) == base_tag(command.tag):
            self._replies.append(reply)
