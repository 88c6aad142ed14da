"""What tabs are made of."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from nicegui import ui


@contextmanager
def card(title: str) -> Iterator[None]:
    """A titled part of a tab; what is added within is in it."""
    with ui.element("section").classes("cz-card").props(f'aria-label="{title}"'):
        ui.label(title).classes("cz-card-title").props("role=heading aria-level=2")
        yield
