"""The page that shows a view's folder in a browser and keeps itself up to date.

It only asks for files beside it, so that it works from the disk without any server: pictures are
loaded anew with a number behind their names, and ``news.js`` is a script that says what else there
is.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

_PAGE = """\
<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Cozmo emulator</title>
<style>
  body { margin: 1rem; background: #16181d; color: #dde1e6; font: 15px/1.4 sans-serif; }
  main { display: flex; flex-wrap: wrap; gap: 1rem; align-items: flex-start; }
  section { background: #20232a; border-radius: 8px; padding: .75rem; }
  h2 { font-size: 1rem; margin: 0 0 .5rem; }
  img { display: block; margin-bottom: .5rem; max-width: 100%; }
  .camera { width: 512px; height: 384px; background: #000; }
  .face { width: 512px; height: 256px; background: #000; }
  .told { min-height: 1.4em; }
  .sounds { max-width: 512px; max-height: 12rem; overflow-y: auto; }
  .sounds div { display: flex; align-items: center; gap: .5rem; }
  audio { height: 2rem; }
  .stale { color: #ffb454; }
</style>
<main id="main"><section><h2>The world</h2><img data-file="top.png" alt="the world from above">
<div id="state" class="told">waiting for the emulator</div></section></main>
<script>
"use strict";
const robots = ROBOTS;
const parts = robots.map(function (robot, index) {
  const section = document.createElement("section");
  const title = robots.length > 1 ? "Robot " + (index + 1) : "The robot";
  section.innerHTML = '<h2>' + title + '</h2>' +
    '<img class="camera" alt="what the camera sees" data-file="' + robot + 'camera.png">' +
    '<img class="face" alt="the face" data-file="' + robot + 'face.png">' +
    '<div class="told"></div><div class="sounds"></div>';
  document.getElementById("main").append(section);
  return { told: section.querySelector(".told"), list: section.querySelector(".sounds"), heard: 0 };
});
let number = 0, newest = -1, since = Date.now();
function load(shown) {
  if (shown.dataset.busy) return;
  shown.dataset.busy = "1";
  const next = new Image();
  next.onload = function () { shown.src = next.src; delete shown.dataset.busy; };
  next.onerror = function () { delete shown.dataset.busy; };
  next.src = shown.dataset.file + "?" + number;
}
function addSound(part, sound, robot) {
  const line = document.createElement("div"), audio = document.createElement("audio");
  audio.controls = true;
  audio.preload = "none";
  audio.src = robot + sound.file + "?" + sound.number;
  line.append(audio, sound.file + ", " + sound.seconds.toFixed(1) + " s");
  part.list.prepend(line);
  while (part.list.children.length > KEPT) part.list.lastChild.remove();
}
function news(told) {
  if (told.number !== newest) { newest = told.number; since = Date.now(); }
  told.robots.forEach(function (robot, index) {
    const part = parts[index];
    part.told.textContent = robot.told;
    robot.sounds.forEach(function (sound) {
      if (sound.number <= part.heard) return;
      part.heard = sound.number;
      addSound(part, sound, robots[index]);
    });
  });
  const state = document.getElementById("state");
  const isStale = Date.now() - since > 3000;
  state.className = isStale ? "told stale" : "told";
  state.textContent = isStale ? "the emulator has ended, or stands still" : told.world;
}
function refresh() {
  number += 1;
  document.querySelectorAll("img[data-file]").forEach(load);
  const script = document.createElement("script");
  script.src = "news.js?" + Date.now();
  script.onload = script.onerror = function () { script.remove(); };
  document.head.append(script);
}
setInterval(refresh, 200);
refresh();
</script>
</html>
"""


def page(folders: Sequence[str], kept: int) -> str:
    """Return ``index.html`` for robots whose files are in ``folders`` ("" or "name/")."""
    return _PAGE.replace("ROBOTS", json.dumps([*folders])).replace("KEPT", str(kept))


def news(number: int, world: str, robots: Sequence[dict[str, Any]]) -> str:
    """Return ``news.js``; ``number`` grows with every one, ``world`` is a line of text."""
    return f"news({json.dumps({'number': number, 'world': world, 'robots': [*robots]})});\n"
