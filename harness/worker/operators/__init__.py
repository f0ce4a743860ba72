"""Every operator of a target's registry, called from a seed; the program that a qualification runs in each target."""
