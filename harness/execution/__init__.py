"""What is done: a plan becomes a run. The conductor decides from events, a backend reaches the agents that act."""
