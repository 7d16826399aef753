"""Reduce a table to counts: how many rows, or persons, have each combination of values."""
