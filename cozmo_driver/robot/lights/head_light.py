"""The infrared light beside the camera (spec 08 §2)."""

from __future__ import annotations

from ...protocol import messages
from ..session import Session


class HeadLight:
    """Switches the light; the robot tells nothing back."""

    def __init__(self, session: Session) -> None:
        """Send through ``session``."""
        self.is_on = False
        """What was asked for last; holds in every session."""
        self._session = session
        session.on_setup.connect(lambda _: self._apply())

    def set(self, on: bool) -> None:
        """Switch on or off, now and in later sessions. Raises ``SendQueueFull``."""
        self.is_on = on
        if self._session.link.is_connected:
            self._apply()

    def _apply(self) -> None:
        self._session.send(messages.SetHeadlight(self.is_on))
