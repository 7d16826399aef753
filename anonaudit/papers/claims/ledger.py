"""Claims, the ledger of a paper's claims, and the repetition of a check.

A check examines inputs one by one: first all small tables up to a stated bound, then random tables.
It counts the inputs, stops when its time is up, and reports an input that refutes the claim. A
claim that is false as published has a known counterexample, which its check repeats.
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
    """The verdict on a claim."""

    HOLDS = "holds"
    FALSE = "false as published"  # there is a counterexample; the corrected form is checked
    OURS = "ours"  # holds, and is not in the paper
    CITED = "cited"  # taken from the literature, not proved here
    EXPERIMENT = "experiment"  # a measurement to reproduce, not a statement to prove


class RefutedError(AnonauditError):
    """A check found an input that contradicts the ledger's claim or its correction."""


class Cases:
    """The inputs of a check. They are counted, and they end when the time is up.

    budget: the time in seconds; None for no limit.
    seed: the seed of random inputs; None for the same random inputs in every run.
    examples: the number of inputs in each random draw; None for the number that the check asks for.

    After a check, `count` is the number of inputs, `complete` is False if the time ran out, and
    `remarks` holds the numbers that the check recorded, as texts.
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
        """True if the time is up. Then `complete` becomes False."""
        if self._end is not None and time.monotonic() > self._end:
            self.complete = False
        return not self.complete

    def of(self, inputs: Iterable[T]) -> Iterator[T]:
        """Yield and count the inputs until the time is up."""
        for one in inputs:
            if self.out_of_time:
                return
            self.count += 1
            self._now = one
            yield one

    def drawn(
        self, strategy: SearchStrategy[T], promise: Callable[[T], None], examples: int = 100
    ) -> None:
        """Call `promise` with random inputs from a strategy.

        `promise` raises RefutedError for an input that refutes the claim. Hypothesis then looks for
        a smaller such input, and the error for the smallest is raised.

        examples: the number of inputs, unless `Cases.examples` is set.
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
        """Raise RefutedError with the current input unless the condition is true.

        what: the expectation in words.
        """
        if not condition:
            raise RefutedError(f"expected: {what}; input: {self._now!r}")

    def remark(self, text: str) -> None:
        """Record a number that was measured."""
        self.remarks.append(text)


ClaimCheck = Callable[[Cases], None]


@dataclass(frozen=True)
class Claim:
    """A statement of a paper, or one of ours about a paper, with its verdict.

    id: the paper's key, a hyphen and a name, such as `TV06-thm1`.
    statement: the claim, in our words.
    shown: the inputs of the check and their bound; without a check, why there is none.
    counterexample: the smallest known counterexample, if the claim is false as published.
    corrected: the statement that holds instead, or the condition under which the claim holds.
    differs: further remarks, such as an input for which a variant of the claim fails.
    check: the function that checks the claim; None if the library has nothing to run.
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
    """The claims of one paper, in the order in which they were added.

    paper: the paper's key, such as `TV06`.
    """

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
        """Return a decorator that adds a claim with the decorated function as its check.

        The docstring of the function is the statement of the claim. The parameters are the fields
        of `Claim`; the id is made from the paper's key and `name`.
        """

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
        """Add a claim without a check."""
        self.claims.append(Claim(f"{self.paper}-{name}", statement, verdict, shown))


class Rechecked(NamedTuple):
    """The result of repeating a check.

    outcome: `confirmed`, `refuted`, `cut short` (the time ran out and no counterexample had been
        found) or `no check` (the claim has none).
    cases: the number of inputs.
    seconds: the time that the check took.
    found: the remarks of the check, or what refuted the claim.
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
    """Repeat the check of a claim.

    For a claim that is false as published, `confirmed` means that the counterexample still refutes
    the claim and that the corrected statement still holds.

    budget, seed, examples: as for `Cases`.

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
    """Repeat the checks of claims one by one, and yield the results.

    Each check gets an equal share of the remaining time, so the later checks get the time that an
    earlier check does not use.

    budget: the time for all checks together, in seconds; None for no limit.
    progress: is called with a text before each check.
    seed: as for `Cases`.
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
    """Return a claim by its id. Raises AnonauditError, with the closest ids, for an unknown id."""
    by_id = {claim.id: claim for claim in claims}
    if wanted not in by_id:
        raise AnonauditError(f"there is no claim {wanted!r}. {closest(wanted, by_id)}")
    return by_id[wanted]
