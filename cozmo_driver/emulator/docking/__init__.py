"""The firmware's docking controller: follows an error signal to an object (spec 16 §2)."""

from __future__ import annotations

from .controller import Docking, DockingFaults

__all__ = ["Docking", "DockingFaults"]
