"""What only a real GPU can show: ``make test-gpu``; elsewhere all of it is skipped."""
