"""Every codec of Python reads a file right, or is refused as no encoding."""

import codecs
import encodings
import pkgutil
import subprocess
import sys
from encodings.aliases import aliases
from pathlib import Path

import pytest
from reading import expected, file, read, written

from anonaudit.errors import InputError, PolicyError
from anonaudit.generalization.hierarchy import Hierarchy
from anonaudit.policy import parse_policy
from anonaudit.source.encodings import text_encoding

# "Python Specific Encodings" of the documentation of `codecs` that are no character encodings of
# files, and its binary and text transforms.
NO_CHARACTERS = {
    *("idna", "punycode", "undefined"),
    *("base64", "bz2", "hex", "quopri", "uu", "zlib", "rot-13"),
}


def codec_of(name: str) -> str | None:
    """Return the codec with this name; None if Python has none, as for `mbcs` outside Windows."""
    try:
        return codecs.lookup(name).name
    except LookupError:
        return None


NAMES = sorted(
    {
        *aliases,
        *aliases.values(),
        *(module.name for module in pkgutil.iter_modules(encodings.__path__)),
    }
)
REFUSED = [name for name in NAMES if codec_of(name) in {None, *NO_CHARACTERS}]
CODECS = sorted({str(codec_of(name)) for name in NAMES if name not in REFUSED})


def test_the_lists_have_what_they_should() -> None:
    assert {"undefined", "rot_13", "base64", "zip", "uu", "quopri", "idna", "aliases"} <= {*REFUSED}
    assert {"utf-7", "utf-8-sig", "utf-16", "unicode-escape", "cp037", "hz", "gb18030"} <= {*CODECS}


@pytest.mark.parametrize("codec", CODECS)
def test_an_encoding_reads_a_file_right(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, codec: str
) -> None:
    """Also a file of many pieces, whose ends cut characters."""
    monkeypatch.setattr("anonaudit.source.encodings.CHUNK", 3)
    for beyond in ("é", "я", "日本", "ع", "ก", "ב", ""):
        rows = [("1", f"a{beyond}b"), ("2", f'"{beyond}", c'), (f"{beyond}3", "d\ne")]
        text = written(("one", "two"), rows)
        try:
            path = file(tmp_path, text.encode(codec))
        except UnicodeEncodeError:
            continue
        break
    assert read(path, encoding=codec) == expected(("one", "two"), rows)
    tree = tmp_path / "tree.csv"
    tree.write_bytes(f"a{beyond};b;*\n".encode(codec))
    assert Hierarchy.read(tree, encoding=codec).leaves == (f"a{beyond}",)


@pytest.mark.parametrize("name", REFUSED)
def test_what_encodes_no_characters_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError, match=f"t.csv: there is no encoding {name!r}; expected for ex"):
        text_encoding(b"a,b\n", name, "t.csv")
    tree = file(tmp_path, b"a;*\n")
    with pytest.raises(InputError, match=f"encoding={name!r} is unknown"):
        Hierarchy.read(tree, encoding=name)
    policy = f"""
        columns.quasi-identifiers = ["age"]
        release = {{ file = "t.csv", encoding = "{name}" }}
        original = {{ file = "{tree.name}", encoding = "{name}" }}
        hierarchies.age = {{ file = "{tree.name}", encoding = "{name}" }}
        attacks.linkage = {{ external = "{tree.name}", identity = ["a"], encoding = "{name}" }}
    """
    with pytest.raises(PolicyError) as refused:
        parse_policy(policy, folder=tmp_path)
    assert [problem.partition(";")[0] for problem in refused.value.problems] == [
        f"line {line}, {key}.encoding: there is no encoding {name!r}"
        for line, key in enumerate(("release", "original", "hierarchies.age", "attacks.linkage"), 3)
    ]


@pytest.mark.parametrize("name", ["idna", "punycode", "klingon"])
def test_a_command_refuses_it_like_an_unknown_name(tmp_path: Path, name: str) -> None:
    table = file(tmp_path, b"a,b\n1,2\n")
    ended = subprocess.run(
        [sys.executable, "-m", "anonaudit", "audit", table, "-q", "a", "--encoding", name],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert ended.returncode == 2
    assert ended.stderr.startswith(f"error: {table}: there is no encoding {name!r}; expected for")


@pytest.mark.parametrize("codec", ["utf-7", "unicode-escape", "raw-unicode-escape"])
def test_half_a_character_is_no_text(tmp_path: Path, codec: str) -> None:
    """These codecs decode a surrogate, which has no place in UTF-8. It is on line 3 here."""
    half = "\ud800".encode(codec)
    table = file(tmp_path, b"a,b\n1,2\n" + half + b",3\n4,5\n6,7\n")
    with pytest.raises(InputError, match=f"line 3 is not text in the encoding {codec}"):
        read(table, encoding=codec)
    tree = file(tmp_path, b"1;2;*\n4;3;*\n" + half + b";3;*\n5;3;*\n", "tree.csv")
    with pytest.raises(InputError, match=rf"tree.csv, line 3: the text is not {codec}\."):
        Hierarchy.read(tree, encoding=codec)
