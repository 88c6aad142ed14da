"""How well a robot knows where it is in a room with tags: see ``__main__``."""
