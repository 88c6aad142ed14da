"""Events of objects (``cozmo.objects``; spec 21 §5, §6)."""

from __future__ import annotations

from .event import Event


class EvtObjectObserved(Event):
    """Triggered whenever an object is seen in an image."""

    obj = "The object"
    updated = "The names of what has changed"
    image_box = "Where it is in the image"
    pose = "Its pose"


class EvtObjectAppeared(Event):
    """Triggered whenever an object comes into sight."""

    obj = "The object"
    updated = "The names of what has changed"
    image_box = "Where it is in the image"
    pose = "Its pose"


class EvtObjectDisappeared(Event):
    """Triggered whenever an object has gone out of sight."""

    obj = "The object"


class EvtObjectAvailable(Event):
    """Triggered when a cube advertises itself by radio."""

    obj = "The object"


class EvtObjectConnectChanged(Event):
    """Triggered when a cube was connected or disconnected."""

    obj = "The object"
    connected = "Whether it is connected now"


class EvtObjectLocated(Event):
    """Triggered when the place of an object has become known."""

    obj = "The object"
    updated = "The names of what has changed"
    pose = "Its pose"


class EvtObjectConnected(Event):
    """Triggered when a cube has been connected."""

    obj = "The object"
    connected = "Whether it is connected"


class EvtObjectTapped(Event):
    """Triggered when a cube is tapped."""

    obj = "The cube"
    tap_count = "Number of taps"
    tap_duration = "Duration in ms"
    tap_intensity = "Strength"


class EvtObjectMovingStarted(Event):
    """Triggered when a cube begins to move."""

    obj = "The cube"
    acceleration = "Its acceleration"


class EvtObjectMoving(Event):
    """Triggered while a cube moves."""

    obj = "The cube"
    acceleration = "Its acceleration"
    move_duration = "For how long it moves, s"


class EvtObjectMovingStopped(Event):
    """Triggered when a cube has come to rest."""

    obj = "The cube"
    move_duration = "For how long it moved, s"
