"""What a scan says of columns made by hand, and who is alone by a dictionary."""

import hashlib
import json
import uuid
from collections import Counter

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonaudit.errors import InputError
from anonaudit.generalization.value_kinds import value_kind
from anonaudit.scanning import columns, scan, to_json, to_text
from anonaudit.scanning.hashes import reversed_hashes

MADE = [f"person{i}@example.org" for i in range(6)]


def hashed(name, texts=MADE):
    return [hashlib.new(name, text.encode()).hexdigest() for text in texts]


@pytest.mark.parametrize(
    ("name", "values", "kind"),
    [
        *(("h", hashed(name), f"hashes ({name})") for name in ("md5", "sha1", "sha256", "sha512")),
        ("h", [text.upper() for text in hashed("md5")], "hashes (md5)"),
        ("h", [text[:-1] for text in hashed("md5")], None),
        ("u", [str(uuid.UUID(int=i)) for i in range(5)], "UUIDs"),
        ("link", ["https://example.org/a", "www.example.org/b"], "URLs"),
        ("where", ["52.5200, 13.4050", "-33.8688,151.2093"], "coordinates"),
        ("lat", ["52.5200", "48.1371"], "coordinates"),
        ("price", ["52.5200", "48.1371"], None),
        ("flat", ["52.5200", "48.1371"], None),
        ("d", ["2024-01-31", "2024-02-01"], "dates"),
        ("d", ["31.01.2024", "1.2.24"], "dates"),
        ("d", ["2024-01-31", "31.01.2024"], "dates in several formats"),
        ("d", ["01/31/2024", "31 Jan 2024", "2024-01-31T10:00:00Z"], "dates in several formats"),
        ("d", ["1.2.3", "1.2.4"], None),
        ("version", ["2024-01", "2024-02"], None),
        ("dx", ["C34.1", "I10", "E11.9", "J45", "C50.9"], "ICD-10 codes"),
        ("dx", ["C34.1", "c34.1", "C341", "e11.9", "i10"], "ICD-10 codes"),
        ("dx", ["A01", "A02", "A03", "B04", "B05"], None),  # seats and shelves look the same
        ("dx", ["C34.1", "I10"], None),
        ("zip", ["02139", "02140"], "postal codes"),
        ("postcode", ["SW1A 1AA", "M1 1AE"], "postal codes"),
        ("amount", ["02139", "02140"], None),
        ("age", ["0", "45", "101"], "ages"),
        ("patient age", ["45", "46"], "ages"),
        ("age_days", ["450", "460", "700"], None),
        ("wage", ["45", "46"], None),
        ("page", ["45", "46"], None),
        (
            "note",
            [f"patient {word} came back with pain in the chest" for word in "abcde"],
            "free text",
        ),
        ("state", ["Never married", "Married", "Widowed", "Divorced", "Separated"], None),
        ("none", [], None),
    ],
)
def test_kind(name, values, kind):
    assert value_kind(values, name) == kind


def test_a_few_other_values_do_not_hide_a_kind():
    nine = hashed("md5", [str(i) for i in range(9)])
    assert value_kind([*nine, "unknown"]) == "hashes (md5)"
    assert value_kind([*nine[:8], "unknown", "none"]) is None


tables = st.lists(st.tuples(*(st.sampled_from("abc") for _ in "xyz")), min_size=1, max_size=10)


@given(tables)
def test_who_is_alone(rows):
    found = scan(pd.DataFrame(rows, columns=list("xyz")))
    names = [one.name for one in found.columns if "constant" not in one.kinds]

    def alone(columns):
        counts = Counter(tuple(row["xyz".index(c)] for c in columns) for row in rows)
        return sum(n == 1 for n in counts.values())

    assert [one.alone for one in found.columns] == [alone([one.name]) for one in found.columns]
    assert found.alone == (alone(names) if names else None)
    for one in found.columns:
        expected = alone(names) - alone([c for c in names if c != one.name])
        assert one.drop == (expected if one.name in names else None)


@pytest.mark.parametrize(("most", "alone"), [(24, 4), (23, None)])
def test_combinations_are_counted_up_to_a_limit(monkeypatch, most, alone):
    """Six rows of two columns: 6 * 2 ** 2 = 24. Four rows are alone, as (1, 1) is there twice."""
    monkeypatch.setattr(columns, "MOST_ROWS_TIMES_COLUMNS_SQUARED", most)
    table = pd.DataFrame({"a": list("111223"), "b": list("112121")})
    found = scan(table)
    assert found.alone == alone
    limit = f"rows times the square of the number of columns is above {most}"
    assert (limit in found.counted) is (alone is None)


def test_keys_and_direct_identifiers_have_no_part_in_who_is_alone():
    frame = pd.DataFrame(
        {
            "key": [f"k{i}" for i in range(40)],
            "near": [f"n{min(i, 37)}" for i in range(40)],
            "mail": [f"a{i % 20}@example.org" for i in range(40)],
            "sex": ["F", "M"] * 20,
            "same": ["x"] * 40,
        }
    )
    found = scan(frame)
    kinds = {one.name: one.kinds for one in found.columns}
    assert kinds["key"] == ("key: every row has its own value",)
    assert kinds["near"] == ("near-key: nearly every row has its own value",)
    assert kinds["same"] == ("constant",)
    assert {one.name: one.direct for one in found.columns}["mail"] == "e-mail addresses"
    assert {one.name: one.drop for one in found.columns if one.drop is not None} == {"sex": 0}


def test_placeholders_and_missing_cells():
    frame = pd.DataFrame({"job": ["clerk", "?", None, "nurse"], "n": ["1", "2", "3", "999"]})
    job, _ = scan(frame).columns
    assert job.alone == 3
    assert (job.missing, job.distinct, job.kinds) == (1, 3, ("placeholders for missing values",))


@pytest.mark.parametrize("name", ["md5", "sha1", "sha256", "sha512"])
def test_hashes_are_reversed_by_candidates(name):
    labels = [*hashed(name), "f" * len(hashed(name)[0])]
    assert reversed_hashes(labels, [MADE[0], MADE[1].upper(), "other"]) == {*labels[:2]}
    assert reversed_hashes([labels[0].upper()], MADE) == {labels[0].upper()}
    assert reversed_hashes(labels, []) == set()
    found = scan(pd.DataFrame({"h": labels}), candidates=MADE[:4])
    assert found.columns[0].reversed == 4
    assert "4 hashes reversed" in to_text([found])


def test_numbers_of_a_country():
    pytest.importorskip("stdnum")
    # Finland: day, month, year, serial number, and the letter that stands for it modulo 31.
    letters = "0123456789ABCDEFHJKLMNPRSTUVWXY"
    hetu = [f"1310{52 + i}-308{letters[int(f'1310{52 + i}308') % 31]}" for i in range(10)]
    frame = pd.DataFrame({"b": hetu, "t": [f"03012345{i:02}" for i in range(10)]})

    def kinds(*countries):
        return [one.direct for one in scan(frame, countries=countries).columns]

    assert kinds() == [None, None]
    assert kinds("fi")[0] == "national identity numbers (fi)"
    assert kinds("de") == [None, "telephone numbers (de)"]
    with pytest.raises(InputError, match="no national identity number of 'ag' is known"):
        kinds("ag")
    frame.loc[:1, "b"] = "131052-308A"  # two of ten with another letter
    assert kinds("fi")[0] is None
    with pytest.raises(InputError, match="there is no country 'xx'"):
        scan(frame, countries=["xx"])


def test_no_cell_is_shown():
    frame = pd.DataFrame(
        {"mail": MADE, "note": [f"canary {i} sings in the tree" for i in range(6)]}
    )
    found = scan(frame)
    for text in (to_text([found]), to_json([found]), repr(found)):
        assert "canary" not in text
        assert "example.org" not in text
    assert json.loads(to_json([found]))["files"][0]["columns"][0]["direct"] == "e-mail addresses"
    assert "DIRECT IDENTIFIERS in mail" in to_text([found])
