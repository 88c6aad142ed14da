"""What pictures show, placed in the world: between ``vision/`` and ``world_model/``."""
