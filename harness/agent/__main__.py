"""Instructions on standard input, events on standard output; ends when its input does."""

from harness.agent.loop import main

main()
