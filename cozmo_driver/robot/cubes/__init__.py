"""Light cubes and their radio (spec 08)."""
