"""The commands, what they share, and how they end when something goes wrong."""

from __future__ import annotations

import os
import sys
import traceback
from typing import Annotated

import typer

from anonaudit.cli.audit import audit_command
from anonaudit.cli.claims import claims_command
from anonaudit.cli.datasets import datasets_command
from anonaudit.cli.diff import diff_command
from anonaudit.cli.exit_codes import ExitCode
from anonaudit.cli.explain import explain_command
from anonaudit.cli.feasible import feasible_command
from anonaudit.cli.init import init_command
from anonaudit.cli.mask import mask_command
from anonaudit.cli.matrix import matrix_command
from anonaudit.cli.output import InterruptedInParts, tell
from anonaudit.cli.remedy import remedy_command
from anonaudit.cli.reproduce import reproduce_command
from anonaudit.cli.signals import ending_tidily
from anonaudit.errors import AnonauditError
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
app.command("remedy")(remedy_command)
app.command("init")(init_command)
app.command("feasible")(feasible_command)
app.command("mask")(mask_command)
app.command("matrix")(matrix_command)
app.command("claims")(claims_command)
app.command("reproduce")(reproduce_command)
app.command("explain")(explain_command)
app.command("diff")(diff_command)
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
    before = os.umask(0o077)
    try:
        with ending_tidily():
            app()
    except AnonauditError as error:
        _end(f"error: {error}", ExitCode.NO_AUDIT)
    except InterruptedInParts as kept:
        _end(f"interrupted; {kept}", ExitCode.INTERRUPTED)
    except KeyboardInterrupt:
        _end("interrupted; nothing was written", ExitCode.INTERRUPTED)
    except MemoryError:
        _end("error: there is not enough memory for this; name fewer columns", ExitCode.NO_AUDIT)
    except SystemExit as ended:
        if ended.code == ExitCode.INTERRUPTED:  # typer ends in silence
            _end("interrupted; nothing was written", ExitCode.INTERRUPTED)
        raise
    except Exception as error:
        if os.environ.get("ANONAUDIT_DEBUG"):
            traceback.print_exc()
        _end(
            f"internal error ({type(error).__name__}); this is a fault of anonaudit. Run again "
            "with ANONAUDIT_DEBUG=1 for the place, and please report it",
            ExitCode.INTERNAL,
        )
    finally:
        os.umask(before)


def _end(message: str, code: ExitCode) -> None:
    tell(message)
    sys.exit(code)
