"""Rows of two tables compared: which may stand for which."""
