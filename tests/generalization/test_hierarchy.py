"""Value generalization hierarchies: worked examples, refusals, files, and laws."""

from __future__ import annotations

import csv
import doctest
import json
import math
import os
import pickle
import re
import time
from collections.abc import Callable
from dataclasses import FrozenInstanceError
from decimal import Decimal
from fractions import Fraction
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from anonaudit.errors import AnonauditError, HierarchyError, InputError
from anonaudit.generalization import hierarchy as module
from anonaudit.generalization.hierarchy import Hierarchy
from anonaudit.generalization.labels import Interval, parse

SHARED = Path(os.environ.get("ANONAUDIT_SHARED", Path(__file__).parents[3] / "shared"))

LOCATION_PAIRS = [  # MCT08 figure 2
    ("San Diego", "California"),
    ("Los Angeles", "California"),
    ("California", "West Coast"),
    ("West Coast", "United States"),
    ("Wichita", "Kansas"),
    ("Kansas City", "Kansas"),
    ("Kansas", "Midwest"),
    ("Lincoln", "Nebraska"),
    ("Nebraska", "Midwest"),
    ("Midwest", "United States"),
]
ILLNESS_ROWS = [  # the kind of tree CT06 figure 2 shows, with the illnesses of its table 1
    ["Colon Cancer", "Digestive Neoplasms", "Neoplasms", "Diseases"],
    ["Stomach Cancer", "Digestive Neoplasms", "Neoplasms", "Diseases"],
    ["Breast Cancer", "Breast Neoplasms", "Neoplasms", "Diseases"],
    ["HIV", "Viral", "Infections", "Diseases"],
    ["Hepatitis", "Viral", "Infections", "Diseases"],
    ["Diabetes", "Endocrine", "Endocrine", "Diseases"],
]
AGE = Hierarchy("age", [["18", "<30", "*"], ["23", "<30", "*"], ["52", ">=30", "*"]])


def level_values(hierarchy: Hierarchy, level: int) -> tuple[str, ...]:
    """The distinct values of one level, in the order of the leaves."""
    return tuple(dict.fromkeys(hierarchy.generalize(leaf, level) for leaf in hierarchy.leaves))


@pytest.fixture
def location() -> Hierarchy:
    return Hierarchy.from_parents("location", LOCATION_PAIRS)


@pytest.fixture
def illness() -> Hierarchy:
    return Hierarchy.from_levels("illness", ILLNESS_ROWS)


def refusal(rows: list[list[str]]) -> HierarchyError:
    with pytest.raises(HierarchyError) as caught:
        Hierarchy.from_levels("x", rows)
    return caught.value


def test_the_examples_in_the_docstrings_hold() -> None:
    outcome = doctest.testmod(module)
    assert outcome.attempted > 0
    assert outcome.failed == 0


# MCT08 figure 2


def test_location_tree(location: Hierarchy) -> None:
    assert location.height == 3
    assert location.root == "United States"
    assert sorted(location.leaves) == [
        "Kansas City",
        "Lincoln",
        "Los Angeles",
        "San Diego",
        "Wichita",
    ]
    assert len(location.nodes) == 11
    assert location.nodes[-1] == "United States"
    assert location.paths["Lincoln"] == ("Lincoln", "Nebraska", "Midwest", "United States")
    assert location.parent("Lincoln") == "Nebraska"
    assert location.parent("United States") is None
    assert location.children("Kansas") == ("Wichita", "Kansas City")
    assert location.children("Lincoln") == ()
    assert location.ancestors("San Diego")[1:] == ("California", "West Coast", "United States")
    assert "Midwest" in location
    assert "Texas" not in location
    assert level_values(location, 1) == ("California", "Kansas", "Nebraska")
    assert level_values(location, 3) == ("United States",)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (["San Diego"], "San Diego"),
        (["San Diego", "Los Angeles"], "California"),
        (["Wichita", "Kansas City", "Lincoln"], "Midwest"),  # MCT08 figure 4 a
        (["Wichita", "Kansas City", "Wichita"], "Kansas"),  # MCT08 figure 4 b
        (["Lincoln", "Lincoln"], "Lincoln"),
        (["Lincoln", "Midwest"], "Midwest"),
        (["Midwest", "Lincoln"], "Midwest"),
        (["Lincoln", "San Diego"], "United States"),
    ],
)
def test_lowest_common_ancestor(location: Hierarchy, values: list[str], expected: str) -> None:
    assert location.lowest_common_ancestor(values) == expected


def test_no_values_have_no_common_ancestor(location: Hierarchy) -> None:
    with pytest.raises(HierarchyError, match="no common ancestor"):
        location.lowest_common_ancestor([])


def test_is_ancestor(location: Hierarchy) -> None:
    assert location.is_ancestor("Midwest", "Lincoln")
    assert location.is_ancestor("Lincoln", "Lincoln")
    assert not location.is_ancestor("Lincoln", "Midwest")
    assert not location.is_ancestor("Kansas", "Lincoln")


def test_generalize(location: Hierarchy) -> None:
    assert [location.generalize("Lincoln", level) for level in range(4)] == [
        "Lincoln",
        "Nebraska",
        "Midwest",
        "United States",
    ]
    assert location.generalize("Midwest", 0) == "Midwest"
    assert location.generalize("Kansas", 2) == "Midwest"


@pytest.mark.parametrize("level", [-1, 4])
def test_there_are_no_other_levels(location: Hierarchy, level: int) -> None:
    with pytest.raises(HierarchyError, match="0 to 3"):
        location.generalize("Lincoln", level)


def test_maximum_allowed_values(location: Hierarchy) -> None:
    # MCT08 Def. 3 and 4: Kansas lies below Midwest, and the first on the way up counts.
    allowed = location.maximum_allowed(["California", "Kansas", "Midwest"])
    assert allowed == {
        "San Diego": "California",
        "Los Angeles": "California",
        "Wichita": "Kansas",
        "Kansas City": "Kansas",
        "Lincoln": "Midwest",
    }
    assert set(location.maximum_allowed([]).values()) == {"United States"}
    assert location.maximum_allowed(["Lincoln"])["Lincoln"] == "Lincoln"


@pytest.mark.parametrize(
    "ask",
    [  # every question about values
        lambda h: h.parent("Kanzas"),
        lambda h: h.children("Kanzas"),
        lambda h: h.ancestors("Kanzas"),
        lambda h: h.is_ancestor("Kanzas", "Lincoln"),
        lambda h: h.is_ancestor("Midwest", "Kanzas"),
        lambda h: h.generalize("Kanzas", 1),
        lambda h: h.lowest_common_ancestor(["Lincoln", "Kanzas"]),
        lambda h: h.strong_values(["Kanzas"]),
        lambda h: h.maximum_allowed(["Kanzas"]),
    ],
)
def test_unknown_values_are_refused_and_not_quoted(
    location: Hierarchy, ask: Callable[[Hierarchy], object]
) -> None:
    with pytest.raises(HierarchyError, match="lacks 1 value") as caught:
        ask(location)
    assert caught.value.values == ("Kanzas",)
    assert "Kan" not in str(caught.value)


# CT06 Def. 3


def test_strong_values(illness: Hierarchy) -> None:
    strong = illness.strong_values(["Neoplasms"])
    assert {value for value, top in strong.items() if top == "Neoplasms"} == {
        "Colon Cancer",
        "Stomach Cancer",
        "Breast Cancer",
        "Digestive Neoplasms",
        "Breast Neoplasms",
        "Neoplasms",
    }
    assert {leaf: strong[leaf] for leaf in ("HIV", "Hepatitis", "Diabetes")} == {
        "HIV": "HIV",
        "Hepatitis": "Hepatitis",
        "Diabetes": "Diabetes",
    }
    assert not strong.keys() & {"Viral", "Infections", "Endocrine", "Diseases"}


def test_the_highest_protected_value_is_strong(illness: Hierarchy) -> None:
    zones = ["Neoplasms", "Digestive Neoplasms", "Colon Cancer"]
    assert illness.strong_values(zones) == illness.strong_values(["Neoplasms"])
    assert set(illness.strong_values(["Diseases"]).values()) == {"Diseases"}
    assert illness.strong_values([]) == {leaf: leaf for leaf in illness.leaves}


# Levels, filling and the root


def test_short_lines_repeat_their_leaf() -> None:
    world = Hierarchy("place", [["Monaco", "Europe", "*"], ["Paris", "France", "Europe", "*"]])
    assert world.paths["Monaco"] == ("Monaco", "Monaco", "Europe", "*")
    assert level_values(world, 1) == ("Monaco", "France")
    assert world.ancestors("Monaco") == ("Monaco", "Europe", "*")
    assert world.children("Europe") == ("Monaco", "France")


def test_lines_may_leave_out_what_other_lines_say() -> None:
    world = Hierarchy("place", [["Paris", "France", "Europe", "*"], ["Lyon", "France"]])
    assert world.paths["Lyon"] == ("Lyon", "France", "Europe", "*")


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ([["m"], ["f"]], {"m": ("m", "*"), "f": ("f", "*")}),
        ([["m"]], {"m": ("m", "*")}),
        ([["m", "m"]], {"m": ("m", "m", "*")}),
        ([["m", "all"]], {"m": ("m", "all")}),
        ([["a", "G"], ["b", "*"]], {"a": ("a", "G", "*"), "b": ("b", "b", "*")}),
        ([["a", "G"], ["b", "H"]], {"a": ("a", "G", "*"), "b": ("b", "H", "*")}),
        ([["a", "G", "", " "], [], [""]], {"a": ("a", "G")}),
    ],
)
def test_a_hierarchy_has_one_root(rows: list[list[str]], expected: dict[str, Any]) -> None:
    assert Hierarchy.from_levels("x", rows).paths == expected


def test_repetition_fills_levels() -> None:
    age = Hierarchy("age", [["18", "<30", "<30", "*"], ["52", ">=30", "old", "*"]])
    assert age.height == 3
    assert age.ancestors("18") == ("18", "<30", "*")
    assert age.parent("<30") == "*"
    assert level_values(age, 2) == ("<30", "old")
    assert age.generalize("<30", 2) == "<30"
    assert age.generalize("<30", 3) == "*"


def test_hierarchies_are_values() -> None:
    rows = [["52", ">=30", "*"], ["18", "<30", "*"], ["23", "<30", "*"]]
    assert Hierarchy("age", rows) == AGE
    assert hash(Hierarchy("age", rows)) == hash(AGE)
    assert Hierarchy("years", rows) != AGE
    assert Hierarchy("age", rows[:2]) != AGE
    assert pickle.loads(pickle.dumps(AGE)) == AGE
    with pytest.raises(FrozenInstanceError):
        AGE.attribute = "years"  # type: ignore[misc]
    with pytest.raises(TypeError):
        AGE.paths["18"] = ("18",)  # type: ignore[index]


# Refusals


def test_b11_two_parents() -> None:
    error = refusal([["18", "<30", "*"], ["23", "<30", "*"], ["23", "20s", "*"]])
    assert error.values == ("23",)
    assert str(error).startswith("hierarchy 'x': several parents for 1 value.")
    assert not any(text in str(error) for text in ("23", "20s", "<30"))


def test_b11_missing_leaf() -> None:
    lacking = Hierarchy("age", [["23", "<30", "*"], ["52", ">=30", "*"], ["61", ">=30", "*"]])
    with pytest.raises(HierarchyError, match="'age': there is no leaf for 1 value of") as caught:
        lacking.check_covers(["18", "23", "23", "52", "61"])
    assert caught.value.values == ("18",)


def test_b11_repeated_line() -> None:
    rows = [["18", "<30", "*"], ["23", "<30", "*"], ["23", "<30", "*"], ["52", ">=30", "*"]]
    assert Hierarchy("age", rows) == AGE


def test_b12_a_level_that_cuts_through() -> None:
    error = refusal(
        [
            ["150", "0-200", "0-400"],
            ["350", "200-400", "0-400"],
            ["450", "400-800", "400-700"],
            ["650", "400-800", "400-700"],
            ["750", "400-800", "700-1000"],
            ["900", "800-1600", "700-1000"],
            ["1500", "800-1600", "1000-1600"],
        ]
    )
    assert error.values == ("400-800", "800-1600")
    assert "several parents for 2 values." in str(error)
    assert not re.search("[3-9]", str(error))


def test_check_covers_counts_what_it_lacks() -> None:
    AGE.check_covers([])
    AGE.check_covers(AGE.leaves)
    with pytest.raises(HierarchyError, match="no leaf for 7 values") as caught:
        AGE.check_covers(["7", "6", "5", "4", "3", "2", "1", "18"])
    assert caught.value.values == tuple("1234567")
    with pytest.raises(HierarchyError, match="no leaf for 1 value of"):
        AGE.check_covers(["<30"])


def test_many_values_with_two_parents_are_counted() -> None:
    rows = [[leaf, group, "*"] for leaf in "abcdefg" for group in ("G", "H")]
    error = refusal(rows)
    assert error.values == tuple("abcdefg")
    assert "several parents for 7 values." in str(error)


@pytest.mark.parametrize(
    ("rows", "values"),
    [
        ([["*"], ["y"]], ("*",)),  # a leaf and the root
        ([["*"]], ("*",)),
        ([["a", "*", "A"], ["b", "B", "C"]], ("*",)),  # the root, and below another value
    ],
)
def test_a_label_at_two_places_is_refused(rows: list[list[str]], values: tuple[str, ...]) -> None:
    error = refusal(rows)
    assert error.values == values
    assert "two places" in str(error)


@pytest.mark.parametrize(
    ("rows", "values"),
    [
        ([["a", "G", "G", "*"], ["b", "G", "*", "*"]], ("G",)),
        ([["a", "G", "H", "H", "*"], ["b", "c", "G", "H", "*"]], ("G",)),
        ([["a", "a", "G", "*"], ["a", "G", "G", "*"]], ("a",)),
    ],
)
def test_a_label_that_ends_at_two_levels_is_refused(
    rows: list[list[str]], values: tuple[str, ...]
) -> None:
    error = refusal(rows)
    assert error.values == values
    assert "different levels" in str(error)


@pytest.mark.parametrize(
    ("rows", "values"),
    [
        ([["a", "G", "a"]], ("G", "a")),
        ([["a", "G"], ["b", "H"], ["c", "K", "G", "L", "K"]], ("G", "K", "L")),
    ],
)
def test_a_circle_is_refused(rows: list[list[str]], values: tuple[str, ...]) -> None:
    error = refusal(rows)
    assert error.values == values
    assert "circle" in str(error)


def test_an_empty_cell_inside_is_refused() -> None:
    assert "an empty cell" in str(refusal([["18", "", "*"]]))
    assert "an empty cell" in str(refusal([[" ", "<30", "*"]]))
    assert "no values" in str(refusal([["", ""], []]))
    assert "no values" in str(refusal([]))


def test_values_are_text() -> None:
    rows: Any = [[18, "<30"], ["23", "<30"]]
    assert "not int" in str(refusal(rows))


# The other constructors


def test_from_parents_fills_like_from_levels() -> None:
    pairs = [("flu", "lung"), ("lung", "any"), ("cold", "any"), ("any", "")]
    assert Hierarchy.from_parents("x", pairs) == Hierarchy.from_parents(
        "x", [*pairs[:3], ("any", "any")]
    )
    assert Hierarchy.from_parents("x", pairs).paths == {
        "flu": ("flu", "lung", "any"),
        "cold": ("cold", "cold", "any"),
    }
    assert Hierarchy.from_parents("x", [("a", "G"), ("b", "H")]).root == "*"
    assert Hierarchy.from_parents("x", [("a", "")]).paths == {"a": ("a", "*")}


@pytest.mark.parametrize(
    ("pairs", "values"),
    [
        ([("a", "G"), ("a", "H")], ("a",)),
        ([("a", "G"), ("G", "H"), ("H", "G")], ("G", "H")),
        ([("a", "b"), ("b", "a")], ("a", "b")),
        ([("", "a")], ("",)),
    ],
)
def test_from_parents_refuses(pairs: list[tuple[str, str]], values: tuple[str, ...]) -> None:
    with pytest.raises(HierarchyError) as caught:
        Hierarchy.from_parents("x", pairs)
    assert caught.value.values == values


def test_from_intervals() -> None:
    age = Hierarchy.from_intervals("age", ["20", "24", "25", "39", "40"], widths=[5, 10, 20])
    assert list(age.paths.values()) == [
        ("20", "[20,25)", "[20,30)", "[20,40)", "*"),
        ("24", "[20,25)", "[20,30)", "[20,40)", "*"),
        ("25", "[25,30)", "[20,30)", "[20,40)", "*"),
        ("39", "[35,40)", "[30,40)", "[20,40)", "*"),
        ("40", "[40,45)", "[40,50)", "[40,60)", "*"),
    ]


def test_from_intervals_is_exact() -> None:
    # In floating point 0.3 // 0.1 is 2.
    assert Hierarchy.from_intervals("x", ["0.3"], widths=[0.1, "0.5"]).paths["0.3"] == (
        "0.3",
        "[0.3,0.4)",
        "[0,0.5)",
        "*",
    )
    below = Hierarchy.from_intervals("x", ["-1", "1e3"], widths=[10], origin="2.5")
    assert level_values(below, 1) == ("[-7.5,2.5)", "[992.5,1002.5)")
    twice = Hierarchy.from_intervals("x", ["20", "20.0", "20"], widths=[5])
    assert twice.leaves == ("20", "20.0")
    comma = Hierarchy.from_intervals("x", ["1,5"], widths=["0.5"], decimal=",")
    assert comma.paths["1,5"] == ("1,5", "[1,5;2)", "*")
    comma = Hierarchy.from_cuts("x", ["1,5"], cuts=[[0.5, 1]], decimal=",")
    assert comma.paths["1,5"] == ("1,5", "[1;inf)", "*")


@pytest.mark.parametrize(
    ("widths", "values"), [([5, 8], ("8",)), ([5, 2.5], ("2.5",)), ([0], ("0",)), ([-5], ("-5",))]
)
def test_from_intervals_refuses_widths(widths: list[float], values: tuple[str, ...]) -> None:
    with pytest.raises(HierarchyError, match="multiple") as caught:
        Hierarchy.from_intervals("age", ["20"], widths=widths)
    assert caught.value.values == values


def test_numbers_must_be_numbers() -> None:
    wrong = ["?", "", "20,5", "nan", "inf", "1e999999999"]
    with pytest.raises(HierarchyError, match="expected numbers") as caught:
        Hierarchy.from_intervals("x", [*wrong, "1"], widths=[5])
    assert caught.value.values == tuple(sorted(wrong))
    with pytest.raises(HierarchyError, match="expected numbers") as caught:
        Hierarchy.from_cuts("x", [*wrong, "1"], cuts=[[5]])
    assert caught.value.values == tuple(sorted(wrong))


def test_from_prefixes() -> None:
    zips = Hierarchy.from_prefixes("zip", ["48201", "48330"], keep=[3, 2, 0])
    assert zips.paths["48201"] == ("48201", "482**", "48***", "*****")
    open_ended = Hierarchy.from_prefixes("zip", ["48201", "48330"], keep=[3, 2])
    assert open_ended.paths["48201"] == ("48201", "482**", "48***", "*")
    assert Hierarchy.from_prefixes("zip", ["482"], keep=[1], mask="x").paths["482"][1] == "4xx"


def test_codes_with_an_equal_prefix_share_the_label_of_the_longest() -> None:
    codes = Hierarchy.from_prefixes("code", ["5", "512", "5123", "62"], keep=[2, 1])
    assert list(codes.paths.values()) == [
        ("5", "5", "5***", "*"),
        ("512", "51**", "5***", "*"),
        ("5123", "51**", "5***", "*"),
        ("62", "62", "6*", "*"),
    ]
    ending = Hierarchy.from_prefixes("code", ["5", "512"], keep=[1, 0])
    assert list(ending.paths.values()) == [("5", "5**", "***"), ("512", "5**", "***")]


def test_a_category_beside_its_codes_is_below_their_label() -> None:
    codes = Hierarchy.from_prefixes("icd", ["E11", "E11.9", "E11.65", "I10"], keep=[3, 1])
    assert list(codes.paths.values()) == [
        ("E11", "E11***", "E*****", "*"),
        ("E11.9", "E11***", "E*****", "*"),
        ("E11.65", "E11***", "E*****", "*"),
        ("I10", "I10", "I**", "*"),
    ]


@pytest.mark.parametrize("stars", range(1, 6))
def test_the_label_of_a_prefix_is_known_by_any_number_of_stars(stars: int) -> None:
    codes = Hierarchy.from_prefixes("icd", ["E11.9", "E11.65", "J45.9"], keep=[3, 1])
    assert codes.named("E11" + "*" * stars) == "E11***"
    assert codes.named("E" + "*" * stars) == "E*****"
    assert codes.named("E1" + "*" * stars) == "E1" + "*" * stars
    strong = codes.strong_values(["E11" + "*" * stars])
    assert strong == {"E11.9": "E11***", "E11.65": "E11***", "E11***": "E11***", "J45.9": "J45.9"}
    allowed = codes.maximum_allowed(["J" + "*" * stars])
    assert allowed == {"E11.9": "*", "E11.65": "*", "J45.9": "J****"}
    assert pickle.loads(pickle.dumps(codes)).named("E11" + "*" * stars) == "E11***"


@given(
    st.lists(st.text("12.", min_size=1, max_size=5), min_size=1, max_size=8, unique=True),
    st.sets(st.integers(0, 4), min_size=1, max_size=3),
)
def test_codes_share_a_label_exactly_if_they_share_the_prefix(
    codes: list[str], lengths: set[int]
) -> None:
    keep = sorted(lengths, reverse=True)
    tree = Hierarchy.from_prefixes("code", codes, keep=keep)
    for one in codes:
        for level, kept in enumerate(keep, 1):
            alike = {other for other in codes if other[:kept] == one[:kept]}
            label = tree.paths[one][level]
            assert {other for other in codes if tree.paths[other][level] == label} == alike
            assert len(label) == max(map(len, alike))
            if len({*map(len, codes)}) == 1:  # the labels there always were
                assert label == one[:kept] + "*" * (len(one) - kept)


INNER = [["E11.9", "E11", "E", "*"], ["E11.65", "E11", "E", "*"], ["E11", "E11", "E", "*"]]


@pytest.mark.parametrize("line", [["E11", "E11", "E", "*"], ["E11", "E", "*"], ["E11", "E"]])
def test_a_ground_value_may_be_an_inner_node(line: list[str]) -> None:
    tree = Hierarchy.from_levels("icd", [*INNER[:2], line])
    assert tree == Hierarchy.from_levels("icd", INNER)
    assert tree.paths["E11"] == ("E11", "E11", "E", "*")
    assert tree.leaves == ("E11.9", "E11.65", "E11")
    assert tree.nodes == ("E11.9", "E11.65", "E11", "E", "*")
    assert tree.children("E11") == ("E11.9", "E11.65")
    assert [tree.generalize("E11", level) for level in range(4)] == ["E11", "E11", "E", "*"]
    assert tree.lowest_common_ancestor(["E11", "E11.9"]) == "E11"
    tree.check_covers(["E11", "E11.9"])
    assert tree.maximum_allowed(["E"]) == dict.fromkeys(tree.leaves, "E")
    # It is a leaf, and so protected with all below it (CT06 requirements 1 and 2).
    assert tree.strong_values([]) == dict.fromkeys(tree.leaves, "E11")
    assert tree.strong_values(["E"]) == dict.fromkeys([*tree.leaves, "E"], "E")


def test_a_ground_value_that_is_an_inner_node_in_child_parent_form() -> None:
    pairs = [("E11.9", "E11"), ("E11.65", "E11"), ("E11", "E"), ("E", ""), ("E11", "E11")]
    tree = Hierarchy.from_parents("icd", pairs)
    assert set(tree.paths) == {"E11.9", "E11.65", "E11"}
    assert tree.paths["E11"] == ("E11", "E11", "E")
    assert set(Hierarchy.from_parents("icd", pairs[:-1]).paths) == {"E11.9", "E11.65"}


def test_a_ground_value_that_is_an_inner_node_is_written_and_read(tmp_path: Path) -> None:
    tree = Hierarchy.from_levels("icd", INNER)
    tree.write(tmp_path / "icd.csv")
    assert Hierarchy.read(tmp_path / "icd.csv") == tree


def test_from_prefixes_refuses_values_that_are_masked_already() -> None:
    for values, said in ((["48*", "481"], "1 value"), (["48*", "481", "52*", "529"], "2 values")):
        problem = f"masked already, as prefixes of other values: {said}."
        with pytest.raises(HierarchyError, match=re.escape(problem)):
            Hierarchy.from_prefixes("zip", values, keep=[2])


@pytest.mark.parametrize(("keep", "mask"), [([2, 3], "*"), ([2, 2], "*"), ([-1], "*"), ([1], "##")])
def test_from_prefixes_refuses(keep: list[int], mask: str) -> None:
    with pytest.raises(HierarchyError, match=r"keep=.* must be decreasing"):
        Hierarchy.from_prefixes("zip", ["48201"], keep=keep, mask=mask)


# Files


def write(folder: Path, text: str, name: str = "adult_hierarchy_age.csv") -> Path:
    path = folder / name
    path.write_bytes(text.encode())
    return path


@pytest.mark.parametrize(
    "text",
    [
        "18;<30;*\n23;<30;*\n52;>=30;*\n",
        "18,<30,*\r\n23,<30,*\r\n52,>=30,*",
        "\ufeff18;<30;*\n\n23;<30;*\n23;<30;*\n;;\n52;>=30;*;\n",
        '"18","<30","*"\n"23","<30","*"\n"52",">=30","*"\n',
        "18;<30\n23;<30\n52;>=30\n",
        "child,parent\n18,<30\n23,<30\n52,>=30\n<30,*\n>=30,*\n",
        "Child;Parent\r\n18;<30\r\n23;<30\r\n52;>=30\r\n*;\r\n<30;*\r\n",
        '"child","parent"\n"18","<30"\n"23","<30"\n"52",">=30"\n',
    ],
)
def test_read(tmp_path: Path, text: str) -> None:
    assert Hierarchy.read(write(tmp_path, text)) == AGE


def test_read_takes_the_name_from_the_file(tmp_path: Path) -> None:
    assert Hierarchy.read(write(tmp_path, "m\nf\n", "sex.csv")).attribute == "sex"
    path = write(tmp_path, "m\nf\n", "adult_hierarchy_marital-status.csv")
    assert Hierarchy.read(str(path)).attribute == "marital-status"
    assert Hierarchy.read(path, attribute="status").attribute == "status"


def test_read_prefers_the_separator_of_more_lines(tmp_path: Path) -> None:
    text = "25;[20,30[;*\n95;*\n"
    assert Hierarchy.read(write(tmp_path, text)).paths["25"] == ("25", "[20,30[", "*")
    text = '"a;b",G,*\nb;c,G,*\nd,G,*\n'
    assert Hierarchy.read(write(tmp_path, text)).leaves == ("a;b", "b;c", "d")
    text = "[20,30)\n[30,40)\n"
    assert Hierarchy.read(write(tmp_path, text), delimiter=";").leaves == ("[20,30)", "[30,40)")
    text = "a\tG\nchild\tparent\n"
    assert Hierarchy.read(write(tmp_path, text), delimiter="\t").leaves == ("a", "child")


def test_read_with_another_encoding(tmp_path: Path) -> None:
    path = tmp_path / "city.csv"
    path.write_bytes("Rome;IT\nKöln;DE\n".encode("cp1252"))
    with pytest.raises(InputError, match=r"city\.csv, line 2: the text is not utf-8-sig"):
        Hierarchy.read(path)
    assert Hierarchy.read(path, encoding="cp1252").leaves == ("Rome", "Köln")
    with pytest.raises(InputError, match="unknown"):
        Hierarchy.read(path, encoding="klingon")


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("", InputError, r"age\.csv: expected a line for each value"),
        (" \n;;\n", InputError, "expected a line for each value"),
        ("child,parent\n", InputError, "expected a line for each value"),
        ('18;"<30\n23;<30\n', InputError, "line 1: unexpected end of data"),
        ("18;<30;*\n23;;*\n", HierarchyError, r"age\.csv, line 2: .*an empty cell"),
        ("18;<30;*\n23;<30;*\n23;20s;*\n", HierarchyError, r"age\.csv, lines 2, 3: .*several"),
        ("18;G;A\n20;G;A\n22;G;A\n24;G;B\n", HierarchyError, "lines 1, 4: .*several parents"),
        ('"a\nb";G;*\n\n*\n', HierarchyError, "line 4: .*two places for 1 value"),
        ("a;G;G;*\nb;G;*;*\n", HierarchyError, "lines 1, 2: .*ends at levels 1 and 2"),
        ("child,parent\na,G\nb,a\nG,a\n", HierarchyError, "lines 2, 4: .*circle"),
        ("child,parent\na,G\na,H\n", HierarchyError, "lines 2, 3: .*several parents"),
        ("child,parent\na,G,*\n", HierarchyError, "line 2: expected two columns"),
    ],
)
def test_read_says_where(
    tmp_path: Path, text: str, error: type[AnonauditError], message: str
) -> None:
    with pytest.raises(error, match=message):
        Hierarchy.read(write(tmp_path, text))


@pytest.mark.parametrize("mark", [";", ",", "|"])
def test_a_first_line_tells_the_delimiter(tmp_path: Path, mark: str) -> None:
    told = f"sep={mark}\r\n"
    lines = "18;<30;*\r\n23;<30;*\r\n52;>=30;*\r\n".replace(";", mark)
    assert Hierarchy.read(write(tmp_path, told + lines), attribute="age") == AGE
    pairs = "child;parent\nflu;lung\n".replace(";", mark)
    assert Hierarchy.read(write(tmp_path, told + pairs)).paths["flu"] == ("flu", "lung")
    with pytest.raises(HierarchyError, match=r"line 3: .*an empty cell"):
        Hierarchy.read(write(tmp_path, told + "18;<30;*\n23;;*\n".replace(";", mark)))


def test_read_without_a_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"none\.csv: .*No such file"):
        Hierarchy.read(tmp_path / "none.csv")
    with pytest.raises(InputError, match=r"[Dd]irectory"):
        Hierarchy.read(tmp_path)
    with pytest.raises(InputError, match="delimiter=';;'"):
        Hierarchy.read(write(tmp_path, "a;;b\n"), delimiter=";;")


def test_write_is_what_arx_reads(tmp_path: Path) -> None:
    path = tmp_path / "age.csv"
    path.write_text("something older")
    AGE.write(path)
    assert path.read_bytes() == b"18;<30;*\n23;<30;*\n52;>=30;*\n"
    assert [file.name for file in tmp_path.iterdir()] == ["age.csv"]


def test_a_failed_write_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "age.csv"
    AGE.write(path)
    with pytest.raises(InputError, match="cannot be written"):
        Hierarchy("age", [["\udc80", "*"]]).write(path)
    with pytest.raises(HierarchyError, match="read as a header"):
        Hierarchy("family", [["child", "parent"]]).write(path)
    assert Hierarchy.read(path) == AGE
    assert [file.name for file in tmp_path.iterdir()] == ["age.csv"]
    with pytest.raises(InputError, match="cannot be written"):
        AGE.write(tmp_path / "nowhere" / "age.csv")


# Real files


def shared(*parts: str) -> Path:
    path = SHARED.joinpath(*parts)
    if not path.exists():
        pytest.skip(f"{path} is absent; set ANONAUDIT_SHARED")
    return path


def arx_files() -> list[Path]:
    return sorted((SHARED / "datasets" / "arx").glob("*_hierarchy_*.csv"))


@pytest.mark.parametrize("path", arx_files(), ids=lambda path: path.stem)
def test_arx_hierarchies_load_as_they_are(path: Path) -> None:
    hierarchy = Hierarchy.read(path)
    with path.open(encoding="utf-8", newline="") as stream:
        rows = list(csv.reader(stream, delimiter=";"))
    assert list(hierarchy.paths.values()) == [tuple(row) for row in rows]
    assert path.stem.endswith(f"_hierarchy_{hierarchy.attribute}")


def test_arx_hierarchies_are_there() -> None:
    shared("datasets", "arx")
    assert len(arx_files()) == 15


def test_arx_disease() -> None:
    disease = Hierarchy.read(shared("datasets", "arx", "test2_hierarchy_Disease.csv"))
    assert disease.root == "respiratory&digestive disease"
    assert disease.lowest_common_ancestor(["gastritis", "stomach cancer"]) == "stomach disease"
    strong = disease.strong_values(["digestive system disease"])
    assert strong["stomach cancer"] == strong["gastritis"] == "digestive system disease"
    assert strong["flu"] == "flu"


def test_arx_hierarchies_cover_their_data() -> None:
    with shared("datasets", "arx", "adult.csv").open(encoding="utf-8", newline="") as stream:
        adult = list(csv.DictReader(stream, delimiter=";"))
    for path in arx_files():
        if path.name.startswith("adult_"):
            hierarchy = Hierarchy.read(path)
            hierarchy.check_covers(row[hierarchy.attribute] for row in adult)


def test_ten_thousand_lines_load_in_a_fifth_of_a_second() -> None:
    path = shared("datasets", "arx", "test_hierarchy_zipcode.csv")
    times = []
    for _ in range(5):
        start = time.process_time()
        assert len(Hierarchy.read(path).leaves) == 10_000
        times.append(time.process_time() - start)
    assert min(times) < 0.2


def lines_told(message: str, text: str) -> list[str]:
    """The lines of a file that a message names; it quotes none of them."""
    numbers = re.search(r", lines? ([0-9, ]+):", message)
    lines = text.splitlines()
    return [lines[int(number) - 1] for number in numbers[1].split(", ")] if numbers else []


def test_cases_b11_and_b12(tmp_path: Path) -> None:
    lines = shared("cases", "cases.jsonl").read_text(encoding="utf-8").splitlines()
    cases = {case["id"]: case for case in map(json.loads, lines)}
    broken = cases["B11-hierarchy-broken"]
    ages = [line.split(",")[0] for line in broken["csv"].splitlines()[1:]]
    for name, text in broken["params"]["hierarchies"].items():
        expected = broken["expected"][name]
        path = write(tmp_path, text)
        if expected["usable"]:
            age = Hierarchy.read(path)
            age.check_covers(ages)
            smallest = []
            for level in range(age.height + 1):
                masked = [age.generalize(value, level) for value in ages]
                smallest.append(min(map(masked.count, masked)))
            assert smallest == expected["k_by_level"]
            continue
        with pytest.raises(HierarchyError) as caught:
            Hierarchy.read(path).check_covers(ages)
        assert list(caught.value.values) == expected["offending_values"]
        told = lines_told(str(caught.value), text)
        for parent in expected.get("parents", []):
            assert any(parent in line for line in told)
    crossing = cases["B12-hierarchy-crossing-levels"]
    with pytest.raises(HierarchyError) as caught:
        Hierarchy.read(write(tmp_path, crossing["params"]["hierarchy"]))
    expected = crossing["expected"]["level1_values_with_several_parents"]
    assert list(caught.value.values) == sorted(expected)
    told = lines_told(str(caught.value), crossing["params"]["hierarchy"])
    for value, parents in expected.items():
        assert all(any(value in line and parent in line for line in told) for parent in parents)


# Laws

NASTY = st.sampled_from(['"', ";", ",", "\n", "\r", "\r\n", "\t", " ", "*", "\ufeff", "é", "名"])
TEXT = st.characters(exclude_categories=["Cs"])  # a lone surrogate is not text: see write
LABELS = st.lists(NASTY | TEXT, min_size=1, max_size=4).map("".join).filter(str.strip)


@st.composite
def trees(draw: st.DrawFn) -> dict[str, str]:
    """A random tree as child to parent: node i hangs below one of the nodes before it."""
    labels = draw(st.lists(LABELS, min_size=2, max_size=12, unique=True))
    return {
        labels[i]: labels[draw(st.integers(0, i - 1), label=f"parent of node {i}")]
        for i in range(1, len(labels))
    }


def plain_ancestors(tree: dict[str, str], value: str) -> list[str]:
    return [value, *(plain_ancestors(tree, tree[value]) if value in tree else [])]


@st.composite
def level_rows(draw: st.DrawFn) -> list[list[str]]:
    """The rows of a random tree in which every value ends at a random level."""
    tree = draw(trees())
    (root,) = set(tree.values()) - tree.keys()
    leaves = [value for value in tree if value not in tree.values()]
    below = {
        value: max(
            plain_ancestors(tree, leaf).index(value)
            for leaf in leaves
            if value in plain_ancestors(tree, leaf)
        )
        for value in [root, *tree]
    }
    ends = {root: below[root] + draw(st.integers(0, 2))}
    for value, parent in tree.items():  # parents come before their children
        ends[value] = draw(st.integers(below[value], ends[parent] - 1))
    return [
        [
            next(value for value in plain_ancestors(tree, leaf) if ends[value] >= level)
            for level in range(ends[root] + 1)
        ]
        for leaf in leaves
    ]


@given(trees())
def test_paths_are_the_chains_of_the_tree(tree: dict[str, str]) -> None:
    hierarchy = Hierarchy.from_parents("x", tree.items())
    nodes = {*tree, *tree.values()}
    assert sorted(hierarchy.nodes) == sorted(nodes)
    assert {len(path) for path in hierarchy.paths.values()} == {hierarchy.height + 1}
    assert set(hierarchy.leaves) == tree.keys() - set(tree.values())
    for value in nodes:
        assert hierarchy.ancestors(value) == tuple(plain_ancestors(tree, value))
        assert hierarchy.parent(value) == tree.get(value)
        assert set(hierarchy.children(value)) == {v for v in tree if tree[v] == value}
    for leaf, path in hierarchy.paths.items():
        assert list(dict.fromkeys(path)) == plain_ancestors(tree, leaf)


@given(trees())
def test_filled_levels_hold_no_value_above_another(tree: dict[str, str]) -> None:
    hierarchy = Hierarchy.from_parents("x", tree.items())
    for level in range(hierarchy.height + 1):
        for one, other in combinations(level_values(hierarchy, level), 2):
            assert not hierarchy.is_ancestor(one, other)
            assert not hierarchy.is_ancestor(other, one)


@given(trees(), st.data())
def test_the_common_ancestor_is_the_lowest(tree: dict[str, str], data: st.DataObject) -> None:
    hierarchy = Hierarchy.from_parents("x", tree.items())
    values = data.draw(st.lists(st.sampled_from(hierarchy.nodes), min_size=1, max_size=4))
    found = hierarchy.lowest_common_ancestor(values)
    assert all(found in plain_ancestors(tree, value) for value in values)
    for lower in hierarchy.children(found):
        assert not all(lower in plain_ancestors(tree, value) for value in values)


@given(trees(), st.data())
def test_strong_if_and_only_if_the_parent_is_not_protected(
    tree: dict[str, str], data: st.DataObject
) -> None:
    hierarchy = Hierarchy.from_parents("x", tree.items())
    named = data.draw(st.sets(st.sampled_from(hierarchy.nodes)))
    protected = {
        value
        for value in hierarchy.nodes
        if value in hierarchy.leaves or named & set(plain_ancestors(tree, value))
    }
    strong = hierarchy.strong_values(named)
    assert strong.keys() == protected
    for value, top in strong.items():
        assert top in plain_ancestors(tree, value)
        assert top in protected
        assert not protected & set(plain_ancestors(tree, top)[1:])  # CT06 Def. 3
        assert (top == value) == (tree.get(value) not in protected)  # CT06 Property 1


@given(trees(), st.data())
def test_the_first_boundary_counts(tree: dict[str, str], data: st.DataObject) -> None:
    hierarchy = Hierarchy.from_parents("x", tree.items())
    named = data.draw(st.sets(st.sampled_from(hierarchy.nodes)))
    for leaf, allowed in hierarchy.maximum_allowed(named).items():
        passed = plain_ancestors(tree, leaf)
        assert allowed in named or allowed == hierarchy.root
        assert not named & set(passed[: passed.index(allowed)])


@given(level_rows())
def test_levels_are_kept_as_given(rows: list[list[str]]) -> None:
    hierarchy = Hierarchy.from_levels("x", rows)
    assert [list(path) for path in hierarchy.paths.values()] == rows
    assert Hierarchy.from_levels("x", reversed(rows)) == hierarchy


@given(level_rows())
def test_generalize_is_monotone_and_composes(rows: list[list[str]]) -> None:
    hierarchy = Hierarchy.from_levels("x", rows)
    for row in rows:
        for level, value in enumerate(row):
            assert hierarchy.generalize(row[0], level) == value
            for higher in range(level, len(row)):
                assert hierarchy.generalize(value, higher) == row[higher]
    for value in hierarchy.nodes:
        steps = [hierarchy.generalize(value, level) for level in range(hierarchy.height + 1)]
        assert steps[0] == value
        assert steps[-1] == hierarchy.root
        assert all(hierarchy.is_ancestor(above, below) for below, above in pairwise(steps))


@given(rows=level_rows())
@example(rows=[["\ufeffa", "x"], ["b\r", "x"], ["c\n", "x"], ['"d', "x"], ["e;,", "x"]])
@example(rows=[["child", "x"], ["parent", "x"]])
def test_written_files_read_back(
    tmp_path_factory: pytest.TempPathFactory, rows: list[list[str]]
) -> None:
    path = tmp_path_factory.mktemp("written") / "x.csv"
    hierarchy = Hierarchy.from_levels("x", rows)
    hierarchy.write(path)
    assert Hierarchy.read(path) == hierarchy
    assert Hierarchy.read(path).leaves == hierarchy.leaves


def outcome(make: Callable[[], Hierarchy]) -> Hierarchy | AnonauditError:
    try:
        return make()
    except AnonauditError as error:
        return error


@given(st.lists(st.lists(st.sampled_from(["a", "b", "c", "G", "*"]), max_size=4), max_size=4))
def test_any_rows_give_a_tree_or_a_refusal(rows: list[list[str]]) -> None:
    hierarchy = outcome(lambda: Hierarchy.from_levels("x", rows))
    if isinstance(hierarchy, HierarchyError):
        assert list(hierarchy.values) == sorted(hierarchy.values)
        return
    assert isinstance(hierarchy, Hierarchy)
    assert {row[0] for row in rows if row} == set(hierarchy.leaves)
    edges = {step for row in rows for step in pairwise(row) if step[0] != step[1]}
    assert all(hierarchy.parent(value) == above for value, above in edges)
    assert {path[-1] for path in hierarchy.paths.values()} == {hierarchy.root}
    assert hierarchy.root not in hierarchy.leaves
    for leaf, path in hierarchy.paths.items():
        assert tuple(dict.fromkeys(path)) == hierarchy.ancestors(leaf)
        for level, value in enumerate(path):
            assert hierarchy.generalize(leaf, level) == value


@given(st.binary(max_size=40) | st.text('a;,"\n\r* ', max_size=20).map(str.encode))
def test_any_bytes_are_read_or_refused(
    tmp_path_factory: pytest.TempPathFactory, data: bytes
) -> None:
    path = tmp_path_factory.mktemp("bytes") / "x.csv"
    path.write_bytes(data)
    hierarchy = outcome(lambda: Hierarchy.read(path))
    if isinstance(hierarchy, AnonauditError):
        assert str(path) in str(hierarchy)
    else:
        assert hierarchy.height >= 1


@given(
    st.lists(st.decimals(-1000, 1000, places=2), min_size=1, max_size=6),
    st.lists(st.integers(1, 4), min_size=1, max_size=3),
    st.decimals(-10, 10, places=1),
)
def test_intervals_hold_their_numbers(
    numbers: list[Decimal], factors: list[int], origin: Decimal
) -> None:
    widths = [factors[0]]
    for factor in factors[1:]:
        widths.append(widths[-1] * factor)
    texts = [str(number) for number in numbers]
    hierarchy = Hierarchy.from_intervals("x", texts, widths=widths, origin=origin)
    for text, number in zip(texts, numbers, strict=True):
        for width, label in zip(widths, hierarchy.paths[text][1:], strict=False):
            low, high = (Decimal(bound) for bound in label.strip("[)").split(","))
            assert low <= number < high
            assert high - low == width
            assert (low - origin) % width == 0


def test_from_mappings() -> None:
    state = {"San Diego": "California", "Lincoln": "Nebraska"}
    region = {"California": "West Coast", "Nebraska": "Midwest", "Kansas": "Midwest"}
    location = Hierarchy.from_mappings("location", [state, region])
    assert location.paths["Lincoln"] == ("Lincoln", "Nebraska", "Midwest", "*")
    assert "Kansas" not in location
    del region["Nebraska"]
    with pytest.raises(HierarchyError, match="level 2 has no entry for 1 value") as caught:
        Hierarchy.from_mappings("location", [state, region])
    assert caught.value.values == ("Nebraska",)
    with pytest.raises(HierarchyError, match="no values"):
        Hierarchy.from_mappings("location", [])


def test_from_cuts() -> None:
    ages = ["17", "18", "29.9", "30", "65"]
    age = Hierarchy.from_cuts("age", ages, cuts=[[65, 18, 30], [30, 65], [30]])
    assert list(age.paths.values()) == [
        ("17", "(-inf,18)", "(-inf,30)", "(-inf,30)", "*"),
        ("18", "[18,30)", "(-inf,30)", "(-inf,30)", "*"),
        ("29.9", "[18,30)", "(-inf,30)", "(-inf,30)", "*"),
        ("30", "[30,65)", "[30,65)", "[30,inf)", "*"),
        ("65", "[65,inf)", "[65,inf)", "[30,inf)", "*"),
    ]
    assert Hierarchy.from_cuts("age", ["1"], cuts=[]).paths == {"1": ("1", "*")}


@pytest.mark.parametrize(
    ("cuts", "values"),
    [([[18, 65], [30]], ("30",)), ([[18], []], ()), ([[]], ()), ([[1], [3, 1, 2.5]], ("2.5", "3"))],
)
def test_from_cuts_refuses_cuts_that_are_not_nested(
    cuts: list[list[float]], values: tuple[str, ...]
) -> None:
    with pytest.raises(HierarchyError, match="level before") as caught:
        Hierarchy.from_cuts("age", ["20"], cuts=cuts)
    assert caught.value.values == values
    assert (", ".join(map(repr, values)) or "a level without boundaries") in str(caught.value)


@given(
    st.lists(st.decimals(-9, 9, places=1), min_size=1, max_size=6),
    st.lists(st.integers(-9, 9), min_size=1, max_size=5, unique=True),
    st.data(),
)
def test_cuts_part_the_numbers(
    numbers: list[Decimal], cuts: list[int], data: st.DataObject
) -> None:
    fewer = data.draw(st.lists(st.sampled_from(cuts), min_size=1))
    hierarchy = Hierarchy.from_cuts("x", map(str, numbers), cuts=[cuts, fewer])
    for level, bounds in ((1, cuts), (2, fewer)):
        assert len(level_values(hierarchy, level)) <= len(set(bounds)) + 1
        for number in numbers:
            interval = parse(hierarchy.paths[str(number)][level])
            assert isinstance(interval, Interval)
            low = -math.inf if interval.low is None else interval.low
            high = math.inf if interval.high is None else interval.high
            assert low <= Fraction(number) < high
            assert {interval.low, interval.high} <= {*map(Fraction, bounds), None}
            assert not any(low < cut < high for cut in bounds)
