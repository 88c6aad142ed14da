"""The face drawn from 43 parameters: expressions, blinks, eyes that look around (spec 04)."""
