"""A release with the same or a better level, and another number that got worse.

Each pair of releases is audited, compared by `anonaudit diff`, and checked against a baseline of the
old one. All expected numbers are counted by hand from the rows.
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import anonaudit
from anonaudit.checking.baseline import read_baseline, to_json
from anonaudit.checking.check_policies import CheckStatus, check_policies
from anonaudit.details import Details, Fact, compared_facts
from anonaudit.plugins import MODELS, describe_model
from anonaudit.report import to_json as report_of
from anonaudit.report.comparison import compare_reports, facts_of

TREE = "z1;A;*\nz2;A;*\nz3;B;*\n"
# The class b has 10 rows, 5 numbers and 2 values.
B = "".join(f"b,{n},{s}\n" for n in range(1, 6) for s in "xy")
# The class a has 4 rows, then 2. They are too few for k = 5. Half of them have x, half y.
FOUR = "q,n,s\n" + "a,1,x\na,3,y\n" * 2 + B
TWO = "q,n,s\n" + "a,1,x\na,3,y\n" + B
QS = "columns = { quasi-identifiers = ['q'], sensitive = ['s'] }\n"
QGS = "columns = { quasi-identifiers = ['q', 'g'], sensitive = ['s'] }\n"
QG = "columns.quasi-identifiers = ['q', 'g']\n"
KEYED = (
    "original = { file = 'original.csv', key = 'id' }\n"
    "columns = { quasi-identifiers = ['q', 'g'], sensitive = ['s'], identifiers = ['id'] }\n"
)
KINDS = {
    "p-sensitive": (
        QS + "require.p-sensitive-k-anonymity = { p = 2, k = 5 }",
        FOUR,
        TWO,
        ["k 4 -> 2"],
    ),
    "extended p-sensitive": (
        QS + "hierarchies.s = { file = 's.csv', protected = ['x', 'y'] }\n"
        "require.extended-p-sensitive-k-anonymity = { p = 2, k = 5 }",
        FOUR,
        TWO,
        ["k 4 -> 2"],
    ),
    "alpha-k": (
        QS + "require.alpha-k-anonymity = { alpha = 0.5, k = 5 }",
        FOUR,
        TWO,
        ["k 4 -> 2"],
    ),
    # 3 rows with the numbers 1, 2 and 3, then 2 rows with 1 and 3: the range is 2.
    "k-e": (
        (
            "columns = { quasi-identifiers = ['q'], sensitive = ['n'] }\n"
            "require.k-e-anonymity = { k = 4, e = 1 }"
        ),
        "q,n,s\na,1,x\na,2,x\na,3,x\n" + B,
        "q,n,s\na,1,x\na,3,x\n" + B,
        ["k 3 -> 2"],
    ),
    "k within boundaries": (
        QS + "hierarchies.q = { file = 'q.csv', max-generalization = ['*'] }\n"
        "require.constrained-p-sensitive-k-anonymity = { p = 2, k = 5 }",
        FOUR,
        TWO,
        ["k 4 -> 2"],
    ),
    # All 11 rows fall short of k = 12, before and after. The root lies beyond the boundaries.
    "cells beyond a boundary": (
        (
            "columns.quasi-identifiers = ['z', 'g']\n"
            "hierarchies.z = { file = 'z.csv', max-generalization = ['A', 'B'] }\n"
            "require.constrained-k-anonymity = { k = 12 }"
        ),
        "z,g\n*,1\n" + "A,1\n" * 10,
        "z,g\nA,1\n" + "*,1\n" * 10,
        ["constraint violations (z) 9.09% -> 90.9%"],
    ),
    # The cells of q of both persons are wrong. One illness was changed, then both.
    "changed sensitive cells": (
        KEYED + "require.valid-generalization = true",
        "id,q,g,s\n1,b,1,y\n2,b,1,x\n3,a,1,x\n",
        "id,q,g,s\n1,b,1,y\n2,b,1,y\n3,a,1,x\n",
        ["sensitive cells changed (s) 33.3% -> 66.7%"],
    ),
    "rows without an original": (
        KEYED + "require.valid-generalization = true",
        "id,q,g,s\n1,b,1,x\n2,b,1,x\n3,a,1,x\n",
        "id,q,g,s\n1,b,1,x\n2,a,1,x\n9,a,1,x\n",
        ["rows invented 0% -> 33.3%"],
    ),
    # (a, 1) => x is certain; then also a => x and 1 => x.
    "rules": (
        QGS + "require.rule-confidence = { below = 1.0 }",
        "q,g,s\na,1,x\na,1,x\na,2,x\na,2,y\nb,1,x\nb,1,y\n",
        "q,g,s\na,1,x\na,1,x\nb,2,x\nb,2,y\nb,2,x\nb,2,y\n",
        ["rules at or above 1 -> 3"],
    ),
    # Two columns single everybody out; then one column does.
    "fewer columns": (
        QG + "require.all-m-anonymity = { k = 2, m = 2 }",
        "q,g\na,1\na,2\nb,1\nb,2\n",
        "q,g\na,1\nb,2\nc,3\nd,4\n",
        ["smallest class by number of columns (1) 2 -> 1"],
    ),
    # With x and y in the class, one implication makes a value certain. With x and x, none is needed.
    "fewer implications": (
        QS + "require.ck-safety = { c = 0.5, k = 1 }",
        "q,s\na,x\na,y\n",
        "q,s\na,x\na,x\n",
        ["highest chance by implications known (0) 0.5 -> 1"],
    ),
    # Two of four incomes are in their intervals; then one, and another one is no number.
    "undecided values": (
        (
            "original = { file = 'original.csv', key = 'id' }\n"
            "columns = { quasi-identifiers = ['q', 'pay'], identifiers = ['id'] }\n"
            "values.reading = { pay = 'perturbed' }\n"
            "require.interval-disclosure = { most = 0.1 }"
        ),
        "id,q,pay\n1,a,10\n2,a,20\n3,a,90\n4,a,70\n",
        "id,q,pay\n1,a,10\n2,a,some\n3,a,90\n4,a,70\n",
        ["values undecided (pay) 0% -> 25%"],
    ),
    # At most no illness may be deleted, so jobs decide the level, which stays 1.
    "values of a limited column": (
        (
            "columns = { quasi-identifiers = ['q'], sensitive = ['s', 'job'] }\n"
            "require.multi-attribute-l-diversity = { l = 2, at-most = { s = 0 } }"
        ),
        "q,s,job\na,x,i\na,y,i\n",
        "q,s,job\na,x,i\na,x,i\n",
        ["fewest values where limited (s) 2 -> 1"],
    ),
}


class Releases:
    """A folder with a policy, its original and hierarchies, and one release after another."""

    def __init__(self, folder: Path, rules: str) -> None:
        self.folder, self.policy = folder, folder / "p.anonaudit.toml"
        self.policy.write_text(f"release.file = 'r.csv'\n{rules}\n")
        original = "id,q,g,s,pay\n" + "".join(f"{n},a,1,x,{n}0\n" for n in range(1, 5))
        (folder / "original.csv").write_text(original)
        (folder / "q.csv").write_text("a;*\nb;*\n")
        (folder / "s.csv").write_text("x;*\ny;*\n")
        (folder / "z.csv").write_text(TREE)

    def report(self, rows: str):
        """The report on a release in JSON."""
        (self.folder / "r.csv").write_text(rows)
        return json.loads(report_of(anonaudit.audit(self.folder / "r.csv", self.policy)))

    def known(self, rows: str) -> Path:
        """Write a baseline of a release."""
        (self.folder / "r.csv").write_text(rows)
        file = self.folder / "known.json"
        file.write_text(to_json(check_policies([self.policy], folder=self.folder).violated))
        return file

    def checked(self, rows: str, baseline: Path):
        """The finding on the only requirement."""
        (self.folder / "r.csv").write_text(rows)
        found = check_policies([self.policy], baseline=read_baseline(baseline)).findings
        (finding,) = (one for one in found if one.rule != "release")
        return finding


@pytest.mark.parametrize("kind", KINDS)
def test_a_second_number_that_got_worse(tmp_path: Path, kind: str) -> None:
    rules, before, after, said = KINDS[kind]
    releases = Releases(tmp_path, rules)
    old, new = releases.report(before), releases.report(after)
    assert old["models"][0]["outcome"] == new["models"][0]["outcome"] == "violated"
    change = next(c for c in compare_reports(old, new) if c.kind == "model")
    assert change.verdict == "worse"
    assert set(said) <= {*change.said}
    baseline = releases.known(before)
    assert releases.checked(before, baseline).status is CheckStatus.KNOWN
    finding = releases.checked(after, baseline)
    assert finding.status is CheckStatus.VIOLATED
    assert set(said) <= {*finding.worse}
    first = ("level", "rows that fall short", "number of rows that fall short")
    assert not any(one.startswith(first) for one in finding.worse)


def test_more_undecided_classes_are_worse(tmp_path: Path) -> None:
    """The share of x in c is 1/3, then up to 2/3. In a it is 1, before and after."""
    releases = Releases(tmp_path, QS + "require.alpha-k-anonymity = { alpha = 0.5 }")
    before, after = (f"q,s\na,x\na,x\nc,x\nc,y\n{row}" for row in ("c,z\n", "c,\n"))
    change = next(
        c
        for c in compare_reports(releases.report(before), releases.report(after))
        if c.kind == "model"
    )
    assert change.said == ("undecided classes 0% -> 50%",)
    finding = releases.checked(after, releases.known(before))
    assert finding.worse == (*change.said, "number of undecided classes 0 -> 1")


def test_no_number_of_an_earlier_baseline_passes_unseen(tmp_path: Path) -> None:
    """Earlier versions kept no k of p-sensitivity, and no constraint violations."""
    rules, before, _, _ = KINDS["p-sensitive"]
    releases = Releases(tmp_path, rules)
    baseline = releases.known(before)
    without_details(baseline)
    finding = releases.checked(before, baseline)
    assert finding.status is CheckStatus.VIOLATED
    assert finding.worse == ("k may be, because the baseline lacks it; write the baseline again",)
    assert releases.checked(before, releases.known(before)).status is CheckStatus.KNOWN


def test_a_count_of_0_needs_no_number_of_an_earlier_baseline(tmp_path: Path) -> None:
    """No release has fewer than 0 cells beyond their boundaries."""
    rules = KINDS["cells beyond a boundary"][0]
    releases = Releases(tmp_path, rules)
    baseline = releases.known("z,g\nA,1\n")
    without_details(baseline)
    assert releases.checked("z,g\nA,1\n", baseline).status is CheckStatus.KNOWN
    (worse,) = releases.checked("z,g\n*,1\n", baseline).worse
    assert worse == (
        "constraint violations may be, because the baseline lacks it; write the baseline again"
    )


def without_details(baseline: Path) -> None:
    """Make the baseline one of an earlier version."""
    written = json.loads(baseline.read_text())
    (policy,) = written["policies"].values()
    (release,) = policy["releases"].values()
    (numbers,) = release["violated"].values()
    del numbers["details"]
    baseline.write_text(json.dumps(written))


def test_an_undecided_number_may_become_known(tmp_path: Path) -> None:
    """An audit in parts has no number of rules, so there is nothing to compare."""
    rules, before, after, _ = KINDS["rules"]
    releases = Releases(tmp_path, rules)
    baseline = releases.known(before)
    text = baseline.read_text()
    assert '"rules at or above": 1' in text
    baseline.write_text(text.replace('"rules at or above": 1', '"rules at or above": null'))
    assert releases.checked(after, baseline).status is CheckStatus.KNOWN


DECLARED = [(name, fact) for name in sorted(MODELS) for fact in facts_of({"name": name})]


@pytest.mark.parametrize(("name", "fact"), DECLARED, ids=lambda one: getattr(one, "label", one))
def test_each_declared_number_is_compared(name: str, fact: Fact) -> None:
    """2, then 1, of 10 rows or persons."""
    less, more = (with_number(name, fact.label, number) for number in (1, 2))
    lost = with_number(name, fact.label, None)
    old, new = (more, less) if fact.safer == "higher" else (less, more)
    assert verdict(old, new) == "worse"
    assert verdict(new, old) == "better"
    assert verdict(old, lost) == "worse"
    assert verdict(lost, old) == verdict(old, old) == "same"


def test_numbers_at_another_limit_are_not_compared() -> None:
    old, new = (with_number("rule-confidence", "rules at or above", n) for n in (1, 2))
    old["models"][0].update(parameters={"below": 0.5}, required=0.5)
    new["models"][0].update(parameters={"below": 0.4}, required=0.4)
    assert verdict(old, new) == "same"


def with_number(name: str, label: str, number: int | None) -> dict:
    """The parts of a report that are compared, with one model and one number in its details."""
    model = {
        "name": name, "parameters": {}, "measured": 1, "required": None, "safer": "higher",
        "rows_violating": None, "outcome": "measured", "per_attribute": {}, "notes": [],
        "details": {} if number is None else {label: number},
    }  # fmt: skip
    release = {"rows": 10, "persons": 10, "classes": 5}
    return {
        "outcome": "measured", "models": [model], "attacks": [], "warnings": [],
        "release": release,
    }  # fmt: skip


def verdict(old: dict, new: dict) -> str:
    return next(c.verdict for c in compare_reports(old, new) if c.kind == "model")


def test_every_fact_that_says_what_is_safer_is_declared_by_a_model() -> None:
    """A model that forgets its `Details` class would have numbers that nobody compares."""
    declared = {fact.label for _, fact in DECLARED}
    assert {fact.label for fact in compared_facts(every(Details))} == declared
    for name, model in MODELS.items():
        constrained = "inner" in vars(model)  # its facts are those of the inner model
        if not constrained:
            module = {*map(id, vars(sys.modules[model.__module__]).values())}
            used = {kind for kind in every(Details) if id(kind) in module}
            assert {one for one in used if compared_facts([one])} <= {*describe_model(name).facts}


def every(kind: type) -> Iterator[type]:
    for child in kind.__subclasses__():
        if child.__module__.partition(".")[0] == "anonaudit":
            yield child
            yield from every(child)
