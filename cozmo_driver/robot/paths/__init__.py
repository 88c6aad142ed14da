"""Paths, turns and manoeuvres made of them (spec 07)."""
