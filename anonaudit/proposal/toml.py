"""Write a proposal as a policy in TOML, with the reasons as comments.

There are two kinds of comments. An explanation begins with `# `. A setting that is not in force
begins with `#` without a blank; if the user removes the `#`, the setting is in force. Names come
from untrusted files, so unprintable characters are escaped.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import PurePath

from anonaudit.proposal.defaults import K, P, why_not_direct, why_not_k, why_not_p
from anonaudit.proposal.proposed_columns import ColumnProposal, Proposal
from anonaudit.proposal.spelling import array, key, quoted
from anonaudit.report.words import figures, layout
from anonaudit.source.table import TableFile

_LONGEST_PAD = 30  # the comments of longer names are not aligned
_LONGEST_NAME = 60  # longer names are shortened in comments


def to_toml(proposal: Proposal, *, release: TableFile | None = None) -> str:
    """Return a proposal as the text of a policy, which `anonaudit` can read.

    Settings that are not in force are valid too. See `defaults.py` for the requirements. The attack
    homogeneity is not in force, because it runs even if the policy does not name it.

    release: the file of the release, with the delimiter and encoding to read the file. The path is
        relative to the folder of the policy. None writes no [release] table.
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
    yield "# The roles are guessed from values, names and counts, so check every line: move columns"
    yield "# to other lists, raise numbers that are too low, delete settings that you do not want."
    yield "# A setting directly after a # is not in force: remove the # if the setting fits. Then"
    yield "# run `anonaudit audit`."
    described = sum(column.described is not None for column in proposal.columns)
    if described or proposal.absent:
        yield "#"
        total = figures.counted(len(proposal.columns), "column")
        yield f"# The dictionary describes {figures.whole(described)} of {total}."
    if proposal.absent:
        names = layout.name_list(proposal.absent)
        yield f"# It describes columns that the release lacks: {layout.printable(names)}."


def _release(release: TableFile) -> Iterator[str]:
    given = {"file": release.file, "delimiter": release.delimiter, "encoding": release.encoding}
    if any(given.values()):
        yield "[release]"
        if release.file:
            yield "# Audited if no other file is named. The path starts at the policy's folder."
            yield "# If this file is the original and not masked yet, name the release instead: the"
            yield "# file that `anonaudit mask` will write. It need not exist yet."
        yield from (f"{name} = {quoted(text)}" for name, text in given.items() if text)


def _columns(proposal: Proposal) -> Iterator[str]:
    yield "[columns]"
    yield "# Columns that name a person directly. A release that has one of them fails the audit."
    yield from _list("identifiers", proposal.of("identifier"))
    yield ""
    yield "# Others may know these about a person. Rows that agree in all of them form a class."
    yield from _list("quasi-identifiers", proposal.of("quasi-identifier"))
    yield ""
    yield "# Nobody may learn these about a person."
    yield from _list("sensitive", proposal.of("sensitive"))
    if proposal.unit is not None:
        yield ""
        yield "# Identifies the person of each row, so that persons are counted instead of rows."
        yield f"unit = {quoted(proposal.unit.name)}  # {_why(proposal.unit)}"
    else:
        counts = [column for column in proposal.columns if column.counts_records]
        for column in counts[:1]:
            yield ""
            yield "# If a row stands for several records, the column with the number of records:"
            yield f"#count = {quoted(column.name)}"
    if undecided := proposal.of(None):
        yield ""
        yield "# Without a role: only checked for direct identifiers. Move them if needed:"
        yield from (f"# {line}" for line in _lines(undecided))


def _list(name: str, columns: tuple[ColumnProposal, ...]) -> Iterator[str]:
    yield f"{name} = [" + "]" * (not columns)
    if columns:
        yield from _lines(columns)
        yield "]"


def _lines(columns: tuple[ColumnProposal, ...]) -> Iterator[str]:
    """Yield a line for each column, with the comments aligned."""
    shown = [f"    {quoted(column.name)}," for column in columns]
    widest = max(min(layout.width_of(name), _LONGEST_PAD) for name in shown)
    for name, column in zip(shown, columns, strict=True):
        yield f"{layout.pad(name, widest)}  # {_why(column)}"


def _why(column: ColumnProposal) -> str:
    """Return the counts of a column and the reason for its role, as the text of a comment."""
    seen = column.look
    once = f" ({figures.whole(seen.alone)} only once)" if seen.alone else ""
    counts = [figures.counted(seen.distinct, "value") + once]
    counts += [f"{figures.whole(seen.missing)} missing"] if seen.missing else []
    counts += [f"{figures.whole(seen.suppressed)} suppressed"] if seen.suppressed else []
    said = [column.reason]
    if column.described is not None and column.described.label:
        label = layout.shorten(layout.printable(column.described.label), _LONGEST_NAME)
        said.insert(0, f"{quoted(label)} in the dictionary")
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
        yield "# Missing values according to the dictionary:"
        yield f"missing = {array(sorted(sure))}"
    if declared & values:
        yield "# According to the dictionary, these texts mean a missing value in some columns, but"
        yield "# they are values in others. A policy cannot express this. Replace them in the file:"
        yield f"# {array(sorted(declared & values))}"
    if missing:
        tokens = {token for column in missing for token in column.look.missing_tokens} | sure
        yield f"# Counted as values, but they look like missing values, in {_names(missing)}:"
        if sure:
            yield "# (if they are missing values, use this line instead of the one above)"
        yield f"#missing = {array(sorted(tokens))}"
    if masked:
        tokens = {"*", *(token for column in masked for token in column.look.suppressed_tokens)}
        yield f"# Counted as values, but they look like suppressed cells, in {_names(masked)}:"
        yield f"#suppressed = {array(sorted(tokens))}"
    if numeric:
        first = " (once the missing values are declared)" * any(c in missing for c in numeric)
        yield f"# All values are numbers{first}, so distances between values can be measured:"
        yield f"#numeric = {array(column.name for column in numeric)}"
    if codes:
        plain = ", ".join(f"{key(name)} = {quoted('plain')}" for name in codes)
        yield "# Numbers that the dictionary lists as codes. Masking generalizes numbers to"
        yield "# intervals, unless they are declared as categories. Remove columns of quantities"
        yield "# from this line:"
        yield f"#reading = {{ {plain} }}"
    if commas:
        yield f"# The decimal mark in {_names(commas)}; it applies to the whole release:"
        yield '#decimal = ","'


def _is_of_codes(column: ColumnProposal) -> bool:
    """Return True if the values of a column are numbers that the dictionary lists one by one."""
    described = column.described
    listed = described is not None and bool(described.codes) and not described.ranged
    return listed and bool(column.look.numbers) and column.hierarchy is None


def _hierarchies(proposal: Proposal) -> Iterator[str]:
    """Yield the suggested hierarchies.

    Hierarchies of quasi-identifiers are in force, because masking needs them. Exception: intervals
    are not in force if the column has texts that look like missing values, because these texts are
    not numbers. Hierarchies of sensitive columns are not in force: they change what an audit
    measures, so the user must decide.
    """
    suggested = [(column, one) for column in proposal.columns if (one := column.hierarchy)]
    if not suggested:
        return
    yield "[hierarchies]"
    yield "# The levels to which `anonaudit mask` may generalize. A hierarchy can also be a file:"
    yield '# age = { file = "age.csv" }'
    for column, suggestion in suggested:
        if column.look.odd and suggestion.kind == "prefixes":
            odd = figures.counted(column.look.odd, "value has", "values have")
            yield f"# In the next column, {odd} another format than nearly all rows. Prefixes suit"
            yield "# only one format: write all values in one format before you mask."
        intervals_fail = suggestion.kind == "intervals" and column.look.missing_tokens
        in_force = column.part == "quasi-identifier" and not intervals_fail
        levels = ", ".join(map(str, suggestion.levels))
        setting = f"{key(column.name)} = {{ {suggestion.kind} = [{levels}] }}"
        yield setting if in_force else f"#{setting}"
        if column.diagnoses:
            yield "# By chapters and blocks of ICD-10-CM (needs anonaudit[icd]):"
            yield f"# {key(column.name)} = {{ icd-10 = true }}"


def _masking(proposal: Proposal) -> Iterator[str]:
    if proposal.unit is not None:
        yield "[masking]"
        yield "# `anonaudit mask` replaces the unit by new random numbers. The unit can also be"
        yield '# "dropped" or "kept". If it is kept, every audit gives a warning.'
        yield '#unit-in-release = "renumbered"'


def _require(proposal: Proposal) -> Iterator[str]:
    people = "rows" if proposal.unit is None else "persons"
    yield "[require]"
    yield f"# Every class has {K} {people} or more. {K} is a common minimum; 10 is safer."
    yield from _requirement(f"k-anonymity = {{ k = {K} }}", why_not_k(proposal))
    yield f"# Every class has {P} or more different values in every sensitive column."
    yield from _requirement(f"p-sensitive-k-anonymity = {{ p = {P} }}", why_not_p(proposal))
    yield "# No released column has names, e-mail addresses or ID numbers of persons or accounts."
    yield from _requirement("no-direct-identifiers = true", why_not_direct(proposal))


def _requirement(setting: str, why_not: str | None) -> Iterator[str]:
    if why_not is not None:
        yield f"# Not in force: {why_not}."
    yield setting if why_not is None else f"#{setting}"


def _attacks() -> Iterator[str]:
    yield "[attacks]"
    yield "# Always runs if there is a sensitive column. With allow-rate, it can fail the audit:"
    yield "#homogeneity = { allow-rate = 0 }"
    yield "# With a list of people, find out which of them an adversary finds in the release:"
    yield '# linkage = { external = "people.csv", identity = ["name"], allow-rate = 0 }'


def _names(columns: Iterable[ColumnProposal]) -> str:
    return layout.name_list([column.name for column in columns])
