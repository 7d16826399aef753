"""What labels denote: intervals, prefixes, sets, and generalization hierarchies."""
