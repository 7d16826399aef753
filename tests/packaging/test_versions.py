"""A version stands in several files, and is the same in all; so is what docs/versioning.md says."""

import re
import tomllib

import pytest
from conftest import ROOT

import anonaudit
from anonaudit.report.json import SCHEMA_VERSION

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
PAGE = (ROOT / "docs" / "versioning.md").read_text("utf-8")


def test_one_version() -> None:
    assert PROJECT["dynamic"] == ["version"]  # which is read from anonaudit/version.py
    citation = (ROOT / "CITATION.cff").read_text("utf-8")
    cited = re.search(r"^version: (\S+)$", citation, re.MULTILINE)
    assert cited is not None
    assert cited[1] == anonaudit.__version__
    dated = re.search(r"^date-released: (\S+)$", citation, re.MULTILINE)
    assert dated is not None
    changes = (ROOT / "CHANGELOG.md").read_text("utf-8")
    sections = re.findall(r"^## (.*)$", changes, re.MULTILINE)
    released = [section for section in sections if section != "Unreleased"]
    assert released[0] == f"{anonaudit.__version__} ({dated[1]})"
    installed = re.findall(r"anonaudit-([\d.]+)-py3", (ROOT / "docs" / "ci.md").read_text("utf-8"))
    assert {*installed} == {anonaudit.__version__}


def test_the_contract_names_what_there_is() -> None:
    assert f'now `"{SCHEMA_VERSION}"`' in PAGE
    assert f"Python {PROJECT['requires-python'].removeprefix('>=')} or newer" in PAGE
    for name in anonaudit.__all__:
        assert getattr(anonaudit, name) is not None


def test_every_python_of_the_classifiers_is_tested() -> None:
    path = ROOT / ".github" / "workflows" / "pythons.yml"
    if not path.exists():
        pytest.skip("workflows are no part of a source distribution")
    matrices = re.findall(r"python: \[(.*)\]", path.read_text("utf-8"))
    told = re.findall(r"Python :: (3\.\d+)", "\n".join(PROJECT["classifiers"]))
    assert told
    for matrix in matrices:
        assert set(told) <= set(re.findall(r"3\.\d+", matrix))
