"""The user's own sound banks as a source of sounds (spec 05 §5)."""

from __future__ import annotations

import logging
import os
import random
from pathlib import Path

import numpy as np
import numpy.typing as npt

from ...media import FULL_SCALE, SAMPLE_RATE, LibraryMissing, Samples
from ..errors import DamagedFile, LoadWarning
from .bank import Bank
from .objects import Event, HierarchyObject, ObjectType
from .recordings import NoMedia, Recordings
from .resolver import Containers, Plan, Play, Resolver
from .sounds import Sound, gain_of_decibels, scaled
from .wem import LONGEST

_log = logging.getLogger(__name__)

MOST_BANKS = 32
_MOST_WARNINGS = 200
_MAX_SAMPLES = int(LONGEST * SAMPLE_RATE)


class BankSounds:
    """Every bank in and below a folder. What cannot be played is silent, and logged once."""

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        """Media is in the banks, or in files named by its id: ``.wem``, ``.ogg`` or ``.wav``."""
        self.warnings: dict[LoadWarning, None] = {}
        """What was left out so far, and why: every cause once, 200 at most."""
        paths = sorted(filter(_is_bank, Path(folder).rglob("*")))[:MOST_BANKS]
        self.banks = tuple(bank for path in paths if (bank := self._bank(path)) is not None)
        self._containers = Containers()
        self.recordings = Recordings(folder, self.banks)
        self.event_ids = frozenset(
            id_
            for bank in self.banks
            for id_, entry in bank.entries.items()
            if entry.type == ObjectType.EVENT
        )

    def has(self, event_id: int) -> bool:
        return event_id in self.event_ids

    def plan(self, event_id: int, rng: random.Random) -> Plan | None:
        """Return which media the event would play this time, None for nothing."""
        event = self._event(event_id)
        return None if event is None else self._resolver(rng).plan(event)

    def sound_for(self, event_id: int, rng: random.Random) -> Sound | None:
        """Return a sound of the event, all its recordings mixed; None where it makes none."""
        plan = self.plan(event_id, rng)
        if plan is None:
            return None
        samples = self._render(plan)
        if not len(samples):
            return None
        samples.flags.writeable = False
        return Sound(event_id, samples, _nodes_of(plan))

    def stopped_by(self, event_id: int) -> frozenset[int]:
        event = self._event(event_id)
        return frozenset() if event is None else self._resolver(random.Random(0)).stopped(event)

    def _bank(self, path: Path) -> Bank | None:
        try:
            return Bank(path)
        except DamagedFile as error:
            warning = LoadWarning.of(path, error)
        except OSError as error:
            warning = LoadWarning(str(path), f"cannot be read: {error.strerror}")
        self.warnings[warning] = None
        return None

    def _event(self, event_id: int) -> Event | None:
        found = self._object(event_id) if event_id in self.event_ids else None
        return found if isinstance(found, Event) else None

    def _resolver(self, rng: random.Random) -> Resolver:
        return Resolver(self._object, self._containers, rng, self._note)

    def _object(self, id_: int) -> HierarchyObject | None:
        bank = next((bank for bank in self.banks if id_ in bank.entries), None)
        if bank is None:
            self._note(f"object {id_} is in no bank")
            return None
        try:
            found = bank.object(id_)
        except DamagedFile as error:
            self._warn(LoadWarning.of(bank.source, error))
            return None
        if found is None:
            self._note(f"object {id_} is music, which is not played")
        return found

    def _render(self, plan: Plan) -> Samples:
        """Return the samples of a plan, none where nothing of it can be played."""
        if isinstance(plan, Play):
            return self._recording(plan)
        total = np.zeros(_MAX_SAMPLES, np.int32)
        end = self._add(plan, total, 0)
        mixed: Samples = np.clip(total[:end], -FULL_SCALE, FULL_SCALE).astype(np.int16)
        return mixed

    def _add(self, plan: Plan, total: npt.NDArray[np.int32], start: int) -> int:
        if isinstance(plan, Play):
            samples = self._recording(plan)
            end = min(start + len(samples), len(total))
            total[start:end] += samples[: end - start]
            return end
        if plan.is_sequence:
            for part in plan.parts:
                start = self._add(part, total, start)
            return start
        return max(self._add(part, total, start) for part in plan.parts)

    def _recording(self, play: Play) -> Samples:
        try:
            samples = self.recordings.samples(play.media_id, is_streamed=play.is_streamed)
        except (NoMedia, LibraryMissing) as error:
            self._note(str(error))
        except DamagedFile as error:
            self._warn(LoadWarning.of(error.source, error))
        else:
            return scaled(samples, gain_of_decibels(play.volume))
        return np.zeros(0, np.int16)

    def _note(self, text: str) -> None:
        self._warn(LoadWarning("sound banks", text))

    def _warn(self, warning: LoadWarning) -> None:
        if len(self.warnings) < _MOST_WARNINGS and warning not in self.warnings:
            self.warnings[warning] = None
            _log.warning("%s", warning)


def _is_bank(path: Path) -> bool:
    # Neither a pipe nor a device, which could keep the reader waiting for ever.
    return path.suffix.lower() == ".bnk" and path.is_file()


def _nodes_of(plan: Plan) -> frozenset[int]:
    if isinstance(plan, Play):
        return plan.nodes
    return frozenset[int]().union(*(_nodes_of(part) for part in plan.parts))
