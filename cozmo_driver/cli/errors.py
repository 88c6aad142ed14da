"""The one error that a sub-command raises for what its user can mend."""

from __future__ import annotations


class CommandError(Exception):
    """What went wrong and what to do, in one line; ends the command with ``exit_code``."""

    def __init__(self, text: str, exit_code: int = 1) -> None:
        """Keep the line and the code: 1 for what failed, 2 for a wrong call."""
        super().__init__(text)
        self.exit_code = exit_code
