"""Faces as programs of the SDK know them while people come, go and are recognised (spec 21 §5)."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from cozmo_driver.compat.face_watch import FaceWatch
from cozmo_driver.compat.sdk import faces
from cozmo_driver.compat.sdk.conn import CozmoConnection
from cozmo_driver.compat.sdk.event import Event
from cozmo_driver.compat.sdk.robot import Robot
from cozmo_driver.compat.sdk.sync import Side
from cozmo_driver.perception import Face

ANN, BOB = 7, 8


def face(track: int, person: int = 0, name: str = "") -> Face:
    return Face(person or track, name, 1.0, (0.0, 0.0, 9.0, 9.0), (0.4, 0.0, 0.1), 0.4, track)


class Camera:
    """A robot that sees the faces it is shown; nothing of it is connected."""

    def __init__(self) -> None:
        self.conn = CozmoConnection(Side(asyncio.get_running_loop()), ("127.0.0.1", 1))
        self.conn._robot = Robot(self.conn, 1, is_primary=True)
        self.world: Any = self.conn._robot.world
        self.told: list[Event] = []

    def listen(self, *kinds: type[Event]) -> None:
        for kind in kinds:
            self.world.add_event_handler(kind, lambda event, **_: self.told.append(event))

    async def show(self, *found: Face) -> None:
        self.world._on_faces(list(found))
        await self.deliver()

    async def deliver(self) -> None:
        for _ in range(3):
            await asyncio.sleep(0)

    @property
    def in_sight(self) -> list[Any]:
        return list(self.world.visible_faces)


@pytest.fixture
def look(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[Camera], Awaitable[None]]], None]:
    """Run a program with a camera that recognises people."""
    monkeypatch.setattr(FaceWatch, "can_recognize", True)

    def run(program: Callable[[Camera], Awaitable[None]]) -> None:
        async def work() -> None:
            await program(Camera())

        asyncio.run(work())

    return run


def test_a_face_that_is_recognised_stays_the_same(look: Any) -> None:
    async def program(camera: Camera) -> None:
        camera.listen(faces.EvtFaceAppeared, faces.EvtFaceObserved, faces.EvtFaceIdChanged)
        await camera.show(face(-1))
        await camera.show(face(-1, ANN, "Ann"))
        [one] = camera.in_sight

        assert [(event.event_name, event.face, event.name) for event in camera.told] == [
            ("EvtFaceAppeared", one, ""),
            ("EvtFaceObserved", one, ""),
            ("EvtFaceObserved", one, "Ann"),
        ]
        assert (one.face_id, one.name) == (1, "Ann")

    look(program)


def test_a_face_that_turns_out_to_be_of_somebody_known_tells_whose(look: Any) -> None:
    async def program(camera: Camera) -> None:
        camera.listen(faces.EvtFaceIdChanged)
        await camera.show(face(-1, ANN, "Ann"))
        [ann] = camera.in_sight
        await camera.show(face(-2))
        [stranger] = [one for one in camera.in_sight if one is not ann]
        await camera.show(face(-2, ANN, "Ann"))
        await camera.show(face(-2, ANN, "Ann"))

        [change] = camera.told
        assert (change.face, change.old_id, change.new_id) == (stranger, 2, 1)
        assert (stranger.has_updated_face_id, stranger.updated_face_id) == (True, 1)
        assert ann.updated_face_id == ann.face_id == 1

    look(program)


def test_nobody_is_in_two_places_or_two_people(look: Any) -> None:
    async def program(camera: Camera) -> None:
        await camera.show(face(-1, ANN, "Ann"))
        [ann] = camera.in_sight
        await camera.show(face(-1), face(-2, ANN, "Ann"))
        [other] = [one for one in camera.in_sight if one is not ann]
        await camera.show(face(-1), face(-2, BOB, "Bob"))
        [bob] = [one for one in camera.in_sight if one not in (ann, other)]

        assert (ann.name, other.name, bob.name) == ("Ann", "", "Bob")
        assert [one.face_id for one in (ann, other, bob)] == [1, 2, 3]

    look(program)


def test_a_name_that_the_program_gave_or_took_stays(look: Any) -> None:
    async def program(camera: Camera) -> None:
        camera.listen(faces.EvtFaceRenamed, faces.EvtErasedEnrolledFace)
        await camera.show(face(-1, ANN, "Ann"))
        [one] = camera.in_sight
        one.rename_face("Carl")
        await camera.show(face(-1, ANN, "Ann"))
        names = [one.name]
        one.erase_enrolled_face()
        await camera.show(face(-1, ANN, "Ann"))
        names.append(one.name)

        renamed, erased = camera.told
        assert names == ["Carl", ""]
        assert (renamed.face, renamed.old_name, renamed.new_name) == (one, "Ann", "Carl")
        assert (erased.face, erased.old_name) == (one, "Carl")

    look(program)


def test_names_are_changed_and_forgotten_by_number(look: Any) -> None:
    async def program(camera: Camera) -> None:
        await camera.show(face(-1, ANN, "Ann"), face(-2, BOB, "Bob"))
        first, second = camera.in_sight
        faces.update_enrolled_face_by_id(camera.conn, second.face_id, "Nobody", "Carl")
        faces.update_enrolled_face_by_id(camera.conn, first.face_id, "Ann", "Anna")
        assert [first.name, second.name] == ["Anna", "Bob"]
        faces.erase_enrolled_face_by_id(camera.conn, first.face_id)
        assert [first.name, second.name] == ["", "Bob"]
        faces.erase_all_enrolled_faces(camera.conn)
        assert [first.name, second.name] == ["", ""]

    look(program)
