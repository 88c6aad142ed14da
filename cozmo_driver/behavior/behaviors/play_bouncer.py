"""Bouncer: somebody plays with a ball on the robot's display by leaning their head (spec 17 §5.8).

Other than in the app it begins only once somebody leans their head, so that nobody misses a ball
who does not play.
"""

from __future__ import annotations

import math

from ...robot import OffTreads
from ..behavior import Life, behavior
from ..games.bouncer import Bouncer
from ..sight import SeenFace
from ..triggers import DISABLED_BY, file_names
from .clips import clips
from .face_games import why_cooling
from .faces import seen_since, why_no_known_face
from .looking import first_of, lower_lift, turn_to_face

_TICK = 0.05
"""s"""
_DURATION, _FACE_LOST, _PATIENCE, _WAIT = 60.0, 5.0, 12.0, 4.0
_YES = math.radians(8.0)
"""Of a head that leans, beyond what one that is held straight is measured to lean."""
_GOOD, _FAIR = 0.8, 0.5
"""Shares of balls that were met."""


@behavior(
    "Bouncer",
    triggers=clips(
        "BouncerIdeaToPlay",
        "BouncerRequestToPlay",
        "BouncerWait",
        "BouncerGetIn",
        "BouncerTimeout",
        "BouncerIntoScore1",
        "BouncerIntoScore2",
        "BouncerIntoScore3",
        "BouncerGetOut",
    ),
    why_not=first_of(why_no_known_face, why_cooling),
    on_charger=True,
    locks=file_names(DISABLED_BY["PeekABoo"]),
    with_somebody=True,
)
async def bouncer(life: Life) -> None:
    """Shows a ball and a paddle, which whoever looks at it moves by leaning their head."""
    life.pause(life.config.number("cooldown_s", 120.0))
    await life.play("BouncerIdeaToPlay", is_body_still=True)
    if await turn_to_face(life) is None:
        life.step("sees nobody to play with")
        return
    await life.play("BouncerRequestToPlay", is_body_still=True)
    await lower_lift(life)
    if not await _leans(life):
        await life.play("BouncerTimeout", "BouncerGetOut", is_body_still=True)
        return
    await life.play("BouncerGetIn", is_body_still=True)
    # Clips move the head.
    await turn_to_face(life)
    game = Bouncer(life.rng)
    has_stayed = await _play(life, game)
    life.body.show_picture(None)
    life.step(f"has met {game.hits} of {game.hits + game.misses} balls")
    if life.senses.off_treads is not OffTreads.ON_TREADS:
        return
    if has_stayed:
        share = game.hits / max(1, game.hits + game.misses)
        score = 3 if share >= _GOOD else 2 if share >= _FAIR else 1
        life.needs.act("PlayedBouncer")
        await life.play(f"BouncerIntoScore{score}", is_body_still=True)
    else:
        await life.play("BouncerTimeout", is_body_still=True)
    await life.play("BouncerGetOut", is_body_still=True)


async def _leans(life: Life) -> bool:
    """Wait until somebody leans their head."""
    life.step("waits for a head that leans to one side")
    since = life.now
    ends_at = since + life.config.number("patience_s", _PATIENCE)

    def is_leaning() -> bool:
        return abs(_lean(seen_since(life, since), 0.0)) >= _YES

    while life.now < ends_at:
        if await life.until(is_leaning, min(_WAIT, ends_at - life.now)):
            return True
        await life.play("BouncerWait", is_body_still=True)
        await turn_to_face(life)
    return False


async def _play(life: Life, game: Bouncer) -> bool:
    """Play; return whether the face stayed until the end."""
    ends_at = life.now + life.config.number("duration_s", _DURATION)
    told, lean = "", 0.0
    while life.now < ends_at and life.senses.off_treads is OffTreads.ON_TREADS:
        face = seen_since(life, life.now - _FACE_LOST)
        if face is None:
            life.step("has lost the face")
            return False
        lean = _lean(face, lean)
        game.tick(lean)
        life.body.show_picture(game.picture())
        text = f"plays Bouncer, {game.hits} met and {game.misses} missed"
        if text != told:
            told = text
            life.step(text)
        await life.wait(_TICK)
    return life.now >= ends_at


def _lean(face: SeenFace | None, before: float) -> float:
    """Return how far a head leans, rad; as ``before`` where its eyes are not found."""
    return before if face is None or math.isnan(face.roll) else face.roll
