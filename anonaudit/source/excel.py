"""Read Excel workbooks (.xlsx, .xlsm) as tables of text, with the package python-calamine.

How a cell becomes text:

- Number: Excel stores it as a double. A whole number below 2**53 is written in digits (`1`, never
  `1.0`). Any other number is written as Python writes it (`0.1`, `1e+20`). The cell's number format
  is ignored, because everybody who has the file can see all digits.
- Date and time: `2026-11-29`, `13:45:00` or `2026-11-29 13:45:00`, with six more digits if there
  are fractions of a second. Excel does not distinguish a date from midnight of that day; both are
  read as the date.
- Duration: as Python writes it (`1 day, 2:00:00`). Boolean: `True` or `False`.
- Text: unchanged. An empty cell and an empty text are missing.

The first row holds the column names. A workbook is refused if cells that are not empty would be
read as empty: errors (`#N/A`), formulas without stored results, merged cells. A workbook is also
refused if it contains anything that would be released without an audit: a second sheet with cells
(hidden or not), notes, pivot tables (they keep a copy of their data), links, objects, drawings,
lists of allowed values, headers and footers.
"""

from __future__ import annotations

import zipfile
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from anonaudit.cells import cell_text, of_double
from anonaudit.errors import InputError, listed
from anonaudit.source.frames import Remarks, TextColumns

if TYPE_CHECKING:
    from xml.etree import ElementTree as ET

# Parts of a workbook that hold data outside its cells, by the end of their content type.
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
# Elements of a sheet that hold data outside its cells.
_OUTSIDE_CELLS: Final = {
    "hyperlink": "links",
    "dataValidation": "lists of allowed values",
    "headerFooter": "headers or footers",
}


def is_workbook(path: Path) -> bool:
    """Return True if the file is a workbook that `read_workbook` can read (.xlsx, .xlsm)."""
    if not zipfile.is_zipfile(path):
        return False
    try:
        with zipfile.ZipFile(path) as archive:
            return "xl/workbook.xml" in archive.namelist()
    except zipfile.BadZipFile:  # only the end of the file looks like an archive
        return False


def read_workbook(path: Path, name: str, remarks: Remarks) -> TextColumns:
    """Read the only sheet that has cells. Returns its columns by name.

    path: the workbook. name: the name of the workbook in messages. remarks: warnings are added to
    it.

    Raises InputError if python-calamine is not installed, if the workbook cannot be read, or if it
    is refused for one of the reasons in the module docstring.
    """
    try:
        from python_calamine import CalamineWorkbook
    except ImportError:
        raise InputError(
            f"{name}: is an Excel workbook; to read it, pip install 'anonaudit[excel]'"
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
            f"{name}: {len(filled)} sheets have cells, expected exactly one (hidden sheets count); "
            "keep only one sheet with cells, or save it as CSV"
        )
    (sheet,) = filled
    if sheet.merged_cell_ranges:
        raise InputError(
            f"{name}: has {len(sheet.merged_cell_ranges)} range(s) of merged cells, and only the "
            "first cell of a range has a value; unmerge the cells"
        )
    return _columns(sheet.to_python(skip_empty_area=False), name, remarks)


def _refuse_unread(archive: zipfile.ZipFile, name: str) -> None:
    """Raise InputError if the workbook contains data outside the cells, such as notes or pictures.

    The content type of a part decides, because a workbook may keep the part in any folder.
    """
    from xml.etree import ElementTree as ET

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
            f"{name}: the workbook has {', '.join(sorted(found))}, which are released with it "
            "but not audited; remove them (File > Info > Inspect Document), or save the sheet as "
            "CSV"
        )


def _outside_cells(element: ET.Element) -> str | None:
    """Return which data of `_OUTSIDE_CELLS` an element of a sheet holds, such as `links`.

    Returns None for a cell, for empty headers and footers, and for a list of allowed values that
    refers to cells.
    """
    what = next((said for tag, said in _OUTSIDE_CELLS.items() if _is(element, tag)), None)
    texts = [(part.text or "").strip() for part in element]
    if what is None or _is(element, "hyperlink"):
        return what
    # A list of allowed values is either written here, in quotes, or refers to cells. The cells are
    # audited.
    listed_here = any(text.startswith('"') for text in texts)
    return what if listed_here or (_is(element, "headerFooter") and any(texts)) else None


def _refuse_losses(archive: zipfile.ZipFile, name: str) -> None:
    """Raise InputError if calamine would misread a cell, such as an error read as an empty cell.

    Also raise it for links, lists of allowed values, and headers or footers.
    """
    errors, unknown, twice, rounded = [], [], [], []
    outside = set[str]()
    seen = set[tuple[str, str]]()
    for sheet, cell in _cells(archive):
        if not _is(cell, "c"):
            outside |= {said for said in [_outside_cells(cell)] if said}
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
    _refuse(outside, name)
    for cells, what in (
        (errors, "errors such as #N/A"),
        (unknown, "formulas without a result"),
        (twice, "a value although another cell has the same address"),
        (rounded, "numbers with more digits than Excel keeps (15)"),
    ):
        if cells:
            hold = "1 cell holds" if len(cells) == 1 else f"{len(cells)} cells hold"
            raise InputError(
                f"{name}: {hold} {what} ({listed(cells)}); replace each by a value in Excel and "
                "save the workbook"
            )


def _cells(archive: zipfile.ZipFile) -> Iterator[tuple[str, ET.Element]]:
    """Yield each cell, and each element of `_OUTSIDE_CELLS`, as (archive member, element).

    A member is a sheet if its root element is `worksheet`, because a workbook may keep its sheets
    in any folder. Other members are skipped.
    """
    from xml.etree import ElementTree as ET

    for member in archive.namelist():
        with archive.open(member) as file:
            parts = ET.iterparse(file, events=("start", "end"))  # noqa: S314 (expat limits expansion)
            try:
                _, root = next(parts)
            except (ET.ParseError, StopIteration):
                continue
            for event, element in parts if _is(root, "worksheet") else ():
                if event == "end" and any(_is(element, tag) for tag in ("c", *_OUTSIDE_CELLS)):
                    yield member, element
                elif event == "end" and _is(element, "row"):
                    element.clear()


def _is_rounded(cell: ET.Element) -> bool:
    """Return True if the cell is a whole number that a double cannot hold exactly."""
    if cell.get("t", "n") != "n":
        return False
    texts = (part.text or "" for part in cell if _is(part, "v"))
    return any(t.lstrip("-").isdecimal() and int(float(t)) != int(t) for t in texts if len(t) < 300)


def _is(element: ET.Element, name: str) -> bool:
    """Return True if the element has this name, in any namespace (workbooks use two)."""
    return element.tag.endswith(f"}}{name}")


def _has_result(cell: ET.Element) -> bool:
    # If a formula returns an empty text, Excel stores an empty result of type `str`.
    return any(_is(part, "v") and (part.text or cell.get("t") == "str") for part in cell)


def _columns(rows: list[list[Any]], name: str, remarks: Remarks) -> TextColumns:
    """Return the columns by name. The last columns are left out if they have no name and no value.

    rows: the rows of the sheet, all of the same length; the first row has the column names.

    Raises InputError if the first row is empty or if two columns have the same name.
    """
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
            ("unnamed-column", f"{unnamed} column(s) have no name; named by position")
        )
    columns: TextColumns = {}
    for i, one in enumerate(names):
        called = f"(column {i + 1})" if one is None else one
        if called in columns:
            raise InputError(
                f"{name}: duplicate column name {called!r}; rename one of the columns, because the "
                "audit could read the wrong one"
            )
        columns[called] = [_text(row[i]) for row in records]
    return columns


def _text(cell: Any) -> str | None:
    return (of_double(cell) if isinstance(cell, float) else cell_text(cell)) or None
