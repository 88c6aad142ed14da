"""A picture of how a song sounds: its spectrogram, the notes that were asked for, its loudness."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from ..media import FULL_SCALE, SAMPLE_RATE, audio_codec, frequency_of, sing
from ..music import Song

_WINDOW, _HOP = 2048, 256
_HIGHEST = 4000.0
"""Hz that are shown: three partials of the highest note."""
_RANGE_DB = 60.0
_NOTE, _SOUND, _BEAT = "#56b4e9", "#0072b2", "#d55e00"


def draw(song: Song, path: Path) -> None:
    """Write the picture of a song as the robot's loudspeaker gets it. Raises ``OSError``."""
    from matplotlib.figure import Figure  # type: ignore[import-not-found,unused-ignore]

    notes = song.sung_notes()
    samples = audio_codec.decode(audio_codec.encode(sing(notes, song.duration))) / FULL_SCALE
    figure = Figure(figsize=(12, 6.5), dpi=80, layout="constrained")
    top, bottom = figure.subplots(2, 1, sharex=True, gridspec_kw={"height_ratios": (4, 1)})
    figure.suptitle(song.title, x=0.01, ha="left", fontsize=12, fontweight="bold")
    padded = np.pad(samples, _WINDOW // 2)
    starts = np.arange(0, len(samples), _HOP)
    frames = np.stack([padded[start : start + _WINDOW] for start in starts]) * np.hanning(_WINDOW)
    power = np.abs(np.fft.rfft(frames)).T ** 2
    level = 10.0 * np.log10(power / power.max() + 1e-12)
    frequencies = np.fft.rfftfreq(_WINDOW, 1 / SAMPLE_RATE)
    shown = frequencies <= _HIGHEST
    top.pcolormesh(
        starts / SAMPLE_RATE, frequencies[shown], level[shown], vmin=-_RANGE_DB, vmax=0.0,
        cmap="magma", shading="nearest", rasterized=True,
    )  # fmt: skip
    for note in notes:
        pitch = frequency_of(note.pitch)
        top.plot([note.start, note.start + note.duration], [pitch, pitch], color=_NOTE, lw=1.2)
    top.set_ylabel("Hz; blue: the notes")
    time = np.arange(len(samples)) / SAMPLE_RATE
    bottom.plot(time, samples, color=_SOUND, lw=0.3)
    for beat in song.beat_times():
        bottom.axvline(beat, color=_BEAT, lw=0.4, alpha=0.6)
    bottom.set(ylim=(-1.0, 1.0), ylabel="sound, beats", xlabel="s", xlim=(0.0, song.duration))
    figure.savefig(path)
