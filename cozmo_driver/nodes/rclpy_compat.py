"""What rclpy has no public name for, in the one place that a new ROS 2 may break."""

from __future__ import annotations

from typing import Any

from rclpy.impl.rcutils_logger import RcutilsLogger as Logger
from rclpy.subscription import Subscription

__all__ = ["Logger", "action_services", "take_message"]


def take_message(subscription: Subscription) -> Any:
    """Return the oldest message that waits for a subscription, None if there is none."""
    with subscription.handle:
        taken = subscription.handle.take_message(subscription.msg_type, subscription.raw)
    return None if taken is None else taken[0]


def action_services(action: Any) -> tuple[Any, Any]:
    """Return the services of an action type that a goal is sent and a result asked for with."""
    return action.Impl.SendGoalService, action.Impl.GetResultService
