"""What the personality publishes: state, mood, needs, health and decisions."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

from diagnostic_msgs.msg import DiagnosticArray
from rclpy.logging import LoggingSeverity
from rclpy.qos import QoSProfile

from cozmo_interfaces.msg import BehaviorState
from cozmo_interfaces.msg import Mood as MoodMessage
from cozmo_interfaces.msg import Needs as NeedsMessage

from ..resources import quoted
from ..ros.context import NodeContext
from ..ros.diagnostics import OK, WARN, Health, node_health, status_message
from ..ros.logs import Faults
from ..ros.topics import LATCHED
from .executor import Snapshot, State
from .ros_messages import behavior_state_message, mood_message, needs_message
from .ros_personality import Personality
from .trace import Decision, TraceFile

_DIGITS = 2
"""Of emotions and needs: what changes less is no news."""


class Publishers:
    """Publishes, logs and writes. In the loop; the engine's ``on_change`` comes here."""

    def __init__(self, context: NodeContext, faults: Faults, trace_file: TraceFile | None) -> None:
        """Offer the topics; without a file the trace is only logged."""
        self._context, self._faults, self._file = context, faults, trace_file
        node = context.node
        self._logger = node.get_logger()
        self._states = node.create_publisher(BehaviorState, "behavior/state", LATCHED)
        self._moods = node.create_publisher(MoodMessage, "behavior/mood", LATCHED)
        self._needs = node.create_publisher(NeedsMessage, "behavior/needs", LATCHED)
        self._health = node.create_publisher(DiagnosticArray, "/diagnostics", QoSProfile(depth=10))
        self._state: Snapshot | None = None
        self._mood: tuple[Any, ...] = ()
        self._lacks: tuple[Any, ...] = ()
        self._traced = 0
        self._usable: tuple[tuple[Any, ...], Health] | None = None

    def publish_state(self, snapshot: Snapshot) -> None:
        """Publish a state, unless it only differs in what the message does not hold."""
        state = replace(snapshot, reason="", step="")
        if state != self._state:
            self._state = state
            stamp = self._context.stamp_of(snapshot.since)
            self._states.publish(behavior_state_message(state, stamp))

    def publish_mood_and_needs(self, personality: Personality) -> None:
        mood, needs = personality.inner.mood, personality.inner.needs
        values, levels, brackets = mood.values, needs.levels, needs.brackets
        rounded = (*(round(v, _DIGITS) for v in values.values()), mood.simple_mood, mood.last_event)
        if rounded != self._mood:
            self._mood = rounded
            stamp = self._context.stamp_now()
            self._moods.publish(mood_message(values, mood.simple_mood, mood.last_event, stamp))
        lacks = (*(round(v, 3) for v in levels.values()), *brackets.values())
        if lacks != self._lacks:
            self._lacks = lacks
            self._needs.publish(needs_message(levels, brackets, self._context.stamp_now()))

    def report_decisions(self, personality: Personality) -> None:
        trace = personality.engine.trace
        count, self._traced = trace.total - self._traced, trace.total
        new = list(trace.decisions)[-count:] if count else []
        for decision in new:
            self._log(decision)
        if self._file is not None and new:
            try:
                # The engine's clock is the monotonic one; the computer's may be set at any time.
                self._file.append(new, time.time() - time.monotonic())
            except OSError as error:
                text = f"the trace is no longer written to {self._file.path}: {error}"
                self._logger.warning(text)
                self._file = None

    def _log(self, decision: Decision) -> None:
        if decision.kind == "activity" and decision.chosen:
            self._logger.info(f"activity: {decision.chosen}: {decision.reason}")
        # A ROS logger looks for its caller before it asks whether anybody listens.
        if self._logger.is_enabled_for(LoggingSeverity.DEBUG):
            self._logger.debug(str(decision))

    def publish_health(self, personality: Personality) -> None:
        whose = self._context.node.get_fully_qualified_name().lstrip("/")
        message = DiagnosticArray()
        message.header.stamp = self._context.stamp_now()
        message.status = [
            status_message(f"{whose}: life", "", life_health(personality)),
            status_message(f"{whose}: behaviors", "", self._behaviors_health(personality)),
            status_message(f"{whose}: node", "", node_health(self._faults)),
        ]
        self._health.publish(message)

    def _behaviors_health(self, personality: Personality) -> Health:
        """Check again only where the driver's animations have changed, or a behaviour broke."""
        depends_on = personality.body.triggers, len(personality.unsupported)
        if self._usable is None or self._usable[0] != depends_on:
            self._usable = depends_on, behaviors_health(personality)
        return self._usable[1]


def life_health(personality: Personality) -> Health:
    now = personality.engine.snapshot
    what = now.behavior_id or "nothing"
    if now.state is State.SUSPENDED:
        what = f"gives way to {now.suspended_by}"
    values = {
        "activity": now.activity,
        "behavior": now.behavior_id,
        "step": now.step,
        "reason": now.reason,
        "decisions": personality.engine.trace.total,
    }
    return Health(OK, f"{now.state.name.lower()}: {what}", values)


def behaviors_health(personality: Personality) -> Health:
    unsupported, warnings = personality.unsupported, personality.warnings
    behaviors = personality.engine.behaviors.values()
    clips = {name for one in behaviors for name in personality.missing_clips(one)}
    mute = [one.id for one in behaviors if personality.why_unsupported(one) and not one.missing]
    values = {
        "behaviors": len(behaviors),
        "never chosen": len(unsupported),
        "never chosen, names": quoted((one.id for one in unsupported), most=20),
        "without any clip": quoted(mute, most=20),
        "triggers without a clip": quoted(sorted(clips), most=20),
        "left out of files": quoted(warnings, most=10),
    }
    problems = [
        f"{len(mute)} behaviours without any clip" if mute else "",
        f"{len(warnings)} things of files left out" if warnings else "",
    ]
    text = ", ".join(one for one in problems if one)
    if text:
        return Health(WARN, text, values)
    return Health(OK, f"{len(behaviors) - len(unsupported)} of {len(behaviors)} usable", values)
