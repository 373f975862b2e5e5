from __future__ import annotations

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.ensemble import IsolationForest
from sklearn.neighbors import LocalOutlierFactor, NearestNeighbors
from sklearn.pipeline import make_pipeline

from pytest_splitcheck import ClassSplit, InputError, evaluate
from pytest_splitcheck.measure.adapters import named_detectors, resolve_detector
from pytest_splitcheck.measure.splits import tasks
from pytest_splitcheck.measure.workers import Workers
from tests import reference
from tests.builders import FirstColumn, Random, auroc, clusters, grid, labels, plain


def benchmark(n=120, m=40, *, offset=0.0, scale=1.0, dtype=float, **options):
    """Three overlapping classes, with a training pool."""
    X, y = clusters([[0, 0, 0], [2, 0, 1], [0, 3, 1]], n, seed=1)
    T, t = clusters([[0, 0, 0], [2, 0, 1], [0, 3, 1]], m, seed=2)
    X, T = ((np.round(one * 64) / 64 * scale + offset).astype(dtype) for one in (X, T))
    return ClassSplit(T, t, train=(X, y), **options)


def scores(detector, split, *, k=5, seeds=(0,), list_size=None):
    """Return what a detector gives the evaluation rows, shape (splits, seeds, m)."""
    resolved = resolve_detector("it", detector, k, seeds, split)
    size = resolved.list_size if list_size is None else list_size
    (task,) = tasks(split, size, Workers(2))
    return resolved.score(task).values


def normal_pools(split):
    for one in split.held_out:
        yield split.train.X[~np.isin(split.train.codes, one.codes)]


def one_detector(detector, split, **options):
    options = {"k": 5, "seeds": (0,), **options}
    return evaluate(split, detectors={"it": detector}, **options).detectors["it"]


def wrapped(returned):
    """Return a detector that gives what `returned` makes of the rows."""

    class Wrapped:
        def fit(self, X):
            pass

        def score(self, X):
            return returned(X)

    return Wrapped()


# --- k nearest neighbours -------------------------------------------------------------------


def test_knn_equals_scikit_learn():
    split = benchmark()
    for found, pool in zip(scores("knn", split)[:, 0], normal_pools(split), strict=True):
        distance = NearestNeighbors(n_neighbors=5).fit(pool).kneighbors(split.X)[0]
        np.testing.assert_allclose(found, distance.mean(axis=1), rtol=1e-12)


def test_knn_equals_its_definition_on_ties():
    X, y, T = grid(40), labels(40), grid(12, seed=4)
    split = ClassSplit(T, labels(12), train=(X, y))
    for found, pool in zip(scores("knn", split)[:, 0], normal_pools(split), strict=True):
        np.testing.assert_allclose(found, reference.mean_distance(pool, T, 5), rtol=1e-12)


@pytest.mark.parametrize(("offset", "scale"), [(1e8, 1), (0, 1e-3), (0, 1e3), (0, 1e200)])
def test_offset_and_scale_change_no_auroc_of_neighbours(offset, scale):
    moved = evaluate(benchmark(offset=offset, scale=scale), k=5, detectors=("knn", "lof"))
    same = evaluate(benchmark(), k=5, detectors=("knn", "lof"))
    assert moved.detectors["knn"].auroc == pytest.approx(same.detectors["knn"].auroc, abs=1e-3)
    assert moved.detectors["lof"].auroc == pytest.approx(same.detectors["lof"].auroc, abs=1e-3)


# --- local outlier factor -------------------------------------------------------------------


def test_lof_equals_scikit_learn():
    split = benchmark()
    for found, pool in zip(scores("lof", split)[:, 0], normal_pools(split), strict=True):
        lof = LocalOutlierFactor(n_neighbors=20, novelty=True).fit(pool)
        np.testing.assert_allclose(found, -lof.score_samples(split.X), rtol=1e-9)


def test_lof_equals_its_definition():
    split = benchmark(n=20, m=5)
    for found, pool in zip(scores("lof", split)[:, 0], normal_pools(split), strict=True):
        expected = reference.local_outlier_factor(pool, split.X, 20)
        np.testing.assert_allclose(found, expected, rtol=1e-9)


def test_lof_on_many_duplicates_equals_scikit_learn():
    # 25 exact duplicates: their density is 1e10, and .1001 scores worse than 50. No other distances
    # are equal: between these, rounding would choose scikit-learn's neighbours.
    pool = np.r_[[0.1] * 25, np.geomspace(0.1, 0.2, 30), 26.9, 81.3, 63.7][:, None]
    T = np.array([[0.1001], [50.0], [0.15]])
    split = ClassSplit(T, [0, 1, 1], train=(pool, [0] * len(pool)), held_out=[1], folds=2)
    expected = LocalOutlierFactor(n_neighbors=20, novelty=True).fit(pool).score_samples(T)
    found = scores("lof", split)[0, 0]
    np.testing.assert_allclose(found, -expected, rtol=1e-9)
    assert found[0] > found[1]


@pytest.mark.parametrize("k", [1, 30, 60])
def test_lof_takes_20_neighbours_whatever_k_is(k):
    split = benchmark(n=30, m=10)  # 60 rows are left, so that their own lists fall short of 60
    alone = scores("lof", split)
    beside = scores("lof", split, list_size=max(20, k))
    np.testing.assert_array_equal(beside, alone)


def test_lof_with_the_fewest_rows():
    split = ClassSplit(plain(5), [0, 0, 1, 1, 1], train=(plain(42, seed=1), labels(42, 2)))
    for found, pool in zip(scores("lof", split)[:, 0], normal_pools(split), strict=True):
        assert len(pool) == 21
        np.testing.assert_allclose(found, reference.local_outlier_factor(pool, split.X, 20))


@pytest.mark.parametrize(
    ("detector", "least"), [("knn", 5), ("lof", 21), ("iforest", 2), (FirstColumn(), 1)]
)
def test_the_fewest_rows_that_a_detector_needs(detector, least):
    def split(rows):
        return ClassSplit(plain(9), [0, 1, 1] * 3, train=(plain(rows), [0] * rows), held_out=[1])

    assert set(one_detector(detector, split(least)).auroc) == {1}
    if least > 1:
        with pytest.raises(InputError, match=f"'it' needs {least} rows .* has {least - 1};"):
            one_detector(detector, split(least - 1))


# --- isolation forest -----------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["float64", "float32", "int64"])
def test_forest_equals_scikit_learn_bit_for_bit(dtype):
    split = benchmark(n=60, dtype=dtype, scale=8, held_out=[1])
    (pool,) = normal_pools(split)
    for seed, found in zip((0, 3), scores("iforest", split, seeds=(0, 3))[0], strict=True):
        forest = IsolationForest(n_estimators=100, random_state=seed).fit(pool)
        assert found.tobytes() == (-forest.score_samples(split.X)).tobytes()


@pytest.mark.parametrize(("offset", "scale"), [(1e8, 1), (0, 1e-300), (0, 1e200)])
def test_forest_keeps_rows_apart_that_float32_would_merge(offset, scale):
    moved = one_detector("iforest", benchmark(n=60, offset=offset, scale=scale, held_out=[1]))
    same = one_detector("iforest", benchmark(n=60, held_out=[1]))
    assert moved.auroc == pytest.approx(same.auroc, abs=0.03)
    assert moved.no_ranking == ()


def test_forest_scores_a_row_beyond_float32():
    pool, T = plain(50), np.r_[plain(5, seed=1), np.full((1, 3), 1e39)]
    split = ClassSplit(T, [0] * 5 + [1], train=(pool, [0] * 50), held_out=[1])
    assert one_detector("iforest", split).auroc[1] == 1.0


# --- the author's own -----------------------------------------------------------------------


def spy():
    """Return a detector that notes what it is shown."""

    class Spy:
        fitted, scored = [], []

        def fit(self, *args, **kwargs):
            self.fitted.append((args, kwargs))

        def score(self, *args, **kwargs):
            self.scored.append((args, kwargs))
            return args[0][:, 0]

    return Spy()


def test_an_authors_detector_sees_rows_only_and_never_labels():
    detector = spy()
    one_detector(detector, benchmark())
    for args, kwargs in detector.fitted + detector.scored:
        assert len(args) == 1
        assert kwargs == {}


def test_an_authors_detector_is_fitted_on_the_normal_pool_and_scores_every_row():
    detector, split = spy(), benchmark()
    one_detector(detector, split)
    for (args, _), pool in zip(detector.fitted, normal_pools(split), strict=True):
        np.testing.assert_array_equal(args[0], pool)
    first, _far, *others = detector.scored
    for args, _ in (first, *others):
        np.testing.assert_array_equal(args[0], split.X)


def test_a_group_is_held_out_together():
    detector, split = spy(), benchmark(held_out=[(0, 2)])
    one_detector(detector, split)
    ((args, _),) = detector.fitted
    np.testing.assert_array_equal(args[0], split.train.X[split.train.codes == 1])


def test_an_authors_detector_cannot_change_the_benchmark():
    class Vandal:
        def fit(self, X):
            X[:] = 0

        def score(self, X):
            first = X[:, 0].copy()
            X[:] = 0
            return first

    split = benchmark()
    before = split.X.tobytes(), split.train.X.tobytes()
    first, second = one_detector(Vandal(), split), one_detector(FirstColumn(), split)
    assert (split.X.tobytes(), split.train.X.tobytes()) == before
    assert first.auroc == second.auroc


def test_a_fresh_copy_is_fitted_on_each_pool():
    class Counting(FirstColumn):
        fits = 0

        def fit(self, X):
            self.fits += 1
            assert self.fits == 1

    detector = Counting()
    one_detector(detector, benchmark())
    assert detector.fits == 0


@pytest.mark.parametrize(
    ("dtype", "shown"),
    [("float64", "float64"), ("float32", "float32"), ("float16", "float64"), ("int16", "float64")],
)
def test_an_authors_detector_is_shown_real_numbers(dtype, shown):
    detector = spy()
    one_detector(detector, benchmark(dtype=dtype))
    assert {args[0].dtype.name for args, _ in detector.fitted + detector.scored} == {shown}


@pytest.mark.parametrize(
    "form",
    [
        lambda first: first[:, None],
        lambda first: first.tolist(),
        lambda first: first.astype(np.float32),
        lambda first: pytest.importorskip("torch").tensor(first, requires_grad=True),
        lambda first: pytest.importorskip("pandas").Series(first, index=first.argsort()),
    ],
    ids=["column", "list", "float32", "torch", "pandas"],
)
def test_forms_of_scores(form):
    found = one_detector(wrapped(lambda X: form(X[:, 0])), benchmark())
    assert found.auroc == one_detector(FirstColumn(), benchmark()).auroc


@pytest.mark.parametrize("extreme", [np.inf, -np.inf])
def test_infinite_scores_are_ranked(extreme):
    def first_but_one(X):
        return np.where(np.arange(len(X)) == 0, extreme, X[:, 0])

    split = benchmark(held_out=[1])
    found = one_detector(wrapped(first_but_one), split)
    assert found.no_ranking == ()
    assert found.auroc[1] == auroc(first_but_one(split.X), split.codes == 1)


@pytest.mark.parametrize(
    ("returned", "message"),
    [
        (lambda X: np.where(X[:, 0] > 0, np.nan, 0), r"'it', held-out class 0: \d+ of 120 scores"),
        (lambda X: X[1:, 0], r"'it', held-out class 0: .*shape \(120,\); it returned shape \(119,"),
        (lambda X: X, r"one score per row.* it returned shape \(120, 3\)"),
        (lambda X: 0.5, "it returned a single number"),
        (lambda X: None, "'it', held-out class 0: "),
        (
            lambda X: ["high"] * len(X),
            "'it', held-out class 0: the scores cannot be read as numbers",
        ),
    ],
    ids=["nan", "short", "matrix", "scalar", "none", "strings"],
)
def test_what_is_no_score_is_refused(returned, message):
    with pytest.raises(InputError, match=message):
        one_detector(wrapped(returned), benchmark())


def test_complex_scores_are_refused():
    with pytest.raises(InputError, match=r"'it', held-out class 0: .*complex"):
        one_detector(wrapped(lambda X: 1j * X[:, 0]), benchmark())


def test_an_sklearn_model_whose_score_is_a_likelihood_is_refused():
    with pytest.raises(InputError, match="single number"):
        one_detector(KMeans(), benchmark())


@pytest.mark.parametrize(
    "returned",
    [
        lambda X: np.full(len(X), 0.5),
        lambda X: 0.5 + 1e-17 * X[:, 0],
        lambda X: np.float32(0.5) + np.float32(1e-8) * X[:, 0].astype(np.float32),
        lambda X: np.zeros(len(X), dtype=int),
    ],
    ids=["one value", "rounding", "float32", "integers"],
)
def test_a_constant_score_is_no_ranking(returned):
    found = one_detector(wrapped(returned), benchmark())
    assert found.no_ranking == (0, 1, 2)
    assert set(found.auroc.values()) == {0.5}


def test_an_error_of_an_authors_detector_is_kept_and_says_where():
    class Broken(FirstColumn):
        def fit(self, X):
            raise KeyError("mine")

    with pytest.raises(KeyError, match="mine") as raised:
        one_detector(Broken(), benchmark())
    assert "'it', held-out class 0" in raised.value.__notes__[0]


# --- seeds ----------------------------------------------------------------------------------


def test_every_seed_is_handed_down():
    split = benchmark()
    found = scores(Random(), split, seeds=(0, 5))
    for seed, values in zip((0, 5), found[0], strict=True):
        np.testing.assert_array_equal(values, np.random.default_rng(seed).normal(size=120))
    assert one_detector(Random(), split, seeds=(0, 5)).seeds == (0, 5)


def test_a_random_state_of_the_author_stays():
    split = benchmark()
    found = scores(Random(random_state=7), split, seeds=(0, 1))
    assert found.shape == (3, 1, 120)
    np.testing.assert_array_equal(found[0, 0], np.random.default_rng(7).normal(size=120))
    assert one_detector(Random(random_state=7), split, seeds=(0, 1)).seeds == ()


def test_seeds_reach_nested_steps():
    found = scores(make_pipeline(Random(random_state=3), Random()), benchmark(), seeds=(4,))
    np.testing.assert_array_equal(found[0, 0], np.random.default_rng(4).normal(size=120))


def test_the_global_random_state_is_left_alone():
    before = np.random.get_state()[1].tolist()  # noqa: NPY002
    evaluate(benchmark(n=40, held_out=[1]), seeds=(0,))
    assert np.random.get_state()[1].tolist() == before  # noqa: NPY002


def test_the_spread_over_seeds_is_reported():
    found = one_detector(Random(), benchmark(), seeds=(0, 1, 2))
    split = benchmark()
    by_seed = [
        auroc(np.random.default_rng(seed).normal(size=120), split.codes == 1) for seed in (0, 1, 2)
    ]
    assert found.auroc[1] == pytest.approx(np.mean(by_seed))
    assert found.spread[1] == pytest.approx(np.std(by_seed))


# --- names ----------------------------------------------------------------------------------


def test_detectors_go_by_name_in_the_order_given():
    detectors = {"mine": FirstColumn(), "neighbours": "knn"}
    assert list(named_detectors(detectors)) == ["mine", "neighbours"]


def test_an_object_in_a_list_goes_by_its_type():
    assert list(named_detectors([FirstColumn(), "lof"])) == ["FirstColumn", "lof"]


@pytest.mark.parametrize(
    ("detectors", "message"),
    [
        (["knm"], "no built-in detector 'knm'; did you mean 'knn'"),
        (["iforst"], "did you mean 'iforest'"),
        (["zzz"], "There are knn, lof, iforest"),
        (["knn", "knn"], "names 'knn' more than once"),
        ([FirstColumn(), FirstColumn()], "two detectors are called 'FirstColumn'"),
        ([FirstColumn], "is a class; pass an instance"),
        ({1: "knn"}, "name must be a string; got 1"),
        ([NearestNeighbors()], r"'NearestNeighbors' .* has no method score\(X\)"),
        ([object()], r"has no method fit\(X\)"),
        ([None], r"'NoneType' .* has no method fit\(X\)"),
    ],
)
def test_what_is_no_detector_is_refused(detectors, message):
    with pytest.raises(InputError, match=message):
        evaluate(benchmark(), k=5, detectors=detectors)


def test_a_forest_does_not_depend_on_the_training_rows_of_the_held_out_class():
    X, y = clusters([[0.0, 0.0], [4.0, 0.0], [0.0, 4.0]], 40)
    pool, labels_of_pool = clusters([[0.0, 0.0], [4.0, 0.0], [0.0, 4.0]], 40, seed=1)
    moved = pool + 1e6 * (labels_of_pool == 2)[:, None]
    near, far = (
        evaluate(
            ClassSplit(X, y, train=(rows, labels_of_pool)), detectors=("iforest",), seeds=(0,)
        ).detectors["iforest"]
        for rows in (pool, moved)
    )
    assert near.auroc[2] == far.auroc[2]


# --- what comes back ------------------------------------------------------------------------


def test_masked_scores_are_refused():
    def masked(pool, rows):
        return np.ma.masked_less(rows[:, 0], 0)

    count = int((benchmark().X[:, 0] < 0).sum())
    with pytest.raises(InputError, match=rf"'it', held-out class 0: .*: {count} of 120 are masked"):
        one_detector(masked, benchmark())


def test_an_array_that_masks_nothing_is_as_good_as_any():
    def whole(pool, rows):
        return np.ma.array(rows[:, 0])

    expected = one_detector(FirstColumn(), benchmark()).auroc
    assert one_detector(whole, benchmark()).auroc == expected


def test_scores_of_float16_with_a_few_levels_are_a_ranking():
    def half(pool, rows):
        distance = np.linalg.norm(rows - pool.mean(axis=0), axis=1)
        return (1 - 0.007 * np.exp(-distance)).astype(np.float16)

    X, y = clusters([[0, 0], [30, 30]], 60)
    pool = clusters([[0, 0]], 100, seed=1)
    found = one_detector(half, ClassSplit(X, y, train=pool, held_out=[1]))
    assert found.no_ranking == ()
    assert found.auroc[1] > 0.99


def test_a_module_of_torch_is_told_to_be_wrapped():
    torch = pytest.importorskip("torch")

    class Net(torch.nn.Module):
        def forward(self, rows):
            return rows[:, 0]

    with pytest.raises(
        InputError, match=r"'Net' \(Net\) is a module of torch, and no detector; wrap"
    ):
        evaluate(benchmark(), k=5, detectors=[Net()])

    class Fitted(Net):
        def fit(self, X):
            pass

        def score(self, X):
            return torch.as_tensor(X)[:, 0]

    found = one_detector(Fitted(), benchmark())
    assert found.auroc == one_detector(FirstColumn(), benchmark()).auroc
