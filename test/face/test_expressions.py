"""The named expressions: complete, drawable and told apart; the sheet shows them."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from PIL import Image

from cozmo_driver.face.expressions import BY_NAME, EXPRESSIONS, find
from cozmo_driver.face.parameters import clip
from cozmo_driver.face.renderer import clamped_center, render
from docs.render_expressions import SHEET, sheet

NAMES = {
    *("Neutral", "Anger", "Sadness", "Happiness", "Surprise", "Disgust", "Fear", "Pleading"),
    *("Vulnerability", "Despair", "Guilt", "Disappointment", "Embarrassment", "Horror"),
    *("Skepticism", "Annoyance", "Fury", "Suspicion", "Rejection", "Boredom", "Tiredness"),
    *("Asleep", "Confusion", "Amazement", "Excitement"),
}


def test_there_are_the_25_expressions() -> None:
    assert {expression.name for expression in EXPRESSIONS} == NAMES
    assert len(EXPRESSIONS) == len(BY_NAME) == 25


@pytest.mark.parametrize("name", sorted(NAMES))
def test_an_expression_is_within_the_limits_and_on_the_screen(name: str) -> None:
    face = find(name).face
    assert clip(face) is face
    assert clamped_center(face) == (face.center_x, face.center_y)
    picture = render(face, None)
    for half in (picture[:, :64], picture[:, 64:]):
        assert half.sum() > 60


def test_any_two_expressions_differ_at_a_glance() -> None:
    for one, other in itertools.combinations(EXPRESSIONS, 2):
        differing = (render(one.face, None) != render(other.face, None)).sum()
        assert differing > 150, f"{one.name} and {other.name} differ in {differing} pixels"


def test_a_name_is_found_in_any_case_and_an_unknown_one_refused_with_all_there_are() -> None:
    assert find("happiness") is find(" Happiness ") is BY_NAME["Happiness"]
    with pytest.raises(ValueError, match=r"no expression 'happy'; there are .*Happiness"):
        find("happy")


def test_the_sheet_in_the_documentation_shows_the_expressions_as_they_are() -> None:
    shown = np.asarray(Image.open(SHEET).convert("RGB"))
    drawn = np.asarray(sheet())
    assert shown.shape == drawn.shape
    # Names are drawn with whichever font Pillow brings; the faces are exact.
    lit = (drawn == (130, 225, 255)).all(axis=2)
    np.testing.assert_array_equal((shown == (130, 225, 255)).all(axis=2), lit)
