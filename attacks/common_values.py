"""The values of sensitive attributes that several releases have in common, or may have."""

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
    """A number for each value of a sensitive attribute in any of the releases.

    Equal numbers are one value, however they are written (`1`, `1.0`); codes with leading zeros are
    texts.
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
    """The numbers of the sensitive cells of each entry of a release, shape (n_entries, attributes).

    numbers: by sensitive attribute those of its values; one that the release lacks is unknown in
    all of its rows. Where unknown cells count as a value, they have a number of their own.
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
    """The numbers of the values of a sensitive attribute that the releases spell differently."""
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
    """The numbers of the values that may stand for another value in the other release.

    `respiratory` above `flu`, `20-29` and 25, `E11**` and E11.9; and labels not understood.
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
    """The number of each code of a column; UNKNOWN_VALUE for cells without a value."""
    known = [numbers[label] for label in labels[FIRST_VALUE:]]
    return np.array([UNKNOWN_VALUE] * FIRST_VALUE + known, np.int64)
