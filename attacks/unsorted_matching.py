"""Unsorted matching: two files in the same order of rows link themselves.

Source: Sweeney 2002, section on unsorted matching attacks against k-anonymity.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy import sparse

from anonaudit.attack import Setting
from anonaudit.findings import Disclosure
from anonaudit.frequency.frequency_set import in_row_order
from attacks.shared import bounded, disclosure, link, nothing, share_option, shared_columns

Numbers = npt.NDArray[np.intp]

FEW_ROWS = 1_000  # up to so many, random orders are drawn
DRAWS, AT_ONCE = 9_999, 99


class UnsortedMatching:
    """The adversary holds a file whose rows may stand in the same order as the release's.

    Row i of one is linked with row i of the other. The order is taken for the same where both
    have as many rows, at least a share `agreement` of them fit (on every quasi-identifier that
    the other file has), and a random order would fit as well only with a chance below `chance`.
    Success: the rows that fit are linked, however large their classes are.

    Where the rows of each class stand together, a sorted file fits without being in the order of
    the people: the links within a class are not shown, and the attack says so.

    Options: external, agreement (1 if not given), chance (0.01 if not given). No model bounds
    this attack; shuffling the rows does. Baseline: the share of rows that fit in a random order.

    The chance is counted over random orders, drawn with the seed, for up to 1,000 rows; it is then
    1/10,000 at least. For more rows it is the normal approximation with the mean and the variance
    of a random order (Hoeffding 1951).
    """

    name: ClassVar[str] = "unsorted-matching"
    knowledge: ClassVar[str] = "a file of the same people in the same order of rows"
    options: ClassVar[tuple[str, ...]] = ("external", "identity", "agreement", "chance")

    @bounded
    def run(self, setting: Setting) -> Disclosure:
        """The rows that the order links."""
        agreement = share_option(self.name, setting, "agreement", 1.0)
        allowed = share_option(self.name, setting, "chance", 0.01)
        if setting.external is None or setting.ordered is None:
            return nothing(self, setting, "no external table with an order of rows was given")
        if setting.classes.roles.count is not None:
            return nothing(self, setting, "rows of an aggregated release are in no order of people")
        known = shared_columns(self.name, setting, setting.external)
        inside, outside = setting.ordered()
        if inside.total != outside.total or not inside.total:
            reason = f"{outside.total} rows against {inside.total}: the order cannot be the same"
            return nothing(self, setting, reason)
        n = inside.total
        ours, theirs = (in_row_order(table) for table in (outside, inside))
        people, keys = outside.project(known), inside.project(known)
        links = link(setting, people, keys)
        pairs = links.sure
        expected = float((people.counts[pairs.person] * keys.counts[pairs.key]).sum()) / n / n
        place = people.entry_of(outside)[ours] * len(keys) + keys.entry_of(inside)[theirs]
        found = int(pd.Index(place).isin(pairs.person * len(keys) + pairs.key).sum())
        by_chance = _chance(
            found,
            people.entry_of(outside)[ours],
            keys.entry_of(inside)[theirs],
            (pairs.person, pairs.key),
            np.random.default_rng(setting.seed),
        )
        enough = found / n >= agreement  # not times n, which rounds
        same = enough and by_chance < allowed
        key = keys.entry_of(inside)[theirs]
        sorted_ = bool((np.diff(key) != 0).sum() == len(keys) - 1) and len(keys) < n
        unfinished = None
        if same and sorted_:
            unfinished = "the rows of each class stand together, so their order within is not shown"
        elif enough and not same:
            unfinished = "any other order would fit about as well"
        elif links.unread:
            unfinished = "; ".join(links.unread_labels)
        linked = found if same and not sorted_ else 0
        return disclosure(
            self,
            setting,
            targets=n,
            identified=linked,
            disclosed=linked if setting.classes.sensitive else 0,
            successes=linked,
            reason=unfinished,
            base=expected,
            details={
                "rows that fit": found,
                "rows that fit by chance": expected * n,
                "chance of that many": by_chance,
            },
        )


def _chance(
    found: int,
    person: Numbers,
    key: Numbers,
    fit: tuple[Numbers, Numbers],
    rng: np.random.Generator,
) -> float:
    """How likely a random order is to fit at least so many rows.

    person, key: shape (n,), the combination of each row of the two files, in order. fit: which
    combinations fit, as pairs of a person's and a key.
    """
    n = len(person)
    of_person, of_key = np.bincount(person), np.bincount(key)
    table = sparse.csr_array((np.ones(len(fit[0])), fit), shape=(len(of_person), len(of_key)))
    if n <= FEW_ROWS:
        fits, reached = table.toarray() > 0, 0
        for _ in range(DRAWS // AT_ONCE):
            orders = rng.permuted(np.tile(key, (AT_ONCE, 1)), axis=1)
            reached += int((fits[person, orders].sum(axis=1) >= found).sum())
        return (1 + reached) / (1 + DRAWS)
    from scipy.stats import norm  # slow to start

    of_row, of_column = table @ of_key, of_person @ table  # how many fit each row, each key
    fitting = float(of_person @ of_row)
    squares = float(of_person @ of_row**2) + float(of_key @ of_column**2)
    spread = fitting - squares / n + (fitting / n) ** 2
    deviation = np.sqrt(max(spread, 0.0) / (n - 1))
    if deviation == 0:  # every order fits as well
        return float(found <= round(fitting / n))
    return float(norm.sf((found - 0.5 - fitting / n) / deviation))
