"""What the generator writes and the checker judges: cells, tables, requirements. No logic."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, NamedTuple

KNOWN, MISSING, SUPPRESSED, UNREAD = "known", "missing", "suppressed", "unread"


@dataclass(frozen=True)
class Cell:
    """One cell as written, and the ground values it denotes; a ground cell denotes itself.

    An unread cell denotes them too, but nobody who reads the file can tell.
    """

    text: str
    means: frozenset[str] = frozenset()
    state: str = KNOWN


Row = dict[str, Cell]


@dataclass
class Case:
    """Tables without padding, and what is required of them.

    rows: the release. people: the external table, one row a person, with the columns `known`;
    all_released: whether they are all in the release. whole_rules: whether a row with an unknown
    cell is in no rule about its column, or may be anybody's. second: another release. pairs: for each
    released row its row of the original. lifted: by sensitive column the protected value above
    each value. order: by column its values from low to high. require, attacks: parameters by
    name. allowed: by attack the rate that is allowed.
    """

    quasi: list[str]
    sensitive: list[str]
    rows: list[Row]
    unit: str | None = None
    count: str | None = None
    known: list[str] = field(default_factory=list)
    people: list[Row] = field(default_factory=list)
    all_released: bool = False
    population: list[Row] = field(default_factory=list)
    whole_rules: bool = False
    second: list[Row] = field(default_factory=list)
    pairs: list[Row | None] = field(default_factory=list)
    lifted: dict[str, dict[str, str]] = field(default_factory=dict)
    order: dict[str, list[str]] = field(default_factory=dict)
    require: dict[str, dict[str, Any]] = field(default_factory=dict)
    attacks: dict[str, dict[str, Any]] = field(default_factory=dict)
    allowed: dict[str, Fraction] = field(default_factory=dict)


class Verdict(NamedTuple):
    """An outcome, and the interval of the level or rate; None where it is undefined."""

    outcome: str
    low: Any
    high: Any
