"""A hook of MkDocs: links that are right on a code host are made right on the site.

A page of docs/ may link to any file of the repository by its relative path. What is outside docs/
is not on the site; so a copy of each such file is put there, below `repository/`, and the links
lead to the copies. Pages of the repository that the navigation names are taken in the same way.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File

ROOT = Path(__file__).parents[2]
COPIES = "repository"
_FENCED = re.compile(r"(^```.*?^```)", re.DOTALL | re.MULTILINE)
_LINK = re.compile(r"(\]\()([^)\s#:]+)(#[^)\s]*)?(\))")


def on_files(files: Any, config: Any) -> Any:
    """Add the files outside docs/ that pages, or the navigation, speak of."""
    wanted = re.findall(rf"{COPIES}/[\w/.-]+", (ROOT / "mkdocs.yml").read_text("utf-8"))
    todo = [*(file.src_uri for file in files.documentation_pages()), *wanted]
    for uri in todo:
        path = _path(uri)
        if uri.startswith(f"{COPIES}/") and files.get_file_from_path(uri) is None:
            files.append(File.generated(config, uri, abs_src_path=str(ROOT / path)))
        if uri.endswith(".md"):
            links = _links((ROOT / path).read_text("utf-8"), path)
            todo += [link for link in links if link.startswith(f"{COPIES}/") and link not in todo]
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Turn the links of a page into those of the site."""
    uri = page.file.src_uri
    folder = posixpath.dirname(uri)
    return _changed(markdown, _path(uri), lambda target: posixpath.relpath(target, folder or "."))


def _path(uri: str) -> str:
    """Where a file of the site stands in the repository."""
    outside = uri.startswith(f"{COPIES}/")
    return uri.removeprefix(f"{COPIES}/") if outside else f"docs/{uri}"


def _uri(path: str) -> str:
    """Where a file of the repository stands on the site."""
    return path.removeprefix("docs/") if path.startswith("docs/") else f"{COPIES}/{path}"


def _links(markdown: str, path: str) -> list[str]:
    found: list[str] = []
    _changed(markdown, path, lambda target: found.append(target) or target)
    return found


def _changed(markdown: str, path: str, change: Callable[[str], str]) -> str:
    def one(link: re.Match[str]) -> str:
        start, target, anchor, end = link.groups(default="")
        whole = posixpath.normpath(posixpath.join(posixpath.dirname(path), target))
        return f"{start}{change(_uri(whole))}{anchor}{end}"

    parts = _FENCED.split(markdown)
    parts[::2] = [_LINK.sub(one, part) for part in parts[::2]]
    return "".join(parts)
