"""The words of a report: what models mean, how numbers and tables are written."""
