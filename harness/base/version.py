"""The harness's own version; `pyproject.toml` and the agent's handshake read it here."""

__version__ = "0.1.0"
