"""Pure functions on pictures and sound: camera JPEG, display, audio (spec 03-05)."""

from __future__ import annotations

from . import audio_codec, display_codec, mini_jpeg, speech
from .audio_codec import (
    FRAME_SAMPLES,
    FRAME_TIME,
    FULL_SCALE,
    SAMPLE_RATE,
    SampleQueue,
    Samples,
    quantize,
)
from .audio_files import (
    AudioFile,
    AudioFileError,
    AudioFileNotFound,
    LibraryMissing,
    read_samples,
)
from .display_codec import (
    DISPLAY_HEIGHT,
    DISPLAY_WIDTH,
    PAIRS,
    DisplayImage,
    Gray,
    dither,
    field,
    interlace,
)
from .image_assembler import ImageAssembler
from .loudness import loudness
from .mini_jpeg import (
    COLOR_WIDTH,
    IMAGE_HEIGHT,
    IMAGE_WIDTH,
    ImageArray,
    from_color,
    from_gray,
    mean_gray,
    picture,
    stretched,
    to_jpeg,
)
from .printed_markers import (
    CHARGER_BOXES,
    CHARGER_CODE,
    CHARGER_MARKER_SIZE,
    CHARGER_RING,
    CORNER,
    CUBE_CODES,
    CUBE_MARKER_SIZE,
    FIELD,
    RING,
    SIDE_AXES,
    SIDES,
    cells_of,
    code_of,
    cube_and_side,
    draw_marker,
)
from .resampler import (
    HIGHEST_RATE,
    LOWEST_RATE,
    MAX_TUNING,
    Resampler,
    Wave,
    check_rate,
    to_wave,
)
from .singing import (
    CLOSED_STRENGTHS,
    HIGHEST_NOTE,
    LOWEST_NOTE,
    MOST_VIBRATO,
    RESONANCE_STRENGTHS,
    RESONANCE_WIDTHS,
    VIBRATO_RATE,
    VOWELS,
    BentVoice,
    SungNote,
    check_syllable,
    frequency_of,
    sing,
)
from .speech import (
    SpeechError,
    SpeechProgram,
    SpeechProgramMissing,
    SpeechTimeout,
    Utterance,
    make_speech,
)
