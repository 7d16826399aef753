"""Releases that somebody else made, beside each other: `anonaudit.compare`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final

from anonaudit.auditing.examining import Progress, examine
from anonaudit.auditing.preparation import prepare
from anonaudit.auditing.prepared import PreparedRelease
from anonaudit.errors import AnonauditError, InputError
from anonaudit.findings import AuditReport
from anonaudit.masking.loss import discernability
from anonaudit.matrix.attack_cells import Matrix, MatrixRow
from anonaudit.matrix.label_loss import by_width, loss_of_release
from anonaudit.matrix.matrix_rows import Run
from anonaudit.policy.policy import Policy
from anonaudit.source.table import open_source

GIVEN: Final = "given"  # the algorithm of a release that somebody else made


def compare(
    releases: Mapping[str, Any],
    policy: Policy,
    *,
    original: Any,
    only: Sequence[str] = (),
    seed: int = 0,
    progress: Progress = lambda _: None,
) -> Matrix:
    """Attack and measure several releases of one original.

    Parameters
    ----------
    releases
        By their names: paths, or tables in memory. Each has the columns of the policy.
    policy
        What is measured and required, and the attacks with their options. Attacks that it does not
        name are run as they are by default.
    original
        The table that the releases were made from, with one row a record. If the policy names an
        original with a `key` or `align`, the rows are paired with that file.
    only
        Names of attacks; all if none.
    seed
        Of attacks that draw at random.
    progress
        Called with a few words before each step.

    Returns
    -------
    A row for each release, and a cell for each attack, as of `anonaudit.matrix.matrix`. Everybody
    in the original is a target of attacks that link. Attacks that need a second release, or the
    masker, do not run unless the policy names that release. The information loss is that of the
    labels (see `anonaudit.matrix.label_loss.loss_of_release`).

    Raises
    ------
    InputError, PolicyError
        A table cannot be read, or lacks a column. The message names the release.

    Example
    -------
    >>> import pandas as pd
    >>> from anonaudit.policy import parse_policy
    >>> rules = parse_policy('columns = { quasi-identifiers = ["age"], sensitive = ["ill"] }')
    >>> people = pd.DataFrame({"age": ["20", "24", "30", "40"], "ill": ["a", "b", "b", "a"]})
    >>> halves = people.assign(age=["[20,30)", "[20,30)", "[30,40]", "[30,40]"])
    >>> found = compare({"halves": halves}, rules, original=people, only=["linkage"])
    >>> found.rows[0].loss, found.rows[0].cells[0].exposed
    (0.5, 0)
    """
    if not releases:
        raise InputError("there is no release to compare; name at least one")
    progress("reading rows")
    run = Run.read(original, policy, only=only, seed=seed)
    given = []
    for name, release in releases.items():
        progress(f"{name}: reading rows")
        with _naming(name):
            given.append(Given.read(run, name, release))
    widths = by_width((one.prepared.base for one in given), run.table)
    rows = []
    for one in given:

        def say(what: str, name: str = one.name) -> None:
            progress(f"{name}: {what}")

        with _naming(one.name):
            rows.append(run.row(replace(one, widths=widths), say))
    return run.matrix(rows)


@contextmanager
def _naming(name: str) -> Iterator[None]:
    """Errors name the release."""
    try:
        yield
    except AnonauditError as error:
        raise InputError(f"release {name!r}: {error}") from None


@dataclass(frozen=True, eq=False, repr=False)
class Given:
    """A release that somebody else made. widths: as of `by_width`."""

    run: Run
    name: str
    prepared: PreparedRelease
    widths: frozenset[str] = frozenset()

    @classmethod
    def read(cls, run: Run, name: str, release: Any) -> Given:
        """Count it as an auditor would. Raises AnonauditError as `prepare` does."""
        # The trees of the original: they have all its values.
        policy = run.table.policy
        rules = replace(run.table.for_release, convention=policy.convention, attacks=())
        paired = policy.original
        if paired is not None and (paired.key is not None or paired.align is not None):
            rules = replace(rules, original=paired)  # whose row each released row is
        return cls(run, name, prepare(open_source(release), rules))

    @property
    def key(self) -> str:
        """Its name; nothing of it is cached."""
        return self.name

    @property
    def masker(self) -> None:
        """Nobody can make another one."""

    @cached_property
    def report(self) -> AuditReport:
        """What it reaches of the policy."""
        return examine(self.prepared, seed=self.run.seed)

    def named(self) -> MatrixRow:
        """The name that it was given."""
        return MatrixRow(self.name, GIVEN)

    def costs(self) -> MatrixRow:
        """What the release costs, by its labels."""
        base = self.prepared.base
        lost = loss_of_release(base, self.run.table, self.widths)
        return replace(
            self.named(),
            released=base.total,
            suppressed=max(len(self.run.table.data) - base.total, 0),
            loss=lost.least,
            highest_loss=lost.most,
            discernability=discernability(self.prepared.classes.rows),
            notes=lost.notes,
        )
