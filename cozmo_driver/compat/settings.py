"""What the command that runs a program has decided: which robots there are, and what to tell."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field

DEFAULT_ADDRESS, DEFAULT_PORT = "172.31.1.1", 5551


@dataclass
class Settings:
    """Of this process."""

    robots: list[tuple[str, int]] = field(default_factory=lambda: [(DEFAULT_ADDRESS, DEFAULT_PORT)])
    """Addresses and ports, in the order in which connections take them."""
    looks_early: bool = True
    """Whether to look for objects from the start, not only once the program asks for them."""
    looks_for_faces: bool = False
    """Likewise for faces."""
    wants_cubes: bool = True
    """Whether a connection waits for the cubes."""
    wants_images: bool = True
    """Whether the camera warms up before the program begins."""
    shows_pictures: bool = True
    """Whether viewers may open a page with pictures."""

    def __post_init__(self) -> None:
        self._taken: set[tuple[str, int]] = set()
        self._lock = threading.Lock()

    def take(self, serial: str | None = None) -> tuple[str, int] | None:
        """Return a robot that no connection of this process has; None where there is none."""
        with self._lock:
            free = [one for one in self.robots if one not in self._taken]
            if not free:
                return None
            self._taken.add(free[0])
            return free[0]

    def give_back(self, robot: tuple[str, int]) -> None:
        with self._lock:
            self._taken.discard(robot)


settings = Settings()
