"""From a policy to a release: what is promised is in the file, or there is no file."""

import csv
import json
import re
import sys
from dataclasses import replace
from itertools import permutations
from pathlib import Path

import pandas as pd
import pytest

import anonaudit
from anonaudit import cli, datasets
from anonaudit.cli import release
from anonaudit.errors import InputError
from anonaudit.masking.maskers import ALGORITHMS, BEST, mask
from anonaudit.masking.recoding import NotAchievableError
from anonaudit.models.level import ParameterError
from anonaudit.policy.policy import parse_policy, read_policy

HIERARCHIES = f"""
[hierarchies]
age = {{ intervals = [10, 30], origin = 0 }}
race = {{ file = "{datasets.path("adult/hierarchies/race.csv").as_posix()}" }}
sex = {{ file = "{datasets.path("adult/hierarchies/sex.csv").as_posix()}" }}
"""
COLUMNS = """
[columns]
identifiers = ["fnlwgt"]
quasi-identifiers = ["age", "race", "sex"]
sensitive = ["income", "occupation"]
"""
REQUIRE = "[require]\nk-anonymity = { k = 5 }\np-sensitive-k-anonymity = { p = 2 }\n"
ADULT = datasets.path("adult/adult.csv.gz")


def few(rows: int) -> pd.DataFrame:
    return pd.read_csv(ADULT, dtype=str, keep_default_na=False).head(rows)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_every_algorithm_keeps_the_policy_on_adult(algorithm: str) -> None:
    table = few(1_500)
    rules = parse_policy(COLUMNS + HIERARCHIES + REQUIRE)
    found = mask(table, rules, algorithm=algorithm, threshold=50, seed=3)
    assert list(found.release.columns) == ["age", "race", "sex", "income", "occupation"]
    assert found.release.groupby(["age", "race", "sex"]).size().min() >= 5
    values = found.release.groupby(["age", "race", "sex"])[["income", "occupation"]].nunique()
    assert values.min().min() >= 2
    assert len(found.release) == len(table) - found.recoding.suppressed.sum()
    assert found.recoding.suppressed.sum() <= 50
    report = found.audit()
    assert report.outcome == "holds"
    # Nothing secret is drawn: the same rows in any order give the same release, and it is sorted.
    again = mask(
        table.sample(frac=1, random_state=1), rules, algorithm=algorithm, threshold=50, seed=3
    )
    assert again.release.equals(found.release)
    assert again.ground.equals(found.ground)
    rows = found.release.to_numpy().tolist()
    assert rows == sorted(rows)


def test_ground_is_the_original_of_each_released_row() -> None:
    table = few(200)
    found = mask(table, parse_policy(COLUMNS + HIERARCHIES + REQUIRE))
    same = found.release["income"].tolist() == found.ground["income"].tolist()
    assert same
    for released, age in zip(found.release["age"], found.ground["age"], strict=True):
        low, high = released.strip("[)").split(",") if released != "*" else ("0", "200")
        assert int(low) <= int(age) < int(high)


def test_cells_the_original_has_suppressed_keep_their_mark() -> None:
    """In the release and in its ground, whatever the policy's mark is."""
    table = pd.DataFrame({"q": ["1", "1"], "s": ["-", "u"]})
    rules = parse_policy(
        "columns = { quasi-identifiers = ['q'], sensitive = ['s'] }\n"
        "values.suppressed = ['-']\nrequire.k-anonymity = { k = 2 }\n"
    )
    found = mask(table, rules)
    assert sorted(found.release["s"]) == sorted(found.ground["s"]) == ["-", "u"]


def test_nested_boundaries_are_checked_against_the_original() -> None:
    """MCT08 Figure 3: Lincoln may become Midwest, above which Wichita's Kansas must not go."""
    location = datasets.path("MCT08/hierarchies/location.csv").as_posix()
    rules = parse_policy(
        "columns.quasi-identifiers = ['location', 'race']\n"
        f"hierarchies.location = {{ file = '{location}', "
        "max-generalization = ['California', 'Kansas', 'Midwest'] }\n"
        "require.constrained-k-anonymity = { k = 2 }\n"
    )
    found = mask(datasets.path("MCT08/figure3.csv"), rules)
    assert found.algorithm == "greedy-cka"
    assert found.audit().outcome == "holds"
    # Cell by cell: with the rows of the original turned about, places stand for other places.
    turned = replace(found, ground=found.ground.iloc[::-1].reset_index(drop=True))
    assert turned.audit().outcome == "violated"
    assert not found.recoding.suppressed.any()
    with pytest.raises(NotAchievableError, match="suppress"):
        mask(datasets.path("MCT08/figure3.csv"), parse_policy(
            "columns.quasi-identifiers = ['location']\n"
            f"hierarchies.location = {{ file = '{location}', "
            "max-generalization = ['California', 'Kansas'] }\n"
            "require.constrained-k-anonymity = { k = 4 }\n"
        ), threshold=0)  # fmt: skip


@pytest.mark.parametrize("threshold", [0.5, -1, True, float("nan"), float("inf")])
@pytest.mark.parametrize("algorithm", [None, *ALGORITHMS, BEST])
def test_a_threshold_is_a_number_of_rows(algorithm: str | None, threshold: float) -> None:
    table = pd.DataFrame({"age": ["21", "24", "35", "38"]})
    rules = parse_policy("columns.quasi-identifiers = ['age']\nrequire.k-anonymity = { k = 2 }")
    with pytest.raises(ParameterError, match="threshold must be a whole number of at least 0"):
        mask(table, rules, algorithm=algorithm, threshold=threshold)  # type: ignore[arg-type]


def test_rules_are_hidden() -> None:
    table = pd.DataFrame({"q": ["1"] * 4 + ["2"] * 4, "s": list("aaabccdd")})
    rules = parse_policy(
        "columns = { quasi-identifiers = ['q'], sensitive = ['s'] }\n"
        "[require]\nk-anonymity = { k = 2 }\nrule-confidence = { below = 0.7 }\n"
    )
    found = mask(table, rules)
    assert (found.release["s"] == "*").sum() == 1  # three of four are a: two of four will do
    assert found.audit().outcome == "holds"


THREE = pd.DataFrame({"q": ["1"] * 40, "s": ["a"] * 39 + ["b"], "t": [f"t{i}" for i in range(40)]})
HIDE = parse_policy(
    "columns = { quasi-identifiers = ['q'], sensitive = ['s', 't'] }\n"
    "[require]\nk-anonymity = { k = 2 }\nrule-confidence = { below = 0.5 }\n"
)


def test_which_cells_are_hidden_is_drawn_anew_and_depends_on_no_seed_that_is_known() -> None:
    """20 of 39 cells go, so two draws are alike with a chance of one in 39 over 20, 7e10."""
    drawn = [mask(THREE, HIDE, seed=0).release for _ in range(3)]
    assert len({tuple(found.loc[found["s"] == "*", "t"]) for found in drawn}) == 3
    for found in drawn:
        assert (found["s"] == "*").sum() == 20
        rows = found.to_numpy().tolist()
        assert rows == sorted(rows)


def test_an_insecure_seed_repeats_the_draw_and_warns() -> None:
    one, again, other = (mask(THREE, HIDE, insecure_seed=n) for n in (4, 4, 5))
    assert one.release.equals(again.release)
    assert not one.release.equals(other.release)
    assert "insecure seed" in one.notes[-1]
    assert "4" not in one.notes[-1]
    assert not any("insecure" in note for note in mask(THREE, HIDE).notes)
    for algorithm in ("mondrian", "best"):
        made = [mask(THREE, HIDE, algorithm=algorithm, insecure_seed=4) for _ in range(2)]
        assert made[0].release.equals(made[1].release)
        assert any("insecure" in note for note in made[0].notes)


def test_equal_rows_have_their_originals_in_an_order_of_their_own() -> None:
    """Four rows become two pairs of equal ones; who of a pair was first in the file is nowhere."""
    rules = parse_policy(
        "columns = { quasi-identifiers = ['q'], sensitive = ['s'] }\n"
        "hierarchies.q = { intervals = [10], origin = 0 }\nrequire.k-anonymity = { k = 2 }\n"
    )
    rows = [("24", "x"), ("35", "y"), ("21", "x"), ("38", "y")]
    for order in permutations(rows):
        found = mask(pd.DataFrame(order, columns=["q", "s"]), rules)
        assert found.release["q"].tolist() == ["[20,30)", "[20,30)", "[30,40)", "[30,40)"]
        assert found.ground["q"].tolist() == ["21", "24", "35", "38"]


@pytest.mark.parametrize(
    ("require", "chosen"),
    [
        ("k-anonymity = { k = 2 }", "full-domain"),
        ("entropy-l-diversity = { l = 1.5 }", "mondrian"),
        ("multi-attribute-l-diversity = { l = 2 }", "mondrian"),
    ],
)
def test_the_policy_chooses_the_algorithm(require: str, chosen: str) -> None:
    found = mask(few(300), parse_policy(f"{COLUMNS}{HIERARCHIES}[require]\n{require}\n"))
    assert found.algorithm == chosen
    assert found.audit().outcome == "holds"


@pytest.mark.parametrize(
    ("algorithm", "require", "message"),
    [
        ("k-membr", "k-anonymity = { k = 2 }", "Did you mean 'k-member'"),
        ("full-domain", "entropy-l-diversity = { l = 2 }", "full-domain cannot aim at 'goals"),
        ("mondrian", "constrained-k-anonymity = { k = 2 }", "mondrian cannot aim at 'boundaries'"),
    ],
)
def test_what_an_algorithm_does_not_know(algorithm: str, require: str, message: str) -> None:
    rules = parse_policy(f"{COLUMNS}{HIERARCHIES}[require]\n{require}\n")
    with pytest.raises(InputError, match=message):
        mask(few(50), rules, algorithm=algorithm)


# Losses by hand. The tree of q has three levels: value, decade, everything; so a decade is 1/2.
DECADES = "hierarchies.q = { intervals = [10], origin = 0 }\n"
BEST_OF = [
    # One decade a class is all that any can do: all lose 1/2, the first in order is taken.
    (["21", "24", "35", "38"], "k-anonymity = { k = 2 }", "full-domain", {}),
    # The two of 35 may stay as they are, if not all go to one level: 2 * 1/2 over 4 cells.
    (
        ["21", "24", "35", "35"],
        "k-anonymity = { k = 2 }",
        "mondrian",
        dict.fromkeys(("mondrian", "greedy-cka", "k-member"), 0.25),
    ),
    # Full-domain generalization does not know entropy.
    (
        ["21", "24", "35", "38"],
        "entropy-l-diversity = { l = 2 }",
        "mondrian",
        {"full-domain": None},
    ),
]


@pytest.mark.parametrize(("ages", "require", "taken", "losses"), BEST_OF)
def test_the_best_release_is_the_one_that_loses_least(
    ages: list[str], require: str, taken: str, losses: dict[str, float | None]
) -> None:
    rules = parse_policy(
        "columns = { quasi-identifiers = ['q'], sensitive = ['s'] }\n"
        f"{DECADES}[require]\n{require}\n"
    )
    doing: list[str] = []
    table = pd.DataFrame({"q": ages, "s": list("abab")})
    found = mask(table, rules, algorithm="best", progress=doing.append)
    expected = {name: losses.get(name, 0.5) for name in ALGORITHMS}
    assert {one.algorithm: one.loss for one in found.tried} == expected
    assert (found.algorithm, found.loss) == (taken, expected[taken])
    for name, loss in expected.items():
        shown = "cannot aim at 'goals beyond k and p'" if loss is None else f"loss {loss:.0%}"
        assert f"{name} ({shown})" in found.notes[-1]
        assert (f"{name}: masking" in doing) == (loss is not None)
    assert found.release.equals(mask(table, rules, algorithm=taken).release)


def test_the_best_release_keeps_the_policy_whatever_others_lose() -> None:
    """Only a level for all brings those of 21 and 22 together, whose illness is one each."""
    table = pd.DataFrame({"q": ["21", "21", "22", "22", "35", "36"], "s": list("aabbab")})
    rules = parse_policy(
        "columns = { quasi-identifiers = ['q'], sensitive = ['s'] }\n"
        f"{DECADES}require.k-anonymity = {{ k = 2 }}\nattacks.homogeneity = {{ allow-rate = 0 }}\n"
    )
    found = mask(table, rules, algorithm="best")
    assert (found.algorithm, found.loss) == ("full-domain", 0.5)
    others = {one.algorithm: (one.loss, one.reason) for one in found.tried[1:]}
    assert others == dict.fromkeys(
        ("mondrian", "greedy-cka", "k-member"),
        (pytest.approx(1 / 6), "breaks or leaves undecided homogeneity"),
    )


def test_where_no_algorithm_keeps_the_policy_each_has_its_reason(tmp_path: Path) -> None:
    table = pd.DataFrame({"q": ["21", "24", "35", "38"], "s": list("abab")})
    head = f"columns = {{ quasi-identifiers = ['q'], sensitive = ['s'] }}\n{DECADES}[require]\n"
    with pytest.raises(NotAchievableError) as ended:
        mask(table, parse_policy(head + "p-sensitive-k-anonymity = { p = 3 }\n"), algorithm="best")
    for name in ALGORITHMS:
        assert f"{name} (" in str(ended.value)
    (tmp_path / "s.csv").write_text("a;x;any\nb;x;any\n")
    unknown = (
        "extended-p-sensitive-k-anonymity = { p = 2 }\nentropy-l-diversity = { l = 2 }\n"
        "[hierarchies.s]\nfile = 's.csv'\nprotected = ['x']\n"
    )
    with pytest.raises(InputError, match=r"no algorithm .* 'goals"):
        mask(table, parse_policy(head + unknown, folder=tmp_path), algorithm="best")


# --- the command


def run(monkeypatch: pytest.MonkeyPatch, *arguments: object) -> object:
    monkeypatch.setattr(sys, "argv", ["anonaudit", "mask", *map(str, arguments)])
    with pytest.raises(SystemExit) as ended:
        cli.main()
    return ended.value.code or 0


def assert_nothing_written(monkeypatch: pytest.MonkeyPatch, place: Path, *, code: int) -> None:
    before = sorted(place.iterdir())
    arguments = (place / "patients.csv", place / "policy.toml", "-o", place / "release.csv")
    assert run(monkeypatch, *arguments) == code
    assert sorted(place.iterdir()) == before


@pytest.fixture
def place(tmp_path: Path) -> Path:
    few(400).to_csv(tmp_path / "patients.csv", index=False)
    (tmp_path / "policy.toml").write_text(COLUMNS + HIERARCHIES + REQUIRE)
    return tmp_path


def test_the_release_comes_with_its_hierarchies_and_its_audit(
    place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    release = place / "release.csv"
    assert run(monkeypatch, place / "patients.csv", place / "policy.toml", "-o", release) == 0
    told = capsys.readouterr()
    assert told.out.startswith("HOLDS: ")
    assert [line for line in told.err.splitlines() if re.search("not released.*'workclass'", line)]
    assert sorted(path.name for path in place.iterdir()) == [
        "patients.csv", "policy.toml", "release.audit.json", "release.csv", "release.hierarchies",
    ]  # fmt: skip
    table = pd.read_csv(release, dtype=str)
    assert "fnlwgt" not in table.columns
    assert table.groupby(["age", "race", "sex"]).size().min() >= 5
    assert json.loads((place / "release.audit.json").read_text())["outcome"] == "holds"
    names = {path.name for path in (place / "release.hierarchies").iterdir()}
    assert names == {"age.csv", "race.csv", "sex.csv"}
    # Anybody can audit it with what was written.
    text = (
        COLUMNS
        + "[hierarchies]\n"
        + "".join(
            f"{name} = {{ file = 'release.hierarchies/{name}.csv' }}\n" for name in ("age", "race")
        )
    )
    (place / "theirs.toml").write_text(text + REQUIRE)
    assert anonaudit.audit(release, read_policy(place / "theirs.toml")).outcome == "holds"


def test_a_seed_given_on_the_command_line_undoes_nothing(
    place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Files are the same for any seed of full-domain generalization; an insecure one is told of."""
    asked = (place / "patients.csv", place / "policy.toml", "-o")
    for name, options in (("a", ()), ("b", ("--seed", 7)), ("c", ("--insecure-seed", 4_711))):
        assert run(monkeypatch, *asked, place / f"{name}.csv", *options) == 0
        told = capsys.readouterr()
        assert ("insecure seed" in told.err) == (name == "c")
        assert "4711" not in told.out + told.err + (place / f"{name}.audit.json").read_text()
    assert len({(place / f"{name}.csv").read_bytes() for name in "abc"}) == 1
    with (place / "a.csv").open() as file:
        lines = [*csv.reader(file)][1:]
    assert lines == sorted(lines)


def test_the_best_algorithm_is_told_with_the_others(
    place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = (place / "patients.csv", place / "policy.toml", "-o", place / "release.csv")
    assert run(monkeypatch, *asked, "--algorithm", "best") == 0
    told = capsys.readouterr().err
    losses = re.search("tried: " + r" \(loss (.*)%\); ".join(ALGORITHMS) + r" \(loss (.*)%\)", told)
    assert losses
    least = min(losses.groups(), key=float)
    named = list(ALGORITHMS)[losses.groups().index(least)]
    assert f"masked by {named}, with an information loss of {least}%" in told


def test_what_cannot_be_reached_leaves_no_file(
    place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (place / "policy.toml").write_text(
        COLUMNS + HIERARCHIES + "[require]\np-sensitive-k-anonymity = { p = 3, k = 5 }\n"
    )
    assert_nothing_written(monkeypatch, place, code=1)
    told = capsys.readouterr()
    assert told.out == ""
    assert "not achievable" in told.err
    assert "p = 2" in told.err  # the nearest: there are two incomes


def test_what_breaks_the_policy_in_the_end_is_not_written(
    place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (place / "policy.toml").write_text(
        COLUMNS + HIERARCHIES + "[require]\nk-anonymity = { k = 2 }\nt-closeness = { t = 0.01 }\n"
    )
    assert_nothing_written(monkeypatch, place, code=1)
    told = capsys.readouterr()
    assert told.out.startswith("VIOLATED")
    assert "nothing was written: the release would break t-closeness" in told.err


def test_an_interrupted_run_leaves_nothing(
    place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("anonaudit.masking.maskers.audit", interrupt)
    assert_nothing_written(monkeypatch, place, code=130)
    assert "interrupted; nothing was written" in capsys.readouterr().err


def test_the_original_is_not_overwritten(
    place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = place / "patients.csv"
    content = path.read_bytes()
    assert run(monkeypatch, path, place / "policy.toml", "-o", path) == 2
    assert "is read by this command" in capsys.readouterr().err
    assert path.read_bytes() == content


def test_the_name_says_how_a_release_is_written(
    place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    given = (place / "patients.csv", place / "policy.toml", "-o")
    for name, delimiter in (
        ("r.csv", ","),
        ("r.tsv", "\t"),
        ("r.2026.tab", "\t"),
        ("r.tsv.csv", ","),
        ("R.TXT", ","),
    ):
        assert run(monkeypatch, *given, place / name) == 0
        header = (place / name).read_text().partition("\n")[0]
        assert {"age", "race", "sex"} < {*header.split(delimiter)}
    capsys.readouterr()
    before = {*place.iterdir()}
    for name in ("r.parquet", "r.csv.gz", "r.zip", "r.xlsx", "r.json", "r"):
        assert run(monkeypatch, *given, place / name) == 2
        advice = "Add the ending, for example r.csv" if name == "r" else "A release is written as"
        said = f"{name}: the name does not end in .csv, .tsv, .tab or .txt. {advice}"
        assert said in capsys.readouterr().err
    assert {*place.iterdir()} == before


@pytest.mark.parametrize("hierarchies", ["", "hierarchies.q = { intervals = [10] }\n"])
def test_a_folder_of_hierarchies_is_made_only_for_hierarchies(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    hierarchies: str,
) -> None:
    pd.DataFrame({"q": [21, 24, 35, 38]}).to_csv(tmp_path / "t.csv", index=False)
    (tmp_path / "p.toml").write_text(
        f"columns.quasi-identifiers = ['q']\n{hierarchies}require.k-anonymity = {{ k = 2 }}\n"
    )
    monkeypatch.chdir(tmp_path)
    assert run(monkeypatch, "t.csv", "p.toml", "-o", "r.csv", "--algorithm", "mondrian") == 0
    made = {path.name for path in tmp_path.iterdir()} - {"t.csv", "p.toml"}
    said = capsys.readouterr().err
    if hierarchies:
        assert made == {"r.csv", "r.audit.json", "r.hierarchies"}
        assert said.endswith(
            "; wrote r.csv, r.audit.json and r.hierarchies/. Do not publish r.hierarchies/: it "
            "contains original values\n"
        )
    else:
        assert made == {"r.csv", "r.audit.json"}
        assert said.endswith("; wrote r.csv and r.audit.json\n")
        (tmp_path / "r.hierarchies").mkdir()  # as an earlier run leaves it, with originals
        assert run(monkeypatch, "t.csv", "p.toml", "-o", "r.csv", "--algorithm", "mondrian") == 0
        assert "Do not publish r.hierarchies/" in capsys.readouterr().err


def test_the_texts_of_a_release_are_looked_up_once(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Formulas, and carriage returns, are looked for in the same texts."""
    asked, look = [], release.texts_of

    def counted(frame: pd.DataFrame) -> dict[str, set[str]]:
        asked.append(1)
        return look(frame)

    monkeypatch.setattr(release, "texts_of", counted)
    given = (place / "patients.csv", place / "policy.toml", "-o", place / "r.csv")
    assert run(monkeypatch, *given) == 0
    assert asked == [1]


def test_rows_that_stand_for_everybody_are_told() -> None:
    """Two rows that share nothing are one class at the top; nobody else is."""
    table = pd.DataFrame(
        {"age": ["a", "b", "c", "c"], "sex": ["f", "m", "f", "f"], "dx": ["x", "y", "x", "y"]}
    )
    text = 'columns = { quasi-identifiers = ["age", "sex"], sensitive = ["dx"] }\n'
    text += "require.k-anonymity = { k = 2 }\n"
    told = mask(table, parse_policy(text), algorithm="k-member")
    assert [note for note in told.notes if note.startswith("2 row(s) are suppressed in every")]
    assert told.loss == 0.5  # two rows of four lose all
    include = text + 'conventions.suppressed-tuples = "include"\n'
    assert mask(table, parse_policy(include), algorithm="k-member").notes == ()


def test_the_best_algorithm_is_judged_by_what_is_lost_not_by_how_it_is_written() -> None:
    """All release the table as it is: what the original has suppressed is no loss."""
    table = pd.DataFrame({"age": ["12", "12", "*", "*"]})
    rules = parse_policy(
        "columns.quasi-identifiers = ['age']\nrequire.k-anonymity = { k = 2 }\n"
        "conventions.suppressed-tuples = 'include'"
    )
    found = mask(table, rules, algorithm="best")
    assert {attempt.algorithm: attempt.loss for attempt in found.tried} == dict.fromkeys(
        ALGORITHMS, 0.0
    )
    assert found.algorithm == "full-domain"
    assert sorted(found.release["age"]) == ["*", "*", "12", "12"]


def test_a_column_that_is_suppressed_everywhere_is_told() -> None:
    table = pd.DataFrame({"born": list("abcd"), "sex": list("mmff")})
    rules = parse_policy(
        "columns.quasi-identifiers = ['born', 'sex']\nrequire.k-anonymity = { k = 2 }"
    )
    notes = mask(table, rules, algorithm="k-member").notes
    assert [note.partition(";")[0] for note in notes] == ["suppressed in every row: 'born'"]


def test_a_policy_may_name_the_release_that_is_to_be_made(
    place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(place)
    named = 'release.file = "out.csv"\n' + (place / "policy.toml").read_text()
    (place / "policy.toml").write_text(named)

    def run(*arguments: str) -> int:
        monkeypatch.setattr("sys.argv", ["anonaudit", *arguments])
        with pytest.raises(SystemExit) as ended:
            cli.main()
        return int(ended.value.code or 0)

    assert run("audit", "policy.toml") == 2
    assert "which the policy names as its release, does not exist" in capsys.readouterr().err
    assert run("feasible", "patients.csv", "policy.toml") in (0, 1)
    for _ in range(2):  # again over what it made
        assert run("mask", "patients.csv", "policy.toml", "-o", "out.csv") == 0
    assert run("audit", "policy.toml") == 0


@pytest.mark.parametrize("algorithm", ["mondrian", "k-member"])
def test_numbers_that_are_read_as_plain_are_categories(algorithm: str) -> None:
    """Three codes of three people each, and a fourth of one, who is alone but for `*`."""
    table = pd.DataFrame({"code": [*"1112223334"], "ill": [*"ababababab"]})
    policy = parse_policy(
        'columns = { quasi-identifiers = ["code"], sensitive = ["ill"] }\n'
        'values.reading = { code = "plain" }\nrequire.k-anonymity.k = 3\n'
    )
    codes = mask(table, policy, algorithm=algorithm, threshold=10).release["code"]
    assert {*codes} <= {"1", "2", "3", "*"}
    assert len({*codes}) > 1
    intervals = mask(table, replace(policy, readings={}), algorithm=algorithm, threshold=10)
    assert any("," in code for code in intervals.release["code"])
