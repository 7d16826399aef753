"""Policies: a full one, every kind of mistake with its line, odd files, and fuzzing."""

from __future__ import annotations

import codecs
import hashlib
import json
import os
import re
from dataclasses import FrozenInstanceError, dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any, ClassVar

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import anonaudit
from anonaudit.attack import Setting
from anonaudit.cells import Convention
from anonaudit.errors import HierarchyError, InputError, PolicyError
from anonaudit.findings import Disclosure
from anonaudit.models import MODELS
from anonaudit.models.level import ParameterError
from anonaudit.plugins import Plugins
from anonaudit.policy import policy as policy_module
from anonaudit.policy import sections as policy_sections
from anonaudit.policy.policy import (
    AttackRequest,
    HierarchySpec,
    OriginalFile,
    PeopleFile,
    Policy,
    Requirement,
    parse_policy,
    read_policy,
)
from anonaudit.policy.toml_lines import TomlError, load
from anonaudit.roles import Roles
from anonaudit.source.table import TableFile


class _Attack:
    name: ClassVar[str] = "stub"
    knowledge: ClassVar[str] = "nothing"
    options: ClassVar[tuple[str, ...]] = ()

    def run(self, setting: Setting) -> Disclosure:
        raise NotImplementedError


class Elimination(_Attack):
    options = ("values", "at_most")


class Linkage(_Attack):
    options = ("external", "identity")


class Composition(_Attack):
    options = ("columns",)  # its own, for it takes no external table


ATTACKS = {
    "homogeneity": _Attack,
    "elimination": Elimination,
    "linkage": Linkage,
    "composition": Composition,
}

FULL = """\
# The policy of the ward's quarterly release.
[release]
file = "release.csv"
delimiter = ";"
encoding = "cp1252"

[columns]
identifiers = ["name", "ssn"]
quasi-identifiers = [
    "age",
    "zip",  # five digits
    "sex",
]
sensitive = ["illness", "severity", "income"]
unit = "patient id"
weight = "w"

[population]
file = "voters.csv"
delimiter = ";"
encoding = "cp1252"
columns = { sex = "Sex" }

[values]
missing = ["?", "n/a"]
suppressed = ["*", "-"]
decimal = ","
numeric = ["income"]
ordered = { severity = ["low", "mid", "high"] }
reading = { zip = "set", age = "interval" }
separators = { zip = "/" }
normalize = ["whitespace", "unicode"]

[conventions]
quasi-identifiers = "wildcard"
wildcard-weight = 0.5
suppressed-tuples = "include"
sensitive = "one-value"
inconclusive = "allow"

[hierarchies]
illness = { file = "illness.csv", protected = ["Neoplasms"], max-generalization = ["Any illness"] }
age = { intervals = [5, 10, 20], origin = 18 }
zip = { prefixes = [3, 0] }

[require]
k-anonymity = { k = 5 }
recursive-c-l-diversity = { c = 2, l = 3 }
t-closeness = [
    { t = 0.2, distance = "ordered" },
    { t = 0.3 },
]

[[require.l-diversity]]
l = 2
[[require.l-diversity]]
l = 3
reading = "joint"

[attacks]
homogeneity = {}
elimination = { values = [1, 2], at-most = { income = 2 }, allow-rate = 0.05 }

[attacks.linkage]
external = "voters.csv"
identity = ["surname", "first name"]
delimiter = ","
encoding = "latin-1"
columns = { age = "Age" }
allow-rate = 0
"""

ILLNESS = """\
Colon cancer;Neoplasms;Any illness
Breast cancer;Neoplasms;Any illness
Flu;Infections;Any illness
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the files that FULL names."""
    (tmp_path / "illness.csv").write_text(ILLNESS, encoding="utf-8")
    (tmp_path / "release.csv").write_text("age;zip\n", encoding="utf-8")
    (tmp_path / "voters.csv").write_text("Age\n", encoding="utf-8")
    (tmp_path / "policy.toml").write_text(FULL, encoding="utf-8")
    return tmp_path


def problems(text: str, folder: Path | None = None) -> tuple[str, ...]:
    """The mistakes in a policy that has some."""
    with pytest.raises(PolicyError) as caught:
        parse_policy(text, folder=folder, attacks=ATTACKS)
    return caught.value.problems


def only_problem(text: str, folder: Path | None = None) -> str:
    (problem,) = problems(text, folder)
    return problem


# --- what a policy becomes ---------------------------------------------------------------------


def test_a_full_policy_becomes_what_it_says(folder: Path) -> None:
    policy = read_policy(folder / "policy.toml", attacks=ATTACKS)
    assert policy.roles == Roles(
        quasi_identifiers=("age", "zip", "sex"),
        sensitive=("illness", "severity", "income"),
        identifiers=("name", "ssn"),
        unit="patient id",
        count=None,
        weight="w",
    )
    assert policy.convention == Convention(
        quasi_identifiers="wildcard",
        wildcard_weight=0.5,
        suppressed_tuples="include",
        sensitive="one-value",
        missing=("?", "n/a"),
        suppressed=("*", "-"),
    )
    assert policy.inconclusive_allowed is True
    assert policy.requirements == (
        Requirement("k-anonymity", {"k": 5}),
        Requirement("recursive-c-l-diversity", {"c": 2, "l": 3}),
        Requirement("t-closeness", {"t": 0.2, "distance": "ordered"}),
        Requirement("t-closeness", {"t": 0.3}),
        Requirement("l-diversity", {"l": 2}),
        Requirement("l-diversity", {"l": 3, "reading": "joint"}),
    )
    assert policy.attacks == (
        AttackRequest("homogeneity"),
        AttackRequest("elimination", {"values": (1, 2), "at_most": {"income": 2}}, allowed=0.05),
        AttackRequest(
            "linkage",
            {},
            allowed=0.0,
            external=PeopleFile(
                folder / "voters.csv",
                delimiter=",",
                encoding="latin-1",
                columns={"age": "Age"},
                identity=("surname", "first name"),
            ),
        ),
    )
    assert list(policy.hierarchies) == ["illness", "age", "zip"]
    assert policy.numeric == ("income",)
    assert policy.ordered == {"severity": ("low", "mid", "high")}
    assert policy.readings == {"zip": "set", "age": "interval"}
    assert policy.separators == {"zip": "/"}
    assert policy.population == PeopleFile(
        folder / "voters.csv", delimiter=";", encoding="cp1252", columns={"sex": "Sex"}
    )
    assert policy.decimal == ","
    assert policy.normalize == ("whitespace", "unicode")
    assert (policy.release.file, policy.release.delimiter, policy.release.encoding) == (
        folder / "release.csv",
        ";",
        "cp1252",
    )
    assert policy.source == str(folder / "policy.toml")
    assert policy.sha256 == hashlib.sha256(FULL.encode()).hexdigest()


def test_the_hierarchies_of_a_full_policy(folder: Path) -> None:
    specs = read_policy(folder / "policy.toml", attacks=ATTACKS).hierarchies
    illness = specs["illness"]
    assert illness.tree is not None
    assert illness.tree.attribute == "illness"
    assert illness.tree.paths["Flu"] == ("Flu", "Infections", "Any illness")
    assert illness.resolve(["whatever"]) is illness.tree
    assert illness.protected == ("Neoplasms",)
    assert illness.max_generalization == ("Any illness",)
    assert specs["age"] == HierarchySpec("age", intervals=(5, 10, 20), origin=18)
    assert specs["zip"] == HierarchySpec("zip", prefixes=(3, 0))
    # By hand: multiples of the widths from 18 on.
    assert specs["age"].resolve(["20", "31"]).paths["31"] == (
        "31",
        "[28,33)",
        "[28,38)",
        "[18,38)",
        "*",
    )
    assert specs["zip"].resolve(["48201", "48330"]).paths["48330"] == ("48330", "483**", "*****")


def test_options_of_an_attack_without_external_table_are_its_own() -> None:
    text = "attacks.composition.columns = [1, { a = [2] }]"
    (request,) = parse_policy(text, attacks=ATTACKS).attacks
    assert request == AttackRequest("composition", {"columns": (1, {"a": (2,)})})


@pytest.mark.parametrize("text", ["", "\n# nothing\n", "[columns]", "[require]\n[attacks]"])
def test_an_empty_policy_requires_nothing(text: str) -> None:
    policy = parse_policy(text, attacks=ATTACKS)
    assert policy.roles == Roles()
    assert policy.convention == Convention()
    assert policy.inconclusive_allowed is False
    assert (policy.requirements, policy.attacks, policy.hierarchies) == ((), (), {})
    assert (policy.decimal, policy.normalize, policy.release) == (".", (), TableFile())
    assert policy.sha256 == hashlib.sha256(text.encode()).hexdigest()


def test_every_model_can_be_required_by_each_of_its_thresholds() -> None:
    thresholds = {
        "k-anonymity": {"k": 2},
        "p-sensitive-k-anonymity": {"p": 2, "k": 3},
        "extended-p-sensitive-k-anonymity": {"p": 2, "k": 3},
        "l-diversity": {"l": 2},
        "entropy-l-diversity": {"l": 1.5},
        "recursive-c-l-diversity": {"c": 2.5},
        "alpha-k-anonymity": {"alpha": 0.5, "k": 2},
        "t-closeness": {"t": 0.25},
    }
    assert set(thresholds) <= set(MODELS)
    for name, values in thresholds.items():
        for parameter, value in values.items():
            text = f"require.{name}.{parameter} = {value}"
            found = parse_policy(text, attacks={}).requirements
            assert found == (Requirement(name, {parameter: value}),)


def test_installed_attacks_are_asked_for_only_where_a_policy_names_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked = []

    def installed() -> dict[str, type]:
        asked.append(1)
        return {"homogeneity": _Attack}

    monkeypatch.setattr(policy_sections, "installed_attacks", installed)
    parse_policy("[require]")
    assert not asked
    assert parse_policy("attacks.homogeneity = {}").attacks == (AttackRequest("homogeneity"),)
    with pytest.raises(PolicyError, match=r"no such attack\. Did you mean 'homogeneity'"):
        parse_policy("attacks.homogenity = {}")


def test_files_are_looked_for_from_the_folder_of_the_policy(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "sub").mkdir()
    elsewhere = folder / "sub" / "policy.toml"
    elsewhere.write_text('release.file = "../release.csv"', encoding="utf-8")
    assert read_policy(elsewhere).release.file == folder / "sub" / ".." / "release.csv"
    elsewhere.write_text(
        f"release.file = {json.dumps(str(folder / 'release.csv'))}", encoding="utf-8"
    )
    assert read_policy(elsewhere).release.file == folder / "release.csv"
    monkeypatch.chdir(folder)
    assert read_policy("policy.toml", attacks=ATTACKS).release.file == Path("release.csv")
    assert parse_policy('release.file = "release.csv"').release.file == Path("release.csv")


def test_hierarchy_files_are_read_as_the_policy_says(tmp_path: Path) -> None:
    (tmp_path / "h.csv").write_text("Grippe|Übel\n", encoding="cp1252")
    text = '[columns]\nsensitive = ["i"]\n[hierarchies]\ni = { file = "h.csv", delimiter = "|", encoding = "cp1252" }'
    tree = parse_policy(text, folder=tmp_path).hierarchies["i"].tree
    assert tree is not None
    assert tree.paths["Grippe"] == ("Grippe", "Übel")


# --- hierarchies built around values -------------------------------------------------------------


@pytest.mark.parametrize(
    ("spec", "values", "offending"),
    [
        (HierarchySpec("age", intervals=(5,)), ["23", "secret", "31"], ("secret",)),
        (HierarchySpec("zip", prefixes=(3,)), ["48201", "482**", "48330"], ("482**",)),
    ],
)
def test_values_that_do_not_fit_a_builder_are_counted_not_quoted(
    spec: HierarchySpec, values: list[str], offending: tuple[str, ...]
) -> None:
    with pytest.raises(HierarchyError) as caught:
        spec.resolve(values)
    assert caught.value.values == offending
    assert "1 of the column's 3 values" in str(caught.value)
    assert not any(value in str(caught.value) for value in values)


def test_a_builder_needs_values() -> None:
    with pytest.raises(HierarchyError, match="'age': no values"):
        HierarchySpec("age", intervals=(5,)).resolve([])


@pytest.mark.parametrize(
    "names", [{"protected": ("[20,25)", "[20,30)")}, {"max_generalization": ("[20,30)",)}]
)
def test_names_in_a_built_hierarchy_are_checked_when_it_is_built(names: dict[str, Any]) -> None:
    with pytest.raises(HierarchyError, match="name 1 value that") as caught:
        HierarchySpec("age", intervals=(5,), **names).resolve(["23"])
    assert caught.value.values == ("[20,30)",)
    fitting = HierarchySpec(
        "age", intervals=(5,), protected=("[20,25)",), max_generalization=("*",)
    )
    assert fitting.resolve(["23"]).root == "*"


# --- mistakes ----------------------------------------------------------------------------------

MISTAKES = r"""
# a comment
requires = {}
-> line 2, requires: there is no such key here. Did you mean 'require'?

columns = 3
-> line 1, columns: must be a table such as [columns], not a whole number

[[columns]]
-> line 1, columns: must be a table such as [columns], not a list

release = true
-> line 1, release: must be a table such as [release], not true or false

values = 'x'
-> line 1, values: must be a table such as [values], not text

conventions = 1.5
-> line 1, conventions: must be a table such as [conventions], not a number

hierarchies = []
-> line 1, hierarchies: must be a table such as [hierarchies], not a list

require = 2020-01-02
-> line 1, require: must be a table such as [require], not a date

attacks = 'all'
-> line 1, attacks: must be a table such as [attacks], not text

[columns]
# a comment
quasi_identifiers = []
-> line 3, columns.quasi_identifiers: there is no such key here. Did you mean 'quasi-identifiers' or 'identifiers'?

"odd key" = {}
-> line 1, "odd key": there is no such key here. There are: 'release', 'columns', 'population', 'original', 'values', 'conventions', 'hierarchies', 'masking', 'require', 'attacks'.

columns."a\u0007b\u202E" = 1
-> line 1, columns."a\u0007b\u202e": there is no such key here. There are: 'identifiers', 'quasi-identifiers', 'sensitive', 'unit', 'count', 'weight', 'household'.

columns.sensitive = "illness"
-> line 1, columns.sensitive: must be a list of names, not text; put brackets around it

columns.sensitive = {}
-> line 1, columns.sensitive: must be a list of names, not a table

[columns]
identifiers = [
  "a",
  5,
]
-> line 4, columns.identifiers, item 2: must be text, not a whole number

columns.sensitive = ["a", "b", "a"]
-> line 1, columns.sensitive, item 3: repeats item 1

columns.unit = ['a']
-> line 1, columns.unit: must be text, not a list

columns.count = false
-> line 1, columns.count: must be text, not true or false

[columns]
identifiers = ["a"]
unit = "id"
quasi-identifiers = ["b", "a"]
-> line 4, columns.quasi-identifiers, item 2: column 'a' is in identifiers as well; a column can have one role only

[columns]
sensitive = ["a"]
unit = "a"
-> line 3, columns.unit: column 'a' is in sensitive as well; a column can have one role only

[columns]
count = "n"
unit = "id"
-> line 2, columns.count: cannot be combined with unit: with count, one row counts for several records; with unit, one person has several rows. Remove one of the two

release.delimiter = ';;'
-> line 1, release.delimiter: must be one character such as ';', not ';;'

release.delimiter = ''
-> line 1, release.delimiter: must be one character such as ';', not ''

release.delimiter = '"'
-> line 1, release.delimiter: must be one character such as ';', not '"'

release.delimiter = "\n"
-> line 1, release.delimiter: must be one character such as ';', not '\n'

release.delimiter = 9
-> line 1, release.delimiter: must be one character, not a whole number

release.encoding = 'utf-9'
-> line 1, release.encoding: there is no encoding 'utf-9'; try 'utf-8' or 'cp1252'

release.encoding = 'base64'
-> line 1, release.encoding: there is no encoding 'base64'; try 'utf-8' or 'cp1252'

release.encoding = 'undefined'
-> line 1, release.encoding: there is no encoding 'undefined'; try 'utf-8' or 'cp1252'

release.encoding = "a\u0000"
-> line 1, release.encoding: there is no encoding 'a\x00'; try 'utf-8' or 'cp1252'

release.encoding = []
-> line 1, release.encoding: must be the name of an encoding, not a list

release.file = []
-> line 1, release.file: must be the name of a file, not a list

release.file = ''
-> line 1, release.file: must be the name of a file, not an empty text

release.file = '/dev/null'
-> line 1, release.file: the file '/dev/null' is not a regular file

release.file = "a\u0000"
-> line 1, release.file: the file 'F/a\x00' cannot be opened: its name contains a NUL character

release.file = 'illness.csv/x'
-> line 1, release.file: the file 'F/illness.csv/x' cannot be opened: Not a directory

values.decimal = ';'
-> line 1, values.decimal: cannot be ';'. There are: '.', ','.

values.decimal = 1
-> line 1, values.decimal: must be one of '.', ',', not a whole number

values.missing = '?'
-> line 1, values.missing: must be a list of texts, not text; put brackets around it

[values]
missing = ['?', '-']
suppressed = ['*', '-']
-> line 3, values.suppressed, item 2: already means missing; a text cannot mean both missing and suppressed

values.suppressed = ['']
-> line 1, values.suppressed, item 1: already means missing; a text cannot mean both missing and suppressed

values.numeric = [true]
-> line 1, values.numeric, item 1: must be text, not true or false

values.ordered = ['a']
-> line 1, values.ordered: must be a table such as { size = ["S", "M"] }, not a list

values.ordered = { a = 'x' }
-> line 1, values.ordered.a: must be a list of values from low to high, not text; put brackets around it

values.ordered = { a = [] }
-> line 1, values.ordered.a: must be a list of values from low to high, at least 1

[values.ordered]
a = ['low', 1]
-> line 2, values.ordered.a, item 2: must be text, not a whole number

[values]
ordered.a = ['x']
numeric = ['a']
-> line 2, values.ordered.a: the column is in values.numeric as well; remove it from one of the two

values.reading = { zip = 'sets' }
-> line 1, values.reading.zip: cannot be 'sets'. Did you mean 'set'?

values.reading = 'set'
-> line 1, values.reading: must be a table such as { zip = "set" }, not text

values.separators = '-'
-> line 1, values.separators: must be a table such as { sex = "-" }, not text

[values]
reading.a = 'set'
separators.a = ''
-> line 3, values.separators.a: must be the text between the members of a set, not an empty text

[values]
separators."a b" = '-'
-> line 2, values.separators."a b": is valid only with reading = { "a b" = "set" }

[values]
separators.a = '-'
reading = { a = 'interval' }
-> line 2, values.separators.a: is valid only with reading = { a = "set" }

[values]
separators.a = '-'
reading = { a = 'sets' }
-> line 3, values.reading.a: cannot be 'sets'. Did you mean 'set'?

population = 'census.csv'
-> line 1, population: must be a table such as [population], not text

[population]
delimiter = ';'
-> line 1, population: needs file, size or sampling-fraction

population.file = 'no.csv'
-> line 1, population.file: the file 'F/no.csv' does not exist; a relative path starts in the folder of the policy

original.file = 'no.csv'
-> line 1, original.file: the file 'F/no.csv' does not exist; a relative path starts in the folder of the policy

original.file = 3
-> line 1, original.file: must be the name of a file, not a whole number

original.key = 'id'
-> line 1, original: needs file, the path of the original

[population]
file = 'voters.csv'
column = {}
-> line 3, population.column: there is no such key here. Did you mean 'columns'?

values.normalize = ['cases']
-> line 1, values.normalize, item 1: cannot be 'cases'. Did you mean 'case'?

values.normalize = ['case', 'case']
-> line 1, values.normalize, item 2: repeats item 1

conventions.quasi-identifiers = 'wild'
-> line 1, conventions.quasi-identifiers: cannot be 'wild'. Did you mean 'wildcard'?

conventions.suppressed-tuples = true
-> line 1, conventions.suppressed-tuples: must be one of 'exclude', 'include', not true or false

conventions.sensitive = 'onevalue'
-> line 1, conventions.sensitive: cannot be 'onevalue'. Did you mean 'one-value'?

conventions.inconclusive = 'fails'
-> line 1, conventions.inconclusive: cannot be 'fails'. Did you mean 'fail'?

[conventions]
wildcard-weight = 1.5
quasi-identifiers = 'wildcard'
-> line 2, conventions.wildcard-weight: must be a number from 0 to 1, not 1.5

[conventions]
wildcard-weight = nan
quasi-identifiers = 'wildcard'
-> line 2, conventions.wildcard-weight: must be a number from 0 to 1, not nan

[conventions]
quasi-identifiers = 'wildcard'
wildcard-weight = '1'
-> line 3, conventions.wildcard-weight: must be a number from 0 to 1, not text

[conventions]
quasi-identifiers = 'wildcard'
wildcard-weight = true
-> line 3, conventions.wildcard-weight: must be a number from 0 to 1, not true or false

conventions.wildcard-weight = 0.5
-> line 1, conventions.wildcard-weight: is valid only with quasi-identifiers = "wildcard"

[require]
rule-confidance = { below = 0.5 }
-> line 2, require.rule-confidance: there is no such model. Did you mean 'rule-confidence'?

require.k-anonymity = 5
-> line 1, require.k-anonymity: must be a table such as { k = ... }, not a whole number

require.k-anonymity = []
-> line 1, require.k-anonymity: must be a table such as { k = ... }, not a list

require.k-anonymity = {}
-> line 1, require.k-anonymity: requires nothing; give it k

[[require.k-anonymity]]
k = 2
[[require.k-anonymity]]
-> line 3, require.k-anonymity, item 2: requires nothing; give it k

require.l-diversity = { reading = 'joint' }
-> line 1, require.l-diversity: requires nothing; give it l

require.alpha-k-anonymity = {}
-> line 1, require.alpha-k-anonymity: requires nothing; give it alpha or k

require.recursive-c-l-diversity = { l = 3 }
-> line 1, require.recursive-c-l-diversity: requires nothing; give it c

require.k-anonymity = { kk = 5 }
-> line 1, require.k-anonymity.kk: there is no such key here. Did you mean 'k'?

require.t-closeness = { t = 0.1, scale = {} }
-> line 1, require.t-closeness.scale: there is no such key here. There are: 't', 'distance'.

require.extended-p-sensitive-k-anonymity = { p = 2, protected = {} }
-> line 1, require.extended-p-sensitive-k-anonymity.protected: there is no such key here. There are: 'p', 'k'.

[require.k-anonymity]
k = 0
-> line 2, require.k-anonymity.k: must be a whole number of at least 1, not 0

require.k-anonymity.k = true
-> line 1, require.k-anonymity.k: must be a whole number of at least 1, not True

require.k-anonymity.k = 2.0
-> line 1, require.k-anonymity.k: must be a whole number of at least 1, not 2.0

require.t-closeness.t = nan
-> line 1, require.t-closeness.t: must be a number at least 0 and at most 1, not nan

require.l-diversity = {l = 2, reading = ['each']}
-> line 1, require.l-diversity.reading: must be one of each, joint, others-known, not ('each',)

[require.p-sensitive-k-anonymity]
k = 3
p = 4
-> line 3, require.p-sensitive-k-anonymity.p: must be at most k, but p = 4 and k = 3

[require.extended-p-sensitive-k-anonymity]
k = 3
p = 4
-> line 1, require.extended-p-sensitive-k-anonymity: Condition 1: p must be at most k, but 4 > 3

hierarchies.illness = 'illness.csv'
-> line 1, hierarchies.illness: must be a table such as { file = "age.csv" }, not text

hierarchies.illness = {}
-> line 1, hierarchies.illness: a hierarchy needs exactly one of file, intervals, prefixes and icd-10; this hierarchy has none

hierarchies.age = { intervals = [5], prefixes = [2] }
-> line 1, hierarchies.age: a hierarchy needs exactly one of file, intervals, prefixes and icd-10; this hierarchy has intervals and prefixes

hierarchies.age = { intervals = [5], delimiter = ';' }
-> line 1, hierarchies.age.delimiter: is valid only with file

hierarchies.age = { prefixes = [5], origin = 1 }
-> line 1, hierarchies.age.origin: is valid only with intervals

hierarchies.age = { intervals = [] }
-> line 1, hierarchies.age.intervals: must be a list of widths, at least 1

hierarchies.age = { intervals = [5, inf] }
-> line 1, hierarchies.age.intervals, item 2: must be a number, not inf

hierarchies.age = { intervals = [5, '10'] }
-> line 1, hierarchies.age.intervals, item 2: must be a number, not text

hierarchies.age = { intervals = [5, 7] }
-> line 1, hierarchies.age.intervals: hierarchy 'age': the width 7 must be above 0 and a multiple of the width before it; otherwise it splits intervals.

hierarchies.age = { prefixes = [1.5] }
-> line 1, hierarchies.age.prefixes, item 1: must be a whole number, not a number

hierarchies.age = { prefixes = [true] }
-> line 1, hierarchies.age.prefixes, item 1: must be a whole number, not true or false

hierarchies.age = { prefixes = [1, 2] }
-> line 1, hierarchies.age.prefixes: hierarchy 'age': keep=[1, 2] must be decreasing and not below 0, and mask='*' must be one character.

hierarchies.illness = { file = 'no.csv' }
-> line 1, hierarchies.illness.file: the file 'F/no.csv' does not exist; a relative path starts in the folder of the policy

hierarchies.illness = { file = 'twice.csv' }
-> line 1, hierarchies.illness.file: F/twice.csv, lines 1, 2: hierarchy 'illness': several parents for 1 value. Give each value one parent: a group must lie inside one group of the next level.

hierarchies.illness = { file = 'empty.csv' }
-> line 1, hierarchies.illness.file: F/empty.csv: expected a line for each value, found none.

[hierarchies.illness]
file = 'illness.csv'
protected = [
'Infections',
'Neoplasm']
-> line 5, hierarchies.illness.protected, item 2: the hierarchy has no such value

hierarchies.illness = { file = 'illness.csv', max-generalization = ['Any'] }
-> line 1, hierarchies.illness.max-generalization, item 1: the hierarchy has no such value

attacks.linkag = {}
-> line 1, attacks.linkag: there is no such attack. Did you mean 'linkage'?

attacks.linkage = true
-> line 1, attacks.linkage: must be a table such as { allow-rate = 0.05 }, not true or false

attacks.linkage.allow-rate = 2
-> line 1, attacks.linkage.allow-rate: must be a number from 0 to 1, not 2

attacks.linkage.allow-rate = true
-> line 1, attacks.linkage.allow-rate: must be a number from 0 to 1, not true or false

attacks.linkage.allow_rate = 0
-> line 1, attacks.linkage.allow_rate: there is no such key here. Did you mean 'allow-rate'?

attacks.linkage.external = 'no.csv'
-> line 1, attacks.linkage.external: the file 'F/no.csv' does not exist; a relative path starts in the folder of the policy

attacks.linkage.identity = ['name']
-> line 1, attacks.linkage.identity: is valid only with external

[attacks.linkage]
external = 'voters.csv'
columns = { age = 5 }
-> line 3, attacks.linkage.columns.age: must be text, not a whole number

[attacks.linkage]
external = 'voters.csv'
columns = ['age']
-> line 3, attacks.linkage.columns: must be a table such as { age = "Age" }, not a list

attacks.homogeneity.external = 'voters.csv'
-> line 1, attacks.homogeneity.external: there is no such key here. There are: 'allow-rate'.

attacks.elimination.value = 1
-> line 1, attacks.elimination.value: there is no such key here. Did you mean 'values'?
"""


@pytest.mark.parametrize("case", MISTAKES.strip().split("\n\n"))
def test_a_mistake_is_reported_once_with_its_line_and_key(case: str, folder: Path) -> None:
    """Each case is a policy and, after the arrow, what is wrong with it (F: its folder)."""
    text, expected = case.split("\n-> ")
    (folder / "twice.csv").write_text("Flu;Cold\nFlu;Warm\n", encoding="utf-8")
    (folder / "empty.csv").write_text("", encoding="utf-8")
    # Hierarchies are for columns that play a part; say so without a section `columns`.
    if "hierarchies." in text and "columns" not in text:
        text += "\n[columns]\nsensitive = ['illness', 'age']"
    found = only_problem(text, folder)
    assert found.replace(str(folder), "F") == expected


def test_a_hierarchy_needs_a_column_that_plays_a_part() -> None:
    text = "[hierarchies]\nage = { prefixes = [1] }\nsexx = { prefixes = [0] }\n[columns]\nidentifiers = ['age']\nsensitive = ['sex']"
    assert problems(text) == (
        "line 2, hierarchies.age: the column is neither quasi-identifier nor sensitive. There are: 'sex'.",
        "line 3, hierarchies.sexx: the column is neither quasi-identifier nor sensitive. Did you mean 'sex'?",
    )
    assert only_problem("hierarchies.age = { prefixes = [1] }").endswith("There are none.")


def test_mistakes_in_columns_do_not_breed_others() -> None:
    text = "[columns]\nsensitive = 'age'\n[hierarchies]\nage = { prefixes = [1] }"
    assert only_problem(text).startswith("line 2, columns.sensitive: must be a list")
    text = "columns.identifiers = ['b', 'b', 'a']\ncolumns.sensitive = ['a']"
    assert only_problem(text) == "line 1, columns.identifiers, item 2: repeats item 1"
    text = "values.separators.a = '-'\nvalues.reading = 5"
    assert only_problem(text).startswith("line 2, values.reading: must be a table")
    text = "[conventions]\nquasi-identifiers = 'wildcart'\nwildcard-weight = 0.5"
    assert only_problem(text).startswith("line 2, conventions.quasi-identifiers: cannot be")


def test_a_hierarchy_file_is_not_read_where_its_format_is_wrong(folder: Path) -> None:
    text = "[columns]\nsensitive = ['i']\n[hierarchies.i]\nfile = 'illness.csv'\nencoding = 'utf8x'"
    assert only_problem(text, folder).startswith("line 5, hierarchies.i.encoding: there is no")


def test_text_that_an_encoding_cannot_read_is_a_mistake_of_the_file(tmp_path: Path) -> None:
    (tmp_path / "h.csv").write_bytes(b"xn--\xff;b\n")
    start = "[columns]\nsensitive = ['i']\n[hierarchies.i]\nfile = 'h.csv'\n"
    assert "line 4, hierarchies.i.file: " in only_problem(start, tmp_path)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read_is_a_mistake(folder: Path) -> None:
    (folder / "voters.csv").chmod(0)
    assert "cannot be opened: Permission denied" in only_problem(
        "release.file = 'voters.csv'", folder
    )


def test_parameters_are_refused_one_by_one() -> None:
    text = "[require.alpha-k-anonymity]\nalpha = 1.5\nk = 0"
    assert problems(text) == (
        "line 2, require.alpha-k-anonymity.alpha: must be a number at least 0 and at most 1, not 1.5",
        "line 3, require.alpha-k-anonymity.k: must be a whole number of at least 1, not 0",
    )


@dataclass(frozen=True)
class Banded:
    """A model whose parameters need one another, as no model of ours does."""

    name: ClassVar[str] = "banded"
    low: int | float | None = None
    high_end: int | None = None
    names: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        if self.high_end is not None and self.high_end > 9:
            raise ParameterError(f"high_end must be at most 9, not {self.high_end}")
        if self.low is not None and self.high_end is None:
            raise ParameterError("it needs high-end with low")


class WithBanded(Plugins[Any]):
    def __contains__(self, name: object) -> bool:
        return name == "banded" or super().__contains__(name)

    def __getitem__(self, name: str) -> Any:
        return Banded if name == "banded" else super().__getitem__(name)


@pytest.mark.parametrize(
    ("parameters", "problem"),
    [
        ("low = 1", ": it needs high-end with low"),
        ("low = 1, high-end = 10", ".high-end: must be at most 9, not 10"),
        ("names = ['a']", ": requires nothing; give it low or high-end"),
    ],
)
def test_models_check_their_parameters_together(
    parameters: str, problem: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A parameter that is refused by name does not make the others look wrong."""
    monkeypatch.setattr(policy_sections, "MODELS", WithBanded("anonaudit.models", "model", {}))
    assert (
        only_problem(f"require.banded = {{ {parameters} }}") == f"line 1, require.banded{problem}"
    )
    (requirement,) = parse_policy("require.banded = { low = 1, high-end = 9 }").requirements
    assert requirement.parameters == {"low": 1, "high_end": 9}


def test_every_use_of_a_model_is_checked() -> None:
    text = "[require]\nk-anonymity = [\n  { k = 2 },\n  { k = -1 },\n  5,\n  { kk = 1 },\n]"
    assert problems(text) == (
        "line 4, require.k-anonymity.k: must be a whole number of at least 1, not -1",
        "line 5, require.k-anonymity, item 3: must be a table such as { k = ... }, not a whole number",
        "line 6, require.k-anonymity.kk: there is no such key here. Did you mean 'k'?",
    )


def test_many_mistakes_are_reported_together_in_the_order_of_lines(tmp_path: Path) -> None:
    text = """\
[attacks]
linkage = { allow-rate = 2 }
homogenity = {}
[release]
file = "absent.csv"
[columns]
quasi-identifiers = ["age", "age"]
sensitive = "illness"
[values]
decimal = ";"
[conventions]
inconclusive = "maybe"
[hierarchies]
age = { prefixes = [0, 1] }
[require]
k-anonymity = { k = 0 }
l-diversity = {}
[reqire]
"""
    found = problems(text, tmp_path)
    places = [problem.partition(": ")[0] for problem in found]
    assert places == [
        "line 2, attacks.linkage.allow-rate",
        "line 3, attacks.homogenity",
        "line 7, columns.quasi-identifiers, item 2",
        "line 8, columns.sensitive",
        "line 10, values.decimal",
        "line 12, conventions.inconclusive",
        "line 14, hierarchies.age.prefixes",
        "line 16, require.k-anonymity.k",
        "line 17, require.l-diversity",
        "line 18, reqire",
    ]
    with pytest.raises(PolicyError, match="nightly: 10 mistakes in the policy") as caught:
        parse_policy(text, source="nightly", folder=tmp_path, attacks=ATTACKS)
    assert all(problem in str(caught.value) for problem in found)


def test_values_of_data_in_a_policy_are_not_quoted() -> None:
    secret = "Huntington"
    text = f"""\
[values]
missing = ["{secret}"]
suppressed = ["{secret}"]
ordered = {{ illness = ["{secret}", "{secret}"] }}
"""
    found = problems(text)
    assert len(found) == 2
    assert not any(secret in problem for problem in found)


# --- the release has what the policy names -------------------------------------------------------

COLUMNS = ["age", "zip", "sex", "illness", "severity", "income", "patient id", "w"]


def test_a_policy_fits_a_release_with_its_columns(folder: Path) -> None:
    policy = read_policy(folder / "policy.toml", attacks=ATTACKS)
    policy.check(COLUMNS)
    policy.check([*COLUMNS, "name", "another"])


def test_every_absent_column_is_reported_where_it_is_named(folder: Path) -> None:
    policy = read_policy(folder / "policy.toml", attacks=ATTACKS)
    with pytest.raises(PolicyError) as caught:
        policy.check(["Age", "code"])
    assert [problem.partition(": ")[0] for problem in caught.value.problems] == [
        "line 10, columns.quasi-identifiers, item 1",
        "line 11, columns.quasi-identifiers, item 2",
        "line 12, columns.quasi-identifiers, item 3",
        "line 14, columns.sensitive, item 1",
        "line 14, columns.sensitive, item 2",
        "line 14, columns.sensitive, item 3",
        "line 15, columns.unit",
        "line 16, columns.weight",
        "line 22, population.columns.sex",
        "line 28, values.numeric, item 1",
        "line 29, values.ordered.severity",
        "line 30, values.reading.zip",
        "line 30, values.reading.age",
        "line 31, values.separators.zip",
        "line 42, hierarchies.illness",
        "line 43, hierarchies.age",
        "line 44, hierarchies.zip",
        "line 69, attacks.linkage.columns.age",
    ]
    assert caught.value.problems[0].endswith("the release has no column 'age'. Did you mean 'Age'?")
    assert str(caught.value).startswith(f"{folder / 'policy.toml'}: 18 mistakes in the policy")


def test_missing_columns_are_told_with_other_mistakes(tmp_path: Path) -> None:
    """Both kinds in one error, in the order of lines, wherever the release can be opened."""
    (tmp_path / "release.csv").write_text("age;illness\n30;flu\n")
    (tmp_path / "policy.toml").write_text(
        "release = { file = 'release.csv', delimiter = ';' }\n"
        "columns = { quasi-identifiers = ['agee', 'sex'], sensitive = ['illness'] }\n"
        "require.k-anonymity = { k = 0 }\n"
        "require.l-diversty = { l = 2 }\n"
    )
    expected = ["line 2, columns.quasi-identifiers, item 1: the release has no column 'agee'"]
    expected += ["line 2, columns.quasi-identifiers, item 2: the release has no column 'sex'"]
    expected += [
        "line 3, require.k-anonymity",
        "line 4, require.l-diversty: there is no such model",
    ]
    table = pd.DataFrame({"age": ["30"], "illness": ["flu"]})
    for release in (None, tmp_path / "release.csv", table):
        with pytest.raises(PolicyError) as caught:
            anonaudit.audit(release, tmp_path / "policy.toml")
        problems = caught.value.problems
        assert len(problems) == 4
        assert all(map(str.startswith, problems, expected)), problems
    # Where the release cannot be opened, the policy's own mistakes are told all the same.
    (tmp_path / "release.csv").unlink()
    with pytest.raises(PolicyError) as caught:
        anonaudit.audit(tmp_path / "nowhere.csv", tmp_path / "policy.toml")
    assert [p.partition(",")[0] for p in caught.value.problems] == ["line 3", "line 4"]


def test_columns_are_asked_for_only_where_there_are_mistakes() -> None:
    def asked(_: Policy) -> list[str]:
        raise AssertionError

    assert parse_policy("columns.sensitive = ['a']", columns=asked).roles.sensitive == ("a",)
    with pytest.raises(AssertionError):
        parse_policy("colums.sensitive = ['a']", columns=asked)


def test_columns_named_after_reading_have_the_line_of_their_list(folder: Path) -> None:
    policy = read_policy(folder / "policy.toml", attacks=ATTACKS)
    roles = replace(policy.roles, quasi_identifiers=("age", "zip", "sex", "street"))
    with pytest.raises(PolicyError) as caught:
        replace(policy, roles=roles).check(COLUMNS)
    (problem,) = caught.value.problems
    assert problem.startswith("line 9, columns.quasi-identifiers, item 4: the release has no")


@pytest.mark.parametrize("rate", [0, 1, 0.5])
def test_every_rate_from_0_to_1_can_be_allowed(rate: float) -> None:
    (request,) = parse_policy(f"attacks.linkage.allow-rate = {rate}", attacks=ATTACKS).attacks
    assert request.allowed == rate
    assert isinstance(request.allowed, float)


def test_the_count_column_must_be_there() -> None:
    with pytest.raises(PolicyError, match=r"line 1, columns\.count: the release has no column 'n'"):
        parse_policy("columns.count = 'n'").check(["age"])


def test_options_make_a_policy_that_requires_nothing() -> None:
    policy = Policy.from_options(
        quasi_identifiers=("age", "zip"), sensitive=["illness"], identifiers=["name"], count="n"
    )
    assert policy == Policy(
        roles=Roles(("age", "zip"), ("illness",), ("name",), None, "n"), source="options"
    )
    assert Policy.from_options(unit="id").roles == Roles(unit="id")
    assert Policy.from_options() == Policy()
    assert Policy().inconclusive_allowed is False


def test_a_policy_for_another_release_is_the_same_but_for_that() -> None:
    text = "columns.sensitive = ['s']\nrequire.l-diversity = { l = 2 }\n"
    own = parse_policy(text + "release = { delimiter = ';', encoding = 'cp1252' }")
    assert own.release == TableFile(delimiter=";", encoding="cp1252")
    assert replace(own.without_release(), sha256=None) == replace(parse_policy(text), sha256=None)


def test_the_files_of_a_policy_are_files_only() -> None:
    """A table in memory is none, a text is one, and so is the file of a TableFile."""
    memory = pd.DataFrame({"a": ["x"]})
    policy = Policy(
        release=TableFile("r.csv"),
        population=PeopleFile(memory),
        attacks=(AttackRequest("composition", second=TableFile(memory)),),
    )
    policy = policy.linked_with(TableFile("v.csv", delimiter=";")).paired_with("o.csv")
    assert policy.files == tuple(map(Path, ("r.csv", "o.csv", "v.csv")))
    assert policy.read_beside == policy.files[1:]
    in_memory = policy.linked_with(memory).paired_with(memory)
    assert replace(in_memory, release=TableFile(memory)).files == (Path("v.csv"),)


@pytest.mark.parametrize("kind", [PeopleFile, OriginalFile])
def test_only_the_table_has_a_place(kind: Any) -> None:
    with pytest.raises(TypeError):
        kind("t.csv", ";")


def test_a_policy_is_a_value(folder: Path) -> None:
    """It cannot be changed, and where its keys stand is no part of it."""
    policy = read_policy(folder / "policy.toml", attacks=ATTACKS)
    assert replace(policy, lines={}) == policy
    assert "lines" not in repr(policy)
    for value in (policy, policy.attacks[0], policy.requirements[0], policy.hierarchies["age"]):
        with pytest.raises(FrozenInstanceError):
            value.source = "elsewhere"  # type: ignore[misc, union-attr]


def test_options_are_checked_like_a_file() -> None:
    with pytest.raises(PolicyError) as caught:
        Policy.from_options(
            quasi_identifiers="age",
            sensitive=["a", 5],  # type: ignore[list-item]
            identifiers=["b", "b"],
            unit="c",
            count="c",
        )
    assert caught.value.problems == (
        "columns.quasi-identifiers: must be a list of names, not text; put brackets around it",
        "columns.sensitive, item 2: must be text, not a whole number",
        "columns.identifiers, item 2: repeats item 1",
        "columns.count: column 'c' is in unit as well; a column can have one role only",
        (
            "columns.count: cannot be combined with unit: with count, one row counts for several "
            "records; with unit, one person has several rows. Remove one of the two"
        ),
    )
    with pytest.raises(PolicyError, match=r"columns\.unit: must be text, not a Fraction"):
        Policy.from_options(unit=Fraction(1))  # type: ignore[arg-type]


# --- files that are no policies ------------------------------------------------------------------


def test_a_byte_order_mark_and_windows_line_ends_are_read(folder: Path) -> None:
    file = folder / "policy.toml"
    data = codecs.BOM_UTF8 + FULL.replace("\n", "\r\n").encode()
    file.write_bytes(data)
    policy = read_policy(file, attacks=ATTACKS)
    assert policy.roles.unit == "patient id"
    assert policy.lines["columns", "unit"] == 15
    assert policy.sha256 == hashlib.sha256(data).hexdigest()


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b"\n# M\xfcller", "line 2: this is not UTF-8 text, which TOML must be; save it as UTF-8"),
        ("a = 1".encode("utf-16"), "line 1: this is not UTF-8 text, which TOML must be; save it as UTF-8"),
        (b"[columns]\nunit =", "line 2: this is not valid TOML: Invalid value (at the end)"),
        (b"[columns]\nunit = @\n", "line 2: this is not valid TOML: Invalid value (column 8)"),
        (b"age,zip\n1,2\n", "line 1: this is not valid TOML: "),
        (b"unit = 1\r\n\r\nunit = 2", "line 3: this is not valid TOML: "),
    ],
)  # fmt: skip
def test_a_file_that_is_no_toml_is_a_policy_error_with_its_line(
    data: bytes, problem: str, tmp_path: Path
) -> None:
    file = tmp_path / "policy.toml"
    file.write_bytes(data)
    with pytest.raises(PolicyError) as caught:
        read_policy(file)
    (found,) = caught.value.problems
    assert found.startswith(problem)
    assert str(caught.value).startswith(f"{file}: 1 mistake in the policy")


def test_a_file_that_cannot_be_read_is_an_input_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no\.toml: the policy cannot be read: No such file"):
        read_policy(tmp_path / "no.toml")
    with pytest.raises(InputError, match="expected a policy file, but this is a folder"):
        read_policy(tmp_path)
    with pytest.raises(InputError, match="the policy cannot be read: embedded null byte"):
        read_policy("a\0b")


def test_a_file_too_long_for_a_policy_is_not_read(tmp_path: Path) -> None:
    file = tmp_path / "release.csv"
    file.write_bytes(b"#" * policy_module.LONGEST_FILE)
    assert read_policy(file).requirements == ()
    file.write_bytes(b"#" * (policy_module.LONGEST_FILE + 1))
    with pytest.raises(InputError, match=r"more than 1048576 bytes\. Is it the release\?"):
        read_policy(file)


# --- lines ---------------------------------------------------------------------------------------

LINES = '''\
top = 1 # = 5
a.b."c.d" = { x = 1, "y z" = [1, { w = 2 }] }
'lit\\eral'."esc\\u0061pe" = "]}#"

[t.u]
long = """
[no.table]
fake = 1 \\""" ""
""""" # two quotes more
raw = \'\'\'
k = '' 2\'\'\'
list = [ # comment ]
  1, 2020-01-02 03:04:05,

  "x,]", [
    3],
]
[[t.array]]
one = -1.5e3
[[t.array]]
[t.array.sub]
[[t.array.inner]]
[[t.array.inner]]
n = inf
[ spaced . "out" ]
q={}
'''


def test_every_key_and_item_has_its_line() -> None:
    content, lines = load(LINES)
    expected = {
        ("top",): 1,
        ("a",): 2,
        ("a", "b"): 2,
        ("a", "b", "c.d"): 2,
        ("a", "b", "c.d", "x"): 2,
        ("a", "b", "c.d", "y z"): 2,
        ("a", "b", "c.d", "y z", 0): 2,
        ("a", "b", "c.d", "y z", 1): 2,
        ("a", "b", "c.d", "y z", 1, "w"): 2,
        ("lit\\eral",): 3,
        ("lit\\eral", "escape"): 3,
        ("t",): 5,
        ("t", "u"): 5,
        ("t", "u", "long"): 6,
        ("t", "u", "raw"): 10,
        ("t", "u", "list"): 12,
        ("t", "u", "list", 0): 13,
        ("t", "u", "list", 1): 13,
        ("t", "u", "list", 2): 15,
        ("t", "u", "list", 3): 15,
        ("t", "u", "list", 3, 0): 16,
        ("t", "array"): 18,
        ("t", "array", 0): 18,
        ("t", "array", 0, "one"): 19,
        ("t", "array", 1): 20,
        ("t", "array", 1, "sub"): 21,
        ("t", "array", 1, "inner"): 22,
        ("t", "array", 1, "inner", 0): 22,
        ("t", "array", 1, "inner", 1): 23,
        ("t", "array", 1, "inner", 1, "n"): 24,
        ("spaced",): 25,
        ("spaced", "out"): 25,
        ("spaced", "out", "q"): 26,
    }
    assert lines == expected
    assert set(paths(content)) == set(expected)


def paths(value: Any, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    """Every path in a content."""
    inner = list(value.items()) if isinstance(value, dict) else []
    inner = list(enumerate(value)) if isinstance(value, list) else inner
    return ([path] if path else []) + [p for key, x in inner for p in paths(x, (*path, key))]


@pytest.mark.parametrize(
    ("text", "line", "problem"),
    [
        ("\na = " + "[" * 16 + "1" + "]" * 16, 2, "nested too deeply"),
        ("\n\na = " + "[" * 30_000, 3, "nested too deeply"),
        ("a = " + "{b = " * 30_000, 1, "nested too deeply"),
        ("\n" + ".".join("a" * 17) + " = 1", 2, "nested too deeply"),
        ("\nb = 1\na" + ".a" * 100_000 + " = 1", 3, "nested too deeply"),
        ("[[a" + ' . "a"' * 100_000 + "]]", 1, "nested too deeply"),
        ("x = { a" + ".'a'" * 100_000 + " = 1 }", 1, "nested too deeply"),
        ("\n[" + ".".join("a" * 17) + "]", 2, "nested too deeply"),
        ("\na = " + "9" * 5000, 2, "too many digits"),
        ("a = [1,\n9223372036854775808]", 2, "64 bits"),
        ("a = 0x" + "f" * 9000, 1, "64 bits"),
        ("a.b = -9223372036854775809", 1, "64 bits"),
    ],
)
def test_texts_that_no_policy_needs_are_refused(text: str, line: int, problem: str) -> None:
    with pytest.raises(TomlError, match=problem) as caught:
        load(text)
    assert caught.value.line == line


def test_the_longest_numbers_and_the_deepest_nesting_that_are_read() -> None:
    content, _ = load("a = [9223372036854775807, -9223372036854775808]")
    assert content == {"a": [2**63 - 1, -(2**63)]}
    load("a = " + "[" * 15 + "1" + "]" * 15)
    load(".".join("a" * 16) + " = 1")


# --- fuzzing -------------------------------------------------------------------------------------


def accepts_or_refuses(text: str, folder: Path | None = None) -> Policy | None:
    """Any text is a policy, or has mistakes with lines; no other error is raised."""
    try:
        return parse_policy(text, folder=folder, attacks=ATTACKS)
    except PolicyError as error:
        found = error.problems
    lines = [re.match(r"line (\d+)[,:] ", problem) for problem in found]
    assert lines
    assert all(line is not None and 1 <= int(line[1]) <= text.count("\n") + 1 for line in lines)
    return None


@given(st.text() | st.text("[]{}=.,#\"'\\\n\r\t ab-_0:"))
def test_any_text_is_a_policy_or_refused_with_a_line(text: str) -> None:
    accepts_or_refuses(text)


@given(
    st.integers(0, len(FULL)),
    st.integers(0, 40),
    st.text("[]{}=.,#\"'\\\n ", max_size=4)
    | st.sampled_from(["true", "[]", "{}", "nan", "-1", "k"]),
)
def test_a_damaged_policy_is_a_policy_or_refused_with_a_line(at: int, cut: int, put: str) -> None:
    accepts_or_refuses(FULL[:at] + put + FULL[at + cut :])


WORDS = sorted(
    set(re.findall(r"[A-Za-z-]+|\*", FULL)) | {*ATTACKS, *MODELS, "", ".", "é\u202e", "a b"}
)
VALUES = st.recursive(
    st.sampled_from(WORDS)
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats()
    | st.sampled_from([0, 1, 2, 0.5]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(WORDS), inner, max_size=4)
    ),
    max_leaves=8,
)
SECTIONS = (
    "release",
    "columns",
    "values",
    "conventions",
    "population",
    "hierarchies",
    "require",
    "attacks",
)
KEYS = {
    "release": ("file", "delimiter", "encoding"),
    "columns": ("identifiers", "quasi-identifiers", "sensitive", "unit", "count"),
    "values": (
        "missing",
        "suppressed",
        "decimal",
        "numeric",
        "ordered",
        "reading",
        "separators",
        "normalize",
    ),
    "conventions": ("quasi-identifiers", "wildcard-weight", "suppressed-tuples", "sensitive"),
    "population": ("file", "columns", "delimiter"),
    "hierarchies": ("age", "illness"),
    "require": tuple(MODELS),
    "attacks": tuple(ATTACKS),
}
INNER_KEYS = (
    "file", "intervals", "origin", "prefixes", "protected", "max-generalization", "k", "p", "l",
    "c", "t", "alpha", "distance", "reading", "external", "identity", "columns", "allow-rate",
    "values", "delimiter", "encoding",
)  # fmt: skip
POLICIES = st.one_of(
    st.dictionaries(
        st.sampled_from(KEYS[section]),
        VALUES | st.dictionaries(st.sampled_from(INNER_KEYS), VALUES, max_size=4),
        max_size=3,
    ).map(lambda content, section=section: {section: content})
    for section in SECTIONS
)


def quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def toml(value: Any) -> str:
    """A value as TOML writes it, with line ends in lists."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{quoted(k)} = {toml(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",\n".join(map(toml, value)) + "]"
    if isinstance(value, str):
        return quoted(value)
    return str(value).lower() if isinstance(value, bool) else repr(value)


def written(content: dict[str, Any]) -> str:
    return "".join(f"{quoted(key)} = {toml(value)}\n" for key, value in content.items())


@given(POLICIES)
def test_any_content_is_a_policy_or_refused_with_a_line(content: dict[str, Any]) -> None:
    accepts_or_refuses(written(content), Path(os.devnull))


@given(st.dictionaries(st.text(), VALUES, max_size=5))
def test_every_path_of_any_content_has_a_line(content: dict[str, Any]) -> None:
    text = written(content)
    read, lines = load(text)
    assert repr(read) == repr(content)  # repr, for nan is not itself
    assert set(lines) == set(paths(content))
    line = 1
    for key, value in content.items():
        assert lines[key,] == line
        line += toml(value).count("\n") + 1
    assert all(1 <= found < line for found in lines.values())


NAMES = st.lists(st.text(), unique=True, max_size=8)


@given(NAMES, st.integers(0, 8), st.integers(0, 8))
def test_columns_of_any_name_are_read_and_missed_at_their_lines(
    names: list[str], first: int, second: int
) -> None:
    """Three lists with a name a line; a release without columns lacks all but identifiers."""
    first, second = sorted((first, second))
    lists = {
        "quasi-identifiers": names[:first],
        "sensitive": names[first:second],
        "identifiers": names[second:],
    }
    text, where = "[columns]\n", []
    for key, columns in lists.items():
        text += f"{key} = [\n"
        for name in columns:
            where += [text.count("\n") + 1] if key != "identifiers" else []
            text += f"  {quoted(name)},\n"
        text += "]\n"
    policy = parse_policy(text)
    assert policy.roles == Roles(*map(tuple, lists.values()))
    policy.check(names)
    policy.check(names[:second])
    if where:
        with pytest.raises(PolicyError) as caught:
            policy.check([])
        assert [int(p.split(",")[0].removeprefix("line ")) for p in caught.value.problems] == where


def test_a_unit_column_that_the_masker_dropped_says_how_to_count_rows():
    """What the message says to remove is enough: the rest of the policy can be checked."""
    lines = ['columns.quasi-identifiers = ["age"]', 'columns.unit = "id"']
    dropped = 'masking.unit-in-release = "dropped"'
    with pytest.raises(PolicyError, match=r"remove columns\.unit and masking\.unit-in-release"):
        parse_policy("\n".join([*lines, dropped])).check(["age"])
    with pytest.raises(PolicyError) as plain:
        parse_policy("\n".join(lines)).check(["age"])
    assert "dropped" not in str(plain.value)
    parse_policy(lines[0]).check(["age"])
