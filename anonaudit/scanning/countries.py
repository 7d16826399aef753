"""Recognise the national identity numbers and telephone numbers of given countries."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from anonaudit.errors import InputError
from anonaudit.generalization.direct_identifiers import TELEPHONE

_NEARLY_ALL: Final = 0.9
# The modules of python-stdnum for the identity numbers of each country, besides `personalid`.
_NUMBERS: Final = {
    "at": ("vnr",),
    "bg": ("egn",),
    "br": ("cpf",),
    "ca": ("sin",),
    "ch": ("ssn",),
    "cn": ("ric",),
    "cz": ("rc",),
    "de": ("idnr",),
    "ee": ("ik",),
    "es": ("dni", "nie"),
    "fr": ("nir",),
    "gb": ("nhs",),
    "hr": ("oib",),
    "ie": ("pps",),
    "in": ("aadhaar",),
    "it": ("codicefiscale",),
    "lt": ("asmens",),
    "mx": ("curp",),
    "nl": ("bsn",),
    "no": ("fodselsnummer",),
    "pl": ("pesel",),
    "ro": ("cnp",),
    "tr": ("tckimlik",),
    "us": ("ssn", "itin"),
    "za": ("idnr",),
}
_LEAST: Final = 5  # fewer values may have a valid check digit by chance
_MOST: Final = 1_000  # of more values, an evenly spaced sample is tested
_FEWEST_DIGITS: Final = 7


def national_numbers(labels: Sequence[str], countries: Sequence[str]) -> tuple[str, str] | None:
    """Return the kind of numbers, national identity or telephone, that nearly all labels are.

    Parameters
    ----------
    labels
        The different values of a column.
    countries
        Two-letter codes. The rules of each country are tried in this order.

    Returns
    -------
    The kind in the plural, for example "national identity numbers", and the country. None if no
    rule fits nearly all labels.

    Raises
    ------
    InputError
        A country is unknown, no identity number of the country is known, or anonaudit[scan] is not
        installed.
    """
    some = labels[:: max(1, -(-len(labels) // _MOST))]
    for country in countries:
        for kind, holds in _rules(country).items():
            if sum(map(holds, some)) >= max(_LEAST, _NEARLY_ALL * len(some)):
                return kind, country
    return None


def _rules(country: str) -> dict[str, Callable[[str], bool]]:
    try:
        import phonenumbers
        from stdnum import get_cc_module
    except ImportError:
        raise InputError(
            "countries need phonenumbers and python-stdnum; run: pip install 'anonaudit[scan]'"
        ) from None
    region = country.upper()
    if region not in phonenumbers.SUPPORTED_REGIONS:
        raise InputError(f"there is no country {country!r}; give a two-letter code, such as de")
    rules: dict[str, Callable[[str], bool]] = {}
    names = ("personalid", *_NUMBERS.get(country.lower(), ()))
    modules: list[Any] = [get_cc_module(country.lower(), name) for name in names]
    valid = [module.is_valid for module in modules if module is not None]
    if not valid:
        raise InputError(f"no national identity number of {country!r} is known; omit this country")
    rules["national identity numbers"] = lambda text: any(one(text) for one in valid)

    def is_telephone(text: str) -> bool:
        if sum(map(str.isdigit, text)) < _FEWEST_DIGITS:
            return False
        try:
            return bool(phonenumbers.is_valid_number(phonenumbers.parse(text, region)))
        except phonenumbers.NumberParseException:
            return False

    rules[TELEPHONE] = is_telephone
    return rules
