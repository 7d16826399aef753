"""A policy proposed from the release itself: what `anonaudit init` writes.

Each column is counted once, and its part is guessed, first from its values, then from its name,
then from numbers:

A data dictionary (dictionary.py) decides where it gives a role. Otherwise its label speaks where
the name says nothing, and values that it lists are categories.

0. The values. Names of persons, e-mail addresses, telephone numbers and numbers by which states,
   banks or devices know a person (direct_identifiers.py) are identifiers, however often they stand
   there and whatever the name of the column says. ICD-10 codes are sensitive, and free text is an
   identifier, to be taken out (value_kinds.py).
1. The name. Words of some fifteen languages (names.py) speak of what names a person (identifier),
   of what others can know (quasi-identifier: age, place, sex, origin, family, education, work,
   dates) or of what they must not learn (sensitive: health, money, belief, crime, marks).
2. A name that speaks of a number for persons: identifier where every row has its own, and unit
   where there are several rows each, so that persons are counted. A number for anything else:
   identifier where every row has its own, or else as if the name said nothing.
3. The numbers, where the name says nothing. Most cells generalized or suppressed:
   quasi-identifier. All cells alike, fractions, over 20 different numbers, over 100 different
   texts: nothing is proposed, the column is listed for a person to decide. Consecutive numbers,
   a value of its own in every row, text of its own in nearly every row: identifier. Otherwise:
   quasi-identifier. Below 20 rows, columns with hardly a repetition are left to a person too.

A guess is not an audit: every choice carries its reason. No cell of the release is quoted, but for
words such as `?` that tools write where a value is missing.
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
