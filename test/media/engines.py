"""Tiny speech programs for tests: real ones, that write a WAV file through the template."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

_BEEPER = """
import json, math, pathlib, struct, sys, wave

wav, rest = sys.argv[1], sys.argv[2:]
text = sys.stdin.read()
pathlib.Path(__file__ + ".json").write_text(json.dumps({"text": text, "arguments": rest}))
RATE = 16000
with wave.open(wav, "wb") as file:
    file.setnchannels(1)
    file.setsampwidth(2)
    file.setframerate(RATE)
    # Silence, then a beep and a pause for each word.
    file.writeframes(bytes(2 * RATE // 4))
    for word in (text.split() or rest):
        beep = (9000 * math.sin(2 * math.pi * 200 * n / RATE) for n in range(RATE // 4))
        file.writeframes(b"".join(struct.pack("<h", round(value)) for value in beep))
        file.writeframes(bytes(2 * RATE * 3 // 10))
    file.writeframes(bytes(2 * RATE // 2))
"""
PITCH = 200.0
"""Hz of a beep."""
BEEP, PAUSE = 0.25, 0.3
"""s of each."""


def engine(folder: Path, code: str, arguments: str = "{wav}") -> str:
    """The command of a program in Python."""
    script = folder / "engine.py"
    script.write_text(code)
    return f"{shlex.quote(sys.executable)} -I -S {shlex.quote(str(script))} {arguments}"


def beeper(folder: Path, arguments: str = "{wav}") -> str:
    """The command of a program that beeps once for each word; what it was given is kept."""
    return engine(folder, _BEEPER, arguments)
