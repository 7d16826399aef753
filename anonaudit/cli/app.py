"""The commands, what they share, and how they end when something goes wrong."""

from __future__ import annotations

import copy
import errno
import gc
import os
import sys
import traceback
from typing import Annotated, Final, NoReturn

import typer

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

app = typer.Typer(
    name="anonaudit",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Says which privacy model a masked release satisfies, and attacks it.",
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
    """Options before the command."""


def main() -> None:
    """Run a command; whatever goes wrong ends in one message and its exit code.

    All files it makes, temporary ones too, are for nobody but the user; they hold or tell of data.
    """
    _start_quickly()
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


def _start_quickly() -> None:
    """Leave out what costs a short command time and gains a long one nothing."""
    # Loading code makes many objects and no garbage.
    gc.set_threshold(50_000)
    # numpy starts a thread for each processor, for products of large matrices: there are none here.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def _with_the_asked(arguments: list[str]) -> typer.Typer:
    """The commands; if the first argument names one, that alone: to make each takes time."""
    asked = copy.copy(app)
    named = [command for command in app.registered_commands if command.name in arguments[:1]]
    asked.registered_commands = named or app.registered_commands
    return asked


def _is_interrupted(error: BaseException, ending: Ending) -> bool:
    """Whether a signal ended the command, whatever became of its exception on the way."""
    by_typer = isinstance(error, SystemExit) and error.code == ExitCode.INTERRUPTED
    return by_typer or ending.signal is not None or isinstance(error, _INTERRUPTS)


def _end_by(error: BaseException) -> NoReturn:
    """End with one message and the exit code of what was raised."""
    if isinstance(error, AnonauditError):
        written = what_was_written()
        also = "" if written == NOTHING_WRITTEN else f"; {written}"
        _end(f"error: {error}{also}", ExitCode.NO_AUDIT)
    if not isinstance(error, Exception):  # how a command says its exit code
        raise error
    if os.environ.get("ANONAUDIT_DEBUG"):
        traceback.print_exception(error)
    if _is_lack_of_memory(error):
        _end(
            "error: there is not enough memory for this; allow more, or name fewer columns",
            ExitCode.NO_AUDIT,
        )
    _end(internal_error(error), ExitCode.INTERNAL)


_INTERRUPTS: Final = (KeyboardInterrupt, InterruptedInParts)
# What libraries say that find no memory for their code, their threads or their data.
_LACKS_MEMORY: Final = (
    "failed to map segment",
    "annot allocate memory",
    "can't start new thread",
    "bad_alloc",
    "bad allocation",
)


def _is_lack_of_memory(error: BaseException) -> bool:
    """Whether an error, or one that led to it, says that memory ran out: each library has its own.

    The engine is not imported for it, so its error is known by name.
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
