"""PyCozmo."""
