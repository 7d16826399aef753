"""The columns and sizes of the generated release, and the columns of the hospital visits."""

QUASI = ("age", "sex", "race", "marital", "education", "region", "workclass", "occupation")
SENSITIVE = ("income", "diagnosis", "hours")
SIZES = {"30k": None, "1M": 10**6, "10M": 10**7, "100M": 10**8}

# Hospital visits, with several rows for each person.
VISITS_QUASI = (
    *("birth_date", "sex", "zip", "ethnicity", "insurance"),
    *("admitted", "discharged", "ward", "notes"),
)
VISITS_SENSITIVE = ("diagnosis", "cost")
VISITS_UNIT = "patient_id"
