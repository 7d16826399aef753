"""Compare releases that others made: `anonaudit.compare`."""

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

GIVEN: Final = "given"  # stands for the unknown algorithm of a release that others made


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
        The releases by name, as paths or tables in memory. Each has the columns that the policy
        names.
    policy
        The models to measure and require, and the attacks with their options. Other installed
        attacks run with default options.
    original
        The table from which the releases were made: a path, or a table in memory. If the policy
        names an original with a `key` or `align`, the rows of each release are paired with that
        file.
    only
        The names of the attacks to run; all if empty.
    seed
        The seed of the attacks that draw at random.
    progress
        Called with a short text before each step.

    Returns
    -------
    A matrix with a row for each release and a cell for each attack, like `anonaudit.matrix.matrix`.
    The attacks that link target everybody in the original. An attack that needs a second release
    runs only if the policy names a second release. An attack that needs the masking algorithm does
    not run. The information loss is computed from the labels, see
    `anonaudit.matrix.label_loss.loss_of_release`.

    Raises
    ------
    InputError, PolicyError
        A table cannot be read or lacks a column. The message names the release.

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
    """Add the name of the release to the message of an error."""
    try:
        yield
    except AnonauditError as error:
        raise InputError(f"release {name!r}: {error}") from None


@dataclass(frozen=True, eq=False, repr=False)
class Given:
    """A release that others made.

    prepared: the release, read and counted.
    widths: the columns whose intervals and masks are compared by width, see `by_width`.
    """

    run: Run
    name: str
    prepared: PreparedRelease
    widths: frozenset[str] = frozenset()

    @classmethod
    def read(cls, run: Run, name: str, release: Any) -> Given:
        """Read and count a release. Raises the errors of `prepare`."""
        # The hierarchies of the original are used, because they contain all values.
        policy = run.table.policy
        rules = replace(run.table.for_release, convention=policy.convention, attacks=())
        paired = policy.original
        if paired is not None and (paired.key is not None or paired.align is not None):
            rules = replace(rules, original=paired)  # pairs released rows with original rows
        return cls(run, name, prepare(open_source(release), rules))

    @property
    def key(self) -> str:
        """The name of the release. It is no file name, because `compare` uses no cache."""
        return self.name

    @property
    def masker(self) -> None:
        """None: the masker is unknown, so a second release cannot be made."""

    @cached_property
    def report(self) -> AuditReport:
        """The models of the policy, measured on the release."""
        return examine(self.prepared, seed=self.run.seed)

    def named(self) -> MatrixRow:
        """Return a row with the name of the release only."""
        return MatrixRow(self.name, GIVEN)

    def costs(self) -> MatrixRow:
        """Return a row with the numbers of rows and the information loss of the labels."""
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
