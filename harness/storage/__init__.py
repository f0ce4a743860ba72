"""Runs on disk: their folders, their histories, and what can be said of each at a glance."""
