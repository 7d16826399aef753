"""The chance that a link or a value is right, and the share of claimed links that are true.

There are three adversaries. The prosecutor knows that the target is in the release; all candidates
of the target are equally likely. The journalist picks a released row; all external persons who
match this row are equally likely. The marketer links every person who has a candidate, and chooses
one candidate at random if there are several. The measure is the expected number of right links.

Source: Dankar and El Emam 2010, El Emam and Dankar 2008.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from anonaudit.arrays import Floats, Index, Ints
from anonaudit.cells import FIRST_VALUE
from anonaudit.frequency.classes import EquivalenceClasses
from anonaudit.frequency.codes import distinct_rows
from anonaudit.frequency.frequency_set import FrequencySet
from anonaudit.frequency.wildcards import sparse_table
from anonaudit.linking.alignment import Alignment
from anonaudit.linking.matching import Candidates
from anonaudit.special_details import Chance, LikeliestValue, Marketer, RightLink
from attacks.shared import MOST_TRIPLES


def views(candidates: Floats, sharing: Ints, fitting: Floats, rows: Ints) -> RightLink | None:
    """Return the chance of a right link for the three adversaries; None if nobody matches.

    candidates, sharing: for each external combination, how many released rows (persons) match it,
        and how many external persons have it; shape (n_external,).
    fitting, rows: for each released combination, how many external persons match it, and how many
        rows have it; shape (n_keys,).
    """
    matched, met = candidates > 0, fitting > 0
    if not matched.any():
        return None
    chance, people = 1 / candidates[matched], sharing[matched]
    of_row, weight = 1 / fitting[met], rows[met]
    right = float((chance * people).sum())
    return RightLink(
        prosecutor=Chance(highest=float(chance.max()), average=right / float(people.sum())),
        journalist=Chance(
            highest=float(of_row.max()), average=float((of_row * weight).sum() / weight.sum())
        ),
        marketer=Marketer(right=right, share=right / float(sharing.sum())),
    )


def likeliest_values(
    classes: EquivalenceClasses,
    inside: FrequencySet,
    pairs: Candidates,
    sharing: Ints,
    fitting: Floats,
) -> dict[str, LikeliestValue]:
    """Return by sensitive attribute the chance of a person's likeliest value, in two versions.

    In the version `uniform` all candidate rows are equally likely. In the version `by_population` a
    candidate row that matches m external persons has the weight 1/m, because it may belong to any
    of these persons. A candidate row with an unknown value supports no value. Each version has the
    highest and the average chance over all persons who match a row.

    An attribute with more than MOST_TRIPLES triples of a target, a combination and a value is left
    out. inside: the released combinations. pairs: the pairs that match. sharing, fitting: see
    `views`.
    """
    n, base = len(sharing), classes.base
    likeliest: dict[str, LikeliestValue] = {}
    entry = inside.entry_of(base)
    ones = np.ones(len(pairs.key))
    looks = sparse_table(ones, pairs.person, pairs.key, (n, len(inside)))
    matched = np.unique(pairs.person)
    if not len(matched):
        return likeliest
    for name in classes.sensitive:
        value = base.column(name)
        known = value >= FIRST_VALUE
        shape = (len(inside), int(value.max()) + 1)
        table = sparse_table(base.counts[known], entry[known], value[known], shape)
        if not known.any() or np.diff(table.indptr)[pairs.key].sum() > MOST_TRIPLES:
            continue
        each = np.maximum(fitting, 1)
        chances = []
        for weight in (np.ones(len(inside)), 1 / each):
            weighted = table.multiply(weight[:, None]).tocsr()
            best = (looks @ weighted).max(axis=1).toarray().ravel()[matched]
            chance = best / (looks @ (inside.counts * weight))[matched]
            people = sharing[matched]
            average = float((chance * people).sum() / people.sum())
            chances.append(Chance(highest=float(chance.max()), average=average))
        likeliest[name] = LikeliestValue(uniform=chances[0], by_population=chances[1])
    return likeliest


def right_links(
    alignment: Alignment,
    known: Sequence[str],
    outside: FrequencySet,
    inside: FrequencySet,
    sharing: Ints,
    linked: tuple[Index, Index],
    claims: Mapping[str, tuple[Index, Sequence[str]]],
) -> dict[str, float]:
    """Return how many claims there are, and how many of them are right by the original.

    outside, inside: the external and the released combinations. sharing: how many persons have each
        external combination.
    linked: two parallel arrays, the external combinations with exactly one candidate row (person),
        and the released combination of this candidate.
    claims: by sensitive attribute, the external combinations about which a value is claimed, and
        the claimed values.

    Any row of the original with the quasi-identifiers of a person may be the person's. So a claim
    counts as right by the share of these rows for which it is true: if it is true for one of two
    rows, it counts 1/2. A claim about somebody who is not in the original is wrong.

    The keys of the result are "identities claimed", "identities right", and the same by attribute.
    """
    import pandas as pd  # slow to start; numpy's isin takes many times as long

    original, n = alignment.original, len(outside)
    whose = matching_entries(outside, original, known)
    there = whose >= 0
    people = np.bincount(whose[there], original.counts[there], n)
    weight = sharing / np.maximum(people, 1)
    target, row = (
        whose[alignment.old],
        matching_entries(inside, alignment.released, known)[alignment.new],
    )
    who, key = linked
    claim = target * len(inside) + row  # negative if there is no such target; matches nothing
    hit = (row >= 0) & pd.Index(claim).isin(who * len(inside) + key)
    right = np.bincount(target[hit], alignment.count[hit], n) * weight
    counts: dict[str, float] = {
        "identities claimed": int(sharing[np.unique(who)].sum()),
        "identities right": float(right.sum()),
    }
    for name, (who, values) in claims.items():
        if name not in alignment.sensitive:
            continue
        code = {label: i for i, label in enumerate(original.labels_of(name))}
        claimed = np.full(n, -1)
        claimed[who] = [code.get(value, -1) for value in values]
        hit = there & (claimed[whose] == original.column(name))
        right = np.bincount(whose[hit], original.counts[hit], n) * weight
        counts[f"{name} claimed"] = int(sharing[who].sum())
        counts[f"{name} right"] = float(right.sum())
    return counts


def matching_entries(where: FrequencySet, table: FrequencySet, columns: Sequence[str]) -> Index:
    """Return for each entry of `table` the entry of `where` with the same texts; -1 if none.

    columns: all columns of `where`, in the same order. `table` may have further columns.
    """
    codes = np.empty((len(table), len(columns)), np.int64)
    for j, column in enumerate(columns):
        code = {label: i for i, label in enumerate(where.labels_of(column))}
        new = np.array([code.get(label, len(code)) for label in table.labels_of(column)])
        codes[:, j] = new[table.column(column)]
    different, number = distinct_rows(np.concatenate([where.codes, codes]))
    place = np.full(len(different), -1, np.intp)
    place[number[: len(where)]] = np.arange(len(where))
    return place[number[len(where) :]]
