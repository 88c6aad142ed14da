"""The error of traffic that cannot be read or replayed."""

from __future__ import annotations


class TrafficError(Exception):
    """What is wrong with a file, a network interface or a robot, and what to do, in one line."""
