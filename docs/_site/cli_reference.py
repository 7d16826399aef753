"""Write docs/reference/cli.md, the help texts of all commands as one page.

    python docs/_site/cli_reference.py

The page is made from the same functions as the commands, so it cannot differ from --help.
"""

from __future__ import annotations

import enum
import inspect
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, get_args, get_type_hints

import typer

from anonaudit.cli.app import app

PAGE = Path(__file__).parents[1] / "reference" / "cli.md"
_START = """\
# The command line

`python docs/_site/cli_reference.py` writes this page from the help texts of the commands, and a
test checks that it is current. `anonaudit --help` and `anonaudit COMMAND --help` print the same.
"""


def to_markdown() -> str:
    """Return the whole page, with the commands in the order of --help."""
    callback = app.registered_callback
    parts = [_START, *_table(callback.callback)] if callback else [_START]
    for command in app.registered_commands:
        function, name = command.callback, f"anonaudit {command.name}"
        said = textwrap.dedent(inspect.getdoc(function) or "")
        parts += [f"## {name}\n", f"```text\n{_usage(name, function)}\n```\n", f"{said}\n"]
        parts += _table(function)
    return "\n".join(parts)


def _usage(name: str, function: Any) -> str:
    arguments = [
        key.upper() if default is inspect.Parameter.empty else f"[{key.upper()}]"
        for key, _, info, default in _parameters(function)
        if not _is_option(info)
    ]
    return " ".join([name, "[OPTIONS]", *arguments])


def _table(function: Any) -> Iterator[str]:
    rows = [f"| `{_names(key, info)}` | {_meaning(*rest)} |" for key, info, rest in _rows(function)]
    if rows:
        yield "\n".join(["| argument or option | meaning |", "|---|---|", *rows]) + "\n"


def _rows(function: Any) -> Iterator[tuple[str, Any, tuple[Any, ...]]]:
    for key, kind, info, default in _parameters(function):
        if not info.hidden:
            yield key, info, (kind, info, default)


def _parameters(function: Callable[..., Any]) -> Iterator[tuple[str, Any, Any, Any]]:
    """Yield the name, type, typer option or argument, and default of every parameter."""
    hints = get_type_hints(function, include_extras=True)
    for key, parameter in inspect.signature(function).parameters.items():
        kind, info, *_ = get_args(hints[key])
        yield key, kind, info, parameter.default


def _is_option(info: Any) -> bool:
    return isinstance(info, type(typer.Option()))


def _names(key: str, info: Any) -> str:
    if not _is_option(info):
        return key.upper()
    # In Annotated, typer stores the first name of an option as its default.
    first = [info.default] if isinstance(info.default, str) else []
    return ", ".join([*first, *(info.param_decls or [])] or [f"--{key.replace('_', '-')}"])


def _meaning(kind: Any, info: Any, default: Any) -> str:
    said = [" ".join((info.help or "").split())]
    for one in (kind, *get_args(kind)):
        if isinstance(one, type) and issubclass(one, enum.Enum):
            choices = ", ".join(f"`{member.value}`" for member in one)
            said.append(f"One of {choices}.")
    if default is inspect.Parameter.empty:
        said.append("Must be given.")
    elif info.show_default and not isinstance(default, bool) and default is not None:
        said.append(f"Default: `{getattr(default, 'value', default)}`.")
    if info.min is not None:
        said.append(f"At least {info.min:g}.")
    several = any(getattr(one, "__origin__", None) is list for one in (kind, *get_args(kind)))
    if several and "repeatable" not in said[0]:
        said.append("May be given several times.")
    return " ".join(said).replace("|", "\\|")


if __name__ == "__main__":
    PAGE.write_text(to_markdown(), encoding="utf-8")
