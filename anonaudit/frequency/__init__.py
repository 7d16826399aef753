"""The one reduction: how many rows, or persons, carry each combination of values."""
