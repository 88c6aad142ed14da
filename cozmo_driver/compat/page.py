"""Windows of programs, as pictures on one page that only this computer can open."""

from __future__ import annotations

import io
import json
import queue
import sys
import threading
from functools import lru_cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import unquote

from .settings import settings

_QUALITY = 80
_BOUNDARY = "picture"
_KEYS = 100
_LONGEST_KEY = 32
_PAGE = b"""<!doctype html><meta charset="utf-8"><title>Cozmo</title>
<style>body{margin:0;background:#111;color:#ccc;font:14px sans-serif;display:flex;flex-wrap:wrap;
justify-content:center}figure{margin:8px}img{min-width:320px;max-width:96vw}</style>
<script>
const shown = new Set();
async function look() {
  const names = await (await fetch("names")).json();
  for (const name of names.filter(name => !shown.has(name))) {
    shown.add(name);
    const figure = document.createElement("figure"), image = new Image();
    image.src = "picture/" + encodeURIComponent(name);
    image.alt = name;
    figure.append(image, Object.assign(document.createElement("figcaption"), {textContent: name}));
    document.body.append(figure);
  }
}
setInterval(() => look().catch(() => 0), 500);
addEventListener("keydown", event => fetch("key", {method: "POST", body: event.key}));
look();
</script>"""


class Page:
    """The newest picture of each window, and the keys that were pressed."""

    def __init__(self) -> None:
        self.keys: queue.Queue[str] = queue.Queue(_KEYS)
        """As browsers name them."""
        self._pictures: dict[str, tuple[int, Any]] = {}
        self._changed = threading.Condition()
        self._is_open = True
        page = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                page._answer(self)

            def do_POST(self) -> None:
                page._take_key(self)

            def log_message(self, *_: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self._server.server_port}/"

    def show(self, name: str, picture: Any) -> None:
        """Show a PIL image in a window; encoded only where somebody looks."""
        with self._changed:
            number = self._pictures.get(name, (0, None))[0] + 1
            self._pictures[name] = number, picture
            self._changed.notify_all()

    def close(self) -> None:
        with self._changed:
            self._is_open = False
            self._changed.notify_all()
        self._server.shutdown()
        self._server.server_close()

    def _answer(self, request: BaseHTTPRequestHandler) -> None:
        kind, _, name = request.path[1:].partition("/")
        if kind == "picture":
            self._stream(request, unquote(name))
            return
        is_names = kind == "names"
        body = json.dumps(list(self._pictures)).encode() if is_names else _PAGE
        request.send_response(200)
        request.send_header("Content-Type", "application/json" if is_names else "text/html")
        request.send_header("Content-Length", str(len(body)))
        request.end_headers()
        request.wfile.write(body)

    def _stream(self, request: BaseHTTPRequestHandler, name: str) -> None:
        request.send_response(200)
        request.send_header("Content-Type", f"multipart/x-mixed-replace; boundary={_BOUNDARY}")
        request.end_headers()
        last = 0
        try:
            while self._is_open:
                last, picture = self._next(name, last)
                if picture is None:
                    return
                data = _jpeg(picture)
                kind = f"Content-Type: image/jpeg\r\nContent-Length: {len(data)}"
                part = f"--{_BOUNDARY}\r\n{kind}\r\n\r\n".encode()
                request.wfile.write(part + data + b"\r\n")
        except OSError:
            # Whoever looked has closed the page.
            pass

    def _next(self, name: str, last: int) -> tuple[int, Any]:
        """Wait for a picture after number ``last``; after 1 s the same one has to do."""

        def is_there() -> bool:
            return not self._is_open or self._pictures.get(name, (0, None))[0] > last

        with self._changed:
            self._changed.wait_for(is_there, 1.0)
            return self._pictures.get(name, (0, None))

    def _take_key(self, request: BaseHTTPRequestHandler) -> None:
        length = request.headers.get("Content-Length", "")
        # Another site's page must not press keys here.
        is_own = request.headers.get("Origin", self.url[:-1]) == self.url[:-1]
        is_fine = is_own and length.isdecimal() and int(length) <= _LONGEST_KEY
        if is_fine and not self.keys.full():
            self.keys.put(request.rfile.read(int(length)).decode(errors="replace"))
        request.send_response(204 if is_fine else 400)
        request.end_headers()


def _jpeg(picture: Any) -> bytes:
    with io.BytesIO() as file:
        picture.convert("RGB").save(file, "JPEG", quality=_QUALITY)
        return file.getvalue()


def page() -> Page | None:
    """Return the page of this process, opened when it is first wanted; None without pictures."""
    return _opened() if settings.shows_pictures else None


def close_page() -> None:
    """End the page, if there is one."""
    if _opened.cache_info().currsize:
        _opened().close()
        _opened.cache_clear()


@lru_cache(1)
def _opened() -> Page:
    made = Page()
    print(f"what the robot sees: {made.url}", file=sys.stderr, flush=True)
    return made
