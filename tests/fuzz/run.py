"""Fuzz one reader with atheris: `python tests/fuzz/run.py TARGET --seconds 600`.

atheris is not installed by `.[dev]`: `pip install --group fuzz`. A crash ends the run, and its
input is left in the folder given by --crashes, to become a test in test_fuzz.py.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
from pathlib import Path

try:
    import atheris
except ImportError:
    sys.exit("atheris is not installed here; `pip install --group fuzz` installs it")

sys.path.insert(0, str(Path(__file__).parent))
with atheris.instrument_imports(include=["anonaudit"]):
    from targets import SEEDS, TARGETS


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("target", choices=TARGETS)
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--crashes", type=Path, default=Path())
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as kept:
        corpus = Path(kept, "corpus")
        corpus.mkdir()
        for number, seed in enumerate(SEEDS[asked.target]):
            Path(corpus, str(number)).write_bytes(seed)
        words = {word for seed in SEEDS[asked.target] for word in re.findall(rb"[\w-]{2,}", seed)}
        dictionary = Path(kept, "words")
        dictionary.write_text("".join(f'"{word.decode("ascii")}"\n' for word in sorted(words)))
        options = [
            f"-dict={dictionary}",
            f"-max_total_time={asked.seconds}",
            f"-artifact_prefix={asked.crashes.resolve()}/{asked.target}-",
            "-max_len=4096",
            "-timeout=60",
            "-rss_limit_mb=4096",
            "-print_final_stats=1",
        ]
        atheris.Setup([sys.argv[0], *options, str(corpus)], TARGETS[asked.target])
        atheris.Fuzz()


if __name__ == "__main__":
    main()
