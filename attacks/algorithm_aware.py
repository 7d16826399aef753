"""Algorithm-aware: infer hidden values from the algorithm that made the release.

The adversary considers all originals, and keeps those that the algorithm turns into this release.

Source: Z07 section 4 (rule hiding; the paper claims that Table 4 no longer gives certainty, which
is false for this adversary); Wong, Fu, Wang, Pei 2007 (minimality attack).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from anonaudit.about import AboutAttack, InMatrix
from anonaudit.attack import Setting
from anonaudit.cells import FIRST_VALUE, SUPPRESSED
from anonaudit.details import Details, fact
from anonaudit.errors import AnonauditError
from anonaudit.findings import Disclosure, Outcome
from anonaudit.frequency.classes import EquivalenceClasses
from anonaudit.frequency.frequency_set import FrequencySet, in_row_order
from anonaudit.linking.too_much import TooMuchError
from attacks.seeded_hiding import Gaps, cell_chances, drawn_by
from attacks.shared import (
    bounded,
    choice_option,
    disclosure,
    largest_of,
    link,
    nothing,
    number_option,
    seeds_option,
    share_option,
    shared_columns,
)
from attacks.worlds import PersonRow, Posterior, assignments, posterior, sampled_posterior

# A masker maps original rows (quasi-identifiers, then sensitive values) to released rows. The
# original rows are in the order of the people, the released rows in any order. It returns None if
# it fails.
Masker = Callable[[Sequence[PersonRow]], Sequence[PersonRow] | None]

# A filling states how many suppressed cells of a class have each value. A class with more fillings
# than this stays undecided.
MOST_FILLINGS = 100_000
# The test of known seeds leaves out classes with more fillings than this.
MOST_WITH_SEEDS = 1_000
# A world is one possible original. Up to this many worlds are enumerated. If there are more, this
# many are sampled.
MOST_WORLDS = 20_000

UNSEEN = "\0unseen"  # any value that does not occur in the release


@dataclass(frozen=True, kw_only=True, eq=False)
class HiddenRules(Details):
    """What the adversary learns about the cells that rule hiding suppressed.

    confidence, least: the parameters of the algorithm. highest: the highest chance of a value,
    over all suppressed cells and values. unexplained: how many suppressed cells these parameters
    cannot have produced. undone: how the random draw of the cells was reproduced; None if it was
    not.
    """

    confidence: float = fact("confidence")
    least: int = fact("at least suppressed")
    highest: float = fact("highest chance of a value")
    unexplained: int = fact("cells not explained")
    undone: str | None = fact("draw undone", optional=True)


@dataclass(frozen=True, kw_only=True, eq=False)
class OriginalsTried(Details):
    """The originals that a masker may have turned into the release.

    tried: how many originals were tried. fitting: how many of them give the release. exact: True if
    all originals were tried. highest, average: the maximum and the mean, over all persons, of the
    chance of the person's likeliest value. For a sample, each chance is the lower end of its
    confidence interval.
    """

    tried: int = fact("originals tried")
    fitting: int = fact("originals that give the release")
    exact: bool = fact("exact")
    highest: float = fact("highest chance of a value")
    average: float = fact("average chance of the likeliest value")


class AlgorithmAware:
    """The adversary knows the release, the algorithm that made it, and its parameters.

    Rule hiding (Z07 section 4.1) looks for the values whose share of a class reaches the threshold.
    It suppresses as many cells with such a value as are needed to bring the share below the
    threshold. The targets are the suppressed sensitive cells; a row with two of them is two
    targets. The adversary considers every original class that the algorithm turns into the released
    class. Success: the cell has the same value in all these originals.

    Any other masker is given in Python: `AlgorithmAware(masker=...)`. The adversary has an external
    table with the quasi-identifiers of everybody in the release. The adversary assigns the
    sensitive values of each class to the people of the class in every possible way, runs the
    masker, and keeps the assignments that give the release. Success: a person has the same value in
    all kept assignments. The result is exact up to `worlds` originals. If there are more, a seeded
    sample gives chances with confidence intervals, and nothing is certain.

    Older versions of `anonaudit mask` drew the suppressed cells with a known seed. The adversary
    repeats such a draw (see seeded_hiding).

    Options: algorithm ("rule-hiding"); confidence, the threshold (default 0.7); min-suppressed, the
    fewest cells to suppress for a rule (default 2); seeds, the known seeds to try (default 0 to
    99); worlds, the largest number of originals to try (default 20,000); external, identity (for a
    masker). Baseline: guess the most frequent value of the release.

    masker: see `Masker`. Its argument has the rows in the order of the external table. None stands
    for rule hiding.
    """

    name: ClassVar[str] = "algorithm-aware"
    knowledge: ClassVar[str] = "the algorithm that masked the release, and its parameters"
    options: ClassVar[tuple[str, ...]] = (
        "algorithm",
        "confidence",
        "min_suppressed",
        "seeds",
        "worlds",
        "external",
        "identity",
    )
    about: ClassVar[AboutAttack] = AboutAttack(
        means="The attack computes which originals the masking algorithm would have turned into "
        "this release; a value that all of them share is disclosed",
        matters="The output of an algorithm depends on its input, so it may disclose what it hid.",
        do="Suppress or generalize more cells than needed, at random, so that several originals "
        "give the release.",
        knows_masker=True,
        matrix=InMatrix(options={"min_suppressed": 1}, confidence="confidence"),
    )

    def __init__(self, masker: Masker | None = None) -> None:
        self.masker = masker

    @bounded
    def run(self, setting: Setting) -> Disclosure:
        """Find the suppressed cells, or the persons, that have one value in all kept originals."""
        choice_option(self.name, setting, "algorithm", ("rule-hiding",))
        limit = share_option(self.name, setting, "confidence", 0.7)
        least = number_option(self.name, setting, "min_suppressed", 2, 1)
        seeds = seeds_option(self.name, setting)
        worlds = number_option(self.name, setting, "worlds", MOST_WORLDS, 1)
        classes = setting.classes
        if not classes.roles.sensitive:
            return nothing(self, setting, "no sensitive column is named")
        if not len(classes):
            return nothing(self, setting, "there is no class to attack", Outcome.INCONCLUSIVE)
        if classes.compatibility is not None or classes.roles.unit is not None:
            reason = "originals are computed row by row, not with wildcards or a unit column"
            return nothing(self, setting, reason, Outcome.INCONCLUSIVE)
        if self.masker is None:
            return self._rule_hiding(setting, limit, least, seeds)
        return self._any_masker(setting, self.masker, worlds)

    def _rule_hiding(
        self, setting: Setting, limit: float, least: int, seeds: Sequence[int]
    ) -> Disclosure:
        classes = setting.classes
        targets, open_, foreign, likely = 0, 0, 0, [0.0]
        exposed = {name: np.zeros(len(classes), bool) for name in classes.roles.sensitive}
        sure: Counter[tuple[str, int]] = Counter()
        for name in classes.roles.sensitive:
            suppressed = suppressed_cells(classes, name)
            for number in np.flatnonzero(suppressed).tolist():
                shown = counts_in(classes, name, number)
                u, n = int(suppressed[number]), int(classes.rows[number])
                targets += u
                hidden = recover(shown, u, n, limit=limit, least=least)
                if hidden is None:
                    open_ += u
                elif not hidden:
                    foreign += u
                else:
                    likely.append(max(hidden.values()))
                    if len(hidden) == 1 and UNSEEN not in hidden:
                        sure[name, number] = u
                        exposed[name][number] = True
        gaps, place = _drawn_again(setting, limit, least, seeds) if targets else ([], None)
        if place is not None:
            for one in gaps:
                cells = cell_chances(one, place)
                likely.extend(max(cell.values()) for cell in cells)
                known = sum(len(cell) == 1 and UNSEEN not in cell for cell in cells)
                sure[one.attribute, one.number] = known
                exposed[one.attribute][one.number] = known > 0
        per = {
            name: sum(n for (at, _), n in sure.items() if at == name)
            for name in classes.roles.sensitive
        }
        disclosed = sum(per.values())
        if not targets:
            reason = "no sensitive cell is suppressed, so rule hiding has left nothing to recover"
            return nothing(self, setting, reason)
        unfinished = None
        if open_ or foreign:
            parts = [f"{open_} suppressed cell(s) have too many originals to try"] if open_ else []
            if foreign:
                parts.append(f"{foreign} suppressed cell(s) are not explained by these parameters")
            unfinished = "; ".join(parts)
        witness = largest_of(classes, exposed)
        return disclosure(
            self,
            setting,
            targets=targets,
            disclosed=disclosed,
            reason=unfinished,
            per_attribute=per,
            details=HiddenRules(
                confidence=limit,
                least=least,
                highest=max(likely),
                unexplained=foreign,
                undone=None if place is None else "by a known seed",
            ),
            witness=witness,
        )

    def _any_masker(self, setting: Setting, masker: Masker, worlds: int) -> Disclosure:
        classes, people = setting.classes, setting.external
        if people is None:
            reason = "a masker needs an external table of everybody in the release"
            return nothing(self, setting, reason)
        quasi, names = shared_columns(self.name, setting, people), classes.roles.sensitive
        if len(quasi) < len(classes.roles.quasi_identifiers):
            reason = "the external table lacks quasi-identifiers the masker needs"
            return nothing(self, setting, reason, Outcome.INCONCLUSIVE)
        posterior, reason = _posterior_of(setting, masker, worlds, people, quasi)
        if posterior is None:
            return nothing(self, setting, reason, Outcome.INCONCLUSIVE)
        certain = posterior.certain()
        per = {name: sum(who[1] == j for who in certain) for j, name in enumerate(names)}  # type: ignore[index]
        persons = {who[0] for who in certain}  # type: ignore[index]
        best: dict[int, float] = {}
        for who, chances in posterior.chances.items():
            at = who[0]  # type: ignore[index]
            best[at] = max(best.get(at, 0.0), *(chance.low for chance in chances.values()))
        return disclosure(
            self,
            setting,
            targets=people.total,
            disclosed=len(persons),
            reason=None if posterior.exact else "originals were sampled, so nothing is certain",
            per_attribute=per,
            details=OriginalsTried(
                tried=posterior.worlds,
                fitting=posterior.kept,
                exact=posterior.exact,
                highest=max(best.values()),
                average=sum(best.values()) / len(best),
            ),
        )


def suppressed_cells(classes: EquivalenceClasses, name: str) -> npt.NDArray[np.int64]:
    """Return how many sensitive cells of each class are suppressed, shape (n_classes,)."""
    kept = classes.kept
    suppressed = kept.column(name) == SUPPRESSED
    number = classes.number_of(kept)[suppressed]
    return np.bincount(number, kept.counts[suppressed], len(classes)).astype(np.int64)


def counts_in(classes: EquivalenceClasses, name: str, number: int) -> dict[str, int]:
    """Return how often a class has each known value that the release shows of an attribute.

    name: the attribute. number: the number of the class. Values that the class lacks count 0.
    """
    counts = classes.sensitive[name]
    labels = counts.labels[FIRST_VALUE:]
    counts_by_value = dict.fromkeys(labels, 0)
    start, end = np.searchsorted(counts.class_of, [number, number + 1])
    for code, n in zip(counts.value[start:end], counts.count[start:end], strict=True):
        if code >= FIRST_VALUE:
            counts_by_value[counts.labels[code]] = int(n)
    return counts_by_value


def hidden(frequency: int, n: int, limit: float, least: int) -> int:
    """Return how many cells of a value rule hiding suppresses.

    `frequency` of the n rows of a class have the value. No cell is suppressed if frequency / n is
    below the limit. Otherwise cells are suppressed until the share is below the limit: at least
    `least` cells, at most all (Z07 section 4.1).

    >>> hidden(3, 3, 0.7, 1), hidden(3, 3, 0.7, 2), hidden(2, 3, 0.7, 2)
    (1, 2, 0)
    """
    c = Fraction(str(limit))
    if Fraction(frequency, n) < c:
        return 0
    stay = math.ceil(c * n) - 1  # the largest frequency below the limit
    return min(max(frequency - stay, least), frequency)


def recover(
    shown: Mapping[str, int], suppressed: int, n: int, *, limit: float, least: int
) -> dict[str, float] | None:
    """Return the chance of each value behind a suppressed cell of one class.

    shown: how often the class shows each value of the release. suppressed: how many cells of the
    class are suppressed. n: how many rows the class has. limit, least: see `hidden`.

    An original is a way to write values into the suppressed cells. All originals that rule hiding
    turns into this class are equally likely. All values that do not occur in the release count as
    one value, UNSEEN.

    The result is empty if no original gives this class with these parameters. It is None if there
    is too much to try: for each value, `hidden` allows some numbers of suppressed cells, and these
    numbers have more than MOST_FILLINGS combinations. (Combinations that do not add up to
    `suppressed` count too.)

    >>> recover({"heart": 1, "flu": 0}, 2, 3, limit=0.7, least=2)
    {'heart': 1.0}
    """
    fillings = fillings_of(shown, suppressed, n, limit=limit, least=least)
    if fillings is None:
        return None
    weights: Counter[str] = Counter()
    total = 0
    for filling in fillings:
        ways = math.factorial(suppressed)
        for s in filling.values():
            ways //= math.factorial(s)
        total += ways
        for value, s in filling.items():
            weights[value] += ways * s
    return {
        value: weight / (total * suppressed) for value, weight in sorted(weights.items()) if weight
    }


def fillings_of(
    shown: Mapping[str, int], suppressed: int, n: int, *, limit: float, least: int
) -> Iterator[dict[str, int]] | None:
    """Return every filling of the suppressed cells of a class: how many cells have each value.

    The arguments are those of `recover`. The result is None in the same case.
    """
    options = {
        value: [s for s in range(suppressed + 1) if s == hidden(there + s, n, limit, least)]
        for value, there in {**shown, UNSEEN: 0}.items()
    }
    free = {value: ways for value, ways in options.items() if ways != [0]}
    if math.prod(len(ways) for ways in free.values()) > MOST_FILLINGS:
        return None
    return _fillings(list(free.items()), suppressed)


def _drawn_again(
    setting: Setting, limit: float, least: int, seeds: Sequence[int]
) -> tuple[list[Gaps], npt.NDArray[np.intp] | None]:
    """Return the suppressed cells that the parameters explain, and each row's place in the draw.

    The draw is that of the first known seed that explains all these cells. The places have the
    shape (n_rows,). They are None if no known seed explains the cells, or if the rows have no
    order. Classes with no filling, or with more than MOST_WITH_SEEDS fillings, are left out.
    """
    classes, gaps = setting.classes, []
    if setting.rows is None:
        return [], None
    table = setting.rows((*classes.roles.quasi_identifiers, *classes.roles.sensitive))
    rows = in_row_order(table)
    number = classes.number_of(table)[rows]
    order = np.argsort(number, kind="stable")
    start = np.searchsorted(number[order], np.arange(len(classes) + 1))
    for name in classes.roles.sensitive:
        codes, labels = table.column(name)[rows], table.labels_of(name)
        suppressed = suppressed_cells(classes, name)
        for at in np.flatnonzero(suppressed).tolist():
            inside = order[start[at] : start[at + 1]]
            shown = counts_in(classes, name, at)
            u, n = int(suppressed[at]), int(classes.rows[at])
            ways = fillings_of(shown, u, n, limit=limit, least=least) or iter(())
            fillings = [*islice(ways, MOST_WITH_SEEDS + 1)]
            if not 0 < len(fillings) <= MOST_WITH_SEEDS:
                continue
            there = codes[inside]
            by_value = {
                labels[code]: inside[there == code]
                for code in np.unique(there)
                if code >= FIRST_VALUE
            }
            gaps.append(Gaps(name, at, inside[there == SUPPRESSED], by_value, fillings))
    return gaps, drawn_by(gaps, len(rows), seeds)


def _fillings(free: Sequence[tuple[str, Sequence[int]]], left: int) -> Iterator[dict[str, int]]:
    """Yield every choice of one number for each value such that the numbers add up to `left`."""
    if not free:
        if left == 0:
            yield {}
        return
    (value, ways), rest = free[0], free[1:]
    for s in ways:
        if s <= left:
            for filling in _fillings(rest, left - s):
                yield {value: s, **filling}


def _posterior_of(
    setting: Setting,
    masker: Masker,
    worlds: int,
    external: FrequencySet,
    quasi: Sequence[str],
) -> tuple[Posterior | None, str]:
    """Return the chances of each person's sensitive values, or None with the reason.

    worlds: the largest number of originals to try. external: the external table. quasi: its
    quasi-identifiers.
    """
    classes = setting.classes
    names = classes.roles.sensitive
    table = external.project(quasi)
    inside = classes.base.project(quasi)
    links = link(setting, table, inside)
    if links.unread:
        raise TooMuchError("; ".join(links.unread_labels))
    pairs = links.sure
    if not np.array_equal(pairs.person, np.arange(len(table))):
        return None, "a person of the external table fits no class, or several"
    rows = [_labels(table.labels, codes) for codes in table.codes]
    people = [row for row, n in zip(rows, table.counts, strict=True) for _ in range(int(n))]
    groups = np.repeat(pairs.key, table.counts).tolist()
    base = classes.base.project([*quasi, *names])
    entry = inside.entry_of(base)
    secrets: dict[int, list[PersonRow]] = {}
    released: Counter[PersonRow] = Counter()
    for g, codes, n in zip(entry.tolist(), base.codes, base.counts.tolist(), strict=True):
        cells = _labels(base.labels, codes)
        secrets.setdefault(g, []).extend([cells[len(quasi) :]] * n)
        released[cells] += n
    try:
        originals = assignments(people, groups, secrets)

        def masked(world: Sequence[PersonRow]) -> Counter[PersonRow] | None:
            release = masker(world)
            return None if release is None else Counter(tuple(row) for row in release)

        def values(world: Sequence[PersonRow]) -> dict[tuple[int, int], str]:
            return {
                (i, j): row[len(quasi) + j]
                for i, row in enumerate(world)
                for j in range(len(names))
            }

        if originals.number <= worlds:
            return posterior(originals.every, masked, released, values), ""
    except AnonauditError as error:
        return None, str(error)
    sampled = sampled_posterior(
        originals.draw, masked, released, values, samples=worlds, seed=setting.seed
    )
    return sampled, f"too few of {worlds} sampled originals give the release"


def _labels(labels: Sequence[Sequence[str]], codes: npt.NDArray[np.int64]) -> PersonRow:
    return tuple(names[code] for names, code in zip(labels, codes, strict=True))
