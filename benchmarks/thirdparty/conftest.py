"""What these tests share with those in tests/: the folder of outside material."""

from conftest import pytest_make_parametrize_id, shared

__all__ = ["pytest_make_parametrize_id", "shared"]
