"""The measured program: standard library, numpy and mxnet only, Python 3.7 to 3.11, MXNet 1.5 to 1.9.1.

It travels as a zip application with every run, so that nothing is installed into the target. It imports nothing
of the controller.
"""
