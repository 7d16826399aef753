"""The items of a policy: each requirement, each attack with an allow-rate, and `release`.

The item `release` is the rule of every policy that no identifier is released. Both the pytest
plugin and `anonaudit check` use these items: an item is one test of pytest, or one finding.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from anonaudit.auditing.examining import partial_report
from anonaudit.findings import AuditReport
from anonaudit.policy.policy import Policy
from anonaudit.report.words.wording import parameter


@dataclass(frozen=True)
class Item:
    """One thing that a policy requires.

    name: the id, such as `k-anonymity[k=5]`.
    rule: the name of the model or attack, or `release`, which forbids identifiers.
    line: the line of the item in the policy.
    part: the list of the report that the item concerns.
    place: the position of the item in this list; None for the whole list.
    """

    name: str
    rule: str
    line: int
    part: Literal["models", "attacks", "warnings"]
    place: int | None = None

    def of(self, report: AuditReport, policy: Policy) -> AuditReport:
        """Return a report on this item alone, whose outcome is the outcome of the item."""
        results = getattr(report, self.part)
        chosen = results if self.place is None else (results[self.place],)
        return partial_report(report, policy, **{self.part: chosen})


def items_of(policy: Policy) -> Iterator[Item]:
    """Yield the items: `release`, then the requirements and attacks in the order of the policy."""
    yield Item("release", "release", policy.lines.get(("columns",), 1), "warnings")
    used: Counter[str] = Counter()
    for i, asked in enumerate(policy.requirements):
        key = ("require", asked.name)
        # A model that is required several times has a list of tables, each with its own line.
        line = policy.lines.get((*key, used[asked.name]), policy.lines.get(key, 1))
        used[asked.name] += 1
        yield Item(_called(asked.name, asked.parameters), asked.name, line, "models", i)
    for i, request in enumerate(policy.attacks):
        if request.allowed is not None:
            name = _called(request.name, {**request.options, "allow-rate": request.allowed})
            line = policy.lines.get(("attacks", request.name), 1)
            yield Item(name, request.name, line, "attacks", i)


def _called(name: str, parameters: Mapping[str, Any]) -> str:
    """Return the id of a requirement, such as `p-sensitive-k-anonymity[p=2]`."""
    shown = [f"{key.replace('_', '-')}={parameter(value)}" for key, value in parameters.items()]
    return f"{name}[{','.join(shown)}]"
