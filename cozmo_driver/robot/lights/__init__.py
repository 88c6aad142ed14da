"""Backpack and head light (spec 08)."""
