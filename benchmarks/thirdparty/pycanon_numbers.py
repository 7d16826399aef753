"""Print pycanon's numbers on two copies of Adult and on small tables, as JSON.

Run by a Python that has pycanon: `python pycanon_numbers.py ARX_ADULT_CSV UCI_ADULT_CSV`.
"""

import importlib.metadata
import json
import sys
import warnings

import numpy as np
import pandas as pd
from pycanon import anonymity

CHOICES = {
    "arx": [
        (["sex", "race"], "occupation"),
        (["sex", "race"], "salary-class"),
        (["sex", "marital-status"], "occupation"),
        (["sex", "workclass"], "education"),
        (["sex", "race", "marital-status"], "salary-class"),
    ],
    "uci": [
        (["sex", "race"], "income"),
        (["sex", "race"], "education"),
        (["race"], "occupation"),
        (["sex", "workclass"], "income"),
    ],
}

# Quasi-identifier q, sensitive s, and the labels of the rows if they are not 0, 1, 2, ... .
SMALL = {
    "entropy": ("xxxx", "aaab", None),
    "recursive": ("xxxxx", "aaabc", None),
    "enhanced": ("xxxyyyyyyy", "aaabbbbbbb", None),
    "absent": ("xxyy", "abaa", None),
    "missing quasi-identifier": (["x", "x", None], "aba", None),
    "missing sensitive": ("xxx", ["a", "b", None], None),
    "row labels in another order": ("xxyyy", "abccc", [4, 0, 1, 2, 3]),
    "row labels that are no positions": ("xxyy", "abcc", [10, 11, 12, 13]),
    "one number": ("xxyy", [1, 1, 1, 1], None),
    "numbers": ("xxyy", [1, 2, 2, 10], None),
    "suppressed tuple": ("xxx*", "abca", None),
}


def plain(found):
    if isinstance(found, tuple):
        return [plain(part) for part in found]
    return float(found) if np.isfinite(found) else str(found)


def measure(frame, quasi, sensitive):
    quasi, sensitive = list(quasi), [sensitive]
    calls = {
        "k": lambda: anonymity.k_anonymity(frame, quasi),
        "l": lambda: anonymity.l_diversity(frame, quasi, sensitive),
        "entropy l": lambda: anonymity.entropy_l_diversity(frame, quasi, sensitive),
        "recursive": lambda: anonymity.recursive_c_l_diversity(frame, quasi, sensitive),
        "alpha": lambda: anonymity.alpha_k_anonymity(frame, quasi, sensitive)[0],
        "t": lambda: anonymity.t_closeness(frame, quasi, sensitive),
        "beta": lambda: anonymity.basic_beta_likeness(frame, quasi, sensitive),
        "enhanced beta": lambda: anonymity.enhanced_beta_likeness(frame, quasi, sensitive),
        "delta": lambda: anonymity.delta_disclosure(frame, quasi, sensitive),
    }
    found = {}
    for name, call in calls.items():
        try:
            found[name] = plain(call())
        except Exception as error:
            found[name] = type(error).__name__
    return found


def main(arx, uci):
    warnings.simplefilter("ignore")
    frames = {
        "arx": pd.read_csv(arx, sep=";", dtype=str, keep_default_na=False),
        "uci": pd.read_csv(uci, dtype=str, keep_default_na=False),
    }
    numbers = {
        f"{name}: {', '.join(quasi)} / {sensitive}": measure(frames[name], quasi, sensitive)
        for name, choices in CHOICES.items()
        for quasi, sensitive in choices
    }
    for name, (q, s, index) in SMALL.items():
        frame = pd.DataFrame({"q": list(q), "s": list(s)}, index=index)
        numbers[name] = measure(frame, ["q"], "s")
    numbers["version"] = importlib.metadata.version("pycanon")
    print(json.dumps(numbers, indent=1))


if __name__ == "__main__":
    main(*sys.argv[1:])
