"""Propose a policy from a release: `anonaudit init`.

Every column gets a role (identifier, quasi-identifier, sensitive, unit) or no role. The first rule
that applies decides:

1. The values show a direct identifier: names of persons, e-mail addresses, telephone numbers,
   account numbers and the like (`generalization/direct_identifiers.py`). The column is an
   identifier, even if its values repeat.
2. The data dictionary gives a role (`dictionary.py`).
3. The values are ICD-10 codes: sensitive. The values are free text: identifier, because free text
   may name persons (`generalization/value_kinds.py`).
4. The name of the column, or else its label in the dictionary, suggests a role
   (`generalization/column_names.py`, in about fifteen languages):
   - Names, addresses and official numbers are identifiers.
   - Age, place, sex, origin, family, education, work and dates are quasi-identifiers.
   - Health, money, belief, crime, school marks and outcomes are sensitive.
   - A number that stands for a person (patient number) is an identifier if every row has a
     different value. If values repeat and no row lacks a value, the column is the unit, so that
     persons are counted. Otherwise it gets no role.
   - A number that stands for anything else (order number) is an identifier if every row has a
     different value. Otherwise rule 6 decides.
   - A number of records gets no role if its values are whole numbers and not all different: the
     column may be the count. Otherwise rule 6 decides.
5. The name and the label suggest nothing, the dictionary lists the values, 2 to 100 different
   values occur, and not every row has a different value: quasi-identifier.
6. The counts of the values decide, in this order:
   - At least half of the cells are generalized or suppressed, and not every row has a different
     value: quasi-identifier.
   - All cells are equal: no role.
   - There are fewer than 20 rows, and more than half as many different values as rows: no role.
   - The values are consecutive numbers: identifier. Some numbers have fractions: no role.
   - Every row has a different value: identifier.
   - More than 20 different numbers: no role.
   - Nearly every row has a different text: identifier.
   - More than 100 different texts: no role.
   - Otherwise: quasi-identifier.

Columns without a role are listed in the policy, and the user decides. Every role is a guess and not
an audit, so it is written with its reason. The policy quotes no cell of the release, except words
such as `?` that tools write for missing or suppressed cells.
"""

from __future__ import annotations

from anonaudit.proposal.choice import Part
from anonaudit.proposal.dictionary import ColumnDescription, Dictionary, read_dictionary
from anonaudit.proposal.proposed_columns import ColumnProposal, Proposal, Suggestion, propose
from anonaudit.proposal.toml import to_toml

__all__ = [
    "ColumnDescription",
    "ColumnProposal",
    "Dictionary",
    "Part",
    "Proposal",
    "Suggestion",
    "propose",
    "read_dictionary",
    "to_toml",
]
