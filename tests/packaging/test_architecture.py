"""ARCHITECTURE.md shows the layers that are enforced, and every package that there is."""

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "ARCHITECTURE.md").read_text("utf-8")
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


def test_every_file_it_names_is_there():
    rooms = PAGE.partition("## Rooms")[2].partition("## Layers")[0]
    for packages, text in re.findall(r"^\| (`.*?) \| (.*) \|$", rooms, re.MULTILINE):
        folders = [ROOT / "anonaudit" / name for name in re.findall(r"`([\w/.]+)`", packages)]
        assert any(folder.exists() for folder in folders), packages
        for name in re.findall(r"`(\w+\.py|\w+/)`", text):
            assert any((folder / name).exists() for folder in folders), f"{packages}: {name}"


def is_module(path):
    return path.suffix == ".py" or (path / "__init__.py").exists()
