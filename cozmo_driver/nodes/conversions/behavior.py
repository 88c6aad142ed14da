"""The personality as messages."""

from __future__ import annotations

from collections.abc import Mapping

from builtin_interfaces.msg import Time

from cozmo_interfaces.msg import BehaviorInfo, BehaviorState
from cozmo_interfaces.msg import Mood as MoodMessage
from cozmo_interfaces.msg import Needs as NeedsMessage

from ...behavior.mood.emotions import Emotion
from ...behavior.needs.values import Bracket, Need
from ...behavior.running import Snapshot
from .headers import header


def behavior_state_message(snapshot: Snapshot, stamp: Time) -> BehaviorState:
    """Return what the personality is doing; ``stamp`` is when its state was entered."""
    return BehaviorState(
        header=header(stamp, ""),
        state=int(snapshot.state),
        is_enabled=snapshot.is_enabled,
        is_motion_allowed=snapshot.is_motion_allowed,
        activity=snapshot.activity,
        behavior_id=snapshot.behavior_id,
        behavior_class=snapshot.behavior_class,
        reaction=snapshot.reaction,
        resuming_behavior_id=snapshot.resuming,
        suspended_by=snapshot.suspended_by,
        locked_reactions=list(snapshot.locked),
    )


def mood_message(
    values: Mapping[Emotion, float], simple_mood: str, last_event: str, stamp: Time
) -> MoodMessage:
    """Return the mood."""
    return MoodMessage(
        header=header(stamp, ""),
        simple_mood=simple_mood,
        last_event=last_event,
        **{emotion.name.lower(): float(value) for emotion, value in values.items()},
    )


def needs_message(
    levels: Mapping[Need, float], brackets: Mapping[Need, Bracket], stamp: Time
) -> NeedsMessage:
    """Return the needs."""
    return NeedsMessage(
        header=header(stamp, ""),
        **{need.name.lower(): float(level) for need, level in levels.items()},
        **{f"{need.name.lower()}_bracket": int(one) for need, one in brackets.items()},
    )


def behavior_info_message(
    behavior_id: str,
    behavior_class: str,
    animations: tuple[str, ...],
    *,
    why_unsupported: str,
    why_not_now: str,
) -> BehaviorInfo:
    """Return one behaviour; ``why_not_now`` is why it could not start, empty where it could."""
    return BehaviorInfo(
        behavior_id=behavior_id,
        behavior_class=behavior_class,
        is_supported=not why_unsupported,
        is_runnable=not (why_unsupported or why_not_now),
        message=why_unsupported or why_not_now,
        animations=list(animations),
    )
