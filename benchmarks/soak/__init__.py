"""Everything at once for a long time over a bad link: what grows, what is lost, what is said."""
