"""Unsorted matching: link the rows of two files that are in the same order.

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

FEW_ROWS = 1_000  # up to this many rows, the chance is estimated from random orders
DRAWS, AT_ONCE = 9_999, 99


@dataclass(frozen=True, kw_only=True, eq=False)
class InOrder(Details):
    """The rows that match the person at the same position.

    fitting: how many rows match. expected: the expected number of matches in a random order.
    chance: the chance that a random order has at least as many matches, or an upper bound of it if
    a shuffle was undone. undone: the name of the shuffle that was undone; None for none.
    """

    fitting: int = fact("rows that fit")
    expected: float = fact("rows that fit by chance")
    chance: float = fact("chance of that many")
    undone: str | None = fact("order undone", optional=True)


class UnsortedMatching:
    """The adversary holds a file whose rows may be in the same order as those of the release.

    Row i of the file is linked with row i of the release. The order counts as the same if three
    conditions hold:

    - The file and the release have the same number of rows.
    - At least the share `agreement` of the rows match on every quasi-identifier that the file has.
    - The chance that a random order matches at least as many rows is below `chance`.

    Success: the matching rows are linked, however large their classes are.

    The adversary also tries to undo the shuffles of known programs with known seeds
    (`known_orders`), and uses the first order in which enough rows match. If many orders are tried,
    one of them may match by chance. So the limit of each order is smaller than `chance`
    (`level_of_order`), and an upper bound of the chance of a match (`luck_bound`) must be below
    this limit.

    If the rows of each class are adjacent, two sorted files match although people of one class may
    be in different orders. The order within a class is then unknown, and the attack is undecided.
    But if the release is sorted by all its values, and the file by the columns that both have, the
    sorting may explain the match (`_explained`). The attack then links nobody.

    Options: external, identity, agreement (default 1), chance (default 0.01), seeds (default 0 to
    99). No model bounds this attack. A release whose rows are sorted by all their values prevents
    it. Baseline: the share of rows that match in a random order.

    For up to 1,000 rows the chance is estimated from 9,999 random orders, drawn with the seed of
    the audit, so it is at least 1/10,000. For more rows it is a normal approximation with the mean
    and the variance of the number of matches in a random order (Hoeffding 1951).
    """

    name: ClassVar[str] = "unsorted-matching"
    knowledge: ClassVar[str] = (
        "a file of the same people whose rows are in the order of the release, or in the order "
        "before a shuffle with a known seed"
    )
    options: ClassVar[tuple[str, ...]] = ("external", "identity", "agreement", "chance", "seeds")
    about: ClassVar[AboutAttack] = AboutAttack(
        means="The rows of two files in the same order are linked one by one",
        matters="If the order is the same, no masking of cells protects anybody.",
        do="Sort the rows of the release by their released values, or shuffle them without a seed "
        "that others could know or try.",
    )

    @bounded
    def run(self, setting: Setting) -> Disclosure:
        """Link the rows of the two files by their order."""
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
            reason = (
                f"the file has {outside.total} rows and the release {inside.total}, so the order "
                "cannot be the same"
            )
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
        enough = fitting / n >= agreement  # agreement * n may be rounded up
        same = enough and by_chance < allowed
        sorted_ = bool((np.diff(key) != 0).sum() == len(keys) - 1) and len(keys) < n
        linked, unfinished = fitting if same and not sorted_ else 0, None
        details = InOrder(fitting=fitting, expected=expected * n, chance=by_chance)
        if same and sorted_:
            unfinished = "the rows of each class are adjacent, so the order in a class is unknown"
        elif enough and not same:
            unfinished = "a random order would fit about as well"
        released = keys.counts[pairs.key]
        per_person = np.bincount(pairs.person, weights=released, minlength=len(people))[person]
        back = None if linked else put_back(fits, per_person, seeds, agreement, allowed)
        rows = _if_sorted(setting) if unfinished or back else None
        notes: tuple[str, ...] = ()
        alone = len(pairs.person) == len(people)
        if rows is not None and unfinished and _explained(person, key, rows, allowed, alone=alone):
            unfinished = None
            notes = ("both files are sorted by their own values, which explains why they fit",)
        if back is not None and rows is None:  # sorted rows have not been shuffled
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
    """Return a number for each row of the release; None if the rows are not sorted.

    Rows with equal values have the same number. The rows are sorted if they are in the order of all
    their values as texts, from the first column to the last column. `anonaudit mask` writes rows in
    this order. It discloses no more than the values.
    """
    if setting.rows is None:
        return None
    try:
        table = setting.rows(())
    except AnonauditError:  # cells of a column hold several values, which cannot be compared
        return None
    order, mark = in_row_order(table), setting.classes.convention.mark
    texts = [np.array(["", mark, *labels[FIRST_VALUE:]], object) for labels in table.labels[1:]]
    ranks = [np.unique(column, return_inverse=True)[1] for column in texts]
    cells = [rank[codes[order]] for rank, codes in zip(ranks, table.codes.T[1:], strict=True)]
    _, number = distinct_rows(np.column_stack(cells))
    return number if (np.diff(number) >= 0).all() else None


def _explained(person: Index, key: Index, rows: Index, allowed: float, *, alone: bool) -> bool:
    """Return True if a sorted release matches a file only because both are sorted.

    person, key: shape (n,), for each row, the number of its combination: `person` for the external
    file, `key` for the release. rows: see `_if_sorted`.

    Three conditions must hold:

    - The file is sorted by the columns that it shares with the release.
    - People who are equal in these columns have equal rows in the release. Otherwise the order of
      these people may disclose more, such as their illness.
    - The release is not sorted by chance. Suppose nobody sorted its rows, and they are in the order
      of the people. Then they look sorted with the chance 1/a, where a is the number of
      arrangements of the rows within their classes. 1/a must be below `allowed`. The condition also
      holds if the rows of each class are equal (a = 1) and each person matches only one class
      (`alone`).
    """
    from scipy.special import gammaln  # slow to start

    equal_people = np.diff(person) == 0
    if (np.diff(person) < 0).any() or (equal_people & (np.diff(rows) != 0)).any():
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
    """Return the chance that a random order matches at least `rows` rows.

    person, key: shape (n,), for each row, the number of its combination: `person` for the external
    file, `key` for the release. fit: the pairs of combinations that match, as two parallel arrays.
    rng: draws the random orders.
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

    of_row, of_column = table @ of_key, of_person @ table  # the matches of each combination
    fitting = float(of_person @ of_row)
    squares = float(of_person @ of_row**2) + float(of_key @ of_column**2)
    spread = fitting - squares / n + (fitting / n) ** 2
    deviation = np.sqrt(max(spread, 0.0) / (n - 1))
    if deviation == 0:  # every order matches equally many rows
        return float(rows <= round(fitting / n))
    return float(norm.sf((rows - 0.5 - fitting / n) / deviation))
