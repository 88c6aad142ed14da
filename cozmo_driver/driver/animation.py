"""The action ``play_animation`` and the service ``list_animations``."""

from __future__ import annotations

import asyncio
import logging
import random

from cozmo_interfaces.action import PlayAnimation
from cozmo_interfaces.srv import ListAnimations

from ..animation import NO_ASSETS, ClipProgress, Kind, PlayedClip, Player, load_assets
from ..protocol import AnimTrackFlag as Track
from ..ros.action_bridge import ActionBridge, Goal, throttled
from ..ros.context import Context
from ..ros.geometry import filled

_log = logging.getLogger(__name__)

_MOST_WARNINGS = 20
_ALL_TRACKS = 0x7F


class AnimationPart:
    """Plays clips of the user's assets and of the driver's own; finds them in a thread."""

    def __init__(self, context: Context) -> None:
        self._context = context
        parameters = context.parameters
        self._rng = random.Random(parameters["animation_seed"] or None)
        self.player = Player(context.robot, NO_ASSETS.library, NO_ASSETS.sounds, self._rng)
        self.player.selection.mood = parameters["animation_mood"]
        self._loading: asyncio.Task[None] | None = None
        ActionBridge(context, PlayAnimation, "play_animation", self._play)
        context.jobs.serve(ListAnimations, "list_animations", self._list)
        context.on_parameter("resource_dir", self._load)
        context.on_parameter("animation_mood", self._set_mood)
        context.on_parameter("animation_seed", lambda seed: self._rng.seed(seed or None))
        context.thread.post(self._load, parameters["resource_dir"])

    # -- in the robot's thread

    async def _list(
        self, request: ListAnimations.Request, response: ListAnimations.Response
    ) -> str:
        kind = _kind(request.kind)
        await self._loaded()
        names = self.player.selection.names(str(request.filter), kind)
        response.clips = list(names.clips)
        response.groups = list(names.groups)
        response.triggers = list(names.triggers)
        return (
            f"{len(names.clips)} clips, {len(names.groups)} groups, {len(names.triggers)} triggers"
        )

    def _set_mood(self, mood: str) -> None:
        self.player.selection.mood = mood

    def _load(self, folder: str) -> None:
        self._loading = asyncio.ensure_future(self._read(self._loading, folder))

    async def _read(self, before: asyncio.Task[None] | None, folder: str) -> None:
        if before is not None:
            await before
        try:
            assets = await asyncio.to_thread(load_assets, folder)
        except Exception:  # a fault: bad files are among the warnings
            _log.exception("the animations cannot be read")
            return
        self.player.use(assets)
        for warning in assets.warnings[:_MOST_WARNINGS]:
            _log.warning(warning)
        if len(assets.warnings) > _MOST_WARNINGS:
            _log.warning(f"and {len(assets.warnings) - _MOST_WARNINGS} more warnings")
        library = assets.library
        trees = ", ".join(map(str, library.trees)) or "nowhere"
        _log.info(
            f"{len(library.clips)} animation clips, {len(library.groups)} groups and "
            f"{len(library.triggers)} triggers from {trees}"
        )

    async def _loaded(self) -> None:
        while self._loading is not None and not self._loading.done():
            await asyncio.wait([self._loading])

    async def _play(self, goal: Goal) -> str:
        request, result = goal.request, goal.result
        kind, excluded = _kind(request.kind), _tracks(request.excluded_tracks)
        if self._loading is not None and not self._loading.done():
            await self._loaded()
        publish = throttled(goal)

        def on_progress(progress: ClipProgress) -> None:
            result.clip, result.loops_completed = progress.clip, progress.loop
            publish(filled(PlayAnimation.Feedback, progress))

        played = await self.player.play(
            str(request.name),
            kind,
            excluded_tracks=excluded,
            loops=int(request.loop_count),
            replace=self._context.parameters["animation_replace"],
            on_progress=on_progress,
        )
        result.clip, result.loops_completed = played.clip, played.loops_completed
        return _sentence(played)


def _sentence(played: PlayedClip) -> str:
    often = f", {played.loops_completed} times" if played.loops_completed > 1 else ""
    without = "".join(f"; without the {name}: {why}" for name, why in played.left_out.items())
    return f"{played.clip} was played{often}{without}"


def _kind(number: int) -> Kind:
    try:
        return Kind(number)
    except ValueError:
        names = ", ".join(f"{kind.name} {kind.value}" for kind in Kind)
        raise ValueError(f"the kind is one of {names}, not {number}") from None


def _tracks(bits: int) -> Track:
    if bits & ~_ALL_TRACKS:
        raise ValueError(f"excluded_tracks has bits up to {_ALL_TRACKS}, not {bits}")
    return Track(bits)
