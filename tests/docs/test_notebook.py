"""docs/notebook.ipynb runs from its first cell to its last, and holds no output."""

import ast
import json

from conftest import ROOT

NOTEBOOK = json.loads((ROOT / "docs" / "notebook.ipynb").read_text("utf-8"))


def test_the_cells_run_in_their_order() -> None:
    """As a kernel runs them: the last expression of a cell is shown."""
    names: dict[str, object] = {}
    shown = []
    for cell in NOTEBOOK["cells"]:
        if cell["cell_type"] != "code":
            continue
        body = ast.parse("".join(cell["source"])).body
        last = body.pop() if isinstance(body[-1], ast.Expr) else None
        exec(compile(ast.Module(body, []), "notebook", "exec"), names)
        if last is not None:
            result = eval(compile(ast.Expression(last.value), "notebook", "eval"), names)
            rich = getattr(result, "_repr_html_", None) or result._repr_svg_
            shown.append(rich())
    assert len(shown) == sum(cell["cell_type"] == "code" for cell in NOTEBOOK["cells"])
    assert shown[1].startswith("<div>\n<p><strong>VIOLATED: 3 of 4 requirements broken")
    assert all("<svg" in one or "<table" in one or "<strong>" in one for one in shown)


def test_it_holds_no_output() -> None:
    """Outputs would differ from one version of pandas to the next."""
    code = [cell for cell in NOTEBOOK["cells"] if cell["cell_type"] == "code"]
    assert code
    assert all(not cell["outputs"] and cell["execution_count"] is None for cell in code)
