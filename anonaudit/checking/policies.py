"""Find the policies of a repository, and the releases that each policy names."""

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
    """Return the policies at these paths, each once.

    A path that is a file is a policy, whatever its name is. Of a path that is a folder, all files
    `*.anonaudit.toml` in the folder and below it are policies. Hidden folders, virtual
    environments, `node_modules` and `__pycache__` are skipped, and links to folders are not
    followed.

    Raises InputError for a path that does not exist, and if no policy is found.
    """
    policies: dict[Path, Path] = {}
    searched = [*paths]
    for path in searched:
        if not path.exists():
            raise InputError(f"{path}: does not exist; name a policy, or a folder with policies")
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
    """Read a policy that names a release and requires something.

    release: the release to audit instead of the releases that the policy names. With it, the policy
        need not name a release.

    Raises AnonauditError for a policy that has mistakes, names no release or requires nothing.
    """
    policy = read_policy(path, columns=columns_of(release))
    if release is None and not policy.releases:
        raise InputError(f'{path}: names no release; add [release] file = "..."')
    if not policy.requires_anything:
        raise InputError(f"{path}: requires nothing; add a requirement or an allow-rate")
    return policy


def releases_of(policy: Policy, release: Path | None = None) -> dict[str, TableFile]:
    """Return the releases to audit, by name.

    In a policy, the key `file` of the section [release] names one release. It may be a pattern of
    Parquet files, which are read as one table. The key `files` may have patterns, too, but every
    file or folder that such a pattern matches is a release of its own. The name of this release is
    its path relative to the folder of the policy.

    release: the release to audit instead. It gets the name of the release in `file`, or the name
        `release` if the policy has no `file`.
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
            # If nothing matches, the pattern itself is the name of a release that does not exist.
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
