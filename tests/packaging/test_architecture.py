"""ARCHITECTURE.md shows the layers that are enforced, and names every package and module on top."""

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "ARCHITECTURE.md").read_text("utf-8")
ROOMS = PAGE.partition("## Rooms")[2].partition("## Layers")[0]
ROWS = re.findall(r"^\| (`.*?) \| (.*) \|$", ROOMS, re.MULTILINE)
OUTSIDE = ROOMS.rpartition("|\n")[2]
CONTRACTS = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]


def test_the_layers_shown_are_those_that_are_enforced():
    (layers,) = (c["layers"] for c in CONTRACTS["contracts"] if c["type"] == "layers")
    shown = re.search(r"## Layers\n.*?```\n(.*?)```", PAGE, re.DOTALL)[1].splitlines()
    assert shown == layers


def test_every_module_is_in_a_layer():
    (layers,) = (c["layers"] for c in CONTRACTS["contracts"] if c["type"] == "layers")
    named = {name for layer in layers for name in layer.split(" | ")}
    there = {path.stem for path in (ROOT / "anonaudit").iterdir() if is_module(path)}
    assert named == there - {"__init__", "__main__"}


def test_every_package_has_a_row_and_every_module_on_top_is_named():
    named = {name for packages, _ in ROWS for name in re.findall(r"`([\w/.]+)`", packages)}
    named |= {*re.findall(r"`(\w+\.py)`", OUTSIDE)}
    there = {path.name for path in (ROOT / "anonaudit").iterdir() if is_module(path)}
    assert named == {*there - {"__init__.py"}, "attacks/"}


def test_it_counts_the_modules_outside_the_packages():
    modules = {path.name for path in (ROOT / "anonaudit").glob("*.py")} - {"__init__.py"}
    in_the_table = [name for packages, _ in ROWS for name in re.findall(r"`(\w+\.py)`", packages)]
    told = re.search(r"(\w+) modules lie outside the packages\. (\w+) are in the table", OUTSIDE)
    assert (len(modules), len(in_the_table)) == (18, 4)
    assert told.groups() == ("Eighteen", "Four")


def test_every_file_it_names_is_there():
    for packages, text in ROWS:
        folders = [ROOT / "anonaudit" / name for name in re.findall(r"`([\w/.]+)`", packages)]
        assert any(folder.exists() for folder in folders), packages
        for name in re.findall(r"`(\w+\.py|\w+/)`", text):
            assert any((folder / name).exists() for folder in folders), f"{packages}: {name}"


def is_module(path):
    return path.suffix == ".py" or (path / "__init__.py").exists()
