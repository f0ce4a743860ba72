"""A deterministic world of agent, processes, kvstore and links in virtual time, for the real conductor and judge.

`world` answers every instruction with the events that a real one would, in any order that pipes and schedulers allow,
and knows what truly happened; `draw` makes plans and misbehaviours from a seed; `laws` says what must hold; `run`
cuts a failing seed down to the fewest faults. ``make simulate`` tries 100,000 seeds, the tests 2,000.

What it cannot see, since it lies beside the decisions: how the command line ends, what the agent does to real
processes (wrappers, pipes, the working directory, logs), what the wire measures (`test_links` does), asv, and how large
numbers are.
"""
