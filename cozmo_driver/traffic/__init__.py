"""Recorded and live traffic of robots: reading, explaining, recording, replaying, tracing."""

from __future__ import annotations
