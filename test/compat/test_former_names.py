"""Programs find what Python and libraries had, and the windows that this computer lacks."""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import cv2
import numpy as np
import pytest

from cozmo_driver.compat.former_names import compiled, former_names
from cozmo_driver.compat.modules import for_programs
from cozmo_driver.compat.page import close_page, page
from cozmo_driver.compat.screenless_tk import tk_without_screen
from cozmo_driver.compat.windows import windows_on_page

OLD = """
import asyncio, collections, fractions, imp, inspect, this, threading, time
import numpy as np
from PIL import Image, ImageDraw, ImageFont
@asyncio.coroutine
def wait():
    yield from asyncio.sleep(0)
    return 7
async def main():
    task = asyncio.async(wait())
    done, _ = await asyncio.wait([wait(), task])
    assert task in done and len(done) == 2
    return await task
assert asyncio.new_event_loop().run_until_complete(main()) == 7
assert isinstance([], collections.Iterable) and fractions.gcd(12, 18) == 6
assert threading.current_thread().isAlive() and time.clock() <= time.clock()
assert np.array([1, 2], dtype=np.float).sum() == 3.0 and np.int(3.5) == 3
picture = Image.new("1", (64, 32)).resize((128, 32), Image.ANTIALIAS)
width, height = ImageDraw.Draw(picture).textsize("Cozmo")
assert 20 < width < 60 and ImageFont.load_default().getsize("Cozmo")[0] > 20
pixels = np.asarray(picture.convert("L"))
pixels.flags.writeable = True
pixels[0, 0] = 255
assert inspect.getargspec(lambda a, b: 0)[0] == ["a", "b"]
assert imp.reload(this) is this
"""
CONTOURS = """
import cv2, numpy as np
square = np.zeros((20, 20), np.uint8)
square[5:15, 5:15] = 255
image, contours, hierarchy = cv2.findContours(square, cv2.RETR_TREE, cv2.CHAIN_APPROX_SIMPLE)
assert image is square and len(contours) == 1
contours, hierarchy = cv2.findContours(square, cv2.RETR_TREE, cv2.CHAIN_APPROX_SIMPLE)
assert len(contours) == 1
"""


@pytest.mark.parametrize("text", [OLD, CONTOURS])
def test_what_was_lost_is_there_for_a_program_and_gone_after_it(tmp_path: Path, text: str) -> None:
    file = tmp_path / "old.py"
    file.write_text(text)
    with for_programs(), former_names():
        exec(compiled(file), {})
    assert "float" not in vars(np)
    assert len(cv2.findContours(np.zeros((4, 4), np.uint8), 0, 1)) == 2
    assert not hasattr(threading.Thread, "isAlive")


def test_what_a_program_imports_is_read_as_the_program_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "old_part.py").write_text("import asyncio\nbegin = lambda: asyncio.async(0)\n")
    monkeypatch.syspath_prepend(tmp_path)
    with former_names():
        assert import_module("old_part").begin
    del sys.modules["old_part"]


def test_what_never_was_python_stays_refused(tmp_path: Path) -> None:
    file = tmp_path / "broken.py"
    file.write_text("print 'Cozmo'")
    with pytest.raises(SyntaxError):
        compiled(file)


@pytest.fixture
def no_screen(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    with windows_on_page():
        yield
    close_page()


def test_windows_of_opencv_are_on_the_page_and_take_its_keys(no_screen: None) -> None:
    picture = np.zeros((24, 32, 3), np.uint8)
    picture[:, :, 2] = 255
    cv2.namedWindow("a red one", cv2.WINDOW_NORMAL)
    cv2.imshow("a red one", picture)
    assert cv2.waitKey(1) == -1
    shown = page()
    assert shown is not None
    with urlopen(f"{shown.url}names") as answer:
        assert json.load(answer) == ["a red one"]
    with urlopen(f"{shown.url}picture/a%20red%20one") as stream:
        headers = [stream.readline().decode() for _ in range(4)]
        data = stream.read(int(headers[2].partition(":")[2]))
    seen = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)
    assert seen is not None
    blue, _, red = seen[2, 2]
    assert red > 200 > 60 > blue
    keys: list[int] = []
    waiting = threading.Thread(target=lambda: keys.append(cv2.waitKey(0)))
    waiting.start()
    with urlopen(Request(f"{shown.url}key", b"Escape")) as answer:
        assert answer.status == 204
    waiting.join(30)
    assert keys == [27]


def test_keys_of_other_sites_are_refused(no_screen: None) -> None:
    shown = page()
    assert shown is not None
    request = Request(f"{shown.url}key", b"q", {"Origin": "http://elsewhere.example"})
    with pytest.raises(OSError, match="400"):
        urlopen(request)
    assert shown.keys.empty()


WINDOW = """
import threading, tkinter
root = tkinter.Tk()
said = tkinter.StringVar(value="nothing")
scale = tkinter.Scale(root, from_=3, to=9)
assert scale.get() == 3 and (scale.set(5), scale.get())[1] == 5
label = tkinter.Label(root, textvariable=said)
label.pack()
canvas = tkinter.Canvas(root, width=20, height=20)
line = canvas.create_line(0, 0, 10, 10)
canvas.itemconfig(line, fill="red")
root.bind("<Key>", print)
assert root.winfo_exists() and root.winfo_width() > 0
def finish():
    said.set("finished")
    root.destroy()
def ask():
    canvas.create_line(0, 0, 5, 5)
    root.after(1, finish)
threading.Thread(target=ask).start()
root.mainloop()
"""


def test_a_program_with_windows_of_tkinter_runs_without_a_screen(no_screen: None) -> None:
    pytest.importorskip("tkinter")
    names: dict[str, Any] = {}
    with tk_without_screen():
        exec(WINDOW, names)
    assert names["said"].get() == "finished"
