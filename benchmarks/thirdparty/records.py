"""What other people's anonymizers did under `check_masker`: the law, the input, what came.

Versions: anonypy 0.2.1, anonypyx 0.2.11, project-lighthouse-anonymize 1.0.0 (pandas 2.3.3,
numpy 1.26.4); anjana 1.2.3 (pandas 2.3.3, numpy 2.0.2, pycanon 1.3.5); Python 3.11.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Record:
    """A law that a tool breaks.

    rows: the reduced input, a row as the letters of q1, q2 and s1. came: the lines that
    `check_masker` says came of it.
    """

    tool: str
    law: str
    rows: tuple[str, ...]
    came: tuple[str, ...]


RECORDS = (
    Record(
        "anonypy, k = 2",
        "says no",
        ("aaa",),
        ("a release, although the model cannot be satisfied", "q1  q2  s1", "a   a   a"),
    ),
    Record(
        "anonypy, k = 2",
        "row order",
        ("aaa", "aaa", "baa", "caa"),
        (
            "q1     q2  s1",
            "a      a   a",
            "a      a   a",
            "{b,c}  a   a",
            "{b,c}  a   a",
            "but also",
            "q1       q2  s1",
            "{a,b,c}  a   a",
            "{a,b,c}  a   a",
            "{a,b,c}  a   a",
            "{a,b,c}  a   a",
        ),
    ),
    Record(
        "anonypy, k = 2",
        "index",
        ("aaa", "aaa"),
        (
            "q1  q2  s1",
            "a   a   a",
            "a   a   a",
            "but also",
            "q1  q2  s1",
            "a   a   a",
            "a   a   a",
            "a   a   a",
            "a   a   a",
        ),
    ),
    Record(
        "anonypy, k = l = 2",
        "says no",
        ("aaa", "aaa"),
        (
            "a release, although the model cannot be satisfied",
            "q1  q2  s1",
            "a   a   a",
            "a   a   a",
        ),
    ),
    Record(
        "anonypy, k = l = 2",
        "row order",
        ("aaa", "aab", "baa", "cab"),
        (
            "q1     q2  s1",
            "a      a   a",
            "a      a   b",
            "{b,c}  a   a",
            "{b,c}  a   b",
            "but also",
            "q1       q2  s1",
            "{a,b,c}  a   a",
            "{a,b,c}  a   a",
            "{a,b,c}  a   b",
            "{a,b,c}  a   b",
        ),
    ),
    Record(
        "anonypy, k = l = 2",
        "index",
        ("aaa", "aab"),
        (
            "q1  q2  s1",
            "a   a   a",
            "a   a   b",
            "but also",
            "q1  q2  s1",
            "a   a   a",
            "a   a   a",
            "a   a   b",
            "a   a   b",
        ),
    ),
    Record(
        "anonypy, k = 2, t = 0.2",
        "promise",
        ("aaa", "aaa", "aba", "abb"),
        ("violated, level 0.25", "q1  q2  s1", "a   a   a", "a   a   a", "a   b   a", "a   b   b"),
    ),
    Record(
        "anonypyx, k = 2",
        "row order",
        ("aaa", "aaa", "baa", "caa"),
        (
            "q1     q2  s1",
            "a      a   a",
            "a      a   a",
            "{b,c}  a   a",
            "{b,c}  a   a",
            "but also",
            "q1       q2  s1",
            "{a,b,c}  a   a",
            "{a,b,c}  a   a",
            "{a,b,c}  a   a",
            "{a,b,c}  a   a",
        ),
    ),
    Record(
        "anonypyx, k = 2",
        "index",
        ("aaa", "aaa"),
        (
            "q1  q2  s1",
            "a   a   a",
            "a   a   a",
            "but also",
            "q1  q2  s1",
            "a   a   a",
            "a   a   a",
            "a   a   a",
            "a   a   a",
        ),
    ),
    Record(
        "anonypyx, k = l = 2",
        "says no",
        ("aaa", "aaa"),
        (
            "a release, although the model cannot be satisfied",
            "q1  q2  s1",
            "a   a   a",
            "a   a   a",
        ),
    ),
    Record(
        "anonypyx, k = l = 2",
        "row order",
        ("aaa", "aab", "baa", "cab"),
        (
            "q1     q2  s1",
            "a      a   a",
            "a      a   b",
            "{b,c}  a   a",
            "{b,c}  a   b",
            "but also",
            "q1       q2  s1",
            "{a,b,c}  a   a",
            "{a,b,c}  a   a",
            "{a,b,c}  a   b",
            "{a,b,c}  a   b",
        ),
    ),
    Record(
        "anonypyx, k = l = 2",
        "index",
        ("aaa", "aab"),
        (
            "q1  q2  s1",
            "a   a   a",
            "a   a   b",
            "but also",
            "q1  q2  s1",
            "a   a   a",
            "a   a   a",
            "a   a   b",
            "a   a   b",
        ),
    ),
    Record(
        "anonypyx, k = 2, t = 0.2",
        "promise",
        ("aaa", "aab", "aba", "abc"),
        ("violated, level 0.25", "q1  q2  s1", "a   a   a", "a   a   b", "a   b   a", "a   b   c"),
    ),
    Record(
        "anonypyx, k = 2, t = 0.2",
        "dtype",
        ("aaa", "aab", "aba", "abc"),
        (
            "q1  q2  s1",
            "a   a   a",
            "a   a   b",
            "a   b   a",
            "a   b   c",
            "but also",
            "q1  q2     s1",
            "a   {a,b}  a",
            "a   {a,b}  a",
            "a   {a,b}  b",
            "a   {a,b}  c",
        ),
    ),
    Record(
        "anjana, k = 2, half suppressed",
        "index",
        ("aaa", "aaa", "aba"),
        ("ValueError: min() arg is an empty sequence",),
    ),
    Record(
        "anjana, k = l = 2",
        "runs",
        ("aaa",),
        (
            "ValueError: Values not defined: [np.str_('q1'), np.str_('q2')]. Cannot be quasi-identifiers",
        ),
    ),
    Record(
        "anjana, k = l = 2",
        "index",
        ("aaa", "aab"),
        ("IndexError: positional indexers are out-of-bounds",),
    ),
    Record(
        "anjana, k = l = 2, labels moved",
        "promise",
        ("aaa", "aba", "abb", "aaa", "abb"),
        (
            "violated, level 1",
            "q1  q2  s1",
            "a   a   a",
            "a   b   a",
            "a   b   b",
            "a   a   a",
            "a   b   b",
        ),
    ),
    Record(
        "anjana, k = 2, t = 0.2, labels moved",
        "promise",
        ("aaa", "aaa", "aaa", "abb", "aba"),
        (
            "violated, level 0.30000000000000004",
            "q1  q2  s1",
            "a   a   a",
            "a   a   a",
            "a   a   a",
            "a   b   b",
            "a   b   a",
        ),
    ),
    Record("anjana, k = 2, entropy l = 2", "answers", ("aaa", "aab"), ("a refusal",)),
    Record(
        "lighthouse, k = p = 2",
        "sensitive",
        ("aaa", "aaa", "abb"),
        ("1 row(s) with sensitive values of another row", "q1  q2  s1", "a   a   a", "a   a   b"),
    ),
    Record(
        "lighthouse, k = p = 2",
        "index",
        ("aaa", "aaa", "abb"),
        ("RuntimeError: Result p (1) not >= target p (2)",),
    ),
)
