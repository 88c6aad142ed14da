"""Docking with cubes and the charger by the robot's own controller (spec 16)."""
