"""The parameters of the camera's colour and exposure."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...protocol import SendQueueFull
from ...robot.camera.exposure import Exposure
from ..context import Context


class CameraSettingsPart:
    """Hands changes over to the camera; says when the robot's camera cannot do what is asked."""

    def __init__(self, context: Context) -> None:
        """Follow the parameters."""
        self._context, self._camera = context, context.robot.camera
        self._logger = context.node.get_logger()
        self._said: Exposure | None = None
        camera = self._camera
        settings: tuple[tuple[str, Callable[[Any], object]], ...] = (
            ("camera_color", camera.set_color),
            ("camera_gain", camera.set_gain),
            ("camera_exposure", camera.set_exposure),
            ("camera_auto_exposure", camera.set_auto_exposure),
        )
        for name, apply in settings:
            context.parameters.on_change(name, self._poster(name, apply))
        camera.exposure_control.on_change.connect(lambda _: self._compare())

    def _poster(self, name: str, apply: Callable[[Any], object]) -> Callable[[Any], object]:
        return lambda value: self._context.thread.post(self._apply, name, apply, value)

    # -- in the robot's thread

    def _apply(self, name: str, apply: Callable[[Any], object], value: Any) -> None:
        try:
            apply(value)
        except SendQueueFull as error:
            self._logger.warning(
                f"{name}: the robot does not answer and is told when it is connected again: {error}"
            )
        self._compare()

    def _compare(self) -> None:
        """Say when what was asked for lies outside of the robot's own limits."""
        control = self._camera.exposure_control
        requested = control.requested
        if control.limits.clamped(requested) == requested:
            self._said = None
        elif requested != self._said:
            self._said = requested
            can = control.limits
            self._logger.warning(
                f"this robot's camera takes a gain of {can.min_gain:g} to {can.max_gain:g} and an "
                f"exposure of {can.min_exposure_ms} to {can.max_exposure_ms} ms: asked for "
                f"{requested.gain:g} and {requested.exposure_ms} ms, the nearest is used"
            )
