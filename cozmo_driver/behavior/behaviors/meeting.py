"""Meeting a person, and greeting whom it knows by name (spec 17 §5.3)."""

from __future__ import annotations

import asyncio
import math

from ...robot import Reason, RobotError
from ..behavior import Life, behavior
from ..sight import RECENT, SeenFace, Sense
from ..triggers import DISABLED_BY, file_names
from .clips import clips, play_first, try_say
from .looking import look_at, lower_lift, point_of, why_blind

_LOOKS_FOR, _LEARNS_FOR = 15.0, 20.0
"""s in which somebody comes into sight, and in which a face is learnt (spec 17 §5.3)."""
_UP, _SWING = 0.6, math.radians(10.0)
"""rad: of the head that looks for a face, and of the body to and fro."""
_SWING_TIME = 2.0
_LOOK = ("MeetCozmoLookFaceGetIn", "Curiosity")
_LEARNT = ("MeetCozmoFirstEnrollmentCelebration", "Joy")


@behavior(
    "EnrollFace",
    triggers=clips(*_LOOK, *_LEARNT),
    why_not=why_blind(Sense.FACES),
    on_charger=True,
    locks=file_names(DISABLED_BY["Games"]),
    is_resumable=False,
    begins_again=False,
    with_somebody=True,
)
async def enroll_face(life: Life) -> None:
    """Looks at a person, learns the face, and says the name twice."""
    name = life.config.text("name")
    if not name:
        raise RobotError(Reason.INVALID, "nobody is named: ask by meet_person")
    face = await _look_for_face(life)
    await look_at(life, point_of(face))
    await play_first(life, *_LOOK)
    life.step(f"learns the face of {name}: look at the robot")
    learning = asyncio.ensure_future(life.body.enroll(name, _LEARNS_FOR))
    try:
        while not learning.done():
            await asyncio.wait([learning], timeout=_SWING_TIME)
            if (seen := _newest(life)) is not None and not learning.done():
                await look_at(life, point_of(seen))
        life.memory["face_id"] = learning.result()
    finally:
        learning.cancel()
    life.step(f"says the name {name}")
    await try_say(life, name)
    await try_say(life, f"{name}!")
    await play_first(life, *_LEARNT)
    life.mood.feel("GreetedSomebody")


@behavior(
    "GreetPerson", triggers=clips("Greeting"), why_not=why_blind(Sense.FACES), on_charger=True
)
async def greet_person(life: Life) -> None:
    """Greets the person whom it sees, by name where it knows it."""
    face = await _look_for_face(life)
    await greet(life, face)
    life.needs.act("Greeted")


async def greet(life: Life, face: SeenFace) -> None:
    """Look at somebody and greet them; who is known by the place only is asked."""
    await look_at(life, point_of(face))
    kind = "Named" if face.name else "Unnamed"
    await play_first(life, f"AcknowledgeFace{kind}", "Greeting")
    if face.name:
        await try_say(life, f"Hello, {face.name}!" if face.id > 0 else f"{face.name}, is that you?")


async def _look_for_face(life: Life) -> SeenFace:
    """Return the face that was seen last, or look for one. Raises ``RobotError``."""
    life.step("looks for a face")
    await lower_lift(life)
    ends_at, side = life.now + _LOOKS_FOR, 1.0
    while (face := _newest(life)) is None:
        if life.now >= ends_at:
            text = "nobody came into sight: look at the robot from 0.3 to 0.6 m, in good light"
            raise RobotError(Reason.NOT_SEEN, text)
        await life.body.move_head(_UP)
        if await life.until(lambda: _newest(life) is not None, _SWING_TIME):
            continue
        if life.may_drive():
            await life.body.turn(side * _SWING)
            side = -2.0 if side == 1.0 else -side
    return face


def _newest(life: Life) -> SeenFace | None:
    """Return the face that was seen last, if that was just now; nobody's name first."""
    seen = [face for face in life.sight.faces if life.now - face.seen_at < RECENT]
    return min(seen, key=lambda face: bool(face.name), default=None)
