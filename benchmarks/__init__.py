"""Side by side with PyCozmo 0.8.0, in one run; ``python -m benchmarks`` prints ratios."""
