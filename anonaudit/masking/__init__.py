"""Masking: from a policy to a release (`maskers.py`), by the algorithms that the papers publish.

They are corrected where the papers are wrong. An algorithm has a file of its own (`lattice.py`,
`mondrian.py`, `k_member.py`, `greedy_cka.py`, `rule_hiding.py`), takes `Microdata` and returns a
`Recoding`, or raises NotAchievableError with the reason. `anatomy.py` publishes a `Recoding` as two
tables, and `exchange.py` improves clusters. `task.py` says what an algorithm is given, and what it
says of itself as the `ALGORITHM` of its file. The other files are what these share.
"""
