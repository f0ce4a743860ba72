"""How the controller reaches agents: the protocol, and one file for each way. Only these know what machines share."""
