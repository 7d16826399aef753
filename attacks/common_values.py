"""Compare the sensitive values of several releases: which values are equal, or may be equal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from anonaudit.attack import Setting
from anonaudit.cells import FIRST_VALUE
from anonaudit.frequency.classes import EquivalenceClasses
from anonaudit.frequency.codes import Codes
from anonaudit.generalization.labels import exact_number, is_padded
from anonaudit.generalization.spellings import spelled_otherwise
from anonaudit.linking.matching import match_column
from attacks.joint_rows import UNKNOWN_VALUE


def value_numbers(
    name: str, decimal: str, releases: Sequence[EquivalenceClasses]
) -> dict[str, int]:
    """Return a number for each label of a sensitive attribute; equal values have equal numbers.

    The labels are those of all releases. Labels of the same amount, such as `1` and `1.0`, are the
    same value. A label with leading zeros is a text, so `01` differs from `1`.
    """
    tables = [release.base for release in releases if name in release.roles.sensitive]
    labels = sorted({label for table in tables for label in table.labels_of(name)[FIRST_VALUE:]})
    amounts = [None if is_padded(label) else exact_number(label, decimal) for label in labels]
    values = [
        label if amount is None else amount for label, amount in zip(labels, amounts, strict=True)
    ]
    place = {value: i for i, value in enumerate(dict.fromkeys(values))}
    return {label: place[value] for label, value in zip(labels, values, strict=True)}


def numbered_cells(release: EquivalenceClasses, numbers: Mapping[str, Mapping[str, int]]) -> Codes:
    """Return the value number of each sensitive cell of a release, shape (n_entries, attributes).

    numbers: by sensitive attribute, the numbers of its values, from `value_numbers`.

    In an attribute that the release lacks, all cells have the number UNKNOWN_VALUE. In the other
    attributes, unknown cells have this number, unless the convention counts them as one value; then
    they share a number of their own.
    """
    cells = np.full((len(release.base), len(numbers)), UNKNOWN_VALUE)
    counted = release.convention.first_counted < FIRST_VALUE
    for j, (name, place) in enumerate(numbers.items()):
        if name in release.roles.sensitive:
            of_code = _numbered(release.base.labels_of(name), place)
            of_code[:FIRST_VALUE] = len(place) if counted else UNKNOWN_VALUE
            cells[:, j] = of_code[release.base.column(name)]
    return cells


def unlike(
    name: str, numbers: Mapping[str, int], one: EquivalenceClasses, other: EquivalenceClasses
) -> list[int]:
    """Return the numbers of the sensitive values that the two releases spell differently."""
    if not _both_have(name, one, other):
        return []
    ours, theirs = (release.base.labels_of(name)[FIRST_VALUE:] for release in (one, other))
    return [numbers[label] for group in spelled_otherwise(ours, theirs) for label in group]


def wider(
    setting: Setting,
    name: str,
    numbers: Mapping[str, int],
    one: EquivalenceClasses,
    other: EquivalenceClasses,
) -> Codes:
    """Return the numbers of values of one release that may denote a different value of the other.

    For example, `respiratory` may denote `flu`, `20-29` may denote 25, and `E11**` may denote
    E11.9. A label that is not understood may denote any value. The numbers of both values are
    returned.
    """
    if not _both_have(name, one, other):
        return np.empty(0, np.int64)
    ours, theirs = (release.base.labels_of(name) for release in (one, other))
    pieces = []
    for ground, released in ((ours, theirs), (theirs, ours)):
        matches = match_column(
            ground,
            released,
            hierarchy=setting.hierarchies.get(name),
            reading=setting.readings.get(name),
            separator=setting.separators.get(name),
            decimal=setting.decimal,
            maybe=True,
            one_kind=True,
        ).widest
        place, code = matches.of(np.arange(FIRST_VALUE, len(ground)))
        value, known = _numbered(ground, numbers)[place + FIRST_VALUE], code >= FIRST_VALUE
        label = _numbered(released, numbers)[code]
        pieces += [some[known & (value != label)] for some in (value, label)]
    return np.unique(np.concatenate(pieces))


def _both_have(name: str, one: EquivalenceClasses, other: EquivalenceClasses) -> bool:
    return name in one.roles.sensitive and name in other.roles.sensitive


def _numbered(labels: Sequence[str], numbers: Mapping[str, int]) -> Codes:
    """Return the value number of each code of a column; UNKNOWN_VALUE for cells without a value."""
    known = [numbers[label] for label in labels[FIRST_VALUE:]]
    return np.array([UNKNOWN_VALUE] * FIRST_VALUE + known, np.int64)
