"""The ten nearest other rows of every row, against libraries that do nothing else."""

from __future__ import annotations

from benchmarks import checks, data
from benchmarks.data import Arrays
from benchmarks.environment import numpy_architecture
from benchmarks.harness import ROUNDS, Contender, compete
from benchmarks.outcome import Outcome, ratios

K = 10
OURS = Contender(name="ours", call="benchmarks.ours:self_neighbours", options={"k": K})
FAISS = Contender(
    name="FAISS IndexFlatL2, as installed",
    call="benchmarks.peers.faiss_flat:self_neighbours",
    options={"k": K},
    needs="faiss",
    install="pip install faiss-cpu",
)
GRAPHS = [
    Contender(
        name="hnswlib (approximate)",
        call="benchmarks.peers.hnswlib_graph:self_neighbours",
        options={"k": K},
        needs="hnswlib",
        install="pip install hnswlib, which needs a C++ compiler",
    ),
    Contender(
        name="usearch (approximate)",
        call="benchmarks.peers.usearch_graph:self_neighbours",
        options={"k": K},
        needs="usearch",
        install="pip install usearch",
    ),
]


def told_faiss(architecture: str) -> Contender:
    """Return FAISS told the CPU's architecture.

    The OpenBLAS that comes with faiss-cpu is older than many CPUs, and falls back to kernels of 2004 on
    those that it does not know.
    """
    return Contender(
        name=f"FAISS IndexFlatL2, told {architecture}",
        call=FAISS.call,
        options=FAISS.options,
        environment={"OPENBLAS_CORETYPE": architecture},
        needs=FAISS.needs,
        install=FAISS.install,
    )


def self_fashion(short: bool) -> Outcome:
    """Search Fashion-MNIST's training images, beside approximate searches."""
    n = 1_500 if short else 60_000
    return _search(f"Fashion-MNIST, {n:,} rows", data.fashion_mnist(n, 1), 4, GRAPHS, short)


def self_cifar(short: bool) -> Outcome:
    """Search CIFAR-10's test images."""
    n = 800 if short else 10_000
    return _search(f"CIFAR-10, {n:,} rows", data.cifar10(n), 1.5, [], short)


def self_gaussian(short: bool) -> Outcome:
    """Search normal values, on which no bound helps."""
    n, d = (1_500, 64) if short else (50_000, 512)
    return _search(f"normal values, {n:,} x {d}", data.gaussian(n, d), 1, [], short)


def _search(
    work: str, arrays: Arrays, wanted: float, graphs: list[Contender], short: bool
) -> Outcome:
    X = arrays.get("X_train", arrays["X"])
    architecture = numpy_architecture()
    flat = [FAISS, *([told_faiss(architecture)] if architecture else [])]
    runs = compete(
        [OURS, *flat, *graphs],
        {"X": X},
        None if short else data.gaussian(200, 16),
        rounds=1 if short else ROUNDS,
    )
    outcome = Outcome(skipped=runs.skipped)
    if architecture is None:
        outcome.skipped.append("FAISS told the architecture: numpy's OpenBLAS does not report one.")
    ours = runs.arrays(OURS.name)
    found = [one.name for one in graphs if one.name in runs.by_name]
    notes = {name: f"recall {checks.recall(ours, runs.arrays(name)):.4f}" for name in found}
    outcome.lines += ratios(work, runs, OURS.name, [one.name for one in flat], wanted=wanted)
    outcome.lines += ratios(work, runs, OURS.name, found, notes=notes)
    outcome.complaints += checks.exact_lists(X, ours, k=K)
    for one in flat:
        if one.name in runs.by_name:
            outcome.complaints += checks.float32_lists(X, ours, runs.arrays(one.name), one.name)
    return outcome
