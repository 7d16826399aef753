"""Every code the library emits is explained, and nothing that it does not emit."""

import ast
import importlib
import pkgutil
from pathlib import Path

import pandas as pd
import pytest

import anonaudit
from anonaudit.attack import attacks
from anonaudit.errors import AnonauditError
from anonaudit.findings import Outcome
from anonaudit.models import MODELS
from anonaudit.report.words.explanations import codes, explanation

EXPLANATIONS = {code: explanation(code) for code in codes()}
PACKAGE = Path(anonaudit.__file__).parent
CODES = {name for name, known in EXPLANATIONS.items() if known.kind == "warning"}
# Where the code of a notice is not written out: passed on from one of the calls that are looked at.
PASSED_ON = {
    ("notices.py", "finding.code"),
    ("notices.py", "total.code"),
    ("notices.py", "code"),
    ("lint.py", "code"),
}


def emitted():
    """The codes of notices as they stand in the source, and where they are only passed on."""
    codes, passed_on = set(), set()
    for file in [*PACKAGE.rglob("*.py"), *PACKAGE.parent.joinpath("attacks").rglob("*.py")]:
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if not isinstance(node, ast.Call) or not node.args:
                continue
            called = ast.unparse(node.func)
            if called.split(".")[-1] in ("Notice", "_finding", "LabelFinding"):
                first = node.args[0]
            elif called.endswith("warnings.append") and isinstance(node.args[0], ast.Tuple):
                first = node.args[0].elts[0]
            else:
                continue
            if isinstance(first, ast.Constant):
                codes.add(first.value)
            elif isinstance(first, ast.Name | ast.Attribute):
                passed_on.add((file.name, ast.unparse(first)))
    return codes, passed_on


def test_every_warning_is_explained():
    codes, passed_on = emitted()
    assert codes == CODES
    assert passed_on <= PASSED_ON  # a new way to pass codes on is to be looked at


def test_every_error_is_explained():
    for found in pkgutil.walk_packages(anonaudit.__path__, "anonaudit."):
        if ".cli" not in found.name and not found.name.endswith("__main__"):
            importlib.import_module(found.name)
    kinds, left = set(), [AnonauditError]
    while left:
        kind = left.pop()
        kinds.add(kind.__name__)
        left += [sub for sub in kind.__subclasses__() if sub.__module__.startswith("anonaudit.")]
    assert kinds == {name for name, known in EXPLANATIONS.items() if known.kind == "error"}


def test_every_model_attack_and_outcome_is_explained():
    by_kind = {"model": set(MODELS), "outcome": {str(outcome) for outcome in Outcome}}
    for kind, names in by_kind.items():
        assert names == {name for name, known in EXPLANATIONS.items() if known.kind == kind}
    ours = {name for name, attack in attacks().items() if attack.__module__.startswith("attacks.")}
    assert ours <= {name for name, known in EXPLANATIONS.items() if known.kind == "attack"}


@pytest.mark.parametrize("code", EXPLANATIONS)
def test_explanations_are_whole_sentences(code):
    for said in EXPLANATIONS[code][1:]:
        assert said.endswith((".", "?"))
        assert said[0].isupper()
        assert "{" not in said
        assert "  " not in said


@pytest.mark.parametrize(
    ("term", "source"),
    [
        ("maxP", "TV06 Condition 1"),
        ("maxGroups", "TV06 Condition 2"),
        ("MAM", "MCT08 Definition 9"),
        ("OUT", "MCT08 Properties 5 and 6"),
        ("t", "GCG08 Theorem 1"),
    ],
)
def test_terms_of_the_papers_say_where_they_are_defined(term, source):
    found = EXPLANATIONS[term]
    assert found.kind == "term"
    assert source in found.means


def test_as_many_classes_as_maxgroups_are_not_enough():
    """Four rows, two values twice each: (4 - 2) / 1 = 2 classes at most, and these two fail."""
    table = pd.DataFrame({"a": list("xxyy"), "s": list("1122")})
    report = anonaudit.audit(table, quasi_identifiers=["a"], sensitive=["s"])
    [found] = [model for model in report.models if model.model == "p-sensitive-k-anonymity"]
    assert found.details["maxGroups"]["2"] == report.release.classes == 2
    assert found.measured == 1
    assert "may still not be p-sensitive" in EXPLANATIONS["maxGroups"].matters


def test_every_term_is_explained():
    names = {name for name, known in EXPLANATIONS.items() if known.kind == "term"}
    of_reports = {"class", "undecided", "baseline", "loss", "suppressed-tuple", "unit"}
    conventions = {"own-category", "wildcard", "one-value"}
    assert names == {"maxP", "maxGroups", "MAM", "OUT", "t"} | of_reports | conventions


def test_what_is_not_ours_is_not_explained():
    assert explanation("differential-privacy") is None
