"""What happens in a fork of the process that has collected the tests."""

import ast
import gc
import json
import os
import resource
import signal
import sys
import time
import types
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from mutation.mutants import Mutant

ROOT = Path(__file__).resolve().parents[2]
MEMORY = 6 << 30  # bytes; a mutant that fills the memory is killed
BROKEN = 2  # exit code of a fork that could not put its mutant in place


class UnimportableError(Exception):
    """A module with this constant, or this default, could not even be imported."""


class Reach:
    """The lines that each test reaches, and its seconds."""

    def __init__(self, of_test: dict[str, dict]) -> None:
        self.seconds = {test: found["seconds"] for test, found in of_test.items()}
        self.lines = {test: found["lines"] for test, found in of_test.items()}
        self.width = {test: sum(map(len, lines.values())) for test, lines in self.lines.items()}

    def covering(
        self, file: str, mutant: Mutant, most: float, kills: Mapping[str, int]
    ) -> list[str]:
        """The tests that reach the mutant, as long as `most` seconds suffice.

        First those that promise most a second: that have killed much (`kills`) and reach little
        else.
        What stands outside functions is run when it is imported: then all tests of the modules
        that have a test which reaches the file, and those that reach no function at all.
        """
        if mutant.function is None:
            near = {test.split("::")[0] for test, lines in self.lines.items() if file in lines}
            tests = [
                test
                for test, lines in self.lines.items()
                if not lines or test.split("::")[0] in near
            ]
        else:
            tests = [
                test
                for test, lines in self.lines.items()
                if any(line in mutant.lines for line in lines.get(file, ()))
            ]
        chosen, spent = [], 0.0

        def promise(test: str) -> float:
            return (1 + kills.get(test, 0)) / (1 + self.width[test]) / (0.02 + self.seconds[test])

        for test in sorted(tests, key=promise, reverse=True):
            if spent + self.seconds[test] <= most:
                spent += self.seconds[test]
                chosen.append(test)
        return chosen


class Verdicts:
    """A pytest plugin that notes which tests did not pass."""

    def __init__(self) -> None:
        self.failed = self.passed = False

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.failed |= report.failed
        self.passed |= report.passed and report.when == "call"


def run(item: pytest.Item, following: pytest.Item | None) -> Verdicts:
    """One test; what it says goes nowhere."""
    verdicts = Verdicts()
    plugins = item.config.pluginmanager
    plugins.register(verdicts)
    item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
    plugins.unregister(verdicts)
    return verdicts


def reached(items: Sequence[pytest.Item], packages: list[str]) -> Iterator[tuple[str, dict]]:
    """Run these tests, in a fork, for the lines they reach."""
    told, tell = os.pipe()
    if os.fork():
        os.close(tell)
        answers = 0
        with os.fdopen(told, encoding="utf-8") as pipe:
            for line in pipe:
                answers += 1
                yield tuple(json.loads(line))
        os.wait()
        if answers < len(items):
            raise RuntimeError(f"stopped at {items[answers].nodeid}")
        return
    import coverage  # an extra, which only measuring needs

    _silence()
    try:
        with os.fdopen(tell, "w", encoding="utf-8") as pipe:
            for item, following in zip(items, [*items[1:], None], strict=True):
                cover = coverage.Coverage(data_file=None, source=packages, config_file=False)
                cover.set_option("run:disable_warnings", ["no-data-collected"])
                start = time.process_time()
                cover.start()
                verdicts = run(item, following)
                cover.stop()
                found = {
                    "seconds": time.process_time() - start,
                    "passed": verdicts.passed and not verdicts.failed,
                    "lines": dict(_lines_in(cover.get_data())),
                }
                print(json.dumps([item.nodeid, found]), file=pipe, flush=True)
    finally:
        os._exit(0)


def _lines_in(data: Any) -> Iterator[tuple[str, list[int]]]:
    for path in data.measured_files():
        if lines := data.lines(path):
            yield Path(path).relative_to(ROOT).as_posix(), sorted(lines)


def _silence() -> None:
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)


def outcome(
    file: str, source: str, mutant: Mutant, items: list[pytest.Item], reach: Reach
) -> tuple[str, str]:
    """Whether the tests see the change: "killed", "timed out" or "survived"; and who saw it.

    A test saw it that fails by itself on the mutant, and passes by itself on the original: one
    that failed for what ran before it proves nothing, and the others are asked.
    """
    _functions(module_of(file).__file__)  # once, before the fork

    def tried(items: list[pytest.Item]) -> tuple[str, str]:
        return _in_a_fork(items, reach, lambda: put_in_place(file, source, mutant))

    while True:
        state, seer = tried(items)
        alone = [item for item in items if item.nodeid == seer]
        if not alone or (
            (alone[0] is items[0] or tried(alone)[0] != "survived")
            and _passes_on_the_original(alone[0], reach)
        ):
            return state, seer
        items = [item for item in items if item is not alone[0]]


_SOUND: dict[str, bool] = {}


def _passes_on_the_original(item: pytest.Item, reach: Reach) -> bool:
    if item.nodeid not in _SOUND:
        _SOUND[item.nodeid] = _in_a_fork([item], reach, lambda: None)[0] == "survived"
    return _SOUND[item.nodeid]


def _in_a_fork(
    items: list[pytest.Item], reach: Reach, change: Callable[[], None]
) -> tuple[str, str]:
    """Run the tests after the change until one does not pass: how it ended, and the last begun."""
    told, tell = os.pipe()
    if pid := os.fork():
        os.close(tell)
        with os.fdopen(told) as pipe:
            begun = pipe.read().splitlines()
        status = os.waitpid(pid, 0)[1]
        if os.WIFEXITED(status) and os.WEXITSTATUS(status) == BROKEN:
            raise RuntimeError("cannot put the mutant in place")
        if status == 0:
            return "survived", ""
        timed_out = os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGPROF
        return ("timed out" if timed_out else "killed"), begun[-1] if begun else ""
    _silence()
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
    code = BROKEN
    try:
        change()
        code = 1  # also where pytest itself breaks, as without memory
        for item, following in zip(items, [*items[1:], None], strict=True):
            os.write(tell, f"{item.nodeid}\n".encode())
            signal.setitimer(signal.ITIMER_PROF, 2 + 10 * reach.seconds[item.nodeid])
            if run(item, following).failed:
                break
        else:
            code = 0
    except UnimportableError:
        code = 1
    finally:
        os._exit(code)


def put_in_place(file: str, source: str, mutant: Mutant) -> None:
    """Let everybody who holds the original have the mutant."""
    module = module_of(file)
    tree = mutant.applied(source)
    if mutant.function is None:
        _put_value(module, mutant, mutant.statement(tree))
        return
    code = next(c for c in _codes(compile(tree, module.__file__, "exec")) if _is(c, mutant))
    for function in _functions(module.__file__):
        if _is(function.__code__, mutant):
            function.__code__ = code
            if isinstance(head := mutant.statement(tree), ast.FunctionDef):
                _put_defaults(function, head)


def module_of(file: str) -> types.ModuleType:
    """The module that a file is."""
    return import_module(file.removesuffix(".py").removesuffix("/__init__").replace("/", "."))


@cache
def _functions(path: str) -> list[types.FunctionType]:
    """Every function of a file, wherever somebody holds it."""
    everything = gc.get_objects()
    functions = [f for f in everything if isinstance(f, types.FunctionType)]
    return [f for f in functions if f.__code__.co_filename == path]


def _is(code: types.CodeType, mutant: Mutant) -> bool:
    return (code.co_name, code.co_firstlineno) == mutant.function


def _codes(code: types.CodeType) -> list[types.CodeType]:
    inner = [c for c in code.co_consts if isinstance(c, types.CodeType)]
    return [code, *(found for c in inner for found in _codes(c))]


def _value(node: ast.expr, scope: dict) -> object:
    try:
        return eval(compile(ast.Expression(node), "<mutant>", "eval"), scope)
    except Exception as error:
        raise UnimportableError from error


def _put_defaults(function: types.FunctionType, head: ast.FunctionDef) -> None:
    scope, arguments = function.__globals__, head.args
    if function.__name__ != head.name:
        return
    function.__defaults__ = tuple(_value(node, scope) for node in arguments.defaults) or None
    pairs = zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
    function.__kwdefaults__ = {a.arg: _value(node, scope) for a, node in pairs if node} or None


def _put_value(module: types.ModuleType, mutant: Mutant, statement: ast.AST) -> None:
    """A constant of the module, or what a class declares (also a dataclass, as a default)."""
    target = statement.target if isinstance(statement, ast.AnnAssign) else statement.targets[0]
    value = _value(statement.value, vars(module))
    if isinstance(target, ast.Tuple):  # A, B = 1, 2
        for one, part in zip(target.elts, value, strict=True):
            _put_name(module, mutant, one.id, part)
    else:
        _put_name(module, mutant, target.id, value)


def _put_name(module: types.ModuleType, mutant: Mutant, name: str, value: object) -> None:
    if not mutant.where:
        old = getattr(module, name)
        for holder in list(sys.modules.values()):
            if getattr(holder, "__dict__", {}).get(name) is old:
                setattr(holder, name, value)
        return
    holder = getattr(module, mutant.where)
    setattr(holder, name, value)
    # Of a dataclass; also of one whose fields are given by name alone.
    if name in (by_name := getattr(holder.__init__, "__kwdefaults__", None) or {}):
        by_name[name] = value
    if getattr(holder.__init__, "__defaults__", None):
        made, code = holder.__init__, holder.__init__.__code__
        first = code.co_argcount - len(made.__defaults__)
        defaults = zip(code.co_varnames[first : code.co_argcount], made.__defaults__, strict=True)
        made.__defaults__ = tuple(value if a == name else default for a, default in defaults)
