"""``cozmo.action``: what a robot does for a while (spec 21 §4)."""

from __future__ import annotations

import asyncio
import concurrent.futures
import itertools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from ...robot import Reason, RobotError
from . import logs
from .event import Dispatcher, Event
from .exceptions import RobotBusy
from .names import named_values

if TYPE_CHECKING:
    from ..engine import Engine
    from .robot import Robot

ACTION_IDLE = "action_idle"
ACTION_RUNNING = "action_running"
ACTION_SUCCEEDED = "action_succeeded"
ACTION_FAILED = "action_failed"
ACTION_ABORTING = "action_aborting"


class _ActionResult(NamedTuple):
    name: str
    id: int

    def __repr__(self) -> str:
        return f"ActionResults.{self.name}"


class ActionResults:
    """How actions end; the category is the highest byte of ``id``."""


for _name, _id in named_values("action_result").items():
    setattr(ActionResults, _name, _ActionResult(_name, _id))


def result_named(name: str) -> _ActionResult:
    result: _ActionResult = getattr(ActionResults, name)
    return result


_BY_REASON = {
    Reason.CANCELED: "CANCELLED_WHILE_RUNNING",
    Reason.SUPERSEDED: "INTERRUPTED",
    Reason.INVALID: "ABORT",
    Reason.NOT_FOUND: "BAD_OBJECT",
    Reason.NOT_ALLOWED: "ABORT",
    Reason.BUSY: "TRACKS_LOCKED",
    Reason.NOT_CONNECTED: "SEND_MESSAGE_TO_ROBOT_FAILED",
    Reason.LINK_LOST: "SEND_MESSAGE_TO_ROBOT_FAILED",
    Reason.TIMEOUT: "TIMEOUT",
    Reason.ESTOP: "CANCELLED_WHILE_RUNNING",
    Reason.CLIFF: "FAILED_TRAVERSING_PATH",
    Reason.PICKED_UP: "INVALID_OFF_TREADS_STATE",
    Reason.ON_CHARGER: "STILL_ON_CHARGER",
    Reason.OFF_CHARGER: "NOT_ON_CHARGER",
    Reason.BLOCKED: "MOTOR_STOPPED_MAKING_PROGRESS",
    Reason.MOTOR_DISABLED: "MOTOR_STOPPED_MAKING_PROGRESS",
    Reason.NOT_SEEN: "VISUAL_OBSERVATION_FAILED",
    Reason.NO_PATH: "PATH_PLANNING_FAILED_ABORT",
    Reason.MISSED: "LAST_PICK_AND_PLACE_FAILED",
    Reason.OBSTRUCTED: "PLACEMENT_GOAL_NOT_FREE",
    Reason.OUT_OF_REACH: "BAD_POSE",
}
_TEXTS = {
    "SUCCESS": (None, None),
    "CANCELLED_WHILE_RUNNING": ("cancelled", "Action was cancelled while running"),
    "NOT_STARTED": ("not_started", "Action was not started"),
    "RUNNING": ("running", "Action is running"),
    "TIMEOUT": ("timeout", "Action timed out"),
    "TRACKS_LOCKED": ("tracks_locked", "Action failed due to tracks locked"),
    "BAD_TAG": ("bad_tag", "Action failed due to bad tag"),
    "INTERRUPTED": ("interrupted", "Action was interrupted"),
}
_CATEGORIES = {3: "aborted", 4: "retry"}
_RETRY = 4


class EvtActionStarted(Event):
    """Triggered when a robot starts an action."""

    action = "The action that started"


class EvtActionCompleted(Event):
    """Triggered when a robot action has completed or failed."""

    action = "The action that completed"
    state = "The state of the action: ACTION_SUCCEEDED or ACTION_FAILED"
    failure_code = "A failure code such as cancelled"
    failure_reason = "A human-readable failure reason"


class Action(Dispatcher):
    """Something under way. ``wait_for_completed`` waits for its end, also for a bad one."""

    _tracks: frozenset[str] = frozenset()
    """What it needs of the robot for itself."""

    def __init__(self, num_retries: int = 0, **named: Any) -> None:
        super().__init__(**named)
        self._state = ACTION_IDLE
        self._num_retries = num_retries
        self._result: _ActionResult | None = None
        self._text: str | None = None
        self._completed_event: Event | None = None
        self._work: concurrent.futures.Future[Any] | None = None
        self._action_id = 0
        self._owner: ActionDispatcher | None = None
        self._finished: asyncio.Event = asyncio.Event()

    def _repr_values(self) -> str:
        return ""

    def __repr__(self) -> str:
        extra = self._repr_values()
        if self._state == ACTION_FAILED:
            extra = (
                f"{extra} failure_reason='{self.failure_reason[1]}' "
                f"failure_code={self.failure_reason[0]} result={self._result}"
            )
        return f"<{type(self).__name__} state={self._state[7:]} {extra.strip()}>"

    async def _do(self, engine: Engine) -> None:
        """What is done, in the robot's loop. Raises ``RobotError``, ``ValueError``."""
        raise NotImplementedError

    # -- what programs read

    @property
    def is_running(self) -> bool:
        return self._state == ACTION_RUNNING

    @property
    def is_completed(self) -> bool:
        return self._state in (ACTION_SUCCEEDED, ACTION_FAILED)

    @property
    def is_aborting(self) -> bool:
        return self._state == ACTION_ABORTING

    @property
    def has_succeeded(self) -> bool:
        return self._state == ACTION_SUCCEEDED

    @property
    def has_failed(self) -> bool:
        return self._state == ACTION_FAILED

    @property
    def state(self) -> str:
        return self._state

    @property
    def result(self) -> _ActionResult | None:
        return self._result

    @property
    def failure_reason(self) -> tuple[str | None, str | None]:
        """Return the code and the text of why it failed, None and None otherwise."""
        if self._state != ACTION_FAILED or self._result is None:
            return None, None
        category = _CATEGORIES.get(self._result.id >> 24, "unknown")
        known = _TEXTS.get(self._result.name)
        code, text = known or (category, f"Action failed: {self._result.name}")
        return code, f"{text} ({self._text})" if self._text else text

    # -- what programs call

    def abort(self, log_abort_messages: bool = False) -> None:
        """Let it end soon. Raises ``ValueError`` if it does not run."""
        if self._state not in (ACTION_RUNNING, ACTION_ABORTING):
            raise ValueError("Action isn't currently running")
        if log_abort_messages:
            logs.logger.info("Aborting action=%s", self)
        self._state = ACTION_ABORTING
        if self._work is not None:
            self._work.cancel()

    async def wait_for_completed(self, timeout: float | None = None) -> Any:
        """Return the ``EvtActionCompleted``. Raises ``asyncio.TimeoutError``; then it goes on."""
        await self._until(self._finished, timeout)
        return self._completed_event

    def on_completed(self, handler: Callable[..., Any]) -> Any:
        """Call a handler with the ``EvtActionCompleted``."""
        return self.add_event_handler(EvtActionCompleted, handler)

    # -- its life

    def _completed(self, result: _ActionResult, text: str = "") -> None:
        if self.is_completed:
            return
        self._result, self._text = result, text or None
        self._state = ACTION_SUCCEEDED if result.id == 0 else ACTION_FAILED
        code, reason = self.failure_reason
        if self._owner is not None:
            self._owner.forget(self)
        event = self._event(
            action=self, state=self._state, failure_code=code, failure_reason=reason
        )
        self._completed_event = event
        self._finished.set()
        self.dispatch_event(event)

    def _event(self, **values: Any) -> Event:
        return EvtActionCompleted(**values)


class ActionDispatcher:
    """Begins actions, and knows those that are under way."""

    _next_id = itertools.count(named_values("action_id").get("first", 1))

    def __init__(self, robot: Robot) -> None:
        self._robot = robot
        self.running: dict[int, Action] = {}

    @property
    def _busy(self) -> list[Action]:
        """What a new action waits for: none that is aborting (spec 21 §4)."""
        return [one for one in self.running.values() if not one.is_aborting]

    @property
    def has_in_progress(self) -> bool:
        return bool(self._busy)

    def start(self, action: Action, in_parallel: bool, num_retries: int = 0) -> Action:
        """Begin an action. Raises ``RobotBusy``."""
        self._robot._raise_ended()
        busy = self._busy
        if busy and not in_parallel:
            names = ", ".join(type(one).__name__ for one in busy)
            raise RobotBusy(
                f"Robot is already performing {len(busy)} action(s) {names}: wait for "
                "completion, or pass in_parallel=True"
            )
        action._num_retries = num_retries
        action._owner = self
        action._action_id = next(self._next_id)
        action._state = ACTION_RUNNING
        taken = {track for one in busy for track in one._tracks}
        self.running[action._action_id] = action
        self._robot.dispatch_event(EvtActionStarted(action=action))
        if action._tracks & taken:
            action._loop.call_soon(action._completed, result_named("TRACKS_LOCKED"))
        else:
            self._run(action)
        return action

    def _run(self, action: Action) -> None:
        engine = self._robot._engine
        work = action._work = engine.submit(_attempts(action, engine))
        side = self._robot._side
        assert side is not None
        work.add_done_callback(lambda done: side.post(action._completed, *_outcome(done)))

    def forget(self, action: Action) -> None:
        self.running.pop(action._action_id, None)

    def abort_all(self, log_abort_messages: bool = False) -> None:
        for action in list(self.running.values()):
            action.abort(log_abort_messages)

    async def wait_for_all(self) -> None:
        while self.running:
            await next(iter(self.running.values())).wait_for_completed()


async def _attempts(action: Action, engine: Engine) -> None:
    """Do it, and again after what may be tried again, as often as the program wants."""
    try:
        for left in range(action._num_retries, -1, -1):
            try:
                return await action._do(engine)
            except RobotError as error:
                if not left or result_of(error).id >> 24 != _RETRY:
                    raise
    finally:
        engine.refresh()


def result_of(error: RobotError) -> _ActionResult:
    return result_named(_BY_REASON.get(error.reason, "ABORT"))


class WrongResult(RobotError):
    """An action ended with a result that no ``Reason`` stands for."""

    def __init__(self, result: str, text: str = "", reason: Reason = Reason.NOT_ALLOWED) -> None:
        """``reason`` decides whether it is tried again."""
        super().__init__(reason, text)
        self.result = result_named(result)


def _outcome(work: concurrent.futures.Future[Any]) -> tuple[_ActionResult, str]:
    if work.cancelled():
        return result_named("CANCELLED_WHILE_RUNNING"), ""
    error = work.exception()
    if error is None:
        return result_named("SUCCESS"), ""
    if isinstance(error, WrongResult):
        return error.result, str(error)
    if isinstance(error, RobotError):
        return result_of(error), str(error)
    if isinstance(error, concurrent.futures.CancelledError | asyncio.CancelledError):
        return result_named("CANCELLED_WHILE_RUNNING"), ""
    if not isinstance(error, ValueError):
        logs.logger.error("an action failed", exc_info=error)
    return result_named("ABORT"), str(error)
