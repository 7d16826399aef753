"""What a quick run of each experiment measures, counted again in the very tables it was run on.

The samples, clusterings and partitions are noted as they are made. Each number is then counted once
more, row by row or with pandas, from the definition; and every place of a table or figure is there.
"""

from collections import Counter
from fractions import Fraction
from itertools import product

import numpy as np
import pandas as pd
import pytest

from anonaudit import datasets
from anonaudit.generalization.hierarchy import Hierarchy
from anonaudit.papers.reproduction import ct06, experiment, gcg08_runs, mct08, mct08_runs, tv06
from anonaudit.papers.reproduction.patients import ADULT
from anonaudit.papers.reproduction.registry import QUASI, SENSITIVE


@pytest.fixture
def noted(monkeypatch):
    """Results of functions of a module, noted as they are returned, with their arguments."""

    def note(module, name):
        calls, original = [], getattr(module, name)

        def noting(*args, **kwargs):
            result = original(*args, **kwargs)
            calls.append((args, kwargs, result))
            return result

        monkeypatch.setattr(module, name, noting)
        return calls

    return note


def numbers(rows):
    """The measured numbers by measure, series, x and draw; none twice."""
    found = {(r.measure, r.series, r.x, r.draw): r.value for r in rows}
    assert len(found) == len(rows)
    return found


def text(data):
    """The rows of microdata as text."""
    names = [*data.roles.quasi_identifiers, *data.roles.sensitive]
    return pd.DataFrame(
        {n: np.array(data.labels_of(n))[data.codes[:, j]] for j, n in enumerate(names)}
    )


def levels(table):
    """TV06: each quasi-identifier at each level, from the lines of the hierarchy files."""
    found = {}
    for name in tv06.QUASI:
        path = datasets.path(f"adult/hierarchies/{name}.csv")
        lines = [line.split(";") for line in path.read_text("utf-8").splitlines()]
        for level in range(len(lines[0])):
            found[name, level] = table[name].map({line[0]: line[level] for line in lines})
    return found


def key_at(found, node):
    """The class of each row at a node, as a number."""
    codes = [
        pd.factorize(found[name, level])[0] for name, level in zip(tv06.QUASI, node, strict=True)
    ]
    return pd.Series(codes[0] + 100 * (codes[1] + 10 * (codes[2] + 10 * codes[3])))


def small_at(found, node, k):
    """How many rows are in classes smaller than k at a node."""
    sizes = np.unique(key_at(found, node), return_counts=True)[1]
    return int(sizes[sizes < k].sum())


PAPER_NODES = {(400, 2): (1, 1, 1, 1), (400, 3): (1, 1, 2, 1), (4000, 2): (2, 1, 1, 1), (4000, 3): (2, 1, 2, 1)}  # TV06 Table 8  # fmt: skip


def test_table_8_of_tv06(noted):
    """Two draws of 400 and of 4000 rows, real and drawn gains, k = 2 and 3."""
    samples, searches = noted(tv06, "sample"), noted(tv06, "k_minimal")
    found = numbers(tv06.measure(3, quick=True))
    assert [(args[1], drawn["drawn"]) for args, drawn, _ in samples] == [
        (400, False), (400, True), (4000, False), (4000, True),
    ] * 2  # fmt: skip
    expected = {}
    for number, (_, drawn, data) in enumerate(samples):
        table, draw, size = text(data), number // 4, len(data)
        columns = levels(table)
        source = "drawn gains and losses" if drawn["drawn"] else "Adult's gains and losses"
        for k in (2, 3):
            there = PAPER_NODES[size, k]
            (recoding,) = [r for a, kw, r in searches if a[0] is data and kw == {"k": k}]
            place = f"{size} rows, {source}", k, draw
            expected["attribute disclosures at the node found", *place] = disclosed(
                table, columns, recoding.how["node"], k
            )
            expected["attribute disclosures at the paper's node", *place] = disclosed(
                table, columns, there, k
            )
            if drawn["drawn"]:
                continue
            place = f"{size} rows", k, draw
            expected["the node found is the paper's", *place] = recoding.how["node"] == there
            expected["height of the node found", *place] = sum(recoding.how["node"])
            lost = small_at(columns, there, k)
            expected["rows suppressed at the paper's node", *place] = lost
            low = small_at(columns, (3, 1, 0, 1), k)
            expected["A3, M1, R0, S1 is k-anonymous", *place] = low == 0
            for apart, most in product((False, True), (0, 6)):
                series = f"{size} rows" + (", TS = 6" if most else "") + ", 50 apart" * apart
                read = columns
                if apart:
                    read = {**columns, ("age", 2): np.sign(table["age"].astype(int) - 50)}
                good = {n: small_at(read, n, k) <= most for n in NODES if sum(n) < sum(there)}
                met = small_at(read, there, k) <= most
                lower = [ok for n, ok in good.items() if all(map(int.__le__, n, there))]
                expected["the paper's node is k-minimal", series, k, draw] = met and not any(lower)
                expected["the paper's node has the least height", series, k, draw] = (
                    met and not any(good.values())
                )
    assert found == expected


NODES = list(product(range(4), range(3), range(4), range(2)))


def disclosed(table, columns, node, k):
    """Classes of k rows or more in which an attribute has one value, attribute by attribute."""
    groups = table.groupby(key_at(columns, node))
    kept = groups.size() >= k
    return int((groups[list(tv06.CONFIDENTIAL)].nunique()[kept] == 1).to_numpy().sum())


ZONES = {  # strong values of the tax: `datasets/CT06/protected.csv`, and 900-1000 alone
    "listed": {str(n): "900-1000" if n >= 900 else "500-800" if 500 <= n <= 800 else str(n) for n in range(100, 1001, 100)},
    "one": {str(n): "900-1000" if n >= 900 else str(n) for n in range(100, 1001, 100)},
}  # fmt: skip


def test_table_4_of_ct06(noted):
    """Two draws of 400 rows: k = 3 with p = 2, k = 5 with p = 3 without pay; two searches."""
    samples, clusterings = noted(ct06, "sample"), noted(ct06, "k_member")
    searches = noted(ct06, "k_minimal")
    found = numbers(ct06.measure(4, quick=True))
    assert [(args[1], drawn) for args, drawn, _ in samples] == [(400, {"drawn": True})] * 2
    assert [kw["exchanges"] for _, kw, _ in clusterings] == [False] * 4
    assert len({kw["seed"] for _, kw, _ in clusterings}) == 4
    expected = {}
    for draw, (_, _, data) in enumerate(samples):
        table = text(data)
        for k, p in ((3, 2), (5, 3)):
            (recoding,) = [r for a, kw, r in clusterings if a[0] is data and kw["k"] == k]
            clusters = pd.Series(recoding.group)
            classes = clusters.map(lambda c, r=recoding: tuple(r.keys[c].tolist()))
            for name in ("pay", "capital-gain", "capital-loss", "tax", "tax, extended"):
                if (name, k) == ("pay", 5):
                    continue
                values = table[name.removesuffix(", extended")]
                for by, what, zones in (
                    (classes, ("groups that break p-sensitivity (clustering)", "tuples in them (clustering)"), "listed"),
                    (clusters, ("clusters that break p-sensitivity", "tuples in these clusters"), "one"),
                ):  # fmt: skip
                    lifted = values.map(ZONES[zones]) if name.endswith("extended") else values
                    groups = lifted.groupby(by)
                    short = groups.nunique() < p
                    expected[what[0], name, k, draw] = int(short.sum())
                    expected[what[1], name, k, draw] = int(groups.size()[short].sum())
        for k in (2, 3):
            (recoding,) = [r for a, kw, r in searches if a[0] is data and kw == {"k": k}]
            expected["attribute disclosures (binary search)", "all four", k, draw] = disclosed(
                table, levels(table), recoding.how["node"], k
            )
    assert found == expected


def test_tables_and_figures_of_mct08(noted):
    """1,000 rows, k = 2, 5 and 10: cells above their boundary, OUT, pairs, and the loss."""
    plain, bounded = noted(mct08_runs, "k_member"), noted(mct08_runs, "greedy_cka")
    rows = mct08_runs.measure(2, quick=True)
    found = {key[:3]: value for key, value in numbers(rows).items()}
    seconds = {key: found.pop(key) for key in list(found) if key[0] == mct08_runs.SECONDS}
    assert all(value > 0 for value in seconds.values())
    data = plain[0][0][0]
    table, trees = text(data), data.hierarchies
    assert [(kw["k"], kw["exchanges"], kw["seed"]) for _, kw, _ in plain] == [
        (k, False, 2) for k in (2, 5, 10)
    ]
    sets = {"1 constrained": ["native-country"], "2 constrained": ["native-country", "age"]}
    tops = {"listed": {"native-country": ["North America", "Latin America", "Europe", "Asia"], "age": ["10-29", "30-49", "50-69", "70-99"]}}  # fmt: skip
    # One level lower: each leaf's parent, a region or ten years.
    tops["lower"] = {n: {p[1] for leaf, p in trees[n].paths.items() if leaf != "?"} for n in ("native-country", "age")}  # fmt: skip
    assert len(tops["lower"]["native-country"]) == 8

    def boundary(name, leaf, which):
        path = trees[name].ancestors(leaf)
        return next((v for v in path if v in tops[which][name]), path[-1])

    def parts(names, which):
        keys = zip(*(table[n].map(lambda v, n=n: boundary(n, v, which)) for n in names), strict=True)  # fmt: skip
        return Counter(keys)

    def above(recoding, name, which):
        """For each released row whether its label is above its value's boundary."""
        j = data.roles.quasi_identifiers.index(name)
        kept = np.flatnonzero(recoding.group >= 0)
        labels = [recoding.domains[j].labels[recoding.keys[recoding.group[i], j]] for i in kept]
        leaves = table[name].iloc[kept]
        return [
            trees[name].ancestors(leaf).index(label)
            > trees[name].ancestors(leaf).index(boundary(name, leaf, which))
            for leaf, label in zip(leaves, labels, strict=True)
        ]

    def loss(recoding):
        """MCT08 Definitions 10 and 11 over the largest loss there can be."""
        total = Fraction(int((recoding.group < 0).sum()) * 8)
        for name in data.roles.quasi_identifiers:
            tree: Hierarchy = trees[name]
            height = {v: depth(tree, v) for v in tree.nodes}
            for _, leaves in table[name].groupby(recoding.group):
                if _ >= 0:
                    top = tree.lowest_common_ancestor(set(leaves))
                    total += len(leaves) * Fraction(height[top], height[tree.root])
        return total

    expected = {}
    for k, (_, _, recoding) in zip((2, 5, 10), plain, strict=True):
        expected["information loss", "k-member", k] = float(loss(recoding))
        expected["pairs of rows in one part", "k-member", k] = 1000 * 999 / 2
        for series, names in sets.items():
            (kept,) = [
                r
                for _, kw, r in bounded
                if kw["k"] == k and [*kw["boundaries"].hierarchies] == names
            ]
            lower = np.column_stack([above(recoding, n, "lower") for n in names])
            beyond = np.column_stack([above(recoding, n, "listed") for n in names])
            sizes = parts(names, "listed").values()
            small = sum(n for n in parts(names, "lower").values() if n < k)
            expected[mct08_runs.VIOLATIONS_LOWER, series, k] = lower.sum()
            expected[mct08_runs.OUT_LOWER, series, k] = small
            expected[mct08_runs.VIOLATIONS, series, k] = beyond.sum()
            expected[mct08_runs.ROWS, series, k] = beyond.any(axis=1).sum()
            ours = f"GreedyCKA, {series}"
            expected["pairs of rows in one part", ours, k] = sum(n * (n - 1) // 2 for n in sizes)
            expected["information loss", ours, k] = float(loss(kept))
            expected[mct08_runs.TUPLES_SUPPRESSED, series, k] = sum(n for n in sizes if n < k)
            expected[mct08_runs.KEPT, series, k] = 0
    assert found == pytest.approx(expected)
    assert {key[1:] for key in seconds} == {key[1:] for key in expected if key[0] == "information loss"}  # fmt: skip
    assert [kw["exchanges"] for _, kw, _ in bounded] == [False] * 6
    assert {kw["seed"] for _, kw, _ in bounded} == {2}


def depth(tree, value):
    """The height of a value above its lowest leaf's level."""
    below = tree.children(value)
    return 1 + max(depth(tree, child) for child in below) if below else 0


def goals_of(calls):
    """What each partition was asked for: k, L, the limits, and whether it is Exponential-L."""
    return [
        (type(goal).__name__, goal.l, goal.k, dict(getattr(goal, "at_most", {})))
        for (_, goal), _, _ in calls
    ]


@pytest.mark.parametrize(
    ("run", "asked"),
    [
        ("vary_l", [(x, x, 50, 3) for x in (2, 4, 6, 8, 10)]),
        ("vary_k", [(x, 10, x, 3) for x in (20, 40, 60, 80, 100)]),
        ("vary_m", [(x, 10, 50, x) for x in (1, 2, 3, 4, 5, 6, 7)]),
    ],
)
def test_figures_9_to_11_of_gcg08(run, asked, noted):
    """Sizes n_1, n_2, ... of groups of n patients: sum n_i^2 / n, and how many there are."""
    calls = noted(gcg08_runs, "partition")
    found = {key[:3]: value for key, value in numbers(getattr(gcg08_runs, run)(5, True)).items()}
    expected, goals = {}, []
    for number, (x, l, k, m) in enumerate(asked):
        for name, ((data, _), _, (group, _)) in zip(
            ("Anonymize", "Exponential-L"), calls[2 * number : 2 * number + 2], strict=True
        ):
            assert data.roles.quasi_identifiers == QUASI
            assert data.roles.sensitive == SENSITIVE[:m]
            assert len(data) == 2000
            sizes = Counter(group.tolist()).values()
            expected["discernability", name, x] = sum(n * n for n in sizes) / 2000
            expected["number of groups", name, x] = len(sizes)
        goals += [("MultiAttributeL", l, k, {}), ("ExponentialL", l, k, {})]
    assert found == pytest.approx(expected)
    assert goals_of(calls) == goals
    assert all(goal.check == "heuristic" for (_, goal), _, _ in calls[::2])


def test_figure_12_and_table_1_of_gcg08_on_adult(noted):
    """Errors |estimate - truth| / truth, each query's from the groups that were published."""
    calls, errors = noted(gcg08_runs, "partition"), noted(gcg08_runs, "query_error")
    queries = noted(gcg08_runs, "random_queries")
    limited = {key[:3]: v for key, v in numbers(gcg08_runs.vary_limit(6, True, ADULT)).items()}
    few = "native-country"
    l3 = (0, 2, 8, 10)
    names = ("occupation", "education", few)
    assert goals_of(calls) == [
        ("MultiAttributeL", 10, 50, {}), *(("MultiAttributeL", 10, 50, {few: x}) for x in l3)
    ]  # fmt: skip
    assert {data.roles.sensitive for (data, _), _, _ in calls} == {names}
    plain, *others = [
        sum(n * n for n in Counter(g.tolist()).values()) / 2000 for _, _, (g, _) in calls
    ]
    expected = {("discernability", "Anonymize", x): plain for x in l3}
    expected |= {
        ("discernability", "Anonymize-Column", x): here for x, here in zip(l3, others, strict=True)
    }
    expected |= {
        ("average relative error of random queries", "Anonymize-Column", x): np.mean(result)
        for x, (_, _, result) in zip((2, 10), errors, strict=True)
    }
    assert limited == pytest.approx(expected)
    assert [recoding.group.tolist() for (recoding, _), _, _ in errors] == [
        calls[at][2][0].tolist()
        for at in (2, 4)  # L_3 = 2 and 10
    ]
    assert all(kw == {"anatomized": True} for _, kw, _ in errors)

    calls.clear(), errors.clear()
    found = {key[:3]: value for key, value in numbers(gcg08_runs.errors(6, True, ADULT)).items()}
    assert [(args[1], kw) for args, kw, _ in queries] == [(200, {"seed": 6}), (400, {"seed": 6})]
    assert goals_of(calls) == [("MultiAttributeL", 10, 50, {}), ("ExponentialL", 10, 50, {})]
    table, asked = text(calls[0][0][0]), queries[1][2]
    truth = []
    for query in asked:
        fits = np.ones(len(table), bool)
        for name, wanted in query.conditions:
            labels = np.array(calls[0][0][0].labels_of(name))
            fits &= table[name].isin(set(labels[wanted])).to_numpy()
        truth.append(int(fits.sum()))
    large = np.array(truth) >= 20  # 1% of 2000
    kinds = {0: np.ones(400, bool), 1: ~large, 2: large}
    expected = {("number of queries", "drawn", x): kind.sum() for x, kind in kinds.items()}
    for name, (_, kw, error) in zip(("Anonymize", "Exponential-L"), errors, strict=True):
        assert kw == {"anatomized": True}
        for x, kind in kinds.items():
            expected["average relative error of random queries", name, x] = error[kind].mean()
    assert found == pytest.approx(expected)


@pytest.mark.parametrize("run", ["time_by_m", "time_by_n"])
def test_figures_13_and_14_of_gcg08(run, noted):
    """One to seven attributes; a tenth to all of the rows. The last attribute has the limit 2."""
    calls = noted(gcg08_runs, "partition")
    found = {key[:3]: value for key, value in numbers(getattr(gcg08_runs, run)(7, True)).items()}
    places = range(1, 8) if run == "time_by_m" else (200, 400, 800, 1200, 1600, 2000)
    names = ("Anonymize", "Anonymize-Column")
    assert set(found) == {("seconds of processor time", n, x) for x in places for n in names}
    assert all(value > 0 for value in found.values())
    for number, ((data, goal), _, _) in enumerate(calls):
        x = places[number // 2]
        m, n = (x, 2000) if run == "time_by_m" else (7, x)
        assert data.roles.sensitive == SENSITIVE[:m]
        assert len(data) == n
        limits = {SENSITIVE[m - 1]: 2} if number % 2 else {}
        assert (goal.l, goal.k, goal.at_most) == (10, 50, limits)


@pytest.mark.long
@pytest.mark.parametrize("module", [tv06, ct06])
def test_a_whole_run_draws_40_samples(module, monkeypatch):
    """As docs/reproduction.md says, of each size; here of 50 rows each, to be quick."""
    original, sizes = module.sample, Counter()

    def smaller(rng, size, *, drawn):
        sizes[size, drawn] += 1
        return original(rng, 50, drawn=drawn)

    monkeypatch.setattr(module, "sample", smaller)
    if module is tv06:  # 50 rows have nothing that is k-anonymous at every node looked at
        monkeypatch.setattr(tv06, "_standings", lambda *_: iter(()))
        monkeypatch.setattr(tv06, "_nodes", lambda: dict.fromkeys(PAPER_NODES, (3, 2, 3, 1)))
        monkeypatch.setattr(tv06, "k_minimal", lambda data, k: tv06.recode(data, (3, 2, 3, 1), k=k))
    rows = module.measure(1, quick=False)
    assert {row.draw for row in rows} == set(range(40))
    kinds = [(400, False), (400, True), (4000, False), (4000, True)]
    assert sizes == dict.fromkeys(kinds if module is tv06 else [(400, True)], 40)


@pytest.mark.parametrize("module", [tv06, ct06, mct08])
def test_experiments_name_every_file_they_read(module, monkeypatch):
    """The manifest has their hashes. What is printed is of its own measures; the axis is k."""
    opened, original = set(), datasets.path
    monkeypatch.setattr(datasets, "path", lambda name: opened.add(name) or original(name))
    experiment.adult.cache_clear()
    (run,) = {one.run for one in module.EXPERIMENTS}
    rows = run(0, True)
    for one in module.EXPERIMENTS:
        assert one.x == "k"
        assert {measure for measure, _, _ in one.paper} <= set(one.measures)
        assert set(one.measures) <= {row.measure for row in rows}
        assert "adult/adult.csv.gz" in one.inputs
    named = {name for one in module.EXPERIMENTS for name in one.inputs}
    assert opened <= named
    assert all(original(name).is_file() for name in named)
    assert {type(cell) for cell in experiment.adult().iloc[0]} == {str}
