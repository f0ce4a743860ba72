"""What the user wrote: YAML with places, overrides, and the schema of single fields. What several fields mean together
is planning's."""
