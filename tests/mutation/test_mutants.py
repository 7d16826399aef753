"""The changes that mutation testing makes, listed by hand for small pieces of code."""

import sys
import tomllib
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest
from mutation import forked
from mutation.forked import UnimportableError, put_in_place
from mutation.mutants import mutants

from anonaudit.masking.recoding import NotAchievableError
from anonaudit.masking.task import Algorithm
from anonaudit.models import KAnonymity, LDiversity
from anonaudit.models.level import real_number
from anonaudit.models.p_sensitive import max_groups

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize(
    ("line", "changes"),
    [
        ("return a < b", {"return a <= b"}),
        ("return a + 1", {"return a - 1", "return a + 2"}),
        ("return a and not b", {"return a or not b", "return a and b"}),
        ("return f(a, key=True)", {"return f(a)", "return f(a, key=False)"}),
        ("return a if b else c", {"return a", "return c"}),
        ("return [x for x in a if x]", {"return [x for x in a]"}),
        ("return a.min()", {"return a.max()"}),
        ("a += b", {"a -= b", "a = b"}),
        ("f(a)", {"pass"}),
        ("super().f(a)", {"super"}),
        ("if a: return b", {"if False:"}),
        ("return a['name']", {"return a['XXnameXX']"}),
        ("return 'a sentence'", set()),
        ("return f'{a + 1}'", set()),
        ("raise ValueError(a + 1)", set()),
        ("a: 'int' = b", set()),
        ("return zip(a, b, strict=True)", set()),
    ],
)
def test_changes_of_one_statement(line: str, changes: set[str]) -> None:
    found = list(mutants(f"def g(a, b, c):\n    '''Text.'''\n    {line}\n"))
    assert {m.now for m in found} == changes
    assert all((m.where, m.lines) == ("g", range(3, 4)) for m in found)


def test_defaults_and_constants_are_changed_too() -> None:
    source = "MOST = 3\nclass C:\n    k: int = 1\n    def f(self, x=0): return x\n"
    assert [(m.where, m.now) for m in mutants(source)] == [
        ("", "MOST = 4"), ("C", "k: int = 2"), ("C.f", "def f(self, x=1):"),
    ]  # fmt: skip


def test_members_of_an_enum_are_not_changed() -> None:
    source = "class C(enum.StrEnum):\n    A = 'a'\n    def f(self): return 1\n"
    assert [(m.where, m.now) for m in mutants(source)] == [("C.f", "return 2")]


def test_constants_that_are_set_together_are_changed_together(monkeypatch) -> None:
    """In a module made for this; another module holds the second."""
    module, other = ModuleType("anonaudit.two_constants"), ModuleType("anonaudit.their_reader")
    source = "FIRST, SECOND = 'a', 'b'\n"
    exec(source, vars(module))
    other.SECOND = module.SECOND
    for one in (module, other):
        monkeypatch.setitem(sys.modules, one.__name__, one)
    mutant = next(m for m in mutants(source) if "XXbXX" in m.now)
    put_in_place("anonaudit/two_constants.py", source, mutant)
    assert (module.FIRST, module.SECOND, other.SECOND) == ("a", "XXbXX", "XXbXX")


def test_a_call_of_super_can_be_dropped() -> None:
    """The constructor of an error, whose text is then missing."""
    file = "anonaudit/masking/recoding.py"
    source = (ROOT / file).read_text("utf-8")
    mutant = next(m for m in mutants(source) if m.now == "super")
    original = NotAchievableError.__init__.__code__
    try:
        put_in_place(file, source, mutant)
        assert "not achievable" not in str(NotAchievableError("no rows", reason="k"))
    finally:
        NotAchievableError.__init__.__code__ = original


def test_a_mutant_compiles_with_its_change_alone() -> None:
    source = "def f(a):\n    return a < 1\n"
    scopes: list[dict] = [{} for _ in mutants(source)]
    for scope, mutant in zip(scopes, mutants(source), strict=True):
        exec(compile(mutant.applied(source), "f", "exec"), scope)
    assert [(scope["f"](1), scope["f"](0)) for scope in scopes] == [(True, True), (True, True)]
    assert [scope["f"](1.5) for scope in scopes] == [False, True]


def test_whoever_holds_the_original_gets_the_mutant() -> None:
    """max_groups, imported above before the change, answers as the changed one does."""
    file = "anonaudit/models/p_sensitive.py"
    source = (ROOT / file).read_text("utf-8")
    mutant = next(m for m in mutants(source) if m.where == "max_groups" and "max(" in m.now)
    original = max_groups.__code__
    try:
        put_in_place(file, source, mutant)
        assert "max" in max_groups.__code__.co_names
    finally:
        max_groups.__code__ = original


def test_a_default_of_a_dataclass_is_changed_for_who_leaves_it_out(monkeypatch) -> None:
    file = "anonaudit/models/l_diversity.py"
    source = (ROOT / file).read_text("utf-8")
    changes = [m for m in mutants(source) if m.where == "LDiversity" and "XXeachXX" in m.now]
    init = LDiversity.__init__
    monkeypatch.setattr(LDiversity, "reading", "each")
    monkeypatch.setattr(init, "__defaults__", init.__defaults__)
    put_in_place(file, source, changes[0])
    with pytest.raises(Exception, match="XXeachXX"):
        LDiversity()
    assert KAnonymity().k is None


def test_a_default_that_is_given_by_name_alone_is_changed_too(monkeypatch) -> None:
    file = "anonaudit/masking/task.py"
    source = (ROOT / file).read_text("utf-8")
    mutant = next(m for m in mutants(source) if m.where == "Algorithm")
    monkeypatch.setattr(Algorithm, "every_hierarchy", False)
    monkeypatch.setitem(Algorithm.__init__.__kwdefaults__, "every_hierarchy", False)
    put_in_place(file, source, mutant)
    one = Algorithm(name="x", run=lambda task: None, lacks=frozenset(), bytes_a_cell=1)
    assert one.every_hierarchy


def test_a_default_that_cannot_be_computed_is_seen_on_import() -> None:
    """float("XXinfXX") is no number."""
    file = "anonaudit/models/level.py"
    source = (ROOT / file).read_text("utf-8")
    mutant = next(m for m in mutants(source) if "XXinfXX" in m.now and "def " in m.now)
    original = real_number.__code__
    try:
        with pytest.raises(UnimportableError):
            put_in_place(file, source, mutant)
    finally:
        real_number.__code__ = original


@pytest.mark.parametrize(
    ("fails", "expected"),
    [
        # Which tests fail, in the order they are run, on the mutant and on the original.
        (lambda mutant, names: names[-1] == "b" and mutant, ("killed", "b")),
        (lambda mutant, names: names[-1] == "a" or (names[-1] == "b" and mutant), ("killed", "b")),
        (lambda mutant, names: names[-1] == "a", ("survived", "")),
        (lambda mutant, names: names == ["a", "b"], ("survived", "")),
        (lambda mutant, names: names == ["a", "b"] or names[-1] == "c", ("survived", "")),
        (lambda mutant, names: False, ("survived", "")),
    ],
    ids=["sees it", "one fails always", "only that", "after another", "both", "none"],
)
def test_a_kill_counts_if_the_test_passes_on_the_original(monkeypatch, fails, expected) -> None:
    """By itself, that is, and fails by itself on the mutant."""

    def in_a_fork(items, reach, change) -> tuple[str, str]:
        mutant = bool(change())
        names = [item.nodeid for item in items]
        ran = [names[: n + 1] for n in range(len(names))]
        return next((("killed", r[-1]) for r in ran if fails(mutant, r)), ("survived", ""))

    monkeypatch.setattr(forked, "_in_a_fork", in_a_fork)
    monkeypatch.setattr(forked, "put_in_place", lambda *_: True)
    monkeypatch.setattr(forked, "_SOUND", {})
    items = [SimpleNamespace(nodeid=name) for name in "abc"]
    assert forked.outcome("attacks/shared.py", "", None, items, None) == expected


@pytest.mark.long
def test_every_survivor_is_a_mutant_and_has_a_reason() -> None:
    listed = tomllib.loads((ROOT / "tests/mutation/survivors.toml").read_text("utf-8"))["survivor"]
    every = {
        (file, m.where, m.was, m.now)
        for file in {entry["file"] for entry in listed}
        for m in mutants((ROOT / file).read_text("utf-8"))
    }
    for entry in listed:
        assert (entry["file"], entry["where"], entry["was"], entry["now"]) in every
        assert len(entry["reason"]) > 20
