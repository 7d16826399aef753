"""No direct identifiers: no released column alone identifies the persons behind the rows.

The level is a number of columns and does not depend on equivalence classes. Every column is
examined by itself, whatever its role. Direct identifiers are recognised by the form of the values.
Such a result is a guess, so this model is measured only if a policy requires it.
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
    """The columns of a release that were examined for direct identifiers.

    identifiers: for each column with recognised identifiers, what was recognised. unread: for each
    column whose values could not be examined, the reason.
    """

    identifiers: Mapping[str, Recognised] = field(default_factory=dict)
    unread: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class NoDirectIdentifiers:
    """The number of columns in which nearly all values look like direct identifiers.

    Level: this number of columns. "Nearly all" means at least nine in ten. Lower is safer; 0 is
    required, and there is no other threshold. Without rows nothing is decided. A column is
    undecided, and the outcome inconclusive unless another column violates, in three cases:

    - Some values look like direct identifiers, but fewer than nine in ten. One value is enough,
      except for names: at least two values, and at least one in ten, must look like names.
    - Nearly all values look like direct identifiers, but there are too few values to exclude
      chance: one name in a column of a single value, or fewer than five numbers with a correct
      check digit.
    - The column could not be read.

    accept: columns that a person has examined and that hold no direct identifiers. They are not
        counted, and a note says what their values look like.
    looked: the result of examining the columns; None if no column was examined.

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
        matters="A direct identifier reveals by itself whom a row is about, however large the "
        "class of the row is.",
        do="Remove the columns, or the cells, that the report names. Replace the unit column by a "
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
        """Return the number of columns that certainly hold direct identifiers.

        The notes say what was recognised in each column.
        """
        looked = self.looked
        if looked is None or not classes.total_rows:
            why = f"{NO_DATA}: the release has no row" if looked else "no column was examined"
            return self._measured(None, Outcome.INCONCLUSIVE, (why,), {})
        counted = {c: one for c, one in looked.identifiers.items() if c not in self.accept}
        unread = {c: why for c, why in looked.unread.items() if c not in self.accept}
        certain = [column for column, one in counted.items() if one.nearly_all]
        outcome = Outcome.VIOLATED if certain else Outcome.HOLDS
        if not certain and (counted or unread):
            outcome = Outcome.INCONCLUSIVE
        notes = [
            f"{one.values} of {one.of} different values of {column} "
            f"{'looks' if one.values == 1 else 'look'} like {one.kind}" + self._so(column, one)
            for column, one in looked.identifiers.items()
        ]
        notes += [f"{column} is undecided: {why}" for column, why in unread.items()]
        notes += [
            f"the policy accepts {column}, but its values could not be examined: {why}"
            for column, why in looked.unread.items()
            if column not in unread
        ]
        values = {column: AttributeLevel(one.values) for column, one in counted.items()}
        return self._measured(len(certain), outcome, tuple(notes), values)

    def _so(self, column: str, one: Recognised) -> str:
        """Return the end of the note on a column: whether it is accepted or undecided."""
        if column in self.accept:
            return "; the policy accepts the column"
        if one.nearly_all:
            return ""
        return (
            ", so the column is undecided: examine it, and accept it if it holds no direct "
            "identifiers"
        )

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
