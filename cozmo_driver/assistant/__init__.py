"""A robot's abilities for assistants: an MCP server of whole acts with limits."""

from __future__ import annotations

from .data import Limits
from .transports import serve
