"""Profiles: the lines of a guideline, each with its source, as a file states them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from anonaudit import notebook
from anonaudit.attack import attacks as installed_attacks
from anonaudit.errors import AnonauditError, closest
from anonaudit.plugins import MODELS, Plugins
from anonaudit.policy.entries import (
    Document,
    Entry,
    MistakeError,
    Reader,
    boolean,
    list_of,
    one_of,
    string,
    table,
)
from anonaudit.policy.sections import Requirement, requirements
from anonaudit.policy.toml_lines import TomlError, load
from anonaudit.profiles.label_rules import RULES

NEEDS: Final = {"sensitive": "sensitive column", "population": "file of the population"}


@dataclass(frozen=True)
class ProfileFile:
    """An installed profile: its name and its TOML file."""

    name: str
    path: Path


PROFILES: Final[Plugins[ProfileFile]] = Plugins(
    "anonaudit.profiles", "profile", {"name": "name", "path": "path"}
)


@dataclass(frozen=True, eq=False)
class Line:
    """One demand of a guideline.

    asks: the demand, as a sentence.
    source: the document, and the clause if it is known.
    note: how to read the measurement.

    A line has exactly one of the following fields, or kinds together with labels:

    require: a model and its limits.
    kinds: the kinds of values that no column may hold, as `anonaudit scan` names them.
    labels: the name of a rule in `label_rules.RULES`.
    evidence: the names of models whose levels a person judges.
    attack: the name of an attack that must expose nobody. It runs with the options and the data of
        the policy.
    judge: the reason why a person must judge.

    A line may also have:

    needs: `sensitive` or `population`. The line is not measured unless the policy declares it.
    necessary: True if the requirement is necessary but not sufficient. If a release meets it, a
        person must still judge.
    crossed: True if each class is split by the values of a sensitive column, one column at a time.
    identifiers: True if the line is not met when the release has a column that the policy declares
        as an identifier.
    counted: False if the line only shows another reading of the guideline. Its answer is shown but
        not counted.
    """

    asks: str
    source: str
    require: Requirement | None = None
    kinds: tuple[str, ...] = ()
    labels: str = ""
    evidence: tuple[str, ...] = ()
    attack: str = ""
    judge: str = ""
    needs: str = ""
    necessary: bool = False
    crossed: bool = False
    identifiers: bool = False
    counted: bool = True
    note: str = ""


@dataclass(frozen=True, repr=False)
class Profile(notebook.Result):
    """The lines of a guideline.

    name: the name of the profile. title, source: the title and the source of the guideline.
    """

    name: str
    title: str
    source: str
    lines: tuple[Line, ...]

    def _line(self) -> str:
        return f"{self.name}: {len(self.lines)} lines of {self.title}"


def read_profile(name: str) -> Profile:
    """Read a profile by its name, or from a file whose name ends in `.toml`.

    Raises AnonauditError for an unknown name or a file that cannot be read, and PolicyError with
    every mistake in the file.

    >>> read_profile("cms-11").lines[0].require
    Requirement(name='k-anonymity', parameters={'k': 11})
    """
    path = Path(name)
    if not name.endswith(".toml"):
        if name not in PROFILES:
            raise AnonauditError(
                f"there is no profile {name!r}; there are {', '.join(PROFILES)}. A profile of your "
                "own must be a file that ends in .toml"
            )
        path = PROFILES[name].path
    try:
        content = path.read_text("utf-8")
        tables, lines = load(content)
    except (OSError, UnicodeDecodeError) as error:
        raise AnonauditError(f"{path}: the profile cannot be read: {error}") from None
    except TomlError as error:
        message = f"{path}, line {error.line}: this is not valid TOML: {error}"
        raise AnonauditError(message) from None
    document = Document(str(path), tables, lines, path.parent)
    settings = document.entry().read(table(_PROFILE, 'title = "..."')) or {}
    for key in _PROFILE:
        if key not in tables:
            document.note((key,), "is missing")
    document.close()
    return Profile(path.stem, **settings)


def _line(entry: Entry) -> Line:
    before = len(entry.document.problems)
    settings: dict[str, Any] = table(_LINE, '{ asks = "...", source = "..." }')(entry)
    for key in ("asks", "source"):
        if key not in entry.value:
            entry.note(f"has no {key}")
    ways = [key for key in _WAYS if key in entry.value]
    if len(ways) != 1 and ways != ["kinds", "labels"]:
        entry.note(
            "must have exactly one of require, kinds, labels, evidence, attack and judge, or kinds "
            "and labels"
        )
    if settings.get("crossed") and (
        settings.get("needs") != "sensitive" or "require" not in settings
    ):
        entry.inside("crossed").note('works only with require and needs = "sensitive"')
    if settings.get("identifiers") and not {"kinds", "judge"} & {*ways}:
        entry.inside("identifiers").note("works only with kinds or judge")
    if len(settings.get("require", (None,))) != 1:
        entry.inside("require").note("must name one model")
    if len(entry.document.problems) > before:
        raise MistakeError
    if "require" in settings:
        (settings["require"],) = settings["require"]
    return Line(**settings)


def _needs(entry: Entry) -> str:
    if entry.value not in NEEDS:
        raise entry.expected("'sensitive' or 'population'")
    return str(entry.value)


def _model(entry: Entry) -> str:
    if string(entry) not in MODELS:
        raise MistakeError(f"there is no such model. {closest(entry.value, MODELS)}")
    return str(entry.value)


def _attack(entry: Entry) -> str:
    known = installed_attacks()
    if string(entry) not in known:
        raise MistakeError(f"there is no such attack. {closest(entry.value, known)}")
    return str(entry.value)


# A line has exactly one of these keys, or kinds and labels.
_WAYS: Final = ("require", "kinds", "labels", "evidence", "attack", "judge")
_LINE: Final[Mapping[str, Reader[Any]]] = {
    "asks": string,
    "source": string,
    "require": requirements,
    "kinds": list_of("kinds", string, least=1),
    "labels": one_of(RULES),
    "evidence": list_of("models", _model, least=1),
    "attack": _attack,
    "judge": string,
    "needs": _needs,
    "necessary": boolean,
    "crossed": boolean,
    "identifiers": boolean,
    "counted": boolean,
    "note": string,
}
_PROFILE: Final[Mapping[str, Reader[Any]]] = {
    "title": string,
    "source": string,
    "lines": list_of("lines", _line, least=1),
}
