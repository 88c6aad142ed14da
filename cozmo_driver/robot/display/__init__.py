"""The face: pictures that stay (spec 04)."""
