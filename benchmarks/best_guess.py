"""Measure the attack best-guess: mask real answers by each algorithm, and score the guesses.

    python benchmarks/best_guess.py --data FOLDER            every algorithm at k = 3, 5, 12
    python benchmarks/best_guess.py --data FOLDER --algorithms mondrian --k 5 --attributes EDU,DPHY
    python benchmarks/best_guess.py --summary                the summary of all results so far
    python benchmarks/best_guess.py --summary --picture docs/attacks/best_guess.svg

FOLDER has ma2019.csv and ma2018.csv of NIST's Diverse Communities Data Excerpts. ma2019 is masked
and attacked. ma2018 is another sample of the same population, and public knowledge. Each run adds
its results to benchmarks/data/best_guess/, so you can run the pieces separately.

The attack is compared with rivals. They use `predict_proba` with default settings of scikit-learn:

1. Learners on released labels as plain categories. A target has the labels of its own row. An
   adversary would not know these labels after local recoding.
2. Learners on decoded labels.
3. The majority among the rows that the target fits.
4. A random forest on ma2018, without the release.

Two rules turn chances into guesses, for the attack and for the rivals. `likeliest` is the value
with the highest chance, as `predict` returns it. It is best for accuracy. `raised` is the value
whose chance exceeds its share the most. It is best for balanced accuracy.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
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
from anonaudit.report import drawing
from anonaudit.report.plain import plain
from anonaudit.roles import Roles
from attacks.decoding import decoded
from attacks.guess_scores import (
    GUESS,
    POPULATION,
    WITHOUT,
    accuracy,
    balanced,
    codes_of,
    scores,
    wilson,
)
from attacks.learned_chances import learned_chances
from attacks.link_chances import matching_entries
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
    """Return the known columns and those to guess. POVPIP has ten bands, and its value `N`."""
    table = pd.read_csv(path, dtype=str, keep_default_na=False)[KNOWN + GUESSED]
    ratio = pd.to_numeric(table["POVPIP"], errors="coerce")
    bands = np.minimum(ratio // 50, 9)
    table["POVPIP"] = [
        old if np.isnan(b) else f"band {b:.0f}" for old, b in zip(table.POVPIP, bands, strict=True)
    ]
    return table


def policy_of(folder: Path, table: pd.DataFrame, k: int) -> Any:
    """Return a policy of k-anonymity over the known columns.

    Ages have a hierarchy of intervals. Other columns can only be kept or suppressed.
    """
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
    """Return the frequency set of some columns of a table in memory."""
    return FrequencySet.of(columns, list(table[columns].itertuples(index=False, name=None)))


def masked_by(original: pd.DataFrame, algorithm: str, k: int) -> tuple[Any, Any, float]:
    """Return the masked table, the hierarchies of the known columns, and the seconds of masking."""
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
    """Guess one attribute, and return the scores of the attack and of its rivals."""
    attributes = [name]
    kept = masked.ground.reset_index(drop=True)
    release = masked.release.fillna("*").reset_index(drop=True)
    if permuted:
        rng = np.random.default_rng(GUESSED.index(name))
        release[name] = release[name].to_numpy()[rng.permutation(len(release))]
    classes = equivalence_classes(
        counted(release, KNOWN + attributes), Roles(tuple(KNOWN), tuple(attributes))
    )
    setting = Setting(
        classes,
        hierarchies=trees,
        population=(lambda: counted(other, KNOWN + attributes)) if population else None,
    )
    start = time.process_time()
    outside, inside = counted(original, KNOWN), classes.base.project(KNOWN)
    pairs = link(setting, outside, inside).sure
    guesses, left_out = learned_chances(setting, outside, outside.counts, inside, pairs)
    seconds = time.process_time() - start
    if left_out:
        print(left_out)
    whole = counted(original, KNOWN + attributes)
    whose = matching_entries(outside, whole, KNOWN)
    guess = guesses[name]
    value = codes_of(guess.labels, whole.labels_of(name))[whole.column(name)]
    count = whole.counts
    found = scores(guess, whose, value, count, 0)
    rivals = Rivals(setting, other, kept, release, outside, inside, pairs)
    said: dict[str, dict[str, Any]] = {"likeliest": {}, "raised": {}}
    for who, (chances, counts) in rivals.chances(name, guess.labels).items():
        of_them = replace(guess, counts=counts)
        said["likeliest"][who] = of_them.likeliest(chances)[whose] == value
        said["raised"][who] = of_them.raised(chances)[whose] == value
    ours = {
        "likeliest": guess.likeliest(guess.chances)[whose] == value,
        "raised": guess.raised(guess.chances)[whose] == value,
    }
    return {
        "attribute": name,
        "classes": len(classes),
        "seconds": seconds,
        "learner": guess.learner,
        "losses": dict(guess.losses),
        "scores": plain(found),
        "ours": {rule: balanced(right, value, count) for rule, right in ours.items()},
        "rivals": {
            rule: {who: balanced(right, value, count) for who, right in each.items()}
            for rule, each in said.items()
        },
        "accuracy": {who: accuracy(right, count) for who, right in said["likeliest"].items()}
        | {"ours": accuracy(ours["likeliest"], count)},
        "certain": int(count[guess.chance[whose] >= 1 - 1e-9].sum()),
        "at 0.9": int(count[guess.chance[whose] >= 0.9].sum()),
    }


class Rivals:
    """The chances that the rivals give to each value of each target."""

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
        """Prepare the inputs of the rivals. kept: the original of each released row."""
        self.setting, self.release, self.other, self.n = setting, release, other, len(outside)
        self.inside, self.pairs, self.counts = inside, pairs, outside.counts
        of = {label: i for i, label in enumerate(map(tuple, _texts(outside)))}
        # The labels of one released row of each target. A target without a row has only stars.
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

    def chances(self, name: str, labels: Sequence[str]) -> dict[str, tuple[Any, Any]]:
        """Return for each rival the chances and the counts of the labels.

        The shapes are (n_targets, n_labels) and (n_labels,).
        """
        said = self.release[name].to_numpy()
        mine, own = self.release[KNOWN], self.own
        forest = {"random_state": 0, "n_jobs": -1}
        of_mine, of_own = (self.hot.transform(each) for each in (mine, own))
        categories, of_categories = (self.categories.transform(each) for each in (mine, own))
        decoded_rows = self.features[self.key]
        counts = _frequency(said, labels)
        found = {"mode": (np.tile(counts / counts.sum(), (self.n, 1)), counts)}
        most = [len(c) for c in self.categories.categories_]
        for who, learner, rows, asked in (
            ("naive Bayes", CategoricalNB(min_categories=most), categories, of_categories),
            ("5 neighbours", KNeighborsClassifier(), of_mine, of_own),
            ("forest", RandomForestClassifier(**forest), of_mine, of_own),
            ("5 neighbours, decoded", KNeighborsClassifier(), decoded_rows, self.targets),
            ("forest, decoded", RandomForestClassifier(**forest), decoded_rows, self.targets),
        ):  # fmt: skip
            found[who] = _chances(learner.fit(rows, said), asked, labels), counts
        found["majority of candidates"] = self._majority(name, labels, counts), counts
        theirs = self.other[name].to_numpy()
        learner = RandomForestClassifier(**forest).fit(self._exact(self.other), theirs)
        found["forest on 2018"] = (
            _chances(learner, self.exact_targets, labels),
            _frequency(theirs, labels),
        )
        return found

    def _majority(self, name: str, labels: Sequence[str], counts: Any) -> Any:
        base = self.setting.classes.base
        code = codes_of(labels, base.labels_of(name))[base.column(name)]
        table = np.zeros((len(self.inside), len(labels)))
        known = code < len(labels)
        np.add.at(table, (self.inside.entry_of(base)[known], code[known]), base.counts[known])
        votes = np.zeros((self.n, len(labels)))
        np.add.at(votes, self.pairs.person, table[self.pairs.key])
        votes[votes.sum(axis=1) == 0] = counts
        return votes / votes.sum(axis=1, keepdims=True)


def _frequency(said: Any, labels: Sequence[str]) -> Any:
    """Return how often each label occurs among the texts."""
    return pd.Series(said).value_counts().reindex(list(labels), fill_value=0).to_numpy(float)


def _chances(learner: Any, asked: Any, labels: Sequence[str]) -> Any:
    """Return the chance of each label, 0 for a label that the learner never saw."""
    found = pd.DataFrame(learner.predict_proba(asked), columns=learner.classes_)
    return found.reindex(columns=list(labels), fill_value=0.0).to_numpy()


def _texts(table: FrequencySet) -> list[list[str]]:
    columns = [np.array(table.labels[j])[table.codes[:, j]] for j in range(len(table.attributes))]
    return np.column_stack(columns).tolist()


def _ages(table: pd.DataFrame) -> pd.DataFrame:
    return table[[column for column in KNOWN if column != "AGEP"]]


def left(row: dict[str, Any]) -> dict[str, float]:
    """Return the gain over the best baseline, which is the smallest gain."""
    return min(row["scores"]["gain over"].values(), key=lambda one: one["gain"])


def best_rival(row: dict[str, Any], rule: str) -> tuple[float, str]:
    """Return the balanced accuracy of the best rival by a rule of guessing, and its name."""
    return max((score, who) for who, score in row["rivals"][rule].items() if score is not None)


def printed(kind: str, run: dict[str, Any]) -> None:
    """Print one table for a release."""
    rows = run["results"].values()
    seconds, classes = sum(r["seconds"] for r in rows), max(r["classes"] for r in rows)
    print(
        f"\n{kind}: {run['rows']} rows, {classes} classes, loss {run['loss']:.0%}, "
        f"guessed in {seconds:.0f} s of one core"
    )
    print(f"{'':14}  ours without  2018   gain (interval)      >= 0.9   best rival")
    for row in rows:
        score, edge = row["scores"]["balanced accuracy"], left(row)
        theirs, who = best_rival(row, "raised")
        print(
            f"{row['attribute']:14}{score[GUESS]:6.3f}{score[WITHOUT]:8.3f}"
            f"{score.get(POPULATION, float('nan')):6.3f}  {edge['gain']:+.3f} "
            f"({edge['lower end']:+.3f} {edge['upper end']:+.3f}) {row['at 0.9']:6}   "
            f"{theirs:.3f} {who}"
        )


def judged(rows: list[dict[str, Any]]) -> None:
    """Print the numbers over all pairs of a release and an attribute."""
    for ours, theirs in (("raised", "likeliest"), ("raised", "raised"), ("likeliest", "likeliest")):
        ahead = np.array([row["ours"][ours] - best_rival(row, theirs)[0] for row in rows])
        print(
            f"{len(rows)} pairs, attack {ours}, rivals {theirs}: at most 2 points below the best "
            f"rival on {np.mean(ahead >= -0.02):.0%}, above it on {np.mean(ahead > 0):.0%}"
        )
    others = [max(s for who, s in row["accuracy"].items() if who != "ours") for row in rows]
    ahead = np.array([row["accuracy"]["ours"] for row in rows]) - np.array(others)
    print(
        f"accuracy, both likeliest: at most 2 points below on {np.mean(ahead >= -0.02):.0%}, "
        f"above on {np.mean(ahead > 0):.0%}"
    )
    edges = [left(row) for row in rows]
    zero = sum(edge["lower end"] <= 0 <= edge["upper end"] for edge in edges)
    mean = np.mean([edge["gain"] for edge in edges])
    print(
        f"the interval of the gain contains 0 on {zero} of {len(rows)} pairs; mean gain {mean:+.3f}"
    )
    bands = [b for row in rows for b in row["scores"]["calibration"] if b["from"] == 0.8]
    if people := sum(b["people"] for b in bands):
        chance = sum(b["mean chance"] * b["people"] for b in bands) / people
        low, high = wilson(sum(b["right"] for b in bands), people)
        print(
            f"{people} guesses of 0.8 to 0.9: {chance:.1%} expected, {low:.1%} to {high:.1%} right"
        )


def summary(picture: Path | None) -> None:
    """Print all stored results: normal runs, then those without ma2018, then permuted ones."""
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
        if alike and picture is not None and not kind:
            draw(sorted(alike.values(), key=lambda run: (run["algorithm"], run["k"])), picture)
        if alike:
            print()
            judged([row for run in alike.values() for row in run["results"].values()])


def draw(runs: list[dict[str, Any]], path: Path) -> None:
    """Draw the gain that each masked release allows, in points of balanced accuracy."""
    names = [name for name in GUESSED if any(name in run["results"] for run in runs)]
    gains = np.full((len(runs), len(names)), np.nan)
    marks = np.full(gains.shape, "", dtype=object)
    for y, run in enumerate(runs):
        for x, name in enumerate(names):
            if name in run["results"]:
                edge = left(run["results"][name])
                gains[y, x] = max(edge["gain"], 0)
                marks[y, x] = f"+{100 * edge['gain']:.0f}" if edge["lower end"] > 0 else "none"
    with drawing.figure(2.4 + 0.9 * len(names), 1.4 + 0.45 * len(runs), {}) as figure:
        axes = figure.subplots()
        axes.imshow(gains, cmap="YlOrRd", vmin=0, vmax=0.4, aspect="auto")
        for (y, x), mark in np.ndenumerate(marks):
            colour = "white" if gains[y, x] > 0.28 else "black"
            axes.text(x, y, mark, ha="center", va="center", color=colour)
        axes.set_xticks(range(len(names)), names)
        axes.set_yticks(range(len(runs)), [f"{run['algorithm']}, k = {run['k']}" for run in runs])
        axes.xaxis.tick_top()
        axes.tick_params(length=0)
        axes.spines[:].set_visible(False)
        axes.set_title("Points by which the release improves the guess about a person")
        figure.savefig(path, format="svg", metadata=drawing.METADATA["svg"])


@threadpool_limits.wrap(limits=1)  # one thread, as in attacks/learners.py
def main() -> None:
    """Read the arguments and run."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--data", type=Path)
    parser.add_argument("--algorithms", default=",".join(ALGORITHMS))
    parser.add_argument("--k", default=",".join(map(str, AT_K)))
    parser.add_argument("--attributes", default=",".join(GUESSED))
    parser.add_argument("--rows", type=int, help="use only this many first rows of both files")
    parser.add_argument(
        "--permuted", action="store_true", help="permute the released answers; without ma2018"
    )
    parser.add_argument("--no-population", action="store_true", help="guess without ma2018")
    parser.add_argument("--summary", action="store_true")
    parser.add_argument("--picture", type=Path, help="draw the gains of all results so far")
    wanted = parser.parse_args()
    wanted.no_population |= wanted.permuted  # ma2018 has the true relations between columns
    if not wanted.summary:
        if wanted.data is None:
            parser.error("name the folder of ma2019.csv and ma2018.csv with --data")
        files = (wanted.data / f"{name}.csv" for name in ("ma2019", "ma2018"))
        original, other = (read(path).head(wanted.rows or sys.maxsize) for path in files)
        RESULTS.mkdir(parents=True, exist_ok=True)
        for algorithm in wanted.algorithms.split(","):
            for k in map(int, wanted.k.split(",")):
                masked, trees, seconds = masked_by(original, algorithm, k)
                kind = "-permuted" if wanted.permuted else "-alone" * wanted.no_population
                path = RESULTS / f"{algorithm}-{k}{kind}.json"
                run = json.loads(path.read_text()) if path.exists() else {"results": {}}
                run |= {
                    "algorithm": algorithm, "k": k, "permuted": wanted.permuted,
                    "population": not wanted.no_population, "loss": masked.loss,
                    "rows": len(original),
                    "masking seconds": seconds,
                }  # fmt: skip
                for name in wanted.attributes.split(","):
                    run["results"][name] = attack(
                        masked, trees, original, other, name,
                        permuted=wanted.permuted, population=not wanted.no_population,
                    )  # fmt: skip
                    path.write_text(json.dumps(run, indent=1))
    summary(wanted.picture)


if __name__ == "__main__":
    main()
