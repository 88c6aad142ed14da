"""``pycozmo.expressions``: the project's own faces under the same names."""

from __future__ import annotations

import sys

from ...face import EXPRESSIONS, Expression
from .procedural_face import ProceduralFace


def _declare(expression: Expression) -> None:
    def make(self: ProceduralFace) -> None:
        ProceduralFace.__init__(self, ProceduralFace._made_of(expression.face).params)

    made = type(expression.name, (ProceduralFace,), {"__init__": make})
    setattr(sys.modules[__name__], expression.name, made)


for _expression in EXPRESSIONS:
    _declare(_expression)
