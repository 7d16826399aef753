"""Verification and attack-testing harness for masked microdata.

    >>> import anonaudit
    >>> report = anonaudit.audit(
    ...     anonaudit.datasets.path("TV06/table3.csv"),
    ...     quasi_identifiers=["age", "zip-code", "sex"],
    ...     sensitive=["illness", "income"],
    ... )
    >>> report.release.classes
    2

Importing this package loads no engine: each name is loaded at its first use.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from anonaudit import notebook
from anonaudit.version import __version__ as __version__

if TYPE_CHECKING:
    from anonaudit import datasets
    from anonaudit.auditing.audit import audit
    from anonaudit.errors import AnonauditError
    from anonaudit.findings import AuditReport, Disclosure, Measurement, Outcome
    from anonaudit.generalization.hierarchy import Hierarchy
    from anonaudit.matrix.attack_cells import Matrix
    from anonaudit.matrix.given import compare
    from anonaudit.policy.policy import Policy, read_policy

_HOME = {
    "AnonauditError": "anonaudit.errors",
    "AuditReport": "anonaudit.findings",
    "Disclosure": "anonaudit.findings",
    "Hierarchy": "anonaudit.generalization.hierarchy",
    "Measurement": "anonaudit.findings",
    "Outcome": "anonaudit.findings",
    "Policy": "anonaudit.policy.policy",
    "audit": "anonaudit.auditing.audit",
    "compare": "anonaudit.matrix.given",
    "datasets": "anonaudit",
    "read_policy": "anonaudit.policy.policy",
}

__all__ = [
    "AnonauditError",
    "AuditReport",
    "Disclosure",
    "Hierarchy",
    "Measurement",
    "Outcome",
    "Policy",
    "audit",
    "compare",
    "datasets",
    "read_policy",
]


def _to_html(result: notebook.Result) -> str:
    from anonaudit.report.html import to_notebook

    return to_notebook(result)


def _plot(result: AuditReport | Matrix, **how: Any) -> notebook.Picture:
    from anonaudit.findings import AuditReport

    if isinstance(result, AuditReport):
        from anonaudit.report.picture import report_picture

        return report_picture(result)
    from anonaudit.matrix.pictures import matrix_picture

    return matrix_picture(result, **how)


notebook.html_of = _to_html
notebook.plot = _plot


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'anonaudit' has no attribute {name!r}")
    if name == "datasets":
        return import_module("anonaudit.datasets")
    value = getattr(import_module(_HOME[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
