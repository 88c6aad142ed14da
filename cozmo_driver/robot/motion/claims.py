"""Who moves what: each actuator has one owner at a time, and the newer one wins."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from enum import IntEnum
from types import TracebackType

from ..data import RobotState
from ..errors import Reason, RobotError
from ..signal import Signal

_log = logging.getLogger(__name__)

_SILENCE = 3.0
"""Without a state for this long a movement cannot be watched, s."""
_GAP = 0.3
"""Longer gaps between states count as this much of ``Claim.time``, s: nothing is known of the
movement meanwhile; those of a healthy link are 0.35 s at most (spec 14). Not as nothing, so that
waiting ends where every state is late."""


class Owner(IntEnum):
    """Who may use an actuator; values of ``RobotStatus.OWNER_*``."""

    NONE = 0
    TOPIC = 1
    ACTION = 2
    ANIMATION = 3


class Claim:
    """The right to move one actuator, until left, aborted or taken over by a newer claim.

    A context manager: leaving it by an exception (a cancelled task too) halts the actuator.
    """

    def __init__(
        self, actuator: Actuator, owner: Owner, what: str, halt: Callable[[], None]
    ) -> None:
        self.actuator, self.owner, self.what = actuator, owner, what
        self.halt = halt
        """Stops the actuator; the claim goes on."""
        self._waiter: asyncio.Future[RobotState | None] | None = None
        self._ending: tuple[Reason, str] | None = None
        """Not the error itself: once raised it holds the frames it passed, and they hold this."""
        self._unseen = 0.0

    @property
    def is_held(self) -> bool:
        return self.actuator.claim_held is self

    @property
    def time(self) -> float:
        """The loop's time less that in which no state came, s: by it a robot is stuck or late.

        States that a Wi-Fi or a busy computer held back do not show where the robot is by now.
        """
        return asyncio.get_running_loop().time() - self._unseen

    async def next_state(self) -> RobotState:
        """Wait for the robot's next state. Raises ``RobotError`` when the claim has ended."""
        if self._ending is not None:
            raise RobotError(*self._ending)
        loop = asyncio.get_running_loop()
        waiter: asyncio.Future[RobotState | None] = loop.create_future()
        self._waiter = waiter
        begun = loop.time()
        timer = loop.call_later(_SILENCE, self.wake, None)
        try:
            state = await waiter
        finally:
            timer.cancel()
            self._waiter = None
            self._unseen += max(0.0, loop.time() - begun - _GAP)
        if self._ending is not None:
            raise RobotError(*self._ending)
        if state is None:
            raise RobotError(
                Reason.LINK_LOST,
                f"{self.what} ended: no state came from the robot for {_SILENCE:g} s",
            )
        return state

    def end(self, reason: Reason, text: str) -> None:
        """Halt the actuator and let whoever waits fail."""
        self._ending = reason, text
        self.halt()
        self.wake(None)

    def wake(self, state: RobotState | None) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(state)

    def __enter__(self) -> Claim:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self.is_held:
            if kind is not None:
                self.halt()
            self.actuator.release(self)


class Actuator:
    """Wheels, head or lift, and who moves it."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.claim_held: Claim | None = None
        self.on_owner: Signal[Owner] = Signal()

    @property
    def owner(self) -> Owner:
        return self.claim_held.owner if self.claim_held else Owner.NONE

    def claim(self, owner: Owner, what: str, halt: Callable[[], None]) -> Claim:
        """Claim the actuator from whoever has it.

        ``halt`` is called at once when the claim ends before its time; it must not raise.
        """
        old = self.claim_held
        self.claim_held = new = Claim(self, owner, what, halt)
        if old is not None:
            text = f"{what} took the {self.name} from {old.what}"
            _log.info("%s", text)
            old.end(Reason.SUPERSEDED, text)
        if (old.owner if old else Owner.NONE) is not owner:
            self.on_owner.emit(owner)
        return new

    def release(self, claim: Claim) -> None:
        """Give the actuator back; without effect for a claim that does not hold it."""
        if self.claim_held is claim:
            self.claim_held = None
            self.on_owner.emit(Owner.NONE)

    def abort(self, reason: Reason, text: str) -> None:
        """End the claim that holds the actuator, if any: it halts and fails with this reason."""
        claim, self.claim_held = self.claim_held, None
        if claim is not None:
            claim.end(reason, f"{claim.what} ended: {text}")
            self.on_owner.emit(Owner.NONE)

    def update(self, state: RobotState) -> None:
        if self.claim_held is not None:
            self.claim_held.wake(state)
