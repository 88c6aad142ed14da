"""Runs a program until it is asked to end: command line, signals, executor, orderly end."""

from __future__ import annotations

import argparse
import contextlib
import logging
import signal
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from queue import Empty, SimpleQueue
from types import FrameType
from typing import Protocol

import rclpy
from rclpy.exceptions import NameValidationException, ROSInterruptException
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions
from rclpy.utilities import remove_ros_args

from ..link import shorten_pauses
from ..signals import ending_signals
from .errors import StartError
from .parameter_set import ParameterSpec, Value

_log = logging.getLogger(__name__)

_USAGE_ERROR = 2
_ROS_USAGE = "[--ros-args -p NAME:=VALUE -r NAME:=NEW ...]"
_MOST_FAULTS = 50
"""So many errors of callbacks within a second end the node."""


class Program(Protocol):
    """A node and what belongs to it."""

    node: Node

    def run(self, stop: StopRequest) -> None:
        """Work in the main thread until the end is asked for."""

    def close(self) -> None:
        """End everything but the node; no callback of the node runs any more."""


class StopRequest:
    """Set by SIGINT, SIGTERM and SIGHUP, or by the program itself with an exit code.

    Signals come at any moment, also amid ``set`` and ``wait``, and several at once: one for each
    thread of a parent that died. A ``threading.Event`` waits for itself then, for ever.
    """

    def __init__(self) -> None:
        self._wakes: SimpleQueue[None] = SimpleQueue()
        self._is_set = False
        self.exit_code = 0

    def set(self, exit_code: int = 0) -> None:
        """Ask for the end; the first exit code that is not 0 counts."""
        self.exit_code = self.exit_code or exit_code
        self._is_set = True
        self._wakes.put(None)

    def wait(self, timeout: float | None = None) -> bool:
        """Return whether the end was asked for, at the latest after ``timeout`` s."""
        if not self._is_set:
            with contextlib.suppress(Empty):
                # Put back for others who wait.
                self._wakes.put(self._wakes.get(timeout=timeout))
        return self._is_set

    @property
    def is_set(self) -> bool:
        return self._is_set

    @contextlib.contextmanager
    def on_signals(self) -> Iterator[StopRequest]:
        """Let the signals set this; call in the main thread."""

        def handle(number: int, frame: FrameType | None) -> None:
            self.set()

        before = {number: signal.signal(number, handle) for number in ending_signals()}
        try:
            yield self
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


# -- command lines


def parser(name: str, description: str) -> argparse.ArgumentParser:
    """Return a parser that ends with 0 after ``--help`` and with 2 for what it does not know."""
    return argparse.ArgumentParser(
        prog=name,
        description=description,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )


def _node_parser(
    name: str, description: str, parameters: Iterable[ParameterSpec]
) -> argparse.ArgumentParser:
    made = parser(name, description)
    made.usage = f"{name} [-h] {_ROS_USAGE}"
    rows = "\n".join(f"  {parameter_text(spec)}" for spec in parameters)
    made.epilog = (
        "set parameters:\n"
        f"  {name} --ros-args -p NAME:=VALUE ...\n"
        f"  {name} --ros-args --params-file FILE.yaml\n"
        "rename topics, move them into a namespace:\n"
        f"  {name} --ros-args -r cmd_vel:=other -r __ns:=/cozmo1\n"
        "\nparameters, with what holds without them (* fixed while the node runs):\n" + rows
    )
    return made


def parse(of: argparse.ArgumentParser, words: Sequence[str]) -> argparse.Namespace:
    """Return what ``words``, program first, say besides the ROS arguments.

    Ends the program where help is asked for (0) or something is wrong (2, with a sentence).
    """
    try:
        own = list(remove_ros_args(list(words))[1:])
    except Exception as error:  # rclpy raises what its C layer says, of several classes
        print(f"{of.prog}: the ROS arguments cannot be read: {error}", file=sys.stderr)
        raise SystemExit(_USAGE_ERROR) from None
    return of.parse_args(own)


def parameter_text(spec: ParameterSpec) -> str:
    unit = f" {spec.unit}" if spec.unit else ""
    limits = "" if spec.low is None and spec.high is None else f", {spec.range_in_words()}"
    rule = f", {spec.rule}" if spec.rule else ""
    mark = "*" if spec.fixed else ""
    return f"{spec.name}{mark}: {_value_text(spec.default)}{unit}{limits}{rule}\n      {spec.text}"


def _value_text(value: Value) -> str:
    """Return a value as ``-p`` takes it."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return value or "''"
    if isinstance(value, tuple):
        return f"[{', '.join(map(str, value))}]"
    return str(value)


# -- running


def run_node(
    program: str,
    description: str,
    parameters: Iterable[ParameterSpec],
    make: Callable[[Node, StopRequest], Program],
    name: str,
    args: Sequence[str] | None = None,
) -> int:
    """Run the node ``name`` of a ``program`` that takes nothing but ROS arguments; see ``run``."""
    words = list(sys.argv if args is None else [program, *args])
    parse(_node_parser(program, description, parameters), words)

    def make_node(stop: StopRequest) -> Program:
        node = Node(name)
        try:
            return make(node, stop)
        except StartError:
            node.destroy_node()
            raise

    return run(make_node, words)


def run(make: Callable[[StopRequest], Program], words: Sequence[str]) -> int:
    """Run a program until a signal or its own request; return the exit code.

    ``words`` is the command line, program first. The executor spins in a thread of its own, because
    only the main thread receives signals, and only while it is not inside the middleware.
    """
    with StopRequest().on_signals() as stop:
        try:
            # The handlers of rclpy would end the middleware before the robot is stopped.
            rclpy.init(args=words, signal_handler_options=SignalHandlerOptions.NO)
        except Exception as error:  # rclpy raises what its C layer says, of several classes
            print(f"{error}", file=sys.stderr)
            return _USAGE_ERROR
        try:
            return _run_initialised(make, stop)
        finally:
            rclpy.try_shutdown()


def _run_initialised(make: Callable[[StopRequest], Program], stop: StopRequest) -> int:
    try:
        program = make(stop)
    except (StartError, NameValidationException) as error:
        print(f"cannot start: {error}", file=sys.stderr)
        return _USAGE_ERROR
    shorten_pauses()
    executor = SingleThreadedExecutor()
    executor.add_node(program.node)
    end = program.node.create_guard_condition(end_spinning)
    spinner = threading.Thread(target=spin, args=(executor, stop), name="executor")
    spinner.start()
    try:
        program.run(stop)
    except Exception:  # a fault: the node is closed in order all the same, and exits with 1
        _log.exception("the program failed")
        stop.set(1)
    finally:
        # An executor that is shut down while it spins fails.
        end.trigger()
        spinner.join()
        executor.shutdown()
        try:
            program.close()
        except Exception:
            _log.exception("the program did not end in order")
            stop.set(1)
        program.node.destroy_node()
    return stop.exit_code


class _EndOfSpinning(Exception):
    pass


def end_spinning() -> None:
    """End ``spin``: for a guard condition, whose callback the executor calls in its own thread.

    ``spin_until_future_complete`` would add a callback to its future in each round: 5 MB a minute.
    """
    raise _EndOfSpinning


def spin(executor: SingleThreadedExecutor, stop: StopRequest) -> None:
    """Spin until ``end_spinning`` or the end of the context; callbacks that fail are logged."""
    failed_at: deque[float] = deque(maxlen=_MOST_FAULTS)
    while not stop.exit_code:
        try:
            executor.spin()
            return
        except _EndOfSpinning:
            return
        except (ExternalShutdownException, ROSInterruptException):
            stop.set()
            return
        except Exception:  # a fault of one callback must not end the others
            _log.exception("a callback of the node failed")
            failed_at.append(time.monotonic())
            if len(failed_at) == _MOST_FAULTS and failed_at[-1] - failed_at[0] < 1.0:
                _log.critical("the node ends: it fails all the time")
                stop.set(1)
