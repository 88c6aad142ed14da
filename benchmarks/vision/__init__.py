"""Pictures of cubes made up for measuring the eyes, and what the eyes make of them."""
