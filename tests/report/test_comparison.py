"""Whether a release got worse: each way to get worse by hand, and that nothing else is one."""

import copy
import json

import pytest
from hypothesis import given
from report.arbitrary import audit_reports
from report.shared_reports import PLAIN_REPORTS

import anonaudit
from anonaudit.checking.baseline import Violation
from anonaudit.errors import InputError
from anonaudit.findings import NO_LIMIT, NOT_BROUGHT_DOWN
from anonaudit.report import to_json
from anonaudit.report.comparison import (
    compare_reports,
    differences,
    read_report,
    to_text,
    worsened,
)
from anonaudit.report.comparison import to_json as written


def of(report):
    """The report as it is read back."""
    return json.loads(to_json(report))


@pytest.fixture
def old():
    return of(PLAIN_REPORTS["violated"])


@pytest.fixture
def new(old):
    return copy.deepcopy(old)


def verdicts(old, new):
    """What changed, by name."""
    return {c.name: (c.verdict, *c.said) for c in compare_reports(old, new) if c.verdict != "same"}


def test_nothing_changed(case):
    found = of(case[1])
    assert verdicts(found, found) == {}
    assert differences(found, found) == []


def test_a_lower_k_is_worse_and_a_higher_one_better(old, new):
    new["models"][0]["measured"] = 3
    assert verdicts(old, new) == {"k-anonymity": ("better", "level 1 -> 3")}
    assert verdicts(new, old) == {"k-anonymity": ("worse", "level 3 -> 1")}


def test_a_higher_t_is_worse(old, new):
    new["models"][2]["measured"] = 0.9955
    assert verdicts(old, new) == {"t-closeness (equal)": ("worse", "level 0.9954 -> 0.9955")}


def test_one_attribute_that_got_worse_is_told(old, new):
    new["models"][2]["per_attribute"]["income"]["measured"] = 0.9
    assert verdicts(old, new)["t-closeness (equal)"][0] == "worse"
    del new["models"][2]["per_attribute"]["income"]
    assert verdicts(old, new)["t-closeness (equal)"] == (
        "worse",
        "level of income 0.7592 -> not measured",
    )
    old["models"][2]["per_attribute"]["income"]["measured"] = None
    assert "level of income undecided -> not measured" in verdicts(old, new)["t-closeness (equal)"]


def test_more_rows_that_fall_short_of_the_same_level_is_worse(old, new):
    new["models"][0]["rows_violating"] = 3256  # of 32561 rows; 424 were 1.3%
    said = "rows that fall short 1.3% -> 10%"
    assert verdicts(old, new) == {"k-anonymity": ("worse", said)}
    new["models"][0]["required"] = 10  # another question, so no answer
    new["models"][0]["parameters"]["k"] = 10
    assert verdicts(old, new) == {}


def test_histories_of_persons_are_compared_where_both_reports_have_them(old, new):
    """64 of 640 persons, then 128 of 640; a report of rows has no histories."""
    for report, k, alone in ((old, 3, 64), (new, 1, 128)):
        report["release"]["persons"] = 640
        report["models"][0]["details"] = {
            "k by whole histories": k,
            "persons alone by history": alone,
        }
    said = ("k by whole histories 3 -> 1", "persons alone by history 10% -> 20%")
    assert verdicts(old, new) == {"k-anonymity": ("worse", *said)}
    assert verdicts(new, old)["k-anonymity"][0] == "better"
    read_report("new.json", json.dumps(new))
    old["models"][0]["details"] = {}
    assert verdicts(old, new) == {}
    lost = (
        "k by whole histories 1 -> not measured",
        "persons alone by history 128 -> not measured",
    )
    assert verdicts(new, old) == {"k-anonymity": ("worse", *lost)}


@pytest.mark.parametrize(
    ("alone", "k", "persons"),
    [("x", 1, 640), (64, "x", 640), (-1, 1, 640), (641, 1, 640), (64, 1, None)],
)
def test_histories_that_no_audit_writes_are_refused(new, alone, k, persons):
    new["release"]["persons"] = persons
    new["models"][0]["details"] = {"k by whole histories": k, "persons alone by history": alone}
    with pytest.raises(InputError, match=r"\$\.models\[0\]\.details"):
        read_report("new.json", json.dumps(new))


def test_shares_are_compared_not_counts(old, new):
    """Twice the rows, twice the disclosures: the same."""
    new["release"]["rows"] *= 2
    new["models"][0]["rows_violating"] *= 2
    new["models"][1]["rows_violating"] *= 2
    for what in ("targets", "disclosed"):
        new["attacks"][0][what] *= 2
    assert verdicts(old, new) == {}


def test_a_higher_rate_is_worse(old, new):
    new["attacks"][0].update(disclosed=3121, rate=3121 / 32561)
    name, (verdict, *said) = verdicts(old, new).popitem()
    assert (name, verdict) == ("homogeneity", "worse")
    assert said == ["rate 9.58% -> 9.59%", "disclosed 9.58% -> 9.59%"]


def test_the_same_rate_with_more_identified_is_worse(old, new):
    new["attacks"][0]["identified"] = 100
    assert verdicts(old, new) == {"homogeneity": ("worse", "identified 0% -> 0.307%")}


def test_what_is_undecided_or_gone_is_worse(old, new):
    new["models"][0]["measured"] = None
    new["attacks"][0]["rate"] = None
    del new["models"][2]
    assert verdicts(old, new) == {
        "k-anonymity": ("worse", "level 1 -> undecided"),
        "homogeneity": ("worse", "rate 9.58% -> undecided"),
        "t-closeness (equal)": ("worse", "is no longer in the report"),
    }
    # The other way round nothing is known to have got worse.
    assert {v[0] for v in verdicts(new, old).values()} == {"better", "new"}


KNOWN = {"measured": 2, "notes": []}
INFINITE = {"measured": None, "notes": ["no finite level: for any reason"]}
UNKNOWN = {"measured": None, "notes": ["no data: for any reason"]}


@pytest.mark.parametrize(
    ("safer", "before", "after", "verdict", "said"),
    [
        ("higher", KNOWN, INFINITE, "better", "2 -> infinite"),
        ("higher", INFINITE, KNOWN, "worse", "infinite -> 2"),
        ("lower", KNOWN, INFINITE, "worse", "2 -> infinite"),
        ("lower", INFINITE, KNOWN, "better", "infinite -> 2"),
        ("higher", INFINITE, UNKNOWN, "worse", "infinite -> undecided"),
        ("higher", UNKNOWN, INFINITE, "better", "undecided -> infinite"),
        ("lower", INFINITE, UNKNOWN, "worse", "infinite -> undecided"),
        ("lower", UNKNOWN, INFINITE, "worse", "undecided -> infinite"),  # nothing is less safe
        ("higher", INFINITE, INFINITE, "same", None),
        ("lower", UNKNOWN, UNKNOWN, "same", None),
    ],
)
def test_an_infinite_level_is_the_safest_or_the_least_safe(
    old, new, safer, before, after, verdict, said
):
    """The same for the release, for an attribute, and for the baseline of a check."""
    for report, level in ((old, before), (new, after)):
        model = report["models"][2]
        model.update(level, safer=safer)
        model["per_attribute"]["income"]["measured"] = level["measured"]
        report["models"] = [model]
    (change,) = (c for c in compare_reports(old, new) if c.kind == "model")
    names = ("level", "level of income")
    assert change.verdict == verdict
    assert change.said == (() if said is None else tuple(f"{name} {said}" for name in names))
    worse = worsened(old["models"][0], new["models"][0], (100, 100))
    assert worse == (list(change.said) if verdict == "worse" else [])


def _by_attribute(level, notes, safer):
    """A model, as a baseline keeps it, of 2 classes without a known value of b."""
    reached = {"measured": level, "rows_violating": 1, "classes_without_known_value": 2}
    if level is not None:
        reached["classes_without_known_value"] = 0
    return {
        "name": "m", "parameters": {}, "measured": None if notes else 3, "required": 5,
        "safer": safer, "rows_violating": 1, "notes": notes, "per_attribute": {"b": reached},
        "classes": 2,
    }  # fmt: skip


def test_an_attribute_without_a_known_value_has_no_infinite_level_in_a_baseline():
    """b has no value before and after; then b had level 3, and has no value now."""
    lower, higher = [NO_LIMIT], [NOT_BROUGHT_DOWN]
    old, new = _by_attribute(None, [], "lower"), _by_attribute(None, lower, "lower")
    assert worsened(old, new, (9, 9)) == ["level 3 -> infinite"]
    old, new = _by_attribute(3, [], "higher"), _by_attribute(None, higher, "higher")
    assert worsened(old, new, (9, 9)) == ["level of b 3 -> undecided"]


def test_a_baseline_keeps_the_number_of_classes(tmp_path):
    (tmp_path / "r.csv").write_text("q,s\n1,x\n2,y\n")
    (tmp_path / "p.toml").write_text(
        'columns.quasi-identifiers = ["q"]\nrequire.k-anonymity = { k = 2 }\n'
    )
    broken = Violation.of(anonaudit.audit(tmp_path / "r.csv", tmp_path / "p.toml"))
    assert broken is not None
    assert broken.numbers["classes"] == 2


def test_l_diversity_that_limits_made_infinite_may_get_worse(tmp_path):
    """At most one illness and one job may be deleted (GCG08 Definition 7).

    That never deletes the rows (a, x), (b, y), (c, z). It deletes (a, x), (b, y) by a and y.
    """
    (tmp_path / "p.toml").write_text(
        "columns.quasi-identifiers = ['age']\ncolumns.sensitive = ['ill', 'job']\n"
        "[require]\nmulti-attribute-l-diversity = { l = 2, at-most = { ill = 1, job = 1 } }\n"
    )
    reports = []
    for rows in ("1,a,x\n1,b,y\n1,c,z\n", "1,a,x\n1,b,y\n"):
        (tmp_path / "r.csv").write_text("age,ill,job\n" + rows)
        report = to_json(anonaudit.audit(tmp_path / "r.csv", tmp_path / "p.toml"))
        reports.append(read_report("r.json", report))
    name = "multi-attribute-l-diversity"
    assert verdicts(*reports)[name][:2] == ("worse", "level infinite -> 2")
    assert verdicts(*reversed(reports))[name][:2] == ("better", "level 2 -> infinite")


def test_a_new_model_with_an_infinite_level(old, new):
    old["models"] = []
    new["models"][2].update(INFINITE)
    assert verdicts(old, new)["t-closeness (equal)"] == ("new", "level infinite")


def test_an_infinite_level_of_an_attribute_is_called_infinite(old, new):
    """An attribute without a known value in any class is undecided all the same."""
    column, reached = next(iter(new["models"][2]["per_attribute"].items()))
    new["models"][2].update(measured=None, notes=["no finite level: a class has one value"])
    reached["measured"] = None
    _, *said = verdicts(old, new)["t-closeness (equal)"]
    assert f"level of {column}" in said[1]
    assert said[1].endswith(" -> infinite")
    reached["classes_without_known_value"] = new["release"]["classes"]
    _, *said = verdicts(old, new)["t-closeness (equal)"]
    assert f"level of {column}" in said[1]
    assert said[1].endswith(" -> undecided")


def test_an_identifier_in_the_release_is_worse():
    safe, bad = of(PLAIN_REPORTS["holds"]), of(PLAIN_REPORTS["identifiers"])
    assert verdicts(safe, bad) == {
        "release": ("worse", "holds -> violated"),
        "name": ("worse", "is in the release now"),
        "ssn": ("worse", "is in the release now"),
    }
    assert {v[0] for v in verdicts(bad, safe).values()} == {"better"}
    assert differences(safe, bad) == ["the roles of the columns differ"]


@pytest.mark.parametrize(
    ("before", "after", "verdict"),
    [
        ("holds", "inconclusive", "worse"),
        ("inconclusive", "violated", "worse"),
        ("measured", "violated", "worse"),
        ("violated", "inconclusive", "better"),
    ],
)
def test_outcomes(old, new, before, after, verdict):
    old["outcome"], new["outcome"] = before, after
    assert verdicts(old, new) == {"release": (verdict, f"{before} -> {after}")}
    old["outcome"], new["outcome"] = "holds", "measured"
    assert verdicts(old, new) == {}


@pytest.mark.parametrize(
    ("before", "after", "verdict"),
    [
        ("holds", "inconclusive", "worse"),
        ("holds", "violated", "worse"),
        ("inconclusive", "violated", "worse"),
        ("measured", "inconclusive", "worse"),
        ("holds", "skipped", "worse"),
        ("skipped", "violated", "worse"),
        ("skipped", "holds", "better"),
        ("violated", "holds", "better"),
        ("inconclusive", "skipped", None),
    ],
)
@pytest.mark.parametrize("part", ["models", "attacks"])
def test_outcomes_of_the_same_requirement(old, new, part, before, after, verdict):
    """All numbers are equal. With another requirement, the outcomes answer two questions."""
    for report, outcome in ((old, before), (new, after)):
        report[part][0]["outcome"] = outcome
    name = old[part][0]["name"]
    said = {name: (verdict, f"outcome {before} -> {after}")} if verdict else {}
    assert verdicts(old, new) == said
    asked = "required" if part == "models" else "allowed"
    new[part][0][asked] = old[part][0][asked] / 2
    assert verdicts(old, new) == {}


def outcomes(folder, rules, *releases):
    """The reports on releases, and the outcomes of their only model."""
    (folder / "h.csv").write_text("a1;A;*\na2;A;*\nb1;B;*\nb2;B;*\n")
    (folder / "p.toml").write_text(rules)
    reports = []
    for rows in releases:
        (folder / "r.csv").write_text(rows)
        report = to_json(anonaudit.audit(folder / "r.csv", folder / "p.toml"))
        reports.append(read_report("r.json", report))
    return reports, [report["models"][0]["outcome"] for report in reports]


def test_a_model_that_no_longer_holds_is_worse(tmp_path):
    """An empty cell may be b1 or b2, whose boundary is the root, or a1, whose boundary is A."""
    reports, found = outcomes(
        tmp_path,
        "columns.quasi-identifiers = ['z', 'g']\n"
        "hierarchies.z = { file = 'h.csv', max-generalization = ['A'] }\n"
        "require.constrained-k-anonymity = { k = 2 }\nconventions.inconclusive = 'allow'\n",
        "z,g\nA,1\nA,1\nB,1\nB,1\n",
        "z,g\nA,1\nA,1\n,1\n,1\n",
    )
    assert [report["outcome"] for report in reports] == ["holds", "holds"]
    assert found == ["holds", "inconclusive"]
    worse = verdicts(*reports)["constrained-k-anonymity"]
    assert worse[:2] == ("worse", "outcome holds -> inconclusive")


def test_a_model_that_a_row_in_no_class_violates_is_worse(tmp_path):
    """The root lies beyond the boundary a1. Its row is dropped, but violates the model."""
    (tmp_path / "o.csv").write_text("id,z,g\n1,a1,1\n2,a1,1\n3,a1,1\n")
    reports, found = outcomes(
        tmp_path,
        "columns = { quasi-identifiers = ['z', 'g'], identifiers = ['id'] }\n"
        "hierarchies.z = { file = 'h.csv', max-generalization = ['a1'] }\n"
        "original = { file = 'o.csv', key = 'id' }\n"
        "require.constrained-k-anonymity = { k = 2 }\n"
        "conventions.quasi-identifiers = 'drop-rows'\n",
        "id,z,g\n1,a1,1\n2,a1,1\n",
        "id,z,g\n1,a1,1\n2,a1,1\n3,*,1\n",
    )
    assert found == ["holds", "violated"]
    worse = verdicts(*reports)["constrained-k-anonymity"]
    assert worse[:2] == ("worse", "outcome holds -> violated")


def test_findings_are_paired_by_name_and_parameters(old, new):
    """Two t-closeness with two distances, in another order, and another threshold."""
    ordered = copy.deepcopy(new["models"][2])
    ordered["parameters"] = {"distance": "ordered", "t": 0.3}
    ordered["required"], ordered["measured"] = 0.3, 0.25
    old["models"].append(copy.deepcopy(ordered))
    ordered["parameters"]["t"] = ordered["required"] = 0.2
    new["models"].insert(0, ordered)
    assert verdicts(old, new) == {}
    ordered["measured"] = 0.35
    assert verdicts(old, new) == {"t-closeness (ordered)": ("worse", "level 0.25 -> 0.35")}


def test_rounding_is_no_change(old, new):
    new["models"][2]["measured"] = old["models"][2]["measured"] * (1 + 1e-12)
    assert verdicts(old, new) == {}


def test_what_else_differs(old, new):
    new["provenance"].update(policy_sha256="ff", version="9")
    new["release"]["convention"]["sensitive"] = "one-value"
    assert len(differences(old, new)) == 3


def test_text_and_json(old, new):
    new["models"][0]["measured"] = 3
    new["attacks"][0].update(disclosed=3256, rate=3256 / 32561)
    changes = compare_reports(old, new)
    assert to_text(changes, ["the policies differ"]) == (
        "WORSE: 1 of 5 got worse\n\nWorse\n-----\n"
        "  - attack homogeneity: rate 9.58% -> 10%; disclosed 9.58% -> 10%\n"
        "\nBetter\n------\n  - model k-anonymity: level 1 -> 3\n"
        "\nSame\n----\n  release, p-sensitive-k-anonymity, t-closeness (equal)\n"
        "\nNotes\n-----\n  - the policies differ\n"
    )
    found = json.loads(written(changes, []))
    assert found["worse"] is True
    assert [change["verdict"] for change in found["changes"]] == [
        "same", "better", "same", "same", "worse",
    ]  # fmt: skip


def test_what_got_better_beside_what_got_worse_is_told_after_it(old, new):
    """The JSON has the same phrases, the worse ones first."""
    model = new["models"][2]
    model["measured"] = 0.5
    del model["per_attribute"]["income"]
    changes = compare_reports(old, new)
    assert (
        "  - model t-closeness (equal): level of income 0.7592 -> not measured; better: level\n"
        "    0.9954 -> 0.5\n"
    ) in to_text(changes, [])
    assert json.loads(written(changes, []))["changes"][3]["said"] == [
        "level of income 0.7592 -> not measured",
        "level 0.9954 -> 0.5",
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "is not JSON"),
        ("{", "is not JSON"),
        ("[" * 100_000, "is not JSON"),
        ('{"schema_version": NaN}', "is not JSON"),
        ("[]", "is JSON, but no report"),
        ("{}", "is JSON, but no report"),
        ('{"schema_version": "2"}', "report of version '2', expected '1'"),
        ('{"schema_version": "1"}', "damaged report"),
        ('{"schema_version": "1", "outcome": "fine"}', "damaged report"),
    ],
)
def test_what_is_no_report_is_refused(text, said):
    with pytest.raises(InputError, match=said):
        read_report("old.json", text)


@pytest.mark.parametrize("where", ["outcome", "warnings", "models", "attacks", "columns"])
def test_a_damaged_report_is_refused(old, where):
    for broken in (None, 3, "x", [3], [{}], [{"name": "k-anonymity"}]):
        with pytest.raises(InputError, match="damaged"):
            read_report("old.json", json.dumps({**old, where: broken}))


def places(value, path=()):
    """Every place in a report."""
    yield path
    if isinstance(value, (dict, list)):
        for key, part in value.items() if isinstance(value, dict) else enumerate(value):
            yield from places(part, (*path, key))


def changed(report, path, value):
    """The report with something else in a place; without it, if the value is `gone`."""
    report = copy.deepcopy(report)
    inside = report
    for key in path[:-1]:
        inside = inside[key]
    if value is gone:
        del inside[path[-1]]
    else:
        inside[path[-1]] = value
    return report


gone = "gone"
HUGE = int("9" * 400)  # no float is as large


@pytest.mark.parametrize(
    "value", [gone, None, True, HUGE, -1, [], {}, "x"], ids=lambda v: str(v)[:8]
)
@pytest.mark.parametrize("kind", ["violated", pytest.param("holds", marks=pytest.mark.long)])
def test_whatever_is_damaged_is_refused_or_compared(kind, value):
    """Each place of a report in turn."""
    good = of(PLAIN_REPORTS[kind])
    for path in list(places(good))[1:]:
        report = changed(good, path, value)
        try:
            found = read_report("x", json.dumps(report))
        except InputError:
            continue
        assert isinstance(compare_reports(good, found), list)
        assert isinstance(compare_reports(found, good), list)
        assert isinstance(differences(good, found), list)


@pytest.mark.parametrize("outside", ["1e999", "-1e999", "9" * 400, "true", '"3"', "[3]"])
@pytest.mark.parametrize("place", [("models", 0, "measured"), ("models", 0, "rows_violating")])
def test_a_number_that_is_none_is_refused(old, place, outside):
    text = json.dumps(changed(old, place, "here")).replace('"here"', outside)
    with pytest.raises(InputError, match=r"damaged report \(see \$.models\[0\]"):
        read_report("old.json", text)


def test_a_null_that_an_audit_does_not_write_is_refused(old):
    """What was lost would pass for what was never measured or required, and so for no change."""
    assert old["models"][0]["outcome"] == "violated"
    assert old["attacks"][0]["outcome"] == "violated"
    for place in (
        ("models", 0, "measured"),
        ("models", 0, "required"),
        ("models", 0, "safer"),
        ("models", 0, "outcome"),
        ("models", 0, "classes_violating"),
        ("models", 0, "rows_violating"),
        ("attacks", 0, "rate"),
        ("attacks", 0, "allowed"),
        ("attacks", 0, "targets"),
        ("release", "rows"),
        ("release", "convention"),
        ("provenance",),
    ):
        with pytest.raises(InputError, match="damaged"):
            read_report("old.json", json.dumps(changed(old, place, None)))


def test_a_level_that_is_none_is_compared(old):
    """An infinite one has a note, one that nobody knows is inconclusive."""
    infinite = {"measured": None, "outcome": "holds", "notes": ["no finite level: no limit"]}
    unknown = {"measured": None, "outcome": "inconclusive", "rows_violating": None}
    for change in (infinite, unknown):
        read_report("x", json.dumps({**old, "models": [{**old["models"][0], **change}]}))


@pytest.mark.parametrize(
    ("note", "lost"),
    [
        ("no data: the release has no class with a known sensitive value", False),
        ("no finite level: some class misses every threshold", False),
        ("k = 9 cannot be reached by any masking: there are 7 rows", True),
        ("not numeric, so left out: income", True),
        ("the model has no data of its own", True),
        (None, True),
    ],
)
def test_only_a_note_of_why_there_is_no_level_excuses_that_there_is_none(old, note, lost):
    """A violated model has no level where nothing was there to measure, or where it is infinite."""
    change = {"measured": None, "notes": [] if note is None else [note]}
    text = json.dumps({**old, "models": [{**old["models"][0], **change}]})
    assert old["models"][0]["outcome"] == "violated"
    if lost:
        with pytest.raises(InputError, match=r"damaged report \(see \$\.models\[0\]\)"):
            read_report("old.json", text)
    else:
        read_report("old.json", text)


def test_a_name_that_stands_twice_is_refused(old):
    text = json.dumps(old).replace('{"schema_version"', '{"outcome": "holds", "schema_version"', 1)
    assert json.loads(text) == old  # as the last of them is taken
    with pytest.raises(InputError, match="not JSON"):
        read_report("old.json", text)


def test_details_of_any_depth_are_no_fault_of_ours(old):
    old["models"][0]["details"]["x"] = "here"
    deep = "[" * 800 + "]" * 800
    text = json.dumps(old).replace('"here"', deep)
    try:
        read_report("old.json", text)
    except InputError as error:
        assert "damaged" in str(error) or "not JSON" in str(error)  # noqa: PT017


@given(audit_reports(), audit_reports())
def test_any_two_reports_are_compared(one, other):
    one, other = of(one), of(other)
    changes = compare_reports(one, other)
    text = to_text(changes, differences(one, other))
    assert all(character.isprintable() or character == "\n" for character in text)
    json.loads(written(changes, []))
    assert {change.verdict for change in compare_reports(one, one)} == {"same"}


@pytest.mark.parametrize("required", ["true", '{ accept = ["age"] }'])
def test_a_model_of_the_columns_has_no_counts_of_rows(tmp_path, required):
    """Its report is whole, and equal to itself."""
    table = tmp_path / "r.csv"
    table.write_text("age,ill\n1,a\n1,b\n2,a\n2,b\n")
    rules = f"columns.quasi-identifiers = ['age']\nrequire.no-direct-identifiers = {required}\n"
    (tmp_path / "p.toml").write_text(rules)
    report = to_json(anonaudit.audit(table, tmp_path / "p.toml"))
    old, new = (read_report(name, report) for name in ("a.json", "b.json"))
    assert verdicts(old, new) == {}


def test_a_requirement_is_compared_with_the_same_requirement() -> None:
    """Old: k = 5, 5 of 26 rows short. New: k = 2 and k = 5, all rows short of both or of one."""

    def model(k: int, rows: int) -> dict:
        return {
            "name": "k-anonymity", "parameters": {"k": k}, "measured": 1, "required": k,
            "safer": "higher", "rows_violating": rows, "outcome": "violated", "per_attribute": {},
            "notes": [], "details": {},
        }  # fmt: skip

    def report(rows: int, *models: dict) -> dict:
        release = {"rows": rows, "persons": None, "classes": 5}
        return {"outcome": "violated", "models": [*models], "attacks": [], "warnings": [],
                "release": release}  # fmt: skip

    old = report(26, model(5, 5))
    new = report(21, model(2, 1), model(5, 21))
    found = [c for c in compare_reports(old, new) if c.kind == "model"]
    assert [c.verdict for c in found] == ["new", "worse"]
    assert found[1].said == ("rows that fall short 19.2% -> 100%",)
