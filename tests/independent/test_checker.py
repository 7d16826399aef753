"""The checker on cases whose answers are known: the papers' tables, and counts by hand.

A case is typed as text, one row a line. `denotes` says which ground values a label stands for;
every other value stands for itself. `*` is suppressed, an empty cell missing, `?label` unread.
"""

import ast
import csv
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from independent import checker
from independent.cases import KNOWN, MISSING, SUPPRESSED, UNREAD, Case, Cell, Row, Verdict

HERE = Path(__file__).parent
DATASETS = HERE.parents[1] / "datasets"
HALF, ALL = Fraction(1, 2), Fraction(1)
NONE = Fraction(0)


def cell(text: str, denotes: Mapping[str, str]) -> Cell:
    state = {"": MISSING, "*": SUPPRESSED}.get(text, UNREAD if text.startswith("?") else KNOWN)
    label = text.removeprefix("?")
    return Cell(label, frozenset(denotes.get(label, label).split()), state)


def table(text: str, columns: str, **denotes: str) -> list[Row]:
    lines = [line.split(",") for line in text.strip("\n").splitlines()]
    labels = {label.replace("_", "-"): values for label, values in denotes.items()}
    return [
        {c: cell(text.strip(), labels) for c, text in zip(columns.split(), line, strict=True)}
        for line in lines
    ]


def case(rows: list[Row], quasi: str, sensitive: str = "", **more: Any) -> Case:
    known = more.pop("known", quasi.split())
    return Case(quasi.split(), sensitive.split(), rows, known=known, **more)


def attack(given: Case, name: str, allowed: Fraction = NONE, **options: Any) -> Verdict:
    given.attacks, given.allowed, given.require = {name: options}, {name: allowed}, {}
    return checker.verdicts(given)[name]


def model(given: Case, name: str, limit: Any = None, **options: Any) -> Verdict:
    given.require, given.attacks = {name: ({} if limit is None else {"limit": limit}) | options}, {}
    return checker.verdicts(given)[name]


def level(given: Case, name: str, **options: Any) -> Any:
    found = model(given, name, Fraction(1), **options)
    assert found.low == found.high
    return found.low


def dataset(name: str, quasi: str, sensitive: str) -> Case:
    with (DATASETS / name).open(encoding="utf-8", newline="") as file:
        rows = [
            {c: cell(text.strip(), {}) for c, text in line.items()} for line in csv.DictReader(file)
        ]
    return case(rows, quasi, sensitive)


# --- the papers' tables -------------------------------------------------------------------------


def test_tv06_table_1_discloses_sam_and_eric_and_identifies_nobody() -> None:
    """TV06 section 2: two candidates for everybody, and both men of 20 have diabetes."""
    table_1 = dataset("TV06/table1.csv", "age zip-code sex", "illness")
    assert level(table_1, "k-anonymity") == 2
    assert level(table_1, "p-sensitive-k-anonymity") == 1
    assert attack(table_1, "homogeneity") == ("violated", Fraction(2, 6), Fraction(2, 6))
    table_2 = dataset("TV06/table2.csv", "age zip-code sex", "").rows
    tens = {"20": "29", "30": "34 38", "50": "51"}
    for row in table_1.rows:
        row["age"] = cell(row["age"].text, tens)
    table_1.people = table_2
    assert attack(table_1, "linkage") == ("violated", Fraction(2, 6), Fraction(2, 6))
    assert attack(table_1, "linkage", Fraction(1, 3)).outcome == "holds"


@pytest.mark.parametrize(("name", "p"), [("table3", 1), ("table3-variant", 2)])
def test_tv06_table_3_has_the_p_of_the_paper(name: str, p: int) -> None:
    table_3 = dataset(f"TV06/{name}.csv", "age zip-code sex", "illness income")
    assert level(table_3, "k-anonymity") == 3
    assert level(table_3, "p-sensitive-k-anonymity") == p
    assert model(table_3, "p-sensitive-k-anonymity", p, k=3).outcome == "holds"
    assert model(table_3, "p-sensitive-k-anonymity", p, k=4).outcome == "violated"


def test_z07_three_white_men_of_1968_have_heart_disease() -> None:
    """Table 2: a rule of confidence 1; Table 3 hides one of three, so two of three show it."""
    quasi = "date-of-birth race sex zip-code"
    assert level(dataset("Z07/table2.csv", quasi, "disease"), "rule-confidence", min_rows=1) == 1
    hidden = dataset("Z07/table3.csv", quasi, "disease")
    assert level(hidden, "rule-confidence", min_rows=1) == Fraction(2, 3)
    assert attack(hidden, "homogeneity") == ("inconclusive", NONE, Fraction(3, 12))


def test_gcg08_figure_2_is_cleared_by_two_values_and_falls_to_one_elimination() -> None:
    figure = dataset("GCG08/figure2.csv", "age", "disease-type treatment")
    assert level(figure, "multi-attribute-l-diversity") == 2
    assert level(figure, "l-diversity") == 3
    assert attack(figure, "elimination", values=0) == ("holds", NONE, NONE)
    assert attack(figure, "elimination", values=1) == ("violated", ALL, ALL)


# --- models by hand -----------------------------------------------------------------------------

SEVERITIES = table("x,low\nx,low\ny,mid\ny,high", "zip s")
AMOUNTS = table("x,10\nx,10\ny,20\ny,50", "zip s")


@pytest.mark.parametrize(
    ("rows", "order", "distance", "t"),
    [
        (SEVERITIES, ["low", "mid", "high"], "equal", HALF),
        (SEVERITIES, ["low", "mid", "high"], "ordered", Fraction(3, 8)),
        (AMOUNTS, None, "ordered", Fraction(3, 8)),
        (AMOUNTS, None, "numeric", Fraction(5, 16)),
        # T2-42: the row in no class is in no distribution and in no order. x: 1/3 - 0 of one step.
        (table("x,10\nx,10\ny,20\n*,50", "zip s"), None, "ordered", Fraction(2, 3)),
    ],
)
def test_t_closeness(rows: list[Row], order: Any, distance: str, t: Fraction) -> None:
    given = case(rows, "zip", "s", order={"s": order} if order else {})
    assert level(given, "t-closeness", distance=distance) == t


def test_the_overall_distribution_is_one_of_persons() -> None:
    """T2-43: A has flu in two classes, B has HIV in one: the whole is half flu, half HIV."""
    given = case(table("x,flu,A\ny,flu,A\ny,hiv,B", "q s p"), "q", "s", unit="p")
    assert level(given, "t-closeness", distance="equal") == HALF


def test_unknown_cells_and_persons_in_the_models() -> None:
    given = case(table("x,flu\nx,\nx,*\ny,flu\ny,gout\n*,hiv", "q s"), "q", "s")
    assert level(given, "k-anonymity") == 2  # the starred row is in no class
    assert level(given, "p-sensitive-k-anonymity") == 1
    # y; x shows flu for 1 of 3, and may have it for all.
    assert model(given, "alpha-k-anonymity", HALF, k=1) == ("inconclusive", HALF, 1)
    assert model(given, "alpha-k-anonymity", Fraction(1, 3), k=1).outcome == "violated"
    # As known t is 1 - 2/3; were both cells of x flu, it is 1 - 4/5 or, of y, 4/5 - 1/2.
    assert model(given, "t-closeness", HALF, distance="equal")[0] == "holds"
    assert level(given, "prosecutor-risk") == HALF
    ann = case(table("x,flu,ann\nx,gout,ann\nx,flu,bob", "q s p"), "q", "s", unit="p")
    assert level(ann, "k-anonymity") == 2
    assert level(ann, "l-diversity") == 2
    assert level(ann, "alpha-k-anonymity", k=1) == 1  # both have flu
    counted = case(table("x,flu,3\nx,gout,1\ny,flu,2", "q s n"), "q", "s", count="n")
    assert level(counted, "k-anonymity") == 2
    assert level(counted, "alpha-k-anonymity", k=1) == 1
    assert model(case(table("*,flu", "q s"), "q", "s"), "k-anonymity", 1).outcome == "inconclusive"


POPULATION = table("31,F\n33,F\n38,F\n39,F\n41,M\n42,M\n45,M\n45,M\n49,M", "age sex")
TENS = {"30s": "31 33 38 39", "40s": "41 42 45 49"}


def test_the_population_fits_four_and_five() -> None:
    rows = table("30s,F\n30s,F\n40s,M", "age sex", **TENS)
    given = case(rows, "age sex", population=list(POPULATION))
    assert level(given, "k-map") == 4
    assert level(given, "journalist-risk") == Fraction(1, 4)
    assert level(given, "marketer-risk") == Fraction(7, 30)
    given.population += table("30,", "age sex") + table("?1994-05-13,F", "age sex")
    found = model(given, "k-map", 5)  # the second of them may be a woman in her thirties
    assert found == ("inconclusive", 4, 5)
    given.rows[2]["age"] = cell("?forties", {})
    assert model(given, "k-map", 1) == ("inconclusive", 0, 5)


def test_a_cell_that_does_not_hold_its_original() -> None:
    rows = table("30s,flu\n40s,HIV\n30s,gout", "age s", **TENS)
    was = table("33,flu\n38,HIV\n31,gout", "age s")
    assert model(case(rows, "age", "s", pairs=list(was)), "valid-generalization") == (
        "violated",
        1,
        1,
    )
    was[1] = table("42,flu", "age s")[0]
    assert (
        model(case(rows, "age", "s", pairs=list(was)), "valid-generalization").outcome == "violated"
    )
    was[1] = table("?1980-01-01,HIV", "age s")[0]
    assert model(case(rows, "age", "s", pairs=list(was)), "valid-generalization") == (
        "inconclusive",
        0,
        1,
    )


# --- attacks by hand ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rows", "people", "expected"),
    [
        ("30,F,flu\n31,M,gout", "30,F\n31,M", ("violated", ALL, ALL)),  # T2-06 without its padding
        ("30,F,flu\n31,M,gout\n*,*,hiv", "30,F\n31,M", ("inconclusive", NONE, ALL)),  # T2-30
        ("30,F,flu\n31,M,gout\n,,hiv", "30,F\n31,M", ("inconclusive", NONE, ALL)),
        ("30,F,flu\n30,F,gout\n*,*,hiv", "30,F", ("holds", NONE, NONE)),  # two candidates anyway
        ("30,F,flu\n30,F,flu\n*,*,flu", "30,F", ("violated", ALL, ALL)),  # all agree anyway
        ("30,F,flu\n*,F,gout", "30,F", ("holds", NONE, NONE)),  # two women
        ("30,F,flu\n30,F,", "30,F", ("inconclusive", NONE, ALL)),
        ("30,F,\n30,F,", "30,F", ("holds", NONE, NONE)),  # nothing is known to anybody
        ("30,F,flu\n30,F,gout\n30,F,", "30,F", ("holds", NONE, NONE)),
        ("?young,F,flu\n40,F,gout", "30,F", ("inconclusive", NONE, ALL)),
        ("?young,F,flu\n30,F,gout\n30,F,hiv", "30,F", ("holds", NONE, NONE)),
        ("?young,M,flu\n30,F,gout", "30,F", ("violated", ALL, ALL)),  # no woman is unread
        ("?young,F,flu\n?young,F,gout", "30,F", ("holds", NONE, NONE)),  # both or none of them
        ("?young,F,flu\n?young,F,flu", "30,F", ("inconclusive", NONE, ALL)),
        ("30,F,flu\n31,F,gout", "?1994-05-13,F\n,M", ("inconclusive", NONE, HALF)),
        ("30,F,flu\n30,M,gout", ",F\n52,M", ("violated", HALF, HALF)),  # nobody knows her age
    ],
)
def test_linkage(rows: str, people: str, expected: tuple[str, Fraction, Fraction]) -> None:
    given = case(table(rows, "age sex s"), "age sex", "s", people=table(people, "age sex"))
    allowed = Fraction(1, 4)
    assert attack(given, "linkage", allowed) == expected


def test_linkage_of_persons_and_of_everybody_released() -> None:
    rows = table("30,flu,a\n30,gout,a\n30,flu,b", "age s p")
    given = case(rows, "age", "s", unit="p", people=table("30\n52", "age"))
    assert attack(given, "linkage") == ("violated", HALF, HALF)  # both have flu
    given.all_released = True
    assert attack(given, "linkage") == ("violated", HALF, ALL)
    # b's starred row shows gout and may not be Ann's; then only its flu is known of b, and a has it.
    starred = table("30,flu,a\n30,gout,a\n30,flu,b\n*,gout,b", "age s p")
    given = case(starred, "age", "s", unit="p", people=table("30", "age"))
    assert attack(given, "linkage") == ("violated", ALL, ALL)
    starred[2]["s"] = cell("hiv", {})  # with the starred row all have gout, without it nothing
    assert attack(given, "linkage") == ("inconclusive", NONE, ALL)
    starred[1]["s"], starred[2]["s"] = cell("flu", {}), cell("flu", {})
    starred.append(table("*,flu,c", "age s p")[0])  # whether c is a candidate or not, all have flu
    assert attack(given, "linkage") == ("violated", ALL, ALL)
    starred.append(table("*,hiv,c", "age s p")[0])  # c has both rows or none, so flu or nothing
    assert attack(given, "linkage") == ("violated", ALL, ALL)


def test_association_by_either_convention() -> None:
    """T2-41: the unknown row is in no rule, or it may be Ann: the confidence is 1 in both."""
    given = case(table("30s,flu\n,flu", "age s", **TENS), "age", "s", people=table("33", "age"))
    assert attack(given, "association") == ("violated", ALL, ALL)
    given.rows[1]["s"] = cell("gout", {})
    assert attack(given, "association") == ("inconclusive", NONE, ALL)
    given.whole_rules = True
    assert attack(given, "association") == ("violated", ALL, ALL)


def test_association_counts_a_person_of_several_labels_once() -> None:
    rows = table("30s,flu,a\n[30-34],hiv,a\n30s,flu,b", "age s p", **TENS)
    rows[1]["age"] = cell("[30-34]", {"[30-34]": "31 33"})
    given = case(rows, "age", "s", unit="p", people=table("33", "age"))
    assert attack(given, "association") == ("violated", ALL, ALL)


def test_homogeneity_similarity_and_elimination() -> None:
    likely = case(table("x,flu\nx,flu\ny,flu\ny,", "q s"), "q", "s")
    assert attack(likely, "homogeneity", HALF) == ("inconclusive", HALF, ALL)
    cancers = table("x,colon\nx,breast\ny,colon\ny,HIV\nz,HIV\nz,HIV", "q s")
    lifted = {"s": {"colon": "cancer", "breast": "cancer"}}
    assert attack(case(cancers, "q", "s", lifted=lifted), "similarity").low == Fraction(2, 6)
    three = case(table("x,a\nx,b\nx,", "q s"), "q", "s")
    assert attack(three, "elimination", values=1) == ("inconclusive", NONE, ALL)
    three.rows[2]["s"] = cell("c", {})
    assert attack(three, "elimination", values=1) == ("holds", NONE, NONE)
    assert attack(three, "elimination", values=2) == ("violated", ALL, ALL)


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("30s,flu,1\n30s,hiv,1", "30s,hiv,1\n30s,gout,1", (1, 1)),
        # Both values are in both releases, and only (flu, 1) is: together, not one by one.
        ("30s,flu,1\n30s,hiv,2", "30s,flu,1\n30s,hiv,1\n30s,gout,2", (1, 1)),
        ("30s,flu,1\n30s,hiv,2", "30s,flu,1\n30s,hiv,2", (0, 0)),
        ("30s,flu,1\n30s,,1", "30s,flu,1\n30s,hiv,1", (1, 1)),  # 1 is certain
        ("30s,flu,1\n30s,,2", "30s,flu,1\n30s,hiv,2", (0, 1)),
        ("30s,flu,1", "40s,flu,1", (0, 0)),
        # Nothing in common: column by column 1 is in both, and no illness.
        ("30s,flu,1\n30s,hiv,2", "30s,gout,1\n30s,gout,3", (1, 1)),
        ("30s,flu,1\n30s,hiv,2", "30s,gout,3", (0, 0)),
    ],
)
def test_composition(first: str, second: str, expected: tuple[int, int]) -> None:
    given = case(table(first, "age s t", **TENS), "age", "s t", people=table("33", "age"))
    given.second = table(second, "age s t", **TENS)
    found = attack(given, "composition")
    assert (found.low, found.high) == expected


def test_it_is_short_and_imports_nothing_of_anonaudit() -> None:
    assert len((HERE / "checker.py").read_text(encoding="utf-8").splitlines()) <= 300
    for name in ("checker.py", "cases.py", "generator.py", "troubles.py"):
        for node in ast.walk(ast.parse((HERE / name).read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [str(node.module)] if isinstance(node, ast.ImportFrom) else []
            assert not any(
                one.partition(".")[0] in ("anonaudit", "attacks", "oracle") for one in names
            )
