"""What is decided before anything starts: a checked scenario, a seed and a target become a plan. Pure."""
