"""``python -m benchmarks.fidelity``: real robots beside the emulator, row by row (spec 18).

The emulator is driven through what two real robots were recorded to do, in virtual time and without
a network. A is hardware 1.5, B hardware 1.0.
"""
