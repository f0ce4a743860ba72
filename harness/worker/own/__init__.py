"""A training script of the user's, run as ``python script`` would run it, and seen from outside.

`script` runs it, `imports` tells when MXNet is there, `hooks` stands at MXNet's own functions, `seen` keeps what goes
by and makes steps of it, `owners` are what holds weights. Nothing of the script or its folder is changed, and a process
that it forks is left alone.
"""
