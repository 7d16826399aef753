"""Get a plain file on disk from standard input, a pipe or a compressed file.

The data of a pipe, which cannot be read twice, and unpacked data are written to a private temporary
folder. The folder is deleted with the last object that uses it, or when the process ends.
"""

from __future__ import annotations

import bz2
import gzip
import hashlib
import lzma
import os
import shutil
import stat
import sys
import tempfile
import weakref
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Final, cast

from anonaudit.errors import InputError

CHUNK: Final = 1 << 20

_DAMAGED = (EOFError, lzma.LZMAError, zlib.error, zipfile.BadZipFile, gzip.BadGzipFile)


class Scratch:
    """A private temporary folder, created when first needed. `remove` deletes it at once."""

    def __init__(self) -> None:
        self._folder: Path | None = None
        self.remove: Callable[[], object] = lambda: None

    def new(self, name: str) -> Path:
        """Return the path for a new file in the folder. The file itself is not created."""
        if self._folder is None:
            self._folder = Path(tempfile.mkdtemp(prefix="anonaudit-"))
            self.remove = weakref.finalize(self, _remove, self._folder, os.getpid())
        return self._folder / name


def _remove(folder: Path, process: int) -> None:
    if process == os.getpid():  # a forked process must not delete its parent's folder
        shutil.rmtree(folder, ignore_errors=True)


def local_file(path: str | os.PathLike[str], name: str, scratch: Scratch) -> Path:
    """Return the path of a file that can be read repeatedly.

    It is the file itself, or a copy of the data of a pipe or of standard input (`-`).

    path: the path as the user gives it. name: the name of the file in messages.

    Raises InputError if there is no such file, if it is empty, or if it is a folder or a device.
    """
    if os.fspath(path) == "-":
        if sys.stdin is None:
            raise InputError(f"{name}: is closed; name a file, or pipe one in")
        return _copied(cast("BinaryIO", sys.stdin.buffer), name, scratch)
    local = Path(path)
    try:
        mode = local.stat().st_mode
    except FileNotFoundError:
        gone = "is a link to a file that is not there" if local.is_symlink() else "is not there"
        raise InputError(f"{name}: {gone}; check the path") from None
    except ValueError as error:  # a NUL character in the path
        raise InputError(f"{name}: cannot be opened ({error}); check the path") from None
    if stat.S_ISDIR(mode):
        raise InputError(f"{name}: is a folder; name a file in it")
    if stat.S_ISFIFO(mode):
        with local.open("rb") as pipe:
            return _copied(pipe, name, scratch)
    if not stat.S_ISREG(mode):
        raise InputError(
            f"{name}: is a device or socket, not a file; name a CSV or Parquet file, or `-` for "
            "standard input"
        )
    if not holds_anything(local):
        raise InputError(f"{name}: is empty; expected a header line with the column names")
    return local


def holds_anything(path: Path) -> bool:
    """Return False for a regular file of size 0, else True.

    Do not open a file of size 0: some, such as /proc/kmsg, are special, and reading would not end.
    """
    status = path.stat()
    return not stat.S_ISREG(status.st_mode) or status.st_size > 0


def content_of(path: Path, most: int = -1) -> bytes:
    """Return the bytes of a file or a pipe. most: maximum number of bytes; no limit if negative.

    Raises InputError for a device or socket, whose data may never end, and OSError if the file
    cannot be read.
    """
    mode = path.stat().st_mode
    if not (stat.S_ISREG(mode) or stat.S_ISFIFO(mode) or stat.S_ISDIR(mode)):
        raise InputError(f"{path}: is a device or socket, not a file; name a file")
    if not holds_anything(path):
        return b""
    with path.open("rb") as file:
        return file.read(most)


def unpacked(path: Path, name: str, scratch: Scratch) -> Path:
    """Return the path of an unpacked copy, or `path` itself if the file is not compressed.

    The first bytes of the file decide, not its name.

    Raises InputError for a damaged or encrypted file, for an archive that does not hold exactly one
    file, for zstd, and for workbooks of the formats .xls, .xlsb and .ods.
    """
    opener = _opener(head_of(path, 16), path, name)
    if opener is None:
        return path
    with _refusing_damage(name), opener() as packed:
        return _copied(packed, name, scratch)


def _opener(head: bytes, path: Path, name: str) -> Callable[[], BinaryIO] | None:
    # Magic numbers are compared in full: the header line of a CSV file may begin with PK or BZh.
    if head.startswith(b"\x1f\x8b"):
        return lambda: cast("BinaryIO", gzip.open(path, "rb"))
    if head.startswith(b"BZh") and head[4:10] in {b"1AY&SY", b"\x17rE8P\x90"}:
        return lambda: cast("BinaryIO", bz2.open(path, "rb"))
    if head.startswith(b"\xfd7zXZ\x00"):
        return lambda: cast("BinaryIO", lzma.open(path, "rb"))
    if head.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return lambda: _only_member(path, name)
    if head.startswith(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"):
        raise _other_workbook(name)
    if head.startswith(b"\x28\xb5\x2f\xfd"):
        raise InputError(f"{name}: is compressed with zstd; unpack it first, or use gzip")
    return None


def digest_of(path: Path) -> str:
    """Return the SHA-256 of a file, in hexadecimal digits."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def head_of(path: Path, size: int) -> bytes:
    """Return the first `size` bytes of a file, or all bytes if the file is shorter."""
    with path.open("rb") as file:
        return file.read(size)


@contextmanager
def _refusing_damage(name: str) -> Iterator[None]:
    damaged = InputError(
        f"{name}: the compressed file is damaged or cut off; get the file again, or compress it "
        "again"
    )
    try:
        yield
    except _DAMAGED:
        raise damaged from None
    except OSError as error:
        if error.errno is not None:  # bz2 reports damage as an OSError without a number
            raise
        raise damaged from None
    except (RuntimeError, NotImplementedError):
        raise InputError(
            f"{name}: is encrypted, or compressed by a method that cannot be read; unpack it first"
        ) from None


def _other_workbook(name: str) -> InputError:
    """Return the error for a workbook of the formats .xls, .xlsb or .ods."""
    return InputError(f"{name}: is a workbook that cannot be read; save it as .xlsx or CSV")


def _only_member(path: Path, name: str) -> BinaryIO:
    archive = zipfile.ZipFile(path)
    members = [member for member in archive.namelist() if not member.endswith("/")]
    if "xl/workbook.bin" in members or "META-INF/manifest.xml" in members:
        raise _other_workbook(name)
    # macOS adds a file with metadata for each file that it packs.
    members = [member for member in members if not member.startswith("__MACOSX/")]
    if len(members) != 1:
        raise InputError(
            f"{name}: the archive holds {len(members)} files, expected exactly one; unpack it first"
        )
    return cast("BinaryIO", archive.open(members[0]))


def _copied(source: BinaryIO, name: str, scratch: Scratch) -> Path:
    target = scratch.new(f"copy-{os.urandom(4).hex()}")
    with target.open("wb") as copy:
        while piece := source.read(CHUNK):
            try:
                copy.write(piece)
            except OSError as error:
                raise InputError(
                    f"{name}: cannot be copied to {tempfile.gettempdir()} ({reason(error)}); free "
                    "disk space there, or set TMPDIR to another folder"
                ) from None
    return target


def reason(error: Exception) -> str:
    """Return the operating system's text for an error, in lower case and without a path.

    For an error without such a text, return the name of its class.
    """
    return (getattr(error, "strerror", None) or type(error).__name__).lower()
