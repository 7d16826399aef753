"""Open tables. CSV cells are read as text, and no CSV or Parquet file is loaded whole."""

from anonaudit.source.table import Source, TableFile, open_source

__all__ = ["Source", "TableFile", "open_source"]
