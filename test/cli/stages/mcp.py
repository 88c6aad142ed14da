from __future__ import annotations

# Over HTTP on a free port, as there is no client to speak with; test/assistant has one.
WORDS = {"cozmo mcp": "--http 0"}
ENDS = {"cozmo mcp": "serving"}
CODES = {"cozmo mcp": 130}
OFFLINE = ("cozmo mcp",)
