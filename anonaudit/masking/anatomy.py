"""Anatomy: quasi-identifiers and sensitive values in tables of their own, joined by a group."""

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

    quasi_identifiers: the QIT, ground values and the group of each row.
    sensitive: for each sensitive attribute its ST: group, value, count; a missing value is empty.
    """

    quasi_identifiers: pd.DataFrame = field(repr=False)
    sensitive: Mapping[str, pd.DataFrame] = field(repr=False)


def anatomize(recoding: Recoding, *, seed: int | None = None, as_printed: bool = False) -> Anatomy:
    """The quasi-identifier table and one sensitive table an attribute, of any partition.

    recoding: what says which row is in which group, for example from `mondrian`; its groups meet
    the goal it was made for, and so do those published here. Suppressed tuples are in no table,
    a hidden sensitive cell is published as suppressed.
    The numbers of the groups are drawn, and the rows of the QIT sorted by their values, so that
    neither links to the original.
    seed: of the numbers, see `drawing`; None draws them from the operating system.
    as_printed: keep the numbers of the partition and the order of the rows, as the paper's Figure 3
    does; not for a release.

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
