"""The experiments of the papers, run again: one file a paper, one `Experiment` a table or figure.

What is measured stands beside what the paper printed, over several seeds, with a sentence on each
statement of the paper that the measurement can agree or disagree with.
"""

from anonaudit.papers.reproduction.document_markdown import TUNED
from anonaudit.papers.reproduction.experiment import Experiment, Results
from anonaudit.papers.reproduction.readings import Reading
from anonaudit.papers.reproduction.runs import EXPERIMENTS, chosen, left_out, run
from anonaudit.papers.reproduction.written import altered, is_whole, summary, write

__all__ = [
    "EXPERIMENTS",
    "TUNED",
    "Experiment",
    "Reading",
    "Results",
    "altered",
    "chosen",
    "is_whole",
    "left_out",
    "run",
    "summary",
    "write",
]
