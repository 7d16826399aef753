"""The table of docs/howto/scan.md: how many columns are recognised; a person judged which wrongly."""

import os
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from anonaudit import datasets
from anonaudit.scanning import scan
from anonaudit.scanning.columns import CONSTANT, KEY, NEAR_KEY

PAGE = Path(__file__).parents[2] / "docs" / "howto" / "scan.md"
ROW = re.compile(r"^\| ([^|]+) \| ([0-9]+) \| ([0-9]+) \|", re.MULTILINE)
KINDS = {KEY: "key, near-key", NEAR_KEY: "key, near-key", CONSTANT: "constant"}


def row_of(kind: str) -> str:
    """The first words of the row that a kind is counted in."""
    return "dates, dates in several formats" if "dates" in kind else KINDS.get(kind, kind)


@pytest.mark.long
@pytest.mark.skipif("ANONAUDIT_SHARED" not in os.environ, reason="the shared data are not here")
def test_as_many_columns_are_recognised_as_the_page_says(tmp_path):
    shared = Path(os.environ["ANONAUDIT_SHARED"])
    script = shared / "hospital" / "make_extract.py"
    subprocess.run([sys.executable, script, "30000"], cwd=tmp_path, check=True)
    files = [*(shared / "releases").glob("*.csv"), *(shared / "datasets" / "nist").glob("*.csv")]
    files += [datasets.path(f"adult/{name}.csv.gz") for name in ("adult", "release")]
    scanned = [scan(file) for file in (*files, tmp_path / "extract.csv")]
    columns = [column for one in scanned for column in one.columns]
    found = Counter(row_of(kind) for column in columns for kind in column.kinds)
    found.update(column.direct for column in columns if column.direct is not None)
    page = PAGE.read_text()
    assert f"{len(scanned)} files with {len(columns)} columns" in page
    assert dict(found) == {name: int(n) for name, n, _ in ROW.findall(page) if int(n)}
