"""``cozmo.event``: events, handlers, waiting (spec 21 §6)."""

from __future__ import annotations

import asyncio
import functools
import inspect
import re
import weakref
from collections.abc import Callable, Iterator
from typing import Any

from . import logs
from .exceptions import SDKShutdown, StopPropogation
from .sync import Side, Synced, limited

DEFAULT_TIMEOUT = 30.0
"""s that ``wait_for`` waits."""
registered_events: dict[str, type[Event]] = {}
active_dispatchers: weakref.WeakSet[Dispatcher] = weakref.WeakSet()


class Event:
    """Something that happened; what belongs to it is an attribute of that name."""

    event_name = "Event"
    _recv_name = "recv_event"
    _parameters: frozenset[str] = frozenset()

    def __init_subclass__(cls, **named: Any) -> None:
        super().__init_subclass__(**named)
        if not cls.__name__.startswith("Evt"):
            raise ValueError(f"the name of an event begins with Evt, not as {cls.__name__}")
        if not (vars(cls).get("__doc__") or "").strip():
            raise ValueError(f"{cls.__name__} needs a docstring")
        known = registered_events.get(cls.__name__)
        if known is not None and known.__module__ != cls.__module__:
            raise ValueError(f"there is an event {cls.__name__} already")
        registered_events[cls.__name__] = cls
        words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", cls.__name__).lower()
        cls.event_name, cls._recv_name = cls.__name__, f"recv_{words}"
        own = {
            name
            for name, value in vars(cls).items()
            if not name.startswith("_") and not callable(value) and name != "event_name"
        }
        cls._parameters = cls._parameters | own

    def __init__(self, **parameters: Any) -> None:
        unknown = set(parameters) - self._parameters
        if unknown:
            raise ValueError(f"{self.event_name} has no {', '.join(sorted(unknown))}")
        self._values = {name: parameters.get(name) for name in self._parameters}
        vars(self).update(self._values)

    def _params(self) -> dict[str, Any]:
        return dict(self._values)

    def __repr__(self) -> str:
        values = " ".join(f"{name}={value}" for name, value in sorted(self._values.items()))
        return f"<{self.event_name}{' ' if values else ''}{values}>"


class Filter:
    """Events of a kind whose parameters equal values, or hold for tests."""

    def __init__(self, event: type[Event], **parameters: Any) -> None:
        if not (isinstance(event, type) and issubclass(event, Event)):
            raise TypeError("a filter takes the class of an event")
        unknown = set(parameters) - event._parameters
        if unknown:
            raise AttributeError(f"{event.__name__} has no {', '.join(sorted(unknown))}")
        self._event, self._tests = event, parameters

    def compare(self, event: Event) -> bool:
        return isinstance(event, self._event) and all(
            test(value) if callable(test) and not isinstance(test, type) else test == value
            for name, test in self._tests.items()
            for value in [getattr(event, name)]
        )


def _matches(wanted: type[Event] | Filter, event: Event) -> bool:
    return wanted.compare(event) if isinstance(wanted, Filter) else isinstance(event, wanted)


class Handler:
    """A handler that was added; ``disable`` removes it."""

    def __init__(self, dispatcher: Dispatcher | None, event: Any, function: Any) -> None:
        self._dispatcher, self._event, self._function = dispatcher, event, function

    def disable(self) -> None:
        if self._dispatcher is not None:
            self._dispatcher._handlers.pop(self, None)
            self._dispatcher = None

    @property
    def oneshot(self) -> bool:
        return getattr(self._function, "_is_oneshot", False)

    def _call(self, event: Event) -> Any:
        function = self._function
        wanted = getattr(function, "_filter", None)
        if wanted is not None and not wanted.compare(event):
            return None
        if self.oneshot:
            self.disable()
        if isinstance(function, asyncio.Future):
            self.disable()
            if not function.done():
                function.set_result(event)
            return None
        return function(event, **event._params())


def oneshot(function: Callable[..., Any]) -> Callable[..., Any]:
    """Let a handler be called once only."""

    @functools.wraps(function)
    def call(*values: Any, **named: Any) -> Any:
        return function(*values, **named)

    call._is_oneshot = True  # type: ignore[attr-defined]
    return call


def filter_handler(event: type[Event], **filters: Any) -> Callable[..., Any]:
    """Decorate a handler that is called for matching events only."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def call(*values: Any, **named: Any) -> Any:
            return function(*values, **named)

        call._filter = Filter(event, **filters)  # type: ignore[attr-defined]
        return call

    return decorate


class Dispatcher(Synced):
    """Calls handlers with events, and passes these on to its parent and children."""

    def __init__(
        self,
        *values: Any,
        dispatch_parent: Dispatcher | None = None,
        loop: asyncio.AbstractEventLoop | None = None,
        side: Side | None = None,
        **named: Any,
    ) -> None:
        super().__init__(*values, **named)
        if side is None and dispatch_parent is not None:
            side = dispatch_parent._side
        if side is None and loop is not None:
            side = Side(loop)
        self._side = side
        self._dispatch_parent = dispatch_parent
        self._dispatch_children: list[Dispatcher] = []
        self._handlers: dict[Handler, None] = {}
        self._futures: set[asyncio.Future[Any]] = set()
        active_dispatchers.add(self)

    @property
    def loop(self) -> asyncio.AbstractEventLoop:
        return self._loop

    @property
    def _loop(self) -> asyncio.AbstractEventLoop:
        return asyncio.get_event_loop() if self._side is None else self._side.loop

    def _set_parent_dispatcher(self, parent: Dispatcher | None) -> None:
        self._dispatch_parent = parent

    def add_event_handler(self, event: type[Event], f: Any) -> Handler:
        """Call ``f(event, **parameters)`` with every event of a class. Raises ``TypeError``."""
        if not (isinstance(event, type) and issubclass(event, Event)):
            raise TypeError(f"add_event_handler takes the class of an event, not {event!r}")
        if self._side is not None and self._side.ended is not None:
            return Handler(None, event, f)
        handler = Handler(self, event, f)
        self._handlers[handler] = None
        self._on_interest(event)
        return handler

    def remove_event_handler(self, event: type[Event], handler: Any) -> None:
        """Remove a handler, given itself or as its function; one that is not there is fine."""
        for one in list(self._handlers):
            if one is handler or (one._event is event and one._function == handler):
                one.disable()

    def dispatch_event(self, event: Any, **parameters: Any) -> None:
        """Let the handlers be called soon with an event, or with one that is made of its class."""
        if isinstance(event, type):
            event = event(**parameters)
        self._loop.call_soon(self._deliver, event)

    async def wait_for(
        self, event_or_filter: type[Event] | Filter, timeout: float | None = DEFAULT_TIMEOUT
    ) -> Any:
        """Return the next event. Raises ``asyncio.TimeoutError`` after ``timeout`` s."""
        self._raise_ended()
        wanted = event_or_filter
        kind = wanted._event if isinstance(wanted, Filter) else wanted
        if not (isinstance(kind, type) and issubclass(kind, Event)):
            raise TypeError(f"wait_for takes the class of an event or a Filter, not {wanted!r}")
        self._on_interest(kind)
        future: asyncio.Future[Any] = self._loop.create_future()

        def take(event: Event, **_: Any) -> None:
            if not future.done() and _matches(wanted, event):
                future.set_result(event)

        handler = Handler(self, kind, take)
        self._handlers[handler] = None
        self._futures.add(future)
        try:
            return await limited(future, timeout)
        finally:
            handler.disable()
            self._futures.discard(future)

    async def _until(self, done: asyncio.Event, timeout: float | None) -> None:
        """Wait. Raises ``asyncio.TimeoutError``, and why the connection has ended."""
        if done.is_set():
            return
        self._raise_ended()
        waiting = asyncio.ensure_future(done.wait())
        self._futures.add(waiting)
        try:
            await limited(waiting, timeout)
        except asyncio.CancelledError:
            if not done.is_set():
                self._raise_ended()
            raise
        finally:
            self._futures.discard(waiting)

    def _raise_ended(self) -> None:
        """Raise why the connection has ended, if it has: nothing comes any more."""
        if self._side is not None and self._side.ended is not None:
            raise self._side.ended from None

    def _on_interest(self, event: type[Event]) -> None:
        """Somebody wants events of a class."""
        if self._dispatch_parent is not None:
            self._dispatch_parent._on_interest(event)

    def _has_handlers(self, event: type[Event]) -> bool:
        # Another thread may ask, too.
        return any(issubclass(event, handler._event) for handler in list(self._handlers))

    # -- delivery

    def _deliver(self, event: Event) -> None:
        try:
            for dispatcher in self._route(set()):
                dispatcher._handle(event)
        except StopPropogation:
            pass

    def _route(self, visited: set[int]) -> Iterator[Dispatcher]:
        if id(self) in visited:
            return
        visited.add(id(self))
        yield self
        for child in tuple(self._dispatch_children):
            yield from child._route(visited)
        if self._dispatch_parent is not None:
            yield from self._dispatch_parent._route(visited)

    def _handle(self, event: Event) -> None:
        for handler in list(self._handlers):
            if handler in self._handlers and isinstance(event, handler._event):
                self._run(handler._call, event)
        own = getattr(self, event._recv_name, None) or getattr(self, "recv_default_handler", None)
        if own is not None:
            self._run(lambda event: own(event, **event._params()), event)

    def _run(self, function: Callable[[Event], Any], event: Event) -> None:
        try:
            result = function(event)
        except (StopPropogation, KeyboardInterrupt, SystemExit):
            raise
        except Exception as error:
            _tell_failure(f"A handler of {event.event_name} failed", error)
            return
        if inspect.iscoroutine(result):
            task = self._loop.create_task(result)
            task.add_done_callback(_log_failure)
            _running.add(task)

    def _abort_event_futures(self, error: BaseException) -> None:
        for future in list(self._futures):
            if isinstance(future, asyncio.Task):
                future.cancel()
            elif not future.done():
                future.set_exception(error)
        self._handlers.clear()


_told_failures: set[Any] = set()
_running: set[asyncio.Task[Any]] = set()
"""Handlers that are coroutines: the loop alone does not keep them."""


def _log_failure(task: asyncio.Task[Any]) -> None:
    _running.discard(task)
    error = None if task.cancelled() else task.exception()
    if error is not None and not isinstance(error, SDKShutdown):
        _tell_failure("A handler failed", error)


def _tell_failure(what: str, error: BaseException) -> None:
    """Log where a handler failed; the same again is told in one line."""
    last = error.__traceback__
    while last is not None and last.tb_next is not None:
        last = last.tb_next
    place = None if last is None else (last.tb_frame.f_code.co_filename, last.tb_lineno)
    if place in _told_failures:
        logs.logger.error("%s again: %s", what, error)
        return
    _told_failures.add(place)
    logs.logger.error("%s", what, exc_info=error)


def _abort_futures(error: BaseException, side: Side | None = None) -> None:
    """Let everything that waits for an event, or all of one connection, raise ``error``."""
    for dispatcher in list(active_dispatchers):
        if side is None or dispatcher._side is side:
            dispatcher._abort_event_futures(error)


async def wait_for_first(*futures: Any, discard_remaining: bool = True, loop: Any = None) -> Any:
    """Return the result of the first that is done; the others are cancelled, or left alone."""
    tasks = [asyncio.ensure_future(future) for future in futures]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        return next(task for task in tasks if task.done()).result()
    finally:
        if discard_remaining:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
