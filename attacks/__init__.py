"""The attacks that come with anonaudit, one module each.

They are found through entry points, like the attacks of other packages.

Terms of these modules:

- Entry: a distinct row of a frequency set, with its count.
- Combination: an entry over the quasi-identifiers that the adversary knows.
- Target: whom the adversary attacks. All people of one external combination are one target, unless
  the module says otherwise.
- Candidate: a released combination, or with a unit column a person, that may be the target's.
- Pair: a target and one of its candidates. "Sure" pairs match for certain. The "widest" pairs are
  all that may match, the sure ones included.
- Undecided, doubtful: said of a result, or of a candidate, that depends on a label that was not
  understood, an unknown cell, or a row that is suppressed in all known columns.
- Rows (persons): rows are counted, or persons if the policy names a unit column.
"""
