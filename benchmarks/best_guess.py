"""The yardstick of the attack best-guess: real answers, masked by each algorithm, and guessed.

    python benchmarks/best_guess.py --data FOLDER            every algorithm at k = 3, 5, 12
    python benchmarks/best_guess.py --data FOLDER --algorithms mondrian --k 5 --attributes EDU,DPHY
    python benchmarks/best_guess.py --summary                the summary of all results so far

FOLDER holds ma2019.csv and ma2018.csv of NIST's Diverse Communities Data Excerpts. ma2019 is masked
and attacked; ma2018, another sample of the same population, is what anybody may know. Each result
is written to benchmarks/data/best_guess/, so pieces run apart add up.

The rivals guess by `predict`, with default settings of scikit-learn:
(i) on released labels as plain categories; a target is looked up by the labels of its own row,
more than an adversary knows of a local recoding; (ii) on decoded labels; (iii) the majority among
the rows that the target fits; (iv) a random forest on ma2018, without the release.

Ours guesses the value whose chance exceeds its share the most, which is best for balanced accuracy;
the summary also says how the likeliest value does.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.ensemble import RandomForestClassifier
from sklearn.naive_bayes import CategoricalNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder
from threadpoolctl import threadpool_limits

from anonaudit.attack import Setting
from anonaudit.auditing.original import hierarchies_of
from anonaudit.frequency.classes import equivalence_classes
from anonaudit.frequency.frequency_set import FrequencySet
from anonaudit.linking.matching import Candidates
from anonaudit.masking.maskers import ALGORITHMS, mask
from anonaudit.policy.policy import parse_policy
from anonaudit.roles import Roles
from attacks.learned_guess import WITH, guesses_of
from attacks.decoding import decoded
from attacks.guess_scores import accuracy, balanced, calibration, gain, wilson
from attacks.link_chances import places
from attacks.shared import link

KNOWN = ["PUMA", "AGEP", "SEX", "MSP", "HISP", "RAC1P", "NPF", "HOUSING_TYPE", "OWN_RENT"]
GUESSED = [
    "NOC",
    "EDU",
    "INDP_CAT",
    "PINCP_DECILE",
    "POVPIP",
    "DVET",
    "DREM",
    "DPHY",
    "DEYE",
    "DEAR",
]
AT_K = (3, 5, 12)
SUPPRESSED_SHARE = 0.05  # of rows, for full-domain recoding only
RESULTS = Path(__file__).parent / "data" / "best_guess"


def read(path: Path) -> pd.DataFrame:
    """The columns known and to guess, POVPIP in ten bands of 50 points and `N`."""
    table = pd.read_csv(path, dtype=str, keep_default_na=False)[KNOWN + GUESSED]
    ratio = pd.to_numeric(table["POVPIP"], errors="coerce")
    bands = np.minimum(ratio // 50, 9)
    table["POVPIP"] = [
        old if np.isnan(b) else f"band {b:.0f}" for old, b in zip(table.POVPIP, bands, strict=True)
    ]
    return table


def policy_of(folder: Path, table: pd.DataFrame, k: int) -> Any:
    """k-anonymity over the known columns; ages in bands, other columns all or nothing."""
    columns = f"quasi-identifiers = {json.dumps(KNOWN)}, sensitive = {json.dumps(GUESSED)}"
    lines = [f"columns = {{ {columns} }}"]
    lines.append(f"require.k-anonymity = {{ k = {k} }}")
    lines.append("hierarchies.AGEP = { intervals = [5, 10, 20, 40, 120], origin = 0 }")
    for column in KNOWN:
        if column == "AGEP":
            continue
        values = sorted(table[column].unique())
        (folder / f"{column}.csv").write_text("".join(f"{value};*\n" for value in values))
        lines.append(f"hierarchies.{column} = {{ file = '{column}.csv', delimiter = ';' }}")
    return parse_policy("\n".join(lines), folder=folder)


def counted(table: pd.DataFrame, columns: list[str]) -> FrequencySet:
    """A table in memory, counted."""
    return FrequencySet.of(columns, list(table[columns].itertuples(index=False, name=None)))


def masked_by(original: pd.DataFrame, algorithm: str, k: int) -> tuple[Any, Any, float]:
    """The masked table, the hierarchies of the known columns, and the seconds it took."""
    with tempfile.TemporaryDirectory() as folder:
        policy = policy_of(Path(folder), original, k)
        threshold = round(len(original) * SUPPRESSED_SHARE) if algorithm == "full-domain" else None
        start = time.perf_counter()
        masked = mask(original, policy, algorithm=algorithm, threshold=threshold)
        seconds = time.perf_counter() - start
        return masked, dict(hierarchies_of(policy, counted(original, KNOWN))), seconds


def attack(
    masked: Any,
    trees: Any,
    original: pd.DataFrame,
    other: pd.DataFrame,
    name: str,
    *,
    permuted: bool,
    population: bool,
) -> dict[str, Any]:
    """Guess and score one attribute."""
    attributes = [name]
    kept = masked.ground.reset_index(drop=True)
    release = masked.release.fillna("*").reset_index(drop=True)
    if permuted:
        rng = np.random.default_rng(0)
        for column in attributes:
            release[column] = release[column].to_numpy()[rng.permutation(len(release))]
    classes = equivalence_classes(
        counted(release, KNOWN + attributes), Roles(tuple(KNOWN), tuple(attributes))
    )
    setting = Setting(
        classes,
        hierarchies=trees,
        population=(lambda: counted(other, KNOWN + attributes)) if population else None,
    )
    start = time.perf_counter()
    outside, inside = counted(original, KNOWN), classes.base.project(KNOWN)
    pairs = link(setting, outside, inside).sure
    guesses, left_out = guesses_of(setting, outside, outside.counts, inside, pairs)
    seconds = time.perf_counter() - start
    if left_out:
        print(left_out)
    whole = counted(original, KNOWN + attributes)
    whose = places(outside, whole, KNOWN)
    rival = Rivals(setting, other, kept, release, outside, inside, pairs)
    guess = guesses[name]
    code = {label: i for i, label in enumerate(guess.labels)}
    names = whole.labels_of(name)
    new = np.array([code.get(label, len(code) + i) for i, label in enumerate(names)])
    value, count = new[whole.column(name)], whole.counts
    tables = {WITH: guess.chances, "without the victim": guess.without}
    if guess.population is not None:
        tables["population"] = guess.population
    plain = {who: guess.likeliest(each)[whose] == value for who, each in tables.items()}
    rare = {who: guess.raised(each)[whose] == value for who, each in tables.items()}
    theirs = {
        who: np.array([code.get(label, -1) for label in said])[whose] == value
        for who, said in rival.guesses(name).items()
    }
    over = {
        who: gain(rare[WITH], each, value, count, 0) for who, each in rare.items() if who != WITH
    }
    return {
        "attribute": name,
        "classes": len(classes),
        "seconds": seconds,
        "learner": guess.learner,
        "losses": dict(guess.losses),
        "balanced": {who: balanced(each, value, count) for who, each in rare.items()},
        "balanced of the likeliest": {w: balanced(e, value, count) for w, e in plain.items()},
        "accuracy": {who: accuracy(each, count) for who, each in (plain | theirs).items()},
        "rivals": {who: balanced(each, value, count) for who, each in theirs.items()},
        "gain": {who: asdict(each) for who, each in over.items() if each},
        "calibration": [asdict(b) for b in calibration(guess.chance[whose], plain[WITH], count)],
        "certain": int(count[guess.chance[whose] >= 1 - 1e-9].sum()),
        "at 0.9": int(count[guess.chance[whose] >= 0.9].sum()),
    }


class Rivals:
    """The guesses of others about each target: the label of a value, one a target."""

    def __init__(
        self,
        setting: Setting,
        other: pd.DataFrame,
        kept: pd.DataFrame,
        release: pd.DataFrame,
        outside: FrequencySet,
        inside: FrequencySet,
        pairs: Candidates,
    ) -> None:
        """Everything they read; kept: the original of each released row."""
        self.setting, self.release, self.other, self.n = setting, release, other, len(outside)
        self.inside, self.pairs, self.counts = inside, pairs, outside.counts
        of = {label: i for i, label in enumerate(map(tuple, _texts(outside)))}
        # The labels of one released row of each target; of those without, nothing but stars.
        own = pd.DataFrame("*", index=range(self.n), columns=KNOWN)
        place = np.array([of[key] for key in kept[KNOWN].itertuples(index=False, name=None)])
        own.iloc[place] = release[KNOWN].to_numpy()
        both = pd.concat([release[KNOWN], own])
        self.categories = OrdinalEncoder().fit(both)
        self.hot = OneHotEncoder(sparse_output=False).fit(both)
        self.own = own
        targets, features = decoded(setting, outside, inside)
        self.targets, self.features = targets, features
        mine = counted(release, KNOWN)
        key = {label: i for i, label in enumerate(map(tuple, _texts(mine)))}
        self.key = np.array([key[k] for k in release[KNOWN].itertuples(index=False, name=None)])
        exact = pd.DataFrame(_texts(outside), columns=KNOWN)
        self.exact = OneHotEncoder(sparse_output=False, handle_unknown="ignore").fit(_ages(other))
        self.exact_targets = self._exact(exact)

    def _exact(self, table: pd.DataFrame) -> Any:
        return np.hstack([self.exact.transform(_ages(table)), table[["AGEP"]].astype(float)])

    def guesses(self, name: str) -> dict[str, Any]:
        """By rival."""
        said = self.release[name].to_numpy()
        mine, own = self.release[KNOWN], self.own
        forest = {"random_state": 0, "n_jobs": -1}
        of_mine, of_own = (self.hot.transform(each) for each in (mine, own))
        categories, of_categories = (self.categories.transform(each) for each in (mine, own))
        decoded_rows = self.features[self.key]
        found = {"mode": np.full(self.n, pd.Series(said).mode()[0])}
        most = [len(c) for c in self.categories.categories_]
        for who, learner, rows, asked in (
            ("naive Bayes", CategoricalNB(min_categories=most), categories, of_categories),
            ("5 neighbours", KNeighborsClassifier(), of_mine, of_own),
            ("forest", RandomForestClassifier(**forest), of_mine, of_own),
            ("5 neighbours, decoded", KNeighborsClassifier(), decoded_rows, self.targets),
            ("forest, decoded", RandomForestClassifier(**forest), decoded_rows, self.targets),
        ):  # fmt: skip
            found[who] = learner.fit(rows, said).predict(asked)
        found["majority of candidates"] = self._majority(name, found["mode"])
        forest_2018 = RandomForestClassifier(**forest)
        forest_2018.fit(self._exact(self.other), self.other[name].to_numpy())
        found["forest on 2018"] = forest_2018.predict(self.exact_targets)
        return found

    def _majority(self, name: str, mode: Any) -> Any:
        base = self.setting.classes.base
        labels = np.array(base.labels_of(name))
        table = np.zeros((len(self.inside), len(labels)))
        np.add.at(table, (self.inside.entry_of(base), base.column(name)), base.counts)
        votes = np.zeros((self.n, len(labels)))
        np.add.at(votes, self.pairs.person, table[self.pairs.key])
        return np.where(votes.sum(axis=1) > 0, labels[votes.argmax(axis=1)], mode)


def _texts(table: FrequencySet) -> list[list[str]]:
    columns = [np.array(table.labels[j])[table.codes[:, j]] for j in range(len(table.attributes))]
    return np.column_stack(columns).tolist()


def _ages(table: pd.DataFrame) -> pd.DataFrame:
    return table[[column for column in KNOWN if column != "AGEP"]]


def left(row: dict[str, Any]) -> dict[str, float]:
    """The gain over the better of the two baselines: without the victim, and ma2018 alone."""
    return min(row["gain"].values(), key=lambda gain: gain["value"])


def best_rival(row: dict[str, Any]) -> tuple[float, str]:
    """The score of the best rival, and who that is."""
    return max((score, who) for who, score in row["rivals"].items() if score is not None)


def printed(kind: str, run: dict[str, Any]) -> None:
    """One table a release."""
    rows = run["results"].values()
    seconds, classes = sum(r["seconds"] for r in rows), max(r["classes"] for r in rows)
    print(f"\n{kind}: {classes} classes, loss {run['loss']:.0%}, guessed in {seconds:.0f} s")
    print(f"{'':14}  ours without  2018   gain (interval)      >= 0.9   best rival")
    for row in rows:
        score, edge = row["balanced"], left(row)
        theirs, who = best_rival(row)
        print(
            f"{row['attribute']:14}{score[WITH]:6.3f}{score['without the victim']:8.3f}"
            f"{score.get('population', float('nan')):6.3f}  {edge['value']:+.3f} "
            f"({edge['low']:+.3f} {edge['high']:+.3f}) {row['at 0.9']:6}   {theirs:.3f} {who}"
        )


def judged(rows: list[dict[str, Any]]) -> None:
    """The numbers over all pairs of a release and an attribute."""
    guesses = {"ours": "balanced", "the likeliest value": "balanced of the likeliest"}
    for what, guess in guesses.items():
        ahead = np.array([row[guess][WITH] - best_rival(row)[0] for row in rows])
        print(
            f"{len(rows)} pairs, {what}: at most 2 points below the best rival on "
            f"{np.mean(ahead >= -0.02):.0%}, above it on {np.mean(ahead > 0):.0%}"
        )
    zero = sum(left(row)["low"] <= 0 <= left(row)["high"] for row in rows)
    print(f"the interval of the gain has 0 on {zero} of {len(rows)} pairs")
    bins = [b for row in rows for b in row["calibration"] if b["low"] == 0.8]
    if people := sum(b["people"] for b in bins):
        chance = sum(b["chance"] * b["people"] for b in bins) / people
        low, high = wilson(sum(b["right"] for b in bins), people)
        print(
            f"{people} guesses of 0.8 to 0.9: {chance:.1%} expected, {low:.1%} to {high:.1%} right"
        )


def summary() -> None:
    """All results so far; those with permuted answers, or without ma2018, apart."""
    runs = {path.stem: json.loads(path.read_text()) for path in sorted(RESULTS.glob("*.json"))}
    for kind in ("", "-alone", "-permuted"):
        alike = {
            name: run
            for name, run in runs.items()
            if run["permuted"] is (kind == "-permuted")
            and (run["population"] is (kind != "-alone") or kind == "-permuted")
        }
        for name, run in alike.items():
            printed(name, run)
        if alike:
            print()
            judged([row for run in alike.values() for row in run["results"].values()])


@threadpool_limits.wrap(limits=1)  # as in attacks/learners.py
def main() -> None:
    """Read the arguments and run."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--data", type=Path)
    parser.add_argument("--algorithms", default=",".join(ALGORITHMS))
    parser.add_argument("--k", default=",".join(map(str, AT_K)))
    parser.add_argument("--attributes", default=",".join(GUESSED))
    parser.add_argument("--rows", type=int, help="only the first rows of both files")
    parser.add_argument("--permuted", action="store_true", help="permute what is to be guessed")
    parser.add_argument("--no-population", action="store_true", help="guess without ma2018")
    parser.add_argument("--summary", action="store_true")
    wanted = parser.parse_args()
    if not wanted.summary:
        if wanted.data is None:
            parser.error("name the folder of ma2019.csv and ma2018.csv with --data")
        files = (wanted.data / f"{name}.csv" for name in ("ma2019", "ma2018"))
        original, other = (read(path).head(wanted.rows or sys.maxsize) for path in files)
        RESULTS.mkdir(parents=True, exist_ok=True)
        for algorithm in wanted.algorithms.split(","):
            for k in map(int, wanted.k.split(",")):
                masked, trees, seconds = masked_by(original, algorithm, k)
                kind = "-permuted" * wanted.permuted + "-alone" * wanted.no_population
                path = RESULTS / f"{algorithm}-{k}{kind}.json"
                run = json.loads(path.read_text()) if path.exists() else {"results": {}}
                run |= {
                    "algorithm": algorithm, "k": k, "permuted": wanted.permuted,
                    "population": not wanted.no_population, "loss": masked.loss,
                    "masking seconds": seconds,
                }  # fmt: skip
                for name in wanted.attributes.split(","):
                    run["results"][name] = attack(
                        masked, trees, original, other, name,
                        permuted=wanted.permuted, population=not wanted.no_population,
                    )  # fmt: skip
                    path.write_text(json.dumps(run, indent=1))
    summary()


if __name__ == "__main__":
    main()
