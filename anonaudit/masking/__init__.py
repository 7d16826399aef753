"""Masking algorithms, one file each: what the papers publish, corrected where it is wrong.

Each takes `Microdata` and returns a `Recoding`, or raises NotAchievableError with the reason.
"""
