"""The repeated experiments of the papers: one or more `Experiment`s for each table or figure.

Every experiment runs with several seeds. A report compares our numbers with the printed numbers. It
says for each testable statement of the paper whether our numbers agree with the statement.
"""

from anonaudit.papers.reproduction.document_markdown import TUNED
from anonaudit.papers.reproduction.experiment import Experiment, Results
from anonaudit.papers.reproduction.readings import ReadingResult
from anonaudit.papers.reproduction.runs import EXPERIMENTS, chosen, not_runnable, run
from anonaudit.papers.reproduction.written import agreement_in, altered, is_whole, write_run

__all__ = [
    "EXPERIMENTS",
    "TUNED",
    "Experiment",
    "ReadingResult",
    "Results",
    "agreement_in",
    "altered",
    "chosen",
    "is_whole",
    "not_runnable",
    "run",
    "write_run",
]
