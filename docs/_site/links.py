"""A hook of MkDocs that adapts the links of the repository to the site.

A page of docs/ may link to any file of the repository by its relative path. The site only has the
files of docs/. So the hook adds a copy of every other linked file below `repository/`, and changes
the links to these copies. It also adds the pages `repository/...` of the navigation.
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
    """Add the files outside docs/ that pages link to or that the navigation names."""
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
    """Return a page with its links changed to those of the site."""
    uri = page.file.src_uri
    folder = posixpath.dirname(uri)
    return _changed(markdown, _path(uri), lambda target: posixpath.relpath(target, folder or "."))


def _path(uri: str) -> str:
    """Return the path in the repository of a file of the site."""
    outside = uri.startswith(f"{COPIES}/")
    return uri.removeprefix(f"{COPIES}/") if outside else f"docs/{uri}"


def _uri(path: str) -> str:
    """Return the path on the site of a file of the repository."""
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
