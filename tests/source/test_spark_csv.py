"""The CSV reader that Spark's workers run, called without Spark."""

import bz2
import gzip
from collections.abc import Callable, Iterator

import pyarrow as pa
import pytest

from anonaudit.source.spark_csv import _by_python


class Files:
    """Files as Spark hands them to a worker: the bytes of one file per row."""

    def __init__(self, *contents: bytes) -> None:
        self.batch = pa.record_batch({"content": pa.array(contents, pa.binary())})

    def mapInArrow(
        self, read: Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]], _schema: str
    ) -> list[tuple[str | None, ...]]:
        """Return the cells of all records. The last row of each file counts its blank lines."""
        rows = [row for batch in read(iter([self.batch])) for row in batch.to_pylist()]
        return [tuple(row.values())[:-1] for row in rows if row["blank"] is None]


@pytest.mark.parametrize("start", ["BZ", "BZh9", "BZh91AY", "PK", "\x1f"])
def test_a_header_may_begin_like_a_magic_number(start: str) -> None:
    files = Files(f"{start},b\n1,2\n".encode())
    assert _by_python(files, [start, "b"], ",", "utf-8-sig") == [("1", "2")]


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress])
def test_packed_and_plain_files_have_the_same_records(pack: Callable[[bytes], bytes]) -> None:
    """The plain file begins with BZ. The packed file without a record packs no byte in bzip2."""
    content = b'BZ,b\n1,2\n3,"4\n5"\n'
    files = Files(content, pack(content), pack(b""))
    assert _by_python(files, ["BZ", "b"], ",", "utf-8-sig") == [("1", "2"), ("3", "4\n5")] * 2


@pytest.mark.parametrize("name", ["UTF-8", "U8", "utf8", "utf-8-sig"])
def test_utf_8_has_many_names(name: str) -> None:
    """None of them is taken for an encoding of one byte per character."""
    files = Files('a,b\n"é\n",1\n'.encode())
    assert _by_python(files, ["a", "b"], ",", name) == [("é\n", "1")]
