"""No direct identifiers: no released column says by itself whom its rows are about.

The level is about columns and not about classes: each column is looked at by itself, whatever its
part. What values look like is a guess, so this is measured only where a policy asks for it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from anonaudit.about import AboutModel
from anonaudit.findings import NO_DATA, AttributeLevel, Measurement, Outcome
from anonaudit.frequency.classes import EquivalenceClasses
from anonaudit.generalization.direct_identifiers import Recognised
from anonaudit.models.level import ParameterError


@dataclass(frozen=True)
class LookedAt:
    """The columns of a release, looked at for direct identifiers.

    identifiers: by column, what was recognised. unread: by column, why its values could not be
    looked at.
    """

    identifiers: Mapping[str, Recognised] = field(default_factory=dict)
    unread: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class NoDirectIdentifiers:
    """Columns of which nearly all values look like direct identifiers.

    Level: their number. Lower is safer; 0 is asked for, and there is no other threshold. A column
    of which some values look like direct identifiers, fewer than nine in ten, is undecided: from
    one value on, of names from one in ten and two values on, or if there is one value only. So is a
    column of fewer than five numbers, even if all pass their check, and one that could not be read.
    Without rows nothing is decided.

    accept: columns that somebody has looked at and judged to hold no direct identifiers, whatever
        their values look like. They are not counted, and a note says what they look like.
    looked: the columns that were looked at; None where none was.

    Example:
    -------
    >>> import anonaudit
    >>> from anonaudit.policy import parse_policy
    >>> policy = parse_policy('''
    ...     columns.quasi-identifiers = ["age", "zip-code", "sex"]
    ...     require.no-direct-identifiers = true
    ... ''')
    >>> report = anonaudit.audit(anonaudit.datasets.path("TV06/table1.csv"), policy)
    >>> report.models[0].measured, report.outcome.value
    (0, 'holds')
    """

    name: ClassVar[str] = "no-direct-identifiers"
    about: ClassVar[AboutModel] = AboutModel(
        level="columns",
        means="No released column holds e-mail addresses, telephone numbers, account or card "
        "numbers, official numbers of persons, network addresses or names",
        matters="Such a value says by itself whom a row is about, so no class protects anybody.",
        do="Remove the columns, or the cells, that the report names. Replace a unit by a "
        "random number for each person. If a column holds no direct identifiers, accept "
        "it in the policy.",
        of_the_whole=True,
        of_the_columns=True,
        names_columns="accept",
    )
    accept: tuple[str, ...] = ()
    looked: LookedAt | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.accept, (list, tuple)) or not all(
            isinstance(c, str) and c for c in self.accept
        ):
            raise ParameterError('accept must be a list of columns, for example ["amount"]')
        object.__setattr__(self, "accept", tuple(self.accept))  # TOML has lists

    def measure(self, classes: EquivalenceClasses) -> Measurement:
        """The number of columns that certainly hold direct identifiers, and what was recognised."""
        looked = self.looked
        if looked is None or not classes.total_rows:
            why = f"{NO_DATA}: the release has no row" if looked else "no column was looked at"
            return self._measured(None, Outcome.INCONCLUSIVE, (why,), {})
        counted = {c: one for c, one in looked.identifiers.items() if c not in self.accept}
        unread = {c: why for c, why in looked.unread.items() if c not in self.accept}
        certain = [column for column, one in counted.items() if one.nearly_all]
        outcome = Outcome.VIOLATED if certain else Outcome.HOLDS
        if not certain and (counted or unread):
            outcome = Outcome.INCONCLUSIVE
        notes = [
            f"{one.values} of {one.of} different values of {column} look like {one.kind}"
            + self._so(column, one)
            for column, one in looked.identifiers.items()
        ]
        notes += [f"{column} is undecided: {why}" for column, why in unread.items()]
        notes += [
            f"{column} is accepted by the policy, although nobody could look at it: {why}"
            for column, why in looked.unread.items()
            if column not in unread
        ]
        values = {column: AttributeLevel(one.values) for column, one in counted.items()}
        return self._measured(len(certain), outcome, tuple(notes), values)

    def _so(self, column: str, one: Recognised) -> str:
        """What follows for the column, as the end of a sentence."""
        if column in self.accept:
            return "; the policy accepts the column"
        if one.nearly_all:
            return ""
        return ", so the column is undecided: look at it, and accept it if it holds none"

    def _measured(
        self,
        level: int | None,
        outcome: Outcome,
        notes: tuple[str, ...],
        values: Mapping[str, AttributeLevel],
    ) -> Measurement:
        return Measurement(
            model=self.name,
            parameters={"accept": self.accept} if self.accept else {},
            measured=level,
            required=0,
            safer="lower",
            outcome=outcome,
            per_attribute=values,
            notes=notes,
        )
