"""The tests' own client of actions."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from rclpy.action import ActionClient

from cozmo_interfaces.action import MoveHead

from . import goals
from .conftest import World


class LateClient(ActionClient):
    """Can be used only some time after its node knows it, as a client of Kilted's rclpy."""

    def __init__(self, *args: Any) -> None:
        self.met, self.is_complete = threading.Event(), False
        super().__init__(*args)
        self._node.executor.wake()
        self.was_met = self.met.wait(0.3)
        self.is_complete = True

    def is_ready(self, wait_set: Any) -> bool:
        self.met.set()
        return self.is_complete and bool(super().is_ready(wait_set))


def test_no_client_is_met_by_the_executor_before_it_is_complete(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(goals, "ActionClient", LateClient)
    action = goals.Action(world.graph, MoveHead, "move_head")
    assert not action.client.was_met
    assert action.do(angle=0.1)[0] == "succeeded"
