"""How texts are spelled in TOML: names come from strangers' files, so nothing is left to chance."""

from __future__ import annotations

import re
from collections.abc import Iterable

_BARE = re.compile(r"[A-Za-z0-9_-]+")


def quoted(text: str) -> str:
    r"""A text in quotes, with escapes for all that does not print; safe in comments too.

    >>> print(quoted('say "hi"\n'), quoted("🙂\u202e"))
    "say \"hi\"\u000a" "🙂\u202e"
    """
    return '"' + "".join(map(_escaped, text)) + '"'


def key(name: str) -> str:
    """A name before an equals sign.

    >>> key("age"), key("zip code")
    ('age', '"zip code"')
    """
    return name if _BARE.fullmatch(name) else quoted(name)


def array(texts: Iterable[str]) -> str:
    """Texts as a list on one line."""
    return "[" + ", ".join(map(quoted, texts)) + "]"


def _escaped(character: str) -> str:
    if character in '"\\':
        return "\\" + character
    if character.isprintable():
        return character
    code = ord(character)
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
