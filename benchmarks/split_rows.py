"""All splits of a benchmark, with leakage and AUROC, against the loop over held-out classes."""

from __future__ import annotations

from benchmarks import checks, data
from benchmarks.data import Arrays
from benchmarks.harness import ROUNDS, Contender, Runs, compete
from benchmarks.outcome import Outcome, ratios

BOTH_LISTS = ("knn", "lof")
EVERY_DETECTOR = ("knn", "lof", "iforest")

OURS = Contender(
    name="ours",
    call="benchmarks.ours:splits",
    options={"detectors": EVERY_DETECTOR, "seeds": (0,)},
)
OURS_LISTS = Contender(
    name="ours, kNN + LOF", call="benchmarks.ours:splits", options={"detectors": BOTH_LISTS}
)
SCIKIT_LEARN = Contender(
    name="scikit-learn loop",
    call="benchmarks.peers.scikit_learn:splits",
    options={"detectors": EVERY_DETECTOR},
)
PYOD = Contender(
    name="PyOD loop",
    call="benchmarks.peers.pyod_loop:splits",
    needs="pyod",
    install="pip install pyod",
)

PIXEL_TIES = 10
"""Neighbour slots that ties of pixels may leave to chance: 1 in 100,000 on Fashion-MNIST's test set."""

TIED_AUROC = 1e-5
"""What ties at the 20th neighbour in 60,000 images, which scikit-learn breaks by chance, may do to the
AUROC of LOF: to give our own pool in reverse moves it by up to 5e-6."""


def few_rows() -> Arrays:
    """Return a small split for warming up."""
    return data.cluster_split(90, 90, n_classes=3, d=16, spread=0.5)


def fashion_10k(short: bool) -> Outcome:
    """Compare on 10,000 training images, PyOD's kNN and LOF too."""
    n_train, n = (600, 400) if short else (10_000, 10_000)
    arrays = data.fashion_mnist(n_train, n)
    work = f"Fashion-MNIST, {n_train:,} + {n:,} rows, 10 classes"
    runs = _compete(arrays, [OURS, OURS_LISTS, SCIKIT_LEARN, PYOD], short)
    outcome = Outcome(skipped=runs.skipped)
    outcome.lines += ratios(work, runs, OURS.name, [SCIKIT_LEARN.name], wanted=12)
    outcome.lines += ratios(f"{work}, kNN + LOF", runs, OURS_LISTS.name, [PYOD.name])
    outcome.complaints += _against_scikit_learn(arrays, runs, tied_slots=PIXEL_TIES)
    if PYOD.name in runs.by_name:
        outcome.complaints += checks.aurocs(
            runs.arrays(OURS_LISTS.name), runs.arrays(PYOD.name), PYOD.name
        )
    return outcome


def fashion_60k(short: bool) -> Outcome:
    """Compare on all 60,000 training images."""
    n_train, n = (1_200, 300) if short else (60_000, 10_000)
    arrays = data.fashion_mnist(n_train, n)
    work = f"Fashion-MNIST, {n_train:,} + {n:,} rows, 10 classes"
    runs = _compete(arrays, [OURS, SCIKIT_LEARN], short)
    return Outcome(
        ratios(work, runs, OURS.name, [SCIKIT_LEARN.name], wanted=35),
        _against_scikit_learn(arrays, runs, tied_slots=PIXEL_TIES, atol=TIED_AUROC),
    )


def many_classes(short: bool) -> Outcome:
    """Compare on 100 classes of 512 values per row, also without isolation forests."""
    n, n_classes, d = (600, 6, 64) if short else (10_000, 100, 512)
    # L_k is .58 in full, .4 in short.
    arrays = data.cluster_split(n, n, n_classes=n_classes, d=d, spread=0.5 if short else 0.3)
    work = f"clusters, {n:,} + {n:,} rows of {d} values, {n_classes} classes"
    runs = _compete(arrays, [OURS, OURS_LISTS, SCIKIT_LEARN], short)
    lines = ratios(work, runs, OURS.name, [SCIKIT_LEARN.name], wanted=60)
    lines += ratios(
        f"{work}, kNN + LOF",
        runs,
        OURS_LISTS.name,
        [SCIKIT_LEARN.name],
        wanted=100,
        without=["iforest"],
    )
    complaints = _against_scikit_learn(arrays, runs, tied_slots=0)
    value = float(runs.arrays(OURS.name)["leakage"])
    if not 0.05 < value < 0.95:
        complaints.append(f"the clusters are too easy or too hard: leakage {value:.3f}.")
    return Outcome(lines, complaints)


def _compete(arrays: Arrays, contenders: list[Contender], short: bool) -> Runs:
    return compete(contenders, arrays, None if short else few_rows(), rounds=1 if short else ROUNDS)


def _against_scikit_learn(
    arrays: Arrays, runs: Runs, *, tied_slots: int, atol: float = checks.AUROC_ATOL
) -> list[str]:
    peer = runs.arrays(SCIKIT_LEARN.name)
    slots = 10 * len(arrays["X"])
    complaints = []
    for name in (OURS.name, OURS_LISTS.name):
        if name in runs.by_name:
            ours = runs.arrays(name)
            complaints += checks.aurocs(ours, peer, SCIKIT_LEARN.name, atol=atol)
            complaints += checks.leakage(
                ours, peer, SCIKIT_LEARN.name, tied_slots=tied_slots, slots=slots
            )
    return complaints
