"""The command line. Each command has its own file, which parses, calls the library and renders.

This package itself imports only a few modules of Python, so `main` can soon react to Ctrl-C.
"""

from __future__ import annotations

import contextlib
import gc
import os
import signal
import sys
from types import FrameType
from typing import Final, NoReturn

__all__ = ["main"]

_INTERRUPTED: Final = 128 + signal.SIGINT  # see exit_codes.py, which imports more
_NO_AUDIT: Final = 2


def main() -> None:
    """Run the command of `sys.argv`. An error ends the process with one message and an exit code.

    Only the user can read the files that a command makes, because they contain data or results.
    """
    try:
        _import_application()
        from anonaudit.cli.app import run

        run()
    except KeyboardInterrupt:  # shortly before or after `run` reacts to signals itself
        from anonaudit.cli.output import tell, what_was_written

        tell(f"interrupted; {what_was_written()}")
        sys.exit(_INTERRUPTED)


def _import_application() -> None:
    """Import the modules that every command needs.

    Ctrl-C during the import ends the process at once. KeyboardInterrupt would not: a module may
    catch it, or replace it by another exception such as ImportError.
    """
    # Importing modules makes about 100,000 objects but no garbage, so search for garbage later.
    gc.set_threshold(200_000)
    before = signal.getsignal(signal.SIGINT)
    try:
        if before is signal.default_int_handler:
            with contextlib.suppress(ValueError):  # only the main thread can set handlers
                signal.signal(signal.SIGINT, _end_at_once)
        import anonaudit.cli.app  # noqa: F401
    except (Exception, SystemExit) as error:
        _end_without_application(error)
    finally:
        if signal.getsignal(signal.SIGINT) is _end_at_once:
            signal.signal(signal.SIGINT, before)


def _end_at_once(_: int, __: FrameType | None) -> NoReturn:
    with contextlib.suppress(OSError):  # standard error may be closed
        os.write(2, b"interrupted; nothing was written\n")
    os._exit(_INTERRUPTED)


def _end_without_application(error: BaseException) -> NoReturn:
    if os.environ.get("ANONAUDIT_DEBUG"):
        import traceback

        traceback.print_exception(error)
    problem = f"error: anonaudit cannot be imported ({type(error).__name__}: {error})"
    with contextlib.suppress(OSError):
        os.write(2, f"{problem}; install anonaudit again\n".encode(errors="backslashreplace"))
    sys.exit(_NO_AUDIT)
