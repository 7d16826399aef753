"""How likely a link or a value is, beyond what is certain; and whether claimed links are true.

Views: Dankar and El Emam 2010, El Emam and Dankar 2008. The prosecutor knows that the target is
in the release, so each of its candidates is as likely as the next. The journalist picks a
released row: everybody in the external table whom it fits may be meant. The marketer links
everybody with one candidate and counts how many links are right on average.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from anonaudit.arrays import Floats, Index, Ints
from anonaudit.cells import FIRST_VALUE
from anonaudit.details import Chance, LikeliestValue, Marketer, RightLink
from anonaudit.frequency.classes import EquivalenceClasses
from anonaudit.frequency.codes import distinct_rows
from anonaudit.frequency.frequency_set import FrequencySet
from anonaudit.frequency.wildcards import sparse_table
from anonaudit.linking.alignment import Alignment
from anonaudit.linking.matching import Candidates
from attacks.shared import MOST_TRIPLES


def views(candidates: Floats, sharing: Ints, fitting: Floats, rows: Ints) -> RightLink | None:
    """The chance of a right link as the three adversaries see it; None if nobody matches.

    candidates: released rows (persons) each external combination fits, shape (n_external,).
    sharing: external persons with that combination. fitting: external persons each released
    combination fits, shape (n_keys,). rows: its rows.
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
    """How likely the likeliest value of each sensitive attribute is, over matched persons.

    uniform: every candidate row is as likely. by population: a candidate row counts for a target
    as 1 over the external persons it fits, who may all be the one it belongs to. A candidate
    whose value is unknown speaks for no value. Empty for attributes with too much to work out.
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
    """How many of the claims are right, by the original.

    linked: external combinations with one row (person) as the only candidate, and the released
    combinations it is in, pair by pair.
    claims: by sensitive attribute the external combinations of whom a value is claimed, and it.
    A claim about somebody is right for the share of the original's rows with these very
    quasi-identifiers that went there, or have that value; wrong about whom the original lacks.
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
    claim = target * len(inside) + row  # below 0, and nobody's, where there is no such target
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
    """For each entry of a table the entry of `where` with the same texts, -1 if there is none.

    where: over these columns, in this order.
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
