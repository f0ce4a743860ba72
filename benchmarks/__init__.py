"""What asv runs."""
