"""Meeting a person and greeting by name, on a body on paper."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from cozmo_driver.behavior.behaviors.meeting import enroll_face, greet_person
from cozmo_driver.behavior.sight import SeenFace, Sense
from cozmo_driver.behavior.testing import FakeBody, run_behavior
from cozmo_driver.robot import Reason, RobotError
from cozmo_driver.virtual_time import run_in_virtual_time

from .paper import own_triggers


def meet(behavior, *, name="", number=-1, comes_at=0.0, values=None):
    """Run a behaviour before somebody who comes after s; return the body's diary."""

    async def main():
        body = FakeBody(own_triggers())
        loop = asyncio.get_running_loop()
        body.seen = replace(body.seen, looks_for=frozenset({Sense.FACES}))

        def come():
            face = SeenFace(number, 0.4, 0.2, 0.3, name, loop.time())
            body.seen = replace(body.seen, faces=(face,))

        if comes_at is not None:
            loop.call_later(comes_at, come)
        await run_behavior(behavior, body, values)
        return [what for _, what in body.diary]

    return run_in_virtual_time(main())


def test_a_person_who_comes_is_looked_at_learnt_and_named_twice():
    diary = meet(enroll_face, comes_at=5.0, values={"name": "Ann"})
    learnt = diary.index("enroll Ann")
    # 27 degrees to the left: the robot has turned to the face before it learns it.
    assert any(one.startswith("turn") for one in diary[:learnt])
    assert "move_head" in diary[:learnt]
    assert diary[learnt + 1 :][-3:] == ["say Ann", "say Ann!", "play Joy"]


def test_nobody_is_learnt_where_nobody_comes():
    with pytest.raises(RobotError, match="nobody came into sight") as missed:
        meet(enroll_face, comes_at=None, values={"name": "Ann"})
    assert missed.value.reason is Reason.NOT_SEEN


@pytest.mark.parametrize(
    ("name", "number", "said"),
    [
        ("Ann", 3, ["say Hello, Ann!"]),
        ("Ann", -3, ["say Ann, is that you?"]),
        ("", -3, []),
    ],
)
def test_who_is_recognised_is_greeted_and_who_may_be_somebody_is_asked(name, number, said):
    diary = meet(greet_person, name=name, number=number)
    assert [one for one in diary if one.startswith("say")] == said
    assert f"play AcknowledgeFace{'Named' if name else 'Unnamed'}" in diary
