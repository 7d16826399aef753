"""No result depends on the order of rows or columns, on names of values, or on an index.

Laws: permuting rows; permuting columns; renaming values by any one-to-one rule; splitting a
counted row into copies; a pandas index. Each holds for every model and for homogeneity.
"""

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import anonaudit

cells = st.one_of(st.none(), st.sampled_from(["*", "a", "b", "c", "NA", " a", "A"]))
tables = st.lists(st.tuples(*[cells] * 4), min_size=1, max_size=25)
NAMES = ["q1", "q2", "s1", "s2"]


def findings(frame, quasi=("q1", "q2"), sensitive=("s1", "s2"), **options):
    """Everything a report says that should not change."""
    report = anonaudit.audit(
        frame, quasi_identifiers=list(quasi), sensitive=list(sensitive), **options
    )
    models = {}
    for m in report.models:
        key = (m.model, m.parameters.get("distance"))
        levels = {name: _rounded(level.measured) for name, level in m.per_attribute.items()}
        models[key] = (_rounded(m.measured), levels, sorted(m.details.items(), key=str))
    attacks = [(a.attack, a.targets, a.disclosed, dict(a.per_attribute)) for a in report.attacks]
    return report.release.classes, report.release.class_sizes, models, attacks


def _rounded(x):
    return None if x is None else round(x, 9)


def frame_of(rows):
    return pd.DataFrame(rows, columns=NAMES, dtype=object)


@settings(max_examples=25)
@given(tables, st.randoms(use_true_random=False))
def test_row_order_and_index_do_not_matter(rows, random):
    shuffled = list(rows)
    random.shuffle(shuffled)
    frame = frame_of(shuffled)
    frame.index = [random.randrange(3) for _ in rows]  # duplicate labels
    assert findings(frame) == findings(frame_of(rows))


@settings(max_examples=25)
@given(tables)
def test_column_order_does_not_matter(rows):
    frame = frame_of(rows)
    turned = findings(frame[["s2", "q2", "s1", "q1"]], ["q2", "q1"], ["s2", "s1"])
    assert turned == findings(frame)


@settings(max_examples=25)
@given(tables)
def test_names_of_values_do_not_matter(rows):
    renamed = [[c if c in (None, "*") else f"<{c[::-1]}>" for c in row] for row in rows]
    assert findings(frame_of(renamed)) == findings(frame_of(rows))


def filled(rows):
    """The rows with a value: one without any is padding, unless a further column has one."""
    return [row for row in rows if any(cell is not None for cell in row)]


@settings(max_examples=25)
@given(tables)
@pytest.mark.long
def test_a_count_column_is_as_good_as_the_rows(rows):
    rows = filled(rows)
    counted = pd.DataFrame(
        [(*row, rows.count(row)) for row in sorted(set(rows), key=str)],
        columns=[*NAMES, "n"],
        dtype=object,
    )
    assert findings(counted, count="n") == findings(frame_of(rows))


@settings(max_examples=25)
@given(tables)
@pytest.mark.long
def test_one_row_a_person_is_as_good_as_no_unit(rows):
    rows = filled(rows)
    frame = frame_of(rows)
    frame["person"] = [f"p{i}" for i in range(len(rows))]
    persons = findings(frame, unit="person")
    plain = findings(frame)
    assert persons[0:2] == plain[0:2]
    assert persons[3] == plain[3]
    for key, (measured, levels, _) in plain[2].items():
        assert persons[2][key][:2] == (measured, levels)
