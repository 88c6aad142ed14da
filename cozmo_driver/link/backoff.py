"""How long to wait between two attempts to connect."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Backoff:
    """Delays in seconds: ``initial`` after the first failure, then times ``factor`` to ``limit``.

    Raises ``ValueError`` for delays that are not positive or would shrink.
    """

    initial: float = 0.5
    factor: float = 2.0
    limit: float = 4.0

    def __post_init__(self) -> None:
        """Refuse delays that make no sense."""
        if not (0 < self.initial <= self.limit and self.factor >= 1):
            raise ValueError(
                f"back-off needs 0 < initial <= limit and factor >= 1, not {self.initial} s, "
                f"{self.limit} s and {self.factor}"
            )

    def delay(self, failures: int) -> float:
        """Return the wait after this many failures in a row (1 or more)."""
        # The exponent is bounded: a robot that is away for days must not overflow a float.
        return min(self.limit, self.initial * self.factor ** min(failures - 1, 64))
