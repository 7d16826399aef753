"""No model, no attack and no masker is named in quotes outside its own file.

What is true of one model stands on its class, so that it can be true of a model of another package.
The papers' claims and experiments name models; so do docstrings, and sentences and policies that
are written as a whole.
"""

import ast
import inspect
from pathlib import Path

import pytest

import anonaudit
from anonaudit.masking.algorithms import ALGORITHMS
from anonaudit.plugins import ATTACKS, MODELS

ROOT = Path(anonaudit.__file__).parent.parent
FILES = sorted(
    path
    for folder in ("anonaudit", "attacks")
    for path in (ROOT / folder).rglob("*.py")
    if "papers" not in path.parts
)
HOME = {
    name: Path(inspect.getfile(plugins[name]))
    for plugins in (MODELS, ATTACKS)
    for name in plugins
    if plugins.ours(name)
} | {name: Path(inspect.getfile(masker.run)) for name, masker in ALGORITHMS.items()}


def quoted(source):
    """Every text of a module that is no docstring, with its line; pieces of f-strings too."""
    tree = ast.parse(source)
    docstrings = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    return [
        (node.lineno, node.value.strip())
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and id(node) not in docstrings
    ]


def named(file, source):
    return [(line, text) for line, text in quoted(source) if HOME.get(text, file) != file]


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(ROOT)))
def test_no_name_is_quoted_elsewhere(file):
    assert named(file, file.read_text("utf-8")) == []


def test_every_name_is_quoted_at_home():
    assert len(HOME) > 30
    for name, file in HOME.items():
        assert name in [text for _, text in quoted(file.read_text("utf-8"))]


def test_names_would_be_found():
    source = (
        '"""k-anonymity"""\nclass A:\n    """linkage"""\n    x = {"k-anonymity": 1}\n'
        'def f(n):\n    """k-map"""\n    return n == "linkage" or f"{n}k-map "\n'
    )
    assert named(Path("elsewhere.py"), source) == [
        (4, "k-anonymity"),
        (7, "linkage"),
        (7, "k-map"),
    ]
    assert named(HOME["k-map"], 'x = "k-map"') == []
    for masker in ALGORITHMS:
        assert named(Path("elsewhere.py"), f'x = "{masker}"') == [(1, masker)]
