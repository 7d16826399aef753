"""The matrix: each cell is that attack on that release, and nothing undecided looks safe."""

import csv
import io
import json
import os
import sys
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest
from command import Command

from anonaudit import datasets
from anonaudit.cli import main
from anonaudit.errors import InputError
from anonaudit.findings import Disclosure, Outcome
from anonaudit.masking.maskers import Original
from anonaudit.matrix import cache, draw_heatmap, matrix, to_csv, to_json, to_text
from anonaudit.policy.policy import AttackRequest, parse_policy

TABLE = datasets.path("Z07/table1.csv")
RULES = """
columns.quasi-identifiers = ["race", "sex", "zip-code"]
columns.sensitive = ["disease"]
require.k-anonymity = { k = 3 }
require.rule-confidence = { below = 0.7 }
"""
WAYS = ["full-domain"]


def people() -> pd.DataFrame:
    """Table 1, its classes taking turns: rows of one class that stand together link nothing."""
    return pd.read_csv(TABLE, dtype=str).iloc[[0, 3, 6, 9, 1, 4, 7, 10, 2, 5, 8, 11]]


@pytest.fixture(scope="module")
def found():
    return matrix(people(), parse_policy(RULES), algorithms=WAYS)


def cell(found, row, attack):
    (cells,) = [r.cells for r in found.rows if r.name == row]
    return next(c for c in cells if c.attack == attack)


def test_rows(found) -> None:
    """No masking, k alone (its four classes of three rows), and with rules hidden."""
    assert [row.name for row in found.rows] == ["unmasked", "full-domain k", "full-domain k rules"]
    assert [row.outcome for row in found.rows] == ["violated", "violated", "holds"]
    assert [row.lacking for row in found.rows] == [("rules",), ("rules",), ()]
    assert [row.hidden for row in found.rows] == [0, 0, 1]  # 3 of 3 heart diseases: Z07 section 4
    assert [row.released for row in found.rows] == [12, 12, 12]
    assert {row.loss for row in found.rows} == {0.0}  # Table 1 is 3-anonymous in these columns
    assert {row.discernability for row in found.rows} == {3.0}


@pytest.mark.parametrize(
    ("attack", "exposed"),
    [
        # By hand, from Table 1: the three White males at 40242 all have heart disease. Without
        # its other value two classes are down to one; the fourth has three values. All three
        # rows of the second class are rules of confidence 1; 4 of 6 Whites have heart disease.
        ("homogeneity", (3, 3, 0)),
        ("elimination", (9, 9, 6)),
        ("association", (3, 3, 0)),
        ("linkage", (3, 3, 0)),
        ("unsorted-matching", (12, 0, 0)),
    ],
)
def test_counts_by_hand(found, attack: str, exposed: tuple[int, ...]) -> None:
    assert tuple(cell(found, row.name, attack).exposed for row in found.rows) == exposed
    assert {cell(found, row.name, attack).targets for row in found.rows} == {12}


def test_who_knows_the_algorithm(found) -> None:
    """Z07 section 4.2: the hidden cell can only be heart disease; recoding by itself adds nothing.

    Of full-domain recoding all 3 x 1 x 3 x 6 ways to hand out the diseases are possible, so only
    the class of one disease is certain.
    """
    hidden = cell(found, "full-domain k rules", "algorithm-aware")
    assert (hidden.targets, hidden.exposed, hidden.rate) == (1, 1, 1.0)
    assert cell(found, "full-domain k", "algorithm-aware").exposed == 3
    assert cell(found, "unmasked", "algorithm-aware").reason == "nothing was masked"


def test_what_decides_nothing_is_never_safe(found) -> None:
    for row in found.rows:
        for one in row.cells:
            assert (one.rate is None) == (one.outcome in ("skipped", "inconclusive"))
            assert one.rate is not None or one.reason
            counts = (one.exposed, one.identified, one.disclosed)
            assert all((count is None) == (one.rate is None) for count in counts)
            assert one.rate is None or one.exposed <= one.targets
    similarity = cell(found, "unmasked", "similarity")
    assert (similarity.outcome, similarity.confidence) == ("skipped", None)
    assert "similarity, n/a: " in to_text(found)


def test_confidence_is_what_the_attack_is_sure_of(found) -> None:
    assert cell(found, "unmasked", "homogeneity").confidence == 1
    assert cell(found, "unmasked", "association").confidence == 0.7
    assert cell(found, "unmasked", "skewness").confidence is None  # believed


def test_guesses(found) -> None:
    """By hand: the likeliest diseases of the classes are right in 2 + 3 + 2 + 1 of 12 rows."""
    assert found.rows[0].guessed == pytest.approx(8 / 12)
    assert found.rows[0].baseline == pytest.approx(4 / 12)  # each disease has 4 rows


def test_a_way_that_cannot_be_gone_says_why() -> None:
    rules = parse_policy(RULES.replace("k = 3", "k = 13"))
    rows = matrix(TABLE, rules, algorithms=["mondrian"], only=["homogeneity"]).rows
    assert rows[0].cells
    assert not rows[1].cells
    assert "12" in rows[1].reason


def test_k_alone_asks_nothing_of_sensitive_cells() -> None:
    """By hand: both classes of two are 2-anonymous as they are, though one illness is unknown."""
    table = pd.DataFrame({"age": ["1", "1", "2", "2"], "illness": ["flu", "hiv", None, None]})
    rules = parse_policy("""
    columns = { quasi-identifiers = ["age"], sensitive = ["illness"] }
    require.k-anonymity = { k = 2 }
    """)
    row = matrix(table, rules, algorithms=WAYS, only=["homogeneity"]).rows[1]
    assert (row.name, row.reason, row.loss) == ("full-domain k", None, 0)


class CutShort:
    """Has exposed 2 of 8 when its budget ends."""

    name, knowledge, options = "homogeneity", "nothing", ()

    def run(self, setting) -> Disclosure:
        told = {"outcome": Outcome.INCONCLUSIVE, "reason": "out of budget"}
        return Disclosure("homogeneity", "nothing", 8, 0, 2, 0.25, None, **told)


def test_what_was_cut_short_says_what_it_had(monkeypatch) -> None:
    monkeypatch.setattr("anonaudit.matrix.matrix_rows.attack_named", lambda _: CutShort)
    found = matrix(TABLE, parse_policy(RULES), algorithms=WAYS, only=["homogeneity"])
    one = found.rows[0].cells[0]
    assert (one.targets, one.exposed, one.rate) == (8, None, None)
    assert one.reason == "out of budget; exposed by then: 2 of 8"


@pytest.mark.parametrize("unknown", [None, "X"])
def test_who_knows_the_algorithm_sees_gaps_as_gaps(unknown: str | None) -> None:
    """By hand: of the 2 ways to hand out a gap and a tb, both give this release; flu is certain."""
    table = pd.DataFrame({"age": ["1", "1", "2", "2"], "illness": ["flu", "flu", unknown, "tb"]})
    rules = parse_policy("""
    columns = { quasi-identifiers = ["age"], sensitive = ["illness"] }
    values.suppressed = ["X", "*"]
    require.k-anonymity = { k = 2 }
    """)
    found = matrix(table, rules, algorithms=WAYS, only=["algorithm-aware"])
    assert cell(found, "full-domain k", "algorithm-aware").exposed == 2


def test_gaps_of_the_original_are_no_hidden_rules() -> None:
    """One of the two gaps left of the 3 flus in 5 rows was never a flu: nothing is certain."""
    cells = ["*", "flu", "flu", "flu", "tb"]
    table = pd.DataFrame({"age": ["1"] * 5, "illness": cells})
    rules = parse_policy("""
    columns = { quasi-identifiers = ["age"], sensitive = ["illness"] }
    require.k-anonymity = { k = 2 }
    require.rule-confidence = { below = 0.5 }
    """)
    found = matrix(table, rules, algorithms=WAYS, only=["algorithm-aware"])
    assert found.rows[-1].hidden == 1  # 2 of 5 is below a half, 3 of 5 is not
    one = found.rows[-1].cells[0]
    assert (one.outcome, one.exposed) == ("inconclusive", None)
    assert "the original has suppressed cells" in one.reason


def test_nobody_knows_who_of_a_given_table_is_in_both_halves(tmp_path: Path) -> None:
    (tmp_path / "voters.csv").write_text("race,sex,zip-code\nWhite,Male,40242\n")
    asked = RULES + 'attacks.composition = { external = "voters.csv" }\n'
    found = matrix(
        people(), parse_policy(asked, folder=tmp_path), algorithms=WAYS, only=["composition"]
    )
    for row in found.rows:
        assert (row.cells[0].outcome, row.cells[0].exposed) == ("skipped", None)
        assert row.cells[0].reason == "no second release was given"


def test_the_attacks_of_the_policy_keep_their_options() -> None:
    none, two = (AttackRequest("elimination", {"values": n}, allowed=0.5) for n in (0, 2))
    asked = replace(parse_policy(RULES), attacks=(none, two))
    found = matrix(TABLE, asked, algorithms=WAYS, only=["elimination"])
    assert list(found.attacks) == ["elimination (values = 0)", "elimination (values = 2)"]
    cells = found.rows[0].cells
    assert [one.exposed for one in cells] == [3, 12]  # none is homogeneity; two leave one of three
    assert [one.outcome for one in cells] == ["holds", "violated"]


@pytest.mark.parametrize(
    ("named", "told"),
    [({"algorithms": ["mondrain"]}, "mondrian"), ({"only": ["likage"]}, "linkage")],
)
def test_names_there_are_not(named, told: str) -> None:
    with pytest.raises(InputError, match=f"Did you mean '{told}'"):
        matrix(TABLE, parse_policy(RULES), **named)


def test_finished_cells_are_not_done_again(tmp_path: Path, monkeypatch) -> None:
    rules, kept = parse_policy(RULES), tmp_path / "kept"
    whole = matrix(TABLE, rules, algorithms=WAYS, cache=kept)
    files = sorted(kept.iterdir())
    assert len(files) == len(whole.rows) * (1 + len(whole.attacks))
    next(f for f in files if '"algorithm-aware"' in f.read_text()).write_text("{ cut short")
    next(f for f in files if '"unsorted-matching"' in f.read_text()).unlink()
    assert to_json(matrix(TABLE, rules, algorithms=WAYS, cache=kept)) == to_json(whole)

    def never(*_, **__):
        raise AssertionError("masked again")

    monkeypatch.setattr(Original, "masked", never)
    assert to_json(matrix(TABLE, rules, algorithms=WAYS, cache=kept)) == to_json(whole)
    for other in ({"seed": 1}, {"threshold": 1}):
        with pytest.raises(AssertionError, match="masked again"):
            matrix(TABLE, rules, algorithms=WAYS, cache=kept, **other)
    table = pd.read_csv(TABLE, dtype=str)
    table.loc[0, "disease"] = "Heart disease"
    with pytest.raises(AssertionError, match="masked again"):
        matrix(table, rules, algorithms=WAYS, cache=kept)
    changed = parse_policy(RULES.replace("0.7", "0.6"))
    with pytest.raises(AssertionError, match="masked again"):
        matrix(TABLE, changed, algorithms=WAYS, cache=kept)


def test_finished_cells_are_of_these_libraries(tmp_path: Path, monkeypatch) -> None:
    """Another version of a library that is installed may give other numbers."""
    about = tmp_path / "site" / "somelib-1.0.dist-info" / "METADATA"
    about.parent.mkdir(parents=True)
    about.write_text("Metadata-Version: 2.1\nName: somelib\nVersion: 1.0\n")
    monkeypatch.syspath_prepend(tmp_path / "site")
    rules, named = parse_policy(RULES), {"algorithms": ["mondrian"], "only": ["homogeneity"]}
    whole = matrix(TABLE, rules, **named, cache=tmp_path / "kept")

    def never(*_, **__):
        raise AssertionError("masked again")

    monkeypatch.setattr(Original, "masked", never)
    assert to_json(matrix(TABLE, rules, **named, cache=tmp_path / "kept")) == to_json(whole)
    about.write_text("Metadata-Version: 2.1\nName: somelib\nVersion: 1.1\n")
    with pytest.raises(AssertionError, match="masked again"):
        matrix(TABLE, rules, **named, cache=tmp_path / "kept")


def test_a_table_in_memory_cannot_be_kept_results_under(tmp_path: Path) -> None:
    """Another one would be taken for the same. Without a cache it is attacked with."""
    people = pd.read_csv(TABLE, dtype=str)
    rules = parse_policy(RULES).linked_with(people, [people.columns[0]])
    named = {"algorithms": ["mondrian"], "only": ["linkage"]}
    with pytest.raises(InputError, match="in memory"):
        matrix(TABLE, rules, cache=tmp_path / "kept", **named)
    people.to_csv(tmp_path / "people.csv", index=False)
    filed = parse_policy(RULES).linked_with(tmp_path / "people.csv", [people.columns[0]])
    assert to_json(matrix(TABLE, rules, **named)) == to_json(matrix(TABLE, filed, **named))


DAMAGES = {
    "other keys": lambda text: '{"a": 1}',
    "other kind": lambda text: "[1, 2]",
    "no text": lambda text: "\x00",
    "other number": lambda text: text.replace('"exposed": 3', '"exposed": 0'),
    "other type": lambda text: text.replace('"targets": 12', '"targets": "x"'),
    "other outcome": lambda text: text.replace("violated", "fine").replace("measured", "fine"),
    "too deep": lambda text: "[" * 100_000,
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_what_is_damaged_is_done_again(tmp_path: Path, damage) -> None:
    rules = parse_policy(RULES)

    def found() -> str:
        named = {"algorithms": WAYS, "only": ["homogeneity"], "cache": tmp_path / "kept"}
        return to_json(matrix(TABLE, rules, **named))

    whole = found()
    for file in (tmp_path / "kept").iterdir():
        file.write_text(damage(file.read_text()))
    assert found() == whole


def test_what_cannot_be_kept(tmp_path: Path) -> None:
    (tmp_path / "kept").touch()
    with pytest.raises(InputError, match="kept: cannot be written"):
        matrix(TABLE, parse_policy(RULES), only=["homogeneity"], cache=tmp_path / "kept")


def test_finished_cells_are_of_this_code() -> None:
    """Attacks lean on other files of their package: a change there makes other numbers, too."""
    names = {path.name for path in cache._sources("attacks.composition")}
    assert {"composition.py", "shared.py", "worlds.py"} <= names
    assert {"lattice.py", "cells.py"} <= {path.name for path in cache._sources("anonaudit")}
    assert [path.name for path in cache._sources("command")] == ["command.py"]


def test_forms_say_the_same(found) -> None:
    as_json = json.loads(to_json(found))
    lines = list(csv.DictReader(io.StringIO(to_csv(found))))
    assert len(lines) == sum(len(row.cells) for row in found.rows)
    flat = [(row, one) for row in as_json["rows"] for one in row["cells"]]
    for line, (row, one) in zip(lines, flat, strict=True):
        assert (line["masked-by"], line["attack"]) == (row["name"], one["attack"])
        for name in ("exposed", "identified", "disclosed", "rate"):
            assert line[name] == ("" if one[name] is None else str(one[name]))
        assert line["reason"] == (one["reason"] or "")
        assert float(line["release-guessed"]) == row["guessed"]
    assert "Heart disease" not in to_json(found) + to_csv(found) + to_text(found)


@pytest.mark.parametrize("width", [100, 130, 160])
def test_text_keeps_its_width(found, width: int) -> None:
    text = to_text(found, width=width)
    assert max(map(len, text.splitlines())) <= width
    for name in found.attacks:
        assert f"\n  {name}: " in text


@pytest.mark.long
def test_picture_is_the_same_each_time(found, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    draw_heatmap(found, tmp_path)
    draw_heatmap(matrix(people(), parse_policy(RULES), algorithms=WAYS), other)
    for form, begin in (("svg", b"<?xml"), ("png", b"\x89PNG")):
        content = (tmp_path / f"heatmap.{form}").read_bytes()
        assert content.startswith(begin)
        assert content == (other / f"heatmap.{form}").read_bytes()
    drawn = (tmp_path / "heatmap.svg").read_text("utf-8")
    for row in found.rows:
        assert f">{row.name}<" in drawn


def test_picture_has_rows_without_a_release(tmp_path: Path) -> None:
    """Of no rows nothing is made; what was not made is there all the same."""
    found = matrix(people().iloc[:0], parse_policy(RULES), algorithms=WAYS)
    draw_heatmap(found, tmp_path)
    drawn = (tmp_path / "heatmap.svg").read_text("utf-8")
    assert drawn.count(">none made<") == len(found.rows) == 3
    assert drawn.count(">not run<") == 3 * len(found.attacks)
    for row in found.rows:
        assert f">{row.name}<" in drawn


def test_picture_of_odd_names(tmp_path: Path) -> None:
    asked = tuple(AttackRequest("elimination", {"x": name}) for name in ("$a_b^$", "c\u202ed"))
    rules = replace(parse_policy(RULES), attacks=asked)
    draw_heatmap(matrix(TABLE, rules, algorithms=WAYS, only=["elimination"]), tmp_path)
    drawn = (tmp_path / "heatmap.svg").read_text("utf-8")
    assert "$a_b^$" in drawn
    assert "\u202e" not in drawn


def test_picture_that_cannot_be_written(found, tmp_path: Path) -> None:
    (tmp_path / "heatmap.svg").mkdir()
    with pytest.raises(InputError, match=r"heatmap\.svg: cannot be written"):
        draw_heatmap(found, tmp_path)


@pytest.fixture(scope="module")
def anonaudit():
    command = Command()
    yield command
    command.close()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.long
def test_command(tmp_path: Path, anonaudit: Command) -> None:
    (tmp_path / "p.toml").write_text(RULES)
    asked = ["matrix", TABLE, "p.toml", "-a", "full-domain", "--attack", "homogeneity"]
    ended = anonaudit(tmp_path, *asked, "-o", "out", "--format", "csv")
    assert (ended.code, ended.err) == (0, "wrote out\n")
    assert ended.out == (tmp_path / "out/matrix.csv").read_text()
    names = {path.name for path in (tmp_path / "out").iterdir()}
    files = {"matrix.txt", "matrix.json", "matrix.csv", "heatmap.svg", "heatmap.png", "finished"}
    assert names == files
    again = anonaudit(tmp_path, *asked, "-o", "out", "-f", "json")
    assert json.loads(again.out) == json.loads((tmp_path / "out/matrix.json").read_text())
    plain = anonaudit(tmp_path, *asked)
    assert plain.out.startswith(f"{TABLE}: 12 persons. Required: k-anonymity k = 3")
    (tmp_path / "odd").mkdir()
    (tmp_path / "odd/heatmap.png").mkdir()
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept/finished").touch()
    table = tmp_path / "kept/matrix.csv"
    table.write_text(Path(TABLE).read_text())
    theirs = ["matrix", "kept/matrix.csv", "p.toml", *asked[3:]]
    for wrong, told in (
        ([*asked, "-o", "odd"], "odd/heatmap.png: is a folder"),
        ([*asked, "-o", "kept"], "kept/finished: cannot be written"),
        (["matrix", "none.csv", "p.toml"], "none.csv"),
        ([*asked, "-o", "no/where"], "there is no folder 'no'"),
        ([*asked, "-o", "p.toml"], "p.toml: cannot be written"),
    ):
        ended = anonaudit(tmp_path, *wrong)
        assert (ended.code, ended.out) == (2, "")
        assert told in ended.err
    (tmp_path / "kept/finished").unlink()
    ended = anonaudit(tmp_path, *theirs, "-o", "kept")
    assert (ended.code, ended.out) == (2, "")
    assert "kept/matrix.csv: is read by this command" in ended.err
    assert table.read_text() == Path(TABLE).read_text()


NOTHING = "interrupted; nothing was written\n"
GOES_ON = "interrupted; finished results are kept in out; run the same command again to continue\n"


@pytest.mark.parametrize(
    ("interrupted", "output", "told"),
    [
        ("anonaudit.matrix.matrix", [], NOTHING),
        ("anonaudit.matrix.matrix", ["-o", "out"], NOTHING),  # before anything is finished
        ("anonaudit.matrix.to_text", ["-o", "out"], GOES_ON),
        ("anonaudit.matrix.draw_heatmap", ["-o", "out"], GOES_ON),
        ("anonaudit.matrix.to_text", [], NOTHING),
    ],
)
def test_an_interrupted_command_says_what_it_keeps(
    interrupted: str, output: list[str], told: str, tmp_path: Path, monkeypatch, capsys
) -> None:
    def interrupt(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(interrupted, interrupt)
    monkeypatch.chdir(tmp_path)
    Path("p.toml").write_text(RULES)
    asked = ["matrix", str(TABLE), "p.toml", "-a", "full-domain", "--attack", "homogeneity"]
    monkeypatch.setattr(sys, "argv", ["anonaudit", *asked, *output])
    with pytest.raises(SystemExit) as ended:
        main()
    assert (ended.value.code, capsys.readouterr().err) == (130, told)
    assert any(tmp_path.glob("out/finished/*.json")) is (told is GOES_ON)


@pytest.mark.long
def test_empty_records_of_every_table_are_told(tmp_path: Path, anonaudit: Command) -> None:
    """One in the original, two in the external table, three in the second release."""
    people = "age,sex,dx\n30,F,flu\n30,F,gout\n40,M,flu\n40,M,hiv\n"
    (tmp_path / "o.csv").write_text(people + ",,\n")
    (tmp_path / "e.csv").write_text("name,age,sex\nA,30,F\nB,40,M\n" + ",,\n" * 2)
    (tmp_path / "s.csv").write_text(people + ",,\n" * 3)
    (tmp_path / "p.toml").write_text(
        """
        columns = { quasi-identifiers = ["age", "sex"], sensitive = ["dx"] }
        require.k-anonymity = { k = 2 }
        attacks.linkage = { external = "e.csv", identity = ["name"] }
        attacks.composition = { external = "e.csv", identity = ["name"], second = "s.csv" }
        """
    )
    told = [f"{name}.csv: left out {n} record(s)" for n, name in enumerate("oes", 1)]
    asked = ["matrix", "o.csv", "p.toml", "-o", ".", "--algorithm", "mondrian"]
    for _ in range(2):  # the second time all of it is in the cache
        ran = anonaudit(tmp_path, *asked)
        written = json.loads((tmp_path / "matrix.json").read_text())
        said = ran.err, (tmp_path / "matrix.txt").read_text()
        assert [line.split(" without")[0] for line in written["left_out"]] == told
        assert all(line in text for line in told for text in said)


def test_rows_that_would_be_released_without_a_value_are_told() -> None:
    """The last row has a value in a column without a part only."""
    table = pd.DataFrame({"q": ["a", "a", None], "s": ["x", "y", None], "z": [*"123"]})
    rules = parse_policy("columns = { quasi-identifiers = ['q'], sensitive = ['s'] }")
    found = matrix(table, rules, algorithms=["k-member"], only=["homogeneity"])
    made = {row.name: row for row in found.rows}
    assert made["unmasked"].empty == 0
    hidden = [row for row in found.rows if row.empty]
    told = [f"{row.name}: left out 1 row(s) without a value" for row in hidden]
    assert hidden
    assert all(row.empty == 1 for row in hidden)
    assert all(line in to_text(found) for line in told)
