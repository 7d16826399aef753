"""Generalized labels (intervals, prefixes, sets) and value generalization hierarchies."""
