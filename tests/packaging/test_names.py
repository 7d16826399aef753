"""A name means one thing: ARCHITECTURE.md, "One name, one meaning".

Names with an underscore belong to their file. `papers/` is named by the papers: `table1`, `thm2`.
"""

import ast
from collections import defaultdict
from pathlib import Path

import anonaudit

ROOT = Path(anonaudit.__file__).parent.parent
FILES = sorted(
    file for folder in ("anonaudit", "attacks") for file in (ROOT / folder).rglob("*.py")
)

# The same in every file by design.
INTERFACES = {
    "ALGORITHM",  # every masker describes itself
    "MODELS",  # plugins.MODELS, with its type
    "T",
    "to_json",  # to_...: a result as a document
    "to_markdown",
    "to_sarif",
    "to_text",
}
COMMANDS = {"audit.py", "datasets.py", "profile.py"}  # in cli/: the command of a thing


def public_names(source):
    """The functions, classes and constants at the top of a module, without an underscore."""
    names = set()
    for node in ast.parse(source).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names |= {
                part.id
                for target in targets
                for part in ast.walk(target)
                if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)
            }
    return {name for name in names if not name.startswith("_")}


def shared(names_by_file):
    """The names of several files, with the files."""
    files = defaultdict(list)
    for file, names in names_by_file.items():
        for name in names:
            files[name].append(file)
    return {name: where for name, where in sorted(files.items()) if len(where) > 1}


def test_a_public_name_stands_in_one_module():
    names = {
        str(file.relative_to(ROOT)): public_names(file.read_text("utf-8")) - INTERFACES
        for file in FILES
        if "papers" not in file.parts
    }
    assert sum(map(len, names.values())) > 1000
    assert shared(names) == {}


def test_files_of_one_name_are_a_command_and_its_thing_or_of_one_paper():
    names = {
        str(file.parent.relative_to(ROOT)): {
            other.name for other in file.parent.glob("*.py") if other.name != "__init__.py"
        }
        for file in FILES
        if "papers" not in file.parts
    }
    assert {name: len(where) for name, where in shared(names).items()} == dict.fromkeys(COMMANDS, 2)
    assert all("anonaudit/cli" in shared(names)[name] for name in COMMANDS)


def test_a_second_meaning_would_be_seen():
    one = public_names("class Rule: ...\ndef judge(): ...\n_GAP = 1\nA: int = 2\nB = C = 3\n")
    assert one == {"Rule", "judge", "A", "B", "C"}
    assert public_names("(D, E) = (1, 2)\nD.x = 3\n") == {"D", "E"}
    assert shared({"one.py": one, "two.py": {"judge"}}) == {"judge": ["one.py", "two.py"]}
