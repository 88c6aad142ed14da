"""Numbers of goals and requests, where 0 stands for the driver's default."""

from __future__ import annotations

import math


def or_default(name: str, value: float, default: float) -> float:
    """Return ``value``, or ``default`` for 0. Raises ``ValueError`` unless finite and positive."""
    if not (math.isfinite(value) and value >= 0.0):
        raise ValueError(f"{name} must be positive, or 0 for the default, not {value}")
    return float(value) or default


def signed_or_default(value: float, default: float) -> float:
    """Return ``value``, or ``default`` for 0."""
    return float(value) or default
