"""Where the ranks of a Horovod job find one another: Horovod's own HTTP store, without its launcher."""

import os


def serve():
    """Serve until the harness ends this process."""
    from horovod.runner.http.http_server import RendezvousHandler, RendezvousHTTPServer

    class KeepingHandler(RendezvousHandler):
        """A rank deletes its address as soon as it is connected; slower ones may not have read it yet."""

        def do_DELETE(self):  # noqa: N802 (http.server's name)
            self.send_status_code(200)

    port = int(os.environ["HOROVOD_GLOO_RENDEZVOUS_PORT"])
    RendezvousHTTPServer(("", port), KeepingHandler, 0).serve_forever()
