"""Everything that was measured of a benchmark."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

from pytest_splitcheck.errors import InputError
from pytest_splitcheck.errors import hide_from_users as __tracebackhide__  # noqa: F401
from pytest_splitcheck.measure.protocol import Embedding, check_word
from pytest_splitcheck.measure.results.advice import Advice
from pytest_splitcheck.measure.results.detectors import DetectorResult, Instability
from pytest_splitcheck.measure.results.integrity import Integrity
from pytest_splitcheck.measure.results.leakage import Leakage
from pytest_splitcheck.measure.results.names import class_names, named
from pytest_splitcheck.measure.results.source import Source, needed

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["Fault", "Report"]

Fault = Literal["geometry", "detector", "open"]
"""Whose fault it is that a detector inverts a class or puts it near random."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """Everything that was measured of one benchmark.

    Attributes
    ----------
    name, representation, metric : str
        As declared; the first two may be None.
    m, n_features : int
        Rows and values per row of the evaluation set, before a representation is fitted.
    n_train : int or None
        Rows of the training pool; None where detectors were cross-fitted over `folds`.
    folds : int or None
        Number of folds of the cross-fit; None with a training pool.
    classes : tuple
        Labels as the author wrote them.
    counts : dict from class to int
        Rows of each class in the evaluation set.
    positives : dict from held-out class to int
        Rows that are positive in each split.
    k : int
    epsilon : float
    constant : bool
        All evaluation rows are equal.
    integrity : Integrity
        What can spoil a benchmark whatever its geometry: shared and contaminated rows, and others.
    leakage : Leakage
    detectors : dict from name to DetectorResult
        Empty if none was asked for.
    instability : Instability or None
        None without detectors.
    geometry : DetectorResult or None
        Geometry alone: AUC_geo(c) and its rates, with the mean distance to the k nearest rows of the
        evaluation set outside class c, itself left out, as the score of each of its rows. None where leakage
        was sampled or is of approximate neighbours, unless it was asked for, and where some held-out class
        leaves fewer than k + 1 rows.
    attribution : dict from detector to dict from class to "geometry", "detector" or "open"
        Whose fault each class is that a detector inverts or puts near random: the geometry's, where
        geometry alone does so too, the detector's, where geometry alone separates the class, or neither
        is known. Empty without `geometry`.
    fingerprint : str
        Digest of the data and the declaration, as they were before anything was measured.
    other_k : dict from int to Report
        Where several k were asked for, the report at each but the first, in their order.
    source : Source or None
        What `advice` measures again; no part of the report's data, its pickles or its comparisons.
    """

    name: str | None
    representation: str | None
    metric: str
    m: int
    n_features: int
    n_train: int | None
    folds: int | None
    classes: tuple[Hashable, ...]
    counts: dict[Hashable, int]
    positives: dict[Hashable, int]
    k: int
    epsilon: float
    constant: bool
    integrity: Integrity
    leakage: Leakage
    detectors: dict[str, DetectorResult]
    instability: Instability | None
    geometry: DetectorResult | None
    attribution: dict[str, dict[Hashable, Fault]]
    fingerprint: str
    other_k: dict[int, Report] = field(default_factory=dict)
    source: Source | None = field(default=None, repr=False, compare=False)

    def advice(self, accepts: Callable[[Report], bool] | None = None) -> Advice:
        """Seek a way out: which classes and rows leak, and what to merge or drop.

        Each split that is proposed was measured by the protocol of this report. That takes several times
        as long as the report did, where it has detectors that are fitted one by one.

        Parameters
        ----------
        accepts : callable, optional
            Tells whether a report will do, such as
            ``lambda report: judge(report, thresholds).status == "well posed"``; it is asked of reports
            with assumed figures too, to rule splits out before they are measured. By default L_k is to be
            0.5 at most, and rho_dir 0.2.

        Returns
        -------
        Advice

        Raises
        ------
        InputError
            If the report is not fresh from `evaluate` or the fixture: unpickled, or a proposal's.
        """
        from pytest_splitcheck.measure.advice import advise, will_do
        from pytest_splitcheck.measure.leaking import leaking_rows

        source = needed(
            self.source, "of which advice would have to measure other splits", "advice()"
        )
        found = advise(self, source, accepts or will_do)
        return replace(found, rows=tuple(leaking_rows(self, source)))

    def plot_auroc(self, ax: Axes) -> Axes:
        """Draw AUC(c) of each held-out class by every detector, with its 95 % interval.

        The line is at 1/2, the band around it of half-width epsilon, as in Figure 1 of arXiv 2606.02601. A
        class is hollow where it is not resolved. Geometry alone is a bar beside the detectors; without
        any, it takes their place.

        Parameters
        ----------
        ax : matplotlib Axes
            About 0.2 inches of height for each class let all names be read.

        Returns
        -------
        Axes
            The same, as of every ``plot_`` method.
        """
        from pytest_splitcheck.draw import draw_auroc

        draw_auroc(ax, self.to_dict())
        return ax

    def plot_leakage(self, ax: Axes) -> Axes:
        """Draw L_k(c) of each class as a bar, L_k as a line, and chance as a broken one.

        Around an L_k that is not exact its interval is shaded.
        """
        from pytest_splitcheck.draw import draw_leakage

        draw_leakage(ax, self.to_dict())
        return ax

    def plot_leakage_matrix(self, ax: Axes) -> Axes:
        """Draw M[a, b], the share of the neighbour slots of class a that class b fills, as a heat map.

        Classes that leak into each other stand together. A colour bar takes some of the room of `ax`.
        """
        from pytest_splitcheck.draw import draw_leakage_matrix

        draw_leakage_matrix(ax, self.to_dict())
        return ax

    def plot_scores(self, ax: Axes) -> Axes:
        """Draw how the scores of normal rows and of the worst class lie, by the detector that ranks it worst.

        They are those of the first fit: of the first seed and, where detectors were cross-fitted, of one
        fold, as the scores of different folds cannot be compared. The bins at the ends hold the rows beyond
        them too.

        Raises
        ------
        InputError
            If nothing was scored: there are neither detectors nor geometry.
        """
        from pytest_splitcheck.draw import draw_scores
        from pytest_splitcheck.measure.pictures import scores_picture

        scores = scores_picture(self)
        if scores is None:
            raise InputError(
                "this report has no scores: there are neither detectors nor geometry, or it was made by hand."
            )
        draw_scores(ax, scores)
        return ax

    def plot_embedding(self, ax: Axes, kind: Embedding = "pca") -> Axes:
        """Draw rows as points, coloured by class; those that leak have an edge.

        A row leaks if most of its neighbours are of other classes. Of more than 2,000 rows, some are drawn
        at random, as many of each class as can be.

        Parameters
        ----------
        ax : matplotlib Axes
        kind : "pca" or "tsne", default "pca"
            The first two principal components, or scikit-learn's t-SNE, which takes longer.

        Raises
        ------
        InputError
            If the report is not fresh from `evaluate` or the fixture, or `kind` is another.
        """
        from pytest_splitcheck.draw import draw_embedding
        from pytest_splitcheck.measure.pictures import embedding_picture

        check_word(kind, "kind", ("pca", "tsne"))
        draw_embedding(ax, embedding_picture(self, kind))
        return ax

    @property
    def names(self) -> dict[Hashable, str]:
        """A distinct text for each class and each held-out group."""
        return class_names([*self.classes, *self.positives])

    def to_dict(self) -> dict[str, Any]:
        """Return plain Python for ``json.dumps``, in which classes go by their `names`.

        Under each of `other_k`, as text, are the entries that differ from those here, and of the detectors
        those that differ.
        """
        names = self.names
        said = {
            "name": self.name,
            "representation": self.representation,
            "metric": self.metric,
            "m": self.m,
            "n_features": self.n_features,
            "n_train": self.n_train,
            "folds": self.folds,
            "classes": [names[label] for label in self.classes],
            "counts": named(self.counts, names),
            "positives": named(self.positives, names),
            "k": self.k,
            "epsilon": self.epsilon,
            "constant": self.constant,
            "integrity": self.integrity.to_dict(names),
            "leakage": self.leakage.to_dict(names),
            "detectors": {name: result.to_dict(names) for name, result in self.detectors.items()},
            "instability": None if self.instability is None else self.instability.to_dict(),
            "geometry": None if self.geometry is None else self.geometry.to_dict(names),
            "attribution": {name: named(one, names) for name, one in self.attribution.items()},
            "fingerprint": self.fingerprint,
        }
        further = {str(k): _differing(one.to_dict(), said) for k, one in self.other_k.items()}
        return {**said, "other_k": further}


def _differing(other: dict[str, Any], first: dict[str, Any]) -> dict[str, Any]:
    different = {name: one for name, one in other.items() if name in first and one != first[name]}
    if "detectors" in different:
        different["detectors"] = _differing(different["detectors"], first["detectors"])
    return different
