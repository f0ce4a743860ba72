"""``harness schema``."""

from __future__ import annotations

import argparse

HELP = "print the JSON Schema of scenarios, for editors"


def configure(parser: argparse.ArgumentParser) -> None:
    pass


def execute(arguments: argparse.Namespace) -> int:
    import json

    from harness.scenario.schema import Scenario

    schema = {"$schema": "https://json-schema.org/draft/2020-12/schema", **Scenario.model_json_schema()}
    print(json.dumps(schema, indent=1, sort_keys=True))
    return 0
