"""What these tests share with those in tests/: the folder of outside material."""

from conftest import pytest_make_parametrize_id, shared

# A program that needs pycanon; pytest must not import it to look for examples.
collect_ignore = ["pycanon_numbers.py"]

__all__ = ["pytest_make_parametrize_id", "shared"]
