"""The site: every model and attack has its page, every page is found, and every link leads on."""

import importlib.util
import posixpath
import re
import shlex
from pathlib import Path
from types import ModuleType

import pytest
import typer
from typer.testing import CliRunner

from anonaudit.cli.app import app
from anonaudit.models import MODELS
from anonaudit.plugins import ATTACKS
from anonaudit.policy.policy import parse_policy

FLAGS = re.DOTALL | re.MULTILINE
ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = sorted(DOCS.rglob("*.md"))
NAVIGATION = re.findall(
    r"^ +- (?:.+: )?(\S+\.md)$", (ROOT / "mkdocs.yml").read_text("utf-8"), re.MULTILINE
)
OURS = {name for name in ATTACKS if ATTACKS.ours(name)}


def in_repository(entry: str) -> Path:
    """The file that an entry of the navigation stands for (see docs/_site/links.py)."""
    copied = entry.startswith("repository/")
    return ROOT / entry.removeprefix("repository/") if copied else DOCS / entry


def without_code(page: Path) -> str:
    return re.sub(r"^```.*?^```", "", page.read_text("utf-8"), flags=FLAGS)


def script(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, DOCS / "_site" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(("folder", "names"), [("models", {*MODELS}), ("attacks", OURS)])
def test_one_page_each(folder: str, names: set[str]) -> None:
    assert names
    assert {page.stem for page in (DOCS / folder).glob("*.md")} == names | {"index"}
    index = (DOCS / folder / "index.md").read_text("utf-8")
    assert [name for name in sorted(names) if f"]({name}.md)" not in index] == []
    for name in names:
        text = (DOCS / folder / f"{name}.md").read_text("utf-8")
        assert f"{name} = " in text or f"[attacks.{name}]" in text  # as a policy has it
        example = text.split("\n## Example\n")[1].split("\n## ")[0]
        assert re.search(r"^```python\n.*?^ *assert .*?^```", example, FLAGS)
        assert "\n## Edge cases\n" in text
        assert "\n## Source\n" in text


def test_every_page_is_in_the_navigation_once() -> None:
    ours = [entry for entry in NAVIGATION if not entry.startswith("repository/")]
    assert sorted(ours) == sorted(page.relative_to(DOCS).as_posix() for page in PAGES)
    assert len(set(NAVIGATION)) == len(NAVIGATION)


def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as MkDocs makes them."""
    heads = re.findall(r"^#+ (.+)$", without_code(page), re.MULTILINE)
    plain = (re.sub(r"[^\w\s-]", "", head).strip().lower() for head in heads)
    return {re.sub(r"[\s-]+", "-", head) for head in plain}


@pytest.mark.parametrize(
    "page",
    sorted({*PAGES, *ROOT.glob("*.md"), *map(in_repository, NAVIGATION)}),
    ids=lambda page: page.relative_to(ROOT).as_posix(),
)
def test_links_lead_somewhere(page: Path) -> None:
    """As relative paths in the repository; the site's own are made of them by a hook."""
    wrong = []
    for target, anchor in re.findall(r"\]\(([^)\s#:]*)(?:#([^)\s]*))?\)", without_code(page)):
        found = Path(posixpath.normpath((page.parent / target).as_posix())) if target else page
        if not found.is_file() or (anchor and anchor not in anchors(found)):
            wrong.append(f"{target}#{anchor}")
    assert wrong == []


IN_POLICIES = {
    "quasi-identifiers": ["age", "zip", "sex", "location"],
    "sensitive": ["illness", "income", "severity"],
}


@pytest.mark.parametrize("page", [p for p in PAGES if p.parent.name in {"models", "attacks"}])
def test_policies_can_be_read(page: Path, tmp_path: Path) -> None:
    """Every block of TOML, with the columns and files it leaves to the reader."""
    (tmp_path / "illness.csv").write_text("Colon Cancer;Cancer;Any\n")
    tree = ROOT / "datasets" / "MCT08" / "hierarchies" / "location.csv"
    (tmp_path / "location.csv").write_text(tree.read_text("utf-8"))
    columns = "".join(f"{key} = {names}\n" for key, names in IN_POLICIES.items())
    for block in re.findall(r"^```toml\n(.*?)^```", page.read_text("utf-8"), FLAGS):
        for name in re.findall(r'"([a-z]+\.csv)"', block):
            (tmp_path / name).touch()
        whole = block if "[columns]\n" in block else f"[columns]\n{block}"
        whole = whole.replace("[columns]\n", f"[columns]\n{columns}")
        policy = parse_policy(whole, folder=tmp_path)
        assert [*policy.requirements, *policy.attacks]


def test_the_first_commands_on_a_third_party_release(tmp_path: Path) -> None:
    """They are run as they stand; the proposal calls `record` an identifier, which is released."""
    page = (DOCS / "howto" / "third-party-release.md").read_text("utf-8")
    block = re.search(r"^```sh\n(.*?)^```", page, FLAGS)
    assert block is not None
    places = {
        "datasets/": f"{ROOT.as_posix()}/datasets/",
        "release.toml": f"{tmp_path}/release.toml",
    }
    codes = []
    for line in block[1].splitlines():
        words = [re.sub("|".join(places), lambda m: places[m[0]], w) for w in shlex.split(line)]
        codes.append(CliRunner().invoke(app, words[1:]).exit_code)
    assert codes == [0, 1]


def test_the_command_line_is_as_documented() -> None:
    """Written anew by `python docs/_site/cli_reference.py`."""
    writer = script("cli_reference")
    text = writer.to_markdown()
    assert writer.PAGE.read_text("utf-8") == text
    group = typer.main.get_command(app)
    for name, command in group.commands.items():  # against what typer makes of the functions
        part = text.split(f"\n## anonaudit {name}\n")[1].split("\n## ")[0]
        known = {o for p in command.params for o in p.opts if o.startswith("-") and not p.hidden}
        written = re.findall(r"^\| `([^`]*)` \|", part, re.MULTILINE)
        assert {o for row in written for o in row.split(", ") if o.startswith("-")} == known
