"""What a shell offers for a value that was begun: names that only anonaudit knows.

`anonaudit --install-completion` switches it on. What is looked up is imported when a shell asks.
"""

from __future__ import annotations

from collections.abc import Iterable


def complete_algorithm(incomplete: str) -> list[str]:
    """The masking algorithms."""
    from anonaudit.masking.maskers import ALGORITHMS

    return _beginning(incomplete, ALGORITHMS)


def complete_algorithm_or_best(incomplete: str) -> list[str]:
    """The masking algorithms, and `best` of them."""
    from anonaudit.masking.maskers import ALGORITHMS, BEST

    return _beginning(incomplete, (*ALGORITHMS, BEST))


def complete_attack(incomplete: str) -> list[str]:
    """The attacks that are installed."""
    from anonaudit.attack import attack_names

    return _beginning(incomplete, attack_names())


def complete_code(incomplete: str) -> list[str]:
    """Whatever `anonaudit explain` explains."""
    from anonaudit.report.words.explanations import codes as every_code

    return _beginning(incomplete, every_code())


def complete_claim(incomplete: str) -> list[str]:
    """The papers of the ledger, then its claims."""
    from anonaudit.papers.claims import CLAIMS, LEDGERS

    return _beginning(incomplete, [*(x.paper for x in LEDGERS), *(x.id for x in CLAIMS)])


def complete_paper(incomplete: str) -> list[str]:
    """The papers with experiments."""
    from anonaudit.papers.reproduction import EXPERIMENTS

    return _beginning(incomplete, dict.fromkeys(e.key for e in EXPERIMENTS))


def complete_profile(incomplete: str) -> list[str]:
    """The profiles that are installed."""
    from anonaudit.profiles import PROFILES

    return _beginning(incomplete, PROFILES)


def complete_table(incomplete: str) -> list[str]:
    """The tables and figures that can be made again."""
    from anonaudit.papers.reproduction import EXPERIMENTS

    return _beginning(incomplete, dict.fromkeys(e.table for e in EXPERIMENTS))


def _beginning(incomplete: str, names: Iterable[str]) -> list[str]:
    return [name for name in names if name.startswith(incomplete)]
