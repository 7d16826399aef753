"""The wheel, installed away from the checkout: all it needs is in it, and nothing else."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from conftest import ROOT

pytestmark = pytest.mark.long  # building it fetches the build backend


def run(*command: str | Path, cwd: Path, code: int = 0, **environment: str) -> str:
    ended = subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == code, ended.stderr[-2000:]
    return ended.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    run(sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", folder, ROOT, cwd=folder)
    (built,) = folder.glob("*.whl")
    return built


def test_what_is_in_it(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    assert {name.partition("/")[0].partition("-")[0] for name in names} == {"anonaudit", "attacks"}
    for name in ("py.typed", "report/schema.json", "report/page/page.html.j2"):
        assert f"anonaudit/{name}" in names
    assert any(name.endswith("dist-info/licenses/LICENSE") for name in names)
    there = [path for path in (ROOT / "anonaudit").rglob("*.py") if "__pycache__" not in path.parts]
    assert {path.relative_to(ROOT).as_posix() for path in there} <= set(names)


def test_the_first_audit_from_it(wheel: Path, tmp_path: Path) -> None:
    home, place = tmp_path / "home", tmp_path / "place"
    place.mkdir()
    run(
        sys.executable,
        "-m",
        "pip",
        "install",
        "-q",
        "--no-deps",
        "--target",
        home,
        wheel,
        cwd=place,
    )
    command = (sys.executable, "-m", "anonaudit")
    policy = run(
        *command, "datasets", "adult/release.toml", cwd=place, PYTHONPATH=str(home)
    ).strip()
    assert Path(policy).is_relative_to(home)
    report = run(*command, "audit", policy, cwd=place, code=1, PYTHONPATH=str(home))
    # As README.md has it.
    assert report.startswith(
        "VIOLATED: 3 of 4 requirements broken (p-sensitive-k-anonymity, homogeneity, linkage)\n"
    )
