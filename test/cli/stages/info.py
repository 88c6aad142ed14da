from __future__ import annotations

# Nobody wants to listen for 2 s.
WORDS = {"cozmo info": "--listen 0.2"}
