"""Tasks that run.py times in addition to audits. Each prints its result as one line of JSON.

python benchmarks/tasks.py NAME [FOLDER]
"""

from __future__ import annotations

import argparse
import json
import os
import time
from pathlib import Path
from typing import TYPE_CHECKING

from columns import QUASI, SENSITIVE

if TYPE_CHECKING:
    from anonaudit.generalization.hierarchy import Hierarchy


def rules(folder: Path) -> object:
    """Find every rule X => income with a confidence of at least 0.8 in at least 5 rows.

    X takes values of any of the 255 non-empty sets of the 8 quasi-identifiers.
    """
    from itertools import combinations

    from anonaudit.frequency.classes import equivalence_classes
    from anonaudit.frequency.counting import count
    from anonaudit.roles import Roles
    from anonaudit.source.table import open_source
    from attacks.association import rule_tables

    table = count(open_source(folder / "release-30k.parquet"), (*QUASI, "income"))
    classes = equivalence_classes(table, Roles(QUASI, ("income",)))
    sets = [c for size in range(1, 9) for c in combinations(QUASI, size)]
    start = time.process_time()
    number = sum(len(found.shown) for found in rule_tables(classes, sets, 0.8, 5))
    return {"sets": len(sets), "rules": number, "counting s": time.process_time() - start}


def k_and_l(folder: Path) -> object:
    """Measure k, and distinct, entropy and recursive l of three attributes, of 1M rows in memory.

    freqCalc and ldiversity of sdcMicro do the same work. The times leave out reading the file.
    """
    import pandas as pd

    from anonaudit.frequency.classes import equivalence_classes
    from anonaudit.frequency.counting import count
    from anonaudit.models import EntropyLDiversity, KAnonymity, LDiversity, RecursiveCLDiversity
    from anonaudit.roles import Roles
    from anonaudit.source.table import open_source

    table = pd.read_parquet(folder / "release-1M.parquet")
    cpu, wall = time.process_time(), time.perf_counter()
    counted = count(open_source(table), (*QUASI, *SENSITIVE))
    classes = equivalence_classes(counted, Roles(QUASI, SENSITIVE))
    models = KAnonymity(), LDiversity(), EntropyLDiversity(), RecursiveCLDiversity()
    found = {model.name: model.measure(classes).measured for model in models}
    spent = {"CPU s": time.process_time() - cpu, "wall s": time.perf_counter() - wall}
    return {**found, **{name: round(seconds, 2) for name, seconds in spent.items()}}


def rules_by_mlxtend(folder: Path) -> object:
    """Find the rules of `rules` by mlxtend: apriori with `low_memory`, then association rules."""
    import pandas as pd
    from mlxtend.frequent_patterns import apriori, association_rules

    table = pd.read_parquet(folder / "release-30k.parquet")[[*QUASI, "income"]]
    hot = pd.get_dummies(table, prefix_sep="=").astype(bool)
    found = apriori(hot, min_support=5 / len(table), use_colnames=True, low_memory=True)
    all_ = association_rules(found, metric="confidence", min_threshold=0.8, num_itemsets=len(found))
    of_income = all_["consequents"].map(lambda y: len(y) == 1 and min(y).startswith("income="))
    return {"rules": int(of_income.sum())}


def _adult(rows: int | None, education: str) -> tuple[object, object]:
    import pandas as pd

    from anonaudit import datasets
    from anonaudit.roles import Roles

    table = pd.read_csv(datasets.path("adult/adult.csv.gz"), dtype=str, keep_default_na=False)
    table = table[(table != "?").all(axis=1)].reset_index(drop=True)
    quasi = ("age", "workclass", education, "marital-status", "occupation", "race", "sex")
    return table.head(rows or len(table)), Roles((*quasi, "native-country"))


# The hierarchies of Clustering_based_K_Anon, a public implementation. Other columns are flat.
INNER = {
    "workclass": {
        "Self-employ": ("Self-emp-not-inc", "Self-emp-inc"),
        "gov": ("Federal-gov", "Local-gov", "State-gov"),
        "not-work": ("Without-pay", "Never-worked"),
    },
    "marital-status": {
        "Married": ("Married-civ-spouse", "Married-AF-spouse"),
        "leave": ("Divorced", "Separated"),
        "alone": ("Widowed", "Married-spouse-absent"),
    },
}
ALONE = {"workclass": "Private", "marital-status": "Never-married"}
LEAVES = {"workclass": 8, "marital-status": 7}


def _trees() -> dict[str, Hierarchy]:
    from anonaudit.generalization.hierarchy import Hierarchy

    trees = {}
    for column, inner in INNER.items():
        paths = [[leaf, above, "*"] for above, leaves in inner.items() for leaf in leaves]
        trees[column] = Hierarchy.from_levels(column, [*paths, [ALONE[column]] * 2 + ["*"]])
    return trees


def _clustered(name: str, **more: object) -> object:
    """Cluster 10,000 rows of Adult (8 quasi-identifiers, k = 5), and return the loss in percent.

    "loss %" is the measure of MCT08, which the masker minimizes. "NCP %" is that of
    Clustering_based_K_Anon, which printed 9.305 for its own clustering. In a hierarchy it is the
    leaves below a released value divided by all leaves, instead of a ratio of heights. Rows in OUT
    are suppressed, with a loss of 1 in every cell.
    """
    from importlib import import_module

    import numpy as np

    from anonaudit.masking.loss import information_loss
    from anonaudit.masking.recoding import Microdata

    data = Microdata.read(*_adult(10_000, "education-num"), _trees())
    masker = getattr(import_module(f"anonaudit.masking.{name}"), name)
    found = masker(data, k=5, seed=0, **more)
    out = int(found.suppressed.sum())
    by_leaves = float(out * len(found.domains))
    for j, (column, domain) in enumerate(
        zip(data.roles.quasi_identifiers, found.domains, strict=True)
    ):
        loss = domain.loss
        if column in INNER:
            below = [len(INNER[column].get(label or "", ())) for label in domain.labels]
            loss = np.where(loss == 1, 1.0, np.array(below) / LEAVES[column])
        by_leaves += float((loss[found.keys[:, j]] * found.sizes).sum())
    cells = len(data) * len(found.domains)
    share = {"loss %": information_loss(found), "NCP %": by_leaves}
    return {**{name: 100 * lost / cells for name, lost in share.items()}, "OUT": out}


def k_member(_: Path) -> object:
    """Cluster by greedy k-member."""
    return _clustered("k_member")


def greedy_cka(_: Path) -> object:
    """Cluster by GreedyCKA, with the inner values of workclass and marital status as boundaries."""
    from anonaudit.models.boundaries import Boundaries

    most = {column: (*inner, ALONE[column]) for column, inner in INNER.items()}
    return _clustered("greedy_cka", boundaries=Boundaries(_trees(), most))


def minimal(_: Path) -> object:
    """Run the p-k-minimal search over the ARX hierarchies of Adult: k = 5, up to 5% suppressed."""
    from anonaudit.generalization.hierarchy import Hierarchy
    from anonaudit.masking.lattice import p_k_minimal
    from anonaudit.masking.recoding import Microdata

    folder = Path(os.environ["ANONAUDIT_SHARED"], "datasets", "arx")
    table, roles = _adult(None, "education")
    trees = {
        name: Hierarchy.read(folder / f"adult_hierarchy_{name}.csv")
        for name in roles.quasi_identifiers
    }
    data = Microdata.read(table, roles, trees)
    found = p_k_minimal(data, p=1, k=5, threshold=len(data) // 20)
    return {"suppressed": int(found.suppressed.sum()), "node": str(found.how.get("node"))}


def pycanon(folder: Path) -> object:
    """Compute the nine measures of pycanon on 30k rows. This takes minutes."""
    import pandas as pd
    from pycanon import report

    table = pd.read_parquet(folder / "release-30k.parquet")
    values = report.base.get_report_values(table, list(QUASI), ["income", "diagnosis", "hours"])
    return {"k": int(values[0])}


TASKS = {
    "rules": rules,
    "k-and-l": k_and_l,
    "rules-by-mlxtend": rules_by_mlxtend,
    "k-member": k_member,
    "greedy-cka": greedy_cka,
    "minimal": minimal,
    "pycanon": pycanon,
}

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("name", choices=TASKS)
    parser.add_argument(
        "folder", nargs="?", type=Path, help="the folder that generate.py wrote", default="."
    )
    asked = parser.parse_args()
    print(json.dumps(TASKS[asked.name](asked.folder)))
