"""Elimination: rule out values that the target does not have, and look at the remaining rows.

Source: GCG08, introduction and Theorem 1 (Figure 2: without heart disease the treatment is
certain); Machanavajjhala et al. 2006 for one sensitive attribute.

A row survives the elimination of some values if it has none of these values. A target's value v
becomes certain if every row of the class without v has an eliminated value, and the target has
none. So the fewest eliminations are a smallest hitting set: each row without v must have a value in
the set, and no value of the set is a value of the target. Bounds, and a check of all single values,
decide most targets. The other targets are solved one by one, as a bipartite vertex cover (two
attributes, König's theorem) or an integer program.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import lru_cache
from typing import Any, ClassVar, cast

import numpy as np
import numpy.typing as npt

from anonaudit.about import AboutAttack, Bound, discloses
from anonaudit.arrays import Bools, Floats, Index
from anonaudit.attack import Setting
from anonaudit.details import Details, fact, part_of
from anonaudit.findings import Disclosure, Outcome, Witness
from anonaudit.frequency.classes import EquivalenceClasses
from anonaudit.models.level import whole_number
from anonaudit.models.multi_attribute_l_diversity import MultiAttributeLDiversity
from anonaudit.special_details import ByEliminations
from attacks.least_eliminations import BUDGET, EACH, affordable, bounds_of, open_targets, solve
from attacks.members import Members, members_of
from attacks.shared import disclosure, nothing, number_option, per_attribute_option, unknown_cells
from attacks.smallest_cover import Limits, smallest_cover

# Classes are processed in batches of at most this many entries of the frequency set, or of a single
# larger class. Under wildcards there is one batch.
MOST_ELIMINATED_AT_ONCE = 2**20


def _theorem_1(level: float, _options: Mapping[str, Any], disclosure: Disclosure) -> str | None:
    """Return an error text if up to L - 2 eliminations disclose a value (GCG08 Theorem 1).

    level: L. The eliminated values may be of any attributes. None means no error.
    """
    eliminations = part_of(disclosure.details, ByEliminations)
    if eliminations is None or eliminations.at_most > level - 2:
        return None
    return discloses(disclosure, f"{MultiAttributeLDiversity.name} with L = {level}")


@dataclass(frozen=True, kw_only=True, eq=False)
class Replay(Details):
    """An example: after the values `ruled_out` are ruled out, one value of `attribute` is left."""

    attribute: str = fact("attribute")
    columns: Sequence[str] = fact("eliminated of")
    ruled_out: Sequence[str] = fact("values")  # reports hide it by its label
    survives: Mapping[str, str] = fact("survives")


class Elimination:
    """The adversary knows a target's class, and some values that the target does not have.

    Success: after the elimination of at most `values` values, of any sensitive attributes, all
    remaining rows (persons) of the class have the target's value of some sensitive attribute. Each
    row (person) is a target. Only values that the target does not have are eliminated.

    An unknown cell does not eliminate its row. While a row with an unknown cell remains, no value
    of the attribute of this cell is certain. If a value would be certain without such rows, the
    class is undecided.

    Options: values, how many values may be eliminated (default 1; 0 is homogeneity). at-most, by
    attribute, how many of its values may be eliminated (default: no limit). budget, the work spent
    on targets that no bound decides (default and unit: see `least_eliminations.BUDGET`). It is
    always known exactly whether no elimination, or one elimination, is enough. If the budget does
    not suffice, larger numbers of eliminations are only bounds, and the report says so.

    Bounded by L-diversity over several attributes (GCG08 Def. 6): up to L - 2 eliminations disclose
    nothing. Baseline: guess the most frequent value of the release.

    `details` has the number of exposed rows (persons) by the number of eliminations; the number of
    classes by the fewest eliminations that expose somebody; and a replay: the values to eliminate
    in one class. Delete the rows with these values to repeat the attack.
    """

    name: ClassVar[str] = "elimination"
    knowledge: ClassVar[str] = (
        "the target's quasi-identifiers, and some sensitive values the target does not have"
    )
    options: ClassVar[tuple[str, ...]] = ("values", "at_most", "budget")
    about: ClassVar[AboutAttack] = AboutAttack(
        means="Values that the target does not have are ruled out, and the {people} with them; "
        "if the remaining {people} share a sensitive value, it is disclosed",
        matters="People often know what others do not have. With several sensitive attributes the "
        "attack is stronger, because ruling out a value of one attribute rules out values "
        "of the others.",
        do="Require multi-attribute-l-diversity: with a level l, ruling out l - 2 values discloses "
        "nothing.",
        by_class=True,
        bounds=(Bound(model=MultiAttributeLDiversity, broken=_theorem_1, rows=True, known=True),),
    )

    def run(self, setting: Setting) -> Disclosure:
        """Find the rows (persons) that have a value that at most `values` eliminations expose."""
        classes, names = setting.classes, setting.classes.roles.sensitive
        values = number_option(self.name, setting, "values", 1, 0)
        budget = number_option(self.name, setting, "budget", BUDGET, 0)
        limits_of = per_attribute_option(
            self.name, setting, "at_most", lambda key, value: whole_number(key, value, 0)
        )
        if not names:
            return nothing(self, setting, "no sensitive column is named")
        if not len(classes):
            return nothing(self, setting, "there is no class to attack", Outcome.INCONCLUSIVE)
        limits = [cast("int | None", limits_of.get(name)) for name in names]
        targets = targets_of(classes, limits, budget, values)
        least, sure = targets.high.min(axis=0), targets.low.min(axis=0)
        own = targets.own > 0
        unsure = own & (sure <= values) & (least > values)
        unknown = open_by_unknown(classes, limits, budget, values)
        hidden = unknown[targets.class_of] & own & (least > values) & ~unsure
        open_ = int((own & (sure < least)).sum())
        by_class = np.full(len(classes), np.inf)
        np.minimum.at(by_class, targets.class_of[own], least[own])
        steps = np.unique(least[own & np.isfinite(least)]).astype(int).tolist()
        witness, replay = _witness(classes, targets, limits, max(budget, BUDGET))
        return disclosure(
            self,
            setting,
            targets=classes.people(np.ones(len(classes), bool)),
            disclosed=targets.people(own & (least <= values)),
            undecided=targets.people(unsure | hidden),
            reason="; ".join(_causes(classes, unsure, hidden, budget)) or None,
            per_attribute={
                name: targets.people(own & (targets.high[j] <= values))
                for j, name in enumerate(names)
            },
            details=ByEliminations(
                at_most=values,
                exposed={str(t): targets.people(own & (least <= t)) for t in steps},
                classes={
                    "none" if np.isinf(t) else str(int(t)): int((by_class == t).sum())
                    for t in np.unique(by_class)
                },
                bounded=open_ or None,
                replay=replay,
            ),
            witness=witness,
            exposed=by_class <= values,
        )


def _causes(
    classes: EquivalenceClasses, unsure: Bools, hidden: Bools, budget: int
) -> Iterator[str]:
    """Yield the reasons why targets are undecided."""
    if unsure.any():
        left = f"{int(unsure.sum())} target(s) were left undecided"
        yield f"{left}; a budget above {budget} may decide them"
    if hidden.any():
        names = [
            name for name in classes.roles.sensitive if (classes.known(name) < classes.sizes).any()
        ]
        yield unknown_cells(dict.fromkeys(names, hidden))


def open_by_unknown(classes: EquivalenceClasses, limits: Limits, budget: int, values: int) -> Bools:
    """Return True for the classes in which unknown cells alone may prevent a disclosure.

    Such a class would expose somebody if its rows (persons) with unknown cells were absent. The
    unknown cells may have the value that becomes certain, or an eliminated value. The result has
    the shape (n_classes,).

    values: how many values may be eliminated. The other parameters are those of `targets_of`.
    """
    least = classes.convention.first_counted
    columns = classes.base.positions(classes.roles.sensitive)
    unknown = np.any(classes.base.codes[:, columns] < least, axis=1)
    if classes.roles.unit is not None:  # an unknown cell in one row may be any value of the person
        person = classes.base.column(classes.roles.unit)
        unknown = np.isin(person, person[unknown])
    gaps = np.zeros(len(classes), bool)
    number = classes.number_of(classes.base.where(unknown))
    gaps[number[number >= 0]] = True
    if not gaps.any():
        return gaps
    rest = classes.recounted(classes.base.where(~unknown))
    exposed = gaps.copy()  # if every row of a class has an unknown cell, all may have one value
    if len(rest):
        targets = targets_of(rest, limits, budget, values)
        there = classes.number_of(rest.keys)
        exposed[there] = False
        hit = (targets.own > 0) & (targets.low.min(axis=0) <= values)
        exposed[there[targets.class_of[hit]]] = True
    known = np.logical_or.reduce([counts.totals > 0 for counts in classes.sensitive.values()])
    result: Bools = gaps & exposed & known
    return result


@dataclass(frozen=True)
class Targets:
    """Bounds of the fewest eliminations that make a value of each unit certain.

    class_of, own, person: shape (n_units,), see Members, which defines the units.
    low, high: shape (q, n_units), the bounds for each of the q sensitive attributes; infinite if no
        eliminations make the unit's value of this attribute certain.
    """

    class_of: Index
    own: npt.NDArray[np.int64]
    person: npt.NDArray[np.int64]
    low: Floats
    high: Floats

    @classmethod
    def of(cls, members: Members, low: Floats, high: Floats) -> Targets:
        """Reduce the bounds of each unit and value to bounds of each unit and attribute."""
        shape = (members.known.shape[1], members.n_units)
        least = np.full(shape, np.inf), np.full(shape, np.inf)
        for best, bound in zip(least, (low, high), strict=True):
            np.minimum.at(best, (members.attribute[members.vertex], members.unit), bound)
        return cls(members.class_of, members.own, members.person, *least)

    @classmethod
    def together(cls, parts: Sequence[Targets]) -> Targets:
        """Concatenate the targets of different classes."""
        columns = [[getattr(part, field.name) for part in parts] for field in fields(cls)]
        return cls(*(np.concatenate(column, axis=-1) for column in columns))

    def people(self, chosen: npt.NDArray[np.bool_]) -> int:
        """Return how many rows (persons) the chosen targets are; chosen: shape (n_units,)."""
        if len(self.person) and self.person[0] >= 0:
            return len(np.unique(self.person[chosen]))
        return int(self.own[chosen].sum())


def targets_of(classes: EquivalenceClasses, limits: Limits, budget: int, first: int) -> Targets:
    """Return bounds of the fewest eliminations for everybody.

    limits: by attribute, how many of its values may be eliminated; None for no limit.
    budget: the work spent on targets that no bound decides.
    first: targets that may need at most this many eliminations are solved first.

    The classes are processed in batches of at most MOST_ELIMINATED_AT_ONCE entries. All batches are
    bounded before any target is solved.
    """
    batches = list(classes.batches(MOST_ELIMINATED_AT_ONCE))

    @lru_cache(maxsize=1)  # a single batch is built only once
    def members(number: int) -> Members:
        return members_of(classes, batches[number])

    bounds, opened, parts = [], [], []
    for number in range(len(batches)):
        low, high = bounds_of(members(number), limits)
        bounds.append((low, high))
        opened.append(open_targets(members(number), low, high, first))
    for number, paid in enumerate(affordable(opened, budget)):
        solve(members(number), paid, *bounds[number], limits)
        parts.append(Targets.of(members(number), *bounds[number]))
    return Targets.together(parts)


def _witness(
    classes: EquivalenceClasses, targets: Targets, limits: Limits, budget: int
) -> tuple[Witness | None, Replay | None]:
    """Return the class that is exposed by the fewest eliminations, and these eliminations.

    Both are None if no class is exposed, or if only a bound of the eliminations is known.
    """
    names = classes.roles.sensitive
    usable = np.where(targets.own > 0, targets.high, np.inf)
    least = usable.min()
    if np.isinf(least):
        return None, None
    rows = np.where((usable == least).any(axis=0), classes.rows[targets.class_of], -1)
    target = int(np.argmax(rows))
    number, j = int(targets.class_of[target]), int(np.argmax(usable[:, target] == least))
    chosen = classes.class_of == number if classes.compatibility is None else None
    members = members_of(classes, chosen)
    inside = np.flatnonzero(members.class_of == number)
    unit = int(inside[target - np.flatnonzero(targets.class_of == number)[0]])
    for vertex in members.of(unit):
        if members.attribute[vertex] != j:
            continue
        if EACH + len(inside) ** 2 <= budget:
            cover = smallest_cover(members.obstacles(unit, int(vertex)), members, limits).chosen
        else:  # eliminate all other values of the attribute, if there are `least` of them
            present = np.unique(members.vertex[np.isin(members.unit, inside)])
            others = present[(members.attribute[present] == j) & (present != vertex)]
            cover = others
        if cover is not None and len(cover) == least:
            labels = [classes.kept.labels_of(name) for name in names]
            return Witness(number, int(classes.rows[number]), names[j]), Replay(
                attribute=names[j],
                columns=[names[members.attribute[x]] for x in cover],
                ruled_out=[labels[members.attribute[x]][members.code[x]] for x in cover],
                survives={"values": labels[j][members.code[vertex]]},
            )
    return None, None  # only a bound of the fewest eliminations is known
