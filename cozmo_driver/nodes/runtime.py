"""Runs a node until it is told to end: start, signals, executor, orderly end."""

from __future__ import annotations

import contextlib
import logging
import signal
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from types import FrameType
from typing import Protocol

import rclpy
from rclpy.exceptions import ROSInterruptException
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions

from .errors import SafetyError, StartError

_log = logging.getLogger(__name__)

USAGE_ERROR = 2
_MOST_FAULTS = 50
"""So many errors of callbacks within a second end the node."""


class Program(Protocol):
    """A node and what belongs to it."""

    node: Node

    def close(self) -> None:
        """End everything but the node; no callback of the node runs any more."""


class StopRequest:
    """Set by SIGINT and SIGTERM, or by the program itself with an exit code."""

    def __init__(self) -> None:
        """Start unset."""
        self._event = threading.Event()
        self.exit_code = 0

    def set(self, exit_code: int = 0) -> None:
        """Ask for the end; the first exit code that is not 0 counts."""
        self.exit_code = self.exit_code or exit_code
        self._event.set()

    def wait(self, timeout: float | None = None) -> bool:
        """Wait for the request; return whether it came."""
        return self._event.wait(timeout)

    @property
    def is_set(self) -> bool:
        """Tell whether the end was asked for."""
        return self._event.is_set()

    @contextlib.contextmanager
    def on_signals(self) -> Iterator[StopRequest]:
        """Let SIGINT and SIGTERM set this; call in the main thread."""

        def handle(number: int, frame: FrameType | None) -> None:
            self.set()

        before = {number: signal.signal(number, handle) for number in _SIGNALS}
        try:
            yield self
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


_SIGNALS = (signal.SIGINT, signal.SIGTERM)


def run(
    make: Callable[[StopRequest], Program],
    main: Callable[[StopRequest], None] | None = None,
    args: Sequence[str] | None = None,
) -> int:
    """Run a program until SIGINT, SIGTERM or its own request; return the exit code.

    The executor spins in a thread of its own, because only the main thread hears signals, and
    only while it is not inside the middleware. ``main`` runs in the main thread and should return
    when the end is asked for.
    """
    with StopRequest().on_signals() as stop:
        try:
            # The handlers of rclpy would end the middleware before the robot is stopped.
            rclpy.init(args=args, signal_handler_options=SignalHandlerOptions.NO)
        except Exception as error:  # rclpy raises what its C layer says, of several classes
            print(f"{error}", file=sys.stderr)
            return USAGE_ERROR
        try:
            return _run_initialised(make, main, stop)
        finally:
            rclpy.try_shutdown()


def _run_initialised(
    make: Callable[[StopRequest], Program],
    main: Callable[[StopRequest], None] | None,
    stop: StopRequest,
) -> int:
    try:
        program = make(stop)
    except StartError as error:
        print(f"cannot start: {error}", file=sys.stderr)
        return USAGE_ERROR
    executor = SingleThreadedExecutor()
    executor.add_node(program.node)
    spinner = threading.Thread(target=spin, args=(executor, stop), name="executor")
    spinner.start()
    try:
        if main is None:
            stop.wait()
        else:
            main(stop)
    except Exception:
        _log.exception("the program failed")
        stop.set(1)
    finally:
        executor.shutdown()
        spinner.join()
        program.close()
        program.node.destroy_node()
    return stop.exit_code


def spin(executor: SingleThreadedExecutor, stop: StopRequest) -> None:
    """Spin until the executor is shut down or ``stop`` is set; callbacks that fail are logged."""
    failed_at: deque[float] = deque(maxlen=_MOST_FAULTS)
    while not stop.exit_code:
        try:
            executor.spin()
            return
        except (ExternalShutdownException, ROSInterruptException):
            stop.set()
            return
        except SafetyError:
            _log.critical("the node ends", exc_info=True)
            stop.set(1)
        except Exception:
            _log.exception("a callback of the node failed")
            failed_at.append(time.monotonic())
            if len(failed_at) == _MOST_FAULTS and failed_at[-1] - failed_at[0] < 1.0:
                _log.critical("the node ends: it fails all the time")
                stop.set(1)
