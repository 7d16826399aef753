"""Mask a table so that the release satisfies a policy, with the algorithms of the papers.

`maskers.py` is the entry point. Each algorithm has its own file: `lattice.py`, `mondrian.py`,
`k_member.py`, `greedy_cka.py` and `rule_hiding.py`. An algorithm takes `Microdata` and returns a
`Recoding`, or raises NotAchievableError with the reason. Where a paper is wrong, the algorithm is
corrected.

`task.py` defines the input of an algorithm (`Task`) and its description (`Algorithm`).
`exchange.py` improves clusters. `anatomy.py` publishes a `Recoding` as a quasi-identifier table and
one table for each sensitive attribute. The other files hold what the algorithms share.
"""
