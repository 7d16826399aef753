"""Releases of other people's anonymizers, audited with the tool's claim as the policy.

A claim is held against the definition first, with every row and every cell counted; then, one at
a time, with each thing that the tool, by its own claim, counts otherwise. What follows from that
is the verdict: `holds` under all of these readings, `broken` under none or with more rows
suppressed than were allowed, else `depends on the reading`; and `broken by linkage` where a
reading holds, but people whose quasi-identifiers are known have fewer than k candidates.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from math import log
from pathlib import Path

import pandas as pd

import anonaudit
from anonaudit.cells import Convention
from anonaudit.findings import AuditReport, Disclosure, Measurement, Outcome
from anonaudit.generalization.hierarchy import Hierarchy
from anonaudit.policy.policy import AttackRequest, HierarchySpec, PeopleFile, Policy, Requirement
from anonaudit.roles import Roles

Entry = Mapping
# Every cell is text, an empty cell is a value of its own, fully starred rows are counted.
EVERYTHING = Convention(suppressed_tuples="include", sensitive="one-value")
NOT_MODELS = {"on", "t_metric", "log_base", "missing", "max_suppressed_pct", "none"}
SHARES = "the largest difference of one value's share instead of a distance"


def policy_of(entry: Entry, sensitive: list[str], convention: Convention = EVERYTHING) -> Policy:
    """The columns of a release and how its cells are counted; nothing required."""
    roles = Roles(tuple(entry["qi"]), tuple(sensitive), count=entry.get("weight_column"))
    return Policy(roles=roles, convention=convention)


def requirements_of(claimed: Mapping) -> tuple[Requirement, ...]:
    """What a claim asks for by the definitions of the models."""
    k, left = claimed.get("k"), dict(claimed)
    for key in NOT_MODELS:
        left.pop(key, None)
    found = []
    for key in list(left):
        value = left.pop(key, None)
        if key == "k":
            found.append(Requirement("k-anonymity", {"k": value}))
        elif key == "p_sensitive":
            found.append(Requirement("p-sensitive-k-anonymity", {"p": value, "k": k}))
        elif key == "l_distinct":
            found.append(Requirement("l-diversity", {"l": value}))
        elif key == "c":
            asked = {"c": value, "l": left.pop("l_recursive")}
            found.append(Requirement("recursive-c-l-diversity", asked))
        elif key == "alpha":
            found.append(Requirement("alpha-k-anonymity", {"alpha": value, "k": k}))
        elif key == "t":
            found.append(Requirement("t-closeness", {"t": value}))
        elif key == "delta":
            nats = value * log(claimed["log_base"])
            found.append(Requirement("delta-disclosure", {"delta": nats}))
        elif value is not None:
            raise ValueError(f"no model is known for the claim {key!r}")
    return tuple(found)


def claim_of(entry: Entry) -> Policy:
    """The claim as a policy. Of joined sets no single value can be read, only the sizes."""
    named = entry["claimed"].get("on")
    sensitive = named.split(",") if named else entry["sensitive"]
    joined = entry["kind"] == "aggregate-sets"
    policy = policy_of(entry, [] if joined else sensitive)
    return replace(policy, requirements=requirements_of(entry["claimed"]))


def other_readings(entry: Entry, folder: Path) -> Iterator[tuple[str, Policy]]:
    """The claim with one thing counted as its tool counts it, for each such thing."""
    claimed, policy = entry["claimed"], claim_of(entry)
    metric = claimed.get("t_metric", "")
    config = entry["parameters"].get("config", "")
    if "max_suppressed_pct" in claimed or "suppression" in config:
        told = replace(EVERYTHING, suppressed_tuples="exclude")
        yield "fully suppressed rows left out", replace(policy, convention=told)
    if "missing" in claimed:
        told = replace(EVERYTHING, quasi_identifiers="wildcard")
        yield "a missing cell matches anything", replace(policy, convention=told)
    if "ordered" in metric:
        yield "ordered distance", _changed(policy, "t-closeness", distance="ordered")
    if "hierarchical" in metric:
        file = folder.parent / "datasets" / "arx" / metric.split()[-1]
        trees = {claimed["on"]: HierarchySpec(claimed["on"], tree=Hierarchy.read(file))}
        changed = _changed(policy, "t-closeness", distance="hierarchical")
        yield "hierarchical distance", replace(changed, hierarchies=trees)
    if "delta" in claimed:
        changed = _changed(policy, "delta-disclosure", absent="ignored")
        yield "values absent from a class ignored", changed
    if "c" in claimed:
        # Counts of a few thousand rows: no other ratio of them lies so near to c.
        more = claimed["c"] + 1e-6
        yield "r1 = c (r2 + ...) allowed", _changed(policy, "recursive-c-l-diversity", c=more)


def _changed(policy: Policy, name: str, **parameters: object) -> Policy:
    changed = [
        replace(one, parameters={**one.parameters, **parameters}) if one.name == name else one
        for one in policy.requirements
    ]
    return replace(policy, requirements=tuple(changed))


@dataclass(frozen=True)
class Read:
    """A claim under one reading: whether it holds, and the required models as measured."""

    reading: str
    holds: bool
    models: tuple[Measurement, ...] = ()
    level: float | None = None


def read(entry: Entry, folder: Path) -> list[Read]:
    """The claim under the definition and under every reading of its tool."""
    told = [("by the definition", claim_of(entry)), *other_readings(entry, folder)]
    found = [_read(name, anonaudit.audit(folder / entry["file"], policy)) for name, policy in told]
    if "|p-q|" in entry["claimed"].get("t_metric", ""):
        level = share_difference(entry, folder)
        others = [m.outcome for m in found[0].models if m.model != "t-closeness"]
        holds = level <= entry["claimed"]["t"] and set(others) <= {Outcome.HOLDS}
        found.append(Read(SHARES, holds, level=level))
    return found


def _read(name: str, report: AuditReport) -> Read:
    asked = tuple(m for m in report.models if m.required is not None)
    return Read(name, report.outcome is Outcome.HOLDS, asked)


def share_difference(entry: Entry, folder: Path) -> float:
    """The largest |share in a class - share in the whole| of a value: no distance of t-closeness.

    Two tools test it under that name; it is none of anonaudit's models, so it is counted here.
    """
    table = pd.read_csv(folder / entry["file"], dtype=str, keep_default_na=False)
    rows = table["count"].astype(int) if entry.get("weight_column") else 1
    table, column = table.assign(rows=rows), entry["claimed"]["on"]
    whole = table.groupby(column)["rows"].sum() / table["rows"].sum()
    shares = table.pivot_table("rows", entry["qi"], column, "sum", fill_value=0)
    return float(shares.div(shares.sum(axis=1), axis=0).sub(whole, axis=1).abs().to_numpy().max())


def people_of(entry: Entry, folder: Path) -> pd.DataFrame | None:
    """The people a release was made from, None where they are not at hand."""
    name, _, part = entry["source"].partition(",")
    file = folder / "sources" / f"{name.split()[0]}.csv"
    if not file.is_file():
        return None
    people = pd.read_csv(file, dtype=str, keep_default_na=False)
    return people[people["sex"] == "M"] if part.strip() == "sex=M" else people


def external_of(entry: Entry, folder: Path) -> pd.DataFrame:
    """Those people for linkage; ages as the tool recoded them where the labels are codes."""
    people = pd.read_csv(folder / "sources" / f"{entry['source']}.csv", dtype=str)
    if entry["attack"]["mode"] == "na":  # 40 stands for 40 to 59
        people["age"] = (people["age"].astype(int) // 20 * 20).astype(str)
    return people


def linked(entry: Entry, folder: Path) -> Disclosure | None:
    """The linkage attack on a release, as its entry describes it; None where it has none."""
    if "attack" not in entry:
        return None
    joined = entry["kind"] == "aggregate-sets"
    sets = {"sex": "set", "zip": "set"} if joined or entry["attack"]["mode"] == "sets" else {}
    sensitive = [] if joined else [entry["attack"]["sensitive"]]
    people = PeopleFile(external_of(entry, folder))  # the tool was given all of them
    policy = replace(
        policy_of(entry, sensitive, Convention()),
        hierarchies=_trees_of(entry, folder),
        readings=sets,
        separators=dict.fromkeys(sets, "," if joined else "-"),
        attacks=(AttackRequest("linkage", {"everyone_released": True}, external=people),),
    )
    found = anonaudit.audit(folder / entry["file"], policy).attacks[0]
    if not joined:
        return found
    # The sizes say how many candidates there are; what is certain, the sets taken apart.
    roles = Roles(tuple(entry["qi"]), (entry["attack"]["sensitive"],))
    apart = anonaudit.audit(taken_apart(entry, folder), replace(policy, roles=roles)).attacks[0]
    return replace(found, disclosed=apart.disclosed, per_attribute=apart.per_attribute)


def taken_apart(entry: Entry, folder: Path) -> pd.DataFrame:
    """One row a class and value of its joined set: which values there are, not how often."""
    table = pd.read_csv(folder / entry["file"], dtype=str, keep_default_na=False)
    (column,) = entry["sensitive"]
    table[column] = table[column].str.split(",")
    return table.drop(columns=entry["weight_column"]).explode(column, ignore_index=True)


def _trees_of(entry: Entry, folder: Path) -> dict[str, HierarchySpec]:
    if entry["attack"]["mode"] != "arx_adult":
        return {}
    file = "datasets/arx/adult_hierarchy_{}.csv"
    return {
        column: HierarchySpec(column, tree=Hierarchy.read(folder.parent / file.format(column)))
        for column in entry["qi"]
    }


@dataclass(frozen=True)
class Audited:
    """All that was found of a release.

    lost: the share of its people who are not in it, or fully suppressed; None if not known.
    """

    report: AuditReport
    reads: list[Read]
    linkage: Disclosure | None
    people: int | None
    lost: float | None
    verdict: str


def audited(entry: Entry, folder: Path) -> Audited:
    """A release under its claim, and linked with its people."""
    claimed = entry["claimed"]
    told = Convention(sensitive="one-value")
    report = anonaudit.audit(folder / entry["file"], policy_of(entry, [], told))
    people = people_of(entry, folder)
    n = None if people is None else len(people)
    rows = report.release.rows - report.release.suppressed_tuples
    lost = None if n is None else 1 - rows / n
    reads = read(entry, folder) if requirements_of(claimed) else []
    linkage = linked(entry, folder)
    too_many = lost is not None and 100 * lost > claimed.get("max_suppressed_pct", 100)
    few = linkage is not None and linkage.details["fewest candidates"] < claimed.get("k", 0)
    verdict = _verdict([one.holds for one in reads], too_many=too_many, few=few)
    return Audited(report, reads, linkage, n, lost, verdict)


def _verdict(held: list[bool], *, too_many: bool, few: bool) -> str:
    ask: dict[str, Callable[[], bool]] = {
        "no claim": lambda: not held,
        "broken": lambda: too_many or not any(held),
        "broken by linkage": lambda: few,
        "holds": lambda: all(held),
    }
    return next((name for name, true in ask.items() if true()), "depends on the reading")
