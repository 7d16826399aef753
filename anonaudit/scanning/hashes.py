"""Reverse unsalted hashes by trying candidate values, for example a list of persons."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Sequence

from anonaudit.generalization.value_kinds import HASHES


def reversed_hashes(labels: Sequence[str], candidates: Collection[str]) -> set[str]:
    """Return the labels that are the unsalted hash of a candidate, in any letter case.

    Parameters
    ----------
    labels
        The different values of a column.
    candidates
        Values that may have been hashed. The UTF-8 bytes of each value are hashed as it is, in
        lower case and in upper case.

    Returns
    -------
    The labels that are the MD5, SHA-1, SHA-256 or SHA-512 hash of a candidate.

    Example
    -------
    >>> reversed_hashes([hashlib.md5(b"ann@example.org").hexdigest()], ["Ann@example.org"]) != set()
    True
    """
    wanted = {name: {one.lower() for one in labels if len(one) == n} for name, n in HASHES.items()}
    known: set[str] = set()
    for name, hashes in wanted.items():
        if hashes and candidates:
            tried = {form for one in candidates for form in (one, one.lower(), one.upper())}
            made = (
                hashlib.new(name, form.encode(errors="surrogatepass"), usedforsecurity=False)
                for form in tried
            )
            known |= hashes & {one.hexdigest() for one in made}
    return {label for label in labels if label.lower() in known}
