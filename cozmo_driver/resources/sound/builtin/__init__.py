"""The sounds that come with the driver, made by it when they are first wanted."""

from __future__ import annotations
