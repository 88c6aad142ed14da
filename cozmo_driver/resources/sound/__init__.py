"""Sounds by the number of their event: the built-in ones and the user's banks (spec 05 §5-6)."""
