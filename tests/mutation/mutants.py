"""What a mutant is: one small change of one expression or statement of a module.

The operators are the usual ones (ARITHMETIC and the tables beside it, and `_changes_of`). Not
changed: annotations and literal types, docstrings, whatever a `raise` says, f-strings and strings
with a space in them (all of them messages), imports and `__all__`, the members of an enum, which
Python lets nobody replace, and calls of `TypeVar`, `cast` and `field`. Nor is `strict=True` of `zip`: it asserts that two lists of the program are equally
long, and no input makes them differ.
"""

import ast
import copy
from collections.abc import Iterator
from typing import NamedTuple

COMPARISON = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip
ARITHMETIC = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult,
    ast.FloorDiv: ast.Div, ast.Mod: ast.FloorDiv, ast.Pow: ast.Mult,
    ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd, ast.BitXor: ast.BitOr,
    ast.LShift: ast.RShift, ast.RShift: ast.LShift, ast.MatMult: ast.Mult,
}  # fmt: skip
UNARY = {ast.USub: ast.UAdd, ast.UAdd: ast.USub}
OPPOSITE = [
    ("min", "max"), ("any", "all"), ("argmin", "argmax"), ("fmin", "fmax"), ("floor", "ceil"),
    ("minimum", "maximum"), ("union", "intersection"), ("zeros", "ones"), ("isnan", "isfinite"),
]  # fmt: skip
NAMES = {a: b for pair in OPPOSITE for a, b in (pair, pair[::-1])}
MESSAGES = (ast.Raise, ast.JoinedStr, ast.Import, ast.ImportFrom)


class Mutant(NamedTuple):
    """A change, and where it is, in terms that do not depend on the lines around it."""

    lines: range  # of the statement, or of the head of a compound one
    where: str  # the function it is in, `Class.method`, or the class; "" for the module
    was: str  # the statement (of a compound one, its head) before
    now: str  # and after
    function: tuple[str, int] | None  # name and first line of the outermost function around it
    path: "Path"  # from the module to what is changed
    change: ast.AST

    def applied(self, source: str) -> ast.Module:
        """The module, changed."""
        tree = ast.parse(source)
        _put(tree, self.path, self.change)
        return ast.fix_missing_locations(tree)

    def statement(self, tree: ast.Module) -> ast.AST:
        """The statement that is changed, in this tree."""
        return _at(tree, _around(tree, self.path)[2])


def mutants(source: str) -> Iterator[Mutant]:
    """All mutants of a module, in the order of its text."""
    tree = ast.parse(source)
    for path in list(_places(tree, ())):
        node = _at(tree, path)
        names, function, at = _around(tree, path)
        statement = _at(tree, at)
        if function is None and not isinstance(statement, (ast.Assign, ast.AnnAssign)):
            continue
        was, lines = _head(statement), _lines(statement)
        for change in _changes_of(node):
            _put(tree, path, change)
            now = _head(_at(tree, at))
            _put(tree, path, node)
            if now != was:
                yield Mutant(lines, ".".join(names), was, now, function, path, change)


Step = tuple[str, int | None]
Path = tuple[Step, ...]


def _places(node: ast.AST, path: Path) -> Iterator[Path]:
    """Where something may be changed."""
    if isinstance(node, MESSAGES) or _is_message(node):
        return
    if isinstance(node, ast.Call) and ast.unparse(node.func) in {"TypeVar", "cast", "field"}:
        return
    if isinstance(node, ast.keyword) and node.arg == "strict":
        return
    if isinstance(node, ast.Subscript) and ast.unparse(node.value) == "Literal":
        return
    if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
        return
    if path:
        yield path
    members = isinstance(node, ast.ClassDef) and any(
        ast.unparse(base).endswith("Enum") for base in node.bases
    )
    for field, value in ast.iter_fields(node):
        if field in {"annotation", "returns", "op", "ops", "ctx", "decorator_list"}:
            continue
        for number, child in enumerate(value) if isinstance(value, list) else [(None, value)]:
            if isinstance(child, ast.AST) and not (members and isinstance(child, ast.Assign)):
                yield from _places(child, (*path, (field, number)))


def _is_message(node: ast.AST) -> bool:
    """A docstring, or a string for people to read."""
    value = node.value if isinstance(node, ast.Expr) else node
    if not (isinstance(value, ast.Constant) and isinstance(value.value, str)):
        return False
    return isinstance(node, ast.Expr) or " " in value.value


def _changes_of(node: ast.AST) -> Iterator[ast.AST]:
    """What may stand in place of this node."""
    match node:
        case ast.Compare():
            for i, op in enumerate(node.ops):
                ops = [*node.ops[:i], COMPARISON[type(op)](), *node.ops[i + 1 :]]
                yield ast.Compare(node.left, ops, node.comparators)
        case ast.BinOp():
            yield ast.BinOp(node.left, ARITHMETIC[type(node.op)](), node.right)
        case ast.BoolOp():
            yield ast.BoolOp(ast.Or() if isinstance(node.op, ast.And) else ast.And(), node.values)
        case ast.UnaryOp(ast.Not() | ast.Invert(), operand):
            yield operand
        case ast.UnaryOp(op, operand):
            yield ast.UnaryOp(UNARY[type(op)](), operand)
        case ast.AugAssign(target, op, value):
            yield ast.AugAssign(target, ARITHMETIC[type(op)](), value)
            yield ast.Assign([target], value)
        case ast.Constant(bool(value)):
            yield ast.Constant(not value)
        case ast.Constant(int(value) | float(value)):
            yield ast.Constant(value + 1)
        case ast.Constant(str(value)):
            yield ast.Constant(f"XX{value}XX")
        case ast.Name(name) if name in NAMES and isinstance(node.ctx, ast.Load):
            yield ast.Name(NAMES[name], node.ctx)
        case ast.Attribute(value, name) if name in NAMES:
            yield ast.Attribute(value, NAMES[name], node.ctx)
        case ast.Call(func, args, keywords):
            for i, keyword in enumerate(keywords):  # a default takes its place
                if keyword.arg != "strict":
                    yield ast.Call(func, args, [*keywords[:i], *keywords[i + 1 :]])
        case ast.IfExp(_, body, orelse):
            yield from (body, orelse)
        case ast.If(_, body, orelse):
            yield ast.If(ast.Constant(False), body, orelse)
        case ast.comprehension(target, iterable, ifs) if ifs:
            yield ast.comprehension(target, iterable, [], node.is_async)
        case ast.Continue():
            yield ast.Break()
        case ast.Break():
            yield ast.Continue()
        case ast.Expr(ast.Call()):
            # The name alone keeps the variable that `super` needs, so that codes can be exchanged.
            yield ast.Expr(ast.Name("super", ast.Load())) if _calls_super(node) else ast.Pass()


def _calls_super(node: ast.AST) -> bool:
    return any(isinstance(part, ast.Name) and part.id == "super" for part in ast.walk(node))


def _at(tree: ast.AST, path: Path) -> ast.AST:
    for field, number in path:
        value = getattr(tree, field)
        tree = value if number is None else value[number]
    return tree


def _put(tree: ast.AST, path: Path, new: ast.AST) -> None:
    parent, (field, number) = _at(tree, path[:-1]), path[-1]
    ast.copy_location(new, _at(tree, path))
    if number is None:
        setattr(parent, field, new)
    else:
        getattr(parent, field)[number] = new


def _around(tree: ast.Module, path: Path) -> tuple[list[str], tuple[str, int] | None, Path]:
    """The names of what is around a place, its outermost function, its innermost statement."""
    names: list[str] = []
    function, statement = None, path
    for length in range(1, len(path) + 1):
        node = _at(tree, path[:length])
        if isinstance(node, ast.stmt):
            statement = path[:length]
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            names.append(node.name)
        if isinstance(node, ast.FunctionDef) and function is None:
            first = node.decorator_list[0].lineno if node.decorator_list else node.lineno
            function = (node.name, first)
    return names, function, statement


def _head(statement: ast.AST) -> str:
    """The text of a statement, without the statements inside it."""
    bare = copy.copy(statement)
    for field in {"body", "orelse", "finalbody", "decorator_list"} & set(bare._fields):
        setattr(bare, field, [ast.Pass()] if field == "body" else [])
    return ast.unparse(bare).removesuffix("\n    pass")


def _lines(statement: ast.AST) -> range:
    """Of a function the whole, as its head is run when it is imported."""
    body = getattr(statement, "body", None)
    if body and not isinstance(statement, ast.FunctionDef):
        return range(statement.lineno, max(body[0].lineno, statement.lineno + 1))
    return range(statement.lineno, statement.end_lineno + 1)
