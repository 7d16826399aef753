"""Unsorted matching: two files in the same order of rows link themselves.

Source: Sweeney 2002, section on unsorted matching attacks against k-anonymity.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from anonaudit.about import AboutAttack
from anonaudit.arrays import Index
from anonaudit.attack import Setting
from anonaudit.cells import FIRST_VALUE
from anonaudit.details import Details, fact
from anonaudit.errors import AnonauditError
from anonaudit.findings import Disclosure
from anonaudit.frequency.codes import distinct_rows
from anonaudit.frequency.frequency_set import in_row_order
from attacks.known_shuffles import Fits, put_back
from attacks.shared import (
    bounded,
    disclosure,
    link,
    nothing,
    seeds_option,
    share_option,
    shared_columns,
)

FEW_ROWS = 1_000  # up to so many, random orders are drawn
DRAWS, AT_ONCE = 9_999, 99


@dataclass(frozen=True, kw_only=True, eq=False)
class InOrder(Details):
    """Rows that fit the person at their place.

    fitting: how many. expected: how many would in a random order. chance: that as many would.
    undone: the order that was undone, if one was.
    """

    fitting: int = fact("rows that fit")
    expected: float = fact("rows that fit by chance")
    chance: float = fact("chance of that many")
    undone: str | None = fact("order undone", optional=True)


class UnsortedMatching:
    """The adversary holds a file whose rows may stand in the same order as the release's.

    Row i of one is linked with row i of the other. The order is taken for the same where both
    have as many rows, at least a share `agreement` of them fit (on every quasi-identifier that
    the other file has), and a random order would fit as well only with a chance below `chance`.
    Success: the rows that fit are linked, however large their classes are.

    The adversary also knows the programs that shuffle releases, and tries their seeds: the orders
    of `known_orders` are put back, and the first that fits so well counts. Of many orders one fits
    by luck, so each is believed only with a chance below its `level`; that chance is an upper
    bound (`at_most`).

    Where the rows of each class stand together, a sorted file fits without being in the order of
    the people: the links within a class are not shown, and the attack says so; unless both files
    are sorted by all their values, which explains the fit.

    Options: external, agreement (1 if not given), chance (0.01 if not given), seeds (0 to 99 if not
    given). No model bounds this attack; sorting the rows by all their values does. Baseline: the
    share of rows that fit in a random order.

    The chance is counted over random orders, drawn with the seed, for up to 1,000 rows; it is then
    1/10,000 at least. For more rows it is the normal approximation with the mean and the variance
    of a random order (Hoeffding 1951).
    """

    name: ClassVar[str] = "unsorted-matching"
    knowledge: ClassVar[str] = (
        "a file of the same people in the same order of rows, or in one that a known seed shuffles"
    )
    options: ClassVar[tuple[str, ...]] = ("external", "identity", "agreement", "chance", "seeds")
    about: ClassVar[AboutAttack] = AboutAttack(
        means="The rows of two files in the same order are linked one by one",
        matters="If the order is the same, no masking of cells protects anybody.",
        do="Shuffle the rows of the release, or sort them by their released values.",
    )

    @bounded
    def run(self, setting: Setting) -> Disclosure:
        """The rows that the order links."""
        agreement = share_option(self.name, setting, "agreement", 1.0)
        allowed = share_option(self.name, setting, "chance", 0.01)
        seeds = seeds_option(self.name, setting)
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
        person, key = people.entry_of(outside)[ours], keys.entry_of(inside)[theirs]
        fits = Fits(person, key, pairs.person * len(keys) + pairs.key, len(keys))
        fitting = fits.rows(np.arange(n))
        expected = float((people.counts[pairs.person] * keys.counts[pairs.key]).sum()) / n / n
        by_chance = _chance(
            fitting, person, key, (pairs.person, pairs.key), np.random.default_rng(setting.seed)
        )
        enough = fitting / n >= agreement  # not times n, which rounds
        same = enough and by_chance < allowed
        sorted_ = bool((np.diff(key) != 0).sum() == len(keys) - 1) and len(keys) < n
        linked, unfinished = fitting if same and not sorted_ else 0, None
        details = InOrder(fitting=fitting, expected=expected * n, chance=by_chance)
        if same and sorted_:
            unfinished = "the rows of each class stand together, so their order within is not shown"
        elif enough and not same:
            unfinished = "any other order would fit about as well"
        released = keys.counts[pairs.key]
        per_person = np.bincount(pairs.person, weights=released, minlength=len(people))[person]
        back = None if linked else put_back(fits, per_person, seeds, agreement, allowed)
        rows = _if_sorted(setting) if unfinished or back else None
        notes: tuple[str, ...] = ()
        alone = len(pairs.person) == len(people)
        if rows is not None and unfinished and _explained(person, key, rows, allowed, alone=alone):
            unfinished = None
            notes = ("both files are sorted by their own values, which explains why they fit",)
        if back is not None and rows is None:  # sorted rows are not shuffled
            linked, unfinished = back.rows, None
            details = replace(details, fitting=back.rows, chance=back.chance, undone=back.order)
        if not linked and unfinished is None and links.unread:
            unfinished = "; ".join(links.unread_labels)
        return disclosure(
            self,
            setting,
            targets=n,
            identified=linked,
            disclosed=linked if setting.classes.sensitive else 0,
            successes=linked,
            reason=unfinished,
            base=expected,
            details=details,
            notes=notes,
        )


def _if_sorted(setting: Setting) -> Index | None:
    """The value combination of each row, numbered in their order; None unless they are sorted.

    Sorted are rows by all their values, as texts, from the first column to the last: as `anonaudit
    mask` writes them. Such an order says nothing that the values do not say.
    """
    if setting.rows is None:
        return None
    try:
        table = setting.rows(())
    except AnonauditError:  # a column whose cells are no single values, and cannot be compared
        return None
    order, mark = in_row_order(table), setting.classes.convention.mark
    texts = [np.array(["", mark, *labels[FIRST_VALUE:]], object) for labels in table.labels[1:]]
    ranks = [np.unique(column, return_inverse=True)[1] for column in texts]
    cells = [rank[codes[order]] for rank, codes in zip(ranks, table.codes.T[1:], strict=True)]
    _, number = distinct_rows(np.column_stack(cells))
    return number if (np.diff(number) >= 0).all() else None


def _explained(person: Index, key: Index, rows: Index, allowed: float, *, alone: bool) -> bool:
    """Whether a sorted release fits a file for no other reason than that both are sorted.

    person, key: shape (n,), the combination of each row of the two files. rows: see `_if_sorted`.

    The file must be sorted by what it shares with the release, and people who are alike there must
    have equal rows: they may stand in an order that says more, such as that of their illness. And
    the release must not be sorted by luck. Rows in the order of people are, with a chance of one in
    the orders that the rows of the classes can have, which must be below `allowed`; or equal rows
    make all these orders one, and each of the people is `alone` in fitting one class.
    """
    from scipy.special import gammaln  # slow to start

    alike = np.diff(person) == 0
    if (np.diff(person) < 0).any() or (alike & (np.diff(rows) != 0)).any():
        return False
    orders = gammaln(np.bincount(key) + 1).sum() - gammaln(np.bincount(rows) + 1).sum()
    return bool(orders > -math.log(allowed) or (alone and orders < math.log(2) / 2))


def _chance(
    rows: int,
    person: Index,
    key: Index,
    fit: tuple[Index, Index],
    rng: np.random.Generator,
) -> float:
    """How likely a random order is to fit at least so many rows.

    person, key: shape (n,), the combination of each row of the two files, in order. fit: which
    combinations fit, as pairs of a person's and a key.
    """
    from scipy import sparse  # slow to start

    n = len(person)
    of_person, of_key = np.bincount(person), np.bincount(key)
    table = sparse.csr_array((np.ones(len(fit[0])), fit), shape=(len(of_person), len(of_key)))
    if n <= FEW_ROWS:
        fits, reached = table.toarray() > 0, 0
        for _ in range(DRAWS // AT_ONCE):
            orders = rng.permuted(np.tile(key, (AT_ONCE, 1)), axis=1)
            reached += int((fits[person, orders].sum(axis=1) >= rows).sum())
        return (1 + reached) / (1 + DRAWS)
    from scipy.stats import norm  # slow to start

    of_row, of_column = table @ of_key, of_person @ table  # how many fit each row, each key
    fitting = float(of_person @ of_row)
    squares = float(of_person @ of_row**2) + float(of_key @ of_column**2)
    spread = fitting - squares / n + (fitting / n) ** 2
    deviation = np.sqrt(max(spread, 0.0) / (n - 1))
    if deviation == 0:  # every order fits as well
        return float(rows <= round(fitting / n))
    return float(norm.sf((rows - 0.5 - fitting / n) / deviation))
