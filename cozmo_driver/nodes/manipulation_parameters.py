"""Every parameter of the manipulation node; ``config/manipulation.yaml`` explains them."""

from __future__ import annotations

from .parameter_set import ParameterSpec as P

MANIPULATION_PARAMETERS: tuple[P, ...] = (
    P(
        "state_dir",
        "",
        "where the charger's offset is kept; empty: ~/.local/state/cozmo_driver/NAMESPACE",
        fixed=True,
    ),
)
