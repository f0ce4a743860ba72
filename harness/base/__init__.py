"""What every folder may use and what knows nothing of MXNet, runs or faults: errors, units, registries, processes."""
