"""The stand-ins of `underlay/`, tested where they are what is imported."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest

INSTALLED = Path(__file__).parents[2] / "install"


def is_stand_in(module: str) -> bool:
    """Whether the module comes from this checkout's install space."""
    spec = find_spec(module)
    return spec is not None and spec.origin is not None and INSTALLED in Path(spec.origin).parents


def skip_unless_stand_in(module: str) -> None:
    """Skip the calling test module where something else is imported, as with a ROS 2."""
    if not is_stand_in(module):
        pytest.skip(f"{module} is the real one, or not there", allow_module_level=True)
