"""Mask a table so that the release satisfies a policy, with the algorithms of the papers.

`maskers.py` is the entry point: it reads a table, chooses an algorithm, and audits the release.
`algorithms.py` lists the algorithms that it can choose.

Each algorithm has its own file: `lattice.py`, `mondrian.py`, `k_member.py`, `greedy_cka.py` and
`rule_hiding.py`. The function of an algorithm takes `Microdata` and parameters such as k. It
returns a `Recoding`, or raises NotAchievableError with the reason. Errors in the algorithms of the
papers are corrected; the docstrings name the corrections.

`task.py` defines the common input of the listed algorithms (`Task`) and their description
(`Algorithm`). `anatomy.py` publishes a `Recoding` as a quasi-identifier table and one table for
each sensitive attribute. `loss.py` measures the cost of masking. The other files hold parts of the
algorithms.
"""
