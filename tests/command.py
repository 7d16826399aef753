"""The command as its users see it: what it is told, what it says where, how it ends.

Starting Python with all engines takes seconds, so the commands are forked from one process that
has imported everything and opened nothing. Each ends like any other process, but that Python takes
no time to free what it had imported: what runs at exit is run, and both streams are written out.
"""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

SERVER = """
import atexit, gc, json, os, signal, sys, tempfile
import anonaudit.auditing.audit, anonaudit.cli.app, anonaudit.source.table
import anonaudit.report.html, anonaudit.report.markdown, anonaudit.report.sarif
from importlib.metadata import entry_points
for kind in ("models", "attacks"):
    for group in (f"anonaudit.{kind}", f"anonaudit.{kind}.on_request"):
        [found.load() for found in entry_points(group=group)]
try:
    anonaudit.cli.app.app(["audit"])  # which imports what is imported late
except anonaudit.AnonauditError:
    pass
answers = os.fdopen(int(sys.argv[1]), "w")
requests = os.fdopen(int(sys.argv[2]))
gc.freeze()
for line in requests:
    request = json.loads(line)
    child = os.fork()
    if child == 0:
        break
    print(child, file=answers, flush=True)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), file=answers, flush=True)
else:
    sys.exit()
signal.signal(signal.SIGINT, signal.default_int_handler)
for at, path in enumerate(request["streams"]):
    os.close(at)
    if path is None:
        setattr(sys, ("stdin", "stdout", "stderr")[at], None)
    else:
        stream = os.open(path, os.O_WRONLY if at else os.O_RDONLY)
        if stream != at:  # one before it is closed
            os.dup2(stream, at)
            os.close(stream)
for name, at in (("stdout", 1), ("stderr", 2)):
    if getattr(sys, name) is not None:
        encoding = request["environment"].get("PYTHONIOENCODING", "utf-8")
        errors = "strict" if at == 1 else "backslashreplace"
        setattr(sys, name, open(at, "w", encoding=encoding, errors=errors, closefd=False))
os.chdir(request["folder"])
os.environ.clear()
os.environ.update(request["environment"])
tempfile.tempdir = None
sys.argv = ["anonaudit", *request["arguments"]]
try:
    anonaudit.cli.main()
except SystemExit as ended:
    atexit._run_exitfuncs()
    try:
        [stream.flush() for stream in (sys.stdout, sys.stderr) if stream is not None]
    except (OSError, ValueError):
        raise ended from None  # as Python ends where a stream cannot be written out
    if isinstance(ended.code, int):
        os._exit(ended.code)
    raise
"""


@dataclass(frozen=True)
class Ended:
    """How a command ended."""

    code: int
    out: str
    err: str


class Command:
    """`anonaudit`, to be called with its arguments."""

    def __init__(self) -> None:
        answers, write = os.pipe()
        read, requests = os.pipe()
        self._server = subprocess.Popen(
            [sys.executable, "-c", SERVER, str(write), str(read)], pass_fds=(write, read)
        )
        os.close(write)
        os.close(read)
        self._answers, self._requests = os.fdopen(answers), os.fdopen(requests, "w")

    def close(self) -> None:
        self._requests.close()
        self._server.wait(30)
        self._answers.close()

    def __call__(
        self,
        folder: Path,
        *arguments: str | Path,
        stdin: str | None = os.devnull,
        stdout: str | None = "",
        stderr: str | None = "",
        environment: dict[str, str] | None = None,
        meanwhile: Callable[[int], object] = lambda _: None,
    ) -> Ended:
        """Run a command in a folder.

        stdin, stdout, stderr: paths; None is a closed stream, "" one that is looked at afterwards.
        meanwhile: called with the number of the process.
        """
        with tempfile.TemporaryDirectory() as kept:
            files = []
            for number, path in enumerate((stdin, stdout, stderr)):
                files.append(str(Path(kept, str(number))) if path == "" else path)
                if path == "":
                    Path(kept, str(number)).touch()
            request = {
                "folder": str(folder),
                "arguments": [str(argument) for argument in arguments],
                "environment": {**os.environ, **(environment or {})},
                "streams": files,
            }
            print(json.dumps(request), file=self._requests, flush=True)
            meanwhile(int(self._answers.readline()))
            code = int(self._answers.readline())
            out, err = (
                Path(file).read_text("utf-8", "surrogateescape") if file and path == "" else ""
                for file, path in zip(files[1:], (stdout, stderr), strict=True)
            )
            return Ended(code, out, err)


def interrupt_when(happened: Callable[[], object], after: float = 0.0) -> Callable[[int], None]:
    """Send Ctrl-C to a process as soon as something has happened, or so many seconds after.

    after: where the process is about to wait for ever. A signal that comes between Python's last
        look at signals and the wait is seen only when something else ends the wait.
    """

    def meanwhile(process: int) -> None:
        until = time.monotonic() + 60
        while not happened() and time.monotonic() < until:
            time.sleep(0.01)
        time.sleep(after)
        os.kill(process, signal.SIGINT)

    return meanwhile
