"""A counted release with its policy, classes and hierarchies."""

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

    base: the frequency set over quasi-identifiers, sensitive attributes and unit, after the
        repairs of spelling that the policy requests.
    alignment: the pairing with the original; None without an original, and before
        `pair_with_original`.
    others: cache of the other tables that were opened.
    people: cache of frequency sets of people, by the id of their file (see `people_of`).
    numbers: cache of the parsed numbers of sensitive values, by column and label.
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
        """Open another table that the policy names, once. Errors are those of `open_source`."""
        for known, table in self.others:
            if known is file:
                return table
        self.others.append((file, file.open()))
        return self.others[-1][1]

    @cached_property
    def scales(self) -> Mapping[str, Mapping[str, float]]:
        """For each sensitive column with an order, the number of each value (see `scale_of`)."""
        scales = {
            column: scale_of(column, self.classes, self.policy, self.numbers)
            for column in self.policy.roles.sensitive
        }
        return {column: scale for column, scale in scales.items() if scale is not None}
