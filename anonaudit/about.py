"""What a model and an attack say of themselves, on their classes.

A report finds its sentences here, `anonaudit explain` its explanations, and an audit what it must
know of a model or an attack: when it is measured unasked, and what it allows. Nothing else in
anonaudit knows one by its name, so a model or an attack of another package is spoken of like ours.
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
    "Merge each class that falls short with one of other sensitive values: generalize a "
    "quasi-identifier further, or suppress the rows. Then audit again."
)


class Need(enum.Enum):
    """What an audit must have, so that a model is measured, or an attack run, without a request."""

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
    """A model is measured, or an attack run, although no policy asks for it.

    needs: only if the audit has all of these. place: the order in the report, the lowest first.
    form: parameters that make it another question. Without a form, a model is measured unless the
    policy requires it; with one, unless a requirement of the policy has these parameters.
    """

    needs: frozenset[Need] = frozenset()
    place: int = LAST
    form: Mapping[str, object] = field(default_factory=dict)


class Unions(enum.Enum):
    """Whether a union of classes reaches the level that each of them reaches.

    If so, generalization alone cannot reach a level that all rows in one class do not reach.
    """

    NOT_KNOWN = "not known"
    IF_APART = "if every row and every person is in one class"
    ALWAYS = "always"


@dataclass(frozen=True, kw_only=True)
class AboutModel:
    """Everything said about a privacy model outside of its definition.

    level: the name of its level. parameter: the parameter that requires it.
    means: what holds where the model holds; `{people}` stands for rows or persons.
    matters, do: why that matters, and what to do where it does not hold; whole sentences.
    strict: the required level itself is not enough.
    beside: what a parameter `k` beside the level counts; empty if there is none.
    of_the_whole: the level is one number of the release; no single class decides it.
    of_the_columns: the level is about each column by itself; classes have no part in it.
    size_of_class: the level is the size of a class of the release.
    several_values: the parameter that leaves no class a single value, if it is 2 or more.
    variants: the parameters, by how they begin, that make the level that of another definition; no
        `Bound` speaks of it then.
    named_by: the parameters that stand behind its name in a matrix.
    bounded: it forbids generalization beyond a boundary.
    symbol: the header of its column in a matrix; empty if it has none.
    names_columns: the parameter that lists columns of the release; empty if there is none.
    rows: the parameters that every class must have as many rows as.
    unasked: how it is measured without a request; empty if it is not.
    by_class: it is decided class by class, given how frequent the values are in the whole release,
        so a release can be audited in parts. unions: see `Unions`.
    only_with: parameters without which neither `by_class` nor `unions` is true.
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
        """Where it stands among other models."""
        return min((unasked.place for unasked in self.unasked), default=LAST)

    def prevented_by(self, parameters: Mapping[str, object]) -> tuple[str, ...]:
        """The parameters that differ from `only_with`.

        >>> AboutModel(only_with={"min_rows": 1}).prevented_by({"below": 0.5, "min_rows": 2})
        ('min_rows',)
        """
        needed = self.only_with.items()
        return tuple(name for name, value in needed if parameters.get(name, value) != value)


@dataclass(frozen=True, kw_only=True)
class Bound:
    """A theorem: where a model reaches a level, an attack finds no more than that allows.

    An audit whose numbers break it ends with an error, as one of the two is wrong.

    model: the class of the model. broken: given the level of the model, the options of the attack
        and its Disclosure, says how they contradict the theorem, or None.
    rows: only where rows are counted, not persons, who may have several values.
    known: only without unknown sensitive cells. apart: only if no class overlaps another.
    everywhere: only if every row is in a class.
    """

    model: type[Any]
    broken: Callable[[float, Mapping[str, Any], Any], str | None]
    rows: bool = False
    known: bool = False
    apart: bool = False
    everywhere: bool = False


def discloses(disclosure: Any, although: str) -> str | None:
    """The contradiction of an attack that discloses something although a model holds, or None.

    disclosure: that of the attack. although: the model and its level, in words.
    """
    if disclosure.disclosed or any(disclosure.per_attribute.values()):
        some = f"{disclosure.disclosed} of {disclosure.targets}"
        return f"{disclosure.attack} discloses {some} although {although}"
    return None


@dataclass(frozen=True, kw_only=True)
class InMatrix:
    """What `anonaudit matrix` gives an attack that the policy does not name.

    options: its options. confidence: the option that is given the policy's limit on rules.
    people: whether it is given a table of everybody in the original, if it takes one. unasked:
        whether a matrix has it if nobody asks for it.
    """

    options: Mapping[str, object] = field(default_factory=dict)
    confidence: str = ""
    people: bool = True
    unasked: bool = True


@dataclass(frozen=True, kw_only=True)
class AboutAttack:
    """Everything said about an attack outside of its class.

    means: what it does; `{people}` stands for rows or persons. matters, do: as of `AboutModel`.
    unasked: how it is run without a request; empty if it is not.
    links: it matches each person of an identified table with the released rows that may be
        theirs; `anonaudit audit --external` asks for it.
    certain: what it discloses is certain; otherwise it is believed. confidence: the detail with the
        confidence of what counts as disclosed, if that is an option.
    by_class: as of `AboutModel`.
    compares: it compares the release with another one, which no model of one release limits;
        reports advise what `do` says.
    several: `second` may name a list of releases, which it is given as `second` and `others`.
    knows_masker: its class takes `masker`, a function from original rows to released ones.
    matrix: what a matrix gives it. bounds: the theorems that limit what it finds.
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
