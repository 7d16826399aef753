"""The class PreparedRelease: a counted release with its policy, classes and hierarchies."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from anonaudit import notebook
from anonaudit.auditing.scales import scale_of
from anonaudit.frequency.classes import EquivalenceClasses
from anonaudit.frequency.frequency_set import FrequencySet
from anonaudit.generalization.hierarchy import Hierarchy
from anonaudit.linking.alignment import Alignment
from anonaudit.policy.policy import Policy
from anonaudit.source.table import Source, TableFile


@dataclass(frozen=True, repr=False)
class PreparedRelease(notebook.Result):
    """A release that was counted as its policy says. No model has been measured yet.

    source: the table of the release.
    policy: the policy, with the repairs of spelling applied to its hierarchies.
    base: the frequency set over quasi-identifiers, sensitive attributes and unit, after the
        repairs of spelling that the policy requests.
    classes: the equivalence classes of `base`.
    hierarchies: column -> its hierarchy, for the hierarchies that are read from a file or belong to
        sensitive attributes.
    alignment: the pairing of the rows with those of the original; None without an original, and
        before `pair_with_original`.
    others: cache of the other tables that were opened.
    people: cache of `people_of`: id of a PeopleFile -> its frequency set.
    numbers: cache of parsed sensitive values: column -> label -> number, or None for no number.
    """

    source: Source
    policy: Policy
    base: FrequencySet
    classes: EquivalenceClasses
    hierarchies: Mapping[str, Hierarchy]
    alignment: Alignment | None = None
    others: list[tuple[TableFile, Source]] = field(default_factory=list, compare=False, repr=False)
    people: dict[int, FrequencySet] = field(default_factory=dict, compare=False, repr=False)
    numbers: dict[str, dict[str, float | None]] = field(
        default_factory=dict, compare=False, repr=False
    )

    def _line(self) -> str:
        return f"of {self.source.name}: {self.classes!r}"

    def open(self, file: TableFile) -> Source:
        """Open another table that the policy names, or return it if it was opened before.

        Raises InputError as `open_source` does.
        """
        for known, table in self.others:
            if known is file:
                return table
        self.others.append((file, file.open()))
        return self.others[-1][1]

    @cached_property
    def scales(self) -> Mapping[str, Mapping[str, float]]:
        """Sensitive column -> value -> its number, for columns with an order (see `scale_of`)."""
        scales = {
            column: scale_of(column, self.classes, self.policy, self.numbers)
            for column in self.policy.roles.sensitive
        }
        return {column: scale for column, scale in scales.items() if scale is not None}
