"""CT06 Table 4: the classes of k-anonymous Adult samples that violate p-sensitivity."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import numpy as np
import pandas as pd

from anonaudit import datasets
from anonaudit.cells import FIRST_VALUE
from anonaudit.frequency.codes import Codes
from anonaudit.generalization.hierarchy import Hierarchy
from anonaudit.masking.goals import distinct_values
from anonaudit.masking.k_member import k_member
from anonaudit.masking.lattice import k_minimal
from anonaudit.masking.recoding import Recoding, released_classes
from anonaudit.papers.reproduction.experiment import (
    Experiment,
    MeasuredNumber,
    Results,
    SeriesKey,
    printed,
)
from anonaudit.papers.reproduction.readings import ReadingResult, held, spread, typical
from anonaudit.papers.reproduction.tv06 import CONFIDENTIAL, INPUTS, disclosures, sample

GROUPS: Final = "groups that break p-sensitivity (clustering)"
TUPLES: Final = "tuples in them (clustering)"
GROUPS_APART: Final = "clusters that break p-sensitivity"
TUPLES_APART: Final = "tuples in these clusters"
ONE_ZONE: Final = ("900-1000",)
SEARCH: Final = "attribute disclosures (binary search)"
TREE: Final = "CT06/hierarchies/tax-amount.csv"
NAMES: Final = {
    "Pay": "pay",
    "Capital_Gain": "capital-gain",
    "Capital_Loss": "capital-loss",
    "Tax_Paid": "tax",
}
EXTENDED: Final = "tax, extended"


def measure(seed: int, quick: bool) -> list[MeasuredNumber]:
    """Cluster 400 rows with k = 3, p = 2 and k = 5, p = 3; run binary search with k = 2 and 3.

    This is repeated on 40 samples; quick: 2 samples.
    """
    rng = np.random.default_rng([604, seed])
    rows = []
    for draw in range(2 if quick else 40):
        data = sample(rng, 400, drawn=True)
        for k, p in ((3, 2), (5, 3)):
            recoding = k_member(data, k=k, exchanges=False, seed=int(rng.integers(2**31)))
            values = {name: data.sensitive[:, j] for j, name in enumerate(CONFIDENTIAL)}
            labels, one_zone = data.labels_of("tax"), dict(values)
            values[EXTENDED] = _lifted(labels, _protected())[values["tax"]]
            one_zone[EXTENDED] = _lifted(labels, ONE_ZONE)[values["tax"]]
            for name, codes in values.items():
                if p > 2 and name == "pay":  # it has two values
                    continue
                groups, tuples = short_groups(recoding, codes, p)
                rows += [
                    MeasuredNumber(GROUPS, name, k, groups, draw),
                    MeasuredNumber(TUPLES, name, k, tuples, draw),
                ]
                groups, tuples = short_groups(recoding, one_zone[name], p, clusters=True)
                rows += [
                    MeasuredNumber(GROUPS_APART, name, k, groups, draw),
                    MeasuredNumber(TUPLES_APART, name, k, tuples, draw),
                ]
        rows += [
            MeasuredNumber(SEARCH, "all four", k, disclosures(k_minimal(data, k=k)), draw)
            for k in (2, 3)
        ]
    return rows


def _protected() -> list[str]:
    return [p["value"] for p in printed("CT06/protected.csv") if p["attribute"] == "tax-amount"]


def _lifted(labels: tuple[str, ...], protected: Sequence[str]) -> Codes:
    """Return an array that maps the code of a tax amount to the code of its strong ancestor.

    Strong ancestors are those of CT06 section 4.

    labels: the label of each code of the tax; the first two codes are missing and suppressed.
    protected: the protected values of the tax.
    """
    strong = Hierarchy.read(datasets.path(TREE)).strong_values(protected)
    codes, _ = pd.factorize(np.array([strong.get(label, label) for label in labels[FIRST_VALUE:]]))
    return np.concatenate([range(FIRST_VALUE), codes + FIRST_VALUE]).astype(np.int64)


def short_groups(
    recoding: Recoding, values: Codes, p: int, *, clusters: bool = False
) -> tuple[int, int]:
    """Count the classes with fewer than p values, and their rows (CT06 Table 4: groups, tuples).

    recoding: a masked table without suppressed rows.
    values: the codes of one confidential attribute, 2 and above; shape (n,).
    clusters: True to count clusters. By default, clusters that are released with equal
        quasi-identifiers are one class.

    >>> import pandas as pd
    >>> from anonaudit.masking.lattice import recode
    >>> from anonaudit.masking.recoding import Microdata
    >>> from anonaudit.roles import Roles
    >>> table = pd.DataFrame({"sex": list("mmmff"), "pay": list("aaaab")})
    >>> data = Microdata.read(table, Roles(("sex",), ("pay",)))
    >>> short_groups(recode(data, (0,), k=2), data.sensitive[:, 0], 2)
    (1, 3)
    """
    of = recoding.group
    if not clusters:
        of = released_classes(recoding.domains, recoding.keys)[of]
    short = distinct_values(of, values, int(of.max()) + 1) < p
    return int(short.sum()), int(short[of].sum())


def _paper(groups: str = GROUPS, tuples: str = TUPLES) -> dict[SeriesKey, float]:
    numbers: dict[SeriesKey, float] = {
        (SEARCH, "all four", float(line["k"])): float(line["attribute-disclosures"])
        for line in printed("CT06/table4-binary-search.csv")
    }
    for line in printed("CT06/table4-clustering.csv"):
        if line["groups"] != "-":
            name = EXTENDED if line["property"] == "extended" else NAMES[line["attribute"]]
            numbers[groups, name, float(line["k"])] = float(line["groups"])
            numbers[tuples, name, float(line["k"])] = float(line["tuples"])
    return numbers


def _read(results: Results) -> list[ReadingResult]:
    paper = _paper()
    pay, gain, loss, tax = (results.of(GROUPS, name) for name in NAMES.values())
    extended, search = results.of(GROUPS, EXTENDED), results.of(SEARCH, "all four")
    breaking = [pay[3], gain[3], gain[5], loss[3], loss[5], tax[5]]
    falls = [[f"{x[k].mean():.3g}" for x in (gain, loss, tax)] for k in (3, 5)]
    readings = [
        held(
            "k-anonymous data violate p-sensitivity: pay, gain, loss, and with k = 5 the tax",
            [x > 0 for x in breaking],
            "12; 12, 31; 5, 6; 2 groups",
            "; ".join(map(spread, breaking)),
        ),
        held(
            "the fewer values an attribute has, the more groups violate p-sensitivity: gain, loss, "
            "tax",
            (gain > loss) & (loss > tax),
            "12, 5, 0 groups with k = 3 and 31, 6, 2 with k = 5",
            f"on average {', '.join(falls[0])} and {', '.join(falls[1])}",
        ),
        held(
            "more groups violate the extended than the basic property of the tax, k = 3",
            extended[3] > tax[3],
            "1 and 0",
            f"on average {extended[3].mean():.3g} and {tax[3].mean():.3g}",
        ),
        held(
            "equally many groups violate the extended and the basic property of the tax, k = 5",
            extended[5] == tax[5],
            "2 and 2",
            f"on average {extended[5].mean():.3g} and {tax[5].mean():.3g}",
        ),
        held(
            "binary search: k = 3 has fewer disclosures than k = 2",
            search[3] < search[2],
            "2 and 6",
            f"on average {search[3].mean():.3g} and {search[2].mean():.3g}",
        ),
    ]
    said = {GROUPS: "groups", TUPLES: "tuples", SEARCH: "disclosures"}
    return [*readings, *_as_many(results, paper, said)]


def _as_many(
    results: Results, paper: Mapping[SeriesKey, float], said: Mapping[str, str]
) -> Iterator[ReadingResult]:
    for measure_name, what in said.items():
        for k in sorted({k for name, _, k in paper if name == measure_name}):
            cells = [
                (series, printed, results.of(name, series)[at])
                for (name, series, at), printed in paper.items()
                if (name, at) == (measure_name, k)
            ]
            yield typical(
                f"the paper's number of {what} is typical of our samples, k = {k:g}", cells
            )


def _read_clusters(results: Results) -> list[ReadingResult]:
    extended, tax = (results.of(GROUPS_APART, name) for name in (EXTENDED, "tax"))
    said = {GROUPS_APART: "clusters", TUPLES_APART: "tuples"}
    return [
        held(
            "more clusters violate the extended than the basic property of the tax, k = 3",
            extended[3] > tax[3],
            "1 and 0",
            f"on average {extended[3].mean():.3g} and {tax[3].mean():.3g}",
        ),
        held(
            "equally many clusters violate the extended and the basic property of the tax, k = 5",
            extended[5] == tax[5],
            "2 and 2",
            f"on average {extended[5].mean():.3g} and {tax[5].mean():.3g}",
        ),
        *_as_many(results, _paper(GROUPS_APART, TUPLES_APART), said),
    ]


EXPERIMENTS: Final = (
    Experiment(
        id="CT06-table4",
        claim="CT06-table4",
        title="Groups and tuples that violate p-sensitivity in k-anonymous data",
        run=measure,
        measures=(GROUPS, TUPLES, SEARCH),
        x="k",
        read=_read,
        paper=_paper(),
        inputs=(
            *INPUTS,
            TREE,
            "CT06/protected.csv",
            "CT06/table4-binary-search.csv",
            "CT06/table4-clustering.csv",
        ),
        notes=(
            "The paper's sample is unknown. Each seed draws 40 samples of 400 rows.",
            "Capital gain (3 values), loss (4) and tax (10) are drawn uniformly. Pay is Adult's.",
            (
                "The hierarchy and the protected values of the tax are ours, because the paper's "
                "Figure 3 is lost."
            ),
            (
                "For the first part of the table, the table says k = 2 and 3, the text 3 and 5. We "
                "follow the table."
            ),
        ),
    ),
    Experiment(
        id="CT06-table4-clusters",
        claim="CT06-table4",
        title="Clusters, and tuples in them, that violate p-sensitivity; only 900-1000 protected",
        run=measure,
        measures=(GROUPS_APART, TUPLES_APART),
        x="k",
        read=_read_clusters,
        tuned=True,
        paper={
            key: number
            for key, number in _paper(GROUPS_APART, TUPLES_APART).items()
            if key[0] != SEARCH
        },
        inputs=(*INPUTS, TREE, "CT06/table4-clustering.csv"),
        notes=(
            (
                "In four rows of the table the printed number of tuples is k times the number of "
                "groups. So clusters may have been counted, not classes of equal values."
            ),
            "The protected values of the tax are chosen to fit the printed numbers.",
        ),
    ),
)
