"""Meeting people and pets: what it does about faces that it sees (spec 17 §1.1)."""

from __future__ import annotations

import math

from ..behavior import Life, Situation, behavior
from ..config import BehaviorConfig
from ..sight import SeenFace, SeenPet, Sense
from ..triggers import Trigger, file_names
from .clips import clips, clips_of, try_say, why_mute
from .looking import (
    HEAD_SPEED,
    Point,
    distance_to,
    first_of,
    follow,
    look_at,
    lower_lift,
    point_of,
    sweep,
    sweep_angles,
    turn_to_face,
    why_blind,
    why_no_face,
)

_GREETED_FOR = 60.0
_GREETED = "greeted"
_HEAD_UP, _HEAD_DOWN = math.radians(30.0), math.radians(-10.0)
_PAUSE = 1.2
"""s in each direction: faces are looked for twice in a second."""
_KEEP_AWAY, _SPEED = 0.200, 0.060
_STEP_AHEAD, _STEP_SPEED, _STEP_BACK = 0.040, 0.040, -0.015
_CLEARANCE = 0.080
"""m of floor that stay free ahead of the robot's turning point."""
_SEARCHES = 3
_PET_LOST, _SNEEZES = 3.0, 1 / 20
_ACKNOWLEDGED = file_names({Trigger.FACE_POSITION_UPDATED})

why_no_known_face = first_of(why_blind(Sense.FACES), why_no_face)


def seen_since(life: Life, since: float) -> SeenFace | None:
    return next((one for one in life.sight.faces if one.seen_at >= since), None)


def latest_face(life: Life, within: float) -> Point | None:
    """Return where the last face is, if it was seen within s."""
    face = seen_since(life, life.now - within)
    return None if face is None else point_of(face)


def is_due(life: Life, face: SeenFace) -> bool:
    """Tell whether to greet a face, which it does once in a while, and remember that it is met."""
    greeted = life.situation.memory.setdefault(_GREETED, {})
    who = str(face.id)
    if face.id < 0 and who not in greeted:
        # A track ends soon after somebody looks away: they are greeted once, not once a track.
        tracked = {str(one.id) for one in life.sight.faces}
        if gone := [one for one in greeted if one.startswith("-") and one not in tracked]:
            greeted[who] = greeted.pop(max(gone, key=lambda one: greeted[one]))
    due: bool = life.now - greeted.get(who, -math.inf) > _GREETED_FOR
    if due:
        for other in [one for one, at in greeted.items() if life.now - at > _GREETED_FOR]:
            del greeted[other]
        greeted[who] = life.now
    return due


async def greet(life: Life, face: SeenFace, named: str, unnamed: str) -> None:
    """Greet a person, by name where that is known and it can speak."""
    if not face.name:
        await life.play(unnamed)
        return
    await life.play(named)
    try:
        text = life.config.text("greeting", "{name}!").format(name=face.name)
    except (KeyError, IndexError) as error:
        life.step(f"does not say the name: {error}")
    else:
        await try_say(life, text)


@behavior(
    "AcknowledgeFace",
    triggers=clips("AcknowledgeFaceNamed", "AcknowledgeFaceUnnamed"),
    on_charger=True,
    goals=frozenset({"ReactedAcknowledgedFace"}),
)
async def acknowledge_face(life: Life) -> None:
    """Turns to a face, and greets it once in a while; where others see it, without a turn."""
    face = await turn_to_face(life)
    if face is None and life.sight.faces:
        life.step("sees nobody there any more")
        return
    if face is None:
        await life.play("AcknowledgeFaceUnnamed")
    elif is_due(life, face):
        await greet(life, face, "AcknowledgeFaceNamed", "AcknowledgeFaceUnnamed")
    else:
        life.reach("ReactedAcknowledgedFace")
        return
    life.mood.feel("GreetedSomebody")
    life.needs.act("Greeted")
    life.reach("ReactedAcknowledgedFace")


@behavior("TurnToFace", why_not=why_no_known_face, on_charger=True, locks=_ACKNOWLEDGED)
async def turn_to_a_face(life: Life) -> None:
    """Turns to the face that it saw last."""
    await turn_to_face(life)


@behavior("PlayAnimWithFace", triggers=clips_of, why_not=why_mute(clips_of), on_charger=True)
async def play_anim_with_face(life: Life) -> None:
    """Turns to the face that it saw last, if there is one, and plays its clips."""
    await turn_to_face(life)
    await life.play(*clips_of(life.config))


@behavior("FindFaces", why_not=why_blind(Sense.FACES), on_charger=True, locks=_ACKNOWLEDGED)
async def find_faces(life: Life) -> None:
    """Looks where somebody was last, then around, until it sees a face."""
    began = life.now
    age = life.config.number("maxFaceAgeToLook_ms", 60000.0) / 1000
    known = life.sight.faces
    if known and began - known[0].seen_at <= age:
        await look_at(life, point_of(known[0]))
    life.step("looks for somebody")
    await sweep(
        life,
        lambda: seen_since(life, began) is not None,
        sweep_angles(life.config),
        _HEAD_UP,
        _PAUSE,
    )
    if seen_since(life, began) is not None:
        await turn_to_face(life)


def _why_somebody(situation: Situation, _: BehaviorConfig) -> str:
    return "it knows where somebody is" if situation.body.sight.faces else ""


@behavior(
    "SearchForFace",
    triggers=clips("ComeHere_SearchForFace", "ComeHere_SearchForFace_FoundFace"),
    why_not=first_of(why_blind(Sense.FACES), _why_somebody),
    locks=_ACKNOWLEDGED,
)
async def search_for_face(life: Life) -> None:
    """Searches for a face, three rounds at most."""
    began = life.now

    def is_found() -> bool:
        return seen_since(life, began) is not None

    for number in range(1, _SEARCHES + 1):
        life.step(f"searches for somebody, round {number} of {_SEARCHES}")
        await life.play("ComeHere_SearchForFace", while_=lambda: not is_found())
        if await sweep(life, is_found, sweep_angles(life.config), _HEAD_UP, _PAUSE):
            await turn_to_face(life)
            await life.play("ComeHere_SearchForFace_FoundFace")
            return


@behavior("DriveToFace", why_not=why_no_known_face, drives=True, locks=_ACKNOWLEDGED)
async def drive_to_face(life: Life) -> None:
    """Comes near to somebody, and looks at that face for a while."""
    face = await turn_to_face(life)
    if face is None:
        return
    away = distance_to(life, face.x, face.y)
    if away > _KEEP_AWAY:
        life.step(f"comes to {face.name or 'somebody'}")
        await life.body.drive_distance(away - _KEEP_AWAY, _SPEED)
        await turn_to_face(life)
    await follow(life, lambda: latest_face(life, 1.5), 5.0)


def _why_met(situation: Situation, config: BehaviorConfig) -> str:
    ran_at = situation.memory.get(config.id, {}).get("ran_at", -math.inf)
    new = any(face.seen_at > ran_at + 1.0 for face in situation.body.sight.faces)
    return "" if new else "it has seen nobody since the last time"


@behavior(
    "InteractWithFaces",
    triggers=clips(
        "InteractWithFacesInitialNamed",
        "InteractWithFacesInitialUnnamed",
        "InteractWithFaceTrackingIdle",
    ),
    why_not=first_of(why_no_known_face, _why_met),
    drives=True,
    locks=_ACKNOWLEDGED,
    goals=frozenset({"InteractedWithFace"}),
)
async def interact_with_faces(life: Life) -> None:
    """Greets somebody, steps nearer where the floor is free, and looks at that face."""
    face = await turn_to_face(life)
    life.memory["ran_at"] = life.now
    if face is None:
        return
    await greet(life, face, "InteractWithFacesInitialNamed", "InteractWithFacesInitialUnnamed")
    life.body.watch(Sense.GROUND, True)
    await life.body.move_head(_HEAD_DOWN, HEAD_SPEED)
    await life.until(lambda: not math.isnan(life.sight.free_ahead), 1.0)
    if life.sight.free_ahead >= _STEP_AHEAD + _CLEARANCE:
        await life.body.drive_distance(_STEP_AHEAD, _STEP_SPEED)
    else:
        await life.body.drive_distance(_STEP_BACK, _STEP_SPEED)
    life.body.watch(Sense.GROUND, False)
    await turn_to_face(life)
    life.step(f"looks at {face.name or 'somebody'}")
    await follow(life, lambda: latest_face(life, 1.5), life.rng.uniform(8.0, 15.0), 3.0)
    await life.play("InteractWithFaceTrackingIdle")
    if face.name:
        life.mood.feel("InteractWithNamedFace")
    else:
        life.mood.feel("InteractWithUnnamedFace")
    life.needs.act("InteractedWithFace")
    life.reach("InteractedWithFace")


@behavior(
    "LookForFaceAndCube",
    why_not=why_blind(Sense.FACES, Sense.OBJECTS),
    on_charger=True,
    locks=_ACKNOWLEDGED,
)
async def look_for_face_and_cube(life: Life) -> None:
    """Looks around for somebody with its head up, and for cubes with its head down."""
    began = life.now
    await lower_lift(life)
    life.step("looks for somebody")
    angles = sweep_angles(life.config)
    if await sweep(life, lambda: seen_since(life, began) is not None, angles, _HEAD_UP, _PAUSE):
        await turn_to_face(life)
        return
    life.step("looks for a cube")

    def sees_cube() -> bool:
        return any(one.is_visible for one in life.sight.cubes)

    await sweep(life, sees_cube, angles, _HEAD_DOWN, 0.6)


def _say_name(config: BehaviorConfig) -> str:
    return config.text("name")


@behavior(
    "RespondToRenameFace",
    triggers=clips("MeetCozmoRenameFaceSayName"),
    why_not=lambda situation, config: ""
    if situation.arguments or _say_name(config)
    else "it was told no name",
    on_charger=True,
)
async def respond_to_rename(life: Life) -> None:
    """Turns to somebody who has another name now, and says it."""
    name = next(iter(life.situation.arguments), _say_name(life.config))
    await turn_to_face(life)
    await life.play("MeetCozmoRenameFaceSayName")
    await try_say(life, name)


def _pet(life: Life) -> SeenPet | None:
    return max(life.sight.pets, key=lambda one: one.seen_at, default=None)


async def _look_at_pet(life: Life, pet: SeenPet) -> None:
    """Turn towards a pet, of which only the direction is known."""
    turn = math.remainder(pet.heading - life.senses.pose.yaw, 2 * math.pi)
    await life.body.move_head(max(-0.4, min(0.7, pet.elevation)), HEAD_SPEED)
    if abs(turn) > math.radians(4.0) and life.may_drive():
        await life.body.turn(turn)


@behavior(
    "ReactToPet",
    triggers=clips("PetDetectionCat", "PetDetectionDog", "PetDetectionSneeze"),
    on_charger=True,
    locks=file_names({Trigger.PET_INITIAL_DETECTION}),
)
async def react_to_pet(life: Life) -> None:
    """Greets a cat or a dog as such, and looks after it until it is gone."""
    pet = _pet(life)
    if pet is None:
        # Another program sees it, and tells no more.
        await life.play("PetDetectionDog")
        return
    await _look_at_pet(life, pet)
    sneezes = life.rng.random() < _SNEEZES
    await life.play("PetDetectionSneeze" if sneezes else f"PetDetection{pet.kind.capitalize()}")
    life.step(f"looks at a {pet.kind}")
    ends_at = life.now + life.rng.uniform(6.0, 12.0)
    while life.now < ends_at:
        pet = _pet(life)
        if pet is None or life.now - pet.seen_at > _PET_LOST:
            return
        if life.now - pet.seen_at < 0.5:
            await _look_at_pet(life, pet)
        await life.wait(0.2)
