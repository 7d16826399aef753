"""BOUNDS: the claims that a model limits an attack, for releases that satisfy the model."""

from __future__ import annotations

from anonaudit.attack import Setting, attack_named
from anonaudit.details import part_of
from anonaudit.findings import Disclosure
from anonaudit.frequency.frequency_set import FrequencySet
from anonaudit.generalization.hierarchy import Hierarchy
from anonaudit.masking.greedy_cka import greedy_cka
from anonaudit.masking.recoding import NotAchievableError
from anonaudit.models import (
    AlphaKAnonymity,
    ExtendedPSensitiveKAnonymity,
    MultiAttributeLDiversity,
    PSensitiveKAnonymity,
)
from anonaudit.models.level import Model
from anonaudit.papers.claims.ledger import Cases, Ledger, Verdict
from anonaudit.papers.claims.mct08 import Setup, setups
from anonaudit.papers.claims.small import generalize, small_microdata
from anonaudit.papers.claims.tv06 import RELEASED, MaskedTable, maskings
from anonaudit.special_details import Matches
from anonaudit.strategies import Table, releases, tables

BOUNDS = Ledger("BOUNDS", "Models and attacks: each model bounds an attack")

ILLNESS = Hierarchy.from_levels(
    "s1", [["a", "P"], ["b", "P"], ["c", "Q"], ["d", "Q"], *([[v] for v in "efgh"])]
)


def _run(attack: str, table: Table, **more: object) -> Disclosure:
    setting = Setting(table.classes(), options=more)
    return attack_named(attack)().run(setting)


def _nothing(cases: Cases, attack: str, model: Model, **options: object) -> None:
    """Check that an attack discloses nothing in random releases that satisfy a model.

    options: the options of the attack.
    """

    def promise(table: Table) -> None:
        disclosure = _run(attack, table, **options)
        cases.expect(disclosure.targets and not disclosure.disclosed, f"{attack} discloses nothing")

    cases.drawn(releases(model), promise, examples=40)


@BOUNDS.checked(
    "linkage",
    "random full-domain recodings; the external table contains everybody of the original",
    verdict=Verdict.OURS,
    corrected="holds for full-domain recoding. With cell-by-cell recoding a person may match "
    "several classes, or only a wrong class",
)
def linkage(cases: Cases) -> None:
    """With k-anonymity no person is linked with a probability above 1/k."""

    def promise(drawn: MaskedTable) -> None:
        table, node, _ = drawn
        trees = list(table.hierarchies.values())
        rows = generalize(table.rows, trees, node)
        masked = Table(table.roles, tuple(rows)).classes(RELEASED)
        people = [(f"p{i}", *row[:2]) for i, row in enumerate(table.rows)]
        setting = Setting(
            masked,
            hierarchies=table.hierarchies,
            external=FrequencySet.of(("name", "q1", "q2"), people, RELEASED),
            identity=("name",),
        )
        matches = part_of(attack_named("linkage")().run(setting).details, Matches)
        fewest = None if matches is None else matches.fewest
        k = int(masked.sizes.min())
        cases.expect(
            fewest is not None and fewest >= k, f"at least k = {k} candidates, found {fewest}"
        )

    cases.drawn(maskings(), promise, examples=40)


@BOUNDS.checked("homogeneity", "constructed random releases, p = 2", verdict=Verdict.OURS)
def homogeneity(cases: Cases) -> None:
    """With p-sensitivity of 2 or more no class has a single sensitive value."""
    _nothing(cases, "homogeneity", PSensitiveKAnonymity(2))


@BOUNDS.checked("elimination", "constructed random releases, L = 2 to 4", verdict=Verdict.OURS)
def elimination(cases: Cases) -> None:
    """With L-diversity (GCG08 Definition 6) eliminating up to L - 2 values discloses nothing."""
    for l in cases.of((2, 3, 4)):
        _nothing(cases, "elimination", MultiAttributeLDiversity(l), values=l - 2)


@BOUNDS.checked("rules", "random tables, each with its own alpha", verdict=Verdict.OURS)
def rules(cases: Cases) -> None:
    """With (alpha, k)-anonymity no association rule has a confidence above alpha."""

    def promise(table: Table) -> None:
        alpha = AlphaKAnonymity().measure(table.classes()).measured
        if alpha is not None and alpha < 0.99:
            disclosure = _run("association", table, confidence=alpha + 0.005)
            cases.expect(not disclosure.disclosed, f"no rule with a confidence above {alpha}")

    cases.drawn(tables(max_rows=8, values="abc"), promise, examples=60)


@BOUNDS.checked(
    "similarity",
    "constructed random releases, p = 2, two protected subtrees",
    verdict=Verdict.OURS,
)
def similarity(cases: Cases) -> None:
    """With extended p-sensitivity of 2 or more the values of a class never share a protected
    ancestor.
    """
    protected = {"s1": ("P", "Q")}
    model = ExtendedPSensitiveKAnonymity(p=2, hierarchies={"s1": ILLNESS}, protected=protected)

    def promise(table: Table) -> None:
        setting = Setting(table.classes(), hierarchies={"s1": ILLNESS}, protected=protected)
        disclosure = attack_named("similarity")().run(setting)
        cases.expect(
            disclosure.targets and not disclosure.disclosed, "similarity discloses nothing"
        )

    cases.drawn(releases(model), promise, examples=40)


@BOUNDS.checked(
    "boundaries",
    "GreedyCKA on random tables with two ragged hierarchies and random boundaries",
    verdict=Verdict.OURS,
)
def boundaries(cases: Cases) -> None:
    """With a constrained model no value is released above its maximum allowed generalization."""

    def promise(drawn: Setup) -> None:
        rows, limits = drawn
        data = small_microdata(rows, len(limits.hierarchies), *limits.hierarchies.values())
        try:
            recoding = greedy_cka(data, k=2, boundaries=limits)
        except NotAchievableError:
            return
        kept = [i for i in range(len(rows)) if recoding.group[i] >= 0]
        frame = recoding.frame()
        for name in limits.hierarchies:
            for i, label in zip(kept, frame[name].tolist(), strict=True):
                beyond = limits.beyond(name, str(rows[i][int(name)]), label)
                cases.expect(not beyond, f"row {i} within its boundary, released as {label}")

    cases.drawn(setups(10), promise, examples=40)
