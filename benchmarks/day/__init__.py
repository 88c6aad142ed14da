"""A day of the personality, faster than real time: with a family, a battery and a table."""
