"""Descriptions of models and attacks, stored on their classes as `about`.

Reports, `anonaudit explain`, audits and matrices read these descriptions. No other module of
anonaudit names a model or an attack, so one from another package is treated like ours.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

CLASS_SIZE: Final = "class size"
LAST: Final = 1000

GENERALIZE: Final = (
    "Merge or suppress the classes that fall short: generalize a quasi-identifier further, or "
    "suppress the rows. Then audit again."
)
SPREAD: Final = (
    "Merge each class that falls short with a class that has other sensitive values, by "
    "generalizing a quasi-identifier further, or suppress its rows. Then audit again."
)


class Need(enum.Enum):
    """What must be given before an audit measures a model, or runs an attack, without a request."""

    SENSITIVE = "a sensitive column"
    SEVERAL_SENSITIVE = "several sensitive columns"
    ORDER = "an order of the values of a sensitive column"
    PROTECTED = "protected values in a hierarchy"
    BOUNDARIES = "a max-generalization in a hierarchy"
    POPULATION = "a population"
    WEIGHTS = "a column of sampling weights"
    HOUSEHOLDS = "a column of households"
    SAMPLING = "a sampling fraction, or the size of the population"
    ORIGINAL = "rows that are paired with an original"
    PERTURBED = "a column that is declared perturbed"


@dataclass(frozen=True, kw_only=True)
class Unasked:
    """When an audit measures a model, or runs an attack, that the policy does not name.

    needs: all of these must be given. place: the position in the report, ascending.
    form: the parameters to measure a model with. If `form` is empty, the model is measured unless
    the policy requires it. Otherwise it is measured unless the policy requires it with these
    parameters.
    """

    needs: frozenset[Need] = frozenset()
    place: int = LAST
    form: Mapping[str, object] = field(default_factory=dict)


class Unions(enum.Enum):
    """The condition under which merging classes never worsens the level.

    If each of several classes reaches a level, so does their union. Then generalization alone
    cannot reach a level that the whole table as one class misses.
    """

    NOT_KNOWN = "not known"
    IF_APART = "if every row and every person is in one class"
    ALWAYS = "always"


@dataclass(frozen=True, kw_only=True)
class AboutModel:
    """The description of a privacy model.

    level: the name of the level. parameter: the parameter that sets the required level.
    means: what a release that satisfies the model guarantees. `{people}` is replaced by rows or
        persons.
    matters, do: why that is important, and what to do if the model is violated; whole sentences.
    strict: the level must be better than the required one; equal is not enough.
    beside: what the parameter `k` counts, in a model whose level is not k; empty without a `k`.
    of_the_whole: the level is one number of the release; no single class decides it.
    of_the_columns: the level is computed column by column, without equivalence classes.
    size_of_class: the level is the size of a class of the release.
    several_values: the parameter that, from 2 up, forbids classes with a single sensitive value.
    variants: prefixes of parameters that select a different definition. A `Bound` is not applied
        to a model with such a parameter.
    named_by: the parameters that a matrix appends to the model's name.
    bounded: the model forbids generalization beyond a boundary.
    symbol: the header of the model's column in a matrix; empty if it has none.
    names_columns: the parameter that lists columns of the release; empty if there is none.
    rows: the parameters that are minimum numbers of rows in each class.
    unasked: when the model is measured without a requirement; empty for never.
    by_class: each class is judged by its own counts and the frequencies of the values in the
        release, so a release can be audited in parts. unions: see `Unions`.
    only_with: parameters and values that `by_class` and `unions` presuppose.
    """

    level: str = ""
    parameter: str = ""
    means: str = ""
    matters: str = ""
    do: str = ""
    strict: bool = False
    beside: str = ""
    of_the_whole: bool = False
    of_the_columns: bool = False
    size_of_class: bool = False
    several_values: str = ""
    variants: tuple[str, ...] = ()
    named_by: tuple[str, ...] = ()
    bounded: bool = False
    symbol: str = ""
    names_columns: str = ""
    rows: tuple[str, ...] = ()
    unasked: tuple[Unasked, ...] = ()
    by_class: bool = False
    unions: Unions = Unions.NOT_KNOWN
    only_with: Mapping[str, object] = field(default_factory=dict)

    @property
    def place(self) -> int:
        """The position in the report; the lowest one of `unasked`."""
        return min((unasked.place for unasked in self.unasked), default=LAST)

    def prevented_by(self, parameters: Mapping[str, object]) -> tuple[str, ...]:
        """Return the parameters whose values differ from `only_with`.

        >>> AboutModel(only_with={"min_rows": 1}).prevented_by({"below": 0.5, "min_rows": 2})
        ('min_rows',)
        """
        needed = self.only_with.items()
        return tuple(name for name, value in needed if parameters.get(name, value) != value)


@dataclass(frozen=True, kw_only=True)
class Bound:
    """A theorem: if a model reaches a level, the disclosures of an attack are limited.

    An audit whose numbers contradict a theorem ends with an error: the model or the attack is
    implemented wrongly.

    model: the class of the model. broken: takes the level of the model, the options of the attack
        and its `Disclosure`; returns the contradiction in words, or None.

    The other fields are conditions of the theorem. rows: rows are counted, not persons. (A person
    may have several values.) known: no sensitive cell is unknown. apart: no two classes overlap.
    everywhere: every row is in a class.
    """

    model: type[Any]
    broken: Callable[[float, Mapping[str, Any], Any], str | None]
    rows: bool = False
    known: bool = False
    apart: bool = False
    everywhere: bool = False


def discloses(disclosure: Any, although: str) -> str | None:
    """Return the contradiction if an attack discloses anything, otherwise None.

    although: the model that rules disclosures out, and its level, in words.
    """
    if disclosure.disclosed or any(disclosure.per_attribute.values()):
        some = f"{disclosure.disclosed} of {disclosure.targets}"
        return f"{disclosure.attack} discloses {some} although {although}"
    return None


@dataclass(frozen=True, kw_only=True)
class InMatrix:
    """How `anonaudit matrix` runs an attack that the policy does not name.

    options: the options of the attack. confidence: the option that is set to the rule confidence
        that the policy requires; empty if the attack has no such option.
    people: an attack with the option `external` gets a table of everybody in the original.
    unasked: the attack is part of the default selection.
    """

    options: Mapping[str, object] = field(default_factory=dict)
    confidence: str = ""
    people: bool = True
    unasked: bool = True


@dataclass(frozen=True, kw_only=True)
class AboutAttack:
    """The description of an attack.

    means: what the attack does; `{people}` is replaced by rows or persons. matters, do: as in
        `AboutModel`.
    unasked: when the attack runs without a request; empty for never.
    links: the attack matches the people of an identified table with released rows;
        `anonaudit audit --external` runs it.
    certain: its disclosures are certain; otherwise they are likely. confidence: the key of
        `details` that holds the confidence of a disclosure; empty if there is none.
    by_class: as in `AboutModel`.
    compares: the attack compares the release with another release. No model of a single release
        limits it, so a report advises what `do` says.
    several: the option `second` may list several releases. The first one becomes
        `Setting.second`, the rest `Setting.others`.
    knows_masker: the class takes `masker`, a function from original rows to released rows.
    matrix: how a matrix runs the attack. bounds: theorems that limit its disclosures.
    """

    means: str = ""
    matters: str = ""
    do: str = ""
    unasked: tuple[Unasked, ...] = ()
    links: bool = False
    certain: bool = True
    confidence: str = ""
    by_class: bool = False
    compares: bool = False
    several: bool = False
    knows_masker: bool = False
    matrix: InMatrix = field(default_factory=InMatrix)
    bounds: tuple[Bound, ...] = ()
