"""Scan every column of a file without a policy: `anonaudit scan`."""

from __future__ import annotations

from anonaudit.scanning.columns import ScannedColumn, ScannedFile, scan
from anonaudit.scanning.scan_report import to_json, to_text

__all__ = ["ScannedColumn", "ScannedFile", "scan", "to_json", "to_text"]
