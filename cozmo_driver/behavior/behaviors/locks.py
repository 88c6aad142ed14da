"""Names of the reaction triggers by their numbers, and sets of them (spec 12 §4)."""

from __future__ import annotations

TRIGGERS = (
    "CliffDetected",
    "CubeMoved",
    "FacePositionUpdated",
    "FistBump",
    "Frustration",
    "Hiccup",
    "MotorCalibration",
    "NoPreDockPoses",
    "ObjectPositionUpdated",
    "PlacedOnCharger",
    "PetInitialDetection",
    "RobotFalling",
    "RobotPickedUp",
    "RobotPlacedOnSlope",
    "ReturnedToTreads",
    "RobotOnBack",
    "RobotOnFace",
    "RobotOnSide",
    "RobotShaken",
    "Sparked",
    "UnexpectedMovement",
)


def locked(*numbers: int) -> frozenset[str]:
    """Return the triggers with these numbers."""
    return frozenset(TRIGGERS[number] for number in numbers)


CLIFF = locked(1, 2, 8, 20)
CALIBRATION = locked(0, 5, 12, 14, 15, 16, 17)
SLOPE = locked(0, 12, 14)
SHAKEN = locked(*range(0, 6), 8, *range(10, 18), 20)
DANCE = locked(1, 2, 3, 8, 10, 20)
GUARD = locked(1, 2, 3, 4, 5, 8, 10, 20)
