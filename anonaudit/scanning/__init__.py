"""Scan every column of a file, even columns that no policy names (`anonaudit scan`)."""

from __future__ import annotations

from anonaudit.scanning.columns import ScannedColumn, ScannedFile, scan
from anonaudit.scanning.scan_report import to_json, to_text

__all__ = ["ScannedColumn", "ScannedFile", "scan", "to_json", "to_text"]
