"""Whether contenders found the same. Each check returns complaints, none if all is equal."""

from __future__ import annotations

import numpy as np

from benchmarks.data import Array, Arrays

AUROC_ATOL = 1e-6
FLOAT32_RTOL = 2e-4
"""Of a squared distance: 1e-4 of the distance."""


def aurocs(ours: Arrays, peer: Arrays, name: str, *, atol: float = AUROC_ATOL) -> list[str]:
    """Compare the AUROC of every class, for each detector that both have run, to within `atol`."""
    complaints = []
    shared = [key for key in ours if key.startswith("auroc_") and key in peer]
    if not shared:
        return [f"{name} has no detector in common with ours."]
    for key in shared:
        if ours[key].shape != peer[key].shape:
            complaints.append(
                f"{key}: {ours[key].shape} values against {peer[key].shape} of {name}."
            )
            continue
        # Not "greater than", which NaN never is.
        differs = np.flatnonzero(~(np.abs(ours[key] - peer[key]) <= atol))
        if len(differs):
            worst = int(differs[np.argmax(np.abs(ours[key] - peer[key])[differs])])
            complaints.append(
                f"{key} differs from {name} in {len(differs)} of {len(ours[key])} classes; "
                f"class {worst}: {ours[key][worst]:.9f} against {peer[key][worst]:.9f}."
            )
    return complaints


def leakage(ours: Arrays, peer: Arrays, name: str, *, tied_slots: int, slots: int) -> list[str]:
    """Compare L_k, which may differ by the slots that ties leave to chance.

    Parameters
    ----------
    tied_slots : int
        Neighbour slots that may be filled either way; 0 for data without ties.
    slots : int
        Neighbour slots in all.
    """
    difference = abs(float(ours["leakage"]) - float(peer["leakage"]))
    if difference <= tied_slots / slots + 1e-9:
        return []
    return [
        f"leakage: {float(ours['leakage']):.9f} against {float(peer['leakage']):.9f} of {name}."
    ]


def float32_lists(X: Array, ours: Arrays, peer: Arrays, name: str) -> list[str]:
    """Compare lists of distances with those of a search in float32.

    Such a search takes the difference of squared lengths, so that an error in proportion to these
    comes on top of the relative one.
    """
    exact, approximate = ours["distance"] ** 2, peer["distance"] ** 2
    lengths = np.einsum("ij,ij->i", X, X, dtype=np.float64)
    allowed = FLOAT32_RTOL * exact + 32 * np.finfo(np.float32).eps * lengths.max()
    wrong = int((~(np.abs(exact - approximate) <= allowed)).any(axis=1).sum())
    return [f"{wrong} of {len(X)} lists differ from {name} by distance."] if wrong else []


def exact_lists(X: Array, ours: Arrays, *, k: int, n_sample: int = 20) -> list[str]:
    """Compare some lists of distances with float64 differences of all rows."""
    chosen = np.random.default_rng(0).choice(len(X), n_sample, replace=False)
    base = X.astype(np.float64)
    wrong = 0
    for row in chosen:
        distance = np.linalg.norm(base - base[row], axis=1)
        distance[row] = np.inf
        expected = np.sort(np.partition(distance, k - 1)[:k])
        wrong += not np.allclose(ours["distance"][row], expected, rtol=1e-12, atol=0)
    return [f"{wrong} of {n_sample} lists differ from exact ones."] if wrong else []


def recall(exact: Arrays, approximate: Arrays) -> float:
    """Return the share of neighbours found that are no farther than the true last one."""
    last = exact["distance"][:, -1:] * (1 + 1e-4)  # the distances found are in float32
    return float((approximate["distance"] <= last).mean())
