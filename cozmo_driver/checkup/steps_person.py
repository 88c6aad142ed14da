"""Steps in which the person says what is seen and heard: display, sound, lights."""

from __future__ import annotations

import numpy as np

from ..media import DISPLAY_HEIGHT, DISPLAY_WIDTH, SAMPLE_RATE
from ..robot import BackpackLights, Color, steady
from .bench import Bench
from .step import Quantity, Result, Step, Verdict, failed, skipped

_SHOWN = 3.0
"""s."""
_TONES = (523.25, 659.26, 783.99)
_TONE = 0.4
_LOUDNESS = 0.4
_SOUND_TIMEOUT = 8.0
_ADVICE = {
    "display": "switch the robot off and on, and repeat; if it stays dark, the display is broken",
    "sound": "repeat with --volume 1; if it stays silent, the loudspeaker is broken",
    "lights": "switch the robot off and on, and repeat; if they stay dark, they are broken",
}


async def _display(bench: Bench) -> Result:
    rows, columns = np.mgrid[0:DISPLAY_HEIGHT, 0:DISPLAY_WIDTH]
    is_frame = (rows < 4) | (rows >= DISPLAY_HEIGHT - 4) | (columns < 4)
    is_frame |= columns >= DISPLAY_WIDTH - 4
    is_lit = is_frame | (rows // 16 + columns // 16) % 2 == 1
    bench.robot.display.show(is_lit)
    await bench.pause(_SHOWN)
    asked = await bench.person.notices("Does its display show a chessboard in a frame?")
    is_shown = bool(bench.robot.display.shown.any())
    bench.robot.display.clear()
    values = {"counted_as_shown": Quantity(int(is_shown))}
    if not is_shown:
        return failed("the robot did not take the image", "repeat the step", **values)
    return _told(asked, "display", "the chessboard is seen", "nothing is seen")


async def _sound(bench: Bench) -> Result:
    times = np.arange(round(_TONE * SAMPLE_RATE)) / SAMPLE_RATE
    fade = np.minimum(1.0, np.minimum(times, times[::-1]) / 0.02)
    wave = np.concatenate([fade * np.sin(2 * np.pi * tone * times) for tone in _TONES])
    stream = bench.robot.audio.stream
    samples = (_LOUDNESS * 32767 * wave).astype(np.int16)
    stream.push(samples, SAMPLE_RATE, is_last=True)
    deadline = bench.now + _SOUND_TIMEOUT
    while stream.is_active and bench.now < deadline:
        await bench.pause(0.1)
    if stream.is_active:
        return failed("the robot did not play the sound to its end", "repeat the step")
    asked = await bench.person.notices("Did you hear three rising tones?")
    return _told(asked, "sound", "three tones are heard", "nothing is heard")


async def _lights(bench: Bench) -> Result:
    backpack = bench.robot.backpack
    red, green, blue = (steady(Color(*one)) for one in ((1, 0, 0), (0, 1, 0), (0, 0, 1)))
    try:
        backpack.set(BackpackLights(red, green, blue, red, red))
        await bench.pause(_SHOWN)
        asked = await bench.person.notices(
            "Are the lights on its back red, green and blue from the head backwards, and red at "
            "the sides?"
        )
    finally:
        if bench.robot.session.is_ready:
            backpack.release()
    return _told(asked, "lights", "all five are seen", "not all are seen")


def _told(asked: bool | None, name: str, good: str, bad: str) -> Result:
    """Return what the person said."""
    if asked is None:
        return skipped("done; nobody could tell what came of it")
    if asked:
        return Result(Verdict.PASSED, good)
    return failed(bad, _ADVICE[name])


STEPS = (
    Step("display", "Display", "Shows a chessboard in a frame for 3 s.", _display),
    Step("sound", "Loudspeaker", "Plays three tones.", _sound),
    Step("lights", "Lights on the back", "Shows red, green and blue for 3 s.", _lights),
)
