"""Where the ranks of a Horovod job find one another: Horovod's own HTTP store, without its launcher."""

import os


def serve():
    """Serve until the harness ends this process."""
    from horovod.runner.http.http_server import RendezvousHandler, RendezvousHTTPServer

    port = int(os.environ["HOROVOD_GLOO_RENDEZVOUS_PORT"])
    RendezvousHTTPServer(("", port), RendezvousHandler, 0).serve_forever()
