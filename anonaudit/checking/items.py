"""The items of a policy: one a requirement, one an attack with an allow-rate, and `release`.

pytest's tests and the findings of `anonaudit check` are these items, so both say the same.
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

    name: `k-anonymity[k=5]`. rule: the model or the attack, or `release`: no identifier may be
    there. line: where the policy requires it. part, place: which of the report's models, attacks or
    warnings it is about; all if no place is given.
    """

    name: str
    rule: str
    line: int
    part: Literal["models", "attacks", "warnings"]
    place: int | None = None

    def of(self, report: AuditReport, policy: Policy) -> AuditReport:
        """The part of a report that this is about, with the verdict on that alone."""
        results = getattr(report, self.part)
        chosen = results if self.place is None else (results[self.place],)
        return partial_report(report, policy, **{self.part: chosen})


def items_of(policy: Policy) -> Iterator[Item]:
    """The items, in the order of the policy."""
    yield Item("release", "release", policy.lines.get(("columns",), 1), "warnings")
    used: Counter[str] = Counter()
    for i, asked in enumerate(policy.requirements):
        key = ("require", asked.name)
        # Several uses of a model are a list, whose items have lines of their own.
        line = policy.lines.get((*key, used[asked.name]), policy.lines.get(key, 1))
        used[asked.name] += 1
        yield Item(_called(asked.name, asked.parameters), asked.name, line, "models", i)
    for i, request in enumerate(policy.attacks):
        if request.allowed is not None:
            name = _called(request.name, {**request.options, "allow-rate": request.allowed})
            line = policy.lines.get(("attacks", request.name), 1)
            yield Item(name, request.name, line, "attacks", i)


def _called(name: str, parameters: Mapping[str, Any]) -> str:
    """A requirement as an id: `p-sensitive-k-anonymity[p=2]`."""
    shown = [f"{key.replace('_', '-')}={parameter(value)}" for key, value in parameters.items()]
    return f"{name}[{','.join(shown)}]"
