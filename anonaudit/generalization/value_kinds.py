"""Recognise the kind of values in a column by their form: hashes, dates, codes, free text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

FREE_TEXT: Final = "free text"
DIAGNOSES: Final = "ICD-10 codes"
MIXED_DATES: Final = "dates in several formats"
# The number of hexadecimal digits of a hash, by the name of its algorithm in `hashlib`.
HASHES: Final = {"md5": 32, "sha1": 40, "sha256": 64, "sha512": 128}

_NEARLY_ALL: Final = 0.9
_MOST: Final = 10_000  # the most values that are examined, evenly spread
_LONGEST: Final = 400
_LEAST_CODES: Final = 5  # fewer texts may look like codes by chance
_WORDS, _CHARACTERS = 4, 25  # free text has at least so many per value, on average
_OLDEST: Final = 120

_DATES: Final = {
    "year-month-day": re.compile(r"[12][0-9]{3}-[01][0-9]-[0-3][0-9](?:[T ][0-9:.]+\S*)?"),
    "day.month.year": re.compile(r"[0-3]?[0-9]\.[01]?[0-9]\.(?:[12][0-9])?[0-9]{2}"),
    "with slashes": re.compile(r"[0-3]?[0-9]/[0-3]?[0-9]/(?:[12][0-9])?[0-9]{2}"),
    "day-month-year": re.compile(r"[0-3]?[0-9]-[01]?[0-9]-[12][0-9]{3}"),
    "with a month's name": re.compile(
        r"[0-3]?[0-9][ -](?!(?i:and|until|thru|through|und|bis|hasta|jusqu)[ -])[A-Za-z]{3,9}"
        r"[ ,-]{1,2}[0-9]{2,4}"
        r"|[A-Za-z]{3,9} [0-3]?[0-9], [0-9]{4}"
    ),
}
_FORMS: Final = {
    "URLs": re.compile(r"(?:https?|ftp)://\S+|www\.\S+\.\S+", re.IGNORECASE),
    "UUIDs": re.compile(r"\{?[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\}?", re.IGNORECASE),
    **{
        f"hashes ({name})": re.compile(rf"[0-9a-f]{{{length}}}", re.IGNORECASE)
        for name, length in HASHES.items()
    },
    "coordinates": re.compile(
        r"\(?-?[0-9]{1,2}\.[0-9]{3,}\s*[,; ]\s*-?(?:1[0-7]|[0-9])?[0-9]\.[0-9]{3,}\)?"
    ),
}
_ICD: Final = re.compile(r"[A-TV-Z][0-9][0-9AB](?:\.?[0-9A-Z-]{1,4})?", re.IGNORECASE)
_ICD_DOTTED: Final = re.compile(r"[A-TV-Z][0-9][0-9AB]\.[0-9A-Z-]{1,4}", re.IGNORECASE)
_POSTAL: Final = re.compile(
    r"[0-9]{4,5}(?:-[0-9]{4})?|[0-9]{6}|[0-9]{3}[ -][0-9]{2}|[0-9]{4} ?[A-Z]{2}"
    r"|[A-Z]{1,2}[0-9][0-9A-Z]? ?[0-9][A-Z]{2}|[A-Z][0-9][A-Z] ?[0-9][A-Z][0-9]"
)
_WHOLE: Final = re.compile(r"[0-9]{1,3}")
_DECIMAL: Final = re.compile(r"-?[0-9]{1,3}\.[0-9]{3,}")
POSTAL_NAME: Final = re.compile(r"zip|post|plz|postal", re.IGNORECASE)
_DEGREES: Final = re.compile(r"(?:^|_|\b)(?:lat|lon|lng)", re.IGNORECASE)
_AGE: Final = re.compile(
    r"(?:^|[\W_])(?:age|alter|edad|eta|idade|leeftijd)(?:$|[\W_0-9])", re.IGNORECASE
)


def value_kind(labels: Sequence[str], name: str = "") -> str | None:
    """Return the kind of the values of a column, by their form; None for no known kind.

    At least 90% of the values must have the form. Free text is recognised by the average length.

    Parameters
    ----------
    labels
        The distinct values of the column.
    name
        The name of the column. Numbers are recognised as postal codes, ages or coordinates only if
        the name says so.

    Returns
    -------
    The kind, in the plural.

    Example
    -------
    >>> value_kind(["2024-01-31", "31.1.2024", "2024-02-01"])
    'dates in several formats'
    >>> value_kind(["C34.1", "I10", "E11.9", "J45", "C50.9"])
    'ICD-10 codes'
    >>> value_kind(["02139", "02140"], "zip"), value_kind(["02139", "02140"], "code")
    ('postal codes', None)
    """
    some = [label.strip()[:_LONGEST] for label in labels[:: max(1, -(-len(labels) // _MOST))]]
    if not some:
        return None
    for kind, form in _FORMS.items():
        if _nearly_all(form, some):
            return kind
    return _dates(some) or _codes(some, name) or (FREE_TEXT if _is_free_text(some) else None)


def is_date(text: str) -> bool:
    """Return True if the text is a date with a day, in one of the known formats.

    >>> is_date("2024-01-31"), is_date("31.1.2024"), is_date("2024-01")
    (True, True, False)
    >>> is_date("31-Jan-2024"), is_date("18 thru 25")
    (True, False)
    """
    return any(form.fullmatch(text) for form in _DATES.values())


def _nearly_all(form: re.Pattern[str], texts: Sequence[str]) -> bool:
    return sum(form.fullmatch(text) is not None for text in texts) >= _NEARLY_ALL * len(texts)


def _dates(texts: Sequence[str]) -> str | None:
    """Return "dates" or MIXED_DATES, if the values are dates in several formats; else None."""
    names = [
        next((name for name, form in _DATES.items() if form.fullmatch(text)), None)
        for text in texts
    ]
    formats = set(names) - {None}
    if len(texts) - names.count(None) < _NEARLY_ALL * len(texts):
        return None
    return MIXED_DATES if len(formats) > 1 else "dates"


def _codes(texts: Sequence[str], name: str) -> str | None:
    """Return the kind of the codes or numbers, or None; most kinds need a matching column name."""
    dotted = sum(_ICD_DOTTED.fullmatch(text) is not None for text in texts)
    if dotted and len(texts) >= _LEAST_CODES and _nearly_all(_ICD, texts):
        return DIAGNOSES
    if POSTAL_NAME.search(name) and _nearly_all(_POSTAL, texts):
        return "postal codes"
    if _DEGREES.search(name) and _nearly_all(_DECIMAL, texts):
        return "coordinates"
    whole = _nearly_all(_WHOLE, texts)
    if _AGE.search(name) and whole:
        ages = [int(text) for text in texts if _WHOLE.fullmatch(text)]
        return "ages" if sum(age <= _OLDEST for age in ages) >= _NEARLY_ALL * len(texts) else None
    return None


def _is_free_text(texts: Sequence[str]) -> bool:
    """Return True if the values are long on average, so sentences rather than categories."""
    words = sum(len(text.split()) for text in texts)
    enough = len(texts) >= _LEAST_CODES
    return (
        enough and words >= _WORDS * len(texts) and sum(map(len, texts)) >= _CHARACTERS * len(texts)
    )
