"""A personality on a test's robot, and what tests do with it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from std_srvs.srv import SetBool

from cozmo_driver.behavior.node import NODE_NAME
from cozmo_driver.emulator.firmware import Firmware
from cozmo_interfaces.action import RunBehavior
from cozmo_interfaces.msg import BehaviorState

from ..waiting import wait_until
from .conftest import World
from .goals import Action, SentGoal
from .graph import LATCHED, DriverProcess, Inbox, running_node


class Life:
    """A behaviour node beside a driver."""

    def __init__(self, world: World, process: DriverProcess) -> None:
        self.world, self.process, self.graph = world, process, world.graph

    def states(self) -> Inbox[BehaviorState]:
        """Return what it does from now on, the present state first."""
        states = self.graph.listen(BehaviorState, "behavior/state", LATCHED)
        states.wait_for(lambda _: True)
        return states

    def enable(self, on: bool) -> Any:
        return self.graph.call(SetBool, "behavior/enable", SetBool.Request(data=on))

    def ask(self, behavior_id: str, **fields: Any) -> SentGoal:
        """Ask for a behaviour."""
        return Action(self.graph, RunBehavior, "behavior/run").send(
            behavior_id=behavior_id, **fields
        )

    def act(self, action: Callable[[Firmware], Any]) -> Any:
        """Do something to the emulated robot."""
        return self.world.emulator.call(action)

    def wait_for_wheels(self, moving: bool) -> None:
        wait_until(
            lambda: self.act(lambda f: f.wheels.moving) is moving,
            f"the treads never {'turn' if moving else 'stand'}: {self.process.log}",
        )

    def change(self, **values: Any) -> str:
        """Set parameters; return why they are refused, empty where they are not."""
        return self.graph.set(NODE_NAME, **values)


@contextmanager
def living(world: World, **parameters: Any) -> Iterator[Life]:
    """Run a behaviour node for the time of a ``with`` block; it may drive."""
    chosen = {"allow_motion": True, "quiet_time": 0.5, "seed": 3, **parameters}
    with running_node("behavior_node", world.graph.namespace, **chosen) as process:
        life = Life(world, process)
        life.states()
        yield life
