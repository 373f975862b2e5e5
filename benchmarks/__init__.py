"""Speed, memory and scale against named peers: ``python -m benchmarks``.

Nothing here is part of the distribution. Every contender works in a process of its own, on the same
arrays, and what it found is compared with the others before its time counts.
"""
