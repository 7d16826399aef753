"""Population uniqueness: the estimated share of rows that are alone in the population.

A row is alone in the release if no other row has the same quasi-identifiers. Its person may still
share them with people of the population who are not in the release. The number of rows that are
alone in the population too is estimated from the number of classes with one row, two rows, and so
on, and from the sampling fraction.

Sources: Zayatz, Estimation of the Number of Unique Population Elements Using a Sample, ASA Survey
Research Methods, 1991; Hoshino, Applying Pitman's Sampling Formula to Microdata Disclosure Risk
Assessment, Journal of Official Statistics 17(4), 2001; Chen, Keller-McNulty, Estimation of
Identification Disclosure Risk in Microdata, Journal of Official Statistics 14(1), 1998 (slide
negative binomial, SNB); Haas, Stokes, Estimating the Number of Classes in a Finite Population, JASA
93, 1998 (the number of classes); Dankar, El Emam, Neisa, Roffey, Estimating the Re-identification
Risk of Clinical Data Sets, BMC Medical Informatics and Decision Making 12:66, 2012 (the decision
rule); Skinner, Shlomo 2008 (the log-linear model, see `log_linear.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar, Final, Literal, get_args

import numpy as np
import numpy.typing as npt

from anonaudit.about import GENERALIZE, AboutModel, Need, Unasked
from anonaudit.arrays import Floats
from anonaudit.details import Details, fact
from anonaudit.findings import Measurement, Outcome
from anonaudit.frequency.classes import EquivalenceClasses
from anonaudit.models.disclosure_risk import members
from anonaudit.models.level import ParameterError, measurement, real_number
from anonaudit.models.log_linear import NoFitError, UniquesOfPopulation, expected_uniques

Estimator = Literal["dankar", "pitman", "zayatz", "snb", "log-linear"]
_LOG_LINEAR: Final = "log-linear"
_PAIRS: Final = "log-linear by pairs"
SMALL_FRACTION: Final = 0.1  # up to this fraction, Dankar's rule uses Pitman


@dataclass(frozen=True)
class Histogram:
    """The number of classes of each size in a sample, and the sampling fraction.

    sizes: the distinct sizes, ascending, shape (n,). classes: the number of classes of each size,
    shape (n,). fraction: the share of the population that is in the sample, above 0, at most 1.

    >>> Histogram.of(np.array([1, 1, 2]), 0.5).alone
    2.0
    """

    sizes: Floats
    classes: Floats
    fraction: float

    @classmethod
    def of(cls, sizes: npt.ArrayLike, fraction: float) -> Histogram:
        """Return the histogram of the sizes of all classes, shape (n_classes,)."""
        different, classes = np.unique(np.asarray(sizes, float), return_counts=True)
        return cls(different, classes.astype(float), fraction)

    @cached_property
    def rows(self) -> float:
        """The number of rows in the sample."""
        return float((self.sizes * self.classes).sum())

    @cached_property
    def population(self) -> float:
        """The number of people in the population, rounded to a whole number."""
        return float(round(self.rows / self.fraction))

    @property
    def alone(self) -> float:
        """The number of classes with one row."""
        return float(self.classes[self.sizes == 1].sum())

    @property
    def pairs(self) -> float:
        """The number of classes with two rows."""
        return float(self.classes[self.sizes == 2].sum())


def zayatz(sample: Histogram) -> float | None:
    """The share of the population that is alone, by Zayatz 1991; None if no sample row is alone.

    The class sizes of the population are assumed to be distributed like those of the sample. The
    number of drawn rows of a population class has a hypergeometric distribution. Bayes' rule then
    gives the chance that a class with one row in the sample has one row in the population.
    """
    from scipy.special import gammaln  # a slow import

    n, total = sample.rows, sample.population
    if sample.alone == 0:
        return None
    rest = sample.sizes - 1  # the rows of the class that are not drawn

    def log_choose(top: Floats, of: float) -> Floats:
        return np.asarray(gammaln(top + 1) - gammaln(of + 1) - gammaln(top - of + 1))

    possible = rest <= total - n
    left = np.where(possible, total - sample.sizes, n - 1)
    log_one = np.log(sample.sizes) + log_choose(left, n - 1) - log_choose(np.array(total), n)
    one = np.where(possible, np.exp(log_one), 0)
    from_one = sample.alone * one[0] / (sample.classes * one).sum()
    return float(sample.alone * from_one / n)


def pitman(sample: Histogram) -> float | None:
    """The share of the population that is alone, by Pitman's sampling formula (Hoshino 2001).

    theta and alpha maximize the likelihood of the class sizes. In a population of N, about
    Gamma(theta + 1) / Gamma(theta + alpha) N^alpha people are alone. None if the likelihood has no
    maximum inside 0 < alpha < 1, for example if no class has one row, or if every class has one.
    """
    from scipy.optimize import minimize
    from scipy.special import digamma, expit, gammaln

    n, classes = sample.rows, float(sample.classes.sum())
    if sample.alone in (0, classes) or classes < 2:
        return None

    def parameters(at: Floats) -> tuple[float, float]:
        alpha = float(expit(at[1]))
        return float(np.exp(at[0])) - alpha, alpha

    def unlikeliness(at: Floats) -> float:
        theta, alpha = parameters(at)
        of_classes = (classes - 1) * np.log(alpha)
        of_classes += gammaln(theta / alpha + classes) - gammaln(theta / alpha + 1)
        of_rows = gammaln(theta + n) - gammaln(theta + 1)
        within = gammaln(sample.sizes - alpha) - gammaln(1 - alpha)
        return float(of_rows - of_classes - (sample.classes * within).sum())

    def slope(theta: float, alpha: float) -> float:
        """The derivative of the log-likelihood by theta, times theta + alpha; 0 at a maximum."""
        of_classes = (digamma(theta / alpha + classes) - digamma(theta / alpha + 1)) / alpha
        return float((of_classes - digamma(theta + n) + digamma(theta + 1)) * (theta + alpha))

    best = minimize(
        unlikeliness,
        np.array([np.log(classes), 0.0]),
        method="Nelder-Mead",
        options={"xatol": 1e-10, "fatol": 1e-10, "maxiter": 4000, "maxfev": 8000},
    )
    theta, alpha = parameters(best.x)
    inside = 1e-4 < alpha < 1 - 1e-4 and abs(slope(theta, alpha)) < 1e-3 * classes
    if not best.success or not inside:
        return None
    log_share = (
        gammaln(theta + 1) - gammaln(theta + alpha) + (alpha - 1) * np.log(sample.population)
    )
    return float(np.exp(log_share))


def snb(sample: Histogram, classes: float | None = None) -> float | None:
    """The share of the population that is alone, by the slide negative binomial model.

    The size of a population class is 1 + a negative binomial number, with the generating function
    G(s) = s (b / (1 - (1 - b) s))^a. Each person is drawn with chance f. So of K population
    classes, c1 = K f G'(1 - f) have one row in the sample and c2 = K f^2 / 2 G''(1 - f) have two.
    With q = 1 - b and d = (1 - f) q:

        c1 = K f (b / (1 - d))^a (1 + a d / (1 - d))
        c2 = K f^2 / 2 a b^a q (2 - (1 - a) d) / (1 - d)^(a + 2)

    c1 and c2 are counted in the sample. The quotient c2 / c1 gives a quadratic equation in a with
    one positive root, so one equation in q remains. Then K b^a population classes have one row.
    None if this equation has no root or several, if c1 or c2 is 0, if f = 1, or if K has no
    estimate.

    classes: K, the number of classes of the population; None to estimate it from the sample.
    """
    from scipy.optimize import brentq
    from scipy.special import expit

    f, c1, c2 = sample.fraction, sample.alone, sample.pairs
    if c1 == 0 or c2 == 0 or f == 1:
        return None
    known = population_classes(sample) if classes is None else classes
    if not np.isfinite(known):
        return None
    quotient = 2 * c2 / c1

    def shape(q: Floats) -> Floats:
        d = (1 - f) * q
        square, plain = f * q * d, f * q * (2 - d) - quotient * (1 - d) * d
        constant = quotient * (1 - d) ** 2  # subtracted, so the roots have different signs
        root = np.sqrt(plain**2 + 4 * square * constant)
        # The positive root has two forms. The sign of `plain` selects the form without
        # cancellation.
        positive: Floats = np.where(
            plain > 0, 2 * constant / (root + plain), (root - plain) / (2 * square)
        )
        return positive

    def excess(q: Floats) -> Floats:
        d, a = (1 - f) * q, shape(q)
        log_power = a * (np.log1p(-q) - np.log1p(-d))
        expected = np.log(known * f) + log_power + np.log1p(a * d / (1 - d))
        return np.asarray(expected - np.log(c1))

    grid = np.asarray(expit(np.linspace(-14, 14, 2001)))
    sign = np.sign(excess(grid))
    changes = np.flatnonzero(sign[:-1] != sign[1:])
    if len(changes) != 1:
        return None
    low, high = grid[changes[0]], grid[changes[0] + 1]
    q = np.array(brentq(lambda q: float(excess(np.array(q))), low, high))
    return float(known * np.exp(shape(q) * np.log1p(-q)) / sample.population)


def population_classes(sample: Histogram) -> float:
    """The number of classes of the population: Shlosser's estimate as modified by Haas and Stokes.

    Source: Haas, Stokes 1998. Requires f < 1. Infinite or NaN if the estimate does not exist.
    """
    f, i, c = sample.fraction, sample.sizes, sample.classes
    unseen = (1 - f) ** i * c
    first = (i * f**2 * (1 - f**2) ** (i - 1) * c).sum()
    second = (unseen * ((1 + f) ** i - 1)).sum()
    once = (i * f * (1 - f) ** (i - 1) * c).sum()
    with np.errstate(divide="ignore", invalid="ignore"):
        hidden = sample.alone * (first / second) * (unseen.sum() / once) ** 2
    return float(c.sum() + hidden)


ESTIMATORS: Final[Mapping[str, Callable[[Histogram], float | None]]] = {
    "pitman": pitman,
    "zayatz": zayatz,
    "snb": snb,
}


def dankar(estimates: Mapping[str, float | None], fraction: float) -> str | None:
    """Return the name of the estimator that Dankar's rule selects (Dankar 2012).

    Up to a sampling fraction of 0.1 the rule selects Pitman's estimator, or Zayatz's if Pitman's
    has no solution. Above 0.1 it selects Zayatz's or SNB, whichever estimate is smaller. None if
    these estimators have no estimate.

    estimates: by estimator; None for an estimator without a solution. fraction: the sampling
    fraction.

    >>> dankar({"pitman": 0.2, "zayatz": 0.3, "snb": 0.1}, 0.05)
    'pitman'
    """
    there = {name: value for name, value in estimates.items() if value is not None}
    if fraction <= SMALL_FRACTION:
        return next((name for name in ("pitman", "zayatz") if name in there), None)
    large = [name for name in ("zayatz", "snb") if name in there]
    return min(large, key=lambda name: there[name], default=None)


@dataclass(frozen=True, kw_only=True, eq=False)
class Estimates(Details):
    """The estimates of the share of rows that are alone in the population.

    taken: the estimator whose estimate is the level. shares: the estimate of each estimator that
    has one. alone: the share of rows alone in the release, an upper bound of the share to estimate.
    uniques, matches: tau1 and tau2 of the log-linear model; None for other estimators.
    """

    fraction: float | None = fact(
        "sampling fraction", said="The share of the population in the release is {}", null=True
    )
    taken: str | None = fact("estimator", said="The estimator that decides is {}", null=True)
    shares: Mapping[str, float | None] = fact(
        "estimated shares", said="The share of {people} alone in the population, by estimator: {}"
    )
    alone: float | None = fact(
        "share alone in the release",
        said="The share of {people} alone in the release is {}",
        null=True,
        safer="lower",
    )
    uniques: float | None = fact(
        "expected population uniques",
        said="Rows alone in the release and in the population, expected number: {}",
        optional=True,
    )
    matches: float | None = fact(
        "expected right matches",
        said="Rows alone in the release that are matched correctly, expected number: {}",
        optional=True,
    )


@dataclass(frozen=True)
class PopulationUniqueness:
    """Population uniqueness: the estimated share of rows that are alone in the population.

    Level: the estimate, or the share of rows that are alone in the release if that is smaller.
    Lower is safer; 0 means that no row is estimated to be alone in the population, 1 that every row
    is. No single class decides a share, so there is no witness.

    An estimate depends on a model of the population, so a requirement may depend on several
    estimates. It is violated if the level is above `share`. It holds if the level and the following
    estimates are at most `share`, and is undecided otherwise:

    - estimator `dankar`: the estimates of Pitman, Zayatz and SNB, as far as they exist
    - estimator `log-linear`: the estimate that Dankar's rule selects
    - `interactions`: in addition, the estimate of the log-linear model without pairs, because the
      estimate with pairs, which is the level, tends to be too low

    A row that is not alone in the release is not alone in the population. So if the share of rows
    alone in the release is at most `share`, the requirement holds, whatever the estimates are.

    Edge cases: no rows, undefined; no sampling fraction, or no estimate, undecided; a fraction of
    1, the share of rows alone in the release. With a unit column, persons are counted. A person
    with rows in several classes counts once in each of them. A missing or suppressed cell is a
    value of its own; under wildcards a note says so.

    share: the largest share allowed; None requires nothing.
    estimator: the estimator of the level; `dankar` takes the estimator that Dankar's rule selects.
    sampling_fraction: the share of the population that is in the release, above 0, at most 1; None
        if it is not known.
    interactions: True for a log-linear model with a term for each pair of quasi-identifiers.
    weights: the sum of the sampling weights of each class, shape (n_classes,); None without a
        weight column. The log-linear model scales them such that their total is the size of the
        population.
    """

    name: ClassVar[str] = "population-uniqueness"
    about: ClassVar[AboutModel] = AboutModel(
        level="share",
        parameter="share",
        means="At most this share of rows is estimated to be alone in the population",
        matters="A person who is alone in the population can be found with any register of the "
        "population, even if the release is a sample.",
        do=f"{GENERALIZE} The sampling fraction or the size of the population is named in "
        "[population] of the policy.",
        of_the_whole=True,
        facts=(Estimates,),
        unasked=(Unasked(place=145, needs=frozenset({Need.SAMPLING})),),
    )
    share: float | None = None
    estimator: Estimator = "dankar"
    sampling_fraction: float | None = None
    interactions: bool = False
    weights: Floats | None = None

    def __post_init__(self) -> None:
        real_number("share", self.share, 0, 1)
        if self.estimator not in get_args(Estimator):
            raise ParameterError(f"estimator must be one of {', '.join(get_args(Estimator))}")
        real_number("sampling-fraction", self.sampling_fraction, 0, 1, above=True)
        if not isinstance(self.interactions, bool):
            raise ParameterError("interactions must be true or false")
        if self.interactions and self.estimator != _LOG_LINEAR:
            raise ParameterError(f"interactions requires the estimator {_LOG_LINEAR!r}")

    def measure(self, classes: EquivalenceClasses) -> Measurement:
        """Return the estimate; the details have the estimates of the other estimators."""
        sizes, fraction = members(classes), self.sampling_fraction
        n = float(sizes.sum())
        alone = float(sizes[sizes == 1].sum()) / n if n else None
        shares: dict[str, float | None] = dict.fromkeys(ESTIMATORS)
        if fraction is not None and n:
            sample = Histogram.of(sizes, fraction)
            for name, estimate in ESTIMATORS.items():
                shares[name] = alone if fraction == 1 or alone == 0 else estimate(sample)
        by, unfitted = str(self.estimator), ""
        expected: dict[str, UniquesOfPopulation | None] = {}
        if by == _LOG_LINEAR:
            shares_of_classes, shares = shares, dict.fromkeys(self._fits)
            if fraction is not None and n:
                expected, unfitted = self._expected(classes, sizes, fraction)
                # If nearly all values of a column differ, the fitted mean of every class is about
                # 1 / (sampling fraction), so the model expects no population uniques. The estimate
                # that Dankar's rule selects uses the class sizes and guards against this fault.
                guard = dankar(shares_of_classes, fraction)
                shares = {
                    name: None if found is None else found.alone / n
                    for name, found in expected.items()
                } | {"dankar": None if guard is None else shares_of_classes[guard]}
            by = self._fits[-1]
        taken = dankar(shares, fraction or 1) if by == "dankar" else by
        estimated = None if taken is None else shares[taken]
        level = None if estimated is None or alone is None else min(estimated, alone)
        decides = expected.get(by)
        wild: tuple[str, ...] = ()
        if classes.compatibility is not None:
            wild = ("missing and suppressed cells count as values of their own, not as wildcards",)
        result = measurement(
            self.name,
            classes,
            {"": np.full(len(classes), np.nan if level is None else level)},
            parameters={"share": self.share, "estimator": self.estimator}
            | ({"interactions": True} if self.interactions else {}),
            required=self.share,
            safer="lower",
            details=Estimates(
                fraction=fraction,
                taken=None if level is None else taken,
                shares={name: value for name, value in shares.items() if value is not None},
                alone=alone,
                uniques=None if level is None or decides is None else decides.alone,
                matches=None if level is None or decides is None else decides.matches,
            ),
            notes=wild,
        )
        return self._decided(replace(result, witness=None), shares, alone, unfitted, wild)

    @property
    def _fits(self) -> tuple[str, ...]:
        """The log-linear models to fit; the last one gives the level."""
        return (_LOG_LINEAR, _PAIRS) if self.interactions else (_LOG_LINEAR,)

    def _expected(
        self, classes: EquivalenceClasses, sizes: Floats, fraction: float
    ) -> tuple[dict[str, UniquesOfPopulation | None], str]:
        """Return the expected numbers of each log-linear model, and why one was not fitted.

        The expected numbers of a model that was not fitted are None. The reason is empty if all
        models were fitted.
        """
        people, why = sizes / fraction, ""
        if self.weights is not None:
            people = self.weights * (people.sum() / self.weights.sum())
        found: dict[str, UniquesOfPopulation | None] = {}
        for name in self._fits:
            try:
                found[name] = expected_uniques(
                    classes.keys.codes, sizes, people, pairs=name == _PAIRS
                )
            except NoFitError as error:
                found[name], why = None, str(error)
        return found, why

    def _decided(
        self,
        result: Measurement,
        shares: Mapping[str, float | None],
        alone: float | None,
        unfitted: str,
        wild: tuple[str, ...],
    ) -> Measurement:
        """Return the measurement with the outcome that follows from all estimates.

        shares: by estimator. alone: the share of rows alone in the release; None without rows.
        unfitted: why a log-linear model was not fitted. wild: the note on wildcards, if any.
        """
        if alone is None:
            return result
        sure = self.share is not None and alone <= self.share
        if result.measured is None:
            if sure:
                return replace(result, outcome=Outcome.HOLDS, notes=wild)
            why = "no sampling fraction is known: give [population] a size or a sampling-fraction"
            if self.sampling_fraction is not None:
                why = unfitted or "no estimator has a solution for the class sizes of the release"
            return replace(result, notes=(*wild, why))
        above = [
            name
            for name, value in shares.items()
            if value is not None and self.share is not None and value > self.share
        ]
        several = self.estimator in ("dankar", _LOG_LINEAR)
        if result.outcome is Outcome.HOLDS and several and above and not sure:
            note = f"the estimate by {' and '.join(above)} is above the limit: estimators disagree"
            return replace(result, outcome=Outcome.INCONCLUSIVE, notes=(*result.notes, note))
        return result
