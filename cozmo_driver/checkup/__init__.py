"""Getting to know one robot: what works, what is unusual, and how it errs."""

from __future__ import annotations

from .calibrating import ROOM, WANTED, CalibrationResult, calibrate
from .surveying import CalibrationRefused
