"""One shared set of reports, typed by hand; every format renders all of them.

The numbers of `violated` and `measured` are those of Adult (age, race and sex known; income and
occupation sensitive), so the golden files show what an auditor will really read.
"""

from __future__ import annotations

from dataclasses import replace

from anonaudit.findings import (
    AttributeLevel,
    AuditReport,
    Disclosure,
    Measurement,
    Notice,
    Outcome,
    Release,
    Witness,
)
from anonaudit.special_details import (
    ByEliminations,
    ClassSize,
    Conditions,
    GivenAway,
    Guesses,
    Histories,
    Matches,
)

CONVENTION = {
    "quasi_identifiers": "own-category",
    "wildcard_weight": 1.0,
    "suppressed_tuples": "exclude",
    "sensitive": "unknown",
    "missing": (),
    "suppressed": ("*",),
    "normalize": (),
}
ADULT = Release(
    source="adult.csv.gz",
    sha256="5fa1c3e7" * 8,
    rows=32561,
    persons=None,
    classes=546,
    suppressed_tuples=0,
    dropped_rows=0,
    missing_cells={"age": 0, "race": 0, "sex": 0, "occupation": 1843, "income": 0},
    suppressed_cells={"age": 0, "race": 0, "sex": 0, "occupation": 0, "income": 0},
    convention={**CONVENTION, "missing": ("?",)},
    class_sizes={"min": 1, "mean": 59.635531135531135, "median": 10.0, "max": 567},
)
COLUMNS = {
    "identifiers": (),
    "quasi-identifiers": ("age", "race", "sex"),
    "sensitive": ("income", "occupation"),
    "unit": None,
    "count": None,
}
PROVENANCE = {"version": "0.1.0", "seed": 0, "policy": "adult.toml", "policy_sha256": "0c" * 32}
CELLS = {"age": "17", "race": "Amer-Indian-Eskimo", "sex": "Female"}
ALONE = Witness(1, 1, None, (22221,), {**CELLS, "sex": "Male"})
PAIR = Witness(0, 2, "income", (3464, 14191), CELLS)
QUASI = "the target's quasi-identifiers"


def k_anonymity(measured, k, outcome, **more):
    """A measurement of k-anonymity."""
    given = {} if k is None else {"k": k}
    return Measurement("k-anonymity", given, measured, k, "higher", outcome, **more)


def levels(**measured):
    """Levels of attributes, each from a level alone or from (level, classes, rows)."""
    pairs = {name: n if isinstance(n, tuple) else (n,) for name, n in measured.items()}
    return {name: AttributeLevel(*pair) for name, pair in pairs.items()}


def holds():
    """A small release that meets all that is asked of it."""
    release = replace(
        ADULT,
        source="clinic.csv",
        rows=1000,
        classes=40,
        suppressed_tuples=12,
        missing_cells={"zip": 3},
        suppressed_cells={"zip": 12},
        class_sizes={"min": 11, "mean": 24.7, "median": 22.5, "max": 61},
    )
    k = k_anonymity(11, 5, Outcome.HOLDS, classes_violating=0, rows_violating=0)
    p = Measurement(
        "p-sensitive-k-anonymity",
        {"p": 2, "k": 5},
        3,
        2,
        "higher",
        Outcome.HOLDS,
        0,
        0,
        levels(illness=(3, 0, 0)),
        Witness(4, 11, "illness"),
        details=Conditions(
            k=11.0,
            max_p=6,
            max_groups={"2": 610, "3": 402, "4": 200, "5": 90, "6": 41},
        ),
    )
    t = Measurement(
        "t-closeness",
        {"t": 0.5, "distance": "equal"},
        0.31,
        0.5,
        "lower",
        Outcome.HOLDS,
        0,
        0,
        levels(illness=(0.31, 0, 0)),
        Witness(4, 11, "illness"),
    )
    attack = Disclosure(
        "homogeneity",
        QUASI,
        988,
        0,
        0,
        0.0,
        0.412,
        Outcome.HOLDS,
        0.0,
        {"illness": 0},
        GivenAway(classes={"illness": 0}, likely=0),
    )
    columns = {**COLUMNS, "quasi-identifiers": ("age", "zip"), "sensitive": ("illness",)}
    return AuditReport(Outcome.HOLDS, release, columns, (k, p, t), (attack,), (), PROVENANCE)


def violated():
    """Adult as it is, with k and p required and a limit on homogeneity."""
    k = k_anonymity(
        1, 5, Outcome.VIOLATED, classes_violating=190, rows_violating=424, witness=ALONE
    )
    p = Measurement(
        "p-sensitive-k-anonymity",
        {"p": 2, "k": 2},
        1,
        2,
        "higher",
        Outcome.VIOLATED,
        235,
        3120,
        levels(income=(1, 232, 3113), occupation=(1, 75, 86)),
        PAIR,
        details=Conditions(k=1.0, max_p=2, max_groups={"2": 7841}),
    )
    t = Measurement(
        "t-closeness",
        {"distance": "equal"},
        0.9954239734651884,
        None,
        "lower",
        Outcome.MEASURED,
        per_attribute=levels(income=0.7591904425539756, occupation=0.9954239734651884),
        witness=Witness(390, 1, "occupation", (271,), CELLS),
    )
    homogeneity = Disclosure(
        "homogeneity",
        QUASI,
        32561,
        0,
        3120,
        0.09582015294370566,
        0.7591904425539756,
        Outcome.VIOLATED,
        0.05,
        {"income": 3113, "occupation": 86},
        GivenAway(classes={"income": 232, "occupation": 75}, likely=0),
        Witness(37, 344, "income", (18, 52, 71, 104, 131), {"age": "20", "sex": "Female"}),
    )
    warning = Notice(
        "near-duplicate-labels",
        "2 groups of labels that differ only in spelling. Classes may be split that "
        "were meant to be one; if so, set normalize = ['trim'].",
        "race",
        ("White", " White"),
    )
    return AuditReport(
        Outcome.VIOLATED, ADULT, COLUMNS, (k, p, t), (homogeneity,), (warning,), PROVENANCE
    )


def measured():
    """Adult with nothing required."""
    ones = levels(income=1, occupation=1)
    p = replace(
        violated().models[1],
        parameters={},
        required=None,
        outcome=Outcome.MEASURED,
        classes_violating=None,
        rows_violating=None,
        per_attribute=ones,
    )
    entropy = replace(p, model="entropy-l-diversity", measured=1.0, details={})
    alpha = replace(entropy, model="alpha-k-anonymity", safer="lower", details=ClassSize(k=1.0))
    models = (k_anonymity(1, None, Outcome.MEASURED, witness=ALONE), p, entropy, alpha)
    attack = replace(violated().attacks[0], allowed=None, outcome=Outcome.MEASURED)
    provenance = {"version": "0.1.0", "seed": 0, "policy": None, "policy_sha256": None}
    return AuditReport(
        Outcome.MEASURED, ADULT, COLUMNS, (*models, violated().models[2]), (attack,), (), provenance
    )


def inconclusive():
    """Three suppressed tuples and nothing else: nothing to judge."""
    notes = ("no data: the release has no row, so there is nothing to measure",)
    release = replace(
        ADULT,
        source="empty.csv",
        rows=3,
        classes=0,
        suppressed_tuples=3,
        missing_cells={},
        suppressed_cells={"age": 3, "race": 3, "sex": 3},
        class_sizes={"min": None, "mean": None, "median": None, "max": None},
    )
    none = {"classes_violating": 0, "rows_violating": 0, "notes": notes}
    p = Measurement(
        "p-sensitive-k-anonymity",
        {"p": 2, "k": 2},
        None,
        2,
        "higher",
        Outcome.INCONCLUSIVE,
        per_attribute=levels(income=(None, 0, 0)),
        details=Conditions(k=None, max_p=None, max_groups={}),
        **none,
    )
    attack = Disclosure(
        "homogeneity",
        QUASI,
        0,
        0,
        0,
        None,
        None,
        Outcome.INCONCLUSIVE,
        0.0,
        {"income": 0},
        reason="the release has no class to attack",
    )
    models = (k_anonymity(None, 5, Outcome.INCONCLUSIVE, **none), p)
    return AuditReport(Outcome.INCONCLUSIVE, release, COLUMNS, models, (attack,), (), PROVENANCE)


def linkage():
    """Three linkages: one that identifies everybody, one nobody fits, one that did not run."""
    release = replace(
        ADULT,
        source="trips.csv",
        rows=1500,
        classes=1500,
        missing_cells={},
        class_sizes={"min": 1, "mean": 1.0, "median": 1.0, "max": 1},
    )
    details = Matches(
        none=0,
        one=1500,
        several=0,
        pairs=1500,
        mutual=1500,
        fewest=1,
        split=0,
        unpublished=0,
        guesses=Guesses(),
    )
    everybody = Disclosure(
        "linkage",
        "an identified table with the quasi-identifiers of its persons",
        1500,
        1500,
        1500,
        1.0,
        0.25,
        Outcome.VIOLATED,
        0.0,
        {"purpose": 1500},
        details,
    )
    nobody = replace(
        everybody,
        identified=0,
        disclosed=0,
        rate=None,
        outcome=Outcome.INCONCLUSIVE,
        per_attribute={"purpose": 0},
        details=replace(details, none=1500, one=0, pairs=0, mutual=0, fewest=None),
        reason="nobody in the external table matches the release",
        notes=("the adversary does not know 'sex'",),
    )
    skipped = Disclosure(
        "linkage",
        everybody.knowledge,
        0,
        0,
        0,
        None,
        None,
        Outcome.SKIPPED,
        reason="no external table was given",
    )
    return AuditReport(
        Outcome.VIOLATED,
        release,
        {**COLUMNS, "sensitive": ("purpose",)},
        (),
        (everybody, nobody, skipped),
        (),
        PROVENANCE,
    )


def persons():
    """Several rows of one person: persons are counted."""
    release = replace(
        ADULT,
        source="visits.parquet",
        rows=5200,
        persons=812,
        classes=90,
        dropped_rows=31,
        missing_cells={"age": 31},
        convention={**CONVENTION, "quasi_identifiers": "drop-rows"},
        class_sizes={"min": 4, "mean": 11.25, "median": 9, "max": 40},
    )
    where = (4, 90, 91, 92, 300)
    k = k_anonymity(
        4,
        5,
        Outcome.VIOLATED,
        classes_violating=1,
        rows_violating=19,
        witness=Witness(12, 19, None, where),
        details=Histories(k=1, alone=640),
        by_convention={"quasi-identifiers = own-category": 1, "quasi-identifiers = wildcard": 4},
    )
    attack = Disclosure(
        "homogeneity",
        QUASI,
        806,
        0,
        4,
        4 / 806,
        0.6,
        Outcome.MEASURED,
        per_attribute={"illness": 4},
        details=GivenAway(classes={"illness": 1}, likely=3),
        witness=Witness(12, 19, "illness", where),
    )
    columns = {**COLUMNS, "sensitive": ("illness",), "unit": "patient id"}
    return AuditReport(Outcome.VIOLATED, release, columns, (k,), (attack,), (), PROVENANCE)


def bounds():
    """Requirements that no masking can meet, and one that too many classes break."""
    release = replace(
        ADULT,
        source="small.csv",
        rows=20,
        classes=6,
        missing_cells={},
        class_sizes={"min": 1, "mean": 20 / 6, "median": 3.5, "max": 5},
    )
    k = k_anonymity(
        1,
        50,
        Outcome.VIOLATED,
        classes_violating=6,
        rows_violating=20,
        notes=("k = 50 cannot be reached by any masking: there are 20 rows",),
    )
    most = Measurement(
        "p-sensitive-k-anonymity",
        {"p": 3, "k": 3},
        1,
        3,
        "higher",
        Outcome.VIOLATED,
        6,
        20,
        levels(income=(1, 6, 20), illness=(3, 0, 0)),
        details=Conditions(k=1.0, max_p=2, max_groups={"2": 4}),
        notes=("p = 3 cannot be reached by any masking: Condition 1, maxP = 2",),
    )
    groups = replace(
        most,
        parameters={"p": 2, "k": 2},
        required=2,
        classes_violating=2,
        rows_violating=3,
        per_attribute=levels(income=(1, 2, 3), illness=(3, 0, 0)),
        notes=(
            (
                "p = 2 allows at most 4 class(es) with a known 'illness', but the release has 6 "
                "(Condition 2)"
            ),
        ),
    )
    conditions = replace(
        groups.details,
        protected_subtrees={"illness": 5},
        conditions={"1": True, "2": True, "3": False},
    )
    extended = replace(
        groups,
        model="extended-p-sensitive-k-anonymity",
        parameters={"p": 2, "k": 3},
        details=conditions,
        notes=(),
    )
    columns = {**COLUMNS, "sensitive": ("income", "illness")}
    models = (k, most, groups, extended)
    return AuditReport(Outcome.VIOLATED, release, columns, models, (), (), PROVENANCE)


def identifiers():
    """All that is required holds, but names and numbers of persons are in the file."""
    told = "the policy names this column as an identifier, and the release has it"
    warnings = tuple(Notice("identifier-released", told, column) for column in ("name", "ssn"))
    columns = {**holds().columns, "identifiers": ("name", "ssn", "e-mail")}
    return replace(holds(), outcome=Outcome.VIOLATED, columns=columns, warnings=warnings)


def elimination():
    """Classes of 1, 1, 4, 6 and 12 rows, counted by size; values ruled out one after the other.

    By hand: 2 rows are certain at once, with one value ruled out 8 (2 + 6), with two all 24.
    """
    release = replace(
        ADULT,
        source="ward.csv",
        rows=24,
        classes=5,
        missing_cells={},
        class_sizes={
            "min": 1,
            "mean": 4.8,
            "median": 4.0,
            "max": 12,
            "classes of 1": 2,
            "classes of 4": 1,
            "classes of 5 to 9": 1,
            "classes of 10 to 19": 1,
        },
    )
    k = k_anonymity(1, 5, Outcome.VIOLATED, classes_violating=3, rows_violating=6, witness=ALONE)
    attack = Disclosure(
        "elimination",
        "the target's quasi-identifiers, and some sensitive values the target does not have",
        24,
        0,
        8,
        8 / 24,
        0.5,
        Outcome.VIOLATED,
        0.05,
        {"illness": 8, "treatment": 3},
        ByEliminations(
            at_most=1,
            exposed={"0": 2, "1": 8, "2": 24},
            classes={"0": 2, "1": 1, "2": 2},
            replay={
                "attribute": "illness",
                "eliminated of": ["treatment"],
                "values": ["chemotherapy"],
                "survives": {"values": "influenza"},
            },
        ),
        Witness(2, 6, "illness", (3, 9, 10, 15, 20), {**CELLS, "age": "[20,30)"}),
    )
    columns = {**COLUMNS, "sensitive": ("illness", "treatment")}
    return AuditReport(Outcome.VIOLATED, release, columns, (k,), (attack,), (), PROVENANCE)


PLAIN_REPORTS = {
    make.__name__: make()
    for make in (
        holds,
        violated,
        measured,
        inconclusive,
        linkage,
        persons,
        bounds,
        identifiers,
        elimination,
    )
}
