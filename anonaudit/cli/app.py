"""The application with all commands, and how a command ends after an error or a signal."""

from __future__ import annotations

import atexit
import copy
import errno
import gc
import os
import sys
import traceback
from typing import Annotated, Any, Final, NoReturn

import typer
from typer.core import TyperGroup

from anonaudit.cli.audit import audit_command
from anonaudit.cli.check import check_command
from anonaudit.cli.claims import claims_command
from anonaudit.cli.datasets import datasets_command
from anonaudit.cli.diff import diff_command
from anonaudit.cli.exit_codes import ExitCode
from anonaudit.cli.explain import explain_command
from anonaudit.cli.feasible import feasible_command
from anonaudit.cli.init import init_command
from anonaudit.cli.mask import mask_command
from anonaudit.cli.matrix import matrix_command
from anonaudit.cli.output import (
    NOTHING_WRITTEN,
    InterruptedInParts,
    expect_nothing,
    tell,
    what_was_written,
)
from anonaudit.cli.profile import profile_command
from anonaudit.cli.remedy import remedy_command
from anonaudit.cli.reproduce import reproduce_command
from anonaudit.cli.scan import scan_command
from anonaudit.cli.signals import Ending, ending_tidily
from anonaudit.cli.streams import prepare_streams
from anonaudit.cli.verify import verify_command
from anonaudit.errors import AnonauditError, internal_error
from anonaudit.version import __version__


class _Commands(TyperGroup):
    """The commands. They turn a call of `sys.exit` in another package into an error.

    Otherwise `sys.exit(0)` would end a command as if it had passed. The exit of typer itself comes
    after `invoke`.
    """

    def invoke(self, ctx: Any) -> Any:
        """Run the command."""
        try:
            return super().invoke(ctx)
        except SystemExit as error:
            raise AnonauditError(
                "a package that anonaudit uses called `sys.exit`, so the command did not finish; "
                "set ANONAUDIT_DEBUG=1 to see where, and repair or remove the package"
            ) from error


app = typer.Typer(
    name="anonaudit",
    cls=_Commands,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Audit masked microdata: measure privacy models and run attacks.",
)
app.command("audit")(audit_command)
app.command("check")(check_command)
app.command("remedy")(remedy_command)
app.command("scan")(scan_command)
app.command("profile")(profile_command)
app.command("init")(init_command)
app.command("feasible")(feasible_command)
app.command("mask")(mask_command)
app.command("matrix")(matrix_command)
app.command("claims")(claims_command)
app.command("reproduce")(reproduce_command)
app.command("explain")(explain_command)
app.command("diff")(diff_command)
app.command("verify")(verify_command)
app.command("datasets")(datasets_command)


def _version(asked: bool) -> None:
    if asked:
        typer.echo(f"anonaudit {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    """Read the options that come before the command."""


def run() -> None:
    """Run the command of `sys.argv`, after all modules are imported (see `anonaudit.cli.main`)."""
    _start_and_end_quickly()
    prepare_streams()
    expect_nothing()
    before = os.umask(0o077)
    ending = Ending()
    try:
        with ending_tidily() as ending:
            _with_the_asked(sys.argv[1:])()
    except BaseException as error:
        if not _is_interrupted(error, ending):
            _end_by(error)
        kept = error if isinstance(error, InterruptedInParts) else what_was_written()
        _end(f"interrupted; {kept}", ending.code)
    finally:
        os.umask(before)


def _start_and_end_quickly() -> None:
    """Change settings that would make every command start or end more slowly."""
    # At the end, skip the search for garbage in all objects: there is none.
    atexit.register(gc.freeze)
    # Otherwise numpy starts a thread for each processor. anonaudit multiplies no large matrices.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def _with_the_asked(arguments: list[str]) -> typer.Typer:
    """Return the application. If the first argument names a command, it has only this command.

    Building the parser of every command takes time.
    """
    asked = copy.copy(app)
    named = [command for command in app.registered_commands if command.name in arguments[:1]]
    asked.registered_commands = named or app.registered_commands
    return asked


def _is_interrupted(error: BaseException, ending: Ending) -> bool:
    """Return True if a signal ended the command, even if its exception was replaced on the way."""
    by_typer = isinstance(error, SystemExit) and error.code == ExitCode.INTERRUPTED
    return by_typer or ending.signal is not None or isinstance(error, _INTERRUPTS)


def _end_by(error: BaseException) -> NoReturn:
    """End the process with one message and the exit code for this error."""
    if isinstance(error, AnonauditError):
        if error.__cause__ is not None and os.environ.get("ANONAUDIT_DEBUG"):
            traceback.print_exception(error.__cause__)  # the error inside a plug-in
        written = what_was_written()
        also = "" if written == NOTHING_WRITTEN else f"; {written}"
        _end(f"error: {error}{also}", ExitCode.NO_AUDIT)
    if not isinstance(error, Exception):  # SystemExit with the exit code of the command
        raise error
    if os.environ.get("ANONAUDIT_DEBUG"):
        traceback.print_exception(error)
    if _is_lack_of_memory(error):
        _end(
            "error: there is not enough memory; allow more, or name fewer columns",
            ExitCode.NO_AUDIT,
        )
    _end(internal_error(error), ExitCode.INTERNAL)


_INTERRUPTS: Final = (KeyboardInterrupt, InterruptedInParts)
# Parts of the messages of libraries that could not get memory for code, threads or data.
_LACKS_MEMORY: Final = (
    "failed to map segment",
    "annot allocate memory",
    "can't start new thread",
    "bad_alloc",
    "bad allocation",
)


def _is_lack_of_memory(error: BaseException) -> bool:
    """Return True if this error, or one of its causes, means that memory ran out.

    The error of DuckDB is recognised by the name of its class, so DuckDB need not be imported.
    """
    causes = [error]
    while (cause := causes[-1].__cause__ or causes[-1].__context__) and cause not in causes:
        causes.append(cause)
    return any(
        isinstance(cause, MemoryError)
        or (isinstance(cause, OSError) and cause.errno == errno.ENOMEM)
        or type(cause).__name__ == "OutOfMemoryException"
        or any(said in str(cause) for said in _LACKS_MEMORY)
        for cause in causes
    )


def _end(message: str, code: int) -> NoReturn:
    tell(message)
    sys.exit(code)
