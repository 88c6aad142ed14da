"""WEM files, good and damaged."""

from __future__ import annotations

import struct

import numpy as np
import pytest

from cozmo_driver.resources.errors import DamagedFile, UnsupportedFile
from cozmo_driver.resources.sound.wem import LONGEST, decode_wem

from . import adpcm_reference
from .bank_writer import adpcm_wem, chunk, pcm_wem, vorbis_wem, wem

RAMP = np.arange(-32768, 32768, 100, dtype=np.int16)


def test_16_bit_pcm_is_taken_as_it_is() -> None:
    rate, wave = decode_wem(pcm_wem(RAMP, 24000), "a.wem")
    assert rate == 24000
    assert wave.dtype == np.float32
    np.testing.assert_array_equal(wave, RAMP / np.float32(32768))


@pytest.mark.parametrize(
    ("bits", "data"), [(8, b"\x00\x80\xff"), (24, b"\0\0\x80\0\0\0\xff\xff\x7f")]
)
def test_other_widths_of_pcm_reach_from_end_to_end(bits: int, data: bytes) -> None:
    _, wave = decode_wem(wem(1, 1, 22320, bits // 8, bits, data), "a.wem")
    assert wave.tolist() == pytest.approx([-1.0, 0.0, 1.0], abs=0.01)


def test_two_channels_are_mixed_as_the_app_does() -> None:
    both = np.stack([np.full(100, 8000), np.full(100, -2000)], axis=1).astype(np.int16)
    _, wave = decode_wem(pcm_wem(both), "a.wem")
    np.testing.assert_allclose(wave, 0.7071 * 6000 / 32768, rtol=1e-5)


def test_adpcm_gives_64_samples_for_each_block() -> None:
    blocks = adpcm_reference.encode([100 * number for number in range(128)])
    _, wave = decode_wem(adpcm_wem(b"".join(blocks), rate=32000), "a.wem")
    expected = [sample for block in blocks for sample in adpcm_reference.decode(block)]
    assert (wave * 32768).tolist() == expected


def test_stereo_adpcm_has_a_block_of_the_left_and_then_one_of_the_right() -> None:
    left = adpcm_reference.encode([1000] * 64)[0]
    right = adpcm_reference.encode([-3000] * 64)[0]
    _, wave = decode_wem(adpcm_wem(left + right, channels=2), "a.wem")
    assert wave[0] * 32768 == pytest.approx(0.7071 * -2000, rel=1e-4)


def test_vorbis_is_refused_with_the_way_to_convert_it() -> None:
    with pytest.raises(UnsupportedFile, match=r"Vorbis.*<media id>\.ogg or <media id>\.wav"):
        decode_wem(vorbis_wem(), "7.wem")


def test_another_format_behind_the_extensible_tag_is_not_taken_for_pcm() -> None:
    fmt = struct.pack("<HHIIHHHHIH14x", 0xFFFE, 1, 22050, 88200, 4, 32, 22, 32, 4, 3)
    body = b"WAVE" + chunk(b"fmt ", fmt) + chunk(b"data", bytes(8))
    with pytest.raises(UnsupportedFile, match="0x0003"):
        decode_wem(b"RIFF" + struct.pack("<I", len(body)) + body, "a.wem")


def test_a_sound_without_end_is_cut_off() -> None:
    samples = np.zeros(int(8000 * (LONGEST + 1)), np.int16)
    assert len(decode_wem(pcm_wem(samples, 8000), "a.wem")[1]) == LONGEST * 8000


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "does not begin with RIFF"),
        (b"RIFF\0\0\0\0WAVX", "does not begin with RIFF"),
        (b"RIFF\0\0\0\0WAVE", "no chunk 'fmt '"),
        (pcm_wem(RAMP)[:-1], "are left"),
        (b"RIFF\0\0\0\0WAVE" + chunk(b"fmt ", bytes(10)), "only 10 bytes"),
        (wem(2, 0, 22050, 36, 4, bytes(36)), "0 channels"),
        (wem(2, 9, 22050, 324, 4, bytes(36)), "9 channels"),
        (wem(2, 1, 0, 36, 4, bytes(36)), "0 samples per second"),
        (wem(2, 1, 22050, 40, 4, bytes(40)), "blocks of 40 bytes"),
        (wem(1, 1, 22050, 8, 64, bytes(16)), "64 bits"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_damaged_file_is_refused_with_the_reason(data: bytes, reason: str) -> None:
    with pytest.raises(DamagedFile, match=reason):
        decode_wem(data, "a.wem")


def test_the_error_tells_the_place_in_the_file_that_holds_the_media() -> None:
    with pytest.raises(DamagedFile) as caught:
        decode_wem(wem(2, 9, 22050, 324, 4, bytes(36)), "My.bnk", 5000)
    assert caught.value.source == "My.bnk"
    assert caught.value.offset == 5000 + 20 + 2
