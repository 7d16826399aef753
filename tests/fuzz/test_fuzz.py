"""Every reader under any bytes: what fuzzing found, what it starts from, and Hypothesis.

targets.py says what must hold. `run.py` lets atheris look for longer.
"""

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from targets import SEEDS, TARGETS

# Inputs that once broke a reader, or a check here.
FOUND = [
    ("labels", b"\x01['482\x00\x0c '']"),  # a blank inside the quotes of a member
    ("labels", b"3" + b"0" * 22 + b"5E-3" + b"0" * 46 + b"3554"),  # more than Decimal can hold
]


@pytest.mark.parametrize(("name", "data"), FOUND)
def test_what_was_found(name: str, data: bytes) -> None:
    TARGETS[name](data)


@pytest.mark.parametrize("name", TARGETS)
def test_where_fuzzing_starts(name: str) -> None:
    for seed in SEEDS[name]:
        TARGETS[name](seed)


@st.composite
def crooked(draw: st.DrawFn, seeds: tuple[bytes, ...]) -> bytes:
    """A seed with pieces taken out and others put in."""
    data = draw(st.sampled_from(seeds))
    words = st.sampled_from(sorted({part for seed in seeds for part in seed.split()}))
    for _ in range(draw(st.integers(0, 3))):
        at = draw(st.integers(0, len(data)))
        cut = draw(st.integers(0, 8))
        data = data[:at] + draw(st.binary(max_size=4) | words) + data[at + cut :]
    return data


def search(name: str, examples: int) -> None:
    @settings(max_examples=examples, deadline=None)
    @given(st.binary(max_size=64) | crooked(SEEDS[name]))
    def any_bytes(data: bytes) -> None:
        TARGETS[name](data)

    any_bytes()


@pytest.mark.parametrize("name", TARGETS)
def test_any_bytes(name: str) -> None:
    search(name, 40)


@pytest.mark.long
@pytest.mark.parametrize("name", TARGETS)
def test_any_bytes_at_length(name: str) -> None:
    search(name, 3000)


@pytest.mark.long
@pytest.mark.parametrize("name", TARGETS)
def test_atheris(name: str, tmp_path: Path) -> None:
    pytest.importorskip("atheris", reason="needs atheris: pip install --group fuzz")
    command = [sys.executable, str(Path(__file__).with_name("run.py")), name]
    command += ["--seconds", "10"]
    ended = subprocess.run(command, cwd=tmp_path, capture_output=True, check=False)
    assert ended.returncode == 0, ended.stderr.decode("utf-8", "replace")[-2000:]
    assert list(tmp_path.iterdir()) == []
