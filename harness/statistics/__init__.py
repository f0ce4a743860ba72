"""Pure statistics over samples: bounded series, summaries, comparisons, trends."""
