"""Anatomy: publish quasi-identifiers and sensitive values in separate tables, joined by group."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from anonaudit.cells import MISSING
from anonaudit.frequency.codes import distinct_rows
from anonaudit.masking.order import by_values, drawing
from anonaudit.masking.recoding import Recoding

GROUP = "group-id"
COUNT = "count"


@dataclass(frozen=True)
class Anatomy:
    """An anatomized table (GCG08 Definition 3, Figure 3).

    quasi_identifiers: the quasi-identifier table (QIT), with the original values and the group of
        each row.
    sensitive: the sensitive table (ST) of each sensitive attribute, with three columns: the group,
        the value, and the number of rows of the group with this value. A missing value is an empty
        cell.
    """

    quasi_identifiers: pd.DataFrame = field(repr=False)
    sensitive: Mapping[str, pd.DataFrame] = field(repr=False)


def anatomize(recoding: Recoding, *, seed: int | None = None, as_printed: bool = False) -> Anatomy:
    """Return the quasi-identifier table and the sensitive tables of a partition.

    Suppressed tuples are in no table. The sensitive cells in `Recoding.hidden` are published as
    suppressed. The group numbers are drawn at random, and the rows of the QIT are sorted by their
    values. So neither the group numbers nor the order of the rows link a row to the original.

    recoding: a recoding, for example from `mondrian`. Its groups are published, so they meet the
        goal for which the recoding was made.
    seed: the seed of the random group numbers, see `drawing`. None draws from the operating system.
    as_printed: True keeps the group numbers and the row order of the recoding, as Figure 3 does.
        Do not use it for a release.

    Source: GCG08 Definition 3 and Figure 5, "Anatomize"; Xiao and Tao, VLDB 2006.

    >>> from anonaudit.masking.goals import KAnonymous
    >>> from anonaudit.masking.mondrian import mondrian
    >>> from anonaudit.masking.recoding import Microdata
    >>> from anonaudit.roles import Roles
    >>> table = pd.DataFrame({"age": ["41", "42"], "illness": ["flu", "flu"]})
    >>> data = Microdata.read(table, Roles(("age",), ("illness",)))
    >>> anatomize(mondrian(data, KAnonymous(2))).sensitive["illness"].to_numpy().tolist()
    [[1, 'flu', 2]]
    """
    data, rows = recoding.data, np.flatnonzero(~recoding.suppressed)
    name = np.arange(1, len(recoding.keys) + 1)
    if not as_printed:
        name = name[drawing(seed)(len(name))]
    group = name[recoding.group[rows]]
    columns = {
        attribute: data.texts(attribute)[data.quasi[rows, j]]
        for j, attribute in enumerate(data.roles.quasi_identifiers)
    }
    tables = {}
    for j, attribute in enumerate(data.roles.sensitive):
        values = data.sensitive[rows, j].copy()
        if recoding.hidden is not None:
            values[recoding.hidden[rows, j]] = MISSING + 1
        pairs, pair = distinct_rows(np.column_stack([group, values]))
        tables[attribute] = pd.DataFrame(
            {
                GROUP: pairs[:, 0],
                attribute: data.texts(attribute)[pairs[:, 1]],
                COUNT: np.bincount(pair, minlength=len(pairs)),
            }
        )
    qit = pd.DataFrame({**columns, GROUP: group})
    if not as_printed:
        qit = qit.iloc[by_values(qit)].reset_index(drop=True)
    return Anatomy(qit, tables)
