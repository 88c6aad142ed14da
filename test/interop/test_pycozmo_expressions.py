"""The expressions of the façade against those of PyCozmo itself."""

from __future__ import annotations

from cozmo_driver.compat.pycozmo import expressions
from cozmo_driver.compat.pycozmo.procedural_face import ProceduralFace

from .test_pycozmo_client import pycozmo


def test_pycozmo_expressions_are_faces_of_their_own() -> None:
    theirs = {name for name in dir(pycozmo.expressions) if name[0].isupper()}
    assert set(expressions.expressions.__all__) == theirs

    sad, glad = expressions.Sadness(), expressions.Happiness()
    sad.left_eye.params[0] += 1.0
    assert isinstance(sad, ProceduralFace)
    assert expressions.Sadness().params != sad.params != glad.params
