"""``pycozmo.expressions``: the project's own faces under the same names."""

from __future__ import annotations

import sys

from ...face import EXPRESSIONS, Expression
from .procedural_face import ProceduralFace


def _declare(expression: Expression) -> None:
    def make(self: ProceduralFace) -> None:
        ProceduralFace.__init__(self, ProceduralFace._made_of(expression.face).params)

    made = type(expression.name, (ProceduralFace,), {"__init__": make})
    setattr(expressions, expression.name, made)


expressions = sys.modules[__name__]
"""Where PyCozmo has them, too."""
__all__ = [expression.name for expression in EXPRESSIONS]
for _expression in EXPRESSIONS:
    _declare(_expression)
