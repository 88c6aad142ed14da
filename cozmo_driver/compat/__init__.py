"""Programs for the maker's SDK and for PyCozmo run here, unmodified (docs/old_programs.md)."""

from __future__ import annotations

from .check import Finding, check_program
from .offers import differences, offered
from .runner import ProgramError, RunOptions, run_old_program
