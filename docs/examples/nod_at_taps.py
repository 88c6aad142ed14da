"""A behaviour of one's own: nods as often as a cube is tapped, within half a minute."""

from __future__ import annotations

from cozmo_driver.behavior.behavior import Life, Situation, behavior
from cozmo_driver.behavior.config import BehaviorConfig
from cozmo_driver.robot import CubeEvent, CubeEventType


def why_not(situation: Situation, config: BehaviorConfig) -> str:
    """Empty where it can run, else what people shall read."""
    connected = any(cube.is_connected for cube in situation.body.cubes)
    return "" if connected else "no cube is connected"


def is_tap(event: object) -> bool:
    """Tell whether a cube was tapped."""
    return isinstance(event, CubeEvent) and event.type is CubeEventType.TAPPED


@behavior("NodAtTaps", why_not=why_not, on_charger=True, locks=frozenset({"CubeTapped"}))
async def nod_at_taps(life: Life) -> None:
    """Nods at taps."""
    ends_at = life.now + life.config.number("patience_s", 30.0)
    while life.now < ends_at:
        life.step("listens for taps")
        if await life.event(is_tap, ends_at - life.now):
            await life.play("Nod")
            life.mood.feel("CubeTapped")


BEHAVIORS = [{"behaviorClass": "NodAtTaps", "behaviorID": "NodForTenSeconds", "patience_s": 10}]
