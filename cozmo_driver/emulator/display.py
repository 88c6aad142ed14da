"""The face: shows pictures, and nothing any more when none came for half a minute (spec 04 §1)."""

from __future__ import annotations

from ..media.display_codec import Picture
from . import panel
from .core import Core

CLEARED_AFTER = 30.0
"""s without a new picture."""
_DARK = b"\x3f\x3f"


class Display:
    """128 x 64 pixels."""

    def __init__(self, core: Core) -> None:
        """Take part in the connection; dark until there is a picture."""
        self._core = core
        self._image = _DARK
        self._shown_at = core.now
        core.when_disconnected(self.clear)

    @property
    def picture(self) -> Picture:
        """What can be seen now: 64 rows of 128 pixels, 0 or 1."""
        is_old = self._core.now - self._shown_at >= CLEARED_AFTER
        return panel.draw(_DARK if is_old else self._image)

    @property
    def rows(self) -> Picture:
        """The same as 32 rows: of each pair of rows usually one is lit (spec 04 §3)."""
        picture = self.picture
        return picture[0::2] | picture[1::2]

    def show(self, image: bytes) -> None:
        """Show a coded picture."""
        self._image, self._shown_at = image, self._core.now

    def clear(self) -> None:
        """Go dark."""
        self._image = _DARK
