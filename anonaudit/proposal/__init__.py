"""Propose a policy from a release: `anonaudit init`.

Every column gets a role (identifier, quasi-identifier, sensitive, unit) or none. The first rule
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
   - A number of a person is an identifier if every row has a different value. If values repeat and
     no row lacks one, it is the unit, so that persons are counted. Otherwise it gets no role.
   - A number of anything else is an identifier if every row has a different value. Otherwise rule 6
     decides.
   - A number of records gets no role if its whole numbers repeat: it may be the count. Otherwise
     rule 6 decides.
5. The dictionary lists the values, 2 to 100 different ones occur, and some repeat:
   quasi-identifier.
6. The counts of the values decide. In this order:
   - At least half of the cells are generalized or suppressed, and not every row has a different
     value: quasi-identifier.
   - All cells are equal: no role.
   - There are fewer than 20 rows, and values hardly repeat: no role.
   - Consecutive numbers: identifier. Fractions: no role.
   - Every row has a different value: identifier.
   - More than 20 different numbers: no role.
   - Nearly every row has a different text: identifier.
   - More than 100 different texts: no role.
   - Otherwise: quasi-identifier.

Columns without a role are listed in the policy, and the user decides. Every choice is written with
its reason, because it is a guess and not an audit. The policy quotes no cell of the release, except
words such as `?` that tools write for missing values.
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
