"""Link persons whose dates the release has moved, by the gaps between their dates.

Medical releases often move all dates of a person by the same random number of days, to hide when
the person was treated. The gaps between the dates remain. An adversary who knows two dates of a
target looks for a released person with two rows that are as many days apart.

A released person fits a target if the same offset moves every known event of the target to a row of
this released person.

The method "shift and truncate" truncates dates after it has moved them. This changes the gaps. If
the dates of the release look truncated, or have another precision than the dates of the external
table, they are treated as unknown: they rule nobody out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import gcd
from typing import Final

import numpy as np
import numpy.typing as npt

from anonaudit.arrays import Bools, Floats
from anonaudit.attack import Setting
from anonaudit.cells import FIRST_VALUE
from anonaudit.errors import listed
from anonaudit.frequency.frequency_set import FrequencySet
from anonaudit.linking.cut_dates import HOURS, WEEK
from anonaudit.linking.matching import Candidates
from anonaudit.linking.moments import (
    DAY,
    SECONDS_OF_DAY,
    Moment,
    days_in_month,
    known_parts,
    moment,
    seconds_of,
)
from anonaudit.linking.too_much import TooMuchError
from anonaudit.models.level import ParameterError
from attacks.shared import Links, link
from attacks.targets import ExternalTargets

# `links_but_for_dates` raises TooMuchError for more pairs of an event and a released row.
MOST_SHIFTED_LINKS: Final = 20_000_000
# The steps to which moments are truncated, in seconds.
_STEPS: Final = (WEEK, SECONDS_OF_DAY, *HOURS)
# A moment with this many parts is exact to the second.
_EXACT: Final = 6


def shifted_option(attack: str, setting: Setting, known: Sequence[str]) -> tuple[str, ...]:
    """Return the option `shifted_dates`: the columns of dates that the release may have moved.

    known: the quasi-identifiers that the external table has. The result is empty if the option is
    not given. Raises ParameterError for other columns than these quasi-identifiers, or without a
    unit column.
    """
    columns = setting.options.get("shifted_dates", ())
    if not isinstance(columns, (list, tuple)) or not all(isinstance(c, str) for c in columns):
        raise ParameterError(f'{attack}: shifted-dates must be a list of columns, such as ["date"]')
    if missing := [column for column in columns if column not in known]:
        raise ParameterError(
            f"{attack}: shifted-dates names {listed(missing)}; it takes quasi-identifiers that the "
            f"external table has: {listed(known)}"
        )
    if columns and setting.classes.roles.unit is None:
        raise ParameterError(
            f"{attack}: shifted-dates needs a unit column, as the dates of one person are moved "
            "together; name it under [columns]"
        )
    return tuple(columns)


def columns_of_dates(outside: FrequencySet, base: FrequencySet) -> list[str]:
    """Return the columns in which all values of both tables are full dates.

    Each table must have at least two different dates in the column.
    """

    def dates(table: FrequencySet, column: str) -> bool:
        labels = table.labels_of(column)[FIRST_VALUE:]
        return len(labels) > 1 and all(map(_moment, labels))

    return [c for c in outside.attributes if dates(outside, c) and dates(base, c)]


def absolute_dates(columns: Sequence[str]) -> str:
    """Return the note that the dates of these columns were compared without moving them."""
    names = listed(list(columns))
    return (
        f"dates of {names} were compared as they stand; if the release moved the dates of each "
        f"person, the gaps between them may still link people: set shifted-dates = [{names}]"
    )


@dataclass(frozen=True)
class Shifts:
    """The dates of the external table and of the release, by combination and column.

    outside: the dates of the external table, shape (len(targets.outside), n_columns). inside: the
    dates of the release, shape (len(keys), n_columns). A date is a number of days, or of seconds if
    all dates of the column have a time. NaN means that the cell has no value. Infinite means that
    the text is no full date, or that the gaps of the column cannot be compared.
    person: the code of the person of each combination of the release, shape (len(keys),).
    """

    outside: Floats
    inside: Floats
    person: npt.NDArray[np.int64]

    @classmethod
    def of(
        cls, outside: FrequencySet, keys: FrequencySet, columns: Sequence[str], unit: str
    ) -> Shifts:
        """Read the dates of two tables. unit: the column of `keys` that names persons."""
        ours: list[Floats] = []
        theirs: list[Floats] = []
        for column in columns:
            read = _read(outside, keys, column)
            for table, times, side in zip((outside, keys), read, (ours, theirs), strict=True):
                by_code = np.concatenate([np.full(FIRST_VALUE, np.nan), times])
                side.append(by_code[table.column(column)])
        return cls(np.column_stack(ours), np.column_stack(theirs), keys.column(unit))

    def read(self, pairs: Candidates) -> Bools:
        """Return True for the pairs of an event and a combination without an infinite date."""
        both = np.hstack([self.inside[pairs.key], self.outside[pairs.person]])
        return np.asarray(~np.isinf(both).any(axis=1))

    def offsets(self, pairs: Candidates) -> tuple[Bools, Floats]:
        """Return True for the pairs with the same offset in all columns, and their offsets.

        The offset is NaN if no column determines it. An infinite date may be any date.
        """
        ours, theirs = self.outside[pairs.person], self.inside[pairs.key]
        ours, theirs = (np.where(np.isinf(dates), np.nan, dates) for dates in (ours, theirs))
        gap = theirs - ours
        low, high = np.fmin.reduce(gap, axis=1), np.fmax.reduce(gap, axis=1)
        fits: Bools = np.isnan(low) | np.equal(low, high)
        return fits, low

    def with_every_event(
        self, targets: ExternalTargets, pairs: Candidates, chosen: Bools
    ) -> Candidates:
        """Return the candidates of each target: persons who fit all its events at one offset.

        pairs: which event and combination match in all columns but the dates. chosen: the
        combinations that count, shape (len(keys),). The result has pairs of a target and a
        combination.
        """
        import pandas as pd  # slow to start

        fits, offset = self.offsets(pairs)
        fits &= chosen[pairs.key]
        links = pd.DataFrame({"event": pairs.person, "key": pairs.key, "offset": offset})[fits]
        links["person"] = self.person[links["key"]]
        known = pd.DataFrame({"target": targets.target, "event": targets.event})
        links = links.merge(known, on="event")
        dated, free = links[links["offset"].notna()], links[links["offset"].isna()]
        # A pair without dates fits at every offset that the dated pairs of the same target and
        # person have. If there is no dated pair, the offset is `inf`.
        who = ["target", "person"]
        at = dated[[*who, "offset"]].drop_duplicates()
        free = free.drop(columns="offset").merge(at, on=who, how="left").fillna({"offset": np.inf})
        links = pd.concat([dated, free[dated.columns]], ignore_index=True)
        place = [*who, "offset"]
        number = links[[*place, "event"]].drop_duplicates().groupby(place).size()
        events = np.bincount(targets.target, minlength=len(targets.sharing))
        full = number[number.to_numpy() == events[number.index.get_level_values("target")]]
        kept = links.merge(full.index.to_frame(index=False), on=place)
        kept = kept[["target", "key"]].drop_duplicates().sort_values(["target", "key"])
        return Candidates(kept["target"].to_numpy(np.intp), kept["key"].to_numpy(np.intp))


def links_but_for_dates(
    setting: Setting, outside: FrequencySet, keys: FrequencySet, columns: Sequence[str], unit: str
) -> Links:
    """Return the pairs that match in all columns of `outside` except the date columns.

    outside: the external combinations. keys: the released combinations with their person. columns:
    the date columns. unit: the column of `keys` that names persons. A pair with an infinite date
    (see `Shifts`) may match, but does not match for certain.

    Raises TooMuchError for more than MOST_SHIFTED_LINKS pairs.
    """
    import pandas as pd  # slow to start

    rest = [column for column in outside.attributes if column not in columns]
    ours, theirs = outside.project(rest), keys.project(rest)
    links = link(setting, ours, theirs)
    above, below = ours.entry_of(outside), theirs.entry_of(keys)
    each = np.bincount(above, minlength=len(ours)), np.bincount(below, minlength=len(theirs))
    number = int((each[0][links.widest.person] * each[1][links.widest.key]).sum())
    if number > MOST_SHIFTED_LINKS:
        raise TooMuchError(
            f"{number} pairs of a known event and a row match in all columns except "
            f"{listed(list(columns))}, too many to compare; name more columns, or fewer people"
        )
    inside, out = pd.DataFrame({"below": below}), pd.DataFrame({"above": above})
    inside["key"], out["event"] = np.arange(len(keys)), np.arange(len(outside))

    def expanded(pairs: Candidates) -> Candidates:
        some = pd.DataFrame({"above": pairs.person, "below": pairs.key})
        joined = some.merge(out, on="above").merge(inside, on="below")
        return Candidates(joined["event"].to_numpy(np.intp), joined["key"].to_numpy(np.intp))

    sure = expanded(links.sure)
    wide = sure if links.widest is links.sure else expanded(links.widest)
    read = Shifts.of(outside, keys, columns, unit).read(sure)
    if not read.all():
        sure = Candidates(sure.person[read], sure.key[read])
    unread = dict(links.unread)
    for column in columns:
        texts = {
            label
            for table, times in zip((outside, keys), _read(outside, keys, column), strict=True)
            for label, time in zip(table.labels_of(column)[FIRST_VALUE:], times, strict=True)
            if np.isinf(time)
        }
        if texts:
            unread[column] = len(texts)
    return Links(sure, wide, unread, {c: links.respelled.get(c, 0) for c in unread})


def _read(outside: FrequencySet, keys: FrequencySet, column: str) -> tuple[Floats, Floats]:
    """Return the dates of both tables by label, in days or seconds; infinite for an unread label.

    If the gaps between the dates cannot be compared (see `_unlike`), all labels are unread.
    """
    labels = [table.labels_of(column)[FIRST_VALUE:] for table in (outside, keys)]
    written = [list(map(_moment, texts)) for texts in labels]
    ours, theirs = ([m for m in some if m is not None] for some in written)
    whole_days = not all(m is not None and len(m) > DAY for some in written for m in some)
    unlike = _unlike(ours, theirs)
    times = (
        [np.inf if m is None or unlike else _time(m, whole_days=whole_days) for m in some]
        for some in written
    )
    first, second = (np.array(some, float) for some in times)
    return first, second


def _unlike(ours: Sequence[Moment], theirs: Sequence[Moment]) -> bool:
    """Return True if the gaps cannot be compared: unequal precision, or a truncated release.

    ours: the dates of the external table. theirs: the dates of the release.
    """
    if len({min(len(m), _EXACT) for m in (*ours, *theirs)}) > 1:
        return True
    (months, one_day, gap), (other_months, other_day, other_gap) = map(_regular, (ours, theirs))
    cut = other_gap and any(other_gap % step == 0 and gap % step for step in _STEPS)
    return bool(cut) or (other_months > 1 and other_day and not (months > 1 and one_day))


def _regular(moments: Sequence[Moment]) -> tuple[int, bool, int]:
    """Return three properties of some dates, by which truncated dates are recognised.

    The properties are:

    - the number of different months;
    - True if all dates have the same day of the month, or all are the last day of their month;
    - the greatest common divisor of the gaps between the dates, in seconds.
    """
    ends = all(int(m[DAY - 1]) == days_in_month(m) for m in moments)
    seconds = [seconds_of(m) for m in moments]
    first = min(seconds, default=0)
    one_day = ends or len({m[DAY - 1] for m in moments}) == 1
    return len({m[: DAY - 1] for m in moments}), one_day, gcd(*(s - first for s in seconds))


def _moment(text: str) -> Moment | None:
    """Return the moment that a text denotes; None if there is no day, or no such day (30 Feb.)."""
    parts = moment(text)
    if parts is None or len(known_parts(parts)) < DAY or int(parts[DAY - 1]) > days_in_month(parts):
        return None
    return parts


def _time(parts: Moment, *, whole_days: bool) -> int:
    return seconds_of(parts) // (SECONDS_OF_DAY if whole_days else 1)
