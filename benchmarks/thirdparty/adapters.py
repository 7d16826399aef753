"""Anonymizers of other people as functions from frame to frame, for `check_masker`.

Each import is inside its function, so that this file can be read where the packages are absent.
What a tool gives back in its own form (one row a class and value, sets joined by commas) is
brought into rows; nothing is repaired.
"""

import contextlib
import io
import logging
import warnings
from collections.abc import Callable
from itertools import pairwise

import pandas as pd

from anonaudit.generalization.hierarchy import Hierarchy
from anonaudit.roles import Roles

QUASI = ["q1", "q2"]
ROLES = Roles(("q1", "q2"), ("s1",), ("name",))
LEVELS = [["a", "ab", "*"], ["b", "ab", "*"], ["c", "cd", "*"], ["d", "cd", "*"]]
TREES = {name: Hierarchy.from_levels(name, LEVELS) for name in QUASI}
Mask = Callable[[pd.DataFrame], pd.DataFrame | None]


def quiet(mask: Mask) -> Mask:
    """The masker without what it prints, and without the warnings of the versions it pins."""

    def masked(frame: pd.DataFrame) -> pd.DataFrame | None:
        with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
            warnings.simplefilter("ignore")
            return mask(frame)

    return masked


def turned(mask: Mask) -> Mask:
    """The masker on a frame whose row labels are the positions, each moved on by one."""
    return lambda frame: mask(frame.set_axis([*range(1, len(frame)), 0][: len(frame)], axis=0))


def _categories(frame: pd.DataFrame) -> pd.DataFrame:
    """Quasi-identifiers as categories, by which two of the tools know what is no number."""
    return frame.assign(**{name: frame[name].astype("category") for name in QUASI})


def _rows(aggregated: pd.DataFrame) -> pd.DataFrame:
    """One row a record from one row a class and sensitive value; a set as `{a,b}`."""
    table = aggregated.loc[aggregated.index.repeat(aggregated["count"].astype(int))]
    table = table.assign(**{name: [_set(cell) for cell in table[name]] for name in QUASI})
    return table[[*QUASI, "s1"]].reset_index(drop=True)


def _set(cell: str | list[str]) -> str:
    """A set of one is its member; the order of members means nothing."""
    (joined,) = cell if isinstance(cell, list) else [cell]
    members = sorted(joined.split(","))
    return members[0] if len(members) == 1 else "{" + ",".join(members) + "}"


def anonypy(how: str, *parameters: float) -> Mask:
    """anonypy's Preserver; how: the name of its method."""

    def mask(frame: pd.DataFrame) -> pd.DataFrame:
        from anonypy import Preserver

        kept = _categories(frame).drop(columns="name")
        return _rows(pd.DataFrame(getattr(Preserver(kept, QUASI, "s1"), how)(*parameters)))

    return quiet(mask)


def anonypyx(**parameters: object) -> Mask:
    """anonypyx's Anonymiser with Mondrian; it refuses with a ValueError."""

    def mask(frame: pd.DataFrame) -> pd.DataFrame:
        from anonypyx import Anonymiser

        kept = _categories(frame).drop(columns="name")
        told = {"sensitive_column": "s1", "feature_columns": QUASI, **parameters}
        return _rows(Anonymiser(kept, generalisation_strategy="human-readable", **told).anonymise())

    return quiet(mask)


def anjana(how: str, **parameters: object) -> Mask:
    """One of anjana's functions; it refuses with an empty frame, and stars identifiers."""

    def mask(frame: pd.DataFrame) -> pd.DataFrame | None:
        from anjana import anonymity

        trees = {
            name: {level: [path[level] for path in LEVELS] for level in range(3)} for name in QUASI
        }
        objects = all(kind.name == "object" for kind in frame.dtypes)  # it takes nothing else
        own = {} if how == "k_anonymity" else {"sens_att": "s1"}
        told = {"supp_level": 0, "hierarchies": trees, **own, **parameters}
        table = frame if objects else frame.astype(object)
        found = getattr(anonymity, how)(table, ["name"], QUASI, **told)
        starred = "name" in found and set(found["name"]) <= {"*"}
        return None if found.empty else found.drop(columns="name") if starred else found

    return quiet(mask)


def lighthouse(k: int, p: int = 1) -> Mask:
    """project-lighthouse-anonymize with the trees of TREES; p above 1: sensitized after that.

    Rows that would be generalized to the root are suppressed, all of them if need be.
    """

    def mask(frame: pd.DataFrame) -> pd.DataFrame:
        from project_lighthouse_anonymize import k_anonymize, p_sensitize

        log = logging.getLogger("lighthouse")
        log.setLevel(logging.CRITICAL)
        trees = {name: _gtree() for name in QUASI}
        table = frame.astype(object)  # as it asks for
        found, _, _ = k_anonymize(log, table, QUASI, k, trees, "name", parallelism=None)
        if p > 1 and len(found):
            shares = frame["s1"].astype(object).value_counts(normalize=True).sort_index().to_dict()
            found, _, _ = p_sensitize(log, found, QUASI, "s1", p, k, shares, 0, None, "name")
        return found.drop(columns="name")

    return quiet(mask)


def _gtree() -> object:
    from project_lighthouse_anonymize.gtrees import GTree

    tree = GTree()
    nodes = {"*": tree.create_node("*")}
    for path in LEVELS:
        for value, above in reversed(list(pairwise(path))):
            if value not in nodes:
                nodes[value] = tree.create_node(value, parent=nodes[above])
    tree.add_default_geometric_sizes()
    return tree
