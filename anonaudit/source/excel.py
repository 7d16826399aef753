"""Excel workbooks (.xlsx, .xlsm) as tables of text, read by python-calamine, an extra.

How a cell becomes text:

- Excel holds every number as a double: a whole number is written in digits (`1`, never `1.0`), any
  other, and one from 2**53 on, as Python writes it (`0.1`, `1e+20`). How it is formatted does not
  matter, as whoever has the file sees all digits.
- A date is `2026-11-29`, a time of day `13:45:00`, both together `2026-11-29 13:45:00`, with six
  more digits where there are fractions of a second. Excel does not tell a date from midnight of
  that day: both are the date.
- A duration is as Python writes it (`1 day, 2:00:00`). A truth value is `True` or `False`.
- Text stays as it is. An empty cell, and an empty text, are missing.

The first row has the names of the columns. What would be read as empty although it is not is
refused: errors (`#N/A`), formulas whose results the file does not hold, and merged cells. So is
what would be released unread: a second sheet with cells, hidden or not, notes, pivot tables (which
keep a copy of their data), links to other workbooks, objects, and drawings.
"""

from __future__ import annotations

import zipfile
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any, Final
from xml.etree import ElementTree as ET

from anonaudit.cells import cell_text, of_double
from anonaudit.errors import InputError, listed
from anonaudit.source.frames import Remarks, TextColumns

# Parts of a workbook with a content of their own, by the end of their content type.
_UNREAD: Final = {
    "comments+xml": "notes",
    "threadedcomments+xml": "comments",
    "pivotcachedefinition+xml": "pivot tables, which keep a copy of their data",
    "pivotcacherecords+xml": "pivot tables, which keep a copy of their data",
    "externallink+xml": "copies of cells of other workbooks",
    "model+data": "a data model",
    "oleobject": "objects",
    "spreadsheetml.sheet": "objects",  # as a file inside the workbook
    "wordprocessingml.document": "objects",
    "drawing+xml": "drawings, which may be charts, pictures or text",
}
_PICTURE: Final = "image/"
# Elements of a sheet with a content of their own.
_BESIDE: Final = {
    "hyperlink": "links",
    "dataValidation": "lists of allowed values",
    "headerFooter": "headers or footers",
}


def is_workbook(path: Path) -> bool:
    """Whether a file is a workbook that is read here."""
    if not zipfile.is_zipfile(path):
        return False
    try:
        with zipfile.ZipFile(path) as archive:
            return "xl/workbook.xml" in archive.namelist()
    except zipfile.BadZipFile:  # a file that only ends like an archive
        return False


def read_workbook(path: Path, name: str, remarks: Remarks) -> TextColumns:
    """The columns of the one sheet that has cells.

    Raises InputError where python-calamine is not installed, and for a workbook that cannot be
    read, or not without a loss (see above).
    """
    try:
        from python_calamine import CalamineWorkbook
    except ImportError:
        raise InputError(
            f"{name}: is a workbook of Excel; to read it, pip install 'anonaudit[excel]'"
        ) from None
    try:
        with zipfile.ZipFile(path) as archive:
            _refuse_unread(archive, name)
            _refuse_losses(archive, name)
        workbook = CalamineWorkbook.from_path(str(path))
        sheets = [workbook.get_sheet_by_name(sheet) for sheet in workbook.sheet_names]
        filled = [
            sheet
            for sheet in sheets
            if any(cell != "" for row in sheet.to_python() for cell in row)
        ]
    except InputError:
        raise
    except Exception as error:  # calamine's message may quote a cell
        raise InputError(
            f"{name}: the workbook cannot be read ({type(error).__name__}); open and save it "
            "again, or save the sheet as CSV"
        ) from None
    if len(filled) != 1:
        raise InputError(
            f"{name}: {len(filled)} sheets have cells, expected exactly one; hidden ones count"
        )
    (sheet,) = filled
    if sheet.merged_cell_ranges:
        raise InputError(
            f"{name}: {len(sheet.merged_cell_ranges)} ranges of merged cells, of which only the "
            "first cell has a value; split them"
        )
    return _columns(sheet.to_python(skip_empty_area=False), name, remarks)


def _refuse_unread(archive: zipfile.ZipFile, name: str) -> None:
    """Raise InputError for what is released with the cells and is in none of them.

    What a part holds is known by its content type, since a workbook may keep it in any folder.
    """
    kinds = [*ET.fromstring(archive.read("[Content_Types].xml"))]  # noqa: S314 (expat limits expansion)
    endings = {member.rpartition(".")[2].lower() for member in archive.namelist()}
    types = {
        one.get("ContentType", "").lower()
        for one in kinds
        if one.get("PartName") or one.get("Extension", "").lower() in endings
    }
    found = {said for end, said in _UNREAD.items() if any(kind.endswith(end) for kind in types)}
    if any(kind.startswith(_PICTURE) for kind in types):
        found.add("pictures")
    _refuse(found, name)


def _refuse(found: Collection[str], name: str) -> None:
    if found:
        raise InputError(
            f"{name}: the workbook has {', '.join(sorted(found))}, which would be released unread; "
            "remove them (File > Info > Inspect Document), or save the sheet as CSV"
        )


def _beside(element: ET.Element) -> str | None:
    """What an element of a sheet has besides cells; None if it is a cell, or empty."""
    what = next((said for tag, said in _BESIDE.items() if _is(element, tag)), None)
    texts = [(part.text or "").strip() for part in element]
    if what is None or _is(element, "hyperlink"):
        return what
    # A list of allowed values is written in quotes, or refers to cells, which are read.
    listed_here = any(text.startswith('"') for text in texts)
    return what if listed_here or (_is(element, "headerFooter") and any(texts)) else None


def _refuse_losses(archive: zipfile.ZipFile, name: str) -> None:
    """Raise InputError for cells that calamine does not read as they are written.

    A sheet is known by its root element, since a workbook may keep its sheets in any folder.
    """
    errors, unknown, twice, rounded = [], [], [], []
    beside = set[str]()
    seen = set[tuple[str, str]]()
    for sheet, cell in _cells(archive):
        if not _is(cell, "c"):
            beside |= {said for said in [_beside(cell)] if said}
            continue
        place = cell.get("r", "?")
        if cell.get("t") == "e":
            errors.append(place)
        elif any(_is(part, "f") for part in cell) and not _has_result(cell):
            unknown.append(place)
        elif _is_rounded(cell):
            rounded.append(place)
        if (sheet, place) in seen and place != "?":
            twice.append(place)
        seen.add((sheet, place))
    _refuse(beside, name)
    for cells, what in (
        (errors, "errors such as #N/A"),
        (unknown, "formulas without a result"),
        (twice, "a value although another cell has the same place"),
        (rounded, "numbers of more digits than Excel keeps (15)"),
    ):
        if cells:
            raise InputError(
                f"{name}: {len(cells)} cells hold {what} ({listed(cells)}); replace them by values "
                "in Excel, and save"
            )


def _cells(archive: zipfile.ZipFile) -> Iterator[tuple[str, ET.Element]]:
    """Every cell, and what a sheet has besides, with the file of the sheet.

    Files that are not the XML of a sheet are skipped.
    """
    for member in archive.namelist():
        with archive.open(member) as file:
            parts = ET.iterparse(file, events=("start", "end"))  # noqa: S314 (expat limits expansion)
            try:
                _, root = next(parts)
            except (ET.ParseError, StopIteration):
                continue
            for event, element in parts if _is(root, "worksheet") else ():
                if event == "end" and any(_is(element, tag) for tag in ("c", *_BESIDE)):
                    yield member, element
                elif event == "end" and _is(element, "row"):
                    element.clear()


def _is_rounded(cell: ET.Element) -> bool:
    """Whether a whole number is written with digits that a double does not hold."""
    if cell.get("t", "n") != "n":
        return False
    texts = (part.text or "" for part in cell if _is(part, "v"))
    return any(t.lstrip("-").isdecimal() and int(float(t)) != int(t) for t in texts if len(t) < 300)


def _is(element: ET.Element, name: str) -> bool:
    """Whether an element has this name, in either of the two namespaces of workbooks."""
    return element.tag.endswith(f"}}{name}")


def _has_result(cell: ET.Element) -> bool:
    # A formula may give an empty text, which Excel writes as a result of type `str`.
    return any(_is(part, "v") and (part.text or cell.get("t") == "str") for part in cell)


def _columns(rows: list[list[Any]], name: str, remarks: Remarks) -> TextColumns:
    """The columns by name; those without a name and a value at the end are left out."""
    header, *records = rows
    names = [_text(cell) for cell in header]
    while (
        names and names[-1] is None and all(_text(row[len(names) - 1]) is None for row in records)
    ):
        names.pop()
    if all(one is None for one in names):
        raise InputError(f"{name}: the first row is empty; put the names of the columns there")
    if unnamed := names.count(None):
        remarks.warnings.append(
            ("unnamed-column", f"{unnamed} column(s) have no name; called by position")
        )
    columns: TextColumns = {}
    for i, one in enumerate(names):
        called = f"(column {i + 1})" if one is None else one
        if called in columns:
            raise InputError(
                f"{name}: duplicate column name {called!r}; a column must have a name of its "
                "own, or the audit may look at the wrong one"
            )
        columns[called] = [_text(row[i]) for row in records]
    return columns


def _text(cell: Any) -> str | None:
    return (of_double(cell) if isinstance(cell, float) else cell_text(cell)) or None
