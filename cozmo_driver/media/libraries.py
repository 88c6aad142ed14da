"""Libraries that only sound needs; the driver runs without them."""

from __future__ import annotations

from typing import Any


class LibraryMissing(RuntimeError):
    """A library is not installed; the text says which and how to get it."""


def soxr() -> Any:
    """Return the resampler library. Raises ``LibraryMissing``."""
    try:
        import soxr as library  # type: ignore[import-untyped]
    except ImportError as error:
        raise _missing("sound", "soxr", error) from error
    return library


def soundfile() -> Any:
    """Return the library that reads sound files. Raises ``LibraryMissing``."""
    try:
        import soundfile as library  # type: ignore[import-untyped]
    except (ImportError, OSError) as error:
        raise _missing("sound files", "soundfile", error) from error
    return library


def _missing(purpose: str, name: str, error: Exception) -> LibraryMissing:
    return LibraryMissing(
        f"{purpose} needs the Python package {name} ({error}); install it: pip install {name}"
    )
