"""A proposal as a policy in TOML, with its reasons as comments.

Two kinds of comments: `# ` before what is to be read, `#` alone before a setting that can be put
in force. Names come from strangers' files, so everything that does not print is escaped.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import PurePath

from anonaudit.proposal.defaults import K, P, why_not_k, why_not_p
from anonaudit.proposal.proposed_columns import ColumnProposal, Proposal
from anonaudit.proposal.spelling import array, key, quoted
from anonaudit.report.words import figures, layout
from anonaudit.source.table import TableFile

_LONGEST_PAD = 30  # blanks before a comment, for the sake of one long name
_LONGEST_NAME = 60  # of a name in a comment


def to_toml(proposal: Proposal, *, release: TableFile | None = None) -> str:
    """The policy as text. It can be read back, and so can all its settings in comments.

    release: the file it is about, named from the folder that the policy will stand in, with the
        delimiter and encoding that it takes to read it.

    See defaults.py for what is required. The attack is a comment, because it runs anyway.
    """
    parts = [
        _head(proposal),
        _release(release or TableFile()),
        _columns(proposal),
        _values(proposal),
        _hierarchies(proposal),
        _masking(proposal),
        _require(proposal),
        _attacks(),
    ]
    return "\n\n".join("\n".join(lines) for part in parts if (lines := list(part))) + "\n"


def _head(proposal: Proposal) -> Iterator[str]:
    size = f"{figures.counted(proposal.rows, 'row')}, "
    size += figures.counted(len(proposal.columns), "column")
    name = layout.shorten(layout.printable(PurePath(proposal.source).name), _LONGEST_NAME)
    yield f"# A policy proposed by `anonaudit init` for {name} ({size})."
    yield "#"
    yield "# It is guessed from values, names and counts, so read every line: move a column to the"
    yield "# list it belongs to, raise what is too low, delete what is not meant. A setting right"
    yield "# behind a hash is not in force: take the hash away where it fits. Then run"
    yield "# `anonaudit audit`."


def _release(release: TableFile) -> Iterator[str]:
    given = {"file": release.file, "delimiter": release.delimiter, "encoding": release.encoding}
    if any(given.values()):
        yield "[release]"
        if release.file:
            yield "# Audited if the policy alone is named; looked for from the policy's folder."
            yield "# If it is the original, not masked yet, name here what will be released of it:"
            yield "# the file that `anonaudit mask` is to write. It need not be there yet."
        yield from (f"{name} = {quoted(text)}" for name, text in given.items() if text)


def _columns(proposal: Proposal) -> Iterator[str]:
    yield "[columns]"
    yield "# Name a person by themselves. They must not be in a release: one that has them fails."
    yield from _list("identifiers", proposal.of("identifier"))
    yield ""
    yield "# What others can know of a person. Rows alike in all of them are a class."
    yield from _list("quasi-identifiers", proposal.of("quasi-identifier"))
    yield ""
    yield "# What nobody must learn of a person."
    yield from _list("sensitive", proposal.of("sensitive"))
    if proposal.unit is not None:
        yield ""
        yield "# Tells persons apart, who are then counted instead of rows."
        yield f"unit = {quoted(proposal.unit.name)}  # {_why(proposal.unit)}"
    else:
        counts = [column for column in proposal.columns if column.counts_records]
        for column in counts[:1]:
            yield ""
            yield "# If a row stands for several records, the column that says for how many:"
            yield f"#count = {quoted(column.name)}"
    if undecided := proposal.of(None):
        yield ""
        yield "# In no list, so nothing is audited of them. Decide, and move up what belongs there:"
        yield from (f"# {line}" for line in _lines(undecided))


def _list(name: str, columns: tuple[ColumnProposal, ...]) -> Iterator[str]:
    yield f"{name} = [" + "]" * (not columns)
    if columns:
        yield from _lines(columns)
        yield "]"


def _lines(columns: tuple[ColumnProposal, ...]) -> Iterator[str]:
    """A line a column, the comments below each other."""
    shown = [f"    {quoted(column.name)}," for column in columns]
    widest = max(min(layout.width_of(name), _LONGEST_PAD) for name in shown)
    for name, column in zip(shown, columns, strict=True):
        yield f"{layout.pad(name, widest)}  # {_why(column)}"


def _why(column: ColumnProposal) -> str:
    """The numbers of a column, and the reason of the choice."""
    seen = column.look
    once = f" ({figures.whole(seen.alone)} only once)" if seen.alone else ""
    counts = [figures.counted(seen.distinct, "value") + once]
    counts += [f"{figures.whole(seen.missing)} missing"] if seen.missing else []
    counts += [f"{figures.whole(seen.suppressed)} suppressed"] if seen.suppressed else []
    return f"{', '.join(counts)}; {column.reason}"


def _values(proposal: Proposal) -> Iterator[str]:
    missing = [column for column in proposal.columns if column.look.missing_tokens]
    masked = [column for column in proposal.columns if column.look.suppressed_tokens]
    numeric = [column for column in proposal.of("sensitive") if column.look.numbers]
    commas = [column for column in proposal.columns if column.look.decimal == ","]
    if not (missing or masked or numeric or commas):
        return
    yield "[values]"
    if missing:
        tokens = {token for column in missing for token in column.look.missing_tokens}
        yield f"# Count as values, but look like missing ones, in {_names(missing)}:"
        yield f"#missing = {array(sorted(tokens))}"
    if masked:
        tokens = {"*", *(token for column in masked for token in column.look.suppressed_tokens)}
        yield f"# Count as values, but look like suppressed ones, in {_names(masked)}:"
        yield f"#suppressed = {array(sorted(tokens))}"
    if numeric:
        first = ", once the missing ones are declared" * any(c in missing for c in numeric)
        yield f"# All values are numbers{first}, so distances between them can be measured:"
        yield f"#numeric = {array(column.name for column in numeric)}"
    if commas:
        yield f"# The decimal mark in {_names(commas)} (there is one for the whole release):"
        yield '#decimal = ","'


def _hierarchies(proposal: Proposal) -> Iterator[str]:
    suggested = [(column.name, column.hierarchy) for column in proposal.columns if column.hierarchy]
    if not suggested:
        return
    yield "[hierarchies]"
    yield "# Steps in which columns could be generalized. Hierarchies from files go here too, as in"
    yield '# age = { file = "age.csv" }'
    for name, suggestion in suggested:
        levels = ", ".join(map(str, suggestion.levels))
        yield f"#{key(name)} = {{ {suggestion.kind} = [{levels}] }}"


def _masking(proposal: Proposal) -> Iterator[str]:
    if proposal.unit is not None:
        yield "[masking]"
        yield "# In place of the unit, `anonaudit mask` writes fresh random numbers; or it is"
        yield "# dropped; or kept, of which every audit warns."
        yield '#unit-in-release = "renumbered"'


def _require(proposal: Proposal) -> Iterator[str]:
    people = "rows" if proposal.unit is None else "persons"
    yield "[require]"
    yield f"# Every class has {K} {people} or more; {K} is a common floor, 10 is better."
    yield from _requirement(f"k-anonymity = {{ k = {K} }}", why_not_k(proposal))
    yield f"# Every class has {P} or more values of every sensitive column, so none gives one away."
    yield from _requirement(f"p-sensitive-k-anonymity = {{ p = {P} }}", why_not_p(proposal))


def _requirement(setting: str, why_not: str | None) -> Iterator[str]:
    if why_not is not None:
        yield f"# Not in force: {why_not}."
    yield setting if why_not is None else f"#{setting}"


def _attacks() -> Iterator[str]:
    yield "[attacks]"
    yield "# Runs anyway where there is a sensitive column; with a rate it is judged as well."
    yield "#homogeneity = { allow-rate = 0 }"
    yield "# With a list of people at hand, find out who of them can be found in the release:"
    yield '# linkage = { external = "people.csv", identity = ["name"], allow-rate = 0 }'


def _names(columns: Iterable[ColumnProposal]) -> str:
    return layout.names([column.name for column in columns])
