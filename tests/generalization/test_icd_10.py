"""Chapters and blocks of ICD-10-CM. Expected: the tabular list (C34 is in C30-C39, chapter 2)."""

import pandas as pd
import pytest

import anonaudit
from anonaudit.errors import HierarchyError, InputError, PolicyError
from anonaudit.generalization import icd_10
from anonaudit.generalization.hierarchy import Hierarchy
from anonaudit.policy.policy import parse_policy

pytest.importorskip("simple_icd_10_cm")


def test_paths():
    codes = ["C34.1", "c341", "C34", "I10", "B20", "Z38.00"]
    tree = Hierarchy.from_icd_10("dx", codes)
    above = {code: tree.ancestors(code)[1:] for code in codes}
    assert above == {
        "C34.1": ("C34", "C30-C39", "chapter 2", "*"),
        "c341": ("C34", "C30-C39", "chapter 2", "*"),
        "C34": ("C30-C39", "chapter 2", "*"),
        "I10": ("I10-I1A", "chapter 9", "*"),
        "B20": ("chapter 1", "*"),  # its block is B20 alone
        "Z38.00": ("Z38", "Z30-Z39", "chapter 21", "*"),
    }


@pytest.mark.parametrize("wrong", ["2", "21", "C30-C39", "C99.999", "flu", ""])
def test_what_is_no_code_is_refused(wrong):
    with pytest.raises(HierarchyError) as error:
        Hierarchy.from_icd_10("dx", ["I10", wrong])
    assert error.value.values == (wrong,)


def test_a_protected_chapter():
    """By hand: lung and breast cancer are two values, and one protected chapter."""
    frame = pd.DataFrame({"sex": ["F", "F"], "dx": ["C34.1", "C50.9"]})
    policy = """
        columns = { quasi-identifiers = ["sex"], sensitive = ["dx"] }
        hierarchies.dx = { icd-10 = true, protected = ["chapter 2"] }
        require.p-sensitive-k-anonymity = { p = 2 }
        require.extended-p-sensitive-k-anonymity = { p = 2 }
    """
    plain, extended = anonaudit.audit(frame, parse_policy(policy)).models[:2]
    assert (plain.measured, extended.measured) == (2, 1)


@pytest.mark.parametrize("said", ["icd-10 = false", "icd-10 = true, prefixes = [3]"])
def test_mistakes(said):
    with pytest.raises(PolicyError, match=r"must be true|needs exactly one of"):
        parse_policy(f"columns.sensitive = ['dx']\nhierarchies.dx = {{ {said} }}")


def test_without_the_package(monkeypatch):
    icd_10._codes.cache_clear()
    monkeypatch.setitem(__import__("sys").modules, "simple_icd_10_cm", None)
    with pytest.raises(InputError, match=r"anonaudit\[icd\]"):
        icd_10.icd_10_rows("dx", ["I10"])
    icd_10._codes.cache_clear()
