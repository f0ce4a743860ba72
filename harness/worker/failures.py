"""Exceptions that say whose fault they are."""


class AskedError(Exception):
    """A fault of the schedule that lets the training script fail."""


class CannotCommitError(Exception):
    """A fault that cannot act in this job, with the reason."""
