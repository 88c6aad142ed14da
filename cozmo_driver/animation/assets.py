"""All clips and sounds there are: the user's own and those of this package."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ..resources.library import Library, library_of, load_library
from ..resources.sound import BankSounds, BuiltinSounds, SoundSource, SoundSources


@dataclass(frozen=True, slots=True)
class Assets:
    """What a ``Player`` plays from."""

    library: Library
    sounds: SoundSource
    warnings: tuple[str, ...] = ()
    """What was left out."""


NO_ASSETS = Assets(library_of([]), SoundSources([]))


def load_assets(resource_dir: str | Path = "") -> Assets:
    """Read what there is; takes as long as the files take.

    ``resource_dir`` as in ``find_user_tree``; one without assets is told in the warnings.
    """
    library = load_library(resource_dir)
    banks = [BankSounds(folder) for folder in library.sound_directories]
    problems = [str(warning) for bank in banks for warning in bank.problems.warnings]
    return Assets(
        library,
        SoundSources([*banks, BuiltinSounds()]),
        (*map(str, library.warnings), *problems),
    )
