"""Where the ranks of a Horovod job find one another: Horovod's own HTTP store, without its launcher."""

import os


def serve():
    """Serve until the harness ends this process, on the role's own address: whoever reaches it can write into it."""
    from horovod.runner.http.http_server import RendezvousHandler, RendezvousHTTPServer

    class KeepingHandler(RendezvousHandler):
        """A rank deletes its address as soon as it is connected; slower ones may not have read it yet."""

        def do_DELETE(self):  # noqa: N802 (http.server's name)
            self.send_status_code(200)

    address, port = os.environ["HOROVOD_GLOO_RENDEZVOUS_ADDR"], int(os.environ["HOROVOD_GLOO_RENDEZVOUS_PORT"])
    RendezvousHTTPServer((address, port), KeepingHandler, 0).serve_forever()
