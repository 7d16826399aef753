"""Descriptions of models and attacks, stored on their classes as `about`.

Reports, `anonaudit explain`, audits and matrices read these descriptions. They never test for the
name of a model or an attack, so they treat a model or attack of another package like one of
anonaudit.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from anonaudit.details import Details

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
    """An input that must be given before an audit uses a model or attack that nobody requested."""

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
    """The condition for an audit to use a model or an attack that the policy does not name.

    needs: the inputs that must all be given.
    place: the position in the report; the lowest comes first.
    form: the parameters that the model is measured with, such as `{"distance": "ordered"}`. If
        `form` is empty, the audit measures the model unless the policy requires it, with whatever
        parameters. Otherwise the audit measures the model unless the policy requires it with the
        parameters in `form`.
    """

    needs: frozenset[Need] = frozenset()
    place: int = LAST
    form: Mapping[str, object] = field(default_factory=dict)


class Unions(enum.Enum):
    """The condition under which a union of equivalence classes is as safe as its worst class.

    Under this condition, if each of several classes reaches a level, their union reaches it too.
    Then generalization alone cannot reach a level that the whole table, taken as one class, misses.
    """

    NOT_KNOWN = "not known"
    IF_APART = "if every row and every person is in one class"
    ALWAYS = "always"


@dataclass(frozen=True, kw_only=True)
class AboutModel:
    """The description of a privacy model.

    level: the name of the level in reports, such as `k`, `alpha` or `risk`.
    parameter: the name of the parameter that sets the required level.
    means: the guarantee of a release that satisfies the model, in words. Reports replace
        `{people}` by "rows" or "persons".
    matters: why the guarantee is important, in whole sentences.
    do: what to do if the model is violated, in whole sentences.
    strict: True if the level must be better than the required level; an equal level is not enough.
    beside: what the parameter `k` counts, such as `class size`, in a model that has a `k` but whose
        level is another quantity. Empty for other models.
    of_the_whole: True if the level is one number of the release that no single class determines.
    of_the_columns: True if the level is computed column by column, without equivalence classes.
    size_of_class: True if the level is the size of a class of the release.
    several_values: the name of a parameter that, if it is 2 or more, forbids classes with a single
        sensitive value. Empty if there is none.
    variants: prefixes of parameter names. A parameter with such a prefix selects a different
        definition of the model, to which no `Bound` applies.
    named_by: the names of the parameters that a matrix appends to the model's name.
    bounded: True if the model forbids generalization beyond a boundary.
    infinite: why the level of a class is infinite, as words after "because"; empty if it never is.
    symbol: the header of the model's column in a matrix; empty if it has no column.
    names_columns: the parameter that lists columns of the release; empty if there is none.
    rows: the names of the parameters that are minimum numbers of rows in each class.
    unasked: the conditions under which an audit measures the model without a requirement; empty if
        it never does.
    by_class: True if the counts of a class, and the frequencies of the values in the whole release,
        are enough to judge the class. Then a release can be audited in parts.
    unions: see `Unions`.
    facts: the `Details` classes of the model, with those of an inner model. `anonaudit diff` and
        baselines compare the facts that say which numbers are safer (see `Fact.safer`).
    only_with: parameter -> the value at which `by_class` and `unions` are valid. A parameter that
        is not given is valid.
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
    infinite: str = ""
    symbol: str = ""
    names_columns: str = ""
    rows: tuple[str, ...] = ()
    unasked: tuple[Unasked, ...] = ()
    by_class: bool = False
    unions: Unions = Unions.NOT_KNOWN
    facts: tuple[type[Details], ...] = ()
    only_with: Mapping[str, object] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Raise TypeError if `facts` has something else than classes of facts."""
        for kind in self.facts:
            if not (isinstance(kind, type) and issubclass(kind, Details)):
                raise TypeError(f"facts: expected subclasses of Details, not {kind!r}")

    @property
    def place(self) -> int:
        """The lowest position in `unasked`; `LAST` if `unasked` is empty."""
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

    An audit whose numbers contradict the theorem ends with an error, because the model or the
    attack must be implemented wrongly.

    model: the class of the model.
    broken: takes the level of the model, the options of the attack and its `Disclosure`; returns
        the contradiction in words, or None.

    The other fields are conditions. The theorem is applied only if all conditions that are True are
    met.

    rows: rows are counted, not persons. (A person may have several sensitive values.)
    known: no sensitive cell is unknown.
    apart: no two classes overlap.
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

    options: the options of the attack.
    confidence: the option that is set to the rule confidence that the policy requires; empty if the
        attack has no such option.
    people: True if the attack, if it has the option `external`, gets a table of everybody in the
        original.
    unasked: True if a matrix runs the attack by default.
    """

    options: Mapping[str, object] = field(default_factory=dict)
    confidence: str = ""
    people: bool = True
    unasked: bool = True


@dataclass(frozen=True, kw_only=True)
class AboutAttack:
    """The description of an attack.

    means: what the attack does, in words. Reports replace `{people}` by "rows" or "persons".
    matters, do: as in `AboutModel`.
    unasked: the conditions under which an audit runs the attack without a request; empty if it
        never does.
    links: True if the attack matches the people of an identified table with released rows. Then
        `anonaudit audit --external` runs it.
    certain: True if the values that it discloses are certain, False if they are only likely.
    confidence: the key of `Disclosure.details` that holds the confidence of a disclosure; empty if
        there is none.
    by_class: as in `AboutModel`.
    compares: True if the attack compares the release with another release. No model of a single
        release limits such an attack, so a report gives the advice in `do`.
    several: True if the option `second` may list several releases. The first one becomes
        `Setting.second`, the rest `Setting.others`.
    knows_masker: True if the class has a parameter `masker`, a function from original rows to
        released rows.
    matrix: how a matrix runs the attack.
    bounds: theorems that limit the disclosures of the attack.
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
