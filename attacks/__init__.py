"""The attacks that come with anonaudit, one module each.

anonaudit finds these attacks through entry points, like the attacks of other packages.

Terms of these modules:

- External table: the identified table that the adversary has.
- Entry: a distinct row of a frequency set, with its count.
- Combination: an entry over the quasi-identifiers that the adversary knows. An external combination
  is an entry of the external table, a released combination is an entry of the release.
- Target: a person, or several people, whom the adversary attacks. All people who have the same
  external combination are one target, unless the module says otherwise.
- Candidate: a released combination that may be the target's. With a unit column, a candidate is a
  released person who may be the target.
- Pair: a target and one of its candidates. The "sure" pairs match for certain. The "widest" pairs
  are all pairs that may match, including the sure pairs.
- Identified: linked with a single row (person). Disclosed: a sensitive value of the target is
  inferred. Exposed: identified or disclosed.
- Undecided, doubtful: a result or candidate that depends on a label that was not understood, on an
  unknown cell, or on a row that is suppressed in all known columns.
- Rows (persons): rows are counted, or persons if the policy names a unit column.
"""
