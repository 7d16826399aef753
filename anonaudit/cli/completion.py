"""Shell completion for names of algorithms, attacks, codes, claims, papers and profiles.

`anonaudit --install-completion` switches completion on. Each function imports the names only when
a shell asks for them.
"""

from __future__ import annotations

from collections.abc import Iterable


def complete_algorithm(incomplete: str) -> list[str]:
    """Return the masking algorithms that begin with the text."""
    from anonaudit.masking.maskers import ALGORITHMS

    return _beginning(incomplete, ALGORITHMS)


def complete_algorithm_or_best(incomplete: str) -> list[str]:
    """Return the masking algorithms that begin with the text, and `best`."""
    from anonaudit.masking.maskers import ALGORITHMS, BEST

    return _beginning(incomplete, (*ALGORITHMS, BEST))


def complete_attack(incomplete: str) -> list[str]:
    """Return the installed attacks that begin with the text."""
    from anonaudit.attack import attack_names

    return _beginning(incomplete, attack_names())


def complete_code(incomplete: str) -> list[str]:
    """Return the codes for `anonaudit explain` that begin with the text."""
    from anonaudit.report.words.explanations import codes as every_code

    return _beginning(incomplete, every_code())


def complete_claim(incomplete: str) -> list[str]:
    """Return the papers and claims of the ledger that begin with the text."""
    from anonaudit.papers.claims import CLAIMS, LEDGERS

    return _beginning(incomplete, [*(x.paper for x in LEDGERS), *(x.id for x in CLAIMS)])


def complete_paper(incomplete: str) -> list[str]:
    """Return the papers with experiments that begin with the text."""
    from anonaudit.papers.reproduction import EXPERIMENTS

    return _beginning(incomplete, dict.fromkeys(e.key for e in EXPERIMENTS))


def complete_profile(incomplete: str) -> list[str]:
    """Return the installed profiles that begin with the text."""
    from anonaudit.profiles import PROFILES

    return _beginning(incomplete, PROFILES)


def complete_table(incomplete: str) -> list[str]:
    """Return the reproducible tables and figures that begin with the text."""
    from anonaudit.papers.reproduction import EXPERIMENTS

    return _beginning(incomplete, dict.fromkeys(e.table for e in EXPERIMENTS))


def _beginning(incomplete: str, names: Iterable[str]) -> list[str]:
    return [name for name in names if name.startswith(incomplete)]
