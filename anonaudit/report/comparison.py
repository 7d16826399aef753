"""Compare two reports in JSON, by model and attack, and decide whether the release got worse.

A model is worse if one of these numbers is worse:

- its level, for the release or for one attribute;
- a fact with `Fact.safer`, such as the k of p-sensitive k-anonymity;
- the share of rows that fall short of the same requirement, or the share of undecided classes.

An attack is worse if it identifies, discloses or leaves undecided a larger share of targets. Both
are worse if the outcome of the same requirement is. A newly released identifier, or a worse outcome
of the audit, makes the release worse.

A model, attack or number that only the old report has counts as worse, because it may have got
worse.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from anonaudit.details import Fact, compared_facts
from anonaudit.errors import InputError
from anonaudit.plugins import describe_model
from anonaudit.report.json import SCHEMA_VERSION, escaped_json, schema, strict_loads
from anonaudit.report.sections.demands import IDENTIFIER_RELEASED
from anonaudit.report.words import figures, layout
from anonaudit.report.words.wording import INFINITE, is_infinite, is_infinite_for, is_without_data

Json = Mapping[str, Any]

WORSE, BETTER, SAME, NEW = "worse", "better", "same", "new"
_TARGETS, _SHORT = ("identified", "disclosed", "undecided"), "rows_violating"
_OPEN = "classes_undecided"
_LARGEST = sys.float_info.max
_RANK = {"holds": 0, "measured": 0, "inconclusive": 1, "skipped": 1, "violated": 2}


@dataclass(frozen=True)
class Changed:
    """The change of one model, attack, column or outcome.

    kind: "model", "attack", "identifier" or "outcome".
    name: the model or attack, the column of an identifier, or "release" for the outcome.
    verdict: WORSE, BETTER, SAME or NEW.
    said: a phrase for each number that changed, for example `level 3 -> 2`.
    better: the phrases of `said`, at its end, on numbers that got better although the verdict is
        WORSE.
    """

    kind: str
    name: str
    verdict: str
    said: tuple[str, ...] = ()
    better: tuple[str, ...] = ()


def read_report(name: str, text: str) -> Json:
    """Read a report from its JSON text.

    name: the name of the file, for messages.

    Raises InputError if this version of anonaudit cannot have written the report. The report must
    obey the schema. A null is accepted only where an audit writes null. Otherwise a level or rate
    that was lost would be compared as if the audit had found none.
    """
    try:
        report = strict_loads(text)
    except (ValueError, RecursionError):
        raise InputError(
            f"{name}: is not JSON; expected a report of `anonaudit audit --format json`"
        ) from None
    if not isinstance(report, dict) or "schema_version" not in report:
        raise InputError(
            f"{name}: is JSON, but no report; expected a report of `anonaudit audit --format json`"
        )
    if report["schema_version"] != SCHEMA_VERSION:
        raise InputError(
            f"{name}: is a report of version {report['schema_version']!r}, expected "
            f"{SCHEMA_VERSION!r}; write it again with this version of anonaudit"
        )
    if (place := _damaged(report)) is not None:
        raise InputError(
            f"{name}: is a damaged report (see {place}); write it again by `anonaudit audit "
            "--format json`"
        )
    return report


def _damaged(report: Json) -> str | None:
    """Return the JSON path of a value that no audit writes; None if the report is valid.

    If an object lacks a key, the result also names this key. jsonschema is imported here, because
    most commands do not need it.
    """
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import best_match

    try:
        error = best_match(Draft202012Validator(schema()).iter_errors(report))
    except RecursionError:
        return "$.details"  # only details may be nested deeply
    if error is not None:
        # The message for "required" quotes no value of the report.
        what = f": {error.message}" if error.validator == "required" else ""
        return f"{error.json_path}{what}"
    for part, is_damaged in (("models", _lost_level), ("attacks", _lost_rate)):
        for number, finding in enumerate(report[part]):
            if is_damaged(finding):
                return f"$.{part}[{number}]"
    for number, model in enumerate(report["models"]):
        if _lost_fact(model, report["release"]):
            return f"$.models[{number}].details"
    return None


def _lost_level(model: Json) -> bool:
    """Return True if the numbers of a model do not fit its outcome, for example a null level.

    A judged model needs its counts and its required level. A model that was only measured has no
    required level. The level may be null only if a note says that it is infinite, or that there was
    no data and the model is violated: without data, classes may be too small, or values may be
    beyond a boundary.
    """
    outcome, required, notes = model["outcome"], model["required"], model["notes"]
    if outcome in ("inconclusive", "skipped"):
        return False
    about = describe_model(str(model["name"]))
    # A model of the whole release need not count classes or rows.
    counts = () if about.of_the_whole else (model["classes_violating"], model["rows_violating"])
    threshold = about.parameter
    if outcome == "measured":
        lost = required is not None
    else:
        lost = None in counts or (required is None and threshold in model["parameters"])
    no_level = model["measured"] is None and not is_infinite(notes)
    return lost or (no_level and not (outcome == "violated" and is_without_data(notes)))


def _lost_fact(model: Json, release: Json) -> bool:
    """Return True if a fact that is compared is in the report but not valid."""
    details = model["details"]
    for fact in facts_of(model):
        if fact.label in details:
            value = details[fact.label]
            low, high = (0, release[fact.whole]) if fact.whole else (-_LARGEST, _LARGEST)
            numbers = [*fact_numbers(value).values()]
            if high is None or (value is None and not fact.null):
                return True
            if not all(_is_number(number) and low <= number <= high for number in numbers):
                return True
    return False


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _lost_rate(attack: Json) -> bool:
    """Return True if the rates of an attack do not fit its outcome.

    An attack that was judged needs a rate and an allowed rate. An attack that was only measured
    needs a rate and has no allowed rate.
    """
    outcome, allowed = attack["outcome"], attack["allowed"]
    if outcome in ("inconclusive", "skipped"):
        return False
    return attack["rate"] is None or (allowed is None) is (outcome != "measured")


def compare_reports(old: Json, new: Json) -> list[Changed]:
    """Return a Changed for the outcome, and for each identifier, model and attack.

    Models and attacks are in the order of the new report. After the models, and after the attacks,
    follow those that only the old report has.
    """
    return [
        _outcome(old, new),
        *_identifiers(old, new),
        *_paired("model", old["models"], new["models"], old, new),
        *_paired("attack", old["attacks"], new["attacks"], old, new),
    ]


def _outcome(old: Json, new: Json) -> Changed:
    before, after = str(old["outcome"]), str(new["outcome"])
    rise = _RANK[after] - _RANK[before]
    said = () if before == after else (f"{before} -> {after}",)
    return Changed("outcome", "release", WORSE if rise > 0 else BETTER if rise < 0 else SAME, said)


def _identifiers(old: Json, new: Json) -> Iterator[Changed]:
    before, after = (
        [w["column"] for w in report["warnings"] if w["code"] == IDENTIFIER_RELEASED]
        for report in (old, new)
    )
    for column in after:
        if column not in before:
            yield Changed("identifier", f"{column}", WORSE, ("is in the release now",))
    for column in before:
        if column not in after:
            yield Changed("identifier", f"{column}", BETTER, ("is no longer in the release",))


def _paired(
    kind: str, old: Sequence[Json], new: Sequence[Json], before: Json, after: Json
) -> Iterator[Changed]:
    """Yield the change of each finding (model or attack).

    old, new: the findings of one kind in the two reports.
    before, after: the two reports.
    """
    pairs, left = _pairs(old, new)
    for finding, other in pairs:
        if other is None:
            yield Changed(kind, _title(finding), NEW, (_said(finding),))
        else:
            worse: list[str] = []
            better: list[str] = []
            compared = _levels if kind == "model" else _rates
            for what, rise, was, now in (
                *_outcomes(other, finding),
                *compared(other, finding, before, after),
            ):
                (worse if rise else better).append(f"{what} {was} -> {now}")
            verdict = WORSE if worse else BETTER if better else SAME
            also = tuple(better) if worse else ()
            yield Changed(kind, _title(finding), verdict, (*worse, *better), also)
    for finding in left:
        yield Changed(kind, _title(finding), WORSE, ("is no longer in the report",))


def _pairs(
    old: Sequence[Json], new: Sequence[Json]
) -> tuple[list[tuple[Json, Json | None]], list[Json]]:
    """Pair each new finding with the old finding that it is compared with.

    An old finding with the same requirement comes first, then one with the same `_key`.

    Returns the pairs (new finding, old finding or None), and the old findings without a pair.
    """
    left, partner = [*old], dict[int, Json]()
    for exactly in (True, False):
        for number, finding in enumerate(new):
            alike = (
                place
                for place, other in enumerate(left)
                if _key(other) == _key(finding) and (not exactly or _asks_the_same(other, finding))
            )
            if number not in partner and (place := next(alike, None)) is not None:
                partner[number] = left.pop(place)
    return [(finding, partner.get(number)) for number, finding in enumerate(new)], left


def _key(finding: Json) -> tuple[str, str]:
    """Return the name of a finding, and as JSON its parameters without the required level.

    If the model has a parameter for the required level, its `k` is left out too.
    """
    name = str(finding["name"])
    threshold = describe_model(name).parameter
    asked = {
        key: value
        for key, value in finding.get("parameters", {}).items()
        if (key not in (threshold, "k") if threshold else value != finding.get("required"))
    }
    return name, json.dumps(asked, sort_keys=True)


def _title(finding: Json) -> str:
    kept = [value for value in finding.get("parameters", {}).values() if isinstance(value, str)]
    return f"{finding['name']}" + (f" ({', '.join(kept)})" if kept else "")


def _said(finding: Json) -> str:
    if "measured" in finding:
        return f"level {_level(_reached(finding))}"
    return f"rate {figures.percent(finding['rate'])}"


UNDECIDED, NOT_MEASURED = "undecided", "not measured"
_WORDS = {None: UNDECIDED, math.inf: INFINITE}
# (name of the number, True if it got worse, old number, new number); the numbers are texts. Equal
# numbers are omitted.
Comparisons = Iterator[tuple[str, bool, str, str]]


def worsened(old: Json, new: Json, rows: tuple[int, int]) -> list[str]:
    """Return a phrase for each number of a finding that got worse, for example `level 3 -> 2`.

    `compare_reports` compares shares. This function also compares the numbers of rows, persons and
    targets. For example, if a release grows from 100 to 1000 rows and the exposed people from 5 to
    50, the share is the same, but more people are exposed.

    old, new: one model or one attack, as in JSON reports. Facts that the details of `old` lack are
        not compared. `classes` is the number of classes of the release. If it is missing, every
        attribute counts as known in some class.
    rows: (number of rows of the old release, number of rows of the new release).

    >>> found = {"measured": 3, "required": 5, "safer": "higher", "rows_violating": 3}
    >>> found |= {"parameters": {"k": 5}, "per_attribute": {}, "notes": []}
    >>> worsened(found, {**found, "measured": 2}, (100, 100))
    ['level 3 -> 2']
    """
    old, new = ({"details": {}, **finding} for finding in (old, new))
    before, after = (
        {"release": {"rows": n, "classes": finding.get("classes")}}
        for n, finding in zip(rows, (old, new), strict=True)
    )
    compared = _levels if "safer" in new else _rates
    return [
        f"{what} {was} -> {now}"
        for what, rise, was, now in (
            *compared(old, new, before, after),
            *_risen(old, new, after),
        )
        if rise
    ]


def _risen(old: Json, new: Json, after: Json) -> Comparisons:
    """Yield the numbers of targets, rows and persons that increased, whatever their shares.

    after: the new report.
    """
    pairs = [(f"number of {key}", old.get(key), new.get(key)) for key in _TARGETS]
    pairs.append(("number of rows that fall short", old.get(_SHORT), new.get(_SHORT)))
    if "safer" in new:
        pairs.append(("number of undecided classes", old.get(_OPEN, 0), new.get(_OPEN, 0)))
        for what, fact, was, now in _facts(old, new):
            if fact.whole:
                pairs.append((f"number of {what}", was, now))
    for column, reached in new.get("per_attribute", {}).items():
        before, name = old["per_attribute"].get(column), layout.name(column)
        if not isinstance(reached, dict):  # an attack: the number of targets disclosed by column
            pairs.append((f"number disclosed of {name}", before or 0, reached))
        elif before is None:
            now_level = _level(_reached_by(new, column, after))
            yield f"level of {name}", True, NOT_MEASURED, now_level
        else:
            what = f"number of rows that fall short by {name}"
            pairs.append((what, before.get(_SHORT), reached.get(_SHORT)))
    for what, was, now in pairs:
        if was is not None and now is not None and now - was > 0:  # raises TypeError for a text
            yield what, True, f"{was:,}", f"{now:,}"


def _levels(old: Json, new: Json, before: Json, after: Json) -> Comparisons:
    higher = new["safer"] == "higher"
    yield from _moved("level", _reached(old), _reached(new), higher_is_safer=higher)
    for column in old["per_attribute"]:
        what, was = f"level of {layout.name(column)}", _reached_by(old, column, before)
        if column in new["per_attribute"]:
            now = _reached_by(new, column, after)
            yield from _moved(what, was, now, higher_is_safer=higher)
        else:
            yield what, True, _level(was), NOT_MEASURED
    both = ((old, before), (new, after))
    if _asks_the_same(old, new):
        for what, key, default, whole in (
            ("rows that fall short", _SHORT, None, "rows"),
            ("undecided classes", _OPEN, 0, "classes"),
        ):
            short = (_share(one.get(key, default), of["release"].get(whole)) for one, of in both)
            yield from _moved(what, *short, form=figures.percent)
    for what, fact, was, now in _facts(old, new):
        if was is not None and now is None:
            yield what, True, _level(was), NOT_MEASURED
        elif fact.whole:
            shares = (
                _share(number, report["release"].get(fact.whole))
                for number, report in ((was, before), (now, after))
            )
            yield from _moved(what, *shares, form=figures.percent)
        else:
            yield from _moved(what, was, now, higher_is_safer=fact.safer == "higher")


def _asks_the_same(old: Json, new: Json) -> bool:
    """Return True if two findings of a model or an attack have the same requirement."""
    return all(old.get(key) == new.get(key) for key in ("required", "allowed", "parameters"))


def _outcomes(old: Json, new: Json) -> Comparisons:
    """Yield the change of the outcome, if the requirement is the same and the outcomes differ."""
    was, now = str(old["outcome"]), str(new["outcome"])
    if _asks_the_same(old, new) and _RANK[was] != _RANK[now]:
        yield "outcome", _RANK[now] > _RANK[was], was, now


def _reached(model: Json) -> Any:
    """Return the level of a model; `inf` if it is infinite, None if it is not known."""
    measured = model["measured"]
    return math.inf if measured is None and is_infinite(model["notes"]) else measured


def _reached_by(model: Json, column: str, report: Json) -> Any:
    """Return the level of one attribute, in the form of `_reached`."""
    reached, classes = model["per_attribute"][column], report["release"].get("classes")
    unknown = reached.get("classes_without_known_value", 0)
    infinite = reached["measured"] is None and is_infinite_for(model["notes"], unknown, classes)
    return math.inf if infinite else reached["measured"]


def facts_of(model: Json) -> list[Fact]:
    """Return the facts of a model that are compared, without their values."""
    return compared_facts(describe_model(str(model.get("name"))).facts)


def fact_numbers(value: Any) -> dict[str, Any]:
    """Return the numbers of a fact by name; the name is empty if there is only one.

    >>> fact_numbers({"age": 3}), fact_numbers(3), fact_numbers(None)
    ({'age': 3}, {'': 3}, {})
    """
    return value if isinstance(value, dict) else {} if value is None else {"": value}


def _facts(old: Json, new: Json) -> Iterator[tuple[str, Fact, Any, Any]]:
    """Yield the numbers of the facts that the old model has.

    Returns tuples (name of the number, fact, old number, new number). The new number is None if it
    is not known, or if the new model lacks it. If the old fact has other names but not
    this one, its count is 0.
    """
    for fact in facts_of(new):
        given, other = (finding["parameters"].get(fact.given) for finding in (old, new))
        if old["details"].get(fact.label) is None or given != other:
            continue
        was, now = (fact_numbers(finding["details"].get(fact.label)) for finding in (old, new))
        for name in {**was, **now} if fact.whole else was:
            what = f"{fact.label} ({layout.name(name)})" if name else fact.label
            yield what, fact, was.get(name, 0), now.get(name)


def _rates(old: Json, new: Json, _before: Json, _after: Json) -> Comparisons:
    yield from _moved("rate", old["rate"], new["rate"], form=figures.percent)
    if old["rate"] is not None and new["rate"] is not None:
        for what in ("identified", "disclosed"):
            shares = (_share(finding[what], finding["targets"]) for finding in (old, new))
            yield from _moved(what, *shares, form=figures.percent)
        # Reports of earlier versions lack "undecided".
        open_ = (_share(finding.get("undecided", 0), finding["targets"]) for finding in (old, new))
        yield from _moved("undecided", *open_, form=figures.percent)


def _moved(
    what: str,
    old: Any,
    new: Any,
    *,
    higher_is_safer: bool = False,
    form: Any = figures.level,
) -> Comparisons:
    """Yield the change of one number, if it changed.

    what: the name of the number.
    old, new: the number in the two reports; `inf` if it is infinite, None if it is not known.
    higher_is_safer: True if a higher number is safer; by default a lower number is.
    form: the function that formats the number.

    An unknown number counts as the least safe one. If it becomes known, nobody can say that it got
    worse, unless the known number is the least safe one too: a change between the two is worse.
    """
    known = old is not None and new is not None
    if math.isclose(old, new, rel_tol=1e-9, abs_tol=1e-12) if known else old is new:
        return
    sign = 1 if higher_is_safer else -1
    before, after = (-math.inf if number is None else sign * number for number in (old, new))
    was, now = (
        _WORDS.get(number, shown)
        for number, shown in zip((old, new), figures.apart(old, new, form), strict=True)
    )
    yield what, after <= before, was, now


def _level(number: Any) -> str:
    return _WORDS.get(number) or figures.level(number)


def _share(part: Any, whole: Any) -> float | None:
    return None if part is None else part / whole if whole else 0.0


def differences(old: Json, new: Json) -> list[str]:
    """Return a phrase for each difference that may make the numbers of two reports incomparable.

    Such differences are in the policies, the roles of columns, the conventions and the versions.
    """
    said = []
    if old["provenance"].get("policy_sha256") != new["provenance"].get("policy_sha256"):
        said.append("the policies differ, so requirements may have changed")
    if old["columns"] != new["columns"]:
        said.append("the roles of the columns differ")
    if old["release"]["convention"] != new["release"]["convention"]:
        was, now = old["release"]["convention"], new["release"]["convention"]
        changed = [
            f"{name} = {was.get(name)}, now {now.get(name)}"
            for name in {**was, **now}
            if was.get(name) != now.get(name)
        ]
        said.append(f"missing or suppressed cells were counted differently: {'; '.join(changed)}")
    if old["provenance"].get("version") != new["provenance"].get("version"):
        said.append("different versions of anonaudit wrote the reports")
    return said


def to_text(changes: Sequence[Changed], notes: Sequence[str]) -> str:
    """Return the comparison as text: the verdict, the changes, and what stayed the same."""
    worse = [change for change in changes if change.verdict == WORSE]
    lines = [f"WORSE: {len(worse)} of {len(changes)} got worse" if worse else "NOT WORSE"]
    for verdict in (WORSE, BETTER, NEW):
        chosen = [change for change in changes if change.verdict == verdict]
        said = [
            line
            for change in chosen
            for line in layout.paragraph(
                f"{change.kind} {layout.name(change.name)}: {_phrases(change)}",
                88,
                first="  - ",
            )
        ]
        lines += layout.section(verdict.capitalize(), said)
    same = [change.name for change in changes if change.verdict == SAME]
    lines += layout.section("Same", layout.paragraph(layout.name_list(same, 50), 88, first="  "))
    notes_ = [line for note in notes for line in layout.paragraph(note, 88, first="  - ")]
    lines += layout.section("Notes", notes_)
    return "\n".join(lines) + "\n"


def _phrases(change: Changed) -> str:
    """Return the phrases of a change as a text, those on better numbers after `better:`."""
    worse = change.said[: len(change.said) - len(change.better)]
    parts = ["; ".join(worse), *(["better: " + "; ".join(change.better)] if change.better else [])]
    return "; ".join(parts)


def to_json(changes: Sequence[Changed], notes: Sequence[str]) -> str:
    """Return the comparison as JSON."""
    answer = {
        "worse": any(change.verdict == WORSE for change in changes),
        "changes": [
            {"kind": c.kind, "name": c.name, "verdict": c.verdict, "said": list(c.said)}
            for c in changes
        ],
        "notes": list(notes),
    }
    return escaped_json(json.dumps(answer, indent=2, ensure_ascii=False, allow_nan=False)) + "\n"
