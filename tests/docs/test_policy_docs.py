"""docs/policy.md speaks of every key there is, and its example is a policy."""

import re
from dataclasses import fields
from pathlib import Path

import pytest

from anonaudit.cells import QuasiIdentifierRule, SensitiveRule, SuppressedTupleRule
from anonaudit.generalization.labels import REPAIRS, Spelled
from anonaudit.models import MODELS
from anonaudit.models.l_diversity import READINGS
from anonaudit.models.likeness import BetaLikeness, DeltaDisclosure
from anonaudit.models.t_closeness import DISTANCES
from anonaudit.policy import parse_policy, sections, table_files

TEXT = (Path(__file__).parents[2] / "docs" / "policy.md").read_text("utf-8")
EXAMPLE = re.search(r"```toml\n(.*?)```", TEXT, re.DOTALL)[1]  # type: ignore[index]


def test_the_example_is_a_policy_with_every_section(tmp_path: Path) -> None:
    (tmp_path / "illness.csv").write_text("Flu;Virus;Any\nLung;Cancer;Any\n")
    for name in ("release.csv", "voters.csv", "patients.csv"):
        (tmp_path / name).write_text("a\n")
    policy = parse_policy(EXAMPLE, folder=tmp_path)
    assert policy.convention.wildcard_weight == 0.5
    assert policy.hierarchies["illness"].protected == ("Cancer",)
    assert [attack.name for attack in policy.attacks] == ["homogeneity", "linkage"]
    for section in ("release", "columns", "values", "conventions", "population", "original"):
        assert f"[{section}]" in EXAMPLE


@pytest.mark.parametrize("model", MODELS)
def test_every_model_and_parameter_is_listed(model: str) -> None:
    line = next(line for line in TEXT.splitlines() if line.startswith("|") and f"`{model}`" in line)
    for parameter in (field.name for field in fields(MODELS[model])):  # type: ignore[arg-type]
        if parameter not in {"reading", *sections._FILLED_IN}:
            assert f"`{parameter.replace('_', '-')}`" in line


@pytest.mark.parametrize(
    "keys",
    [
        *(
            table_files._RELEASE,
            table_files._POPULATION,
            table_files._ORIGINAL,
            table_files.EXTERNAL,
            table_files.SECOND,
        ),
        *(sections._COLUMNS, sections._VALUES, sections._CONVENTIONS, sections._HIERARCHY),
    ],
)
def test_every_key_is_spoken_of(keys: dict[str, object]) -> None:
    assert [key for key in keys if not re.search(rf"\b{key}\b", TEXT)] == []


def test_every_choice_is_spoken_of() -> None:
    choices = [*REPAIRS, *READINGS, *DISTANCES]
    for rule in (QuasiIdentifierRule, SensitiveRule, SuppressedTupleRule, Spelled):
        choices += rule.__args__  # type: ignore[attr-defined]
    choices += ["ignored", "infinite", "basic", "enhanced"]
    assert [choice for choice in choices if f"`{choice}`" not in TEXT] == []
    assert DeltaDisclosure(absent="infinite").absent == "infinite"
    assert BetaLikeness(form="enhanced").form == "enhanced"
