"""Pictures of a clip, so that a person sees it without a robot."""

from .strip import animated, film_strip, save_gif

__all__ = ["animated", "film_strip", "save_gif"]
