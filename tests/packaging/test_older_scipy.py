"""Types that only newer versions of scipy can subscript at run time stand in quotes."""

import ast
from pathlib import Path

import pytest
from conftest import ROOT

FILES = [p for folder in ("anonaudit", "attacks") for p in sorted((ROOT / folder).rglob("*.py"))]


def evaluated(tree: ast.Module) -> set[str]:
    """Subscripted names of scipy.sparse outside annotations, which nobody evaluates."""
    notes = {
        id(part)
        for node in ast.walk(tree)
        for note in (getattr(node, "annotation", None), getattr(node, "returns", None))
        if note is not None
        for part in ast.walk(note)
    }
    return {
        node.value.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Subscript)
        and id(node) not in notes
        and isinstance(node.value, ast.Attribute)
        and isinstance(node.value.value, ast.Name)
        and node.value.value.id == "sparse"
    }


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(ROOT)))
def test_no_sparse_type_is_subscripted_at_run_time(file: Path):
    assert evaluated(ast.parse(file.read_text(encoding="utf-8"))) == set()


def test_what_is_looked_for():
    assert evaluated(ast.parse("Table = sparse.csr_array[int]")) == {"csr_array"}
    assert evaluated(ast.parse("def f(a: sparse.csr_array[int]) -> None: ...")) == set()
