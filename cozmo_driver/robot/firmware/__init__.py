"""Update and traces of the firmware (spec 09, 11)."""
