"""Our own algorithms under the contract suite, each alone and as `anonaudit mask` calls it."""

import pandas as pd
import pytest

from anonaudit.generalization.hierarchy import Hierarchy
from anonaudit.masking.anatomy import COUNT, GROUP, anatomize
from anonaudit.masking.goals import KAnonymous, PSensitive
from anonaudit.masking.k_member import k_member
from anonaudit.masking.lattice import k_minimal, p_k_minimal
from anonaudit.masking.maskers import ALGORITHMS, mask
from anonaudit.masking.mondrian import mondrian
from anonaudit.masking.recoding import Microdata
from anonaudit.masking.rule_hiding import hide_rules
from anonaudit.models import KAnonymity, PSensitiveKAnonymity, RuleConfidence
from anonaudit.policy.policy import HierarchySpec, Policy, Requirement
from anonaudit.roles import Roles
from anonaudit.testing import check_masker

QUASI = ("q1", "q2")
ROLES = Roles(QUASI, ("s1",), ("name",))
TREES = {
    name: Hierarchy.from_levels(name, [["a", "ab"], ["b", "ab"], ["c", "cd"], ["d", "cd"]])
    for name in QUASI
}


def masked(algorithm, **options):
    """One of our maskers as a function from frame to frame."""

    def run(frame):
        data = Microdata.read(frame, Roles(QUASI, ("s1",)), TREES)
        return algorithm(data, **options).frame()

    return run


@pytest.mark.parametrize(
    ("run", "model", "options"),
    [
        (masked(k_minimal, k=2), KAnonymity(2), {}),
        (masked(k_minimal, k=2, threshold=1), KAnonymity(2), {"suppression": 1}),
        (masked(p_k_minimal, p=2, k=2), PSensitiveKAnonymity(2, 2), {}),
        pytest.param(masked(k_member, k=2), KAnonymity(2), {}, marks=pytest.mark.long),
        (masked(k_member, k=2, p=2), PSensitiveKAnonymity(2, 2), {}),
        pytest.param(
            masked(mondrian, goal=KAnonymous(2)), KAnonymity(2), {}, marks=pytest.mark.long
        ),
        (masked(mondrian, goal=PSensitive(2, 2)), PSensitiveKAnonymity(2, 2), {}),
    ],
)
def test_our_own_maskers_keep_every_law(run, model, options):
    check_masker(run, model, roles=ROLES, hierarchies=TREES, examples=4, **options)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_every_algorithm_keeps_every_law_as_it_is_called_for_a_policy(algorithm):
    """Its rows are sorted by their released values besides."""
    policy = Policy(
        roles=ROLES,
        hierarchies={name: HierarchySpec(name, tree=tree) for name, tree in TREES.items()},
        requirements=(Requirement("p-sensitive-k-anonymity", {"p": 2, "k": 3}),),
    )
    check_masker(
        lambda frame: mask(frame, policy, algorithm=algorithm).release,
        PSensitiveKAnonymity(2, 3),
        roles=ROLES,
        hierarchies=TREES,
        shuffled=True,
        examples=3,
    )


def anatomized(frame):
    """What an anatomy tells of each row: the sets of values of its group, and one of its STs."""
    data = Microdata.read(frame, Roles(QUASI, ("s1",)), TREES)
    found = anatomize(mondrian(data, PSensitive(2, 2)), seed=0)
    sets = found.quasi_identifiers.groupby(GROUP).agg(lambda cells: sorted(set(cells), key=str))
    table = found.sensitive["s1"].join(sets, on=GROUP)
    table = table.loc[table.index.repeat(table[COUNT])]
    labels = {name: [_set(cells) for cells in table[name]] for name in QUASI}
    return pd.DataFrame({**labels, "s1": table["s1"].tolist()})


def _set(cells):
    """The label of a set of values; `*` where one of several is missing."""
    if len(cells) == 1:
        return cells[0]
    return "{" + ",".join(cells) + "}" if all(isinstance(c, str) for c in cells) else "*"


def test_an_anatomy_keeps_every_law():
    check_masker(anatomized, PSensitiveKAnonymity(2, 2), roles=ROLES, examples=4)


@pytest.mark.long
def test_rule_hiding_keeps_every_law_but_row_order():
    """It hides the first rows, as the paper does: which, depends on their order."""
    check_masker(
        masked(hide_rules, c=0.7, as_printed=True),
        RuleConfidence(below=0.7),
        roles=ROLES,
        hierarchies=TREES,
        hides=True,
        skip=["row order"],
        examples=8,
    )
