"""The hierarchies and boundaries of the papers' experiments, node by node.

A checksum says that a file was not changed; these tests say that it is right. Each tree is stated
here a second time: by a rule where there is one, else as the leaves below every node. Sources: TV06
Table 7 and Figure 1, MCT08 section 5 and Figure 2; README.md of the data says which trees are ours.
"""

import csv

import pytest

from anonaudit import datasets


def paths(name):
    """The rows of a hierarchy file, by leaf."""
    with datasets.path(f"{name}.csv").open(encoding="utf-8") as file:
        rows = list(csv.reader(file, delimiter=";"))
    assert len({row[0] for row in rows}) == len(rows)
    return {row[0]: row[1:] for row in rows}


def band(value, width, start=0):
    low = (value - start) // width * width + start
    return f"{low}-{low + width - 1}"


def below(**groups):
    """The parent of each leaf, from the leaves below each parent."""
    return {leaf: name.replace("_", " ") for name, leaves in groups.items() for leaf in leaves}


def flat(leaves, root="*"):
    return {leaf: [root] for leaf in leaves}


RACES = ["Amer-Indian-Eskimo", "Asian-Pac-Islander", "Black", "Other", "White"]
MARRIED = {
    **dict.fromkeys(
        ["Married-civ-spouse", "Married-spouse-absent", "Married-AF-spouse"], "Married"
    ),
    **dict.fromkeys(["Never-married", "Divorced", "Separated", "Widowed"], "Single"),
}
REGIONS = below(
    North_America=["United-States", "Canada", "Outlying-US(Guam-USVI-etc)"],
    Latin_America=[
        "Columbia", "Cuba", "Dominican-Republic", "Ecuador", "El-Salvador", "Guatemala", "Haiti",
        "Honduras", "Jamaica", "Mexico", "Nicaragua", "Peru", "Puerto-Rico", "Trinadad&Tobago",
    ],
    Western_Europe=["England", "France", "Germany", "Holand-Netherlands", "Ireland", "Scotland"],
    Southern_Europe=["Greece", "Italy", "Portugal"],
    Eastern_Europe=["Hungary", "Poland", "Yugoslavia"],
    East_Asia=["China", "Hong", "Japan", "South", "Taiwan"],
    South__East_Asia=["Cambodia", "Laos", "Philippines", "Thailand", "Vietnam"],
    South__West_Asia=["India", "Iran"],
)  # fmt: skip
CONTINENTS = {
    "North America": "America", "Latin America": "America", "Western Europe": "Europe",
    "Southern Europe": "Europe", "Eastern Europe": "Europe", "East Asia": "Asia",
    "South-East Asia": "Asia", "South-West Asia": "Asia",
}  # fmt: skip
ILLNESSES = {
    "Neoplasms": {
        "Cancer": {
            "Digestive Cancer": ["Colon Cancer", "Stomach Cancer", "Pancreatic Cancer"],
            "Respiratory Cancer": ["Lung Cancer", "Laryngeal Cancer"],
            "": ["Breast Cancer"],
            "Blood Cancer": ["Leukemia", "Hodgkin Disease"],
        },
        "Benign Neoplasms": {"": ["Lipoma", "Uterine Fibroid"]},
    },
    "Infectious Diseases": {
        "Viral Infections": {"Viral Infections": ["HIV", "Hepatitis B", "Measles"]},
        "Bacterial Infections": {"Bacterial Infections": ["Tuberculosis", "Cholera"]},
    },
    "Endocrine and Metabolic Diseases": {
        "Endocrine Disorders": {"": ["Diabetes", "Goiter"]},
        "Metabolic Disorders": {"": ["Gout"]},
    },
    "Mental Disorders": {
        "Psychoses": {"Psychoses": ["Schizophrenia", "Bipolar Disorder"]},
        "": {"": ["Depression"]},
    },
    "Circulatory Diseases": {"": {"": ["Heart Disease", "Hypertension", "Stroke"]}},
    "Respiratory Diseases": {
        "": {"": ["Asthma"]},
        "Respiratory Infections": {"Respiratory Infections": ["Pneumonia", "Influenza"]},
    },
}
ZIPS = {
    code: [f"{code[:3]}**", "*****"]
    for code in ("41075", "41076", "41088", "41099", "43102", "43103", "48201", "48202")
}
PATIENTS = ["40121", "40242", "40373", "40404"]
BORN = [f"{year}/{month:02}/{month:02}" for year, month in zip([1967] * 3 + [1968] * 3 + [1969] * 3 + [1970] * 3, range(1, 13), strict=True)]  # fmt: skip

EXPECTED = {
    "TV06/hierarchies/zip-code": ZIPS,
    "TV06/hierarchies/sex": flat("MF"),
    "CT06/hierarchies/zip-code": ZIPS,
    "CT06/hierarchies/gender": flat(["Male", "Female"]),
    "CT06/hierarchies/illness": {
        leaf: [low or leaf, middle or low or leaf, high, "Diseases"]
        for high, middles in ILLNESSES.items()
        for middle, lows in middles.items()
        for low, leaves in lows.items()
        for leaf in leaves
    },
    "CT06/hierarchies/tax-amount": {
        str(n): [
            f"{(n - 100) // 200 * 200 + 100}-{(n - 100) // 200 * 200 + 200}",
            "100-400" if n <= 400 else "500-800" if n <= 800 else "900-1000",
            "100-1000",
        ]
        for n in range(100, 1001, 100)
    },
    "MCT08/hierarchies/location": {
        "San Diego": ["California", "West Coast", "United States"],
        "Los Angeles": ["California", "West Coast", "United States"],
        "Wichita": ["Kansas", "Midwest", "United States"],
        "Kansas City": ["Kansas", "Midwest", "United States"],
        "Lincoln": ["Nebraska", "Midwest", "United States"],
    },
    "MCT08/hierarchies/sex": flat("MF"),
    "MCT08/hierarchies/race": flat("WB"),
    "Z07/hierarchies/date-of-birth": {day: [day[:7], day[:4], "*"] for day in BORN},
    "Z07/hierarchies/race": flat(["Black", "White"]),
    "Z07/hierarchies/sex": flat(["Male", "Female"]),
    "Z07/hierarchies/zip-code": {code: [f"{code[:3]}**", "*****"] for code in PATIENTS},
    "adult/hierarchies/age": {
        str(age): [band(age, 10), "<50" if age < 50 else ">=50", "*"] for age in range(17, 91)
    },
    "adult/hierarchies/marital-status": {status: [up, "*"] for status, up in MARRIED.items()},
    "adult/hierarchies/race": {
        "White": ["White", "White", "*"],
        "Black": ["Black", "Not White", "*"],
        **{race: ["Not White or Black", "Not White", "*"] for race in (RACES[0], RACES[1], "Other")},
    },
    "adult/hierarchies/sex": flat(["Male", "Female"]),
    "MCT08/adult/hierarchies/age": {
        str(age): [band(age, 10), "70-99" if age >= 70 else band(age, 20, 10), "*"]
        for age in range(17, 91)
    },
    "MCT08/adult/hierarchies/native-country": {
        "?": ["?", "?", "*"],
        **{
            country: [region.replace("  ", "-"), CONTINENTS[region.replace("  ", "-")], "*"]
            for country, region in REGIONS.items()
        },
    },
    "MCT08/adult/hierarchies/education-num": {
        str(n): [band(n, width, 1) for width in (2, 4, 8)] + ["*"] for n in range(1, 17)
    },
    "MCT08/adult/hierarchies/workclass": flat(
        ["?", "Federal-gov", "Local-gov", "Never-worked", "Private", "Self-emp-inc",
         "Self-emp-not-inc", "State-gov", "Without-pay"]
    ),
    "MCT08/adult/hierarchies/occupation": flat(
        ["?", "Adm-clerical", "Armed-Forces", "Craft-repair", "Exec-managerial",
         "Farming-fishing", "Handlers-cleaners", "Machine-op-inspct", "Other-service",
         "Priv-house-serv", "Prof-specialty", "Protective-serv", "Sales", "Tech-support",
         "Transport-moving"]
    ),
    "MCT08/adult/hierarchies/race": flat(RACES),
    "MCT08/adult/hierarchies/sex": flat(["Male", "Female"]),
    "MCT08/adult/hierarchies/marital-status": {s: [up, "*"] for s, up in MARRIED.items()},
}  # fmt: skip


def test_every_hierarchy_is_stated():
    files = [n.removesuffix(".csv") for n in datasets.names() if "/hierarchies/" in n]
    assert sorted(EXPECTED) == [name for name in files if not name.startswith("ma2019")]


@pytest.mark.parametrize("name", EXPECTED)
def test_a_hierarchy_node_by_node(name):
    assert paths(name) == EXPECTED[name]


def test_the_boundaries_of_the_adult_experiment():
    """Every leaf has a boundary above it or none: `?` goes up to the root, as README.md says."""
    with datasets.path("MCT08/adult/magvals.csv").open(encoding="utf-8") as file:
        rows = [tuple(row.values()) for row in csv.DictReader(file)]
    country = [value for name, value in rows if name == "native-country"]
    assert country == ["North America", "Latin America", "Europe", "Asia"]
    assert [v for name, v in rows if name == "age"] == ["10-29", "30-49", "50-69", "70-99"]
    assert len(rows) == 8
    for name, values in (
        ("native-country", country),
        ("age", ["10-29", "30-49", "50-69", "70-99"]),
    ):
        above = {
            leaf: [node for node in path if node in values]
            for leaf, path in paths(f"MCT08/adult/hierarchies/{name}").items()
        }
        assert all(len(found) == (leaf != "?") for leaf, found in above.items())
