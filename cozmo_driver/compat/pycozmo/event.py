"""``pycozmo.event``: events, and who is told of them (spec 21 §10)."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from typing import Any

from . import logs
from .exception import Timeout

_WITH_STATE = {
    "IS_MOVING": "EvtRobotMovingChange",
    "IS_CARRYING_BLOCK": "EvtRobotCarryingBlockChange",
    "IS_PICKING_OR_PLACING": "EvtRobotPickingOrPlacingChange",
    "IS_PICKED_UP": "EvtRobotPickedUpChange",
    "IS_BODY_ACC_MODE": "EvtRobotBodyAccModeChange",
    "IS_FALLING": "EvtRobotFallingChange",
    "IS_ANIMATING": "EvtRobotAnimatingChange",
    "IS_PATHING": "EvtRobotPathingChange",
    "LIFT_IN_POS": "EvtRobotLiftInPositionChange",
    "HEAD_IN_POS": "EvtRobotHeadInPositionChange",
    "IS_ANIM_BUFFER_FULL": "EvtRobotAnimBufferFullChange",
    "IS_ANIMATING_IDLE": "EvtRobotAnimatingIdleChange",
    "IS_ON_CHARGER": "EvtRobotOnChargerChange",
    "IS_CHARGING": "EvtRobotChargingChange",
    "CLIFF_DETECTED": "EvtCliffDetectedChange",
    "ARE_WHEELS_MOVING": "EvtRobotWheelsMovingChange",
    "IS_CHARGER_OOS": "EvtChargerOOSChange",
}
_OTHERS = (
    "EvtRobotFound",
    "EvtRobotReady",
    "EvtPacketReceived",
    "EvtNewRawCameraImage",
    "EvtRobotStateUpdated",
    "EvtRobotOrientationChange",
    "EvtAudioCompleted",
    "EvtAnimationCompleted",
    "EvtReactionTrigger",
    "EvtBehaviorDone",
)


class Event:
    """Of every event."""


for _name in (*_WITH_STATE.values(), *_OTHERS):
    setattr(sys.modules[__name__], _name, type(_name, (Event,), {}))


def named(name: str) -> Any:
    return getattr(sys.modules[__name__], name)


def _status_events() -> dict[int, Any]:
    from .robot import RobotStatusFlag

    return {getattr(RobotStatusFlag, flag): named(name) for flag, name in _WITH_STATE.items()}


STATUS_EVENTS: dict[int, Any] = _status_events()


class Handler:
    """A handler that was added."""

    def __init__(self, function: Callable[..., Any], one_shot: bool = False) -> None:
        self.f, self.one_shot = function, one_shot


class Dispatcher:
    """Tells handlers of events and packets."""

    def __init__(self) -> None:
        super().__init__()
        self.dispatch_handlers: dict[Any, list[Handler]] = {}
        self.dispatch_children: list[Dispatcher] = []
        self._guard = threading.RLock()

    def add_handler(self, event: Any, f: Callable[..., Any], one_shot: bool = False) -> Handler:
        """Call ``f`` with every event or packet of a class, or with the next one only."""
        handler = Handler(f, one_shot)
        with self._guard:
            self.dispatch_handlers.setdefault(event, []).append(handler)
        return handler

    def del_handler(self, event: Any, handler: Handler) -> None:
        with self._guard:
            if handler in self.dispatch_handlers.get(event, []):
                self.dispatch_handlers[event].remove(handler)

    def del_all_handlers(self) -> None:
        with self._guard:
            self.dispatch_handlers.clear()

    def add_child_dispatcher(self, child: Dispatcher) -> None:
        self.dispatch_children.append(child)

    def del_child_dispatcher(self, child: Dispatcher) -> None:
        self.dispatch_children.remove(child)

    def dispatch(self, event: Any, *values: Any, **named: Any) -> None:
        """Call the handlers; what they raise is logged."""
        with self._guard:
            handlers = list(self.dispatch_handlers.get(event, []))
        for handler in handlers:
            if handler.one_shot:
                self.del_handler(event, handler)
            try:
                handler.f(*values, **named)
            except Exception:
                logs.logger.exception("A handler of %s failed", getattr(event, "__name__", event))
        for child in list(self.dispatch_children):
            child.dispatch(event, *values, **named)

    def wait_for(self, evt: Any, timeout: float | None = None) -> None:
        """Wait for the next event or packet of a class. Raises ``Timeout``."""
        came = threading.Event()
        handler = self.add_handler(evt, lambda *_, **__: came.set(), one_shot=True)
        if not came.wait(timeout):
            self.del_handler(evt, handler)
            raise Timeout(f"{getattr(evt, '__name__', evt)} did not come within {timeout} s")
