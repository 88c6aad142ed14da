"""What it does with cubes that it sees, by the manipulation node (spec 17 §1.2)."""

from __future__ import annotations

from ..behavior import Life, Situation, WhyNot, behavior
from ..body import Skill
from ..config import BehaviorConfig
from .clips import clips


def _why_not_use(*skills: Skill, cubes: int = 1) -> WhyNot:
    """Return a function that says why it cannot do something with so many cubes."""

    def why_not(situation: Situation, _: BehaviorConfig) -> str:
        body = situation.body
        if not all(map(body.can_use, skills)):
            return "nobody handles cubes: run the manipulation node"
        seen = sum(body.place_of(cube.factory_id) is not None for cube in body.cubes)
        if seen < cubes:
            return f"it knows where {seen} cubes are, and needs {cubes}: let its camera see them"
        return "it carries a cube" if situation.senses.is_carrying else ""

    return why_not


@behavior(
    "PickUpAndPutDownCube",
    triggers=clips("SparkPickupFinalCubeReaction"),
    why_not=_why_not_use(Skill.PICK_UP, Skill.PUT_DOWN),
    drives=True,
)
async def pick_up_and_put_down(life: Life) -> None:
    """Picks up a cube and puts it down again."""
    life.step("picks up a cube")
    await life.body.use(Skill.PICK_UP, life.config.text("object"))
    life.step("puts the cube down")
    await life.body.use(Skill.PUT_DOWN)
    await life.play("SparkPickupFinalCubeReaction")


@behavior(
    "RollBlock",
    triggers=clips("RollBlockSuccess"),
    why_not=_why_not_use(Skill.ROLL),
    drives=True,
)
async def roll_block(life: Life) -> None:
    """Rolls a cube until it stands upright."""
    life.step("rolls a cube")
    await life.body.use(Skill.ROLL, life.config.text("object"))
    await life.play("RollBlockSuccess")
    life.needs.act("RollACube")


@behavior(
    "StackBlocks",
    triggers=clips("StackBlocksSuccess"),
    why_not=_why_not_use(Skill.STACK, cubes=2),
    drives=True,
)
async def stack_blocks(life: Life) -> None:
    """Puts a cube on another one."""
    life.step("stacks two cubes")
    await life.body.use(Skill.STACK, life.config.text("object"))
    await life.play("StackBlocksSuccess")
