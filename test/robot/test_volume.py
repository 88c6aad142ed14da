"""The loudness, set and kept."""

from __future__ import annotations

from cozmo_driver.protocol.messages import SetAudioVolume

from .sounds import truth
from .virtual import in_virtual_time


@in_virtual_time(volume=0.5)
async def test_the_volume_is_set_in_every_session(world):
    assert truth(world).volume == 32768
    world.robot.audio.set_volume(0.75)
    await world.until(lambda: truth(world).volume == 49151)
    async with world.without_link():
        world.robot.audio.set_volume(0.25)
        world.wire.restart()
    assert world.robot.audio.volume == 0.25
    assert truth(world).volume == 16384
    assert world.wire.received(SetAudioVolume)[-1] == SetAudioVolume(16384)
