import { NodeTransport } from 'nats/lib/src/node_transport';

/**
 * Patches the client (nats 2.29.3), which neither closes nor forgets a socket whose connection attempt timed out.
 * When a hung broker resumes, it waits in vain for the login on that socket and closes it. The client takes this
 * for the end of its current connection and opens another, but leaves the healthy one open. That connection stays
 * in the queue groups and receives half of the requests. Their answers leave on the other connection, and the
 * broker refuses them there.
 *
 * The client calls `discard` on the transport of the failed attempt. The patch closes the socket and removes its
 * listeners.
 */
export function closeAbandonedTransports(): void {
  NodeTransport.prototype.discard = function discard(this: NodeTransport): void {
    if (this.done) return;
    this.done = true;
    // Undefined until the socket is connected, despite its type.
    const socket = this.socket as NodeTransport['socket'] | undefined;
    socket?.removeAllListeners();
    socket?.destroy();
  };
}
