"""A proposal as a policy in TOML, with its reasons as comments.

Two kinds of comments: `# ` before what is to be read, `#` alone before a setting that can be put
in force. Names come from strangers' files, so everything that does not print is escaped.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import PurePath

from anonaudit.proposal.defaults import K, P, why_not_direct, why_not_k, why_not_p
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
    described = sum(column.described is not None for column in proposal.columns)
    if described or proposal.absent:
        yield "#"
        total = figures.counted(len(proposal.columns), "column")
        yield f"# The dictionary describes {figures.whole(described)} of {total}."
    if proposal.absent:
        names = layout.name_list(proposal.absent)
        yield f"# It describes columns that are not there: {layout.printable(names)}."


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
    said = [column.reason]
    if column.described is not None and column.described.label:
        label = layout.shorten(layout.printable(column.described.label), _LONGEST_NAME)
        said.insert(0, f"by the dictionary {quoted(label)}")
    if column.unlisted:
        said.append(f"{figures.counted(column.unlisted, 'value')} not in the dictionary")
    return f"{', '.join(counts)}; {'; '.join(said)}"


def _values(proposal: Proposal) -> Iterator[str]:
    missing = [column for column in proposal.columns if column.look.missing_tokens]
    masked = [column for column in proposal.columns if column.look.suppressed_tokens]
    numeric = [column for column in proposal.of("sensitive") if column.look.numbers]
    commas = [column for column in proposal.columns if column.look.decimal == ","]
    codes = [column.name for column in proposal.of("quasi-identifier") if _is_of_codes(column)]
    declared = {token for column in proposal.columns for token in column.missing}
    values = {token for column in proposal.columns for token in column.tokens}
    if not (missing or masked or numeric or commas or codes or declared):
        return
    yield "[values]"
    if sure := declared - values:
        yield "# Missing values, as the dictionary says:"
        yield f"missing = {array(sorted(sure))}"
    if declared & values:
        yield "# By the dictionary missing in some columns, but values in others. No policy can say"
        yield f"# that; write them otherwise in the file: {array(sorted(declared & values))}"
    if missing:
        tokens = {token for column in missing for token in column.look.missing_tokens} | sure
        yield f"# Count as values, but look like missing ones, in {_names(missing)}:"
        if sure:
            yield "# (if they are, use this line in place of the one above)"
        yield f"#missing = {array(sorted(tokens))}"
    if masked:
        tokens = {"*", *(token for column in masked for token in column.look.suppressed_tokens)}
        yield f"# Count as values, but look like suppressed ones, in {_names(masked)}:"
        yield f"#suppressed = {array(sorted(tokens))}"
    if numeric:
        first = ", once the missing ones are declared" * any(c in missing for c in numeric)
        yield f"# All values are numbers{first}, so distances between them can be measured:"
        yield f"#numeric = {array(column.name for column in numeric)}"
    if codes:
        plain = ", ".join(f"{key(name)} = {quoted('plain')}" for name in codes)
        yield "# The dictionary lists their values. Masking puts numbers into intervals, unless"
        yield "# they are declared as categories; leave out those that are a scale:"
        yield f"#reading = {{ {plain} }}"
    if commas:
        yield f"# The decimal mark in {_names(commas)} (there is one for the whole release):"
        yield '#decimal = ","'


def _is_of_codes(column: ColumnProposal) -> bool:
    """Whether the values of a column are numbers that its dictionary lists one by one."""
    described = column.described
    listed = described is not None and bool(described.codes) and not described.ranged
    return listed and bool(column.look.numbers) and column.hierarchy is None


def _hierarchies(proposal: Proposal) -> Iterator[str]:
    """Those of quasi-identifiers are in force: an audit reads them, and masking needs them.

    Those of sensitive columns change what an audit measures, so a person decides.
    """
    suggested = [(column, one) for column in proposal.columns if (one := column.hierarchy)]
    if not suggested:
        return
    yield "[hierarchies]"
    yield "# Steps in which `anonaudit mask` may generalize. Hierarchies from files go here too:"
    yield '# age = { file = "age.csv" }'
    for column, suggestion in suggested:
        if column.look.odd and suggestion.kind == "prefixes":
            odd = figures.counted(column.look.odd, "value")
            yield f"# Of the next, {odd} written otherwise than nearly all rows: a prefix cuts them"
            yield "# elsewhere. Write all alike before you mask."
        intervals_fail = suggestion.kind == "intervals" and column.look.missing_tokens
        in_force = column.part == "quasi-identifier" and not intervals_fail
        levels = ", ".join(map(str, suggestion.levels))
        setting = f"{key(column.name)} = {{ {suggestion.kind} = [{levels}] }}"
        yield setting if in_force else f"#{setting}"
        if column.diagnoses:
            yield "# By chapters and blocks of ICD-10-CM, with anonaudit[icd]:"
            yield f"# {key(column.name)} = {{ icd-10 = true }}"


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
    yield "# No released column holds names, e-mail addresses or numbers of persons or accounts."
    yield from _requirement("no-direct-identifiers = true", why_not_direct(proposal))


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
    return layout.name_list([column.name for column in columns])
