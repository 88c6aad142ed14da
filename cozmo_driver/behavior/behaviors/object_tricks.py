"""Tricks with an object that somebody names, else with the nearest that fits."""

from __future__ import annotations

from ..behavior import Life, Situation, WhyNot, behavior
from ..body import Skill
from ..config import BehaviorConfig
from ..sight import Sense
from .clips import clips
from .cube_handling import with_cube

_FOLLOWS_FOR = 30.0


def _why_not(skill: Skill) -> WhyNot:
    def why_not(situation: Situation, config: BehaviorConfig) -> str:
        body = situation.body
        if not body.can_use(skill):
            return "nobody handles objects: run the manipulation node"
        if why := body.sight.why_blind(Sense.OBJECTS):
            return why
        if skill is not Skill.FIND and not body.sight.cubes and not config.text("object"):
            return "it sees no cube: let its camera see one, or ask for look_for_object"
        return "it carries a cube" if situation.senses.is_carrying else ""

    return why_not


@with_cube("AlignWithCube", triggers=clips("Success"), why_not=_why_not(Skill.ALIGN))
async def align_with_cube(life: Life) -> None:
    """Stands square before a cube, its lift at it."""
    await _use(life, Skill.ALIGN, "stands before a cube")
    await life.play("Success")


@behavior(
    "LookForObject",
    triggers=clips("Curiosity", "Joy"),
    why_not=_why_not(Skill.FIND),
    drives=True,
)
async def look_for_object(life: Life) -> None:
    """Looks around, low and high, until it sees an object."""
    await life.play("Curiosity")
    await _use(life, Skill.FIND, "looks for an object")
    await life.play("Joy")


@with_cube("FollowObject", triggers=clips("Joy"), why_not=_why_not(Skill.FOLLOW))
async def follow_object(life: Life) -> None:
    """Follows a cube that somebody carries about, for half a minute."""
    ends_at = life.now + life.config.number("seconds", _FOLLOWS_FOR)
    await life.run_while(_use(life, Skill.FOLLOW, "follows a cube"), lambda: life.now < ends_at)
    await life.play("Joy")


async def _use(life: Life, skill: Skill, step: str) -> None:
    life.step(step)
    await life.body.use(skill, life.config.text("object"))
