"""Write texts as TOML. Names come from untrusted files, so every special character is escaped."""

from __future__ import annotations

import re
from collections.abc import Iterable

_BARE = re.compile(r"[A-Za-z0-9_-]+")


def quoted(text: str) -> str:
    r"""Return a text in quotes, with unprintable characters escaped. It is safe in comments too.

    >>> print(quoted('say "hi"\n'), quoted("🙂\u202e"))
    "say \"hi\"\u000a" "🙂\u202e"
    """
    return '"' + "".join(map(_escaped, text)) + '"'


def key(name: str) -> str:
    """Return a name as a TOML key, in quotes if needed.

    >>> key("age"), key("zip code")
    ('age', '"zip code"')
    """
    return name if _BARE.fullmatch(name) else quoted(name)


def array(texts: Iterable[str]) -> str:
    """Return texts as a TOML list on one line."""
    return "[" + ", ".join(map(quoted, texts)) + "]"


def _escaped(character: str) -> str:
    if character in '"\\':
        return "\\" + character
    if character.isprintable():
        return character
    code = ord(character)
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
