"""Agreement with pycanon 1.3.6 on two copies of Adult, and where the two differ (docs/pycanon.md).

Its numbers are frozen beside this file: printed by pycanon_numbers.py under Python 3.11 with
pycanon 1.3.6, pandas 2.3.3 and numpy 2.0.2. ANONAUDIT_PYCANON names a Python that has pycanon;
then they are computed anew.
"""

import json
import math
import os
import subprocess
from pathlib import Path

import pytest
from builders import reduced
from conftest import ROOT, shared_folder

from anonaudit.frequency.classes import EquivalenceClasses, equivalence_classes
from anonaudit.frequency.counting import count
from anonaudit.models import (
    AlphaKAnonymity,
    BetaLikeness,
    DeltaDisclosure,
    EntropyLDiversity,
    KAnonymity,
    LDiversity,
    RecursiveCLDiversity,
    TCloseness,
)
from anonaudit.roles import Roles
from anonaudit.source.table import open_source

HERE = Path(__file__).parent
THEIRS = json.loads((HERE / "pycanon_1.3.6.json").read_text())
FILES = {
    "arx": shared_folder() / "datasets" / "arx" / "adult.csv",
    "uci": ROOT / "datasets" / "adult" / "adult.csv.gz",
}
ON_ADULT = [name for name in THEIRS if ": " in name]


def classes_of(name: str) -> EquivalenceClasses:
    """The classes of `file: quasi-identifiers / sensitive`."""
    which, _, columns = name.partition(": ")
    quasi, _, sensitive = columns.partition(" / ")
    if not FILES[which].is_file():
        pytest.skip(f"needs {FILES[which].name} in the folder {FILES[which].parent}")
    names = [*quasi.split(", "), sensitive]
    roles = Roles(tuple(names[:-1]), (sensitive,))
    return equivalence_classes(count(open_source(FILES[which]), names), roles)


@pytest.mark.parametrize("name", ON_ADULT)
def test_levels_where_both_mean_the_same(name: str) -> None:
    classes, theirs = classes_of(name), THEIRS[name]
    for key, model in (
        ("k", KAnonymity()),
        ("l", LDiversity()),
        ("alpha", AlphaKAnonymity()),
        ("t", TCloseness()),
        ("beta", BetaLikeness()),
        ("delta", DeltaDisclosure(absent="ignored")),
    ):
        assert model.measure(classes).measured == pytest.approx(theirs[key], abs=1e-9), key
    entropy = EntropyLDiversity().measure(classes).measured
    assert entropy is not None
    assert theirs["entropy l"] == math.floor(entropy + 1e-9)


@pytest.mark.parametrize("name", ON_ADULT)
def test_levels_of_enhanced_beta_where_there_is_one(name: str) -> None:
    """Where no gain is above -ln p, both give the gain; else pycanon gives a number all the same."""
    ours = BetaLikeness(form="enhanced").measure(classes_of(name)).measured
    if ours is None:
        assert THEIRS[name]["enhanced beta"] < THEIRS[name]["beta"] + 1e-9
    else:
        assert ours == pytest.approx(THEIRS[name]["enhanced beta"], abs=1e-9)


def small(q: str, s: str) -> EquivalenceClasses:
    return reduced([(a, b) for a, b in zip(q, s, strict=True)], [0], [1])


def test_differences_that_can_be_counted_by_hand() -> None:
    """One line each in docs/pycanon.md."""
    # Three a and one b: exp(H) = 4 / 3^(3/4), which they round down.
    entropy = EntropyLDiversity().measure(small("xxxx", "aaab")).measured
    assert entropy == pytest.approx(4 / 3**0.75)
    assert THEIRS["entropy"]["entropy l"] == 1
    # Counts 3, 1, 1 and l = 3: 3 < c * 1 needs c > 3.
    assert RecursiveCLDiversity(l=3).measure(small("xxxxx", "aaabc")).measured == 3
    assert THEIRS["recursive"]["recursive"] == [1, 3]
    # The share of a grows from 0.3 to 1: a gain of 7/3, and -ln 0.3 = 1.204 allows no more.
    enhanced = BetaLikeness(form="enhanced").measure(small("xxxyyyyyyy", "aaabbbbbbb"))
    assert enhanced.measured is None
    assert THEIRS["enhanced"]["enhanced beta"] == pytest.approx(-math.log(0.3))
    # y lacks b: ln 0 in the definition.
    assert DeltaDisclosure().measure(small("xxyy", "abaa")).measured is None
    assert THEIRS["absent"]["delta"] == pytest.approx(math.log(2))
    # The row without a quasi-identifier is a class of its own, or matches anything; not nothing.
    assert KAnonymity().measure(reduced([("x",), ("x",), (None,)], [0], [])).measured == 1
    assert THEIRS["missing quasi-identifier"]["k"] == 2
    # a, b, and one unknown.
    assert (
        LDiversity().measure(reduced([("x", "a"), ("x", "b"), ("x", None)], [0], [1])).measured == 2
    )
    assert THEIRS["missing sensitive"]["l"] == "TypeError"
    # All three y have c; labels taken for positions mix the classes up.
    assert LDiversity().measure(small("xxyyy", "abccc")).measured == 1
    assert THEIRS["row labels in another order"]["l"] == 2
    assert THEIRS["row labels that are no positions"]["l"] == "IndexError"
    # One number everywhere: nothing is learned.
    scale = {"1": {"1": 1.0}}
    one = TCloseness(distance="ordered", scale=scale).measure(small("xxyy", "1111"))
    assert one.measured == 0
    assert THEIRS["one number"]["t"] == "ZeroDivisionError"
    # The suppressed tuple is no class of one.
    assert KAnonymity().measure(small("xxx*", "abca")).measured == 3
    assert THEIRS["suppressed tuple"]["k"] == 1


def test_ordered_distance_of_numbers() -> None:
    """Both by steps: 1, 2, 10 are two steps apart. x moves 1/4 by one step of 1/2 twice."""
    scale = {"1": {"1": 1.0, "2": 2.0, "10": 10.0}}
    classes = reduced([("x", "1"), ("x", "2"), ("y", "2"), ("y", "10")], [0], [1])
    ours = TCloseness(distance="ordered", scale=scale).measure(classes).measured
    assert ours == THEIRS["numbers"]["t"] == 0.25


def test_the_frozen_numbers_are_those_of_pycanon() -> None:
    python = os.environ.get("ANONAUDIT_PYCANON")
    if not python:
        pytest.skip("needs ANONAUDIT_PYCANON, a Python that has pycanon 1.3.6")
    script = [python, str(HERE / "pycanon_numbers.py"), *map(str, FILES.values())]
    found = subprocess.run(script, capture_output=True, text=True, check=True)
    assert json.loads(found.stdout) == THEIRS
