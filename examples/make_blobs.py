"""Writes ``blobs.csv``: four clouds of 50 points each, two of which overlap."""

import csv
from pathlib import Path

import numpy as np

CENTRES = {"north": (0, 6), "east": (6, 0), "south": (0, -6), "south-east": (2, -5)}

if __name__ == "__main__":
    rng = np.random.default_rng(0)
    with (Path(__file__).parent / "blobs.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["class", "x1", "x2"])
        for name, centre in CENTRES.items():
            for point in rng.normal(centre, 1.0, size=(50, 2)).round(3).tolist():
                writer.writerow([name, *point])
