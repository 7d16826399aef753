"""Details: the labelled facts that a model or an attack reports in addition to its level.

Details are frozen dataclasses. A field created by `fact` is a fact. Reports use the label of the
fact as its key; code uses the name of the field. A report lays out each fact by its `Kind`. A model
or an attack with facts of its own defines its own `Details` class in its own module. Reports have
special layouts for the classes in `anonaudit.special_details`.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields, replace
from typing import Any, Final, Literal, Self, TypeVar, get_args

Combine = Callable[[Sequence[Any]], Any]
Safer = Literal["", "higher", "lower"]
_FACT: Final = "fact"
# In a table number -> count, the key for what happens at none of the numbers.
NEVER: Final = "none"


class Kind(enum.Enum):
    """How a report lays out a fact. A `PLACED` fact is part of the special layout of its class."""

    NUMBER = "a number, or numbers by name"
    COUNT = "a count, which is not mentioned where it is 0"
    STEPS = "a table number -> count, in ascending order"
    TEXT = "a text, with a sentence for each text in `words`"
    PLACED = "laid out with other facts of its class"


@dataclass(frozen=True)
class Fact:
    """A labelled value.

    label: the key in reports.
    unit: the unit of a count, in the singular.
    said: a sentence with `{}` for the value. If it is empty, the report writes label and value.
        `{people}` becomes "rows" or "persons".
    one: the sentence for a count of 1.
    words: value -> sentence, for a fact of `Kind.TEXT`.
    null: True if the value None is reported as null.
    safer: whether a higher or a lower number is safer; empty if neither is. `anonaudit diff` and
        baselines compare such facts of the classes that a model lists in `AboutModel.facts`.
    whole: `rows` or `persons` if the number is a count of these. `anonaudit diff` then compares the
        shares, and baselines compare the counts too.
    given: a parameter of the model, spelled as in a policy. Numbers are compared only if it has the
        same value.
    bounds_level: True if the number is a bound of the level. A report in words leaves out a bound
        that equals the level.
    """

    label: str
    value: object
    unit: str = ""
    kind: Kind = Kind.NUMBER
    said: str = ""
    one: str = ""
    words: Mapping[str, str] = field(default_factory=dict)
    null: bool = False
    safer: Safer = ""
    whole: Literal["", "rows", "persons"] = ""
    given: str = ""
    bounds_level: bool = False


@dataclass(frozen=True)
class _Label:
    fact: Fact
    adds: Combine | None


def fact(
    label: str,
    kind: Kind = Kind.NUMBER,
    *,
    unit: str = "",
    said: str = "",
    one: str = "",
    words: Mapping[str, str] | None = None,
    adds: Combine | None = None,
    null: bool = False,
    optional: bool = False,
    safer: Safer = "",
    whole: Literal["", "rows", "persons"] = "",
    given: str = "",
    bounds_level: bool = False,
) -> Any:
    """Return a dataclass field that is a fact of `Details`.

    Parameters
    ----------
    label, kind, unit, said, one, words, safer, whole, given, bounds_level
        As in `Fact`.
    adds
        A function that combines the values of the parts of a release into the value of the release,
        such as `sum`. None if the values cannot be combined; then the fact is left out if a release
        is audited in parts.
    null
        True if the value None is reported as null. By default a fact with the value None is left
        out.
    optional
        True if None is the default value of the field.

    Returns
    -------
    The field, for the body of a `Details` class.

    Example
    -------
    >>> @dataclass(frozen=True, kw_only=True, eq=False)
    ... class Crowds(Details):
    ...     small: int = fact("small classes", Kind.COUNT, unit="class", adds=sum)
    >>> dict(Crowds(small=2)), Crowds(small=2).small
    ({'small classes': 2}, 2)
    >>> dict(Crowds.together([Crowds(small=2), Crowds(small=3)]))
    {'small classes': 5}
    """
    if safer not in get_args(Safer) or whole not in ("", "rows", "persons"):
        raise ValueError(f"{label}: safer or whole has an unknown value")
    labelled = Fact(
        *(label, None, unit, kind, said, one, words or {}),
        null=null,
        safer=safer,
        whole=whole,
        given=given,
        bounds_level=bounds_level,
    )
    return field(
        default=None if optional else MISSING,
        metadata={_FACT: _Label(labelled, adds)},
    )


@dataclass(frozen=True, kw_only=True, eq=False)
class Details(Mapping[str, object]):
    """The facts of a model or an attack; also a mapping from labels to values.

    If a field holds `Details` and is not a fact itself, its facts are facts of this object too.

    in_parts: True if the values are combined from the parts of a release. Facts that cannot be
        combined are then left out.
    """

    in_parts: bool = field(default=False, repr=False)

    def facts(self) -> Iterator[Fact]:
        """Yield the facts that have a value, in the order of the fields."""
        for each in fields(self):
            value, label = getattr(self, each.name), each.metadata.get(_FACT)
            if label is not None:
                if value is not None or (label.fact.null and not self.in_parts):
                    yield replace(label.fact, value=value)
            elif isinstance(value, Details):
                yield from value.facts()

    def __getitem__(self, label: str) -> object:
        """Return the value of a label."""
        for one in self.facts():
            if one.label == label:
                return one.value
        raise KeyError(label)

    def __iter__(self) -> Iterator[str]:
        """The labels."""
        return (one.label for one in self.facts())

    def __len__(self) -> int:
        """The number of facts."""
        return sum(1 for _ in self.facts())

    @property
    def leaves_open(self) -> bool:
        """True if a fact leaves a requirement undecided that otherwise holds; by default False.

        If a release is audited in parts, a part without a level is ignored unless this is True.
        """
        return False

    @classmethod
    def together(cls, parts: Sequence[Self]) -> Self:
        """Combine the facts of the parts of a release into the facts of the release.

        Raises ValueError if the parts have different values of a fact that is combined by `same`.
        """
        values: dict[str, Any] = {}
        for each in fields(cls):
            there = [one for part in parts if (one := getattr(part, each.name)) is not None]
            label = each.metadata.get(_FACT)
            if label is not None:
                values[each.name] = label.adds(there) if label.adds and there else None
            elif there and isinstance(there[0], Details):
                values[each.name] = type(there[0]).together(there)
        return cls(**{**values, "in_parts": True})

    def notes(
        self, measured: float | None, required: float | None, parameters: Mapping[str, object]
    ) -> tuple[str, ...]:
        """Return notes that follow from the facts and the level of a model; by default none.

        measured: the level, `inf` if it is infinite; None if there is no data.
        required: the required level; None if no level is required.
        parameters: the parameters of the model.
        """
        del measured, required, parameters
        return ()


D = TypeVar("D", bound=Details)


def part_of(details: Mapping[str, object], kind: type[D]) -> D | None:
    """Return the first `Details` of type `kind` in these details, at any depth; None if absent."""
    if isinstance(details, kind):
        return details
    if isinstance(details, Details):
        inner = [
            getattr(details, each.name) for each in fields(details) if _FACT not in each.metadata
        ]
        parts = [part_of(one, kind) for one in inner if isinstance(one, Details)]
        return next((one for one in parts if one is not None), None)
    return None


def label_of(kind: type[Details], name: str) -> str:
    """Return the label of the fact with this field name.

    >>> from anonaudit.special_details import Histories
    >>> label_of(Histories, "alone")
    'persons alone by history'
    """
    (label,) = (each.metadata[_FACT].fact.label for each in fields(kind) if each.name == name)
    return str(label)


def compared_facts(kinds: Iterable[type[Details]]) -> list[Fact]:
    """Return the facts of these classes that are compared (see `Fact.safer`), without a value.

    >>> from anonaudit.special_details import Histories
    >>> [(fact.label, fact.safer) for fact in compared_facts([Histories])]
    [('k by whole histories', 'higher'), ('persons alone by history', 'lower')]
    """
    labels = (each.metadata.get(_FACT) for kind in kinds for each in fields(kind))
    return [label.fact for label in labels if label is not None and label.fact.safer]


# --- combining parts


def same(values: Sequence[Any]) -> Any:
    """Return the value that all parts share. Raises ValueError if the parts differ."""
    if any(value != values[0] for value in values):
        raise ValueError("the parts of a release disagree about a fact of the whole release")
    return values[0]


def sum_by_name(tables: Sequence[Mapping[str, int]]) -> dict[str, int]:
    """Return the sum for each name.

    >>> sum_by_name([{"a": 1}, {"a": 2, "b": 3}])
    {'a': 3, 'b': 3}
    """
    names = dict.fromkeys(name for table in tables for name in table)
    return {name: sum(table.get(name, 0) for table in tables) for name in names}


def least_by_name(tables: Sequence[Mapping[str, int]]) -> dict[str, int]:
    """Return the least value for each name.

    >>> least_by_name([{"a": 1}, {"a": 2, "b": 3}])
    {'a': 1, 'b': 3}
    """
    names = dict.fromkeys(name for table in tables for name in table)
    return {name: min(table[name] for table in tables if name in table) for name in names}


def sum_by_number(tables: Sequence[Mapping[str, int]]) -> dict[str, int]:
    """Return the sum for each number, in ascending order; the key `none` comes last.

    >>> sum_by_number([{"2": 1, "none": 4}, {"1": 2, "2": 3}])
    {'1': 2, '2': 4, 'none': 4}
    """
    added = sum_by_name(tables)
    order = sorted(added, key=lambda key: float("inf") if key == NEVER else int(key))
    return {key: added[key] for key in order}


def sum_up_to(tables: Sequence[Mapping[str, int]]) -> dict[str, int]:
    """Add tables of cumulative counts, in which the entry of n counts everything up to n.

    >>> sum_up_to([{"1": 2, "3": 5}, {"2": 1}])
    {'1': 2, '2': 3, '3': 6}
    """
    numbers = sorted({int(number) for table in tables for number in table})
    return {
        str(number): sum(
            max((n for t, n in table.items() if int(t) <= number), default=0) for table in tables
        )
        for number in numbers
    }
