"""Keeps animations off the motors that somebody else moves (spec 07 §3)."""

from __future__ import annotations

from ...protocol import messages
from ...protocol.enums import AnimTrackFlag
from ..session import Session


class TrackLock:
    """Disables animation tracks in the robot while someone holds them."""

    def __init__(self, session: Session) -> None:
        """Send through ``session``; a new session starts with all tracks enabled."""
        self._session = session
        self._held: dict[str, AnimTrackFlag] = {}
        session.on_setup.connect(self._apply_all)

    @property
    def locked(self) -> AnimTrackFlag:
        """Tell which tracks are disabled."""
        union = AnimTrackFlag(0)
        for tracks in self._held.values():
            union |= tracks
        return union

    def hold(self, who: str, tracks: AnimTrackFlag) -> None:
        """Let ``who`` hold exactly these tracks; none gives them back."""
        before = self.locked
        if tracks:
            self._held[who] = tracks
        else:
            self._held.pop(who, None)
        after = self.locked
        if after & ~before:
            self._session.safety.send(messages.DisableAnimTracks(int(after & ~before)))
        if before & ~after:
            self._session.safety.send(messages.EnableAnimTracks(int(before & ~after)))

    def _apply_all(self, _: None) -> None:
        if self.locked:
            self._session.send(messages.DisableAnimTracks(int(self.locked)))
