"""Targets: interpreters with one MXNet each, built and cached by content, or any interpreter on disk."""
