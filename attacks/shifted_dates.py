"""Known events of a person whose dates the release moved: the gaps between the dates are left.

To hide when somebody was treated, all dates of a person are moved by one number of days, another
one for each person (the "shift and truncate" and date shifting of medical releases). An adversary
who knows two dates of a target knows the days between them, and looks for a person of the release
whose rows are as far apart, whatever the offset.

A person of the release fits a target if one offset takes every known event to a row of the person.

Dates that were cut after they were moved ("shift and truncate") have other gaps. Where the dates of
a release seem to be cut, or are written more or less exactly than those of the table, they may be
any date, so nobody is ruled out by them.
"""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from math import gcd
from typing import Final

import numpy as np
import numpy.typing as npt
import pandas as pd

from anonaudit.attack import Setting
from anonaudit.cells import FIRST_VALUE
from anonaudit.errors import listed
from anonaudit.frequency.frequency_set import FrequencySet
from anonaudit.linking.matching import Candidates
from anonaudit.linking.moments import DAY, Moment, known_parts, moment
from anonaudit.linking.too_much import TooMuchError
from anonaudit.models.level import ParameterError
from attacks.candidate_rows import Bools
from attacks.shared import Links, link
from attacks.targets import ExternalTargets

Numbers = npt.NDArray[np.float64]

# More pairs of an event and a row of a person are not looked at.
MOST_LINKS: Final = 20_000_000
_SECONDS: Final = 86_400
# What moments are cut to, in seconds: a week, a day, hours and minutes. Seconds are the last part.
_STEPS: Final = (7 * _SECONDS, _SECONDS, 3600, 1800, 900, 300, 60)
_EXACT: Final = 6


def shifted_option(attack: str, setting: Setting, known: Sequence[str]) -> tuple[str, ...]:
    """The columns of dates that the release may have moved; none if the option is not given.

    known: the quasi-identifiers that the external table has.
    """
    columns = setting.options.get("shifted_dates", ())
    if not isinstance(columns, (list, tuple)) or not all(isinstance(c, str) for c in columns):
        raise ParameterError(f'{attack}: shifted-dates must be a list of columns, as ["date"]')
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
    """The columns that hold different dates with a day, in an external table and in a release."""

    def dates(table: FrequencySet, column: str) -> bool:
        labels = table.labels_of(column)[FIRST_VALUE:]
        return len(labels) > 1 and not np.isnan(_times(labels, whole_days=True)).any()

    return [c for c in outside.attributes if dates(outside, c) and dates(base, c)]


def absolute_dates(columns: Sequence[str]) -> str:
    """That the dates of these columns were compared as they stand only."""
    names = listed(list(columns))
    return (
        f"dates of {names} were compared as they stand; if the release moved the dates of each "
        f"person, the gaps between them may still tell people apart: set shifted-dates = [{names}]"
    )


@dataclass(frozen=True)
class Shifts:
    """The dates of the external table and of the release, by combination and column.

    outside: shape (len(targets.outside), n_columns). inside: shape (len(keys), n_columns), both in
    days or seconds. NaN for a cell without a date; infinite for a text that is no date with a day.
    person: of each combination of the release, shape (len(keys),).
    """

    outside: Numbers
    inside: Numbers
    person: npt.NDArray[np.int64]

    @classmethod
    def of(
        cls, outside: FrequencySet, keys: FrequencySet, columns: Sequence[str], unit: str
    ) -> Shifts:
        """Read the dates of two tables. unit: the column of `keys` that names persons."""
        ours: list[Numbers] = []
        theirs: list[Numbers] = []
        for column in columns:
            labels = outside.labels_of(column), keys.labels_of(column)
            read = [moment(text) for some in labels for text in some[FIRST_VALUE:]]
            whole_days = not all(parts and len(parts) > DAY for parts in read)
            for table, texts, side in zip((outside, keys), labels, (ours, theirs), strict=True):
                times = _times(texts[FIRST_VALUE:], whole_days=whole_days)
                times[np.isnan(times) | _unlike(*labels)] = np.inf
                by_code = np.concatenate([np.full(FIRST_VALUE, np.nan), times])
                side.append(by_code[table.column(column)])
        return cls(np.column_stack(ours), np.column_stack(theirs), keys.column(unit))

    def read(self, pairs: Candidates) -> Bools:
        """The pairs of an event and a combination without a text that is no date."""
        both = np.hstack([self.inside[pairs.key], self.outside[pairs.person]])
        return np.asarray(~np.isinf(both).any(axis=1))

    def offsets(self, pairs: Candidates) -> tuple[Bools, Numbers]:
        """Which pairs of an event and a combination have one offset in all columns, and the offset.

        NaN is any offset: no column says it. A text that is no date may be any date.
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
        """The combinations that fit a target, of the persons who fit all its events at one offset.

        pairs: of an event and a combination that fit but for their dates. chosen: the combinations
        that count, shape (len(keys),).
        """
        fits, offset = self.offsets(pairs)
        fits &= chosen[pairs.key]
        links = pd.DataFrame({"event": pairs.person, "key": pairs.key, "offset": offset})[fits]
        links["person"] = self.person[links["key"]]
        known = pd.DataFrame({"target": targets.target, "event": targets.event})
        links = links.merge(known, on="event")
        dated, free = links[links["offset"].notna()], links[links["offset"].isna()]
        # A row without a date is at every offset of its person, or at one where there is no other.
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
    """The combinations of two tables that match in all columns of `outside` but these.

    A pair with a text that is no date matches only maybe. unit: as of `Shifts.of`.

    Raises TooMuchError where there are too many.
    """
    rest = [column for column in outside.attributes if column not in columns]
    ours, theirs = outside.project(rest), keys.project(rest)
    links = link(setting, ours, theirs)
    above, below = ours.entry_of(outside), theirs.entry_of(keys)
    each = np.bincount(above, minlength=len(ours)), np.bincount(below, minlength=len(theirs))
    number = int((each[0][links.widest.person] * each[1][links.widest.key]).sum())
    if number > MOST_LINKS:
        raise TooMuchError(
            f"{number} pairs of a known event and a row match but for {listed(list(columns))}; "
            "name more columns, or fewer people"
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
        texts = {t for table in (outside, keys) for t in table.labels_of(column)[FIRST_VALUE:]}
        unlike = _unlike(outside.labels_of(column), keys.labels_of(column))
        if n := int((np.isnan(_times(sorted(texts), whole_days=True)) | unlike).sum()):
            unread[column] = n
    return Links(sure, wide, unread, {c: links.respelled.get(c, 0) for c in unread})


def _unlike(ours: Sequence[str], theirs: Sequence[str]) -> bool:
    """Whether the gaps of dates say nothing: one table is more exact, or the release seems cut.

    ours: the labels of the external table. theirs: those of the release.
    """
    read = [
        [
            m
            for m in map(moment, labels[FIRST_VALUE:])
            if m is not None and len(known_parts(m)) >= DAY
        ]
        for labels in (ours, theirs)
    ]
    if len({min(len(m), _EXACT) for some in read for m in some}) > 1:
        return True
    (months, days, gap), (other_months, other_days, other_gap) = map(_regular, read)
    cut = other_gap and any(other_gap % step == 0 and gap % step for step in _STEPS)
    return bool(cut) or (other_months > 1 and other_days and not (months > 1 and days))


def _regular(moments: Sequence[Moment]) -> tuple[int, bool, int]:
    """How many months there are, whether all dates are one day of theirs, and the gaps' divisor."""
    dates = [(int(m[0]), int(m[1]), int(m[2])) for m in moments]
    ends = [day == monthrange(max(year, 1), month)[1] for year, month, day in dates]
    one_day = len({day for *_, day in dates}) == 1 or all(ends)
    seconds = _times(["-".join(m[:DAY]) + _clock(m) for m in moments], whole_days=False)
    seconds = seconds[~np.isnan(seconds)]
    gap = gcd(*(int(s - seconds.min()) for s in seconds)) if len(seconds) else 0
    return len({date[:2] for date in dates}), one_day, gap


def _clock(moment: Moment) -> str:
    return "T" + ":".join(moment[DAY : DAY + 3]) if len(moment) > DAY else ""


def _times(texts: Sequence[str], *, whole_days: bool) -> Numbers:
    """Each date as a number of days, or as seconds; NaN for a text that is no date with a day."""
    return np.array([_time(moment(text), whole_days=whole_days) for text in texts], float)


def _time(parts: Moment | None, *, whole_days: bool) -> float:
    if parts is None or len(known_parts(parts)) < DAY:
        return float("nan")
    try:
        day = date(*map(int, parts[:DAY])).toordinal()
    except ValueError:  # a day that its month lacks
        return float("nan")
    if whole_days:
        return day
    hour, minute, second = (*map(int, parts[DAY : DAY + 3]), 0, 0, 0)[:3]
    return day * _SECONDS + hour * 3600 + minute * 60 + second
