"""The adversary's best guess of the row (person) and the values of each target, with its chance.

If something undecided influences the chance, a lower and an upper bound are computed. Otherwise the
two bounds are equal.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

import numpy as np

from anonaudit.arrays import Bools, Floats, Ints
from anonaudit.frequency.classes import EquivalenceClasses
from anonaudit.frequency.wildcards import SparseTable, sparse_table
from anonaudit.linking.matching import Candidates
from anonaudit.special_details import BestGuess
from attacks.assignments import MOST_STATES, Possible, joined, link_shares
from attacks.candidate_rows import CandidateRows
from attacks.exposure import Exposure
from attacks.one_row_each import Bodies, Narrowed
from attacks.shared import MOST_TRIPLES

# Why a target is undecided if `sure` lies between the bounds of its chance.
BOUNDED: Final = (
    "the option sure lies between the bounds of the chance of some targets, because cells are "
    "unknown (conventions.sensitive) or groups are too large to count"
)
# A chance that misses the threshold by at most this much, a rounding error, reaches it.
_ROUNDING: Final = 1e-9


class Crowd(NamedTuple):
    """The people behind the targets.

    weight: how many people share each target, shape (n,). count: returns the number of people
    behind the given targets.
    """

    weight: Floats
    count: Callable[[Bools], int]

    @classmethod
    def of(cls, people: Ints, fits: Bools) -> Crowd:
        """Return the people behind the targets that `fits` selects."""
        number = np.where(fits, people, 0)
        return cls(number.astype(np.float64), lambda chosen: int(number[chosen].sum()))


class Guess(NamedTuple):
    """Bounds of the chance of the best guess about each target; both arrays have shape (n,)."""

    low: Floats
    high: Floats

    @classmethod
    def of_share(cls, having: Floats, unknown: Floats, size: Floats) -> Guess:
        """Return the chance that a person of a class has a value.

        having: how many rows (persons) of each class have the value. unknown: how many have an
        unknown cell, which may be the value. size: how many the class has. All shapes (n,).
        """
        return cls(having / size, np.minimum((having + unknown) / size, 1.0))

    def surely(self, sure: float) -> Bools:
        """Return True for the targets whose lower bound is at least `sure`, shape (n,)."""
        return self.low >= sure - _ROUNDING

    def maybe(self, sure: float) -> Bools:
        """Return True for the targets whose upper bound is at least `sure`, shape (n,)."""
        return self.high >= sure - _ROUNDING

    def certain(self, known: Bools) -> Guess:
        """Return the guess with a chance of 1 for the targets in `known`, shape (n,)."""
        return Guess(np.where(known, 1.0, self.low), np.where(known, 1.0, self.high))

    def summary(self, crowd: Crowd, base: float | None) -> BestGuess | None:
        """Return how many people have a chance of 1, of at least 0.9, and of at least 0.5.

        base: the baseline, None if there is none. The result is None if the crowd is empty.
        """
        if not crowd.weight.sum():
            return None
        return BestGuess(
            certain=crowd.count(self.surely(1)),
            nine_tenths=crowd.count(self.surely(0.9)),
            half=crowd.count(self.surely(0.5)),
            mean=float((self.low * crowd.weight).sum() / crowd.weight.sum()),
            base=base,
            bounded=crowd.count(self.high > self.low + _ROUNDING),
        )


@dataclass(frozen=True)
class Guesser:
    """The best guesses of an adversary for whom all candidates of a target are equally likely.

    rows: the rows of the release. left: the candidates that match for certain, and those that may
    match. n: how many targets there are.
    """

    rows: CandidateRows
    left: Narrowed
    n: int

    def link(self) -> Guess:
        """Return the chance of the likeliest row (person) of each target."""
        few = self.rows.number(self.left.tight, self.n, self.left.firm)
        many = self.rows.number(self.left.wide, self.n, self.left.present)
        low = np.where(few > 0, 1 / np.maximum(many, 1), 0.0)
        return Guess(low, np.where(many > 0, 1 / np.maximum(few, 1), 0.0))

    def value(self, column: str) -> Guess:
        """Return the chance of the likeliest value of each target.

        The lower bound gives unknown cells no value, the upper bound gives them the likeliest
        value.
        """
        rows, left, n = self.rows, self.left, self.n
        few, many = rows.number(left.tight, n, left.firm), rows.number(left.wide, n, left.present)
        known = rows.known(column)
        gaps = rows.number(left.wide, n, left.present & ~known)
        if _triples(rows, left.wide) > MOST_TRIPLES:
            return Guess(np.zeros(n), (many > 0).astype(float))
        least = _most(rows.by_value(column, left.tight, n, left.firm & known))
        most = _most(rows.by_value(column, left.wide, n, left.present & known))
        high = np.minimum((most + gaps) / np.maximum(few, 1), 1.0)
        return Guess(least / np.maximum(many, 1), np.where(many > 0, high, 0.0))


@dataclass(frozen=True)
class Assigner:
    """The best guesses of an adversary who knows that everybody is in the release.

    The adversary also knows that no two people share a released row (person). All assignments of
    people to bodies are equally likely. With a unit column, a body is one released person. Without
    a unit column, a body is one released combination with all its rows.

    pairs: the candidates that occur in some assignment. links: these candidates as pairs of a
    target and a body. low, high: for each link, bounds of the share of the assignments that contain
    it. present: True for the entries of the release that count, shape (len(base),).
    open_: True for the targets whose assignments depend on something undecided, shape (n,).
    """

    rows: CandidateRows
    bodies: Bodies
    pairs: Candidates
    links: Candidates
    low: Floats
    high: Floats
    present: Bools
    open_: Bools

    @classmethod
    def of(
        cls,
        rows: CandidateRows,
        left: Narrowed,
        people: Ints,
        assigned: tuple[Candidates, Possible, Bodies],
        most_states: int = MOST_STATES,
    ) -> Assigner:
        """Count the assignments, and return the Assigner.

        left: the candidates before assignments rule any out. people: how many people share each
        target, shape (n,). assigned: the result of `one_row_each` for `left.wide`.
        """
        pairs, possible, bodies = assigned
        shares = link_shares(possible, people, bodies.rows, most_states)
        n, m = len(people), len(bodies.rows)
        tight, wide = bodies.links(left.tight), bodies.links(left.wide)
        doubt = np.bincount(tight.person, minlength=n) < np.bincount(wide.person, minlength=n)
        _, side = joined(wide, n, m)
        open_ = np.isin(side[:n], side[:n][doubt]) | possible.short
        return cls(
            rows, bodies, pairs, possible.pairs, shares.low, shares.high, left.present, open_
        )

    def link(self) -> Guess:
        """Return the chance of the likeliest row (person) of each target."""
        n, size = len(self.open_), self.bodies.rows[self.links.key]
        low, high = np.zeros(n), np.zeros(n)
        np.maximum.at(low, self.links.person, self.low / size)
        np.maximum.at(high, self.links.person, self.high / size)
        number = np.bincount(self.links.person, size, n)
        return self._bounds(Guess(np.maximum(low, 1 / np.maximum(number, 1)), high))

    def value(self, column: str) -> Guess:
        """Return the chance of the likeliest value of each target.

        The lower bound gives unknown cells no value, the upper bound gives them the likeliest
        value.
        """
        if _triples(self.rows, self.pairs) > MOST_TRIPLES:
            n = len(self.open_)
            return Guess(np.zeros(n), np.ones(n))
        known = self.rows.known(column)
        low = _most(self._weighted(column, self.present & known, self.low))
        high = _most(self._weighted(column, self.present & known, self.high))
        gaps = _most(self._weighted(None, self.present & ~known, self.high))
        return self._bounds(Guess(np.minimum(low, 1.0), np.minimum(high + gaps, 1.0)))

    def _weighted(self, column: str | None, chosen: Bools, share: Floats) -> SparseTable:
        """Return by target and value the sum of the shares of the candidates with the value.

        share: a share for each link. chosen: the entries that count. If `column` is None, every row
        has the value 0.
        """
        target, value, body, part = self.rows.carriers(column, self.pairs, len(self.open_), chosen)
        width = max(len(self.bodies.rows), 1)
        place = self.links.person.astype(np.int64) * width + self.links.key
        weight = share[np.searchsorted(place, target.astype(np.int64) * width + body)]
        shape = (len(self.open_), int(value.max(initial=0)) + 1)
        return sparse_table(weight * part, target, value, shape)

    def _bounds(self, guess: Guess) -> Guess:
        return Guess(np.where(self.open_, 0.0, guess.low), np.where(self.open_, 1.0, guess.high))


@dataclass(frozen=True)
class BestGuesses:
    """The best guesses about each target.

    link: the guess of the row (person). values: by sensitive attribute, the guess of the value.
    sure: a target is exposed if a chance is at least this threshold.
    """

    link: Guess
    values: Mapping[str, Guess]
    sure: float

    @classmethod
    def of(cls, guesser: Guesser | Assigner, exposure: Exposure, sure: float) -> BestGuesses:
        """Return the best guesses. What `exposure` identifies or discloses has a chance of 1."""
        values = {
            name: guesser.value(name).certain(known) for name, known in exposure.disclosed.items()
        }
        return cls(guesser.link().certain(exposure.identified), values, sure)

    def exposure(self, certain: Exposure) -> Exposure:
        """Return `certain` with the targets added whose chance is at least `sure`.

        certain: the exposure of what is certain. It is returned unchanged if `sure` is 1.
        """
        if self.sure == 1:
            return certain
        disclosed = {
            name: known | self.values[name].surely(self.sure)
            for name, known in certain.disclosed.items()
        }
        identified = certain.identified | self.link.surely(self.sure)
        after = replace(certain, identified=identified, disclosed=disclosed)
        open_ = certain.undecided.copy()
        for guess in (self.link, *self.values.values()):
            open_ |= guess.maybe(self.sure)
        open_ &= ~after.exposed
        return replace(after, undecided=open_, causes=(*certain.causes, BOUNDED))


def summaries(
    classes: EquivalenceClasses, guesses: Mapping[str, Guess], crowd: Crowd
) -> dict[str, BestGuess] | None:
    """Return by attribute a summary of the chances of the best guesses; None if nobody is there.

    guesses: by sensitive attribute. crowd: the people behind the targets. The baseline of an
    attribute is the share of its most frequent value in the release.
    """
    by_name = {}
    for name, guess in guesses.items():
        best = guess.summary(crowd, classes.sensitive[name].whole.most_likely)
        if best is not None:
            by_name[name] = best
    return by_name or None


def _most(table: SparseTable) -> Floats:
    most: Floats = table.max(axis=1).toarray().ravel()
    return most


def _triples(rows: CandidateRows, pairs: Candidates) -> int:
    entries = np.bincount(rows.entry, minlength=len(rows.keys))
    return int(entries[pairs.key].sum())
