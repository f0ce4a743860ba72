"""A deterministic world of agent, processes, kvstore and links in virtual time, for the real conductor and judge."""
