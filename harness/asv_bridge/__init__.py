"""asv on one side, scenarios on the other: an environment plugin, and benchmark classes made from scenarios."""
