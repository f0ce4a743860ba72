"""A benchmark and chaos-test harness for Apache MXNet."""

__version__ = "0.1.0"
