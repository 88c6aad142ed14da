"""Making the environment that `scripts/env` runs commands in. The standard library only."""
