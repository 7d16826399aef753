"""The experiments of the papers, run again: one file a paper, one `Experiment` a table or figure.

What is measured stands beside what the paper printed, over several seeds, with a sentence on each
statement of the paper that the measurement can agree or disagree with.
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
