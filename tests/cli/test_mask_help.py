"""`anonaudit mask --help` names the maskers that there are.

The help is a text of its own: to import the maskers for it would start numpy and pandas for every
command.
"""

import re
from typing import get_type_hints

from anonaudit.cli.mask import mask_command
from anonaudit.masking.algorithms import ALGORITHMS
from anonaudit.masking.maskers import BEST


def help_of(option):
    return get_type_hints(mask_command, include_extras=True)[option].__metadata__[0].help


def test_every_masker_is_named_in_the_order_in_which_it_is_chosen():
    first = help_of("algorithm").partition(". ")[0]
    assert re.split(r", | or ", first) == list(ALGORITHMS)
    assert f"`{BEST}`" in help_of("algorithm")


def test_the_masker_that_needs_every_hierarchy_is_named():
    needing = [name for name, one in ALGORITHMS.items() if one.every_hierarchy]
    (said,) = re.findall(
        r"\((.*) needs a hierarchy for every quasi-identifier\)", help_of("algorithm")
    )
    assert [said] == needing
