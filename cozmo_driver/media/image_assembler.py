"""Puts the chunks of camera images together (spec 03 §3)."""

from __future__ import annotations

from ..protocol import ImageResolution
from ..protocol.messages import ImageChunk

MAX_CHUNK = 1200
"""Largest data of one chunk, bytes."""
_MOST_STALE = 15
"""Stale images in a row, a second, after which it is the stamp before them that was wrong."""


class ImageAssembler:
    """Collects chunks; an image with a lost, repeated or reordered chunk is given up."""

    def __init__(self) -> None:
        self.complete = 0
        self.incomplete = 0
        """Images given up because a chunk was missing, invalid or out of turn."""
        self.stale = 0
        """Whole images older than the one before."""
        self._valid = False
        self.reset()

    def reset(self) -> None:
        """Begin a new stream: image ids and the robot's clock may start again; counters go on."""
        self._give_up()
        self._image_id: int | None = None
        self._parts: list[bytes] = []
        self._last_timestamp = 0
        self._stale_in_a_row = 0

    def add(self, chunk: ImageChunk) -> bytes | None:
        """Take a chunk; return the mini-JPEG of the image that it completes."""
        if chunk.image_id != self._image_id:
            self._give_up()
            self._image_id, self._parts, self._valid = chunk.image_id, [], True
        if not self._valid:
            return None
        if (
            chunk.chunk_id != len(self._parts)
            or len(chunk.data) > MAX_CHUNK
            or chunk.resolution != ImageResolution.QVGA
        ):
            self._give_up()
            return None
        self._parts.append(chunk.data)
        if not chunk.image_chunk_count or chunk.chunk_id != chunk.image_chunk_count - 1:
            return None
        self._valid = False
        if chunk.frame_time_stamp < self._last_timestamp and self._stale_in_a_row < _MOST_STALE:
            self.stale += 1
            self._stale_in_a_row += 1
            return None
        self._stale_in_a_row = 0
        self._last_timestamp = chunk.frame_time_stamp
        self.complete += 1
        return b"".join(self._parts)

    def _give_up(self) -> None:
        """Count an image that was begun and not completed."""
        self.incomplete += self._valid
        self._valid = False
