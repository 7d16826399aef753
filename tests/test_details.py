"""Facts beside a level: labelled, laid out by the report, added up over parts of a release.

The labels that add up are typed from a list by hand; sums are counted by hand. A rule about the
source: no English phrase is written in one file and used as a key in another.
"""

import ast
import json
import re
from collections import defaultdict
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from report.shared_reports import holds

import anonaudit
from anonaudit.attack import attacks
from anonaudit.details import Details, Kind, fact, part_of
from anonaudit.models.multi_attribute_l_diversity import Deletions
from anonaudit.models.rule_confidence import ONLY_HIDDEN, Rules
from anonaudit.report.plain import plain
from anonaudit.report.sections.descriptions import about_model
from anonaudit.special_details import (
    BeyondBoundaries,
    ByEliminations,
    ClassSize,
    Conditions,
    Counted,
    GivenAway,
)

ROOT = Path(anonaudit.__file__).parent.parent


@dataclass(frozen=True, kw_only=True, eq=False)
class Crowds(Details):
    small: int = fact("small classes", Kind.COUNT, one="1 small", said="{} small", adds=sum)
    mean: float | None = fact("mean size", unit="row")
    steps: dict = fact("by step", Kind.STEPS, said="By step: {}", optional=True)
    word: str = fact("how", Kind.TEXT, words={"all": "All counted"}, optional=True)


def test_details_are_a_mapping_from_labels():
    found = Crowds(small=2, mean=1.5)
    assert (found.small, found["small classes"], dict(found)) == (
        2,
        2,
        {"small classes": 2, "mean size": 1.5},
    )
    assert list(found) == ["small classes", "mean size"]
    assert (len(found), "how" in found, found.get("how")) == (2, False, None)
    with pytest.raises(KeyError):
        found["how"]
    assert found == {"small classes": 2, "mean size": 1.5}
    assert json.dumps(plain(found)) == '{"small classes": 2, "mean size": 1.5}'


def test_facts_have_label_value_unit_and_kind():
    [small, mean] = Crowds(small=2, mean=1.5).facts()
    assert (small.label, small.value, small.unit, small.kind) == (
        "small classes",
        2,
        "",
        Kind.COUNT,
    )
    assert (mean.label, mean.value, mean.unit, mean.kind) == ("mean size", 1.5, "row", Kind.NUMBER)


def test_null_is_told_apart_from_absent():
    """k is null where there is no class; which conditions are met is absent unless p is given."""
    assert dict(Conditions(k=None, max_p=None, max_groups={})) == {
        "k": None,
        "maxP": None,
        "maxGroups": {},
    }


def said_of(details):
    report = holds()
    return about_model(
        replace(report.models[0], details=details, notes=()), report, show_values=False
    )


def test_a_report_lays_out_facts_by_their_kinds():
    assert said_of(Crowds(small=1, mean=2.5)) == "1 small. Also: mean size = 2.5 row."
    assert said_of(Crowds(small=3, mean=None, word="all")) == "3 small. All counted."
    assert said_of(Crowds(small=0, mean=None, word="some")) == "Also: how = some."
    steps = {str(n): n for n in range(1, 9)}
    assert said_of(Crowds(small=0, mean=None, steps=steps)) == (
        "By step: 1 with 1, 2 with 2, 3 with 3, 4 with 4, 5 with 5, 6 with 6."
    )
    assert said_of({"small classes": 1}) == "Also: small classes = 1."  # nobody labelled it


def test_what_does_not_add_up_is_left_out_of_parts():
    parts = [Crowds(small=2, mean=1.5), Crowds(small=3, mean=2.5)]
    assert dict(Crowds.together(parts)) == {"small classes": 5}
    empty = Conditions.together([Conditions(k=None, max_p=None, max_groups=None)])
    assert dict(empty) == {}


def test_sums_over_parts():
    """Counted by hand from two parts."""
    k = ClassSize.together([ClassSize(k=3), ClassSize(k=2), ClassSize(k=None)])
    assert k.k == 2
    beyond = [
        BeyondBoundaries(
            inner=ClassSize(k=k),
            by_column={"age": n},
            suspected=suspected,
            undecided_classes=suspected and 1,
            undecided_rows=suspected and 3,
            classes=1,
            rows=n,
            how=Counted.WITHOUT_ORIGINAL,
        )
        for k, n, suspected in ((4, 2, {"age": 1}), (5, 3, None))
    ]
    assert dict(BeyondBoundaries.together(beyond)) == {
        "k": 4,
        "constraint violations": {"age": 5},
        "suspected violations": {"age": 1},
        "classes with a violation": 2,
        "rows with a violation": 5,
        "classes undecided by suspected violations": 1,
        "rows undecided by suspected violations": 3,
        "how violations were found": Counted.WITHOUT_ORIGINAL,
    }
    eliminations = [
        ByEliminations(at_most=2, exposed={"0": 1, "2": 4}, classes={"0": 1, "none": 2}),
        ByEliminations(at_most=2, exposed={"1": 5}, classes={"1": 3, "none": 1}, bounded=2),
    ]
    found = ByEliminations.together(eliminations)
    assert dict(found) == {
        "eliminated at most": 2,
        "exposed by number eliminated": {"0": 1, "1": 6, "2": 9},
        "classes by least number": {"0": 1, "1": 3, "none": 3},
        "targets with bounds only": 2,
    }
    assert (found.least, eliminations[1].least) == (0, 1)
    given = [
        GivenAway(classes={"dx": 1}, likely=2),
        GivenAway(classes={"dx": 0, "pay": 3}, likely=1),
    ]
    assert dict(GivenAway.together(given)) == {"classes": {"dx": 1, "pay": 3}, "likely": 3}


def test_parts_that_disagree_on_the_whole_are_refused():
    parts = [Conditions(k=2, max_p=p, max_groups={}) for p in (2, 3)]
    with pytest.raises(ValueError, match="parts of a release"):
        Conditions.together(parts)


# By hand, from what is true of all classes if it is true of each part.
ADDING_UP = {
    "k", "maxP", "maxGroups", "protected subtrees", "largest possible confidence",
    "constraint violations", "suspected violations", "classes with a violation",
    "rows with a violation", "classes undecided by suspected violations",
    "rows undecided by suspected violations",
    "how violations were found", "classes that no allowed deletion deletes",
    "classes that were not finished",
    "fewest values where limited", "classes", "likely", "eliminated at most",
    "exposed by number eliminated", "classes by least number", "targets with bounds only",
    "sure", "at 1", "at 0.9 and above", "at 0.5 and above", "within bounds only",
}  # fmt: skip


def test_exactly_these_facts_add_up():
    attacks()  # loads them all
    adding = {
        each.metadata["fact"].fact.label
        for kind in every(Details)
        if kind.__module__.partition(".")[0] in ("anonaudit", "attacks")
        for each in kind.__dataclass_fields__.values()
        if "fact" in each.metadata and each.metadata["fact"].adds is not None
    }
    assert adding == ADDING_UP


def every(kind):
    yield kind
    for child in kind.__subclasses__():
        yield from every(child)


def test_no_fact_hides_a_method_of_mappings():
    attacks()
    for kind in every(Details):
        names = {n for n, each in kind.__dataclass_fields__.items() if "fact" in each.metadata}
        assert not names & {"keys", "values", "items", "get", "facts", "notes", "together"}, kind


def test_facts_of_an_inner_model_are_reached():
    inner = Conditions(k=3, max_p=2, max_groups={"2": 7})
    outer = BeyondBoundaries(
        inner=inner, by_column={}, classes=0, rows=0, how=Counted.WITH_ORIGINAL
    )
    assert part_of(outer, Conditions) is inner
    assert part_of(outer, ClassSize) is inner
    assert part_of(outer, GivenAway) is None
    assert part_of({"maxP": 2}, Conditions) is None
    assert (inner.most_classes(2), inner.most_classes(3), inner.counted) == (7, None, "value")
    assert replace(inner, protected_subtrees={"dx": 4}).counted == "protected subtree"


def test_notes_follow_from_facts():
    rules = Rules(possible=0.8)
    assert rules.notes(0.5, 0.8, {}) == (ONLY_HIDDEN,)
    assert (
        rules.notes(0.5, 0.9, {}) == rules.notes(0.8, 0.8, {}) == rules.notes(None, 0.8, {}) == ()
    )
    assert Rules(possible=None).notes(0.5, 0.8, {}) == ()
    few = Deletions(undeletable=0, fewest={"dx": 2})
    [note] = few.notes(3.0, None, {"at-most dx": 1})
    assert note.startswith("'dx' is not protected: a class has only 2 of its values")
    assert note.endswith("L = 3")
    assert few.notes(3.0, None, {"at-most dx": 2}) == few.notes(None, 3, {"at-most dx": 1}) == ()
    assert few.notes(float("inf"), None, {"at-most dx": 1})[0].endswith("L = infinity")


PHRASE = re.compile(r"[A-Za-z]+,? [A-Za-z]+")


def phrases(source):
    """Texts of several words that a module uses as a key: of a mapping, or in a comparison."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        keys = []
        if isinstance(node, ast.Subscript):
            keys = [node.slice]
        elif isinstance(node, ast.Dict):
            keys = node.keys
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            keyed = node.func.attr in ("get", "pop", "setdefault", "startswith", "endswith")
            keys = node.args[:1] if keyed else []
        elif isinstance(node, ast.Compare):
            keys = [node.left, *node.comparators]
        found |= {
            key.value
            for key in keys
            if isinstance(key, ast.Constant)
            and isinstance(key.value, str)
            and PHRASE.search(key.value)
        }
    return found


def written(source):
    """Every text of several words of a module."""
    return {
        node.value
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and PHRASE.search(node.value)
    }


def shared_phrases(sources):
    """Phrases that are a key in one module and stand in another, too, by module."""
    where = defaultdict(set)
    for name, source in sources.items():
        for text in written(source):
            where[text].add(name)
    return {
        (name, text): where[text] - {name}
        for name, source in sources.items()
        for text in phrases(source)
        if where[text] - {name}
    }


def test_no_phrase_of_another_file_is_a_key():
    sources = {
        str(path.relative_to(ROOT)): path.read_text("utf-8")
        for folder in ("anonaudit", "attacks")
        for path in (ROOT / folder).rglob("*.py")
        if "papers" not in path.parts  # claims and experiments quote what reports say
    }
    assert len(sources) > 200
    assert shared_phrases(sources) == {}


def test_such_a_phrase_would_be_found():
    sources = {
        "a": 'x = {"no match": 1, "one": 2}\ny = f(said="all rows")',
        "b": 'z = x["no match"] + x["one"]',
        "c": 'w = "all rows" in x',
    }
    assert shared_phrases(sources) == {
        ("a", "no match"): {"b"},
        ("b", "no match"): {"a"},
        ("c", "all rows"): {"a"},
    }
