"""The robot's flash storage (spec 09)."""
