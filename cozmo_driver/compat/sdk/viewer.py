"""Windows of programs: the annotated camera on a page of this computer (spec 21 §2)."""

from __future__ import annotations

import asyncio
import io
import sys
import threading
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

from ..settings import settings
from . import logs
from .world import EvtNewCameraImage

if TYPE_CHECKING:
    from .conn import CozmoConnection

MAP_PERIOD = 0.5
"""s between two maps of a program with the 3D viewer."""
SCALE = 2.0
_QUALITY = 80
_FIRST_IMAGE = 3.0
_BOUNDARY = "picture"
_PAGE = b"""<!doctype html><title>Cozmo</title>
<style>body{margin:0;background:#111;text-align:center}img{width:100%;max-width:960px}</style>
<img src="stream" alt="what the robot sees">"""


class Viewer:
    """What ``use_viewer`` and ``use_3d_viewer`` switch on."""

    def __init__(self, has_images: bool = True, has_map: bool = False) -> None:
        self._has_images, self._has_map = has_images, has_map
        self._page: PicturePage | None = None

    async def open(self, conn: CozmoConnection) -> None:
        """Switch the stream on, and let the annotators see every image."""
        robot = await conn.wait_for_robot()
        if self._has_map:
            robot.world.request_nav_memory_map(MAP_PERIOD)
        if not self._has_images:
            return
        robot.camera.image_stream_enabled = True
        if settings.shows_pictures:
            self._page = PicturePage()
            logs.logger.info("What the robot sees: %s", self._page.url)
            print(f"what the robot sees: {self._page.url}", file=sys.stderr, flush=True)
        page = self._page

        def show(event: Any, *, image: Any, **_: Any) -> None:
            picture = image.annotate_image(scale=SCALE)
            if page is not None:
                page.show(picture)

        robot.world.add_event_handler(EvtNewCameraImage, show)
        # Programs with a window read the latest image at once.
        with suppress(asyncio.TimeoutError):
            await robot.world.wait_for(EvtNewCameraImage, timeout=_FIRST_IMAGE)

    def close(self) -> None:
        if self._page is not None:
            self._page.close()
            self._page = None


class PicturePage:
    """The newest picture on a page that only this computer can open."""

    def __init__(self) -> None:
        self._jpeg = b""
        self._changed = threading.Condition()
        self._is_open = True
        page = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                page._serve(self)

            def log_message(self, *_: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self._server.server_port}/"
        self._watchers = 0

    def show(self, picture: Any) -> None:
        """Show a PIL image; encoded only where somebody looks."""
        if not self._watchers:
            return
        with io.BytesIO() as file:
            picture.save(file, "JPEG", quality=_QUALITY)
            data = file.getvalue()
        with self._changed:
            self._jpeg = data
            self._changed.notify_all()

    def close(self) -> None:
        with self._changed:
            self._is_open = False
            self._changed.notify_all()
        self._server.shutdown()
        self._server.server_close()

    def _serve(self, request: BaseHTTPRequestHandler) -> None:
        request.send_response(200)
        if request.path != "/stream":
            request.send_header("Content-Type", "text/html")
            request.end_headers()
            request.wfile.write(_PAGE)
            return
        request.send_header("Content-Type", f"multipart/x-mixed-replace; boundary={_BOUNDARY}")
        request.end_headers()
        self._watchers += 1
        try:
            while self._is_open:
                with self._changed:
                    self._changed.wait(1.0)
                    data = self._jpeg
                part = f"--{_BOUNDARY}\r\nContent-Type: image/jpeg\r\n\r\n".encode()
                request.wfile.write(part + data + b"\r\n")
        except OSError:
            # Whoever looked has closed the page.
            pass
        finally:
            self._watchers -= 1
