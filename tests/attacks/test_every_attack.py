"""What every attack has: its name, and an answer that says why it did not run."""

import pytest
from builders import reduced

from anonaudit.attack import Setting, attack_names
from anonaudit.findings import Outcome
from attacks.algorithm_aware import AlgorithmAware
from attacks.association import Association
from attacks.composition import Composition
from attacks.distance_linkage import DistanceLinkage
from attacks.editions import Editions
from attacks.elimination import Elimination
from attacks.homogeneity import Homogeneity
from attacks.learned_guess import LearnedGuess
from attacks.linkage import Linkage
from attacks.residual import Residual
from attacks.similarity import Similarity
from attacks.skewness import Skewness
from attacks.unsorted_matching import UnsortedMatching

ATTACKS = {
    "algorithm-aware": AlgorithmAware,
    "association": Association,
    "best-guess": LearnedGuess,
    "composition": Composition,
    "editions": Editions,
    "distance-linkage": DistanceLinkage,
    "elimination": Elimination,
    "homogeneity": Homogeneity,
    "linkage": Linkage,
    "residual": Residual,
    "similarity": Similarity,
    "skewness": Skewness,
    "unsorted-matching": UnsortedMatching,
}


def test_these_are_all():
    assert attack_names() == sorted(ATTACKS)


@pytest.mark.parametrize("name", ATTACKS)
def test_an_attack_goes_by_its_name(name):
    assert ATTACKS[name].name == name


@pytest.mark.parametrize("name", ATTACKS)
def test_an_attack_with_nothing_to_go_by_is_skipped(name):
    """No sensitive column, no external table, no second release, no protected value."""
    attack = ATTACKS[name]()
    found = attack.run(Setting(classes=reduced([("a",), ("b",)], [0], []), allowed=0.5))
    assert (found.attack, found.knowledge, found.outcome) == (
        name, attack.knowledge, Outcome.SKIPPED,
    )  # fmt: skip
    assert (found.targets, found.identified, found.disclosed) == (0, 0, 0)
    assert (found.rate, found.baseline, found.exposed, found.witness) == (None,) * 4
    assert found.reason
    assert found.allowed == 0.5
