"""Every attack on the output of every masking algorithm: the disclosures left after masking."""

from anonaudit.matrix.attack_cells import Cell, Defence, Matrix, Row
from anonaudit.matrix.given import compare
from anonaudit.matrix.heatmap import draw
from anonaudit.matrix.render import to_csv, to_json, to_text
from anonaudit.matrix.run import matrix
from anonaudit.report.drawing import FORMS

__all__ = [
    "FORMS",
    "Cell",
    "Defence",
    "Matrix",
    "Row",
    "compare",
    "draw",
    "matrix",
    "to_csv",
    "to_json",
    "to_text",
]
