"""What a claim is, the ledger of a paper's claims, and how one is checked again.

A check goes through inputs one by one: every small table up to a stated bound, then tables drawn
at random. It counts them, stops when its time is up, and names the input that refutes a claim.
"""

from __future__ import annotations

import enum
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeVar

from anonaudit.errors import AnonauditError, closest

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

    from anonaudit.auditing.examining import Progress

T = TypeVar("T")


class Verdict(enum.StrEnum):
    """What is known of a claim."""

    HOLDS = "holds"
    FALSE = "false as published"  # with a counterexample, and a corrected form that is shown
    OURS = "ours"  # holds, and is not in the paper
    CITED = "cited"  # taken from the literature, not shown here
    EXPERIMENT = "experiment"  # a measurement to reproduce, nothing to prove


class RefutedError(AnonauditError):
    """A check met an input for which the claim, or its correction, is not as the ledger says."""


class Cases:
    """The inputs a check goes through: counted, and cut short when time is up.

    budget: seconds, None for no limit. seed: of what is drawn at random; None for the same inputs
    in every run. examples: how many are drawn each time, None for as many as the check asks for.
    After a check `count` is how many inputs it saw, `complete` whether it saw all, `remarks` what
    it measured on the way.
    """

    def __init__(
        self,
        budget: float | None = None,
        *,
        seed: int | None = None,
        examples: int | None = None,
    ) -> None:
        self.count, self.complete = 0, True
        self.seed, self.examples = seed, examples
        self.remarks: list[str] = []
        self._end = None if budget is None else time.monotonic() + budget
        self._now: object = None

    @property
    def out_of_time(self) -> bool:
        """Whether the budget is spent; once it is, the check is not complete."""
        if self._end is not None and time.monotonic() > self._end:
            self.complete = False
        return not self.complete

    def of(self, inputs: Iterable[T]) -> Iterator[T]:
        """The inputs, as long as there is time."""
        for one in inputs:
            if self.out_of_time:
                return
            self.count += 1
            self._now = one
            yield one

    def drawn(
        self, strategy: SearchStrategy[T], promise: Callable[[T], None], examples: int = 100
    ) -> None:
        """Call `promise` with inputs drawn from a strategy, by the seed of these cases.

        Raises RefutedError, for the smallest input found, if the promise does.
        """
        from hypothesis import HealthCheck, given, seed, settings

        def one(drawn: T) -> None:
            if not self.out_of_time:
                self.count += 1
                self._now = drawn
                promise(drawn)

        quiet = settings(
            max_examples=self.examples or examples,
            derandomize=self.seed is None,
            database=None,
            deadline=None,
            print_blob=False,
            suppress_health_check=list(HealthCheck),
        )
        test = quiet(given(strategy)(one))
        (test if self.seed is None else seed(self.seed)(test))()

    def expect(self, condition: object, what: str) -> None:
        """Raise RefutedError, with the input at hand, unless the condition is true."""
        if not condition:
            raise RefutedError(f"{what}; input: {self._now!r}")

    def remark(self, text: str) -> None:
        """Note a number that was measured."""
        self.remarks.append(text)


ClaimCheck = Callable[[Cases], None]


@dataclass(frozen=True)
class Claim:
    """One statement of a paper, or of ours about one, and what became of it.

    id: the paper's key, a hyphen, a name. statement: in our own words.
    shown: by what, and up to which bound. counterexample: the smallest input known, for a false
    one. corrected: what holds instead, or under which condition it holds.
    differs: what was found besides, with the input: where it fails, or a smaller counterexample.
    check: goes through all that again; None where there is nothing the library could run.
    """

    id: str
    statement: str
    verdict: Verdict
    shown: str
    counterexample: str = ""
    corrected: str = ""
    differs: str = ""
    check: ClaimCheck | None = None

    @property
    def paper(self) -> str:
        """The paper's key."""
        return self.id.partition("-")[0]


@dataclass(frozen=True)
class Ledger:
    """The claims of one paper, in the order they were entered."""

    paper: str
    title: str
    claims: list[Claim] = field(default_factory=list)

    def checked(
        self,
        name: str,
        shown: str,
        *,
        verdict: Verdict = Verdict.HOLDS,
        counterexample: str = "",
        corrected: str = "",
        differs: str = "",
    ) -> Callable[[ClaimCheck], ClaimCheck]:
        """Enter the claim that the decorated check shows; its docstring is the statement."""

        def enter(check: ClaimCheck) -> ClaimCheck:
            statement = " ".join((check.__doc__ or "").split())
            claim = Claim(
                f"{self.paper}-{name}",
                statement,
                verdict,
                shown,
                counterexample,
                corrected,
                differs,
                check,
            )
            self.claims.append(claim)
            return check

        return enter

    def stated(self, name: str, statement: str, verdict: Verdict, shown: str) -> None:
        """Enter a claim that has no check of its own."""
        self.claims.append(Claim(f"{self.paper}-{name}", statement, verdict, shown))


class Rechecked(NamedTuple):
    """What came of checking a claim again.

    outcome: `confirmed`, `refuted`, `cut short` (no counterexample in the time there was) or
    `no check`. found: the remarks of the check, or what refuted it.
    """

    claim: Claim
    outcome: Literal["confirmed", "refuted", "cut short", "no check"]
    cases: int
    seconds: float
    found: str


def recheck(
    claim: Claim,
    budget: float | None = None,
    *,
    seed: int | None = None,
    examples: int | None = None,
) -> Rechecked:
    """Run the check of a claim again.

    budget: seconds; None for as long as it takes. seed, examples: as for `Cases`. A claim "false as
    published" is confirmed if its counterexample still is one and its corrected form still holds.

    >>> from anonaudit.papers.claims import claim_named
    >>> recheck(claim_named("TV06-table3")).outcome
    'confirmed'
    """
    if claim.check is None:
        return Rechecked(claim, "no check", 0, 0.0, "")
    cases, start = Cases(budget, seed=seed, examples=examples), time.monotonic()
    try:
        claim.check(cases)
    except RefutedError as error:
        return Rechecked(claim, "refuted", cases.count, time.monotonic() - start, str(error))
    seconds = time.monotonic() - start
    return Rechecked(
        claim,
        "confirmed" if cases.complete else "cut short",
        cases.count,
        seconds,
        "; ".join(cases.remarks),
    )


def recheck_all(
    claims: Iterable[Claim],
    budget: float | None = None,
    progress: Progress = lambda _: None,
    *,
    seed: int | None = None,
) -> Iterator[Rechecked]:
    """Check claims again, one after the other, within a budget for all of them.

    seed: as for `Cases`. Each gets an equal share of what time is left; what one does not need is
    there for the others.
    """
    left = list(claims)
    end = None if budget is None else time.monotonic() + budget
    for number, claim in enumerate(left):
        share = None
        if end is not None:
            runnable = sum(one.check is not None for one in left[number:])
            share = max(end - time.monotonic(), 0.0) / max(runnable, 1)
        progress(f"{number + 1} of {len(left)}: {claim.id}")
        yield recheck(claim, share, seed=seed)


def claim_among(claims: Iterable[Claim], wanted: str) -> Claim:
    """One claim by its id. Raises AnonauditError, with the closest ids, if there is none."""
    by_id = {claim.id: claim for claim in claims}
    if wanted not in by_id:
        raise AnonauditError(f"there is no claim {wanted!r}. {closest(wanted, by_id)}")
    return by_id[wanted]
