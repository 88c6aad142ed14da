"""Starts several programs together; drives by hand; what the launch files share."""

from __future__ import annotations
