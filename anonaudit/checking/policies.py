"""Find the policies of a repository, and the releases that each of them names."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final

from anonaudit.auditing.audit import columns_of
from anonaudit.errors import InputError
from anonaudit.policy.policy import Policy, read_policy
from anonaudit.source.parquet_folders import POLICY, is_pattern, left_out, matches
from anonaudit.source.table import TableFile
from anonaudit.source.written_path import WrittenPath, path_from

_SKIPPED: Final = ("node_modules", "__pycache__")


def policies_in(paths: Iterable[Path]) -> list[Path]:
    """The policies at these paths, each once.

    A folder stands for every `*.anonaudit.toml` in it and below it. Hidden folders, virtual
    environments and `node_modules` are skipped, and links to folders are not followed. A file is
    taken whatever its name is.

    Raises InputError for a path that is not there, and where no policy is found.
    """
    policies: dict[Path, Path] = {}
    searched = [*paths]
    for path in searched:
        if not path.exists():
            raise InputError(f"{path}: is not there; name a policy, or a folder with policies")
        for policy in _below(path) if path.is_dir() else [path]:
            policies.setdefault(policy.resolve(), policy)
    if not policies:
        raise InputError(
            f"no policy (*{POLICY}) in {', '.join(map(str, searched))}; `anonaudit init` proposes "
            "one for a release"
        )
    return [*policies.values()]


def _below(folder: Path) -> Iterator[Path]:
    for here, folders, names in os.walk(folder, onerror=_refuse):
        kept = [one for one in sorted(folders) if not _is_skipped(Path(here, one))]
        folders[:] = kept
        yield from (Path(here, name) for name in sorted(names) if name.endswith(POLICY))


def _is_skipped(folder: Path) -> bool:
    hidden = folder.name.startswith(".") or folder.name in _SKIPPED
    return hidden or (folder / "pyvenv.cfg").exists()


def _refuse(error: OSError) -> None:
    raise InputError(f"{error.filename}: cannot be read ({error.strerror}); check its permissions")


def policy_to_check(path: Path, release: Path | None = None) -> Policy:
    """A policy that names a release and requires something.

    release: the one to audit instead of those that the policy names.

    Raises AnonauditError for a policy with mistakes or with nothing to check.
    """
    policy = read_policy(path, columns=columns_of(release))
    if release is None and not policy.releases:
        raise InputError(f'{path}: names no release; add [release] file = "..."')
    if not policy.requires_anything:
        raise InputError(f"{path}: requires nothing, so there is nothing to test")
    return policy


def releases_of(policy: Policy, release: Path | None = None) -> dict[str, TableFile]:
    """The releases to audit, by name.

    `file` names one release, which a pattern of Parquet files may be. Under `files` every file and
    folder that a pattern matches is a release, called by its path from the folder of the policy.

    release: the one to audit instead, by the name of the one that the policy names.
    """
    if release is not None:
        named = [*policy.releases] if policy.release.file is not None else ["release"]
        return {named[0]: TableFile(release)}
    if policy.release.file is not None:
        return {name: TableFile(path) for name, path in policy.releases.items()}
    releases: dict[str, TableFile] = {}
    for name, path in policy.releases.items():
        if is_pattern(path):
            folder = Path(policy.source).parent
            # A pattern that matches nothing is a release that is not there.
            inside = _matching(path) or [path]
            for one in inside:
                releases[path_from(folder, str(one))] = TableFile(one)
        else:
            releases[name] = TableFile(path)
    return releases


def _matching(pattern: Path) -> Sequence[Path]:
    root, matching = matches(pattern)
    if isinstance(pattern, WrittenPath):
        matching = pattern.matches()
    return [one for one in matching if not left_out(one.relative_to(root))]
