"""What the tests of the emulator share."""

from __future__ import annotations

import pytest

from .bench import Bench, started


@pytest.fixture
def bench() -> Bench:
    """A robot as it is by default."""
    return started()
