"""A strategy for any report at all: texts of any characters, levels that are not finite."""

import numpy as np
from hypothesis import strategies as st

from anonaudit.findings import (
    AttributeLevel,
    AuditReport,
    Demanded,
    Disclosure,
    Measurement,
    Notice,
    Outcome,
    Release,
    Remedies,
    Remedy,
    Step,
    Witness,
)
from anonaudit.plugins import ATTACKS, MODELS

# All characters there are, lone surrogates too; and those most likely to do harm.
texts = st.text(
    st.characters() | st.sampled_from('\x1b\n\r\t\0\x9b\u202e\u2028\ue000\u0301漢😀," ')
)
counts = st.integers(0, 10**9)
maybe_counts = st.none() | counts
numbers = st.integers(-(10**6), 10**9) | st.floats()
shares = st.none() | st.floats(0, 1)
parameters = numbers | texts | st.booleans() | st.lists(texts, max_size=3).map(tuple)
outcomes = st.sampled_from(Outcome)
notes = st.lists(texts, max_size=2).map(tuple)


def by_name(values, names=texts):
    return st.dictionaries(names, values, max_size=3)


witnesses = st.none() | st.builds(
    Witness,
    counts,
    counts,
    st.none() | texts,
    st.lists(st.integers(1, 10**9), max_size=3).map(tuple),
    st.none() | by_name(texts),
)
details = by_name(
    st.recursive(
        numbers | texts | st.none() | st.booleans() | numbers.map(np.float64),
        lambda part: st.lists(part, max_size=3) | st.frozensets(texts) | by_name(part),
        max_leaves=5,
    ),
    texts
    | st.sampled_from(["k", "maxP", "maxGroups", "conditions", "classes", "likely", "values"]),
)
measurements = st.builds(
    Measurement,
    model=texts | st.sampled_from(sorted(MODELS)),
    parameters=by_name(parameters, texts | st.sampled_from(["k", "p"])),
    measured=st.none() | numbers,
    required=st.none() | numbers,
    safer=st.sampled_from(["higher", "lower"]),
    outcome=outcomes,
    classes_violating=maybe_counts,
    rows_violating=maybe_counts,
    per_attribute=by_name(
        st.builds(AttributeLevel, st.none() | numbers, maybe_counts, maybe_counts, counts)
    ),
    witness=witnesses,
    details=details,
    notes=notes,
    by_convention=by_name(st.none() | numbers),
)
disclosures = st.builds(
    Disclosure,
    attack=texts | st.sampled_from(sorted(ATTACKS)),
    knowledge=texts,
    targets=counts,
    identified=counts,
    disclosed=counts,
    rate=shares,
    baseline=shares,
    outcome=outcomes,
    allowed=shares,
    per_attribute=by_name(counts),
    details=details,
    witness=witnesses,
    reason=st.none() | texts,
    notes=notes,
)
releases = st.builds(
    Release,
    source=texts,
    sha256=st.none() | texts,
    rows=counts,
    persons=maybe_counts,
    classes=counts,
    suppressed_tuples=counts,
    dropped_rows=counts,
    missing_cells=by_name(counts),
    suppressed_cells=by_name(counts),
    convention=by_name(parameters),
    class_sizes=by_name(st.none() | numbers, st.sampled_from(["min", "mean", "median", "max"])),
)
notices = st.builds(Notice, texts | st.just("identifier-released"), texts, st.none() | texts, notes)


remedies = st.builds(
    Remedies,
    tried=st.lists(
        st.builds(
            Remedy,
            steps=st.lists(
                st.builds(
                    Step,
                    kind=st.sampled_from(["suppress", "merge", "generalize", "drop"]),
                    columns=notes,
                    rows=counts,
                    classes=counts,
                    levels=by_name(st.tuples(st.integers(0, 9), st.integers(0, 9))),
                ),
                min_size=1,
                max_size=2,
            ).map(tuple),
            requirements=st.lists(
                st.builds(
                    Demanded,
                    kind=st.sampled_from(["model", "attack", "identifiers"]),
                    name=texts,
                    required=st.none() | numbers,
                    before=st.none() | numbers,
                    after=st.none() | numbers,
                    outcome_before=outcomes,
                    outcome=outcomes,
                ),
                max_size=2,
            ).map(tuple),
            outcome=st.sampled_from([o for o in Outcome if o is not Outcome.SKIPPED]),
            rows_suppressed=counts,
            cells_changed=counts,
            loss=st.floats(0, 1),
        ),
        max_size=2,
    ).map(tuple),
    reason=st.none() | texts,
    unreachable=notes,
)


def audit_reports():
    """Any report."""
    return st.builds(
        AuditReport,
        outcome=st.sampled_from([o for o in Outcome if o is not Outcome.SKIPPED]),
        release=releases,
        columns=by_name(st.none() | texts | st.lists(texts, max_size=3).map(tuple)),
        models=st.lists(measurements, max_size=2).map(tuple),
        attacks=st.lists(disclosures, max_size=2).map(tuple),
        warnings=st.lists(notices, max_size=2).map(tuple),
        provenance=by_name(st.none() | parameters),
        remedies=st.none() | remedies,
    )
