"""Read the sections of a policy file.

For most sections, a mapping such as `_COLUMNS` gives each key and the reader of its value (see
entries.py).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import partial
from pathlib import Path
from types import NoneType
from typing import Any, Final, Literal, cast, get_args, get_type_hints

from anonaudit.attack import Attack
from anonaudit.attack import attacks as installed_attacks
from anonaudit.cells import QuasiIdentifierRule, SensitiveRule, SuppressedTupleRule
from anonaudit.errors import AnonauditError, HierarchyError, closest
from anonaudit.generalization.hierarchy import Hierarchy
from anonaudit.generalization.hierarchy_rows import so_many
from anonaudit.generalization.icd_10 import EXAMPLE
from anonaudit.generalization.labels import REPAIRS, Declared, Rounded, Spelled, exact_number
from anonaudit.models import Model
from anonaudit.plugins import MODELS
from anonaudit.policy.entries import (
    Entry,
    MistakeError,
    Reader,
    anything,
    each,
    file,
    integer,
    list_of,
    number_between,
    one_of,
    string,
    table,
    toml_key,
)
from anonaudit.policy.table_files import (
    EXTERNAL,
    FORMAT,
    SECOND,
    SEVERAL,
    PeopleFile,
    external_file,
    other_releases,
)
from anonaudit.policy.toml_lines import KeyPath
from anonaudit.roles import Roles
from anonaudit.source.table import TableFile


@dataclass(frozen=True)
class Requirement:
    """A privacy model with its parameters, as the policy requires it.

    name: the name of the model, a key of `MODELS`.
    parameters: field of the model's class -> value.
    asked: True if the policy requires the model, False if an audit only measures it.
    """

    name: str
    parameters: Mapping[str, Any]
    asked: bool = field(default=True, repr=False)


@dataclass(frozen=True)
class AttackRequest:
    """An attack to run.

    options: option of the attack -> value. The options are named as in the attack's code.
    allowed: the highest rate that passes (`allow-rate`); None if the rate is only measured.
    external: the identified table that the adversary has; None if there is none.
    second: another release whose columns have the same names; None if there is none.
    others: further such releases: the policy may give a list for `second`.

    The section of the attack has one delimiter and one encoding, which apply to all these files.
    """

    name: str
    options: Mapping[str, Any] = field(default_factory=dict)
    allowed: float | None = None
    external: PeopleFile | None = None
    second: TableFile | None = None
    others: tuple[TableFile, ...] = ()

    @property
    def tables(self) -> tuple[TableFile, ...]:
        """All tables that the adversary has: external, second and others."""
        one = tuple(table for table in (self.external, self.second) if table is not None)
        return (*one, *self.others)


@dataclass(frozen=True)
class Masking:
    """How `mask` treats persons with several rows.

    unit_in_release: `renumbered`: the values of the unit column are replaced by random numbers.
        `dropped`: the release has no unit column. `kept`: its values do not change.
    suppress: `persons`: if a row is suppressed, so are all rows of its person. `rows`: only the
        rows in classes that violate the policy are suppressed.
    """

    unit_in_release: Literal["renumbered", "dropped", "kept"] = "renumbered"
    suppress: Literal["persons", "rows"] = "persons"


@dataclass(frozen=True)
class HierarchySpec:
    """The hierarchy of one column, read from a file or built later from the column's values.

    It has exactly one source: a file, intervals, prefixes or ICD-10-CM.

    attribute: the name of the column.
    tree, file: the hierarchy and its file, if it was read from a file; else None.
    intervals, origin: widths and origin of intervals, see `Hierarchy.from_intervals`; no intervals
        if empty.
    prefixes: numbers of leading characters to keep, see `Hierarchy.from_prefixes`; none if empty.
    icd_10: True for the hierarchy of ICD-10-CM, see `Hierarchy.from_icd_10`.
    protected: the values whose subtrees are protected (CT06 Def. 3).
    max_generalization: the values that no generalization may exceed (MCT08 Def. 3).
    """

    attribute: str
    tree: Hierarchy | None = None
    intervals: tuple[int | float, ...] = ()
    origin: int | float = 0
    prefixes: tuple[int, ...] = ()
    icd_10: bool = False
    protected: tuple[str, ...] = ()
    max_generalization: tuple[str, ...] = ()
    file: Path | None = field(default=None, repr=False, compare=False)

    def resolve(self, values: Iterable[str]) -> Hierarchy:
        """Return the hierarchy. If it has no file, build it from `values`, the column's values.

        Raises HierarchyError if a value does not fit (intervals need numbers), or if `protected`
        or `max_generalization` name a value that the hierarchy lacks. The message quotes no value;
        the error's `values` holds the offending values.

        >>> HierarchySpec("zip", prefixes=(3,)).resolve(["48201", "48330"]).paths["48201"]
        ('48201', '482**', '*')
        """
        if self.tree is not None:
            return self.tree
        labels = list(values)
        try:
            tree = self.built(labels)
        except HierarchyError as error:
            if not error.values:
                raise
            kind, needs = "prefixes", "codes that are not masked yet"
            if self.intervals:
                kind, needs = "intervals", "numbers"
            elif self.icd_10:
                kind, needs = "icd-10", "codes of ICD-10-CM"
            raise HierarchyError(
                f"hierarchy {self.attribute!r}: {kind} need {needs}, which is not so for "
                f"{len(error.values)} of the column's {len(labels)} values. Name a hierarchy file "
                "instead.",
                error.values,
            ) from None
        named = map(tree.named, (*self.protected, *self.max_generalization))
        unknown = sorted({*named} - set(tree.nodes))
        if unknown:
            raise HierarchyError(
                f"hierarchy {self.attribute!r}: protected and max-generalization name "
                f"{so_many(unknown)} that the hierarchy lacks.",
                unknown,
            )
        return tree

    def built(self, values: Sequence[str]) -> Hierarchy:
        """Build the hierarchy from `values`, the column's values.

        The values in `protected` and `max_generalization` are not checked.
        """
        if self.intervals:
            return Hierarchy.from_intervals(
                self.attribute, values, widths=self.intervals, origin=self.origin
            )
        if self.icd_10:
            return Hierarchy.from_icd_10(self.attribute, values)
        return Hierarchy.from_prefixes(self.attribute, values, keep=self.prefixes)


def _reading(entry: Entry) -> Declared:
    """Read the declared reading of a column's labels: a word such as "set", or a rounding step."""
    if not isinstance(entry.value, dict):
        return cast(Declared, one_of(get_args(Spelled))(entry))
    before = len(entry.document.problems)
    step = table({"rounded": number_between()}, "{ rounded = 5 }")(entry).get("rounded")
    if len(entry.document.problems) > before:
        raise MistakeError
    exact = None if step is None else exact_number(str(step))
    if exact is None or exact <= 0:
        raise MistakeError("must be a step above 0, such as { rounded = 5 }")
    return Rounded(exact)


def _true(entry: Entry) -> bool:
    """Read `true`, the only value allowed."""
    if entry.value is not True:
        raise MistakeError("must be true; otherwise delete the line")
    return True


_NAMES: Final = list_of("names", string)
_COLUMNS: Final[Mapping[str, Reader[Any]]] = {
    "identifiers": _NAMES,
    "quasi-identifiers": _NAMES,
    "sensitive": _NAMES,
    "unit": string,
    "count": string,
    "weight": string,
    "household": string,
}
_VALUES: Final[Mapping[str, Reader[Any]]] = {
    "missing": list_of("texts", string),
    "suppressed": list_of("texts", string),
    "decimal": one_of((".", ",")),
    "numeric": _NAMES,
    "ordered": each(list_of("values from low to high", string, least=1), '{ size = ["S", "M"] }'),
    "reading": each(_reading, '{ zip = "set" }'),
    "separators": each(string, '{ sex = "-" }'),
    "normalize": list_of("repairs", one_of(REPAIRS)),
}
_CONVENTIONS: Final[Mapping[str, Reader[Any]]] = {
    "quasi-identifiers": one_of(get_args(QuasiIdentifierRule)),
    "wildcard-weight": number_between(0, 1),
    "suppressed-tuples": one_of(get_args(SuppressedTupleRule)),
    "sensitive": one_of(get_args(SensitiveRule)),
    "inconclusive": one_of(("fail", "allow")),
}
_MASKING: Final[Mapping[str, Reader[Any]]] = {
    "unit-in-release": one_of(("renumbered", "dropped", "kept")),
    "suppress": one_of(("persons", "rows")),
}
_HIERARCHY: Final[Mapping[str, Reader[Any]]] = {
    "file": file,
    **FORMAT,
    "intervals": list_of("widths", number_between(), least=1),
    "origin": number_between(),
    "prefixes": list_of("whole numbers", integer, least=1),
    "icd-10": _true,
    "protected": _NAMES,
    "max-generalization": _NAMES,
}
# The audit sets these parameters of models itself, so `require` may not name them.
_FILLED_IN: Final = frozenset(
    {
        "hierarchies",
        "protected",
        "scale",
        "boundaries",
        "exact",
        "population",
        "possible",
        "weights",
        "sampling_fraction",
        "overlapping",
        "households",
    }
    | {"alignment", "decimal", "looked", "trees", "needed_k", "asked"}
)


def python_keys(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings with `_` instead of `-` in their keys."""
    return {key.replace("-", "_"): value for key, value in settings.items()}


def places(roles: Roles) -> Iterator[tuple[KeyPath, str]]:
    """Yield (path, column) for every column of section `columns`, in the order of `Roles.named`.

    path: the key that names the column, such as `("columns", "sensitive", 0)`.
    """
    for key in _COLUMNS:
        columns = getattr(roles, key.replace("-", "_"))
        if isinstance(columns, tuple):
            yield from ((("columns", key, at), column) for at, column in enumerate(columns))
        elif columns is not None:
            yield ("columns", key), columns


def role_columns(entry: Entry) -> Roles:
    """Read section `columns`. A column has one role, and `unit` and `count` exclude each other."""
    before = len(entry.document.problems)
    columns = table(_COLUMNS, "[columns]")(entry)
    roles = Roles(**python_keys(columns))
    named = list(places(roles))
    for first, again in roles.clashes():
        (_, other, *_), (path, column) = named[first][0], named[again]
        if other != path[1]:  # `list_of` has reported a repetition within one list
            problem = f"column {column!r} is in {other} as well; a column can have one role only"
            entry.document.note(path, problem)
    if roles.counts_twice:
        problem = (
            "cannot be combined with unit: with count, one row counts for several records; with "
            "unit, one person has several rows. Remove one of the two"
        )
        entry.inside("count").note(problem)
    if len(entry.document.problems) > before:
        raise MistakeError
    return roles


def value_rules(entry: Entry) -> dict[str, Any]:
    """Read section `values`: the meaning of cells, and the order of values."""
    rules = table(_VALUES, "[values]")(entry)
    for at, token in enumerate(rules.get("suppressed", ())):
        if token == "" or token in rules.get("missing", ()):
            note = "already means missing; a text cannot mean both missing and suppressed"
            entry.inside("suppressed").inside(at).note(note)
    for column in rules.get("ordered", {}):
        if column in rules.get("numeric", ()):
            problem = "the column is in values.numeric as well; remove it from one of the two"
            entry.inside("ordered").inside(column).note(problem)
    # A separator needs the reading "set". If the reading of the column is invalid, it is already
    # reported and may have been meant as "set". Then the separator is not reported.
    asked = entry.value.get("reading", {})
    plain = {c for c, reading in rules.get("reading", {}).items() if reading != "set"}
    for column, mark in rules.get("separators", {}).items():
        separator = entry.inside("separators").inside(column)
        if not mark:
            separator.note("must be the text between the members of a set, not an empty text")
        elif column in plain or (isinstance(asked, dict) and column not in asked):
            separator.note(f'is valid only with reading = {{ {toml_key(column)} = "set" }}')
    return rules


def conventions(entry: Entry) -> dict[str, Any]:
    """Read section `conventions`: how missing and suppressed cells are counted."""
    rules = table(_CONVENTIONS, "[conventions]")(entry)
    rule = entry.value.get("quasi-identifiers", "own-category")
    if "wildcard-weight" in rules and rule in ("own-category", "drop-rows"):
        entry.inside("wildcard-weight").note('is valid only with quasi-identifiers = "wildcard"')
    return rules


def masking(entry: Entry) -> Masking:
    """Read section `masking`: how `mask` treats persons with several rows."""
    return Masking(**python_keys(table(_MASKING, "[masking]")(entry)))


def hierarchy(entry: Entry) -> HierarchySpec:
    """Read the hierarchy of one column: a file, or the parameters to build one."""
    before = len(entry.document.problems)
    settings = table(_HIERARCHY, '{ file = "age.csv" }')(entry)
    given = [key for key in ("file", "intervals", "prefixes", "icd-10") if key in entry.value]
    if len(given) != 1:
        has = f"has {' and '.join(given)}" if given else "has none"
        entry.note(
            "a hierarchy needs exactly one of file, intervals, prefixes and icd-10; "
            f"this hierarchy {has}"
        )
    for key, source in (("delimiter", "file"), ("encoding", "file"), ("origin", "intervals")):
        if key in entry.value and given and source not in given:
            entry.inside(key).note(f"is valid only with {source}")
    if len(entry.document.problems) > before:
        raise MistakeError
    return _loaded(entry, given[0], settings)


def _loaded(entry: Entry, source: str, settings: dict[str, Any]) -> HierarchySpec:
    """Read the hierarchy from its file, or check the parameters to build it.

    source: the key that names the source, such as `file`. settings: the values read from the entry.
    """
    column = str(entry.path[-1])
    path = settings.pop("file", None)
    format_ = {key: settings.pop(key) for key in FORMAT if key in settings}
    spec = HierarchySpec(column, **python_keys(settings))
    try:
        if path is None:
            # One sample value is enough: an error in the parameters does not depend on it.
            spec.built([EXAMPLE if spec.icd_10 else "0"])
            return spec
        tree = Hierarchy.read(path, attribute=column, **format_)
    except AnonauditError as error:
        entry.inside(source).note(str(error))
        raise MistakeError from None
    for key in ("protected", "max-generalization"):
        for at, label in enumerate(settings.get(key, ())):
            if label not in tree:
                entry.inside(key).inside(at).note("the hierarchy has no such value")
    return replace(spec, tree=tree, file=path)


def refuse_useless(entry: Entry, roles: Roles) -> None:
    """Record a mistake for each hierarchy whose column is no quasi-identifier and not sensitive.

    entry: section `hierarchies`.
    """
    used = (*roles.quasi_identifiers, *roles.sensitive)
    for column in entry.value if isinstance(entry.value, dict) else ():
        if column not in used:
            near = closest(column, used)
            entry.inside(column).note(
                f"the column is neither quasi-identifier nor sensitive. {near}"
            )


def refuse_without_unit(entry: Entry, roles: Roles) -> None:
    """Record a mistake for each key of section `masking` if the policy names no unit column.

    entry: section `masking`.
    """
    for key in entry.value if isinstance(entry.value, dict) and roles.unit is None else ():
        if key in _MASKING:
            entry.inside(key).note("is valid only with columns.unit; name the unit column there")


def requirements(entry: Entry) -> tuple[Requirement, ...]:
    """Read section `require`: model name -> its parameters, or a list of tables of parameters.

    A list requires the model several times, once with each table of parameters.
    """
    if not isinstance(entry.value, dict):
        raise entry.expected("a table such as [require]")
    required = []
    for name in entry.value:
        asked = entry.inside(name)
        if name not in MODELS:
            asked.note(f"there is no such model. {closest(name, MODELS)}")
            continue
        several = isinstance(asked.value, list) and asked.value
        uses = map(asked.inside, range(len(asked.value))) if several else [asked]
        required += [use.read(partial(_requirement, name=name)) for use in uses]
    return tuple(requirement for requirement in required if requirement is not None)


def _requirement(entry: Entry, name: str) -> Requirement:
    """Read one requirement: the parameters of a model, which are fields of its class.

    If the model has thresholds, at least one of them must be given.
    """
    model = MODELS[name]
    known = {f.name.replace("_", "-"): f for f in fields(cast(Any, model))}
    known = {key: f for key, f in known.items() if f.name not in _FILLED_IN}
    try:
        hints = get_type_hints(model)
    except NameError as error:  # the module imports these types only under TYPE_CHECKING
        raise AnonauditError(
            f"the annotations of the model {name!r} ({model.__module__}:{model.__qualname__}) "
            f"cannot be evaluated ({error}); import their types in its module at run time"
        ) from error
    # A threshold is an optional number: without it, the level of the model is only measured.
    thresholds = [
        key
        for key, f in known.items()
        if f.default is None and set(get_args(hints[f.name])) <= {int, float, NoneType}
    ]
    example = f"{{ {thresholds[0]} = ... }}" if thresholds else "{}"
    if not thresholds and isinstance(entry.value, bool):
        if not entry.value:
            raise MistakeError("must be true; delete the line if it is not required")
        entry = replace(entry, value={})
    settings = table(dict.fromkeys(known, anything), example)(entry)
    slips = entry.value.keys() - known.keys()  # may be misspelled thresholds
    if thresholds and not slips and settings.keys().isdisjoint(thresholds):
        raise MistakeError(f"requires nothing; give it {' or '.join(thresholds)}")
    parameters = python_keys(settings)
    with MODELS.blamed(name):
        _try_out(entry, cast(Callable[..., Model], model), parameters)
    return Requirement(name, parameters)


def _try_out(entry: Entry, model: Callable[..., Model], parameters: Mapping[str, object]) -> None:
    """Let the model check its parameters, and record a mistake for every parameter it rejects.

    A model reports only its first wrong parameter. So that parameter is removed, and the model
    checks the others again.
    """
    left = dict(parameters)
    while True:
        try:
            model(**left)
        except (AnonauditError, TypeError, ValueError) as error:
            name, _, problem = str(error).partition(" ")
            if name.replace("-", "_") in left:
                del left[name.replace("-", "_")]
                entry.inside(name.replace("_", "-")).note(problem)
                continue
            if len(left) == len(parameters):
                entry.note(str(error))
        return


def attack_requests(
    entry: Entry, registry: Mapping[str, type[Attack]] | None
) -> tuple[AttackRequest, ...]:
    """Read section `attacks`: attack name -> its options.

    registry: the attacks that the policy may name; None for the installed attacks.
    """
    if not isinstance(entry.value, dict):
        raise entry.expected("a table such as [attacks]")
    known = installed_attacks() if registry is None else registry
    requests = []
    for name in entry.value:
        asked = entry.inside(name)
        if name in known:
            requests.append(asked.read(partial(_attack_request, name=name, attack=known[name])))
        else:
            asked.note(f"there is no such attack. {closest(name, known)}")
    return tuple(request for request in requests if request is not None)


def _attack_request(entry: Entry, name: str, attack: type[Attack]) -> AttackRequest:
    external = EXTERNAL if "external" in attack.options else {}
    spelled = {option.replace("_", "-"): option for option in attack.options}
    second: Mapping[str, Reader[Any]] = {}
    if "second" in attack.options:
        about = getattr(attack, "about", None)
        second = SEVERAL if getattr(about, "several", False) else SECOND
    readers = {
        **dict.fromkeys(spelled, anything),
        "allow-rate": number_between(0, 1),
        **external,
        **second,
    }
    settings = table(readers, "{ allow-rate = 0.05 }")(entry)
    for key in external:
        if key in entry.value and "external" not in entry.value:
            entry.inside(key).note("is valid only with external")
    rate = settings.pop("allow-rate", None)
    outside = {key: settings.pop(key) for key in (*external, *second) if key in settings}
    second_file, *others = other_releases(outside) or (None,)
    return AttackRequest(
        name,
        options={spelled[key]: value for key, value in settings.items()},
        allowed=None if rate is None else float(rate),
        external=external_file(outside),
        second=second_file,
        others=tuple(others),
    )
