"""The MCP server: the acts as tools, status and events as resources, a log of the calls."""

from __future__ import annotations

import asyncio
import functools
import inspect
import json
import logging
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Any, Protocol

from mcp.server.mcpserver import Context, Image, MCPServer
from mcp.server.mcpserver.exceptions import ResourceError, ToolError, UnexpectedToolError
from mcp.server.subscriptions import InMemorySubscriptionBus, ResourceUpdated
from mcp.types import CallToolResult, InputRequiredResult, TextContent, ToolAnnotations
from pydantic import ValidationError

from .. import __version__
from ..protocol import ConnectionLost, NotConnected, SendQueueFull
from ..robot import MAX_WHEEL_SPEED, RobotError
from .data import Happening, Limits, Picture, Status

STATUS_URI, EVENTS_URI = "cozmo://status", "cozmo://events"
EVENTS_KEPT = 100
_LONGEST_LINE = 500
_EVENTS = f"the last {EVENTS_KEPT} things that happened to robot and cubes; age in s"
_log = logging.getLogger(__name__)

_READS = ToolAnnotations(read_only_hint=True)
_SHOWS = ToolAnnotations(read_only_hint=False, destructive_hint=False, idempotent_hint=True)
_SPEAKS = ToolAnnotations(read_only_hint=False, destructive_hint=False, idempotent_hint=False)
# What drives may push something over; what is sent there again stays there.
_MOVES = ToolAnnotations(read_only_hint=False, destructive_hint=True, idempotent_hint=False)
_PLACES = ToolAnnotations(read_only_hint=False, destructive_hint=True, idempotent_hint=True)

_TOOLS = {
    "where_am_i": _READS,
    "what_do_i_see": _READS,
    "look": _READS,
    "where_are_things": _READS,
    "find_clips": _READS,
    "list_songs": _READS,
    "list_games": _READS,
    "list_tricks": _READS,
    "how_stands_the_game": _READS,
    "drive": _MOVES,
    "turn": _MOVES,
    "undock": _MOVES,
    "play_clip": _MOVES,
    "sing": _MOVES,
    "dance": _MOVES,
    "play_game": _MOVES,
    "do_trick": _MOVES,
    "go_to": _PLACES,
    "move_head": _PLACES,
    "move_lift": _PLACES,
    "say": _SPEAKS,
    "express": _SHOWS,
    "light_backpack": _SHOWS,
    "light_cube": _SHOWS,
    "stop": _SHOWS,
}
"""Tools: those methods of the acts that there are. There is no other way to the robot."""
_WORDS = {
    "list_animations": "find_clips",
    "drive_distance": "drive",
    "turn_in_place": "turn",
    "go_to_pose": "go_to",
    "undock with force": "only its user can help",
}
"""What the robot's own texts call by names of ROS."""
_STRUCTURED = ("where_am_i", "what_do_i_see", "where_are_things", "list_games", "list_tricks")
_ERRORS = (RobotError, ValueError, ConnectionLost, NotConnected, SendQueueFull)


class ToolActs(Protocol):
    """The acts on one robot; of ``_TOOLS`` it has more."""

    limits: Limits

    async def where_am_i(self) -> Status: ...

    def on_event(self, callback: Callable[[Happening], object]) -> None: ...

    def halt(self) -> None: ...


class AssistantServer(MCPServer[Any]):
    """Offers the acts on one robot."""

    def __init__(self, acts: ToolActs) -> None:
        self.bus = InMemorySubscriptionBus()
        super().__init__(
            "cozmo",
            title="Cozmo",
            version=__version__,
            instructions=_instructions(acts.limits, has_tricks=hasattr(acts, "do_trick")),
            subscriptions=self.bus,
        )
        self._acts = acts
        self._events: deque[Happening] = deque(maxlen=EVENTS_KEPT)
        self._tools = {name: hints for name, hints in _TOOLS.items() if hasattr(acts, name)}
        for name, hints in self._tools.items():
            self.add_tool(
                _tool(getattr(acts, name)),
                name,
                description=" ".join((getattr(acts, name).__doc__ or "").split()),
                annotations=hints,
                structured_output=name in _STRUCTURED,
            )
        as_json = functools.partial(self.resource, mime_type="application/json")
        as_json(STATUS_URI, name="status", description="what where_am_i tells")(self._status)
        as_json(EVENTS_URI, name="events", description=_EVENTS)(self._recent_events)

    async def call_tool(
        self, name: str, arguments: dict[str, Any], context: Context[Any, Any] | None = None
    ) -> CallToolResult | InputRequiredResult:
        """Call a tool and log the call with its outcome."""
        outcome = "cancelled"
        try:
            self._check_names(name, arguments)
            result = await super().call_tool(name, arguments, context)
            outcome = _text_of(result)
            return result
        except UnexpectedToolError:
            outcome = "failed"  # the SDK logs it with its traceback
            raise
        except ToolError as error:
            outcome = _explain(name, error)
            raise ToolError(outcome) from error
        finally:
            call = json.dumps(arguments, default=repr)
            # A line of the log is one line, whatever a client sends.
            _log.info("%s %s: %s", *(_line(text) for text in (name, call, outcome)))

    async def publish_events(self) -> None:
        """Keep the robot's events, and notify those who subscribed to them, for ever."""
        happened = asyncio.Event()

        def on_event(event: Happening) -> None:
            self._events.append(event)
            happened.set()

        self._acts.on_event(on_event)
        while True:
            await happened.wait()
            happened.clear()
            await self.bus.publish(ResourceUpdated(uri=EVENTS_URI))

    def _check_names(self, tool: str, arguments: dict[str, Any]) -> None:
        """Refuse arguments that there are not: the SDK leaves them out: another act."""
        if tool in self._tools:
            known = inspect.signature(getattr(self._acts, tool)).parameters.keys()
            unknown = ", ".join(sorted(arguments.keys() - known))
            if unknown:
                has = ", ".join(sorted(known)) or "none"
                raise ToolError(f"{tool} has no argument {unknown}; it has {has}")

    async def _status(self) -> str:
        try:
            return (await self._acts.where_am_i()).model_dump_json()
        except RobotError as error:
            raise ResourceError(str(error)) from error

    async def _recent_events(self) -> str:
        now = asyncio.get_running_loop().time()
        return json.dumps(
            [
                {"age": round(now - event.time, 2), "type": event.type, "text": event.text}
                for event in self._events
            ]
        )


def _tool(act: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
    """Return the act as the SDK calls it: an error of the robot is an answer, a picture content."""

    @functools.wraps(act)
    async def call(**arguments: Any) -> Any:
        try:
            result = await act(**arguments)
        except _ERRORS as error:
            raise ToolError(_in_tools(str(error))) from error
        if isinstance(result, Picture):
            text = f"head at {result.head_angle:g} degrees, taken {result.age:g} s ago"
            return [Image(data=result.jpeg, format="jpeg"), text]
        return result

    return call


def _in_tools(text: str) -> str:
    """Return what the robot says with the names of tools."""
    for own, tool in _WORDS.items():
        text = text.replace(own, tool)
    return text


def _explain(tool: str, error: ToolError) -> str:
    """Return the error without the SDK's own words."""
    if isinstance(error.__cause__, ValidationError):
        wrong = (
            f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in error.__cause__.errors()
        )
        return "; ".join(wrong)
    return str(error).removeprefix(f"Error executing tool {tool}: ")


def _instructions(limits: Limits, *, has_tricks: bool) -> str:
    but = f"; games and tricks choose speed and way themselves, up to {MAX_WHEEL_SPEED:g} m/s"
    may = (
        f"It may be moved, at most {limits.max_distance:g} m in one act and at most "
        f"{limits.max_speed:g} m/s fast{but if has_tricks else ''}."
        if limits.allow_motion
        else "It may not be moved: the tools that do are refused."
    )
    return (
        "You act through Cozmo, a small robot on treads with a head camera, a lift, a face and a "
        f"loudspeaker, on somebody's table or floor. {may} Distances are in m, angles in degrees, "
        "positive to the left and up. Look before you drive. stop ends everything at once."
    )


def _text_of(result: CallToolResult | InputRequiredResult) -> str:
    contents = result.content if isinstance(result, CallToolResult) else []
    return ", ".join(one.text if isinstance(one, TextContent) else one.type for one in contents)


def _line(text: str) -> str:
    line = text.encode("unicode_escape").decode()
    return line if len(line) <= _LONGEST_LINE else f"{line[:_LONGEST_LINE]}..."
