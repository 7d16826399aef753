"""Compare two tables: which cells, rows and classes of one may correspond to those of the other."""
