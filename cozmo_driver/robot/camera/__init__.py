"""Pictures, exposure and calibration (spec 03)."""
