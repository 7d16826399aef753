"""Run every attack on the release of every masking algorithm, and compare the disclosures."""

from anonaudit.matrix.attack_cells import Cell, Defence, Matrix, MatrixRow
from anonaudit.matrix.given import compare
from anonaudit.matrix.heatmap import draw_heatmap
from anonaudit.matrix.matrix_rows import matrix
from anonaudit.matrix.render import to_csv, to_json, to_text
from anonaudit.report.drawing import FORMS

__all__ = [
    "FORMS",
    "Cell",
    "Defence",
    "Matrix",
    "MatrixRow",
    "compare",
    "draw_heatmap",
    "matrix",
    "to_csv",
    "to_json",
    "to_text",
]
